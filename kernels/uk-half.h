/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uk-half.h - conversion of single values to numbers of 16 bits and back: bfloat16, the upper half of a float, and
 * fp16, which has three more bits of mantissa, and numbers from 6e-8 to 65504.
 *
 * For the host; kernels have their own conversions (cpu/simd/to-bf16.c, CUDA's).
 */
#pragma once

#include "kernels/uk.h"

#include <string.h>

static inline uint32_t
uk_float_to_bits (float x)
{
  uint32_t bits;

  memcpy (&bits, &x, sizeof bits);
  return bits;
}

static inline float
uk_float_of_bits (uint32_t bits)
{
  float x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

/* Rounds to nearest even; a NaN stays a NaN. */
static inline uint16_t
uk_to_bf16 (float x)
{
  uint32_t bits = uk_float_to_bits (x);

  if (x != x)
    return (uint16_t) (bits >> 16 | 0x40);
  return (uint16_t) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline float
uk_from_bf16 (uint16_t half)
{
  return uk_float_of_bits ((uint32_t) half << 16);
}

/* Rounds to nearest even, from 65520 on to infinity; a NaN stays a NaN. */
static inline uint16_t
uk_to_fp16 (float x)
{
  const uint32_t one_half = 0x3f000000, least_normal = 0x38800000 /* 2^-14 */, infinite = 0x477ff000 /* 65520 */;
  uint32_t bits = uk_float_to_bits (x), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;

  if (x != x)
    return (uint16_t) (sign | 0x7e00);
  if (size >= infinite)
    return (uint16_t) (sign | 0x7c00);
  if (size < least_normal) /* a float between 1/2 and 1 is a multiple of 2^-24, as are these: the sum is rounded */
    return (uint16_t) (sign | (uk_float_to_bits (uk_float_of_bits (size) + 0.5f) - one_half));
  size -= (127 - 15) << 23; /* the exponents' biases */
  return (uint16_t) (sign | (size + 0xfff + (size >> 13 & 1)) >> 13);
}

static inline float
uk_from_fp16 (uint16_t half)
{
  uint32_t sign = (uint32_t) (half & 0x8000) << 16, size = half & 0x7fff;

  if (size >= 0x7c00) /* infinite, or a NaN */
    return uk_float_of_bits (sign | 0x7f800000 | size << 13);
  if (size < 0x0400)
    return uk_float_of_bits (sign | uk_float_to_bits ((float) size * 0x1p-24f));
  return uk_float_of_bits (sign | ((size << 13) + ((127 - 15) << 23)));
}

/* By type, which is one of the two. */
static inline uint16_t
uk_to_half (UkDataType type, float x)
{
  return type == UK_DATA_F16 ? uk_to_fp16 (x) : uk_to_bf16 (x);
}

static inline float
uk_from_half (UkDataType type, uint16_t half)
{
  return type == UK_DATA_F16 ? uk_from_fp16 (half) : uk_from_bf16 (half);
}

static inline bool
uk_is_half (UkDataType type)
{
  return type == UK_DATA_BF16 || type == UK_DATA_F16;
}
