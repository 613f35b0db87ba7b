/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch-norm.c - batch normalization with its activation (Ioffe & Szegedy, 1502.03167): forward,
 * backward, with given statistics, and over the samples of several ranks.
 *
 * Over the m = n h w values of a channel:
 *
 *   mean = 1/m sum x,  var = 1/m sum (x - mean)^2,  inv_std = 1 / sqrt (var + eps)
 *   xhat = (x - mean) inv_std,  y = act (gamma xhat + beta)
 *
 * and with g = dy act', where act' follows from gamma xhat + beta, so that y is not needed:
 *
 *   dbeta = sum g,  dgamma = sum g xhat
 *   dx = gamma inv_std (g - dbeta / m - xhat dgamma / m)
 *
 * Equal parts with means m_r and variances v_r combine to (Chan, Golub & LeVeque 1983)
 *
 *   mean = average of m_r,  var = average of v_r + average of (m_r - mean)^2
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

/* Arguments common to the forward operations. */
typedef struct
{
  const double *x, *gamma, *beta;
  double       *running_mean, *running_var, *y, *mean, *inv_std;
} Forward;

/* Channel @i with its @mean and @var over @m values. */
static void
normalize (const UkOpDesc *desc, const Forward *args, int64_t i, double mean, double var, double m)
{
  double momentum = desc->momentum, scale;

  args->mean[i] = mean;
  args->inv_std[i] = 1 / sqrt (var + desc->eps);
  scale = args->gamma[i] * args->inv_std[i];
  affine_act (desc, args->x, args->y, i, scale, args->beta[i] - scale * mean);
  if (args->running_mean != NULL)
    args->running_mean[i] = (1 - momentum) * args->running_mean[i] + momentum * mean;
  /* A single value has no unbiased variance; its biased one is 0. */
  if (args->running_var != NULL)
    args->running_var[i] = (1 - momentum) * args->running_var[i]
                           + momentum * var * (m > 1 ? m / (m - 1) : 1);
}

UkStatus
uk_reference_batch_norm (const UkOpDesc *desc, void *const *args)
{
  Forward forward = { args[0], args[1], args[2], args[3], args[4], args[5], args[6], args[7] };
  int64_t m = pixel_count (desc), c = desc->x.c;

  for (int64_t i = 0; i < c; i++)
    {
      double mean, var;

      statistics (args[0], m, c, i, &mean, &var);
      normalize (desc, &forward, i, mean, var, m);
    }
  return UK_OK;
}

UkStatus
uk_reference_batch_norm_local (const UkOpDesc *desc, void *const *args)
{
  int64_t c = desc->x.c;
  double *mean = args[1], *var = mean + c;

  for (int64_t i = 0; i < c; i++)
    statistics (args[0], pixel_count (desc), c, i, &mean[i], &var[i]);
  return UK_OK;
}

UkStatus
uk_reference_batch_norm_global (const UkOpDesc *desc, void *const *args)
{
  Forward forward = { args[0], args[2], args[3], args[4], args[5], args[6], args[7], args[8] };
  const double *parts = args[1];
  int64_t c = desc->x.c, n_ranks = desc->batch / desc->x.n;

  for (int64_t i = 0; i < c; i++)
    {
      double mean = 0, var = 0;

      for (int64_t r = 0; r < n_ranks; r++)
        mean += parts[2 * c * r + i] / n_ranks;
      for (int64_t r = 0; r < n_ranks; r++)
        {
          double d = parts[2 * c * r + i] - mean;

          var += (parts[2 * c * r + c + i] + d * d) / n_ranks;
        }
      normalize (desc, &forward, i, mean, var, (double) (pixel_count (desc) * n_ranks));
    }
  return UK_OK;
}

/* UK_OP_BATCH_NORM_INFER is given variances, UK_OP_BATCH_NORM_RECOMPUTE 1 / standard deviation. */
UkStatus
uk_reference_batch_norm_given (const UkOpDesc *desc, void *const *args)
{
  const double *gamma = args[1], *beta = args[2], *mean = args[3], *spread = args[4];

  for (int64_t i = 0; i < desc->x.c; i++)
    {
      double scale = desc->kind == UK_OP_BATCH_NORM_INFER ? gamma[i] / sqrt (spread[i] + desc->eps)
                                                          : gamma[i] * spread[i];

      affine_act (desc, args[0], args[5], i, scale, beta[i] - scale * mean[i]);
    }
  return UK_OK;
}

/* ------------------------------------------------------------------------ */
/* Backward                                                                  */

/* Arguments common to the backward operations. */
typedef struct
{
  const double *x, *dy, *gamma, *beta, *mean, *inv_std;
} Backward;

/* Element @p of channel @i. */
static double
xhat_at (const Backward *args, int64_t p, int64_t i)
{
  return (args->x[p] - args->mean[i]) * args->inv_std[i];
}

static double
g_at (const UkOpDesc *desc, const Backward *args, int64_t p, int64_t i)
{
  double y = args->gamma[i] * xhat_at (args, p, i) + args->beta[i], g;

  uk_reference_act_pixel (desc, &y, 1);
  uk_reference_act_grad_pixel (desc, &y, args->dy + p, &g, 1);
  return g;
}

static void
sum (const UkOpDesc *desc, const Backward *args, int64_t i, double *sum_g, double *sum_g_xhat)
{
  *sum_g = *sum_g_xhat = 0;
  for (int64_t p = i; p < uk_shape_count (desc->x); p += desc->x.c)
    {
      double g = g_at (desc, args, p, i);

      *sum_g += g;
      *sum_g_xhat += g * xhat_at (args, p, i);
    }
}

/* With sums over @m values of channel @i; dx may be dy. */
static void
apply (const UkOpDesc *desc, const Backward *args, int64_t i, double sum_g, double sum_g_xhat, double m,
       double *dx)
{
  for (int64_t p = i; p < uk_shape_count (desc->x); p += desc->x.c)
    dx[p] = args->gamma[i] * args->inv_std[i]
            * (g_at (desc, args, p, i) - sum_g / m - xhat_at (args, p, i) * sum_g_xhat / m);
}

/* Stores a parameter's gradient; @gradient may be NULL. */
static void
store_gradient (const UkOpDesc *desc, double *gradient, int64_t i, double value)
{
  if (gradient != NULL)
    gradient[i] = (desc->accumulate ? gradient[i] : 0) + value;
}

UkStatus
uk_reference_batch_norm_grad (const UkOpDesc *desc, void *const *args)
{
  Backward backward = { args[0], args[1], args[2], args[3], args[4], args[5] };

  for (int64_t i = 0; i < desc->x.c; i++)
    {
      double sum_g, sum_g_xhat;

      sum (desc, &backward, i, &sum_g, &sum_g_xhat);
      apply (desc, &backward, i, sum_g, sum_g_xhat, (double) pixel_count (desc), args[6]);
      store_gradient (desc, args[7], i, sum_g_xhat);
      store_gradient (desc, args[8], i, sum_g);
    }
  return UK_OK;
}

UkStatus
uk_reference_batch_norm_grad_local (const UkOpDesc *desc, void *const *args)
{
  Backward backward = { args[0], args[1], args[2], args[3], args[4], args[5] };
  int64_t c = desc->x.c;
  double *sums = args[6];

  for (int64_t i = 0; i < c; i++)
    {
      sum (desc, &backward, i, &sums[c + i], &sums[i]);
      store_gradient (desc, args[7], i, sums[i]);
      store_gradient (desc, args[8], i, sums[c + i]);
    }
  return UK_OK;
}

UkStatus
uk_reference_batch_norm_grad_global (const UkOpDesc *desc, void *const *args)
{
  Backward backward = { args[0], args[1], args[2], args[3], args[4], args[5] };
  const double *sums = args[6];
  int64_t c = desc->x.c;
  double m = (double) (desc->batch * desc->x.h * desc->x.w);

  for (int64_t i = 0; i < c; i++)
    apply (desc, &backward, i, sums[c + i], sums[i], m, args[7]);
  return UK_OK;
}
