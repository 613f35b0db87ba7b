/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depthwise.c - y (n, c) = sum over pixels of x (n, p, c) * w (p, c), and its two gradients.
 *
 * There are about sixteen pixels (4 x 4) per sample.  Threads split the samples, or for the weight
 * gradient the elements of w, so that no sum is ever split.
 */
#include "simd.h"

static void
add_product (float *y, const float *a, const float *b, int64_t count)
{
#pragma omp simd
  for (int64_t i = 0; i < count; i++)
    y[i] += a[i] * b[i];
}

static UkStatus
run_forward (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const float *x = args[0], *w = args[1];
  float *y = args[2];
  int64_t c = desc->x.c, n_pixels = desc->x.h * desc->x.w;
  int n = uk_threads_for (uk_shape_count (desc->x), op->n_threads);

#pragma omp parallel for num_threads (n) schedule (static)
  for (int64_t s = 0; s < desc->x.n; s++)
    {
      memset (y + s * c, 0, (size_t) c * sizeof (float));
      for (int64_t p = 0; p < n_pixels; p++)
        add_product (y + s * c, x + (s * n_pixels + p) * c, w + p * c, c);
    }
  return UK_OK;
}

static UkStatus
run_dgrad (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const float *dy = args[0], *w = args[1];
  float *dx = args[2];
  int64_t c = desc->x.c, n_pixels = desc->x.h * desc->x.w;
  int n = uk_threads_for (uk_shape_count (desc->x), op->n_threads);

#pragma omp parallel for num_threads (n) schedule (static)
  for (int64_t s = 0; s < desc->x.n; s++)
    for (int64_t p = 0; p < n_pixels; p++)
#pragma omp simd
      for (int64_t i = 0; i < c; i++)
        dx[(s * n_pixels + p) * c + i] = dy[s * c + i] * w[p * c + i];
  return UK_OK;
}

static UkStatus
run_wgrad (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const float *x = args[0], *dy = args[1];
  float *dw = args[2];
  int64_t c = desc->x.c, n_pixels = desc->x.h * desc->x.w;
  int n = uk_threads_for (uk_shape_count (desc->x), op->n_threads);

#pragma omp parallel for num_threads (n) schedule (static)
  for (int64_t p = 0; p < n_pixels; p++)
    {
      if (!desc->accumulate)
        memset (dw + p * c, 0, (size_t) c * sizeof (float));
      for (int64_t s = 0; s < desc->x.n; s++)
        add_product (dw + p * c, x + (s * n_pixels + p) * c, dy + s * c, c);
    }
  return UK_OK;
}

const UkCpuKernel UK_SIMD (depthwise_kernel) = { .run = run_forward };
const UkCpuKernel UK_SIMD (depthwise_dgrad_kernel) = { .run = run_dgrad };
const UkCpuKernel UK_SIMD (depthwise_wgrad_kernel) = { .run = run_wgrad };
