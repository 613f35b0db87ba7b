/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory-file.h - what a child process reads: an unnamed file in memory.  Unlike with a pipe, a child that does not
 * read it blocks nobody, and is no error.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns: a descriptor at the beginning of the file, close-on-exec; -1 with errno set if there is no memory */
int urb_memory_file_new (const void *bytes, gsize n_bytes);

G_END_DECLS
