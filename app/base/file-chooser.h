/* SPDX-License-Identifier: Apache-2.0 */
/* file-chooser.h - asks the user for files, with one dialog at a time per widget. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* @where: a widget in the parent window
 * @title, @accept: translated: "Open map", "_Open"
 * Returns: (transfer full): to be passed to urbarium_file_chooser_show() */
GtkFileChooser *urbarium_file_chooser_new        (GtkWidget *where, GtkFileChooserAction action,
                                                  const char *title, const char *accept);
/* @name: translated
 * @...: endings without dot ("gpkg"), then %NULL; none: all files */
void            urbarium_file_chooser_add_filter (GtkFileChooser *self, const char *name, ...)
  G_GNUC_NULL_TERMINATED;

/**
 * urbarium_file_chooser_show:
 * @self: (transfer full): dropped if a dialog of @where is open already; that one is shown instead
 * @where: destroys the dialog when it is destroyed itself
 * @chosen: void chosen (gpointer data, const char *path, GListModel *files), called when the user
 *   has chosen.  @path: of the file or folder, or of the first of several @files (of GFile).
 * @free_data: (nullable): frees @data after the dialog
 *
 * If the file is not a local one, shows an error instead of calling @chosen.
 */
void urbarium_file_chooser_show (GtkFileChooser *self, GtkWidget *where, GCallback chosen,
                                 gpointer data, GDestroyNotify free_data);

G_END_DECLS
