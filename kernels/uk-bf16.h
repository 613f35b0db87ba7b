/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uk-bf16.h - one number as bfloat16, the upper half of a float, and back.
 *
 * For hosts, a number at a time: kernels have their own ways (cpu/simd/to-bf16.c, CUDA's).
 */
#pragma once

#include <stdint.h>
#include <string.h>

/* To the nearest, ties to even; a NaN stays one. */
static inline uint16_t
uk_to_bf16 (float x)
{
  uint32_t bits;

  memcpy (&bits, &x, sizeof bits);
  if (x != x)
    return (uint16_t) (bits >> 16 | 0x40);
  return (uint16_t) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline float
uk_from_bf16 (uint16_t half)
{
  uint32_t bits = (uint32_t) half << 16;
  float x;

  memcpy (&x, &bits, sizeof x);
  return x;
}
