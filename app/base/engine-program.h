/* SPDX-License-Identifier: Apache-2.0 */
/* engine-program.h - starts urbarium-engine from the window. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Path of urbarium-engine: $URBARIUM_ENGINE; else next to this program or in the same build
 * tree; else from $PATH.
 * Returns: (transfer full): %NULL with @error if it is not found */
char *urbarium_engine_program_find (GError **error);

/**
 * urbarium_engine_program_spawn:
 * @args: (array zero-terminated=1): without the program: "train", "--dataset", …
 *
 * The engine uses the user's language for messages, and the C locale for numbers.
 */
GSubprocess *urbarium_engine_program_spawn (const char *const *args, GSubprocessFlags flags,
                                            GError **error);

/**
 * urbarium_engine_program_run_async:
 * @input: (nullable): its standard input
 * @cancellable: (nullable): interrupts the engine; @callback is called when it has ended
 *
 * Starts the engine, reads its output and waits for it.  If it exits with another status than 0,
 * the error is the one that the engine reported, with its domain and message; if it reported
 * none, %G_IO_ERROR_FAILED with the last line of standard error, without "urbarium-engine X: ".
 */
void  urbarium_engine_program_run_async  (const char *const *args, const char *input,
                                          GCancellable *cancellable, GAsyncReadyCallback callback,
                                          gpointer user_data);
/* The same without standard input, for what other users of the machine must not see.
 * @environment: (array zero-terminated=1): names and values of variables, by turns */
void  urbarium_engine_program_run_with_async (const char *const *args, const char *const *environment,
                                              GCancellable *cancellable, GAsyncReadyCallback callback,
                                              gpointer user_data);
/* Of either.  Returns: (transfer full): standard output, UTF-8 */
char *urbarium_engine_program_run_finish (GAsyncResult *result, GError **error);
/* (transfer none) (nullable): what an engine that failed had printed on standard output */
const char *urbarium_engine_program_get_output (GAsyncResult *result);

G_END_DECLS
