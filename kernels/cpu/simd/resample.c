/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resample.c - upsampling and downsampling by two with the filter [1 3 3 1].
 *
 * Separable: a row of the result first blends rows of the input into a row of scratch (per thread), then
 * columns within it.  Pixels outside are 0, so a missing row or column is skipped.
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

static void
upsample_row (float *y, const float *sample, UkShape x, int64_t row, float scale, float *room)
{
  int64_t near = row / 2, far = row % 2 == 0 ? near - 1 : near + 1;
  int64_t count = x.w * x.c;
  const float *other = far >= 0 && far < x.h ? sample + far * count : NULL;

  blend (room, sample + near * count, 0.75f * scale, other, 0.25f * scale, count);
  /* Columns: x.w pixels -> 2 x.w pixels. */
  for (int64_t i = 0; i < x.w; i++)
    {
      const float *at = room + i * x.c;

      blend (y + 2 * i * x.c, at, 0.75f, i > 0 ? at - x.c : NULL, 0.25f, x.c);
      blend (y + (2 * i + 1) * x.c, at, 0.75f, i + 1 < x.w ? at + x.c : NULL, 0.25f, x.c);
    }
}

/* ------------------------------------------------------------------------ */
/* Down: y[i] = (x[2 i - 1] + 3 x[2 i] + 3 x[2 i + 1] + x[2 i + 2]) / 8      */

/* out = 3/8 of the two middle inputs + 1/8 of the outer ones, times @scale; outer ones may be NULL. */
static void
blend_four (float *out, const float *before, const float *mid0, const float *mid1,
            const float *after, float scale, int64_t count)
{
  float near = 0.375f * scale, far = 0.125f * scale;

  blend (out, mid0, near, mid1, near, count);
  if (before != NULL)
    blend (out, out, 1.0f, before, far, count);
  if (after != NULL)
    blend (out, out, 1.0f, after, far, count);
}

static void
downsample_row (float *y, const float *sample, UkShape x, int64_t row, float scale, float *room)
{
  int64_t count = x.w * x.c, c = x.c;
  const float *mid = sample + 2 * row * count;

  blend_four (room, row > 0 ? mid - count : NULL, mid, mid + count,
              2 * row + 2 < x.h ? mid + 2 * count : NULL, scale, count);
  for (int64_t i = 0; i < x.w / 2; i++)
    {
      mid = room + 2 * i * c;
      blend_four (y + i * c, i > 0 ? mid - c : NULL, mid, mid + c,
                  i + 1 < x.w / 2 ? mid + 2 * c : NULL, 1.0f, c);
    }
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

const UkCpuKernel UK_SIMD (resample_kernel) = { .prepare = prepare, .run = run };
