/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch-norm-statistics.cu - the mean and the variance of each channel, in one reading.
 *
 * A plain sum of squares would lose the variance where the mean is large.  So each band of rows
 * sums d and d^2 of d = x - k, where k is the column's value in the band's first row, and leaves k,
 * the mean of d, and the sum of squared deviations from it.  Those of all bands are put together as
 * Chan, Golub & LeVeque (1983) do, about the mean of the first:
 *
 *   N mean = sum n_b mean_b,  N var = sum (squares_b + n_b (mean_b - mean)^2)
 *
 * mean_b is never made of k and the mean of d: rounded to a float, a large one would be off by more
 * than what is then left of it.
 */
#include "kernels/cuda/batch-norm.cuh"

/* ------------------------------------------------------------------------ */
/* Bands                                                                     */

/* Matrices: see uk_norm_sum_rows (). */
typedef struct
{
  float *k, *d, *squares; /* (bands, columns, V) */
} Left;

template <typename T, int V>
static __global__ void
__launch_bounds__ (UK_NORM_THREADS, 4)
sum_bands (const T *x, UkNormTiling t, Left left)
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

          left.k[to + j] = k[j];
          left.d[to + j] = d;
          left.squares[to + j] = fmaxf (fmaf (-sums[j], d, sums[V + j]), 0);
        }
    }
}

/* ------------------------------------------------------------------------ */
/* All bands                                                                 */

/* The first @n_full rows of the matrices are of @n values each, the others of @n_last. */
typedef struct
{
  Left             left;
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
  float k = is_there ? bands.left.k[channel] : 0, d0 = is_there ? bands.left.d[channel] : 0;
  float sums[2] = { 0 };

#pragma unroll 4
  for (int64_t i = is_there ? y : bands.n_rows; i < bands.n_rows; i += height)
    {
      int64_t at = i * bands.c + channel;
      float n = i < bands.n_full ? bands.n : bands.n_last;
      float d = bands.left.k[at] - k + (bands.left.d[at] - d0);

      sums[0] = fmaf (n, d, sums[0]);
      sums[1] += fmaf (n * d, d, bands.left.squares[at]);
    }
  uk_norm_column_sums<2, UK_NORM_SUM_THREADS> (sums, room, width, height);
  if (is_there && y == 0)
    {
      float shift = sums[0] / bands.n_values;

      uk_norm_leave (bands.out, channel, k + (d0 + shift),
                     fmaxf (sums[1] / bands.n_values - shift * shift, 0));
    }
}

template <typename T, int V>
static UkStatus
find (UkCudaOp *op, const T *x, const UkNormStatistics *out, float *room)
{
  UkNormTiling t = uk_norm_tiling (&op->base.desc, V);
  int64_t n_rows = uk_norm_sum_rows (&t, V), repeats = n_rows / t.n_bands;
  int width = t.c < UK_NORM_SUM_WIDTH ? 1 : UK_NORM_SUM_WIDTH;
  Left left = { room, room + n_rows * t.c, room + 2 * n_rows * t.c };
  Bands bands = {
    .left = left,
    .c = t.c,
    .n_rows = n_rows,
    .n_full = n_rows - repeats,
    .n = (float) t.band,
    .n_last = (float) (t.rows - (t.n_bands - 1) * t.band),
    .n_values = (float) (t.rows * repeats),
    .out = *out,
  };
  UkStatus status = uk_launch (op, sum_bands<T, V>, UK_NORM_GRID (t), dim3 (UK_NORM_THREADS), x, t,
                               left);

  if (status != UK_OK)
    return status;
  return uk_launch (op, combine_bands, dim3 ((unsigned) uk_norm_divide_up (t.c, width)),
                    dim3 (UK_NORM_SUM_THREADS), bands, width);
}

template <typename T>
static UkStatus
find_of (UkCudaOp *op, const void *x, const UkNormStatistics *out, void *room)
{
  if (uk_norm_fits_vectors (op) && uk_are_aligned (x))
    return find<T, UkLane<T>::N> (op, (const T *) x, out, (float *) room);
  return find<T, 1> (op, (const T *) x, out, (float *) room);
}

UkStatus
uk_norm_find_statistics (UkCudaOp *op, const void *x, const UkNormStatistics *out, void *room)
{
  return op->is_bf16 ? find_of<__nv_bfloat16> (op, x, out, room)
                     : find_of<float> (op, x, out, room);
}
