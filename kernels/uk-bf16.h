/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uk-bf16.h - conversion of single values to bfloat16, the upper half of a float, and back.
 *
 * For the host; kernels have their own conversions (cpu/simd/to-bf16.c, CUDA's).
 */
#pragma once

#include <stdint.h>
#include <string.h>

/* Rounds to nearest even; a NaN stays a NaN. */
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
