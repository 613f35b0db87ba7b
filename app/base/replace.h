/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replace.h - the question whether files that are there may be replaced.
 *
 * A file chooser asks about the name as it was typed; this is for names that are completed after
 * it, and for many files at a time.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Asks, in the window of @where, if any of @files exists; several are called pictures.  Looks for
 * them in a thread.
 * @callback: take the answer with urbarium_replace_ask_finish() */
void     urbarium_replace_ask        (GtkWidget *where, const char *const *files,
                                      GAsyncReadyCallback callback, gpointer user_data);
/* Whether they may be written; not, if the window went without an answer. */
gboolean urbarium_replace_ask_finish (GtkWidget *where, GAsyncResult *result);

G_END_DECLS
