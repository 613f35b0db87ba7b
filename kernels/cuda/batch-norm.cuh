/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch-norm.cuh - how the passes of batch norm traverse a tensor.
 *
 * The goal is to read sixteen bytes at a time, whatever the number of channels, without computing the
 * channels of each vector.  So the tensor is treated as a matrix of vectors of V values, whose row is the
 * least number of whole pixels that fills whole vectors: lcm (c, V) values.  A column's vectors have the
 * same channels in every row, so a thread stays in its column and keeps its channels' data in registers.
 *
 * A block of threads, `width` columns wide, traverses one band of rows.  The split of columns into groups
 * and of rows into bands depends on the shape alone, and sums are added in band order.
 */
#pragma once

#include "kernels/cuda/vector.cuh"

enum
{
  UK_NORM_THREADS = 256,
  UK_NORM_MAX_WIDTH = 32, /* so that a thread handles at most one value of a row of its block */
  UK_NORM_SUM_THREADS = 512, /* for adding up the bands' sums */
  UK_NORM_SUM_WIDTH = 4,     /* channels per block there */
  UK_NORM_N_STATISTICS = 3,  /* matrices of partial results: see uk_norm_sums_bytes () */
  UK_NORM_N_SUMS = 2
};

typedef struct
{
  unsigned c;
  int64_t  columns, rows;
  int      width, height;     /* of a block's threads */
  unsigned n_groups, n_bands; /* of columns, `width` each; of rows, `band` each */
  int64_t  band;
} UkNormTiling;

static inline int64_t
uk_norm_divide_up (int64_t a, int64_t b)
{
  return (a + b - 1) / b;
}

/* Values per channel in a row, with @v values in a vector. */
static inline int64_t
uk_norm_repeats (int64_t c, int v)
{
  while (c % 2 == 0 && v > 1)
    {
      c /= 2;
      v /= 2;
    }
  return v;
}

/* Many columns are split into groups, so that a block has several rows of threads to add up before it
 * writes: 16 columns are 256 bytes, enough for efficient access.  A thread needs at least four rows to pay
 * for its start; 8 blocks per multiprocessor suffice (132, which hold 3 or 4 at a time); and the threads of
 * a channel can add up 4096 sums quickly. */
static inline UkNormTiling
uk_norm_tiling (const UkOpDesc *desc, int v)
{
  UkNormTiling t = { .c = (unsigned) desc->x.c };
  int64_t repeats = uk_norm_repeats (desc->x.c, v), tiles, most_by_blocks, most_by_sums, n_bands;

  t.columns = desc->x.c * repeats / v;
  t.rows = desc->x.n * desc->x.h * desc->x.w / repeats;
  t.n_groups = (unsigned) (t.columns <= UK_NORM_MAX_WIDTH ? 1 : uk_norm_divide_up (t.columns, 16));
  t.width = (int) uk_norm_divide_up (t.columns, t.n_groups);
  t.height = UK_NORM_THREADS / t.width;
  tiles = uk_norm_divide_up (t.rows, t.height);
  most_by_blocks = uk_norm_divide_up (8 * 132, t.n_groups);
  most_by_sums = 4096 / repeats;
  n_bands = uk_norm_divide_up (tiles, 4);
  n_bands = n_bands < most_by_blocks ? n_bands : most_by_blocks;
  n_bands = n_bands < most_by_sums ? n_bands : most_by_sums;
  t.band = uk_norm_divide_up (tiles, n_bands) * t.height;
  t.n_bands = (unsigned) uk_norm_divide_up (t.rows, t.band);
  return t;
}

/* Whether values can be read sixteen bytes at a time if the pointers are aligned. */
static inline bool
uk_norm_fits_vectors (const UkCudaOp *op)
{
  return uk_shape_count (op->base.desc.x) % uk_cuda_lanes (op) == 0;
}

/* Channel indices and their multiples have 32 bits. */
static inline UkStatus
uk_norm_check (UkCudaOp *op)
{
  return op->base.desc.x.c <= INT32_MAX / 16 ? UK_OK : UK_BAD_SHAPE;
}

/* Rows of a matrix with one partial result per column and lane of each band, channels in columns:
 * (n_bands * repeats, c) floats. */
static inline int64_t
uk_norm_sum_rows (const UkNormTiling *t, int v)
{
  return t->n_bands * uk_norm_repeats (t->c, v);
}

/* Size of @n such matrices, for either vector width. */
static inline size_t
uk_norm_sums_bytes (const UkCudaOp *op, int n)
{
  const int lanes[] = { 1, uk_cuda_lanes (op) };
  int64_t most = 0;

  for (int i = 0; i < (uk_norm_fits_vectors (op) ? 2 : 1); i++)
    {
      UkNormTiling t = uk_norm_tiling (&op->base.desc, lanes[i]);
      int64_t n_rows = uk_norm_sum_rows (&t, lanes[i]);

      most = n_rows > most ? n_rows : most;
    }
  return uk_cuda_align ((size_t) (n * most * op->base.desc.x.c) * sizeof (float));
}

/* A prepare() that needs scratch for N such matrices. */
template <int N>
static inline UkStatus
uk_norm_prepare (UkCudaOp *op)
{
  UkStatus status = uk_norm_check (op);

  if (status == UK_OK)
    op->base.scratch_bytes = uk_norm_sums_bytes (op, N);
  return status;
}

/* Calls @function<T, V> for the type of @op's values, with vectors if they fit and pointers are @aligned. */
#define UK_NORM_RUN(function, op, aligned, ...)                                                    \
  ((op)->type == UK_DATA_F32   ? UK_NORM_RUN_ON (float, function, op, aligned, __VA_ARGS__)        \
   : (op)->type == UK_DATA_F16 ? UK_NORM_RUN_ON (__half, function, op, aligned, __VA_ARGS__)       \
                               : UK_NORM_RUN_ON (__nv_bfloat16, function, op, aligned, __VA_ARGS__))
#define UK_NORM_RUN_ON(T, function, op, aligned, ...)                                              \
  (uk_norm_fits_vectors (op) && (aligned) ? function<T, UkLane<T>::N> (op, __VA_ARGS__)            \
                                          : function<T, 1> (op, __VA_ARGS__))

#define UK_NORM_GRID(tiling) dim3 ((tiling).n_groups * (tiling).n_bands)

/* ------------------------------------------------------------------------ */
/* On the device                                                             */

/* A thread's rows: every `height`th of its band, in one column. */
typedef struct
{
  int      x, y;     /* of the thread in the block */
  int64_t  column;   /* vectors */
  unsigned group, band;
  int64_t  n_rows;   /* of the whole band */
  int64_t  first, step; /* offset of its first vector, and distance to the next: values */
  int64_t  count;    /* of its vectors; 0 if it is outside the matrix */
} UkNormPlace;

/* @backwards: the first block takes the last band. */
template <int V>
static __device__ __forceinline__ UkNormPlace
uk_norm_place (const UkNormTiling &t, bool backwards)
{
  unsigned block = backwards ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  UkNormPlace p;
  int64_t begin;

  p.x = (int) threadIdx.x % t.width;
  p.y = (int) threadIdx.x / t.width;
  p.band = block / t.n_groups;
  p.group = block - p.band * t.n_groups;
  p.column = (int64_t) p.group * t.width + p.x;
  begin = p.band * t.band;
  p.n_rows = t.rows - begin < t.band ? t.rows - begin : t.band;
  p.first = ((begin + p.y) * t.columns + p.column) * V;
  p.step = t.height * t.columns * V;
  p.count = 0;
  if (p.y < t.height && p.column < t.columns && p.y < p.n_rows)
    p.count = (p.n_rows - p.y + t.height - 1) / t.height;
  return p;
}

/* Per-channel values are kept in shared memory, in the order of a row of the block's columns.  Each is
 * computed by one thread, where uk_norm_has_slot (); __syncthreads () must precede reading. */
template <int V>
static __device__ __forceinline__ bool
uk_norm_has_slot (const UkNormTiling &t)
{
  return (int) threadIdx.x < t.width * V;
}

template <int V>
static __device__ __forceinline__ unsigned
uk_norm_channel_of_slot (const UkNormTiling &t, const UkNormPlace &p)
{
  return (p.group * (unsigned) t.width * V + threadIdx.x) % t.c;
}

/* Reads the slots for a thread's vectors. */
template <int V>
static __device__ __forceinline__ void
uk_norm_read_slots (const float *slots, const UkNormPlace &p, float out[V])
{
#pragma unroll
  for (int j = 0; j < V; j++)
    out[j] = slots[p.x * V + j];
}

/* Adds up N values of each column of a block's threads, in an order given by the block's shape; the threads
 * of row 0 get the sums.  @room: N * THREADS floats of shared memory. */
template <int N, int THREADS>
static __device__ __forceinline__ void
uk_norm_column_sums (float values[N], float *room, int width, int height)
{
  int y = (int) threadIdx.x / width, step = 1;

  while (step < height)
    step *= 2;
#pragma unroll
  for (int i = 0; i < N; i++)
    room[i * THREADS + threadIdx.x] = values[i];
  for (step /= 2; step > 0; step /= 2)
    {
      __syncthreads ();
      if (y < step && y + step < height)
#pragma unroll
        for (int i = 0; i < N; i++)
          {
            values[i] += room[i * THREADS + threadIdx.x + step * width];
            room[i * THREADS + threadIdx.x] = values[i];
          }
    }
}

/* ------------------------------------------------------------------------ */
/* The passes, shared by several operations                                  */

/* Outputs of the statistics of a batch; (c) each. */
typedef struct
{
  float *mean;
  float *var;     /* (nullable) biased */
  float *inv_std; /* (nullable) */
  float *running_mean, *running_var; /* (nullable) */
  float  eps, momentum;
  float  unbias;  /* unbiased variance / var */
} UkNormStatistics;

static __device__ __forceinline__ void
uk_norm_store (const UkNormStatistics &out, unsigned i, float mean, float var)
{
  out.mean[i] = mean;
  if (out.var != NULL)
    out.var[i] = var;
  if (out.inv_std != NULL)
    out.inv_std[i] = 1 / sqrtf (var + out.eps);
  if (out.running_mean != NULL)
    out.running_mean[i] = (1 - out.momentum) * out.running_mean[i] + out.momentum * mean;
  if (out.running_var != NULL)
    out.running_var[i] = (1 - out.momentum) * out.running_var[i]
                         + out.momentum * (var * out.unbias);
}

/* A single value has no unbiased variance; its biased one is 0. */
static inline float
uk_norm_unbias (double n_values)
{
  return (float) (n_values > 1 ? n_values / (n_values - 1) : 1);
}

/* batch-norm-statistics.cu: statistics of @x.  @room: UK_NORM_N_STATISTICS matrices. */
UkStatus uk_norm_find_statistics (UkCudaOp *op, const void *x, const UkNormStatistics *out,
                                  void *room);

/* batch-norm.cu: y = act ((x - mean) gamma inv_std + beta), with `spread` inv_std or, with is_var, the
 * variance. */
typedef struct
{
  const void  *x;
  void        *y;
  const float *gamma, *beta, *mean, *spread; /* (c) */
  bool         is_var;
} UkNormNormalize;

UkStatus uk_norm_normalize (UkCudaOp *op, const UkNormNormalize *args);

/* batch-norm-grad.cu: @sums (2, c) are dgamma and dbeta of these samples, also stored in or added to the
 * latter two (nullable).  @room: UK_NORM_N_SUMS matrices. */
typedef struct
{
  const void  *x, *dy;
  const float *gamma, *beta, *mean, *inv_std; /* (c) */
  float       *sums;
} UkNormBackward;

UkStatus uk_norm_find_sums (UkCudaOp *op, const UkNormBackward *args, float *dgamma, float *dbeta,
                            void *room);
/* With sums over @n_values of each channel. */
UkStatus uk_norm_find_dx   (UkCudaOp *op, const UkNormBackward *args, double n_values, void *dx);
