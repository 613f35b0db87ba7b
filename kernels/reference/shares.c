/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shares.c - how much of an image is built, road and large buildings, and the gradient of that.
 *
 * All three are piecewise linear in the image, so the gradient needs the image only.  A pixel's part in
 * the box averages of the pixels around it is their gradient, scattered over their boxes.
 */
#include "kernels/reference/reference-private.h"

#include <math.h>

enum { BUILT, ROAD, LARGE, N_SHARES };

/* The channel that tells how much of a pixel a building (@of ROAD: a road) covers, and the coverage's
 * slope in it; see uk.h. */
static double
get_slope (const UkOpDesc *desc, const double *pixel, int of, int *channel)
{
  double sign = of == BUILT ? 1 : -1;

  *channel = desc->x.c == 1 ? 0 : of;
  if (desc->x.c > 1)
    return 0.5;
  return sign * pixel[0] > 0 ? sign : 0;
}

static double
get_coverage (const UkOpDesc *desc, const double *pixel, int of)
{
  int channel;
  double slope = get_slope (desc, pixel, of, &channel);

  return slope * pixel[channel] + (desc->x.c > 1 ? 0.5 : 0);
}

static void
add_gradient (const UkOpDesc *desc, const double *pixel, int of, double gradient, double *dx)
{
  int channel;
  double slope = get_slope (desc, pixel, of, &channel);

  dx[channel] += gradient * slope;
}

/* The average coverage by buildings of the box around a pixel.  @dx: (nullable): receives @gradient of it
 * instead. */
static double
visit_box (const UkOpDesc *desc, const double *x, int64_t row, int64_t col, double gradient, double *dx)
{
  int64_t h = desc->x.h, w = desc->x.w, half = desc->kernel / 2;
  double area = (double) desc->kernel * desc->kernel, sum = 0;

  for (int64_t r = row - half; r <= row + half; r++)
    for (int64_t q = col - half; q <= col + half; q++)
      {
        int64_t at = (r * w + q) * desc->x.c;

        if (r < 0 || r >= h || q < 0 || q >= w)
          continue;
        if (dx != NULL)
          add_gradient (desc, x + at, BUILT, gradient / area, dx + at);
        else
          sum += get_coverage (desc, x + at, BUILT);
      }
  return sum / area;
}

/* How far a box average is above the level, from 0 to 1. */
static double
get_excess (const UkOpDesc *desc, double average)
{
  return fmax (average - desc->target, 0) / (1 - desc->target);
}

UkStatus
uk_reference_shares (const UkOpDesc *desc, void *const *args)
{
  const double *x = args[0], *scale = args[1];
  double *y = args[2];
  int64_t h = desc->x.h, w = desc->x.w, c = desc->x.c;

  for (int64_t n = 0; n < desc->x.n; n++, x += h * w * c, y += N_SHARES)
    {
      double sums[N_SHARES] = { 0 };

      for (int64_t row = 0; row < h; row++)
        for (int64_t col = 0; col < w; col++)
          {
            sums[BUILT] += get_coverage (desc, x + (row * w + col) * c, BUILT);
            sums[ROAD] += get_coverage (desc, x + (row * w + col) * c, ROAD);
            sums[LARGE] += get_excess (desc, visit_box (desc, x, row, col, 0, NULL));
          }
      for (int i = 0; i < N_SHARES; i++)
        y[i] = (sums[i] / (double) (h * w) - scale[i]) * scale[N_SHARES + i];
    }
  return UK_OK;
}

UkStatus
uk_reference_shares_grad (const UkOpDesc *desc, void *const *args)
{
  const double *x = args[0], *dy = args[1], *scale = args[2];
  double *dx = args[3];
  int64_t h = desc->x.h, w = desc->x.w, c = desc->x.c;

  for (int64_t e = 0; e < uk_shape_count (desc->x); e++)
    dx[e] = 0;
  for (int64_t n = 0; n < desc->x.n; n++, x += h * w * c, dx += h * w * c, dy += N_SHARES)
    {
      double gradients[N_SHARES];

      for (int i = 0; i < N_SHARES; i++)
        gradients[i] = dy[i] * scale[N_SHARES + i] / (double) (h * w);
      for (int64_t row = 0; row < h; row++)
        for (int64_t col = 0; col < w; col++)
          {
            int64_t at = (row * w + col) * c;

            add_gradient (desc, x + at, BUILT, gradients[BUILT], dx + at);
            add_gradient (desc, x + at, ROAD, gradients[ROAD], dx + at);
            if (get_excess (desc, visit_box (desc, x, row, col, 0, NULL)) > 0)
              visit_box (desc, x, row, col, gradients[LARGE] / (1 - desc->target), dx);
          }
    }
  return UK_OK;
}
