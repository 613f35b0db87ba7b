/* SPDX-License-Identifier: Apache-2.0 */
/*
 * to-bf16.c - single precision to bfloat16, rounding to nearest even.
 *
 * Integer arithmetic on the bits is as fast as memory.  A NaN must not be rounded, because a carry out of
 * its payload could turn it into infinity.
 */
#include "simd.h"

void
UK_SIMD (to_bf16) (uint16_t *y, const float *x, int64_t count, int n_threads)
{
  int n = uk_threads_for (count, n_threads);

#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    {
      UkRange r = uk_part_lines (count, n, t);

#pragma omp simd
      for (int64_t i = r.begin; i < r.end; i++)
        {
          uint32_t bits, rounded;

          memcpy (&bits, x + i, sizeof bits);
          rounded = bits + 0x7fffu + (bits >> 16 & 1u);
          y[i] = (uint16_t) (((bits & 0x7fffffffu) > 0x7f800000u ? bits | 0x400000u : rounded) >> 16);
        }
    }
}
