/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weights.cu - the type of weights: stored ones are floats, packed ones and their gradients may have sixteen bits.
 * Both are in the same order.
 */
#include "kernels/cuda/conv-private.h"
#include "kernels/cuda/vector.cuh"

enum
{
  THREADS = 256,
  AT_ONCE = 4, /* vectors per thread */
  MAX_BLOCKS = 1 << 20
};

/* @to = @from, or += with @adds, as vectors of V values. */
template <int V, typename From, typename To>
static __global__ void
__launch_bounds__ (THREADS)
convert_kernel (const From *from, To *to, int64_t n_vectors, bool adds)
{
  int64_t start = (int64_t) blockIdx.x * THREADS * AT_ONCE + threadIdx.x;

  for (; start < n_vectors; start += (int64_t) gridDim.x * THREADS * AT_ONCE)
#pragma unroll
    for (int i = 0; i < AT_ONCE; i++)
      {
        int64_t at = start + i * THREADS;
        float values[V], sums[V] = { 0 };

        if (at >= n_vectors)
          continue;
        uk_load_vector<V> (from + at * V, values);
        if (adds)
          uk_load_vector<V> (to + at * V, sums);
#pragma unroll
        for (int k = 0; k < V; k++)
          values[k] += sums[k];
        uk_store_vector<V> (to + at * V, values);
      }
}

template <int V, typename From, typename To>
static UkStatus
convert_vectors (UkCudaOp *op, const From *from, To *to, int64_t n_vectors, bool adds)
{
  return uk_launch (op, convert_kernel<V, From, To>, uk_n_blocks (n_vectors, THREADS * AT_ONCE, MAX_BLOCKS), THREADS,
                    from, to, n_vectors, adds);
}

template <typename From, typename To>
static UkStatus
convert (UkCudaOp *op, const From *from, To *to, int64_t count, bool adds)
{
  constexpr int V = 4;

  return count % V == 0 && uk_are_aligned (from, to) ? convert_vectors<V> (op, from, to, count / V, adds)
                                                     : convert_vectors<1> (op, from, to, count, adds);
}

template <typename T>
static UkStatus
pack (UkCudaOp *op, int64_t count, const float *stored, void *packed)
{
  return convert (op, stored, (T *) packed, count, false);
}

template <typename T>
static UkStatus
unpack (UkCudaOp *op, int64_t count, const void *packed, float *stored)
{
  return convert (op, (const T *) packed, stored, count, op->base.desc.accumulate);
}

UkStatus
uk_cuda_weights_pack (UkCudaOp *op, int64_t count, const float *stored, void *packed)
{
  return UK_CALL_ON_VALUES (op->type, pack, op, count, stored, packed);
}

UkStatus
uk_cuda_weights_unpack (UkCudaOp *op, int64_t count, const void *packed, UkDataType type, float *stored)
{
  return UK_CALL_ON_VALUES (type, unpack, op, count, packed, stored);
}
