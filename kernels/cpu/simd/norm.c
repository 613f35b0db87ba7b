/* SPDX-License-Identifier: Apache-2.0 */
/* norm.c - |v[n]|^2 of each sample and their mean; the squares of a gradient, its norm and the clipping
 * factor. */
#include "simd.h"

enum { SQUARES_BLOCK = 4096 };

/* Blocks are summed in single precision, their sums in double. */
static double
sum_squares (const float *x, int64_t count)
{
  double total = 0.0;

  for (int64_t begin = 0; begin < count; begin += SQUARES_BLOCK)
    {
      int64_t end = count - begin < SQUARES_BLOCK ? count : begin + SQUARES_BLOCK;
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

static UkStatus
squared_run (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const float *v = args[0];
  float *sums = args[1], *metrics = args[2];
  int64_t per_sample = desc->x.h * desc->x.w * desc->x.c;
  int n = uk_threads_for (uk_shape_count (desc->x), op->n_threads);
  double total = 0.0;

#pragma omp parallel for num_threads (n) schedule (static)
  for (int64_t s = 0; s < desc->x.n; s++)
    sums[s] = (float) sum_squares (v + s * per_sample, per_sample);
  for (int64_t s = 0; s < desc->x.n; s++)
    total += sums[s];
  metrics[0] = (float) (total / (double) desc->x.n);
  return UK_OK;
}

const UkCpuKernel UK_SIMD (squared_norm_kernel) = { .run = squared_run };

static UkStatus
squares_prepare (UkCpuOp *op)
{
  op->base.scratch_bytes = (size_t) op->n_threads * UK_CPU_ALIGN; /* one double per thread, each in its own cache line */
  return UK_OK;
}

static UkStatus
squares_run (UkCpuOp *op, void *const *args, void *scratch)
{
  const float *g = args[0];
  float *sum = args[1];
  int64_t count = op->base.desc.x.n;
  int n = uk_threads_for (count, op->n_threads);
  double *parts = scratch, total = 0.0;

#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    {
      UkRange r = uk_part_lines (count, n, t);

      parts[t * 8] = sum_squares (g + r.begin, r.end - r.begin);
    }
  for (int t = 0; t < n; t++)
    total += parts[t * 8];
  *sum = (float) total;
  return UK_OK;
}

const UkCpuKernel UK_SIMD (grad_squares_kernel) = { .prepare = squares_prepare, .run = squares_run };

static UkStatus
factor_run (UkCpuOp *op, void *const *args, void *scratch)
{
  const float *sums = args[0], *hyper = args[1];
  float *out = args[2];
  double total = 0.0, norm, limit = hyper[UK_HYPER_CLIP_NORM], scale = hyper[UK_HYPER_LOSS_SCALE];

  for (int64_t i = 0; i < op->base.desc.x.n; i++)
    total += sums[i];
  norm = sqrt (total) / scale;
  out[0] = (float) norm;
  if (!isfinite (norm))
    out[1] = 0.0f;
  else
    out[1] = (float) ((limit > 0.0 && norm > limit ? limit / norm : 1.0) / scale);
  return UK_OK;
}

const UkCpuKernel UK_SIMD (grad_factor_kernel) = { .run = factor_run };
