/* SPDX-License-Identifier: Apache-2.0 */
/*
 * winograd-tiles.c - from images to tiles of the Winograd convolution and back.
 *
 * With points 0, 1, -1 and infinity (F(2,3) of Lavin & Gray 2016, section 4.1) each axis of a four-pixel
 * tile is transformed by the first three matrices; a three-pixel tile, F(2,2) with points 0, 1 and
 * infinity, by the last two.
 *
 *        | 1  0 -1  0 |              | 1  1  1  0 |              | 1  1  1  0 |
 *   B' = | 0  1  1  0 |   A' (m=3) = | 0  1 -1  0 |   A' (m=2) = | 0  1 -1 -1 |
 *        | 0 -1  1  0 |              | 0  1  1 -1 |
 *        | 0  1  0 -1 |
 *
 *        | 1 -1  0 |                 | 1  1  0 |
 *   B' = | 0  1  0 |      A' (m=2) = | 0  1  1 |
 *        | 0 -1  1 |
 *
 * B' transforms inputs, A' results, and A (by transposition) the gradient of a result.  They contain only
 * 0, 1 and -1, so they add little rounding.  All run along the channels, a vector at a time: at least one
 * vector of channels is needed, and the last vector may overlap the one before it.
 */
#include "winograd.h"

/* The pixels of a tile.  Inside the image, (i, j) is at first + i * down + j * right; else each has a
 * pointer, (i, j) at[i * edge + j]. */
typedef struct
{
  const float *first;
  int64_t      down, right;
  const float *at[UK_WINO_MAX_POINTS];
} Pixels;

typedef enum { INSIDE, AT_AN_EDGE } Place;

static inline UkVector
load (const float *x)
{
  return *(const UkVector *) x;
}

static inline void
store (float *y, UkVector v)
{
  *(UkVector *) y = v;
}

/* Pixel (row, col) of sample @n, or @outside. */
static inline const float *
pixel_at (const float *image, UkShape shape, int64_t n, int64_t row, int64_t col,
          const float *outside)
{
  bool inside = row >= 0 && row < shape.h && col >= 0 && col < shape.w;

  return inside ? image + ((n * shape.h + row) * shape.w + col) * shape.c : outside;
}

/* Finds @edge x @edge pixels, every @step-th from (top, left). */
static inline Place
find_pixels (Pixels *pixels, const float *image, UkShape shape, int64_t n, int64_t top,
             int64_t left, int step, int edge, const float *outside)
{
  int64_t reach = (int64_t) (edge - 1) * step;

  if (top >= 0 && left >= 0 && top + reach < shape.h && left + reach < shape.w)
    {
      pixels->first = image + ((n * shape.h + top) * shape.w + left) * shape.c;
      pixels->right = step * shape.c;
      pixels->down = pixels->right * shape.w;
      return INSIDE;
    }
  for (int i = 0; i < edge; i++)
    for (int j = 0; j < edge; j++)
      pixels->at[i * edge + j] = pixel_at (image, shape, n, top + i * step, left + j * step,
                                           outside);
  return AT_AN_EDGE;
}

static inline __attribute__ ((always_inline)) const float *
pixel (const Pixels *pixels, Place place, int edge, int i, int j)
{
  return place == INSIDE ? pixels->first + i * pixels->down + j * pixels->right
                         : pixels->at[i * edge + j];
}

/* ------------------------------------------------------------------------ */
/* One axis                                                                  */

/* y = B' x */
static inline __attribute__ ((always_inline)) void
transform (UkVector y[4], const UkVector x[4], int edge)
{
  if (edge == 3)
    {
      y[0] = x[0] - x[1];
      y[1] = x[1];
      y[2] = x[2] - x[1];
      return;
    }
  y[0] = x[0] - x[2];
  y[1] = x[1] + x[2];
  y[2] = x[2] - x[1];
  y[3] = x[1] - x[3];
}

/* y (edge) = A x (m) */
static inline __attribute__ ((always_inline)) void
transform_gradient (UkVector y[4], const UkVector x[3], int m, int edge)
{
  UkVector even = x[0];

  if (edge == 3)
    {
      y[0] = x[0];
      y[1] = x[0] + x[1];
      y[2] = x[1];
      return;
    }

  if (m == 3)
    even += x[2];
  y[0] = x[0];
  y[1] = even + x[1];
  y[2] = even - x[1];
  y[3] = -x[m - 1];
}

/* y (m) = A' x (edge) */
static inline __attribute__ ((always_inline)) void
transform_result (UkVector y[3], const UkVector x[4], int m, int edge)
{
  if (edge == 3)
    {
      y[0] = x[0] + x[1];
      y[1] = x[1] + x[2];
      return;
    }

  UkVector sum = x[1] + x[2], difference = x[1] - x[2];

  y[0] = x[0] + sum;
  if (m == 3)
    {
      y[1] = difference;
      y[2] = sum - x[3];
    }
  else
    y[1] = difference - x[3];
}

/* ------------------------------------------------------------------------ */
/* Inputs                                                                    */

/* @n x @n pixels of the image or, transformed by A, of the result's gradient. */
static inline __attribute__ ((always_inline)) void
read_tile (const Pixels *pixels, Place place, int n, int edge, bool is_gradient, int64_t c, float *to,
           int64_t ld_point)
{
  UkVector half[4][4], in[4], out[4];

#pragma GCC unroll 4
  for (int j = 0; j < n; j++)
    {
#pragma GCC unroll 4
      for (int i = 0; i < n; i++)
        in[i] = load (pixel (pixels, place, n, i, j) + c);
      if (is_gradient)
        transform_gradient (out, in, n, edge);
      else
        transform (out, in, edge);
#pragma GCC unroll 4
      for (int i = 0; i < edge; i++)
        half[i][j] = out[i];
    }
#pragma GCC unroll 4
  for (int i = 0; i < edge; i++)
    {
      if (is_gradient)
        transform_gradient (out, half[i], n, edge);
      else
        transform (out, half[i], edge);
#pragma GCC unroll 4
      for (int j = 0; j < edge; j++)
        store (to + (edge * i + j) * ld_point + c, out[j]);
    }
}

/* Start of the vector at channel @c: the last one is moved back to end with the channels. */
static inline int64_t
vector_start (int64_t c, int64_t n_channels)
{
  return c + UK_LANES <= n_channels ? c : n_channels - UK_LANES;
}

static inline __attribute__ ((always_inline)) void
read_tiles (const UkCpuWinograd *w, const float *src, const float *zeros, int64_t set,
            UkRange range, UkWinoTiles to, int edge)
{
  int step = w->src_step;
  int64_t first_row = uk_wino_first (w, set / w->dst_step);
  int64_t first_col = uk_wino_first (w, set % w->dst_step);

  for (int64_t t = range.begin; t < range.end; t++)
    {
      int64_t n = t / (w->rows * w->cols);
      int64_t top = (t / w->cols % w->rows * w->m + first_row) * step + w->src_offset;
      int64_t left = (t % w->cols * w->m + first_col) * step + w->src_offset;

      for (int64_t phase = 0; phase < uk_wino_phases (step); phase++)
        {
          float *tile = to.at + (t - range.begin) * to.ld + phase * w->src.c;
          Pixels pixels;
          Place place = find_pixels (&pixels, src, w->src, n, top + phase / step,
                                     left + phase % step, step, edge, zeros);

          if (place == INSIDE)
            for (int64_t c = 0; c < w->src.c; c += UK_LANES)
              read_tile (&pixels, INSIDE, edge, edge, false, vector_start (c, w->src.c), tile,
                         to.ld_point);
          else
            for (int64_t c = 0; c < w->src.c; c += UK_LANES)
              read_tile (&pixels, AT_AN_EDGE, edge, edge, false, vector_start (c, w->src.c), tile,
                         to.ld_point);
        }
    }
}

void
UK_SIMD (wino_read) (const UkCpuWinograd *w, const float *src, const float *zeros, int64_t set,
                     UkRange range, UkWinoTiles to)
{
  if (uk_wino_edge (w) == 4)
    read_tiles (w, src, zeros, set, range, to, 4);
  else
    read_tiles (w, src, zeros, set, range, to, 3);
}

void
UK_SIMD (wino_read_together) (const UkCpuWinograd *w, const float *src, const float *zeros,
                              int64_t set, UkRange group, int n_threads, UkWinoTiles to)
{
#pragma omp parallel for num_threads (n_threads) schedule (static, 1)
  for (int t = 0; t < n_threads; t++)
    {
      UkRange part = uk_part (group.end - group.begin, n_threads, t);
      UkWinoTiles own = to;

      own.at += part.begin * to.ld;
      part.begin += group.begin;
      part.end += group.begin;
      UK_SIMD (wino_read) (w, src, zeros, set, part, own);
    }
}

static inline __attribute__ ((always_inline)) void
read_gradient (const UkCpuWinograd *w, const float *dst, const float *zeros, UkRange range,
               UkWinoTiles to, int m, int edge)
{
  for (int64_t t = range.begin; t < range.end; t++)
    {
      int64_t n = t / (w->rows * w->cols);
      int64_t top = t / w->cols % w->rows * m, left = t % w->cols * m;
      float *tile = to.at + (t - range.begin) * to.ld;
      Pixels pixels;
      Place place = find_pixels (&pixels, dst, w->dst, n, top, left, 1, m, zeros);

      if (place == INSIDE)
        for (int64_t c = 0; c < w->dst.c; c += UK_LANES)
          read_tile (&pixels, INSIDE, m, edge, true, vector_start (c, w->dst.c), tile, to.ld_point);
      else
        for (int64_t c = 0; c < w->dst.c; c += UK_LANES)
          read_tile (&pixels, AT_AN_EDGE, m, edge, true, vector_start (c, w->dst.c), tile,
                     to.ld_point);
    }
}

void
UK_SIMD (wino_read_gradient) (const UkCpuWinograd *w, const float *dst, const float *zeros,
                              UkRange range, UkWinoTiles to)
{
  if (w->m == 3)
    read_gradient (w, dst, zeros, range, to, 3, 4);
  else if (w->taps == 3)
    read_gradient (w, dst, zeros, range, to, 2, 4);
  else
    read_gradient (w, dst, zeros, range, to, 2, 3);
}

/* ------------------------------------------------------------------------ */
/* Results                                                                   */

/* Bias and activation of a block of results, from its first channel on. */
typedef struct
{
  const float *bias;  /* or NULL */
  float        slope; /* of negative results */
} Finish;

/* y > 0 ? y : slope * y, which C lacks for vectors. */
static inline __attribute__ ((always_inline)) UkVector
leaky_relu (UkVector y, float slope)
{
  typedef int32_t Mask __attribute__ ((vector_size (UK_VECTOR_BYTES)));
  Mask positive = (Mask) (y > 0.0f);
  UkVector scaled = slope * y;

  return (UkVector) ((positive & (Mask) y) | (~positive & (Mask) scaled));
}

/* Writes up to a vector of channels. */
static inline __attribute__ ((always_inline)) void
write_tile (const Pixels *pixels, Place place, Finish finish, int m, int edge, const float *from,
            int64_t ld_point, int64_t c, int64_t n_channels)
{
  UkVector half[3][4], in[4], out[3], bias = { 0 };
  size_t n_bytes = (size_t) (n_channels < UK_LANES ? n_channels : UK_LANES) * sizeof (float);

  if (finish.bias != NULL)
    memcpy (&bias, finish.bias + c, n_bytes);
#pragma GCC unroll 4
  for (int j = 0; j < edge; j++)
    {
#pragma GCC unroll 4
      for (int i = 0; i < edge; i++)
        in[i] = load (from + (edge * i + j) * ld_point + c);
      transform_result (out, in, m, edge);
#pragma GCC unroll 3
      for (int i = 0; i < m; i++)
        half[i][j] = out[i];
    }
#pragma GCC unroll 3
  for (int i = 0; i < m; i++)
    {
      transform_result (out, half[i], m, edge);
#pragma GCC unroll 3
      for (int j = 0; j < m; j++)
        {
          UkVector y = leaky_relu (out[j] + bias, finish.slope);
          float *to = (float *) pixel (pixels, place, m, i, j);

          if (place == AT_AN_EDGE && to == NULL)
            continue;
          if (n_bytes == sizeof y)
            store (to + c, y);
          else
            memcpy (to + c, &y, n_bytes);
        }
    }
}

static inline __attribute__ ((always_inline)) void
write_tiles (const UkCpuWinograd *w, UkWinoTiles from, UkRange range, int64_t phase,
             int64_t first, int64_t n_channels, const float *bias, float slope, float *dst, int m,
             int edge)
{
  int step = w->dst_step;
  int64_t first_row = uk_wino_first (w, phase / step), first_col = uk_wino_first (w, phase % step);
  Finish finish = { .bias = bias != NULL ? bias + first : NULL, .slope = slope };

  for (int64_t t = range.begin; t < range.end; t++)
    {
      int64_t n = t / (w->rows * w->cols);
      int64_t row = t / w->cols % w->rows * m + first_row, col = t % w->cols * m + first_col;
      int64_t top = row * step + w->dst_offset + phase / step;
      int64_t left = col * step + w->dst_offset + phase % step;
      const float *products = from.at + (t - range.begin) * from.ld;
      Pixels pixels;
      Place place = find_pixels (&pixels, dst, w->dst, n, top, left, step, m, NULL);

      if (place == INSIDE)
        {
          pixels.first += first;
          for (int64_t c = 0; c < n_channels; c += UK_LANES)
            write_tile (&pixels, INSIDE, finish, m, edge, products, from.ld_point, c,
                        n_channels - c);
          continue;
        }
      for (int i = 0; i < m * m; i++)
        pixels.at[i] += pixels.at[i] != NULL ? first : 0;
      for (int64_t c = 0; c < n_channels; c += UK_LANES)
        write_tile (&pixels, AT_AN_EDGE, finish, m, edge, products, from.ld_point, c,
                    n_channels - c);
    }
}

void
UK_SIMD (wino_write) (const UkCpuWinograd *w, UkWinoTiles from, UkRange range, int64_t phase,
                      int64_t first, int64_t n_channels, const float *bias, float slope,
                      float *dst)
{
  if (w->m == 3)
    write_tiles (w, from, range, phase, first, n_channels, bias, slope, dst, 3, 4);
  else if (w->taps == 3)
    write_tiles (w, from, range, phase, first, n_channels, bias, slope, dst, 2, 4);
  else
    write_tiles (w, from, range, phase, first, n_channels, bias, slope, dst, 2, 3);
}
