/* SPDX-License-Identifier: Apache-2.0 */
/* dataset-dialog.h - the file chooser for saving a dataset, and a toast after saving it. */
#pragma once

#include <gtk/gtk.h>

#include "app/map/map-document.h"

G_BEGIN_DECLS

/* @where: a widget in the parent window.  Proposes a name after the map's, in the user's documents
 * folder.  (transfer full) */
GtkFileChooser *urbarium_dataset_dialog_new (GtkWidget *where, UrbariumMapDocument *document);

/**
 * urbarium_dataset_dup_path:
 * @path: as typed
 *
 * Returns: (transfer full): the path with a suffix of datasets, added if missing
 */
char *urbarium_dataset_dup_path (const char *path);

/* Shows a toast with a button that leads to the page "Train". */
void urbarium_dataset_toast_saved (GtkWidget *where, const char *path);

G_END_DECLS
