/* SPDX-License-Identifier: Apache-2.0 */
/* sum-squares.h - the loop shared by squared-norm.c and grad-norm.c. */
#pragma once

#include "simd.h"

enum { UK_SQUARES_BLOCK = 4096 };

/* Blocks are summed in single precision, their sums in double. */
static inline double
uk_sum_squares (const float *x, int64_t count)
{
  double total = 0.0;

  for (int64_t begin = 0; begin < count; begin += UK_SQUARES_BLOCK)
    {
      int64_t end = count - begin < UK_SQUARES_BLOCK ? count : begin + UK_SQUARES_BLOCK;
      float sum0 = 0.0f, sum1 = 0.0f;
      int64_t half = begin + (end - begin) / 2;

#pragma omp simd reduction (+ : sum0)
      for (int64_t i = begin; i < half; i++)
        sum0 += x[i] * x[i];
#pragma omp simd reduction (+ : sum1)
      for (int64_t i = half; i < end; i++)
        sum1 += x[i] * x[i];
      total += (double) sum0 + sum1;
    }
  return total;
}
