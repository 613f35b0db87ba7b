/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-dialog.h - the file chooser for maps.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Files of known formats, several at once. (transfer full) */
GtkFileChooserNative *urbarium_map_dialog_new        (GtkWindow *parent);
/* (transfer full) */
GtkFileChooserNative *urbarium_map_dialog_new_folder (GtkWindow *parent);

/**
 * urbarium_map_dialog_dup_paths:
 * @files: of GFile
 *
 * Returns: (transfer full) (array zero-terminated=1): their paths; or %NULL with a sentence on
 *   the first that is not on this computer
 */
char **urbarium_map_dialog_dup_paths (GListModel *files, GError **error);

G_END_DECLS
