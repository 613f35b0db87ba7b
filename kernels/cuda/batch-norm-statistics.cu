/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch-norm-statistics.cu - the mean and the variance of each channel, in one pass.
 *
 * A plain sum of squares would cancel where the mean is large.  So each band of rows sums d and d^2 of
 * d = x - k, where k is the column's value in the band's first row, and outputs k, the mean of d, and the
 * sum of squared deviations from it.  The bands are combined as in Chan, Golub & LeVeque (1983), about the
 * mean of the first:
 *
 *   N mean = sum n_b mean_b,  N var = sum (squares_b + n_b (mean_b - mean)^2)
 *
 * mean_b is never computed as k + mean of d: rounded to a float, a large mean would lose more than the
 * deviations amount to.
 *
 * The last block of the first kernel could combine the bands, too, which would save a launch.  But large layers have
 * up to a thousand bands, 0.8 MB of results for 64 channels, which one multiprocessor reads in several times the
 * microseconds of a launch, and many read in one.
 */
#include "kernels/cuda/batch-norm.cuh"

/* ------------------------------------------------------------------------ */
/* Bands                                                                     */

/* Results of the bands, as matrices: see uk_norm_sum_rows (). */
typedef struct
{
  float *k, *d, *squares; /* (bands, columns, V) */
} Partials;

template <typename T, int V>
static __global__ void
__launch_bounds__ (UK_NORM_THREADS, 4)
sum_bands (const T *x, UkNormTiling t, Partials out)
{
  enum { AT_ONCE = 4 };

  __shared__ float room[2 * V * UK_NORM_THREADS];
  const UkNormPlace p = uk_norm_place<V> (t, false);
  const T *at = x + p.first;
  float k[V], sums[2 * V] = { 0 };
  int64_t i = 0;

  if (p.count > 0)
    uk_load_vector<V> (at - p.y * t.columns * V, k);
  for (; i + AT_ONCE <= p.count; i += AT_ONCE, at += AT_ONCE * p.step)
    {
      float values[AT_ONCE][V];

#pragma unroll
      for (int r = 0; r < AT_ONCE; r++)
        uk_load_vector<V> (at + r * p.step, values[r]);
#pragma unroll
      for (int r = 0; r < AT_ONCE; r++)
#pragma unroll
        for (int j = 0; j < V; j++)
          {
            float d = values[r][j] - k[j];

            sums[j] += d;
            sums[V + j] = fmaf (d, d, sums[V + j]);
          }
    }
  for (; i < p.count; i++, at += p.step)
    {
      float values[V];

      uk_load_vector<V> (at, values);
#pragma unroll
      for (int j = 0; j < V; j++)
        {
          float d = values[j] - k[j];

          sums[j] += d;
          sums[V + j] = fmaf (d, d, sums[V + j]);
        }
    }

  uk_norm_column_sums<2 * V, UK_NORM_THREADS> (sums, room, t.width, t.height);
  if (p.y == 0 && p.count > 0)
    {
      int64_t to = (p.band * t.columns + p.column) * V;
      float n = (float) p.n_rows;

#pragma unroll
      for (int j = 0; j < V; j++)
        {
          float d = sums[j] / n;

          out.k[to + j] = k[j];
          out.d[to + j] = d;
          out.squares[to + j] = fmaxf (fmaf (-sums[j], d, sums[V + j]), 0);
        }
    }
}

/* ------------------------------------------------------------------------ */
/* All bands                                                                 */

/* The matrices' first @n_full rows stand for @n values each, the others for @n_last. */
typedef struct
{
  Partials         parts;
  unsigned         c;
  int64_t          n_rows, n_full;
  float            n, n_last, n_values;
  UkNormStatistics out;
} Bands;

static __global__ void
__launch_bounds__ (UK_NORM_SUM_THREADS)
combine_bands (Bands bands, int width)
{
  __shared__ float room[2 * UK_NORM_SUM_THREADS];
  int height = UK_NORM_SUM_THREADS / width, y = (int) threadIdx.x / width;
  unsigned channel = blockIdx.x * width + threadIdx.x % width;
  bool is_there = channel < bands.c && y < height;
  float k = is_there ? bands.parts.k[channel] : 0, d0 = is_there ? bands.parts.d[channel] : 0;
  float sums[2] = { 0 };

#pragma unroll 4
  for (int64_t i = is_there ? y : bands.n_rows; i < bands.n_rows; i += height)
    {
      int64_t at = i * bands.c + channel;
      float n = i < bands.n_full ? bands.n : bands.n_last;
      float d = bands.parts.k[at] - k + (bands.parts.d[at] - d0);

      sums[0] = fmaf (n, d, sums[0]);
      sums[1] += fmaf (n * d, d, bands.parts.squares[at]);
    }
  uk_norm_column_sums<2, UK_NORM_SUM_THREADS> (sums, room, width, height);
  if (is_there && y == 0)
    {
      float shift = sums[0] / bands.n_values;

      uk_norm_store (bands.out, channel, k + (d0 + shift),
                     fmaxf (sums[1] / bands.n_values - shift * shift, 0));
    }
}

template <typename T, int V>
static UkStatus
find (UkCudaOp *op, const void *x, const UkNormStatistics *out, float *room)
{
  UkNormTiling t = uk_norm_tiling (&op->base.desc, V);
  int64_t n_rows = uk_norm_sum_rows (&t, V), repeats = n_rows / t.n_bands;
  int width = t.c < UK_NORM_SUM_WIDTH ? 1 : UK_NORM_SUM_WIDTH;
  Partials parts = { room, room + n_rows * t.c, room + 2 * n_rows * t.c };
  Bands bands = {
    .parts = parts,
    .c = t.c,
    .n_rows = n_rows,
    .n_full = n_rows - repeats,
    .n = (float) t.band,
    .n_last = (float) (t.rows - (t.n_bands - 1) * t.band),
    .n_values = (float) (t.rows * repeats),
    .out = *out,
  };
  UkStatus status = uk_launch (op, sum_bands<T, V>, UK_NORM_GRID (t), dim3 (UK_NORM_THREADS),
                               (const T *) x, t, parts);

  if (status != UK_OK)
    return status;
  return uk_launch (op, combine_bands, dim3 ((unsigned) uk_norm_divide_up (t.c, width)),
                    dim3 (UK_NORM_SUM_THREADS), bands, width);
}

UkStatus
uk_norm_find_statistics (UkCudaOp *op, const void *x, const UkNormStatistics *out, void *room)
{
  return UK_NORM_RUN (find, op, uk_are_aligned (x), x, out, (float *) room);
}
