/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.c - byte or bit tiles to floats in [-1, 1], randomly rotated and mirrored.
 *
 * Under each D4 element, a destination row is a walk through the source with a constant step, given by
 * its start and its step.
 */
#include "simd.h"

#include "kernels/uk-random.h"

static inline float
value_of (uint8_t level)
{
  return (float) level * (1.0f / 127.5f) - 1.0f;
}

/* One row of @width pixels; @step: elements between source pixels. */
static void
load_row (float *y, const uint8_t *source, int64_t step, int64_t width, int64_t c)
{
  if (step == c)
    {
#pragma omp simd
      for (int64_t i = 0; i < width * c; i++)
        y[i] = value_of (source[i]);
      return;
    }
  for (int64_t col = 0; col < width; col++)
    for (int64_t j = 0; j < c; j++)
      y[col * c + j] = value_of (source[col * step + j]);
}

/* ------------------------------------------------------------------------ */
/* Bits                                                                      */

/* Least significant bit first. */
static void
load_bits (float *y, const uint8_t *bits, int64_t count, const float of_bit[2])
{
  const float zero = of_bit[0], one = of_bit[1];
  int64_t n_bytes = count / 8;

  for (int64_t i = 0; i < n_bytes; i++)
    {
      int byte = bits[i];

#pragma omp simd
      for (int j = 0; j < 8; j++)
        y[8 * i + j] = byte & 1 << j ? one : zero;
    }
  for (int64_t i = 8 * n_bytes; i < count; i++)
    y[i] = bits[i / 8] >> i % 8 & 1 ? one : zero;
}

/* Pixels of @c bits, starting at bit @at, @step bits apart. */
static inline void
load_pixels (float *y, const uint8_t *bits, int64_t at, int64_t step, int64_t width, int64_t c,
             const float of_bit[2])
{
  for (int64_t col = 0; col < width; col++, at += step, y += c)
    for (int64_t j = 0; j < c; j++)
      y[j] = of_bit[bits[(at + j) >> 3] >> ((at + j) & 7) & 1];
}

/* ------------------------------------------------------------------------ */

static void
load_sample (const UkOpDesc *desc, float *y, const uint8_t *tile, int d4, const float of_bit[2])
{
  UkShape shape = desc->y;

  for (int64_t row = 0; row < shape.h; row++, y += shape.w * shape.c)
    {
      int64_t r0 = row, c0 = 0, r1 = row, c1 = 1, source, step;

      if (d4 != 0)
        {
          uk_dihedral_source (d4, shape.w, row, 0, &r0, &c0);
          uk_dihedral_source (d4, shape.w, row, 1, &r1, &c1);
        }
      source = (r0 * shape.w + c0) * shape.c;
      step = ((r1 - r0) * shape.w + c1 - c0) * shape.c;
      if (!desc->bits)
        load_row (y, tile + source, step, shape.w, shape.c);
      else if (step == shape.c && source % 8 == 0)
        load_bits (y, tile + source / 8, shape.w * shape.c, of_bit);
      else if (shape.c == 3)
        load_pixels (y, tile, source, step, shape.w, 3, of_bit);
      else
        load_pixels (y, tile, source, step, shape.w, shape.c, of_bit);
    }
}

static UkStatus
run (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const uint8_t *tiles = args[0];
  const uint64_t *rng = args[1];
  /* Volatile, because the compiler would round a constant twice where its fused code for bytes rounds
   * once. */
  static const volatile uint8_t levels[2] = { 0, 255 };
  float *y = args[2], of_bit[2] = { value_of (levels[0]), value_of (levels[1]) };
  int64_t per_sample = desc->y.h * desc->y.w * desc->y.c;
  int64_t tile_bytes = uk_op_arg_count (desc, 0) / desc->y.n;
  int n = uk_threads_for (uk_shape_count (desc->y), op->n_threads);

#pragma omp parallel for num_threads (n) schedule (static)
  for (int64_t s = 0; s < desc->y.n; s++)
    {
      uint32_t block[4] = { 0 };

      if (desc->dihedral)
        uk_philox (rng, desc->stream, (uint64_t) (desc->first_sample + s), block);
      load_sample (desc, y + s * per_sample, tiles + s * tile_bytes, block[0] & 7, of_bit);
    }
  return UK_OK;
}

const UkCpuKernel UK_SIMD (load_kernel) = { .run = run };
