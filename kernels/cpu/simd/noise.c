/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise.c - standard normal values, four from each Philox block.
 *
 * The generator's input has a few thousand elements per step, so this uses the exact functions in double
 * precision; threads split the blocks.
 */
#include "simd.h"

#include "kernels/uk-random.h"

enum { NOISE_MIN_PER_THREAD = 512 };

static UkStatus
run (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const uint64_t *rng = args[0];
  float *y = args[1];
  int64_t per_sample = desc->y.h * desc->y.w * desc->y.c;
  int64_t n_blocks = (per_sample + 3) / 4, total = desc->y.n * n_blocks;
  int64_t worth = total * 4 / NOISE_MIN_PER_THREAD;
  int n = worth < 1 ? 1 : worth < op->n_threads ? (int) worth : op->n_threads;

#pragma omp parallel for num_threads (n) schedule (static)
  for (int64_t b = 0; b < total; b++)
    {
      int64_t s = b / n_blocks, e = b % n_blocks * 4;

      uk_normals (rng, desc->stream, ((uint64_t) (desc->first_sample + s) << 20) + (uint64_t) e / 4,
                  0, per_sample - e < 4 ? per_sample - e : 4, y + s * per_sample + e);
    }
  return UK_OK;
}

const UkCpuKernel UK_SIMD (noise_kernel) = { .run = run };
