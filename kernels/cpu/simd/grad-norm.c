/* SPDX-License-Identifier: Apache-2.0 */
/* grad-norm.c - the norm of the gradient, and the clipping factor. */
#include "sum-squares.h"

static UkStatus
prepare (UkCpuOp *op)
{
  op->base.scratch_bytes = (size_t) op->n_threads * UK_CPU_ALIGN; /* one double per thread, each in its own cache line */
  return UK_OK;
}

static UkStatus
run (UkCpuOp *op, void *const *args, void *scratch)
{
  const float *g = args[0], *hyper = args[1];
  float *out = args[2];
  int64_t count = op->base.desc.x.n;
  int n = uk_threads_for (count, op->n_threads);
  double *parts = scratch, total = 0.0, norm, limit = hyper[UK_HYPER_CLIP_NORM];

#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    {
      UkRange r = uk_part_lines (count, n, t);

      parts[t * 8] = uk_sum_squares (g + r.begin, r.end - r.begin);
    }
  for (int t = 0; t < n; t++)
    total += parts[t * 8];
  norm = sqrt (total);
  out[0] = (float) norm;
  if (!isfinite (norm))
    out[1] = 0.0f;
  else
    out[1] = limit > 0.0 && norm > limit ? (float) (limit / norm) : 1.0f;
  return UK_OK;
}

const UkCpuKernel UK_SIMD (grad_norm_kernel) = { .prepare = prepare, .run = run };
