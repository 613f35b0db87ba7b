/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_fp16.h - 16-bit floats for the emulated GPU: storage and conversions.  Unlike CUDA's type it has no implicit
 * conversions, so that none goes unnoticed.
 */
#pragma once

#include <cuda_runtime.h>

#include "kernels/uk-half.h"

typedef struct
{
  unsigned short __x;
} __half;

typedef struct __align__ (4)
{
  __half x, y;
} __half2;

#ifdef __cplusplus

static inline __half
__ushort_as_half (unsigned short bits)
{
  return __half{ bits };
}

static inline unsigned short
__half_as_ushort (__half x)
{
  return x.__x;
}

static inline float
__half2float (__half x)
{
  return uk_from_fp16 (x.__x);
}

/* Rounds to nearest even, to infinity on overflow.  Returns the same NaN as CUDA. */
static inline __half
__float2half_rn (float x)
{
  return __ushort_as_half (isnan (x) ? 0x7fff : uk_to_fp16 (x));
}

static inline __half2
__floats2half2_rn (float x, float y)
{
  return __half2{ __float2half_rn (x), __float2half_rn (y) };
}

static inline float2
__half22float2 (__half2 v)
{
  return make_float2 (__half2float (v.x), __half2float (v.y));
}

#endif /* __cplusplus */
