/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gemm-row.h - a small matrix product whose right-hand side is a few vectors wide.
 *
 *   c[m][n] (+)= sum over k of a[m * step_m + k * step_k] * b[k * ldb + n]
 *
 * for 0 <= n < n_vectors * UK_LANES.  A block of rows stays in registers (UK_ACCUMULATORS) while k runs;
 * each k costs n_vectors loads of b and one broadcast per row.  The compiler must know the number of
 * vectors and rows, so each combination in use is an instance of an always-inlined function.
 */
#pragma once

#include "simd.h"

typedef struct
{
  int64_t      m, k;
  const float *a;
  int64_t      step_m, step_k;
  const float *b;
  int64_t      ldb;
  float       *c;
  int64_t      ldc;
  bool         add; /* accumulate into c */
} UkGemmRow;

static inline __attribute__ ((always_inline)) void
uk_gemm_row_block (const UkGemmRow *g, int64_t first, int n_rows, int n_vectors)
{
  UkVector sum[UK_ACCUMULATORS];
  const float *a = g->a + first * g->step_m;
  float *c = g->c + first * g->ldc;

  /* Contiguous rows come from memory: prefetch the next block's. */
  if (g->step_k == 1)
    for (int64_t e = n_rows * g->step_m; e < 2 * n_rows * g->step_m; e += 16)
      __builtin_prefetch (a + e);
#pragma GCC unroll 24
  for (int i = 0; i < n_rows * n_vectors; i++)
    sum[i] = (UkVector) { 0 };
  for (int64_t k = 0; k < g->k; k++)
    {
      const float *at = a + k * g->step_k, *b = g->b + k * g->ldb;

#pragma GCC unroll 24
      for (int i = 0; i < n_rows; i++)
#pragma GCC unroll 12
        for (int j = 0; j < n_vectors; j++)
          sum[i * n_vectors + j] += at[i * g->step_m] * *(const UkVector *) (b + j * UK_LANES);
    }
#pragma GCC unroll 24
  for (int i = 0; i < n_rows; i++)
#pragma GCC unroll 12
    for (int j = 0; j < n_vectors; j++)
      {
        UkVector *to = (UkVector *) (c + i * g->ldc + j * UK_LANES);

        if (g->add)
          *to += sum[i * n_vectors + j];
        else
          *to = sum[i * n_vectors + j];
      }
}

static inline __attribute__ ((always_inline)) void
uk_gemm_row_all (const UkGemmRow *g, int n_vectors)
{
  int n_rows = UK_ACCUMULATORS / n_vectors;
  int64_t m = 0;

  for (; m + n_rows <= g->m; m += n_rows)
    uk_gemm_row_block (g, m, n_rows, n_vectors);
  /* A few rows at a time; single rows have too few sums to hide the latency of an addition. */
  for (; n_rows > 4 && m + 4 <= g->m; m += 4)
    uk_gemm_row_block (g, m, 4, n_vectors);
  for (; m < g->m; m++)
    uk_gemm_row_block (g, m, 1, n_vectors);
}

/* Any number of vectors, in pieces of up to four. */
static inline void
uk_gemm_row (UkGemmRow g, int64_t n_vectors)
{
  while (n_vectors > 0)
    {
      int64_t n = n_vectors >= 4 ? 4 : n_vectors;

      /* Three at a time leave no remainder for three or six. */
      n = n_vectors % 3 == 0 ? 3 : n;
      switch (n)
        {
        case 1:
          uk_gemm_row_all (&g, 1);
          break;
        case 2:
          uk_gemm_row_all (&g, 2);
          break;
        case 3:
          uk_gemm_row_all (&g, 3);
          break;
        default:
          uk_gemm_row_all (&g, 4);
          break;
        }
      g.b += n * UK_LANES;
      g.c += n * UK_LANES;
      n_vectors -= n;
    }
}
