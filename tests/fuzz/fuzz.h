/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz.h - a fuzz target: a reader of untrusted bytes, and valid initial inputs.
 *
 * The entry point has libFuzzer's name, so that a target can also be linked with
 * -fsanitize=fuzzer instead of driver.c, as with-libfuzzer does.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Parses @data.  It may succeed or fail, but must return. */
int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/* Adds at least one valid input to @inputs, with fuzz_add_input(). */
void fuzz_add_seeds (GPtrArray *inputs);

/* Adds a copy of @data to @inputs, which are GBytes. */
void fuzz_add_input (GPtrArray *inputs, gconstpointer data, gsize size);

/* Adds the file @path as a seed and deletes it.  Databases are first converted to the smallest page
 * size: SQLite's default pages of 4096 bytes are mostly empty, and mutations there are never read. */
void fuzz_add_file     (GPtrArray *inputs, const char *path);
void fuzz_add_database (GPtrArray *inputs, const char *path);

/* For readers that need a file: always the same temporary file, in /dev/shm if that exists, with
 * these contents.  It is deleted on exit.  (transfer none) */
const char *fuzz_write_file (const guint8 *data, gsize size);

G_END_DECLS
