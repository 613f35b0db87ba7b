/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grad-norm.cu - the squares of the gradient, its norm, and the clipping factor.
 *
 * A float's square may underflow where the sum does not, so sums are doubles.  Since doubles are slow on
 * many GPUs, a thread sums the squares of a few values as floats, and repeats that in doubles if the result
 * is close to underflow.  A square that overflows a float stays infinite, and so does the norm: Adam would
 * square the same value.
 */
#include "kernels/cuda/vector.cuh"

enum
{
  THREADS = 256,
  AT_ONCE = 4,         /* vectors */
  MAX_BLOCKS = 16 * 132
};

/* From here on, underflow has lost nothing that matters. */
#define LEAST_SAFE 1e-30f

template <int N>
static __device__ __forceinline__ double
sum_squares (const float values[N])
{
  float sum = 0;
  double exact = 0;

#pragma unroll
  for (int i = 0; i < N; i++)
    sum = fmaf (values[i], values[i], sum);
  if (sum >= LEAST_SAFE)
    return sum;
#pragma unroll
  for (int i = 0; i < N; i++)
    exact = fma ((double) values[i], (double) values[i], exact);
  return exact;
}

/* The sum of the block, in thread 0. */
static __device__ __forceinline__ double
block_sum (double x)
{
  __shared__ double room[THREADS];

  room[threadIdx.x] = x;
  for (unsigned step = THREADS / 2; step > 0; step /= 2)
    {
      __syncthreads ();
      if (threadIdx.x < step)
        room[threadIdx.x] += room[threadIdx.x + step];
    }
  return room[threadIdx.x];
}

/* @parts: one sum per block. */
template <int V>
static __global__ void
__launch_bounds__ (THREADS)
sum_parts (const float *g, int64_t count, double *parts)
{
  int64_t n_vectors = count / V, step = (int64_t) gridDim.x * THREADS;
  int64_t thread = (int64_t) blockIdx.x * THREADS + threadIdx.x, i = thread;
  double sum = 0;

  for (; i + (AT_ONCE - 1) * step < n_vectors; i += AT_ONCE * step)
    {
      float values[AT_ONCE * V];

#pragma unroll
      for (int r = 0; r < AT_ONCE; r++)
        uk_load_vector<V> (g + (i + r * step) * V, values + r * V);
      sum += sum_squares<AT_ONCE * V> (values);
    }
  for (; i < n_vectors; i += step)
    {
      float values[V];

      uk_load_vector<V> (g + i * V, values);
      sum += sum_squares<V> (values);
    }
  if (n_vectors * V + thread < count)
    sum += sum_squares<1> (g + n_vectors * V + thread);

  sum = block_sum (sum);
  if (threadIdx.x == 0)
    parts[blockIdx.x] = sum;
}

static __global__ void
__launch_bounds__ (THREADS)
finish (const double *parts, unsigned n_parts, float *out)
{
  double sum = 0;

  for (unsigned i = threadIdx.x; i < n_parts; i += THREADS)
    sum += parts[i];
  sum = block_sum (sum);
  if (threadIdx.x == 0)
    *out = (float) sum;
}

static __global__ void
__launch_bounds__ (THREADS)
find_factor (const float *sums, int64_t n, const float *hyper, float *out)
{
  double sum = 0, norm, limit = hyper[UK_HYPER_CLIP_NORM], scale = hyper[UK_HYPER_LOSS_SCALE];

  for (int64_t i = threadIdx.x; i < n; i += THREADS)
    sum += sums[i];
  norm = sqrt (block_sum (sum)) / scale;
  if (threadIdx.x != 0)
    return;
  out[0] = (float) norm;
  if (!isfinite (norm))
    out[1] = 0;
  else
    out[1] = (float) ((limit == 0 || norm <= limit ? 1 : limit / norm) / scale);
}

static unsigned
count_parts (const UkOpDesc *desc, int v)
{
  return uk_n_blocks (desc->x.n, (int64_t) THREADS * AT_ONCE * v, MAX_BLOCKS);
}

static UkStatus
prepare (UkCudaOp *op)
{
  op->base.scratch_bytes = count_parts (&op->base.desc, 1) * sizeof (double);
  return UK_OK;
}

template <int V>
static UkStatus
run_with (UkCudaOp *op, void *const *args, double *parts)
{
  unsigned n_parts = count_parts (&op->base.desc, V);
  UkStatus status = uk_launch (op, sum_parts<V>, dim3 (n_parts), dim3 (THREADS),
                               (const float *) args[0], op->base.desc.x.n, parts);

  if (status != UK_OK)
    return status;
  return uk_launch (op, finish, dim3 (1), dim3 (THREADS), (const double *) parts, n_parts,
                    (float *) args[1]);
}

static UkStatus
run_squares (UkCudaOp *op, void *const *args, void *scratch)
{
  return uk_are_aligned (args[0]) ? run_with<4> (op, args, (double *) scratch)
                                  : run_with<1> (op, args, (double *) scratch);
}

const UkCudaKernel uk_cuda_grad_squares = { .prepare = prepare, .run = run_squares };

static UkStatus
run_factor (UkCudaOp *op, void *const *args, void *scratch)
{
  return uk_launch (op, find_factor, dim3 (1), dim3 (THREADS), (const float *) args[0],
                    op->base.desc.x.n, (const float *) args[1], (float *) args[2]);
}

const UkCudaKernel uk_cuda_grad_factor = { .run = run_factor };
