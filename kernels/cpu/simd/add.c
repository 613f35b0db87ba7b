/* SPDX-License-Identifier: Apache-2.0 */
/* add.c - y = a + b, and accumulate(): y += x. */
#include "simd.h"

static void
add_all (float *y, const float *a, const float *b, int64_t count, int n_threads)
{
  int n = uk_threads_for (count, n_threads);

#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    {
      UkRange r = uk_part_lines (count, n, t);

#pragma omp simd
      for (int64_t i = r.begin; i < r.end; i++)
        y[i] = a[i] + b[i];
    }
}

void
UK_SIMD (accumulate) (float *y, const float *x, int64_t count, int n_threads)
{
  add_all (y, y, x, count, n_threads);
}

static UkStatus
run (UkCpuOp *op, void *const *args, void *scratch)
{
  add_all (args[2], args[0], args[1], uk_shape_count (op->base.desc.x), op->n_threads);
  return UK_OK;
}

const UkCpuKernel UK_SIMD (add_kernel) = { .run = run };
