/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-encoder.c - cuts an area out of a map and encodes it as a tile.
 *
 * A soft tile is rasterized at four times the resolution, and the 4 x 4 samples of each
 * pixel are counted by class.  The 17 possible counts are rounded to fifteenths that sum
 * to 15 wherever the map covers the pixel.
 */
#include "dataset/tile-encoder.h"

#include <string.h>

#include "dataset/open-ground.h"
#include "dataset/tile-codec.h"
#include "dataset/variance.h"

#define SAMPLES 4                      /* per pixel and direction */
#define N_SAMPLES (SAMPLES * SAMPLES)
#define N_COUNTS (N_SAMPLES + 1)

typedef struct
{
  guint8 code[3]; /* building, road, uncovered; as in the codec */
} Coverage;

struct _UrbTileEncoder
{
  UrbEncoding   encoding;
  gboolean      soft;
  int           size_px;
  double        area_size_m;
  UrbRaster    *raster; /* owned */
  UrbOpenGround *open_ground; /* owned, nullable */
  UrbTileCodec *codec;  /* owned */
  guint8       *codes;  /* (planes, size, size); owned; NULL unless soft */
  Coverage     *coverage; /* by coverage_index(); owned; NULL unless soft rgb */
};

static gsize
coverage_index (int building, int road, int other)
{
  return ((gsize) building * N_COUNTS + road) * N_COUNTS + other;
}

/* Rounds to fifteenths by largest remainder, ties going to the class on top.  The sum is
 * that of the rounded total, so the split into classes does not change it. */
static Coverage
round_to_fifteenths (const int count[3])
{
  int total = ((count[0] + count[1] + count[2]) * 15 + N_SAMPLES / 2) / N_SAMPLES;
  int level[3], remainder[3], left = total;

  for (int c = 0; c < 3; c++)
    {
      level[c] = count[c] * 15 / N_SAMPLES;
      remainder[c] = count[c] * 15 % N_SAMPLES;
      left -= level[c];
    }
  for (; left > 0; left--)
    {
      int best = 0;

      for (int c = 1; c < 3; c++)
        if (remainder[c] > remainder[best])
          best = c;
      level[best]++;
      remainder[best] -= N_SAMPLES;
    }
  return (Coverage) { { level[0], level[1], 15 - total } };
}

UrbTileEncoder *
urb_tile_encoder_new (UrbEncoding encoding, gboolean soft, int size_px, double area_size_m)
{
  UrbTileEncoder *self = g_new0 (UrbTileEncoder, 1);

  self->encoding = encoding;
  self->soft = soft;
  self->size_px = size_px;
  self->area_size_m = area_size_m;
  self->raster = urb_raster_new ();
  self->codec = urb_tile_codec_new (encoding, soft, size_px);
  if (soft)
    self->codes = g_malloc (urb_tile_codec_get_n_codes (self->codec));
  if (soft && encoding == URB_ENCODING_RGB)
    {
      self->coverage = g_new0 (Coverage, N_COUNTS * N_COUNTS * N_COUNTS);
      for (int b = 0; b <= N_SAMPLES; b++)
        for (int r = 0; b + r <= N_SAMPLES; r++)
          for (int o = 0; b + r + o <= N_SAMPLES; o++)
            self->coverage[coverage_index (b, r, o)]
              = round_to_fifteenths ((const int[]) { b, r, o });
    }
  return self;
}

void
urb_tile_encoder_free (UrbTileEncoder *self)
{
  if (self == NULL)
    return;
  urb_raster_free (self->raster);
  g_clear_pointer (&self->open_ground, urb_open_ground_free);
  urb_tile_codec_free (self->codec);
  g_free (self->codes);
  g_free (self->coverage);
  g_free (self);
}

void
urb_tile_encoder_fill_open_ground (UrbTileEncoder *self)
{
  if (self->open_ground == NULL)
    self->open_ground = urb_open_ground_new ();
}

gsize
urb_tile_encoder_get_max_blob (UrbTileEncoder *self)
{
  return urb_tile_codec_get_max_blob (self->codec);
}

/* Counts the samples of 16 pixels in four rows of bits. */
static inline void
count_samples (const guint64 *bits, gsize stride, guint8 count[16])
{
  const guint64 fives = G_GUINT64_CONSTANT (0x5555555555555555);
  const guint64 threes = G_GUINT64_CONSTANT (0x3333333333333333);
  const guint64 low = G_GUINT64_CONSTANT (0x0f0f0f0f0f0f0f0f);
  guint64 even = 0, odd = 0; /* pixels 0, 2, …14 and 1, 3, …15: a byte each */

  for (int i = 0; i < SAMPLES; i++)
    {
      guint64 word = bits[i * stride], pairs = word - (word >> 1 & fives);
      guint64 nibbles = (pairs & threes) + (pairs >> 2 & threes); /* bits in each nibble */

      even += nibbles & low;
      odd += nibbles >> 4 & low;
    }
  for (int x = 0; x < 16; x++)
    count[x] = (x & 1 ? odd : even) >> (x / 2 * 8);
}

/* Whether all 16 pixels are entirely "other". */
static gboolean
is_plain (const guint64 *const bits[3], gsize stride)
{
  guint64 rest = 0;

  for (int i = 0; i < SAMPLES; i++)
    rest |= bits[0][i * stride] | bits[1][i * stride] | ~bits[2][i * stride];
  return rest == 0;
}

/* Encodes @n pixels, at most 16.  @codes: in the first plane */
static void
encode_group (UrbTileEncoder *self, const guint64 *const bits[3], gsize stride, int n,
              guint8 *codes)
{
  gsize plane = (gsize) self->size_px * self->size_px;
  guint8 b[16], r[16], o[16];

  count_samples (bits[0], stride, b);
  count_samples (bits[1], stride, r);
  count_samples (bits[2], stride, o);
  for (int x = 0; x < n; x++)
    if (self->coverage == NULL) /* fourteenths: road 0, other and uncovered 7, building 14 */
      codes[x] = (14 * b[x] + 7 * (N_SAMPLES - b[x] - r[x]) + N_SAMPLES / 2) / N_SAMPLES;
    else
      {
        const Coverage *coverage = &self->coverage[coverage_index (b[x], r[x], o[x])];

        for (int c = 0; c < 3; c++)
          codes[c * plane + x] = coverage->code[c];
      }
}

static void
encode_soft (UrbTileEncoder *self, const guint64 *const planes[3], gsize stride)
{
  /* Most pixels are entirely "other". */
  memset (self->codes, self->coverage != NULL ? 0 : 7, urb_tile_codec_get_n_codes (self->codec));
  for (int y = 0; y < self->size_px; y++)
    for (int x = 0; x < self->size_px; x += 16)
      {
        gsize i = (gsize) y * SAMPLES * stride + x / 16;
        const guint64 *const bits[3] = { planes[0] + i, planes[1] + i, planes[2] + i };

        if (!is_plain (bits, stride))
          encode_group (self, bits, stride, MIN (16, self->size_px - x),
                        self->codes + (gsize) y * self->size_px + x);
      }
}

static void
set_measures (UrbTileEncoder *self, const gint64 count[3], double n, UrbArea *area)
{
  gint64 covered = count[0] + count[1] + count[2];
  double share[3];

  for (int c = 0; c < 3; c++)
    {
      share[c] = count[c] / n;
      area->share[c] = covered > 0 ? (double) count[c] / covered : c == URB_CLASS_OTHER;
    }
  area->coverage = covered / n;
  area->variance = urb_variance_from_shares (self->encoding, share);
}

/* Soft edges lower the variance of grey values, so it cannot be computed from the shares;
 * for rgb, it is defined as 4 p (1 - p) of each channel's coverage. */
static double
soft_grey_variance (UrbTileEncoder *self)
{
  gsize n = (gsize) self->size_px * self->size_px;
  gint64 sum = 0, sum_of_squares = 0;
  double mean;

  for (gsize i = 0; i < n; i++)
    {
      sum += self->codes[i];
      sum_of_squares += self->codes[i] * self->codes[i];
    }
  mean = sum / 14.0 / n;
  return CLAMP (4 * (sum_of_squares / 196.0 / n - mean * mean), 0, 1);
}

gsize
urb_tile_encoder_encode (UrbTileEncoder *self, UrbMap *map, UrbArea *area, guint8 *blob)
{
  int raster_px = self->soft ? SAMPLES * self->size_px : self->size_px;
  UrbFrame frame = urb_frame_around (area->center_x, area->center_y, area->angle_deg,
                                     self->area_size_m, raster_px);
  const guint64 *planes[3];
  gsize stride = 0;
  gint64 count[3];

  if (self->open_ground != NULL)
    urb_open_ground_lay (self->open_ground, map, &frame, self->raster);
  urb_raster_paint (self->raster, map, &frame);
  for (int c = 0; c < URB_N_CLASSES; c++)
    {
      count[c] = urb_raster_count (self->raster, c);
      planes[c] = urb_raster_get_plane (self->raster, c, &stride);
    }
  set_measures (self, count, (double) raster_px * raster_px, area);
  if (!self->soft)
    return urb_tile_codec_pack_bits (self->codec, planes[URB_CLASS_BUILDING],
                                     planes[URB_CLASS_ROAD], planes[URB_CLASS_OTHER], stride, blob);
  encode_soft (self, planes, stride);
  if (self->encoding == URB_ENCODING_GREY)
    area->variance = soft_grey_variance (self);
  return urb_tile_codec_pack (self->codec, self->codes, blob);
}
