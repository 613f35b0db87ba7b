/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.cuh - shared by the kernels of several operations: values as floats, sixteen-byte access,
 * activations, and sums over a warp or block.
 */
#pragma once

#include "kernels/cuda/launch.cuh"

#include <string.h>

enum { UK_WARP = 32 };

static __device__ __forceinline__ float
uk_to_float (float x)
{
  return x;
}

static __device__ __forceinline__ float
uk_to_float (__nv_bfloat16 x)
{
  return __bfloat162float (x);
}

static __device__ __forceinline__ float
uk_to_float (__half x)
{
  return __half2float (x);
}

template <typename T> static __device__ __forceinline__ T uk_from_float (float x);

template <>
__device__ __forceinline__ float
uk_from_float<float> (float x)
{
  return x;
}

template <>
__device__ __forceinline__ __nv_bfloat16
uk_from_float<__nv_bfloat16> (float x)
{
  return __float2bfloat16_rn (x);
}

template <>
__device__ __forceinline__ __half
uk_from_float<__half> (float x)
{
  return __float2half_rn (x);
}

/* The four bytes of @x, as another type. */
template <typename To, typename From>
static __device__ __forceinline__ To
uk_reinterpret (From x)
{
  To to;

  memcpy (&to, &x, sizeof to);
  return to;
}

/* Two values of sixteen bits in a word, the first in its lower half. */
template <typename T> struct UkHalf;

template <> struct UkHalf<__nv_bfloat16>
{
  static __device__ __forceinline__ float2
  unpack (uint32_t word)
  {
    return make_float2 (__uint_as_float (word << 16), __uint_as_float (word & 0xffff0000u));
  }

  static __device__ __forceinline__ uint32_t
  pack (float a, float b)
  {
    return uk_reinterpret<uint32_t> (__floats2bfloat162_rn (a, b));
  }
};

template <> struct UkHalf<__half>
{
  static __device__ __forceinline__ float2
  unpack (uint32_t word)
  {
    return __half22float2 (uk_reinterpret<__half2> (word));
  }

  static __device__ __forceinline__ uint32_t
  pack (float a, float b)
  {
    return uk_reinterpret<uint32_t> (__floats2half2_rn (a, b));
  }
};

/* @scale: (nullable): an argument of one number; NULL: 1 */
static __device__ __forceinline__ float
uk_scale_of (const float *scale)
{
  return scale != NULL ? *scale : 1;
}

/* Number of values in sixteen bytes. */
template <typename T> struct UkLane
{
  static constexpr int N = 16 / (int) sizeof (T);
};

/* The same, on the host. */
static inline int
uk_cuda_lanes (const UkCudaOp *op)
{
  return op->type == UK_DATA_F32 ? UkLane<float>::N : UkLane<__half>::N;
}

/* On the host: whether all pointers (including NULL) are aligned for sixteen-byte access. */
template <typename... Pointers>
static inline bool
uk_are_aligned (Pointers... pointers)
{
  uintptr_t bits = 0;

  for (const void *p : { (const void *) pointers... })
    bits |= (uintptr_t) p;
  return bits % 16 == 0;
}

/* ------------------------------------------------------------------------ */
/* Activations: see UkAct.  Softmax, which needs a whole pixel, is in softmax.cu. */

template <UkAct ACT>
static __device__ __forceinline__ float
uk_act (float x, float slope)
{
  if (ACT == UK_ACT_RELU)
    return x > 0 ? x : 0;
  if (ACT == UK_ACT_LEAKY_RELU)
    return x > 0 ? x : x * slope;
  if (ACT == UK_ACT_TANH)
    return tanhf (x);
  if (ACT == UK_ACT_SIGMOID)
    return 1 / (1 + expf (-x));
  return x;
}

/* The derivative, as a function of the output @y. */
template <UkAct ACT>
static __device__ __forceinline__ float
uk_act_slope (float y, float slope)
{
  if (ACT == UK_ACT_RELU)
    return y > 0 ? 1 : 0;
  if (ACT == UK_ACT_LEAKY_RELU)
    return y > 0 ? 1 : slope;
  if (ACT == UK_ACT_TANH)
    return 1 - y * y;
  if (ACT == UK_ACT_SIGMOID)
    return y * (1 - y);
  return 1;
}

/* ------------------------------------------------------------------------ */
/* Sums, always in the same order.  All threads of the warp or block must participate. */

static __device__ __forceinline__ float
uk_warp_sum (float x)
{
  for (int step = UK_WARP / 2; step > 0; step /= 2)
    x += __shfl_xor_sync (0xffffffffu, x, step);
  return x;
}

/* Every thread of a block of THREADS (a multiple of 32, one-dimensional) gets the sum.  @shared:
 * (THREADS / 32) floats of shared memory, reusable after the next __syncthreads(). */
template <int THREADS>
static __device__ __forceinline__ float
uk_block_sum (float x, float *shared)
{
  float sum = 0;

  x = uk_warp_sum (x);
  __syncthreads (); /* threads may still read the previous sum */
  if (threadIdx.x % UK_WARP == 0)
    shared[threadIdx.x / UK_WARP] = x;
  __syncthreads ();
  for (int i = 0; i < THREADS / UK_WARP; i++)
    sum += shared[i];
  return sum;
}
