/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loss.c - losses on logits, with their gradients, and the penalty's norm.
 *
 * Means are over desc.batch, which may exceed the samples given here, so that the losses and gradients
 * of a batch's parts add up to the whole.  Gradients are times scale, so that small ones fit into 16 bits.
 * All use softplus (x) = log (1 + e^x), whose derivative is sigmoid (x).
 */
#include "kernels/reference/reference-private.h"

#include <math.h>

static double
softplus (double x)
{
  return fmax (x, 0) + log1p (exp (-fabs (x)));
}

static double
sigmoid (double x)
{
  return 1 / (1 + exp (-x));
}

UkStatus
uk_reference_squared_norm (const UkOpDesc *desc, void *const *args)
{
  const double *v = args[0];
  double *sums = args[1], *metrics = args[2];
  int64_t per_sample = desc->x.h * desc->x.w * desc->x.c;

  metrics[0] = 0;
  for (int64_t n = 0; n < desc->x.n; n++)
    {
      sums[n] = 0;
      for (int64_t e = n * per_sample; e < (n + 1) * per_sample; e++)
        sums[n] += v[e] * v[e];
      metrics[0] += sums[n] / desc->x.n;
    }
  return UK_OK;
}

/* -t log sigmoid (z) - (1 - t) log (1 - sigmoid (z)) = softplus (z) - t z */
UkStatus
uk_reference_loss_bce (const UkOpDesc *desc, void *const *args)
{
  const double *logits = args[0], *scale = args[1];
  double *dlogits = args[2], *metrics = args[3];
  double batch = desc->batch, factor = scale != NULL ? *scale : 1;

  metrics[0] = metrics[1] = 0;
  for (int64_t n = 0; n < desc->x.n; n++)
    {
      double z = logits[n];

      dlogits[n] = (sigmoid (z) - desc->target) * factor / batch;
      metrics[0] += (softplus (z) - desc->target * z) / batch;
      metrics[1] += z / batch;
    }
  return UK_OK;
}

/* L = mean softplus (delta), delta = fake - real for D and real - fake for G.  Only the fakes depend on
 * the generator, so G has gradients for those alone. */
UkStatus
uk_reference_loss_pair (const UkOpDesc *desc, void *const *args)
{
  bool is_generator = desc->kind == UK_OP_LOSS_PAIR_G;
  const double *logits = args[0], *scale = args[1];
  double *gradient = args[2], *metrics = args[3];
  int64_t n_pairs = desc->x.n / 2;
  double batch = desc->batch, factor = scale != NULL ? *scale : 1;

  metrics[0] = metrics[1] = metrics[2] = 0;
  for (int64_t n = 0; n < n_pairs; n++)
    {
      double real = logits[n], fake = logits[n_pairs + n];
      double delta = is_generator ? real - fake : fake - real;

      gradient[n] = -sigmoid (delta) * factor / batch;
      if (!is_generator)
        gradient[n_pairs + n] = sigmoid (delta) * factor / batch;
      metrics[0] += softplus (delta) / batch;
      metrics[1] += real / batch;
      metrics[2] += fake / batch;
    }
  return UK_OK;
}
