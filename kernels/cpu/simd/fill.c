/* SPDX-License-Identifier: Apache-2.0 */
/* fill.c - fills a tensor with a constant. */
#include "simd.h"

static UkStatus
run (UkCpuOp *op, void *const *args, void *scratch)
{
  float *y = args[0], value = op->base.desc.scale;
  int64_t count = uk_shape_count (op->base.desc.y);
  int n = uk_threads_for (count, op->n_threads);

#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    {
      UkRange r = uk_part_lines (count, n, t);

      for (int64_t i = r.begin; i < r.end; i++)
        y[i] = value;
    }
  return UK_OK;
}

const UkCpuKernel UK_SIMD (fill_kernel) = { .run = run };
