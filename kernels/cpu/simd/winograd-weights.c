/* SPDX-License-Identifier: Apache-2.0 */
/*
 * winograd-weights.c - from stored weights to panels of the Winograd convolution, and from the
 * transformed gradient back.
 *
 * Each axis of a phase's r taps is transformed by
 *
 *             | 1    0  |              | 1    0    0  |
 *   G (r=2) = | 1/2  1/2|    G (r=3) = | 1/2  1/2  1/2|    G (r=2, m=2) = | 1  0 |
 *             | 1/2 -1/2|              | 1/2 -1/2  1/2|                   | 1  1 |
 *             | 0    1  |              | 0    0    1  |                   | 0  1 |
 *
 * which belongs to the matrices in winograd-tiles.c.  Panels have result channels innermost, along which the
 * transforms run.  So do stored weights if the convolution is reversed; otherwise a panel's width of them is
 * gathered first.
 */
#include "winograd.h"

enum
{
  MAX_TAPS = 16,
  BAND = 16 /* source channels: a cache line of stored weights; their panels fit into the L1 cache */
};

/* A vector of channels for each tap (i, j) of the whole kernel. */
typedef float Taps[MAX_TAPS][UK_LANES] __attribute__ ((aligned (UK_VECTOR_BYTES)));

/* y (edge) = G x (r) */
static inline __attribute__ ((always_inline)) void
transform (UkVector y[4], const UkVector x[3], int taps, int edge)
{
  UkVector even = x[0];

  if (edge == 3)
    {
      y[0] = x[0];
      y[1] = x[0] + x[1];
      y[2] = x[1];
      return;
    }

  if (taps == 3)
    even += x[2];
  y[0] = x[0];
  y[1] = 0.5f * (even + x[1]);
  y[2] = 0.5f * (even - x[1]);
  y[3] = x[taps - 1];
}

/* y (r) = G' x (edge) */
static inline __attribute__ ((always_inline)) void
transform_gradient (UkVector y[3], const UkVector x[4], int taps, int edge)
{
  if (edge == 3)
    {
      y[0] = x[0] + x[1];
      y[1] = x[1] + x[2];
      return;
    }

  UkVector sum = 0.5f * (x[1] + x[2]), difference = 0.5f * (x[1] - x[2]);

  y[0] = x[0] + sum;
  if (taps == 3)
    {
      y[1] = difference;
      y[2] = sum + x[3];
    }
  else
    y[1] = difference + x[3];
}

/* ------------------------------------------------------------------------ */
/* Weights                                                                   */

/* Transforms one phase's taps, vectors of result channels @ld_tap apart. */
static inline __attribute__ ((always_inline)) void
transform_taps (const float *from, int64_t ld_tap, int taps, int edge, float *to,
                int64_t ld_point)
{
  UkVector half[4][3], in[3], out[4];

#pragma GCC unroll 3
  for (int j = 0; j < taps; j++)
    {
#pragma GCC unroll 3
      for (int i = 0; i < taps; i++)
        in[i] = *(const UkVector *) (from + (i * taps + j) * ld_tap);
      transform (out, in, taps, edge);
#pragma GCC unroll 4
      for (int i = 0; i < edge; i++)
        half[i][j] = out[i];
    }
#pragma GCC unroll 4
  for (int i = 0; i < edge; i++)
    {
      transform (out, half[i], taps, edge);
#pragma GCC unroll 4
      for (int j = 0; j < edge; j++)
        *(UkVector *) (to + (edge * i + j) * ld_point) = out[j];
    }
}

void
UK_SIMD (wino_transform_weights) (const UkCpuWinograd *w, const float *from, float *to,
                                  int64_t ld_point)
{
  for (int v = 0; v < UK_WINO_VECTORS; v++, from += UK_LANES, to += UK_LANES)
    if (w->taps == 3)
      transform_taps (from, UK_WINO_PANEL, 3, 4, to, ld_point);
    else if (w->m == 3)
      transform_taps (from, UK_WINO_PANEL, 2, 4, to, ld_point);
    else
      transform_taps (from, UK_WINO_PANEL, 2, 3, to, ld_point);
}

/* Stored index of each tap, phase by phase, in the order in which tiles use them. */
static void
find_order (const UkCpuWinograd *w, int order[MAX_TAPS])
{
  int taps = w->taps, step = w->src_step * w->dst_step, kernel = taps * step;

  for (int phase = 0; phase < step * step; phase++)
    for (int i = 0; i < taps; i++)
      for (int j = 0; j < taps; j++)
        {
          int row = step * (w->reversed ? taps - 1 - i : i) + phase / step;
          int col = step * (w->reversed ? taps - 1 - j : j) + phase % step;

          *order++ = row * kernel + col;
        }
}

/* A panel's weights of one source channel, tap by tap. */
typedef float Panel[MAX_TAPS][UK_WINO_PANEL] __attribute__ ((aligned (UK_VECTOR_BYTES)));

/* Reads the weights of @count source channels from @k on.  The innermost loop follows memory: elsewhere stored weights
 * are far apart, and at distances that share few places in the cache. */
static void
read_panel (const UkCpuWinograd *w, const float *weights, const int *order, int64_t panel, int64_t k, int64_t count,
            Panel *stored)
{
  int step = w->src_step * w->dst_step, n_taps = w->taps * w->taps * step * step;
  int64_t first = panel * UK_WINO_PANEL, width = w->dst.c - first < UK_WINO_PANEL ? w->dst.c - first : UK_WINO_PANEL;

  if (width < UK_WINO_PANEL)
    memset (stored, 0, (size_t) count * sizeof *stored);
  if (w->reversed)
    for (int64_t c = 0; c < count; c++)
      for (int i = 0; i < n_taps; i++)
        memcpy (stored[c][i], weights + ((k + c) * n_taps + order[i]) * w->dst.c + first,
                (size_t) width * sizeof (float));
  else
    for (int64_t lane = 0; lane < width; lane++)
      for (int i = 0; i < n_taps; i++)
        {
          const float *from = weights + ((first + lane) * n_taps + order[i]) * w->src.c + k;

          for (int64_t c = 0; c < count; c++)
            stored[c][i][lane] = from[c];
        }
}

/* Source channel @k in a panel of result channels.  Phases of the result have panels of their own, phases
 * of the source extend k. */
static void
pack_channel (const UkCpuWinograd *w, const Panel stored, int64_t panel, int64_t k, float *packed)
{
  int step = w->src_step * w->dst_step, phases = step * step, taps = w->taps * w->taps;
  int64_t depth = uk_wino_depth (w);

  for (int phase = 0; phase < phases; phase++)
    {
      int64_t at_panel = w->dst_step > 1 ? phase * uk_wino_panels (w) + panel : panel;
      int64_t row = w->src_step > 1 ? phase * w->src.c + k : k;

      if (uk_wino_is_heavy (w))
        memcpy (packed + (at_panel * depth + row) * taps * UK_WINO_PANEL, stored[phase * taps],
                (size_t) taps * UK_WINO_PANEL * sizeof (float));
      else
        UK_SIMD (wino_transform_weights) (w, stored[phase * taps],
                                          packed + (at_panel * uk_wino_points (w) * depth + row)
                                                     * UK_WINO_PANEL,
                                          depth * UK_WINO_PANEL);
    }
}

static void
pack_band (const UkCpuWinograd *w, const float *weights, const int *order, int64_t panel, int64_t k, float *packed)
{
  int64_t count = w->src.c - k < BAND ? w->src.c - k : BAND;
  Panel stored[BAND];

  read_panel (w, weights, order, panel, k, count, stored);
  for (int64_t c = 0; c < count; c++)
    pack_channel (w, stored[c], panel, k + c, packed);
}

size_t
UK_SIMD (winograd_packed_bytes) (const UkCpuWinograd *w)
{
  size_t n_points = (size_t) uk_wino_points (w), n_taps = (size_t) (w->taps * w->taps);

  return uk_wino_weights_bytes (w) / n_points * (uk_wino_is_heavy (w) ? n_taps : n_points);
}

void
UK_SIMD (winograd_pack) (const UkCpuWinograd *w, const float *weights, float *packed)
{
  int64_t n_bands = (w->src.c + BAND - 1) / BAND, n_panels = uk_wino_panels (w);
  int n = uk_threads_for (n_panels * w->src.c * UK_WINO_PANEL * 16, w->n_threads);
  int order[MAX_TAPS];

  find_order (w, order);
#pragma omp parallel for num_threads (n) schedule (static)
  for (int64_t i = 0; i < n_panels * n_bands; i++)
    {
      /* so that the next one reads on in the same rows of weights */
      int64_t panel = w->reversed ? i % n_panels : i / n_bands, band = w->reversed ? i / n_panels : i % n_bands;

      pack_band (w, weights, order, panel, band * BAND, packed);
    }
}

/* ------------------------------------------------------------------------ */
/* Gradient                                                                  */

/* Sum of the parts at one point, in order. */
static inline UkVector
sum_parts (const float *at, int n_parts, int64_t part_floats)
{
  UkVector sum = *(const UkVector *) at;

  for (int p = 1; p < n_parts; p++)
    sum += *(const UkVector *) (at + p * part_floats);
  return sum;
}

static inline __attribute__ ((always_inline)) void
unpack_vector (const UkCpuWinograd *w, const float *at, int64_t ld_point, int n_parts,
               int64_t part_floats, int taps, int edge, int phase, Taps stored)
{
  int step = w->src_step, kernel = taps * step;
  UkVector half[3][4], in[4], out[3];

#pragma GCC unroll 4
  for (int j = 0; j < edge; j++)
    {
#pragma GCC unroll 4
      for (int i = 0; i < edge; i++)
        in[i] = sum_parts (at + (edge * i + j) * ld_point, n_parts, part_floats);
      transform_gradient (out, in, taps, edge);
#pragma GCC unroll 3
      for (int i = 0; i < taps; i++)
        half[i][j] = out[i];
    }
#pragma GCC unroll 3
  for (int i = 0; i < taps; i++)
    {
      transform_gradient (out, half[i], taps, edge);
#pragma GCC unroll 3
      for (int j = 0; j < taps; j++)
        *(UkVector *) stored[(step * i + phase / step) * kernel + step * j + phase % step] = out[j];
    }
}

/* All weights between source channel @k and a vector of the result's channels, from @first on. */
static void
unpack_channel (const UkCpuWinograd *w, UkWinoTiles sums, int n_parts, int64_t part_floats,
                int64_t k, int64_t first, float *dw, bool accumulate)
{
  int step = w->src_step, n_taps = w->taps * w->taps * step * step;
  Taps stored;

  for (int phase = 0; phase < step * step; phase++)
    {
      const float *at = sums.at + (phase * w->src.c + k) * sums.ld + first;

      if (w->taps == 3)
        unpack_vector (w, at, sums.ld_point, n_parts, part_floats, 3, 4, phase, stored);
      else if (w->m == 3)
        unpack_vector (w, at, sums.ld_point, n_parts, part_floats, 2, 4, phase, stored);
      else
        unpack_vector (w, at, sums.ld_point, n_parts, part_floats, 2, 3, phase, stored);
    }
  for (int lane = 0; lane < UK_LANES && first + lane < w->dst.c; lane++)
    for (int i = 0; i < n_taps; i++)
      {
        float *to = dw + ((first + lane) * n_taps + i) * w->src.c + k;

        *to = accumulate ? *to + stored[i][lane] : stored[i][lane];
      }
}

void
UK_SIMD (wino_unpack) (const UkCpuWinograd *w, UkWinoTiles sums, int n_parts,
                       int64_t part_floats, float *dw, bool accumulate)
{
  int64_t n_vectors = (w->dst.c + UK_LANES - 1) / UK_LANES, n_bands = (w->src.c + BAND - 1) / BAND;
  int n = uk_threads_for (w->src.c * w->dst.c * 16, w->n_threads);

#pragma omp parallel for num_threads (n) schedule (static)
  for (int64_t i = 0; i < n_bands * n_vectors; i++)
    {
      int64_t begin = i / n_vectors * BAND, end = begin + BAND < w->src.c ? begin + BAND : w->src.c;

      for (int64_t k = begin; k < end; k++)
        unpack_channel (w, sums, n_parts, part_floats, k, i % n_vectors * UK_LANES, dw, accumulate);
    }
}
