/* SPDX-License-Identifier: Apache-2.0 */
/*
 * small-file.h - reads files that a person named, whatever they are, and standard input.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * urb_small_file_read:
 * @n_bytes: (out) (optional)
 *
 * Reads a regular file of at most 1 MiB.  Devices and pipes, which need not have an end or a writer,
 * are refused without waiting.
 *
 * Returns: (transfer full): with a terminating zero; %NULL with a %G_FILE_ERROR that names the file
 */
char *urb_small_file_read (const char *path, gsize *n_bytes, GError **error);

/* Reads standard input to its end, at most 1 MiB.  Blocks.
 * Returns: (transfer full): NULL with a %G_FILE_ERROR */
char *urb_small_file_read_input (GError **error);

G_END_DECLS
