/* SPDX-License-Identifier: Apache-2.0 */
/*
 * corpus.h - the inputs stored in corpus/ and found/, one text file per target.
 *
 * Each line is one input: quoted, with \xHH, \n, \" and \\; or, for binary inputs, "=" and the
 * base64 encoding of zlib-compressed data.  Comment lines begin with # and explain an input.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Adds the inputs of file @path, if it exists, to @inputs (GBytes). */
void  fuzz_corpus_load (GPtrArray *inputs, const char *path);

/* One line, without the newline.  (transfer full) */
char *fuzz_corpus_format (const guint8 *data, gsize size);

G_END_DECLS
