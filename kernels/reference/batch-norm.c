/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch-norm.c - batch normalisation with its activation (Ioffe & Szegedy,
 * 1502.03167), forward, backward, and with given statistics.
 *
 * Over the m = n h w values of a channel:
 *
 *   mean = 1/m sum x,  var = 1/m sum (x - mean)^2,  inv_std = 1 / sqrt (var + eps)
 *   xhat = (x - mean) inv_std,  y = act (gamma xhat + beta)
 *
 * and with g = dy act':
 *
 *   dbeta = sum g,  dgamma = sum g xhat
 *   dx = gamma inv_std (g - dbeta / m - xhat dgamma / m)
 */
#include "kernels/reference/reference-private.h"

#include <math.h>

static int64_t
pixel_count (const UkOpDesc *desc)
{
  return desc->x.n * desc->x.h * desc->x.w;
}

static void
statistics (const double *x, int64_t m, int64_t c, int64_t channel, double *mean, double *var)
{
  double sum = 0, squares = 0;

  for (int64_t p = 0; p < m; p++)
    sum += x[p * c + channel];
  *mean = sum / m;
  for (int64_t p = 0; p < m; p++)
    {
      double d = x[p * c + channel] - *mean;

      squares += d * d;
    }
  *var = squares / m;
}

/* y = act (scale * x + shift) */
static void
affine_act (const UkOpDesc *desc, const double *x, double *y, int64_t channel, double scale,
            double shift)
{
  int64_t c = desc->x.c;

  for (int64_t p = 0; p < pixel_count (desc); p++)
    {
      y[p * c + channel] = scale * x[p * c + channel] + shift;
      uk_reference_act_pixel (desc, y + p * c + channel, 1);
    }
}

UkStatus
uk_reference_batch_norm (const UkOpDesc *desc, void *const *args)
{
  const double *x = args[0], *gamma = args[1], *beta = args[2];
  double *running_mean = args[3], *running_var = args[4];
  double *y = args[5], *mean = args[6], *inv_std = args[7];
  int64_t m = pixel_count (desc), c = desc->x.c;
  double momentum = desc->momentum;

  for (int64_t i = 0; i < c; i++)
    {
      double var, scale;

      statistics (x, m, c, i, &mean[i], &var);
      inv_std[i] = 1 / sqrt (var + desc->eps);
      scale = gamma[i] * inv_std[i];
      affine_act (desc, x, y, i, scale, beta[i] - scale * mean[i]);
      if (running_mean != NULL)
        running_mean[i] = (1 - momentum) * running_mean[i] + momentum * mean[i];
      /* A single value has no unbiased variance; its biased one is 0. */
      if (running_var != NULL)
        running_var[i] = (1 - momentum) * running_var[i]
                         + momentum * var * (m > 1 ? m / (m - 1.0) : 1);
    }
  return UK_OK;
}

UkStatus
uk_reference_batch_norm_grad (const UkOpDesc *desc, void *const *args)
{
  const double *x = args[0], *y = args[1], *dy = args[2];
  const double *gamma = args[3], *mean = args[4], *inv_std = args[5];
  double *dx = args[6], *dgamma = args[7], *dbeta = args[8];
  int64_t m = pixel_count (desc), c = desc->x.c;

  for (int64_t i = 0; i < c; i++)
    {
      double sum_g = 0, sum_g_xhat = 0;

      for (int64_t p = i; p < m * c; p += c)
        {
          uk_reference_act_grad_pixel (desc, y + p, dy + p, dx + p, 1);
          sum_g += dx[p];
          sum_g_xhat += dx[p] * (x[p] - mean[i]) * inv_std[i];
        }
      for (int64_t p = i; p < m * c; p += c)
        {
          double xhat = (x[p] - mean[i]) * inv_std[i];

          dx[p] = gamma[i] * inv_std[i] * (dx[p] - sum_g / m - xhat * sum_g_xhat / m);
        }
      dgamma[i] = (desc->accumulate ? dgamma[i] : 0) + sum_g_xhat;
      dbeta[i] = (desc->accumulate ? dbeta[i] : 0) + sum_g;
    }
  return UK_OK;
}

UkStatus
uk_reference_batch_norm_infer (const UkOpDesc *desc, void *const *args)
{
  const double *x = args[0], *gamma = args[1], *beta = args[2], *mean = args[3], *var = args[4];
  double *y = args[5];

  for (int64_t i = 0; i < desc->x.c; i++)
    {
      double scale = gamma[i] / sqrt (var[i] + desc->eps);

      affine_act (desc, x, y, i, scale, beta[i] - scale * mean[i]);
    }
  return UK_OK;
}
