/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.c - tiles of bytes to floats in [-1, 1], turned and mirrored at random.
 *
 * Each D4 element reads a destination row as a walk through the source with a
 * constant step, so it is known by two numbers per row: where it begins and
 * how far it goes.
 */
#include "simd.h"

#include "kernels/uk-random.h"

/* One row of @width pixels; @step: elements between source pixels. */
static void
load_row (float *y, const uint8_t *source, int64_t step, int64_t width, int64_t c)
{
  if (step == c)
    {
#pragma omp simd
      for (int64_t i = 0; i < width * c; i++)
        y[i] = (float) source[i] * (1.0f / 127.5f) - 1.0f;
      return;
    }
  for (int64_t col = 0; col < width; col++)
    for (int64_t j = 0; j < c; j++)
      y[col * c + j] = (float) source[col * step + j] * (1.0f / 127.5f) - 1.0f;
}

static void
load_sample (float *y, const uint8_t *tile, UkShape shape, int d4)
{
  for (int64_t row = 0; row < shape.h; row++)
    {
      int64_t r0 = row, c0 = 0, r1 = row, c1 = 1;

      if (d4 != 0)
        {
          uk_dihedral_source (d4, shape.w, row, 0, &r0, &c0);
          uk_dihedral_source (d4, shape.w, row, 1, &r1, &c1);
        }
      load_row (y + row * shape.w * shape.c, tile + (r0 * shape.w + c0) * shape.c,
                ((r1 - r0) * shape.w + c1 - c0) * shape.c, shape.w, shape.c);
    }
}

static UkStatus
run (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const uint8_t *tiles = args[0];
  const uint64_t *rng = args[1];
  float *y = args[2];
  int64_t per_sample = desc->y.h * desc->y.w * desc->y.c;
  int n = uk_threads_for (uk_shape_count (desc->y), op->n_threads);

#pragma omp parallel for num_threads (n) schedule (static)
  for (int64_t s = 0; s < desc->y.n; s++)
    {
      uint32_t block[4] = { 0 };

      if (desc->dihedral)
        uk_philox (rng, desc->stream, (uint64_t) (desc->first_sample + s), block);
      load_sample (y + s * per_sample, tiles + s * per_sample, desc->y, block[0] & 7);
    }
  return UK_OK;
}

const UkCpuKernel UK_SIMD (load_kernel) = { .run = run };
