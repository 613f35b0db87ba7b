/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replace.h - asks whether existing files may be replaced.
 *
 * A file chooser asks about the name as typed; this is for names that are completed afterwards,
 * and for many files at once.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* If any of @files exists (checked in a thread), asks in the window of @where; several files are
 * called images.
 * @callback: take the answer with urbarium_replace_ask_finish() */
void     urbarium_replace_ask        (GtkWidget *where, const char *const *files,
                                      GAsyncReadyCallback callback, gpointer user_data);
/* Returns: whether the files may be written; %FALSE if the window was closed without an answer */
gboolean urbarium_replace_ask_finish (GtkWidget *where, GAsyncResult *result);

G_END_DECLS
