/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine-program.h - starting urbarium-engine from the window.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Path of urbarium-engine: $URBARIUM_ENGINE; else the one beside this program
 * or in the same build tree; else that of $PATH.
 * Returns: (transfer full): or %NULL with a sentence */
char *urbarium_engine_program_find (GError **error);

/**
 * urbarium_engine_program_spawn:
 * @args: (array zero-terminated=1): without the program: "train", "--dataset", …
 *
 * Starts it in messages of the user's language and numbers in C.
 */
GSubprocess *urbarium_engine_program_spawn (const char *const *args, GSubprocessFlags flags,
                                            GError **error);

/**
 * urbarium_engine_program_run_async:
 * @input: (nullable): its standard input
 *
 * Starts it, reads all it says, waits for it.  An exit status other than 0 is an error: the
 * engine's own, of its domain and with its message; where it did not come to tell that, a
 * %G_IO_ERROR_FAILED with what it said last on standard error, without its "urbarium-engine X: ".
 */
void  urbarium_engine_program_run_async  (const char *const *args, const char *input,
                                          GCancellable *cancellable, GAsyncReadyCallback callback,
                                          gpointer user_data);
/* Returns: (transfer full): standard output, UTF-8 */
char *urbarium_engine_program_run_finish (GAsyncResult *result, GError **error);

G_END_DECLS
