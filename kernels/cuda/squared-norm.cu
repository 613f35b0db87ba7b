/* SPDX-License-Identifier: Apache-2.0 */
/*
 * squared-norm.cu - |v[n]|^2 of each sample, and their mean: several blocks per sample, then a warp per
 * sample, then one block for the mean.
 */
#include "kernels/cuda/vector.cuh"

enum
{
  THREADS = 256,
  AT_ONCE = 4, /* vectors per thread with loads in flight at once */
  MAX_PARTS = 1024
};

/* @sums: (n_samples, n_parts), one block each; a sample has @n_vectors of V values. */
template <typename T, int V>
static __global__ void
__launch_bounds__ (THREADS)
sum_parts (const T *v, int64_t n_vectors, unsigned n_parts, float *sums)
{
  __shared__ float room[THREADS / UK_WARP];
  unsigned part = blockIdx.x % n_parts;
  const T *sample = v + blockIdx.x / n_parts * n_vectors * V;
  int64_t step = (int64_t) n_parts * THREADS, i = (int64_t) part * THREADS + threadIdx.x;
  float partial[V] = { 0 }, sum = 0;

  for (; i + (AT_ONCE - 1) * step < n_vectors; i += AT_ONCE * step)
    {
      float values[AT_ONCE][V];

#pragma unroll
      for (int r = 0; r < AT_ONCE; r++)
        uk_load_vector<V> (sample + (i + r * step) * V, values[r]);
#pragma unroll
      for (int r = 0; r < AT_ONCE; r++)
#pragma unroll
        for (int j = 0; j < V; j++)
          partial[j] = fmaf (values[r][j], values[r][j], partial[j]);
    }
  for (; i < n_vectors; i += step)
    {
      float values[V];

      uk_load_vector<V> (sample + i * V, values);
#pragma unroll
      for (int j = 0; j < V; j++)
        partial[j] = fmaf (values[j], values[j], partial[j]);
    }

#pragma unroll
  for (int j = 0; j < V; j++)
    sum += partial[j];
  sum = uk_block_sum<THREADS> (sum, room);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}

/* One warp per sample. */
static __global__ void
__launch_bounds__ (THREADS)
add_parts (const float *parts, unsigned n_parts, int64_t n_samples, float *sums)
{
  int64_t sample = (int64_t) blockIdx.x * (THREADS / UK_WARP) + threadIdx.x / UK_WARP;
  unsigned lane = threadIdx.x % UK_WARP;
  float sum = 0;

  if (sample < n_samples)
    for (unsigned i = lane; i < n_parts; i += UK_WARP)
      sum += parts[sample * n_parts + i];
  sum = uk_warp_sum (sum);
  if (sample < n_samples && lane == 0)
    sums[sample] = sum;
}

static __global__ void
__launch_bounds__ (THREADS)
average (const float *sums, int64_t n_samples, float *mean)
{
  __shared__ float room[THREADS / UK_WARP];
  float sum = 0;

  for (int64_t i = threadIdx.x; i < n_samples; i += THREADS)
    sum += sums[i];
  sum = uk_block_sum<THREADS> (sum, room);
  if (threadIdx.x == 0)
    *mean = sum / (float) n_samples;
}

static int64_t
values_per_sample (const UkOpDesc *desc)
{
  return desc->x.h * desc->x.w * desc->x.c;
}

/* A part has the same number of bytes for either type, except without vectors. */
static unsigned
count_parts (const UkOpDesc *desc, int v)
{
  return uk_n_blocks (values_per_sample (desc), (int64_t) THREADS * AT_ONCE * v, MAX_PARTS);
}

static UkStatus
prepare (UkCudaOp *op)
{
  op->base.scratch_bytes = (size_t) op->base.desc.x.n * count_parts (&op->base.desc, 1)
                           * sizeof (float);
  return UK_OK;
}

template <typename T, int V>
static UkStatus
run_with (UkCudaOp *op, void *const *args, float *parts)
{
  const UkOpDesc *desc = &op->base.desc;
  int64_t n_samples = desc->x.n;
  unsigned n_parts = count_parts (desc, V);
  float *sums = (float *) args[1];
  UkStatus status = uk_launch (op, sum_parts<T, V>, dim3 ((unsigned) (n_samples * n_parts)),
                               dim3 (THREADS), (const T *) args[0],
                               values_per_sample (desc) / V, n_parts, n_parts > 1 ? parts : sums);

  if (status == UK_OK && n_parts > 1)
    status = uk_launch (op, add_parts,
                        dim3 (uk_n_blocks (n_samples, THREADS / UK_WARP, INT32_MAX)),
                        dim3 (THREADS), parts, n_parts, n_samples, sums);
  if (status != UK_OK)
    return status;
  return uk_launch (op, average, dim3 (1), dim3 (THREADS), sums, n_samples, (float *) args[2]);
}

template <typename T>
static UkStatus
run (UkCudaOp *op, void *const *args, void *scratch)
{
  constexpr int V = UkLane<T>::N;

  if (values_per_sample (&op->base.desc) % V == 0 && uk_are_aligned (args[0]))
    return run_with<T, V> (op, args, (float *) scratch);
  return run_with<T, 1> (op, args, (float *) scratch);
}

const UkCudaKernel uk_cuda_squared_norm = { .prepare = prepare, .run = UK_RUN_ON_VALUES (run) };
