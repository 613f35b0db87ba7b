/* SPDX-License-Identifier: Apache-2.0 */
/* axpby-add.c - y = a + b, and accumulate(): y += x; y = c[n] a + k u, per sample; constants; channels side
 * by side. */
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
add_run (UkCpuOp *op, void *const *args, void *scratch)
{
  add_all (args[2], args[0], args[1], uk_shape_count (op->base.desc.x), op->n_threads);
  return UK_OK;
}

const UkCpuKernel UK_SIMD (add_kernel) = { .run = add_run };

/* y = c[n] a + k u on elements [begin, end), split at sample boundaries. */
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
axpby_run (UkCpuOp *op, void *const *args, void *scratch)
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

const UkCpuKernel UK_SIMD (axpby_kernel) = { .run = axpby_run };

static UkStatus
fill_run (UkCpuOp *op, void *const *args, void *scratch)
{
  const float *scale = args[0];
  float *y = args[1], value = op->base.desc.scale * (scale != NULL ? *scale : 1.0f);
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

const UkCpuKernel UK_SIMD (fill_kernel) = { .run = fill_run };

/* Of a network's input: too few values for several threads. */
static UkStatus
concat_run (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const float *a = args[0], *b = args[1];
  float *y = args[2];
  size_t of_a = (size_t) desc->x.c, of_b = (size_t) (desc->y.c - desc->x.c);

  for (int64_t p = 0; p < desc->x.n * desc->x.h * desc->x.w; p++, a += of_a, b += of_b, y += of_a + of_b)
    {
      memcpy (y, a, of_a * sizeof (float));
      memcpy (y + of_a, b, of_b * sizeof (float));
    }
  return UK_OK;
}

const UkCpuKernel UK_SIMD (concat_kernel) = { .run = concat_run };
