/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-levels.c - converts the codes of a tile to the levels a network sees.
 *
 * Training reads far more tiles than it writes, mostly at a lower resolution, so the sums
 * of several channels share one word, and tiles are never expanded to full size first.
 */
#include "dataset/tile-codec-private.h"

#include <string.h>

/* Up to three sums in one word: each has room for 64 x 64 pixels of 255. */
#define FIELD_BITS 21
#define FIELD(value, i) ((guint64) (value) << ((i) * FIELD_BITS))
#define FIELD_OF(sums, i) ((sums) >> ((i) * FIELD_BITS) & ((1 << FIELD_BITS) - 1))

/* The levels of a single plane's codes, or the codes themselves if there are three. */
static void
fill_fields (const UrbTileCodec *self, guint64 fields[16])
{
  static const guint8 grey[4] = { 255, 0, 128, 128 };

  for (int code = 0; code < 16; code++)
    if (self->soft)
      fields[code] = self->n_channels == 3 ? code : (255 * code + 7) / 14;
    else if (self->n_channels == 3)
      fields[code] = code < 3 ? FIELD (255, code) : 0;
    else
      fields[code] = grey[code & 3];
}

/* Adds one row to the sums, @factor pixels to each. */
static void
sum_row (const guint8 *codes, const guint64 fields[16], int n_small, int factor, int shift,
         guint64 *sums)
{
  for (int x = 0; x < n_small; x++)
    {
      guint64 sum = 0;

      for (int k = 0; k < factor; k++)
        sum += fields[*codes++ & 15];
      sums[x] += sum << shift;
    }
}

/* @n_bits: log2 of the number of pixels in each sum */
static void
sums_to_levels (const UrbTileCodec *self, const guint64 *sums, int n_small, int n_bits,
                guint8 *levels)
{
  gboolean from_coverage = self->soft && self->n_channels == 3;
  const guint64 n = G_GUINT64_CONSTANT (1) << n_bits;

  for (int x = 0; x < n_small; x++)
    for (int c = 0; c < self->n_channels; c++)
      {
        guint64 sum = FIELD_OF (sums[x], c);

        if (from_coverage && c == 2) /* other = 15 - building - road - uncovered */
          sum = 15 * n - FIELD_OF (sums[x], 0) - FIELD_OF (sums[x], 1) - sum;
        *levels++ = ((from_coverage ? 17 : 1) * sum + n / 2) >> n_bits;
      }
}

static void
average_codes (UrbTileCodec *self, const guint8 *codes, int factor, guint8 *levels)
{
  gsize n = (gsize) self->size_px * self->size_px;
  int n_small = self->size_px / factor;
  guint64 fields[16];

  fill_fields (self, fields);
  for (int y = 0; y < n_small; y++)
    {
      memset (self->sums, 0, n_small * sizeof (guint64));
      for (int p = 0; p < self->n_planes; p++)
        for (int k = 0; k < factor; k++)
          sum_row (codes + p * n + ((gsize) y * factor + k) * self->size_px, fields, n_small,
                   factor, p * FIELD_BITS, self->sums);
      sums_to_levels (self, self->sums, n_small, g_bit_storage (factor * factor - 1),
                      levels + (gsize) y * n_small * self->n_channels);
    }
}

static void
show_codes (UrbTileCodec *self, const guint8 *codes, guint8 *levels)
{
  static const guint8 rgb[4][3] = { { 255, 0, 0 }, { 0, 255, 0 }, { 0, 0, 255 }, { 0, 0, 0 } };
  gsize n = (gsize) self->size_px * self->size_px;
  guint64 fields[16];

  fill_fields (self, fields);
  if (self->n_channels == 1)
    for (gsize i = 0; i < n; i++)
      levels[i] = fields[codes[i] & 15];
  else if (!self->soft)
    for (gsize i = 0; i < n; i++, levels += 3)
      memcpy (levels, rgb[codes[i] & 3], 3);
  else
    for (gsize i = 0; i < n; i++, levels += 3)
      {
        levels[0] = 17 * codes[i];
        levels[1] = 17 * codes[n + i];
        levels[2] = 17 * (15 - codes[i] - codes[n + i] - codes[2 * n + i]);
      }
}

void
urb_tile_codec_codes_to_levels (UrbTileCodec *self, const guint8 *codes, int factor,
                                guint8 *levels)
{
  g_return_if_fail (factor >= 1 && factor <= URB_TILE_MAX_FACTOR && (factor & (factor - 1)) == 0);
  g_return_if_fail (self->size_px % factor == 0);

  if (factor == 1)
    show_codes (self, codes, levels);
  else
    average_codes (self, codes, factor, levels);
}
