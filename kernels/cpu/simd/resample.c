/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resample.c - twice up and twice down with the filter [1 3 3 1].
 *
 * Separable: a row of the result first combines rows of the input into one
 * row of working memory (per thread), then columns within it.  Zeros lie
 * outside, so a missing row or column simply does not add anything.
 */
#include "simd.h"

/* row = a * x0 + b * x1; either input may be NULL (all zeros). */
static void
blend (float *row, const float *x0, float a, const float *x1, float b, int64_t count)
{
  if (x1 == NULL)
    {
#pragma omp simd
      for (int64_t i = 0; i < count; i++)
        row[i] = a * x0[i];
      return;
    }
#pragma omp simd
  for (int64_t i = 0; i < count; i++)
    row[i] = a * x0[i] + b * x1[i];
}

/* ------------------------------------------------------------------------ */
/* Up: y[2 i] = (3 x[i] + x[i - 1]) / 4, y[2 i + 1] = (3 x[i] + x[i + 1]) / 4 */

/* One row, @w pixels -> 2 @w pixels. */
static void
widen (float *y, const float *x, int64_t w, int64_t c)
{
  for (int64_t i = 0; i < w; i++)
    {
      const float *at = x + i * c;

      blend (y + 2 * i * c, at, 0.75f, i > 0 ? at - c : NULL, 0.25f, c);
      blend (y + (2 * i + 1) * c, at, 0.75f, i + 1 < w ? at + c : NULL, 0.25f, c);
    }
}

static void
upsample_row (float *y, const float *sample, UkShape x, int64_t row, float scale, float *room)
{
  int64_t near = row / 2, far = row % 2 == 0 ? near - 1 : near + 1;
  int64_t count = x.w * x.c;
  const float *other = far >= 0 && far < x.h ? sample + far * count : NULL;

  blend (room, sample + near * count, 0.75f * scale, other, 0.25f * scale, count);
  widen (y, room, x.w, x.c);
}

/* ------------------------------------------------------------------------ */
/* Down: y[i] = (x[2 i - 1] + 3 x[2 i] + 3 x[2 i + 1] + x[2 i + 2]) / 8      */

static void
downsample_rows (float *room, const float *sample, UkShape x, int64_t row, float scale)
{
  int64_t count = x.w * x.c;
  const float *mid = sample + 2 * row * count;
  const float *above = row > 0 ? mid - count : NULL;
  const float *below = 2 * row + 2 < x.h ? mid + 2 * count : NULL;
  float near = 0.375f * scale, far = 0.125f * scale;

  blend (room, mid, near, mid + count, near, count);
  if (above != NULL)
    blend (room, room, 1.0f, above, far, count);
  if (below != NULL)
    blend (room, room, 1.0f, below, far, count);
}

/* One row, 2 @w pixels -> @w pixels. */
static void
narrow (float *y, const float *x, int64_t w, int64_t c)
{
  for (int64_t i = 0; i < w; i++)
    {
      const float *mid = x + 2 * i * c;
      float *out = y + i * c;

      blend (out, mid, 0.375f, mid + c, 0.375f, c);
      if (i > 0)
        blend (out, out, 1.0f, mid - c, 0.125f, c);
      if (i + 1 < w)
        blend (out, out, 1.0f, mid + 2 * c, 0.125f, c);
    }
}

static void
downsample_row (float *y, const float *sample, UkShape x, int64_t row, float scale, float *room)
{
  downsample_rows (room, sample, x, row, scale);
  narrow (y, room, x.w / 2, x.c);
}

/* ------------------------------------------------------------------------ */
/* The operations                                                            */

static size_t
room_bytes (const UkOpDesc *desc)
{
  return uk_cpu_align ((size_t) (desc->x.w * desc->x.c) * sizeof (float));
}

static UkStatus
prepare (UkCpuOp *op)
{
  op->base.scratch_bytes = (size_t) op->n_threads * room_bytes (&op->base.desc);
  return UK_OK;
}

static UkStatus
run (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const float *x = args[0];
  float *y = args[1];
  int64_t sample_in = desc->x.h * desc->x.w * desc->x.c, row_out = desc->y.w * desc->y.c;
  int64_t n_rows = desc->y.n * desc->y.h;
  int n = uk_threads_for (uk_shape_count (desc->y), op->n_threads);

#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    {
      UkRange r = uk_part (n_rows, n, t);
      float *room = (float *) ((char *) scratch + (size_t) t * room_bytes (desc));

      for (int64_t i = r.begin; i < r.end; i++)
        {
          const float *sample = x + i / desc->y.h * sample_in;

          if (desc->kind == UK_OP_UPSAMPLE)
            upsample_row (y + i * row_out, sample, desc->x, i % desc->y.h, desc->scale, room);
          else
            downsample_row (y + i * row_out, sample, desc->x, i % desc->y.h, desc->scale, room);
        }
    }
  return UK_OK;
}

const UkCpuKernel UK_SIMD (upsample_kernel) = { .prepare = prepare, .run = run };
const UkCpuKernel UK_SIMD (downsample_kernel) = { .prepare = prepare, .run = run };
