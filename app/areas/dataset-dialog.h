/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataset-dialog.h - asking where a dataset shall be saved, and telling that it was.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/map/map-document.h"

G_BEGIN_DECLS

/* @where: in the window.  Proposes a name after the map, in the user's documents.
 * (transfer full) */
GtkFileChooserNative *urbarium_dataset_dialog_new (GtkWidget *where, UrbariumMapDocument *document);

/**
 * urbarium_dataset_dup_path:
 * @path: as it was typed
 *
 * Returns: (transfer full): with the suffix by which it is found again
 */
char *urbarium_dataset_dup_path (const char *path);

/* A toast that leads on to the page "Train". */
void urbarium_dataset_tell_saved (GtkWidget *where, const char *path);

G_END_DECLS
