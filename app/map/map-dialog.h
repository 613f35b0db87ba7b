/* SPDX-License-Identifier: Apache-2.0 */
/* map-dialog.h - file choosers for maps. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Chooses one or more files. (transfer full): see urbarium_file_chooser_new() */
GtkFileChooser *urbarium_map_dialog_new (GtkWidget *where);

/**
 * urbarium_map_dialog_dup_paths:
 * @files: of GFile
 *
 * Returns: (transfer full) (array zero-terminated=1): their paths; %NULL with @error if one is not
 *   a local file
 */
char **urbarium_map_dialog_dup_paths (GListModel *files, GError **error);

G_END_DECLS
