/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bias-act.c - y = act (x + b), and its gradient.
 *
 * The gradient covers the activation's input and, optionally, the bias, with sample n weighted by
 * scale[n]: under the exact R1/R2 penalty a unit cotangent runs through the network, and a sample's
 * weight in the loss, c[n], is applied only to parameter gradients.
 */
#include "kernels/reference/reference-private.h"

UkStatus
uk_reference_bias_act (const UkOpDesc *desc, void *const *args)
{
  const double *x = args[0], *b = args[1];
  double *y = args[2];
  int64_t n_pixels = desc->x.n * desc->x.h * desc->x.w, c = desc->x.c;

  for (int64_t p = 0; p < n_pixels; p++)
    {
      for (int64_t i = 0; i < c; i++)
        y[p * c + i] = x[p * c + i] + (b != NULL ? b[i] : 0);
      uk_reference_act_pixel (desc, y + p * c, c);
    }
  return UK_OK;
}

UkStatus
uk_reference_act_grad (const UkOpDesc *desc, void *const *args)
{
  const double *y = args[0], *dy = args[1], *scale = args[2], *g;
  double *db = args[3], *dx = args[4];
  int64_t n_pixels = desc->x.n * desc->x.h * desc->x.w, c = desc->x.c;

  if (desc->act != UK_ACT_NONE && (y == NULL || dx == NULL))
    return UK_BAD_ARGUMENT;
  if (db == NULL && dx == NULL)
    return UK_BAD_ARGUMENT;
  for (int64_t p = 0; p < n_pixels && dx != NULL; p++)
    uk_reference_act_grad_pixel (desc, y != NULL ? y + p * c : NULL, dy + p * c, dx + p * c, c);
  if (db == NULL)
    return UK_OK;
  for (int64_t i = 0; i < c && !desc->accumulate; i++)
    db[i] = 0;
  g = dx != NULL ? dx : dy;
  n_pixels /= desc->x.n;
  for (int64_t n = 0; n < desc->x.n; n++)
    for (int64_t p = 0; p < n_pixels; p++)
      for (int64_t i = 0; i < c; i++)
        db[i] += (scale != NULL ? scale[n] : 1) * g[(n * n_pixels + p) * c + i];
  return UK_OK;
}
