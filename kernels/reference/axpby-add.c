/* SPDX-License-Identifier: Apache-2.0 */
/* axpby-add.c - sums of whole tensors, constants, and channels side by side. */
#include "kernels/reference/reference-private.h"

UkStatus
uk_reference_add (const UkOpDesc *desc, void *const *args)
{
  const double *a = args[0], *b = args[1];
  double *y = args[2];

  for (int64_t e = 0; e < uk_shape_count (desc->x); e++)
    y[e] = a[e] + b[e];
  return UK_OK;
}

/* y[n, ...] = c[n] a[n, ...] + k u[n, ...] */
UkStatus
uk_reference_axpby (const UkOpDesc *desc, void *const *args)
{
  const double *a = args[0], *c = args[1], *u = args[2], *k = args[3];
  double *y = args[4];
  int64_t per_sample = desc->x.h * desc->x.w * desc->x.c;

  for (int64_t n = 0; n < desc->x.n; n++)
    for (int64_t e = n * per_sample; e < (n + 1) * per_sample; e++)
      y[e] = c[n] * a[e] + *k * u[e];
  return UK_OK;
}

UkStatus
uk_reference_fill (const UkOpDesc *desc, void *const *args)
{
  const double *scale = args[0];
  double *y = args[1];

  for (int64_t e = 0; e < uk_shape_count (desc->y); e++)
    y[e] = desc->scale * (scale != NULL ? *scale : 1);
  return UK_OK;
}

UkStatus
uk_reference_concat (const UkOpDesc *desc, void *const *args)
{
  const double *a = args[0], *b = args[1];
  double *y = args[2];
  int64_t n_pixels = desc->x.n * desc->x.h * desc->x.w, of_a = desc->x.c, of_y = desc->y.c;

  for (int64_t p = 0; p < n_pixels; p++)
    for (int64_t i = 0; i < of_y; i++)
      y[p * of_y + i] = i < of_a ? a[p * of_a + i] : b[p * (of_y - of_a) + i - of_a];
  return UK_OK;
}
