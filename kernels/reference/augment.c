/* SPDX-License-Identifier: Apache-2.0 */
/*
 * augment.c - DiffAugment's translation and cut-out (Zhao et al. 2020,
 * 2006.10738), and their adjoint.
 *
 * Both only select which pixel of x, if any, becomes a pixel of y, so the adjoint sends each pixel of dy
 * back along the same path.  uk-random.h defines the random draws.
 */
#include "kernels/reference/reference-private.h"
#include "kernels/uk-random.h"

#include <string.h>

typedef struct
{
  int64_t shift_rows, shift_cols;
  int64_t cut_top, cut_left, cut_edge; /* cut_edge 0: no cut-out */
} Draw;

static Draw
draw_sample (const UkOpDesc *desc, const uint64_t rng[2], double p, int64_t n)
{
  uint64_t sample = (uint64_t) (desc->first_sample + n);
  int64_t edge = desc->x.h, m = edge / 8;
  uint32_t words[4];
  Draw draw = { 0 };

  uk_philox (rng, desc->stream, 2 * sample, words);
  if (uk_uniform (words[0]) < p)
    {
      draw.shift_cols = (int64_t) (uk_uniform (words[1]) * (2 * m + 1)) - m;
      draw.shift_rows = (int64_t) (uk_uniform (words[2]) * (2 * m + 1)) - m;
    }
  uk_philox (rng, desc->stream, 2 * sample + 1, words);
  if (uk_uniform (words[0]) < p)
    {
      draw.cut_left = (int64_t) (uk_uniform (words[1]) * edge) - edge / 4;
      draw.cut_top = (int64_t) (uk_uniform (words[2]) * edge) - edge / 4;
      draw.cut_edge = 2 * (edge / 4);
    }
  return draw;
}

/* Forward: dst is y and src is x.  Adjoint: dst is dx and src is dy. */
UkStatus
uk_reference_augment (const UkOpDesc *desc, void *const *args)
{
  bool adjoint = desc->kind == UK_OP_AUGMENT_GRAD;
  const double *src = args[0], *p = args[2];
  const uint64_t *rng = args[1];
  double *dst = args[3];
  int64_t edge = desc->x.h, c = desc->x.c;

  memset (dst, 0, (size_t) uk_shape_count (desc->x) * sizeof *dst);
  for (int64_t n = 0; n < desc->x.n; n++)
    {
      Draw draw = draw_sample (desc, rng, *p, n);

      for (int64_t row = 0; row < edge; row++)
        for (int64_t col = 0; col < edge; col++)
          {
            /* Pixel (row, col) of y comes from this pixel of x. */
            int64_t from_row = row - draw.shift_rows, from_col = col - draw.shift_cols;
            int64_t at_x = ((n * edge + from_row) * edge + from_col) * c;
            int64_t at_y = ((n * edge + row) * edge + col) * c;
            bool is_cut = row >= draw.cut_top && row < draw.cut_top + draw.cut_edge
                          && col >= draw.cut_left && col < draw.cut_left + draw.cut_edge;

            if (is_cut || from_row < 0 || from_row >= edge || from_col < 0 || from_col >= edge)
              continue;
            memcpy (dst + (adjoint ? at_x : at_y), src + (adjoint ? at_y : at_x),
                    (size_t) c * sizeof *dst);
          }
    }
  return UK_OK;
}
