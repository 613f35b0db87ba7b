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

/* (element-type GBytes) (transfer full): at least one input that is good */
GPtrArray *fuzz_make_seeds (void);

/* For readers that want a file: the same temporary file each time, with these
 * contents.  (transfer none) */
const char *fuzz_write_file (const guint8 *data, gsize size);
/* Deletes it. */
void        fuzz_delete_file (void);

G_END_DECLS
