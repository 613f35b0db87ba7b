/* SPDX-License-Identifier: Apache-2.0 */
/*
 * winograd.h - shared by the files of the Winograd convolution; see conv-winograd.c.
 *
 * Two transformed arrays are multiplied, with one matrix product for each of the 16 or 9 points of a tile:
 *   tiles    (point, tile, channel)         rows of ld floats, points ld_point apart
 *   weights  (panel, point, k, lane)        a panel is UK_WINO_PANEL result channels
 * Rows are padded: with a power of two of channels, a column would otherwise map to a few cache sets.
 */
#pragma once

#include "simd.h"

enum
{
  UK_WINO_MAX_POINTS = 16,
  UK_WINO_VECTORS = 2,                           /* vectors of result channels in registers */
  UK_WINO_PANEL = UK_WINO_VECTORS * UK_LANES,    /* and their channels */
  UK_WINO_ROWS = UK_ACCUMULATORS / UK_WINO_VECTORS,
  UK_WINO_PAD = 16, /* floats: a cache line */
  /* Most terms of a sum that are added in registers, so that a panel of weights stays in the L1 cache. */
  UK_WINO_DEPTH = 256
};

/* One transformed array of tiles. */
typedef struct
{
  float  *at;
  int64_t ld, ld_point;
} UkWinoTiles;

static inline int64_t
uk_wino_round_up (int64_t count, int64_t unit)
{
  return (count + unit - 1) / unit * unit;
}

/* The layout of an array of @n_tiles with @n_channels. */
static inline UkWinoTiles
uk_wino_tiles (float *at, int64_t n_tiles, int64_t n_channels)
{
  UkWinoTiles tiles = { .at = at, .ld = uk_wino_round_up (n_channels, 16) + UK_WINO_PAD };

  tiles.ld_point = uk_wino_round_up (n_tiles, UK_WINO_ROWS) * tiles.ld + UK_WINO_PAD;
  return tiles;
}

static inline int
uk_wino_edge (const UkCpuWinograd *w)
{
  return w->m + w->taps - 1;
}

static inline int
uk_wino_points (const UkCpuWinograd *w)
{
  return uk_wino_edge (w) * uk_wino_edge (w);
}

static inline size_t
uk_wino_tiles_bytes (const UkCpuWinograd *w, int64_t n_tiles, int64_t n_channels)
{
  UkWinoTiles tiles = uk_wino_tiles (NULL, n_tiles, n_channels);

  return uk_cpu_align ((size_t) (uk_wino_points (w) * tiles.ld_point) * sizeof (float));
}

/* Number of phases of a side with step @step. */
static inline int64_t
uk_wino_phases (int step)
{
  return (int64_t) step * step;
}

static inline int64_t
uk_wino_n_tiles (const UkCpuWinograd *w)
{
  return w->src.n * w->rows * w->cols;
}

/* The phases of the result that share tile set @set. */
static inline UkRange
uk_wino_set (const UkCpuWinograd *w, int64_t set)
{
  if (w->per_phase)
    return (UkRange) { set, set + 1 };
  return (UkRange) { 0, uk_wino_phases (w->dst_step) };
}

static inline int64_t
uk_wino_n_sets (const UkCpuWinograd *w)
{
  return w->per_phase ? uk_wino_phases (w->dst_step) : 1;
}

/* The first pixel of tile 0 within a phase, along one axis. */
static inline int64_t
uk_wino_first (const UkCpuWinograd *w, int64_t phase)
{
  return w->per_phase ? (w->dst_step - 1 - w->dst_offset - phase) / w->dst_step : 0;
}

/* Number of products per sum at a point, forward. */
static inline int64_t
uk_wino_depth (const UkCpuWinograd *w)
{
  return uk_wino_phases (w->src_step) * w->src.c;
}

/* Panels of one phase of the result. */
static inline int64_t
uk_wino_panels (const UkCpuWinograd *w)
{
  return (w->dst.c + UK_WINO_PANEL - 1) / UK_WINO_PANEL;
}

/* Size of the transformed weights, whether they are stored or not. */
static inline size_t
uk_wino_weights_bytes (const UkCpuWinograd *w)
{
  int64_t n_panels = uk_wino_phases (w->dst_step) * uk_wino_panels (w);

  return (size_t) (n_panels * uk_wino_points (w) * uk_wino_depth (w) * UK_WINO_PANEL)
         * sizeof (float);
}

/* Whether the transformed weights are too large to be stored: see winograd-heavy.c. */
static inline bool
uk_wino_is_heavy (const UkCpuWinograd *w)
{
  return uk_wino_weights_bytes (w) > (size_t) 16 << 20;
}

/* Arguments of a forward or data-gradient call. */
typedef struct
{
  const float *src, *weights, *bias; /* bias may be NULL */
  const float *zeros;                /* src.c zeros */
  float        slope;                /* of negative results */
  float       *dst;
} UkWinoCall;

/* c (UK_WINO_ROWS, a panel) = or += sum over k of a[m * step_m + k * step_k] * b[k * ldb + n] */
static inline __attribute__ ((always_inline)) void
uk_wino_multiply (int64_t depth, const float *a, int64_t step_m, int64_t step_k, const float *b,
                  int64_t ldb, float *c, int64_t ldc, bool add)
{
  enum { TRIO = 3 }; /* rows addressed by one pointer and one stride */
  UkVector sum[UK_WINO_ROWS][UK_WINO_VECTORS];
  const float *row[UK_WINO_ROWS / TRIO];

#pragma GCC unroll 4
  for (int g = 0; g < UK_WINO_ROWS / TRIO; g++)
    row[g] = a + g * TRIO * step_m;
#pragma GCC unroll 12
  for (int i = 0; i < UK_WINO_ROWS; i++)
    sum[i][0] = sum[i][1] = (UkVector) { 0 };
  for (int64_t k = 0; k < depth; k++)
    {
      UkVector b0 = *(const UkVector *) b, b1 = *(const UkVector *) (b + UK_LANES);

#pragma GCC unroll 12
      for (int i = 0; i < UK_WINO_ROWS; i++)
        {
          float x = row[i / TRIO][i % TRIO * step_m];

          sum[i][0] += x * b0;
          sum[i][1] += x * b1;
        }
#pragma GCC unroll 4
      for (int g = 0; g < UK_WINO_ROWS / TRIO; g++)
        row[g] += step_k;
      b += ldb;
    }
#pragma GCC unroll 12
  for (int i = 0; i < UK_WINO_ROWS; i++)
#pragma GCC unroll 2
    for (int j = 0; j < UK_WINO_VECTORS; j++)
      {
        UkVector *to = (UkVector *) (c + i * ldc + j * UK_LANES);

        if (add)
          *to += sum[i][j];
        else
          *to = sum[i][j];
      }
}

/* winograd-tiles.c: for tiles [range.begin, range.end), on this thread unless stated otherwise.  @zeros: one
 * per channel of the image that is read. */

/* Reads tiles of the image @src, phases concatenated along channels, for tile set @set. */
void UK_SIMD (wino_read) (const UkCpuWinograd *w, const float *src, const float *zeros,
                          int64_t set, UkRange range, UkWinoTiles to);
/* Likewise for all of @group, with @n_threads. */
void UK_SIMD (wino_read_together) (const UkCpuWinograd *w, const float *src, const float *zeros,
                                   int64_t set, UkRange group, int n_threads, UkWinoTiles to);
/* Reads tiles of the result's gradient @dst. */
void UK_SIMD (wino_read_gradient) (const UkCpuWinograd *w, const float *dst, const float *zeros,
                                   UkRange range, UkWinoTiles to);
/* Writes @n_channels of phase @phase of @dst, starting at channel @first, from their products. */
void UK_SIMD (wino_write) (const UkCpuWinograd *w, UkWinoTiles from, UkRange range, int64_t phase,
                           int64_t first, int64_t n_channels, const float *bias, float slope,
                           float *dst);
/* winograd-weights.c: transforms one phase's taps of a source channel and a panel, (taps, taps, lane), to
 * points @ld_point apart. */
void UK_SIMD (wino_transform_weights) (const UkCpuWinograd *w, const float *from, float *to,
                                       int64_t ld_point);
/* The weight gradient from its @n_parts transformed parts, part_floats apart, each (point, depth, ld) with
 * channels of dst innermost. */
void UK_SIMD (wino_unpack) (const UkCpuWinograd *w, UkWinoTiles sums, int n_parts,
                            int64_t part_floats, float *dw, bool accumulate);

/* winograd-heavy.c: for weights that are packed but not transformed: (panel, k, taps, taps, lane). */
void UK_SIMD (wino_heavy) (const UkCpuWinograd *w, const UkWinoCall *call, void *scratch);
size_t UK_SIMD (wino_heavy_scratch_bytes) (const UkCpuWinograd *w);
