/* SPDX-License-Identifier: Apache-2.0 */
/*
 * png.c - see png.h.  The format: W3C, Portable Network Graphics, 2nd edition.
 */
#include "dataset/png.h"

#include <string.h>
#include <zlib.h>

enum { LEVEL = 2, WINDOW_BITS = 15, MEMORY_LEVEL = 9, HEAD_BYTES = 13 };

static void
put_u32 (guint8 *to, guint32 value)
{
  for (int i = 0; i < 4; i++)
    to[i] = (guint8) (value >> (24 - 8 * i));
}

/* A chunk: length, type, data, and a checksum of type and data. */
static void
add_chunk (GByteArray *file, const char *type, const guint8 *data, gsize n_bytes)
{
  guint8 word[4];
  uLong sum = crc32 (0, (const Bytef *) type, 4);

  if (n_bytes > 0) /* zlib returns 0 for a NULL pointer */
    sum = crc32_z (sum, data, n_bytes);
  put_u32 (word, (guint32) n_bytes);
  g_byte_array_append (file, word, 4);
  g_byte_array_append (file, (const guint8 *) type, 4);
  g_byte_array_append (file, data, (guint) n_bytes);
  put_u32 (word, (guint32) sum);
  g_byte_array_append (file, word, 4);
}

/* Returns: the number of bytes written to @out, which must be large enough */
static gsize
deflate_rows (z_stream *z, const guint32 *pixels, gsize stride, int width, int height, guint8 *out,
              gsize n_out)
{
  gsize n_row = 3 * (gsize) width + 1;
  g_autofree guint8 *row = g_malloc0 (n_row); /* the first byte of a row is its filter: 0, none */

  z->next_out = out;
  z->avail_out = (uInt) n_out;
  for (int y = 0; y < height; y++, pixels += stride)
    {
      for (int x = 0; x < width; x++)
        {
          row[3 * x + 1] = (guint8) (pixels[x] >> 16);
          row[3 * x + 2] = (guint8) (pixels[x] >> 8);
          row[3 * x + 3] = (guint8) pixels[x];
        }
      z->next_in = row;
      z->avail_in = (uInt) n_row;
      deflate (z, y + 1 < height ? Z_NO_FLUSH : Z_FINISH);
    }
  return n_out - z->avail_out;
}

GByteArray *
urb_png_encode (const guint32 *pixels, gsize stride, int width, int height)
{
  static const guint8 signature[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
  guint8 head[HEAD_BYTES] = { [8] = 8 /* bits */, [9] = 2 /* red, green, blue */ };
  GByteArray *file;
  z_stream z = { 0 };
  g_autofree guint8 *out = NULL;
  gsize n_out;

  g_return_val_if_fail (width > 0 && width <= G_MAXINT16 && height > 0 && height <= G_MAXINT16, NULL);

  if (deflateInit2 (&z, LEVEL, Z_DEFLATED, WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
    return NULL;
  n_out = deflateBound (&z, (3 * (uLong) width + 1) * (uLong) height);
  out = n_out <= G_MAXUINT32 ? g_try_malloc (n_out) : NULL;
  if (out == NULL)
    {
      deflateEnd (&z);
      return NULL;
    }
  n_out = deflate_rows (&z, pixels, stride, width, height, out, n_out);
  deflateEnd (&z);
  put_u32 (head, (guint32) width);
  put_u32 (head + 4, (guint32) height);
  file = g_byte_array_sized_new ((guint) n_out + 64);
  g_byte_array_append (file, signature, sizeof signature);
  add_chunk (file, "IHDR", head, sizeof head);
  add_chunk (file, "IDAT", out, n_out);
  add_chunk (file, "IEND", NULL, 0);
  return file;
}
