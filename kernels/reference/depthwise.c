/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depthwise.c - a weighted sum over the pixels, per channel.
 *
 *   y[n, c] = sum_p w[p, c] x[n, p, c]
 */
#include "kernels/reference/reference-private.h"

#include <string.h>

UkStatus
uk_reference_depthwise (const UkOpDesc *desc, void *const *args)
{
  const double *x = args[0], *w = args[1];
  double *y = args[2];
  int64_t n_pixels = desc->x.h * desc->x.w, c = desc->x.c;

  for (int64_t n = 0; n < desc->x.n; n++)
    for (int64_t i = 0; i < c; i++)
      {
        double sum = 0;

        for (int64_t p = 0; p < n_pixels; p++)
          sum += w[p * c + i] * x[(n * n_pixels + p) * c + i];
        y[n * c + i] = sum;
      }
  return UK_OK;
}

/* dx[n, p, c] = w[p, c] dy[n, c] */
UkStatus
uk_reference_depthwise_dgrad (const UkOpDesc *desc, void *const *args)
{
  const double *dy = args[0], *w = args[1];
  double *dx = args[2];
  int64_t n_pixels = desc->x.h * desc->x.w, c = desc->x.c;

  for (int64_t n = 0; n < desc->x.n; n++)
    for (int64_t p = 0; p < n_pixels; p++)
      for (int64_t i = 0; i < c; i++)
        dx[(n * n_pixels + p) * c + i] = w[p * c + i] * dy[n * c + i];
  return UK_OK;
}

/* dw[p, c] = sum_n x[n, p, c] dy[n, c] */
UkStatus
uk_reference_depthwise_wgrad (const UkOpDesc *desc, void *const *args)
{
  const double *x = args[0], *dy = args[1];
  double *dw = args[2];
  int64_t n_pixels = desc->x.h * desc->x.w, c = desc->x.c;

  if (!desc->accumulate)
    memset (dw, 0, (size_t) (n_pixels * c) * sizeof *dw);
  for (int64_t n = 0; n < desc->x.n; n++)
    for (int64_t p = 0; p < n_pixels; p++)
      for (int64_t i = 0; i < c; i++)
        dw[p * c + i] += x[(n * n_pixels + p) * c + i] * dy[n * c + i];
  return UK_OK;
}
