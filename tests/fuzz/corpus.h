/* SPDX-License-Identifier: Apache-2.0 */
/*
 * corpus.h - the inputs kept in corpus/ and found/, a text file a target.
 *
 * A line is one input: in quotes, with \xHH, \n, \" and \\; or "=" and base64 of what zlib packed,
 * for those that are no text.  Lines that begin with # say why it is there.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Adds the inputs of file @path to @inputs (GBytes).  There may be no such file. */
void  fuzz_corpus_load (GPtrArray *inputs, const char *path);

/* One line, without its end.  (transfer full) */
char *fuzz_corpus_format (const guint8 *data, gsize size);

G_END_DECLS
