/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peak.c - the processor's peak rate of multiply-adds.
 *
 * Twelve independent chains cover the latency of a fused multiply-add on two ports; vectors are GCC's
 * extension type, as wide as the instruction set has them.
 */
#include "simd.h"

enum { N_CHAINS = 12 };

double
UK_SIMD (peak_flops) (int64_t n)
{
  UkVector chains[N_CHAINS], a, b;
  float sum = 0.0f;

  for (int lane = 0; lane < UK_LANES; lane++)
    {
      a[lane] = 0.999999f;
      b[lane] = 1e-7f;
    }
  for (int i = 0; i < N_CHAINS; i++)
    chains[i] = b + (float) i;
  for (int64_t round = 0; round < n; round++)
#pragma GCC unroll 12
    for (int i = 0; i < N_CHAINS; i++)
      chains[i] = chains[i] * a + b;
  for (int i = 0; i < N_CHAINS; i++)
    sum += chains[i][0];
  /* The sum is positive; the test keeps the compiler from removing the work. */
  return sum >= 0.0f ? 2.0 * N_CHAINS * UK_LANES * (double) n : 0.0;
}
