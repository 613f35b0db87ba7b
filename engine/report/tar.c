/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tar.c - see tar.h: POSIX 1003.1-1990 "ustar".  Files have no owner and no date, so equal texts give equal archives.
 */
#include "report/tar.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 512, CHECKSUM = 148 };

GByteArray *
urb_tar_new (void)
{
  return g_byte_array_new ();
}

/* Fills the last block with zeros. */
static void
pad (GByteArray *self)
{
  static const guint8 zeros[BLOCK];

  if (self->len % BLOCK != 0)
    g_byte_array_append (self, zeros, BLOCK - self->len % BLOCK);
}

void
urb_tar_add (GByteArray *self, const char *name, const char *text)
{
  char header[BLOCK] = "";
  gsize n = strlen (text);
  unsigned sum = 0;

  g_return_if_fail (strlen (name) < 100 && n < 1u << 30);
  /* name, mode, owner, group, size, date, checksum, type, magic; numbers are octal */
  memcpy (header, name, strlen (name));
  memcpy (header + 100, "0000600", 7);
  memcpy (header + 108, "0000000", 7);
  memcpy (header + 116, "0000000", 7);
  snprintf (header + 124, 12, "%011o", (unsigned) n);
  memcpy (header + 136, "00000000000", 11);
  memset (header + CHECKSUM, ' ', 8);
  header[156] = '0';
  memcpy (header + 257, "ustar\00000", 8);
  for (int i = 0; i < BLOCK; i++)
    sum += (unsigned char) header[i];
  snprintf (header + CHECKSUM, 8, "%06o", sum);
  g_byte_array_append (self, (const guint8 *) header, BLOCK);
  g_byte_array_append (self, (const guint8 *) text, (guint) n);
  pad (self);
}

GBytes *
urb_tar_end (GByteArray *self, GError **error)
{
  static const guint8 end[2 * BLOCK];
  g_autoptr(GByteArray) owned = self;
  g_autoptr(GZlibCompressor) gzip = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, -1);
  g_autoptr(GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr(GOutputStream) stream = g_converter_output_stream_new (memory, G_CONVERTER (gzip));

  g_byte_array_append (self, end, sizeof end);
  if (!g_output_stream_write_all (stream, self->data, self->len, NULL, NULL, error)
      || !g_output_stream_close (stream, NULL, error))
    return NULL;
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (memory));
}
