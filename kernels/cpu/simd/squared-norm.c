/* SPDX-License-Identifier: Apache-2.0 */
/* squared-norm.c - |v[n]|^2 of each sample, and their mean. */
#include "sum-squares.h"

static UkStatus
run (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const float *v = args[0];
  float *sums = args[1], *metrics = args[2];
  int64_t per_sample = desc->x.h * desc->x.w * desc->x.c;
  int n = uk_threads_for (uk_shape_count (desc->x), op->n_threads);
  double total = 0.0;

#pragma omp parallel for num_threads (n) schedule (static)
  for (int64_t s = 0; s < desc->x.n; s++)
    sums[s] = (float) uk_sum_squares (v + s * per_sample, per_sample);
  for (int64_t s = 0; s < desc->x.n; s++)
    total += sums[s];
  metrics[0] = (float) (total / (double) desc->x.n);
  return UK_OK;
}

const UkCpuKernel UK_SIMD (squared_norm_kernel) = { .run = run };
