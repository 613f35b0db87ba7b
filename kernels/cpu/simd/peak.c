/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peak.c - how many multiply-adds the processor does if nothing stops it.
 *
 * Twelve independent chains cover the latency of a fused multiply-add on two
 * ports; vectors are the compiler's extension type, as wide as the
 * instruction set has them.
 */
#include "simd.h"

#if defined __AVX512F__
#define VECTOR_BYTES 64
#elif defined __AVX2__
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

enum { N_CHAINS = 12, LANES = VECTOR_BYTES / sizeof (float) };

typedef float Vector __attribute__ ((vector_size (VECTOR_BYTES)));

double
UK_SIMD (peak_flops) (int64_t n)
{
  Vector chains[N_CHAINS], a, b;
  float sum = 0.0f;

  for (int lane = 0; lane < LANES; lane++)
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
  /* The sum is positive; asking keeps the compiler from dropping the work. */
  return sum >= 0.0f ? 2.0 * N_CHAINS * LANES * (double) n : 0.0;
}
