/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shares.c - the shares of an image that are built, road and large buildings, and their gradient.
 *
 * A sample's coverage becomes a plane, so that its box averages, rows first, then columns, are sums of
 * shifted rows.  Such an average is its own adjoint.
 */
#include "simd.h"

enum { BUILT, ROAD, LARGE };

/* The planes (h, w) of a thread. */
typedef struct
{
  float *coverage, *rows, *average;
} Planes;

static size_t
plane_bytes (const UkOpDesc *desc)
{
  return uk_cpu_align ((size_t) (desc->x.h * desc->x.w) * sizeof (float));
}

static UkStatus
prepare (UkCpuOp *op)
{
  op->base.scratch_bytes = (size_t) op->n_threads * 3 * plane_bytes (&op->base.desc);
  return UK_OK;
}

static Planes
get_planes (const UkOpDesc *desc, char *scratch, int thread)
{
  size_t n_bytes = plane_bytes (desc);
  char *start = scratch + (size_t) thread * 3 * n_bytes;

  return (Planes) { (float *) start, (float *) (start + n_bytes), (float *) (start + 2 * n_bytes) };
}

/* to[col] += from[col + shift], zeros outside. */
static void
add_shifted (float *to, const float *from, int64_t w, int64_t shift)
{
  int64_t begin = shift < 0 ? -shift : 0, end = shift < 0 ? w : w - shift;

#pragma omp simd
  for (int64_t col = begin; col < end; col++)
    to[col] += from[col + shift];
}

/* out = sums of in over boxes of @edge pixels.  @rows: room; out may be in */
static void
sum_boxes (float *out, const float *in, float *rows, int64_t h, int64_t w, int64_t edge)
{
  int64_t half = edge / 2;

  memset (rows, 0, (size_t) (h * w) * sizeof (float));
  for (int64_t row = 0; row < h; row++)
    for (int64_t shift = -half; shift <= half; shift++)
      add_shifted (rows + row * w, in + row * w, w, shift);
  memset (out, 0, (size_t) (h * w) * sizeof (float));
  for (int64_t row = 0; row < h; row++)
    for (int64_t r = row < half ? 0 : row - half; r <= row + half && r < h; r++)
      add_shifted (out + row * w, rows + r * w, w, 0);
}

static double
sum_row (const float *x, int64_t count)
{
  float sum = 0.0f;

#pragma omp simd reduction (+ : sum)
  for (int64_t i = 0; i < count; i++)
    sum += x[i];
  return sum;
}

/* The coverage of pixels by buildings, or by roads: see uk.h. */
static void
fill_coverage (const UkOpDesc *desc, const float *x, int of, float *out)
{
  int64_t n_pixels = desc->x.h * desc->x.w;
  float sign = of == BUILT ? 1.0f : -1.0f;

  if (desc->x.c == 1)
    for (int64_t p = 0; p < n_pixels; p++)
      out[p] = sign * x[p] > 0.0f ? sign * x[p] : 0.0f;
  else
    for (int64_t p = 0; p < n_pixels; p++)
      out[p] = 0.5f * x[p * 3 + of] + 0.5f;
}

static double
sum_plane (const UkOpDesc *desc, const float *plane)
{
  double sum = 0.0;

  for (int64_t row = 0; row < desc->x.h; row++)
    sum += sum_row (plane + row * desc->x.w, desc->x.w);
  return sum;
}

/* Leaves the sums of the buildings' coverage over boxes in planes->average, and the coverage itself. */
static void
sum_built (const UkOpDesc *desc, const float *x, const Planes *planes)
{
  fill_coverage (desc, x, BUILT, planes->coverage);
  sum_boxes (planes->average, planes->coverage, planes->rows, desc->x.h, desc->x.w, desc->kernel);
}

static void
measure_sample (const UkOpDesc *desc, const float *x, const float *scale, const Planes *planes,
                float *y)
{
  int64_t n_pixels = desc->x.h * desc->x.w;
  float area = (float) desc->kernel * (float) desc->kernel, level = desc->target;
  double sums[UK_N_SHARES];

  sum_built (desc, x, planes);
  for (int64_t p = 0; p < n_pixels; p++)
    {
      float excess = planes->average[p] / area - level;

      planes->average[p] = excess > 0.0f ? excess / (1.0f - level) : 0.0f;
    }
  sums[BUILT] = sum_plane (desc, planes->coverage);
  sums[LARGE] = sum_plane (desc, planes->average);
  fill_coverage (desc, x, ROAD, planes->coverage);
  sums[ROAD] = sum_plane (desc, planes->coverage);
  for (int i = 0; i < UK_N_SHARES; i++)
    y[i] = (float) ((sums[i] / (double) n_pixels - scale[i]) * scale[UK_N_SHARES + i]);
}

/* @built, @road: gradients of a pixel's coverage */
static void
put_gradient (const UkOpDesc *desc, const float *x, float built, float road, float *dx)
{
  if (desc->x.c == 1)
    dx[0] = x[0] > 0.0f ? built : x[0] < 0.0f ? -road : 0.0f;
  else
    {
      dx[BUILT] = 0.5f * built;
      dx[ROAD] = 0.5f * road;
      dx[2] = 0.0f;
    }
}

static void
differentiate_sample (const UkOpDesc *desc, const float *x, const float *dy, const float *scale,
                      const Planes *planes, float *dx)
{
  int64_t n_pixels = desc->x.h * desc->x.w, c = desc->x.c;
  float area = (float) desc->kernel * (float) desc->kernel, g[UK_N_SHARES], of_box;

  for (int i = 0; i < UK_N_SHARES; i++)
    g[i] = dy[i] * scale[UK_N_SHARES + i] / (float) n_pixels;
  of_box = g[LARGE] / (area * (1.0f - desc->target));
  sum_built (desc, x, planes);
  for (int64_t p = 0; p < n_pixels; p++)
    planes->average[p] = planes->average[p] / area > desc->target ? 1.0f : 0.0f;
  sum_boxes (planes->average, planes->average, planes->rows, desc->x.h, desc->x.w, desc->kernel);
  for (int64_t p = 0; p < n_pixels; p++)
    put_gradient (desc, x + p * c, g[BUILT] + of_box * planes->average[p], g[ROAD], dx + p * c);
}

/* @dy: (nullable): then the gradient is computed */
static void
run_samples (UkCpuOp *op, const float *x, const float *dy, const float *scale, float *out,
             char *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  int64_t per_sample = desc->x.h * desc->x.w * desc->x.c;
  int n = uk_threads_for (uk_shape_count (desc->x), op->n_threads);

#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    {
      UkRange r = uk_part (desc->x.n, n, t);
      Planes planes = get_planes (desc, scratch, t);

      for (int64_t s = r.begin; s < r.end; s++)
        if (dy == NULL)
          measure_sample (desc, x + s * per_sample, scale, &planes, out + s * UK_N_SHARES);
        else
          differentiate_sample (desc, x + s * per_sample, dy + s * UK_N_SHARES, scale, &planes,
                                out + s * per_sample);
    }
}

static UkStatus
run (UkCpuOp *op, void *const *args, void *scratch)
{
  run_samples (op, args[0], NULL, args[1], args[2], scratch);
  return UK_OK;
}

static UkStatus
run_grad (UkCpuOp *op, void *const *args, void *scratch)
{
  run_samples (op, args[0], args[1], args[2], args[3], scratch);
  return UK_OK;
}

const UkCpuKernel UK_SIMD (shares_kernel) = { .prepare = prepare, .run = run };
const UkCpuKernel UK_SIMD (shares_grad_kernel) = { .prepare = prepare, .run = run_grad };
