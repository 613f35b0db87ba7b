/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resample.c - up- and downsampling by two with the bilinear filter [1 3 3 1].
 *
 * Pixel i of the coarse axis is connected to pixels 2 i - 1 + k, 0 <= k < 4, of the fine one, with
 * weight f[k] = 1, 3, 3, 1.  Down: sum of f f / 64.  Up: sum of f f / 16, which weights an inner pixel's
 * four neighbors by 3/4 and 1/4 per axis.  Pixels outside are 0 (R3GAN, 2501.05441, Resamplers).
 */
#include "kernels/reference/reference-private.h"

#include <string.h>

static const double filter[4] = { 1, 3, 3, 1 };

/* dst[n, row, col, :] += weight * src[n, src_row, src_col, :] */
static void
add_pixel (UkShape dst_shape, double *dst, int64_t row, int64_t col, UkShape src_shape,
           const double *src, int64_t src_row, int64_t src_col, int64_t n, double weight)
{
  int64_t c = dst_shape.c;
  double *d = dst + ((n * dst_shape.h + row) * dst_shape.w + col) * c;
  const double *s = src + ((n * src_shape.h + src_row) * src_shape.w + src_col) * c;

  for (int64_t i = 0; i < c; i++)
    d[i] += weight * s[i];
}

UkStatus
uk_reference_resample (const UkOpDesc *desc, void *const *args)
{
  bool up = desc->kind == UK_OP_UPSAMPLE;
  UkShape coarse = up ? desc->x : desc->y, fine = up ? desc->y : desc->x;
  double scale = desc->scale / (up ? 16.0 : 64.0);
  const double *x = args[0];
  double *y = args[1];

  memset (y, 0, (size_t) uk_shape_count (desc->y) * sizeof *y);
  for (int64_t n = 0; n < coarse.n; n++)
    for (int64_t row = 0; row < coarse.h; row++)
      for (int64_t col = 0; col < coarse.w; col++)
        for (int i = 0; i < 4; i++)
          for (int j = 0; j < 4; j++)
            {
              int64_t r = 2 * row - 1 + i, q = 2 * col - 1 + j;
              double weight = scale * filter[i] * filter[j];

              if (r < 0 || r >= fine.h || q < 0 || q >= fine.w)
                continue;
              if (up)
                add_pixel (desc->y, y, r, q, desc->x, x, row, col, n, weight);
              else
                add_pixel (desc->y, y, row, col, desc->x, x, r, q, n, weight);
            }
  return UK_OK;
}
