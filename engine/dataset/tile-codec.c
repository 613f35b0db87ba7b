/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-codec.c - packs, filters and deflates the codes of a tile.
 *
 * Each row is XORed with the row above before deflating: most edges of a plan continue
 * from row to row, so the result is nearly all zeros.  Blobs read back are untrusted and
 * may contain anything.
 */
#include "dataset/tile-codec-private.h"

#include <string.h>

enum
{
  PACKING_RAW = 0,
  PACKING_ZLIB = 1,
};

UrbTileCodec *
urb_tile_codec_new (UrbEncoding encoding, gboolean soft, int size_px)
{
  UrbTileCodec *self;

  g_return_val_if_fail (size_px >= URB_TILE_MIN_PX && size_px <= URB_TILE_MAX_PX, NULL);

  self = g_new0 (UrbTileCodec, 1);
  self->encoding = encoding;
  self->soft = soft;
  self->size_px = size_px;
  self->n_channels = urb_encoding_get_n_channels (encoding);
  self->n_planes = soft ? self->n_channels : 1;
  self->stride = ((gsize) size_px * (soft ? 4 : 2) + 7) / 8;
  self->n_bytes = (gsize) self->n_planes * size_px * self->stride;
  self->packed = g_malloc (self->n_bytes);
  self->sums = g_new (guint64, size_px);
  for (int i = 0; i < 4 * 256; i++)
    {
      int byte = i / 4, pixel = i % 4, code = byte >> (2 * pixel) & 3;

      if (code != URB_CLASS_CODE_NONE)
        self->bits_of[byte] |= 1u << (3 * pixel + code);
    }
  /* Filtered data are mostly runs of zeros: the run-length strategy compresses nearly as
   * well as the full search and is several times as fast. */
  if (deflateInit2 (&self->deflater, 1, Z_DEFLATED, 15, 8, Z_RLE) != Z_OK
      || inflateInit (&self->inflater) != Z_OK)
    g_error ("out of memory"); /* as g_malloc() does */
  return self;
}

void
urb_tile_codec_free (UrbTileCodec *self)
{
  if (self == NULL)
    return;
  deflateEnd (&self->deflater);
  inflateEnd (&self->inflater);
  g_free (self->packed);
  g_free (self->sums);
  g_free (self);
}

gsize
urb_tile_codec_get_n_codes (UrbTileCodec *self)
{
  return (gsize) self->n_planes * self->size_px * self->size_px;
}

gsize
urb_tile_codec_get_max_blob (UrbTileCodec *self)
{
  return 1 + self->n_bytes; /* incompressible tiles are stored raw */
}

/* @n codes of @bits bits each, the first in the lowest bits.  Inlined, so that @bits is a constant. */
static inline void
pack_row (const guint8 *codes, int n, int bits, guint8 *row)
{
  const int per_byte = 8 / bits, mask = (1 << bits) - 1;

  for (; n > 0; n -= per_byte, codes += per_byte)
    {
      int byte = 0;

      for (int i = 0; i < MIN (n, per_byte); i++)
        byte |= (codes[i] & mask) << (i * bits);
      *row++ = byte;
    }
}

static inline void
unpack_row (const guint8 *row, int n, int bits, guint8 *codes)
{
  const int per_byte = 8 / bits, mask = (1 << bits) - 1;

  for (; n >= per_byte; n -= per_byte, codes += per_byte, row++)
    for (int i = 0; i < per_byte; i++)
      codes[i] = *row >> (i * bits) & mask;
  for (int i = 0; i < n; i++)
    codes[i] = *row >> (i * bits) & mask;
}

static void
xor_row (guint8 *row, const guint8 *above, gsize stride)
{
  for (gsize i = 0; i < stride; i++)
    row[i] ^= above[i];
}

static void
pack_planes (UrbTileCodec *self, const guint8 *codes)
{
  gsize n_rows = (gsize) self->n_planes * self->size_px;
  int n = self->size_px;

  for (gsize y = 0; y < n_rows; y++)
    {
      guint8 *row = self->packed + y * self->stride;

      if (self->soft)
        pack_row (codes + y * n, n, 4, row);
      else
        pack_row (codes + y * n, n, 2, row);
    }
}

static void
unpack_planes (UrbTileCodec *self, guint8 *codes)
{
  gsize n_rows = (gsize) self->n_planes * self->size_px;
  int n = self->size_px;

  for (gsize y = 0; y < n_rows; y++)
    {
      const guint8 *row = self->packed + y * self->stride;

      if (self->soft)
        unpack_row (row, n, 4, codes + y * n);
      else
        unpack_row (row, n, 2, codes + y * n);
    }
}

/* Filters and deflates the packed planes. */
static gsize
finish_blob (UrbTileCodec *self, guint8 *blob)
{
  z_stream *z = &self->deflater;

  /* From the bottom up, since each row is still needed by the row below. */
  for (int i = self->n_planes * self->size_px - 1; i > 0; i--)
    if (i % self->size_px != 0)
      xor_row (self->packed + i * self->stride, self->packed + (i - 1) * self->stride,
               self->stride);
  deflateReset (z);
  z->next_in = self->packed;
  z->avail_in = self->n_bytes;
  z->next_out = blob + 1;
  z->avail_out = self->n_bytes - 1;
  if (deflate (z, Z_FINISH) == Z_STREAM_END)
    {
      blob[0] = PACKING_ZLIB;
      return 1 + z->total_out;
    }
  blob[0] = PACKING_RAW; /* noise, which would grow */
  memcpy (blob + 1, self->packed, self->n_bytes);
  return 1 + self->n_bytes;
}

gsize
urb_tile_codec_pack (UrbTileCodec *self, const guint8 *codes, guint8 *blob)
{
  pack_planes (self, codes);
  return finish_blob (self, blob);
}

/* Moves bit i to bit 2 i. */
static inline guint64
spread (guint32 bits)
{
  guint64 x = bits;

  x = (x | x << 16) & G_GUINT64_CONSTANT (0x0000ffff0000ffff);
  x = (x | x << 8) & G_GUINT64_CONSTANT (0x00ff00ff00ff00ff);
  x = (x | x << 4) & G_GUINT64_CONSTANT (0x0f0f0f0f0f0f0f0f);
  x = (x | x << 2) & G_GUINT64_CONSTANT (0x3333333333333333);
  return (x | x << 1) & G_GUINT64_CONSTANT (0x5555555555555555);
}

gsize
urb_tile_codec_pack_bits (UrbTileCodec *self, const guint64 *building, const guint64 *road,
                          const guint64 *other, gsize stride, guint8 *blob)
{
  g_assert (!self->soft);
  for (int y = 0; y < self->size_px; y++)
    for (int x = 0; x < self->size_px; x += 32)
      {
        gsize i = y * stride + x / 64;
        int n = MIN (32, self->size_px - x); /* 32 pixels become 8 bytes */
        guint32 b = building[i] >> x % 64, r = road[i] >> x % 64, o = other[i] >> x % 64;
        guint32 none = (guint32) ((G_GUINT64_CONSTANT (1) << n) - 1) & ~(b | r | o);
        guint64 codes = GUINT64_TO_LE (spread (r | none) | spread (o | none) << 1);

        memcpy (self->packed + y * self->stride + x / 4, &codes, (n + 3) / 4);
      }
  return finish_blob (self, blob);
}

static gboolean
unpack_blob (UrbTileCodec *self, const guint8 *blob, gsize n_bytes)
{
  z_stream *z = &self->inflater;

  if (n_bytes < 2 || n_bytes > urb_tile_codec_get_max_blob (self))
    return FALSE;
  if (blob[0] == PACKING_RAW && n_bytes == 1 + self->n_bytes)
    {
      memcpy (self->packed, blob + 1, self->n_bytes);
      return TRUE;
    }
  if (blob[0] != PACKING_ZLIB || inflateReset (z) != Z_OK)
    return FALSE;
  z->next_in = (guint8 *) blob + 1;
  z->avail_in = n_bytes - 1;
  z->next_out = self->packed;
  z->avail_out = self->n_bytes;
  return inflate (z, Z_FINISH) == Z_STREAM_END && z->avail_out == 0 && z->avail_in == 0;
}

/* Coverage cannot exceed the pixel, and 15 is not a grey value. */
static gboolean
codes_are_valid (UrbTileCodec *self, const guint8 *codes)
{
  gsize n = (gsize) self->size_px * self->size_px;
  gboolean bad = FALSE;

  if (!self->soft)
    return TRUE; /* all four values of two bits are valid */
  if (self->n_planes == 1)
    for (gsize i = 0; i < n; i++)
      bad |= codes[i] == 15;
  else
    for (gsize i = 0; i < n; i++)
      bad |= codes[i] + codes[n + i] + codes[2 * n + i] > 15;
  return !bad;
}

/* Reads and unfilters @blob into self->packed. */
static gboolean
read_blob (UrbTileCodec *self, const guint8 *blob, gsize n_bytes, GError **error)
{
  if (!unpack_blob (self, blob, n_bytes))
    {
      g_set_error_literal (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED,
                           "The stored tile is damaged");
      return FALSE;
    }
  for (int i = 1; i < self->n_planes * self->size_px; i++)
    if (i % self->size_px != 0)
      xor_row (self->packed + i * self->stride, self->packed + (i - 1) * self->stride,
               self->stride);
  return TRUE;
}

gboolean
urb_tile_codec_unpack (UrbTileCodec *self, const guint8 *blob, gsize n_bytes,
                       guint8 *codes, GError **error)
{
  if (!read_blob (self, blob, n_bytes, error))
    return FALSE;
  unpack_planes (self, codes);
  if (!codes_are_valid (self, codes))
    {
      g_set_error_literal (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED,
                           "The stored tile has invalid pixels");
      return FALSE;
    }
  return TRUE;
}

/* Collects bits into bytes. */
typedef struct
{
  guint8 *to;
  guint64 waiting;
  int     n_waiting;
} BitWriter;

static inline void
write_bits (BitWriter *self, guint bits, int n)
{
  self->waiting |= (guint64) bits << self->n_waiting;
  self->n_waiting += n;
  for (; self->n_waiting >= 8; self->n_waiting -= 8, self->waiting >>= 8)
    *self->to++ = (guint8) self->waiting;
}

gboolean
urb_tile_codec_unpack_bits (UrbTileCodec *self, const guint8 *blob, gsize n_bytes,
                            guint8 *bits, GError **error)
{
  int n = self->size_px;
  BitWriter writer = { .to = bits };

  g_return_val_if_fail (!self->soft && self->n_channels == 3, FALSE);

  if (!read_blob (self, blob, n_bytes, error))
    return FALSE;
  for (int y = 0; y < n; y++)
    {
      const guint8 *row = self->packed + y * self->stride;
      int x = 0;

      for (; x + 4 <= n; x += 4)
        write_bits (&writer, self->bits_of[*row++], 12);
      if (x < n)
        write_bits (&writer, self->bits_of[*row] & ((1u << 3 * (n - x)) - 1), 3 * (n - x));
    }
  if (writer.n_waiting > 0)
    *writer.to = (guint8) writer.waiting;
  return TRUE;
}
