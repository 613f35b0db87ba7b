/* SPDX-License-Identifier: Apache-2.0 */
/* axpby.c - y = c[n] a + k u, per sample. */
#include "simd.h"

/* Elements [begin, end), split at sample boundaries. */
static void
axpby_range (float *y, const float *a, const float *u, const float *c, float k,
           int64_t per_sample, UkRange r)
{
  for (int64_t i = r.begin; i < r.end;)
    {
      int64_t sample = i / per_sample;
      int64_t end = (sample + 1) * per_sample;

      end = end < r.end ? end : r.end;
#pragma omp simd
      for (int64_t e = i; e < end; e++)
        y[e] = c[sample] * a[e] + k * u[e];
      i = end;
    }
}

static UkStatus
run (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const float *a = args[0], *c = args[1], *u = args[2], *k = args[3];
  float *y = args[4];
  int64_t count = uk_shape_count (desc->x);
  int n = uk_threads_for (count, op->n_threads);

#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    axpby_range (y, a, u, c, *k, count / desc->x.n, uk_part_lines (count, n, t));
  return UK_OK;
}

const UkCpuKernel UK_SIMD (axpby_kernel) = { .run = run };
