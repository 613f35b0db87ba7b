/* SPDX-License-Identifier: Apache-2.0 */
/*
 * augment.c - DiffAugment: translation, then cut-out; and its adjoint.
 *
 * Both shift rows and columns and fill with zeros, so a sample is copied row by row.  The cut-out square
 * is in the output: a row of y is copied and then cleared inside the square; the adjoint clears the same
 * elements.
 */
#include "simd.h"

#include "kernels/uk-random.h"

typedef struct
{
  int64_t edge, c;
  int64_t rows, cols;           /* y (row, col) = x (row - rows, col - cols) */
  int64_t top, bottom, left, right; /* the square, clipped to the sample */
} Draw;

static int64_t
clamp (int64_t v, int64_t edge)
{
  return v < 0 ? 0 : v > edge ? edge : v;
}

static Draw
draw_sample (const UkOpDesc *desc, const uint64_t *rng, float p, int64_t sample)
{
  uint64_t index = 2 * (uint64_t) (desc->first_sample + sample);
  int64_t edge = desc->x.h, m = edge / 8, half = edge / 4;
  Draw draw = { .edge = edge, .c = desc->x.c };
  uint32_t block[4];

  uk_philox (rng, desc->stream, index, block);
  if (uk_uniform (block[0]) < p)
    {
      draw.cols = (int64_t) (uk_uniform (block[1]) * (2 * m + 1)) - m;
      draw.rows = (int64_t) (uk_uniform (block[2]) * (2 * m + 1)) - m;
    }
  uk_philox (rng, desc->stream, index + 1, block);
  if (uk_uniform (block[0]) < p)
    {
      int64_t col = (int64_t) (uk_uniform (block[1]) * edge);
      int64_t row = (int64_t) (uk_uniform (block[2]) * edge);

      draw.left = clamp (col - half, edge);
      draw.right = clamp (col + half, edge);
      draw.top = clamp (row - half, edge);
      draw.bottom = clamp (row + half, edge);
    }
  return draw;
}

/* to[row] = from[row - rows], shifted by cols, padded with zeros. */
static void
shift_row (float *to, const float *from_sample, const Draw *draw, int64_t row,
           int64_t rows, int64_t cols)
{
  int64_t edge = draw->edge, c = draw->c, source = row - rows;
  int64_t begin = cols > 0 ? cols : 0, end = cols < 0 ? edge + cols : edge;

  if (source < 0 || source >= edge)
    {
      memset (to, 0, (size_t) (edge * c) * sizeof (float));
      return;
    }
  memset (to, 0, (size_t) (begin * c) * sizeof (float));
  memcpy (to + begin * c, from_sample + (source * edge + begin - cols) * c,
          (size_t) ((end - begin) * c) * sizeof (float));
  memset (to + end * c, 0, (size_t) ((edge - end) * c) * sizeof (float));
}

/* Clears columns [left, right) of a row. */
static void
clear_square (float *row, const Draw *draw, int64_t left, int64_t right)
{
  left = clamp (left, draw->edge);
  right = clamp (right, draw->edge);
  if (left < right)
    memset (row + left * draw->c, 0, (size_t) ((right - left) * draw->c) * sizeof (float));
}

/* Shifts (and for the adjoint back), then clears the square.  Pixels that the square hides in y have no
 * gradient at their source in x. */
static void
augment_sample (float *out, const float *in, const Draw *draw, bool adjoint)
{
  int64_t rows = adjoint ? -draw->rows : draw->rows, cols = adjoint ? -draw->cols : draw->cols;

  for (int64_t row = 0; row < draw->edge; row++)
    {
      float *to = out + row * draw->edge * draw->c;
      int64_t row_in_y = adjoint ? row + draw->rows : row;
      int64_t to_x = adjoint ? draw->cols : 0;

      shift_row (to, in, draw, row, rows, cols);
      if (row_in_y >= draw->top && row_in_y < draw->bottom)
        clear_square (to, draw, draw->left - to_x, draw->right - to_x);
    }
}

static UkStatus
run (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const float *in = args[0], *p = args[2];
  const uint64_t *rng = args[1];
  float *out = args[3];
  int64_t per_sample = desc->x.h * desc->x.w * desc->x.c;
  int n = uk_threads_for (uk_shape_count (desc->x), op->n_threads);

#pragma omp parallel for num_threads (n) schedule (static)
  for (int64_t s = 0; s < desc->x.n; s++)
    {
      Draw draw = draw_sample (desc, rng, *p, s);

      augment_sample (out + s * per_sample, in + s * per_sample, &draw,
                      desc->kind == UK_OP_AUGMENT_GRAD);
    }
  return UK_OK;
}

const UkCpuKernel UK_SIMD (augment_kernel) = { .run = run };
