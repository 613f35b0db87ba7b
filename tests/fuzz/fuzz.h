/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz.h - a fuzz target: a reader of hostile bytes, and good bytes to begin
 * with.
 *
 * The entry point has libFuzzer's name, so that a target also links with
 * -fsanitize=fuzzer in place of driver.c: with-libfuzzer does.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Reads @data as its format.  Any answer is right, but there must be one. */
int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/* Adds to @inputs at least one that is good, by fuzz_add_input(). */
void fuzz_add_seeds (GPtrArray *inputs);

/* Adds a copy of @data to @inputs, which are GBytes. */
void fuzz_add_input (GPtrArray *inputs, gconstpointer data, gsize size);

/* Adds the file @path as a seed and deletes it.  A database gets the smallest pages there are
 * first: SQLite's 4096 bytes are mostly empty, and what is spoilt there is never read. */
void fuzz_add_file     (GPtrArray *inputs, const char *path);
void fuzz_add_database (GPtrArray *inputs, const char *path);

/* For readers that want a file: the same temporary file each time, in memory where there is
 * /dev/shm, with these contents.  It is deleted on exit.  (transfer none) */
const char *fuzz_write_file (const guint8 *data, gsize size);

G_END_DECLS
