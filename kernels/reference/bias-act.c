/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bias-act.c - y = act (x + b), and back.
 *
 * Going back yields both the gradient of the activation's input and, if asked
 * for, the bias gradient, each sample weighted by scale[n]: under the exact
 * R1/R2 penalty a unit cotangent runs through the network, and a sample's
 * share of the loss, c[n], is only multiplied in where parameters are reached.
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

/* db[i] += sum over n, p of scale[n] * dx[n, p, i] */
static void
add_bias_gradient (const UkOpDesc *desc, const double *dx, const double *scale, double *db)
{
  int64_t n_pixels = desc->x.h * desc->x.w, c = desc->x.c;

  for (int64_t n = 0; n < desc->x.n; n++)
    for (int64_t p = 0; p < n_pixels; p++)
      for (int64_t i = 0; i < c; i++)
        db[i] += (scale != NULL ? scale[n] : 1) * dx[(n * n_pixels + p) * c + i];
}

UkStatus
uk_reference_act_grad (const UkOpDesc *desc, void *const *args)
{
  const double *y = args[0], *dy = args[1], *scale = args[2];
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
  add_bias_gradient (desc, dx != NULL ? dx : dy, scale, db);
  return UK_OK;
}
