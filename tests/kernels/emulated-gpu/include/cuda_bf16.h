/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_bf16.h - bfloat16 for the emulated GPU: storage and conversions.  Unlike CUDA's type it has no implicit
 * conversions, because arithmetic on it would need a newer GPU than the project requires.
 */
#pragma once

#include <cuda_runtime.h>

typedef struct
{
  unsigned short __x;
} __nv_bfloat16;

typedef struct __align__ (4)
{
  __nv_bfloat16 x, y;
} __nv_bfloat162;

#ifdef __cplusplus

static inline __nv_bfloat16
__ushort_as_bfloat16 (unsigned short bits)
{
  return __nv_bfloat16{ bits };
}

static inline unsigned short
__bfloat16_as_ushort (__nv_bfloat16 x)
{
  return x.__x;
}

static inline float
__bfloat162float (__nv_bfloat16 x)
{
  return __uint_as_float ((unsigned) x.__x << 16);
}

/* Rounds to nearest even, to infinity on overflow.  Returns the same NaN as CUDA. */
static inline __nv_bfloat16
__float2bfloat16_rn (float x)
{
  unsigned bits = __float_as_uint (x);

  if (isnan (x))
    return __ushort_as_bfloat16 (0x7fff);
  return __ushort_as_bfloat16 ((unsigned short) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16));
}

static inline __nv_bfloat16
__float2bfloat16 (float x)
{
  return __float2bfloat16_rn (x);
}

static inline __nv_bfloat162
__floats2bfloat162_rn (float x, float y)
{
  return __nv_bfloat162{ __float2bfloat16_rn (x), __float2bfloat16_rn (y) };
}

static inline __nv_bfloat162
__float22bfloat162_rn (float2 v)
{
  return __floats2bfloat162_rn (v.x, v.y);
}

static inline float2
__bfloat1622float2 (__nv_bfloat162 v)
{
  return make_float2 (__bfloat162float (v.x), __bfloat162float (v.y));
}

static inline float
__low2float (__nv_bfloat162 v)
{
  return __bfloat162float (v.x);
}

static inline float
__high2float (__nv_bfloat162 v)
{
  return __bfloat162float (v.y);
}

#endif /* __cplusplus */
