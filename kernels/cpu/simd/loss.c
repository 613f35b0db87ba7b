/* SPDX-License-Identifier: Apache-2.0 */
/* loss.c - losses on logits: a few dozen values, in double precision. */
#include "simd.h"

static double
sigmoid (double x)
{
  return 1.0 / (1.0 + exp (-x));
}

/* log (1 + e^x) without overflow. */
static double
softplus (double x)
{
  return (x > 0.0 ? x : 0.0) + log1p (exp (-fabs (x)));
}

static double
factor_of (const float *scale)
{
  return scale != NULL ? (double) *scale : 1.0;
}

static UkStatus
run_bce (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const float *logits = args[0];
  float *dlogits = args[2], *metrics = args[3];
  double batch = (double) desc->batch, factor = factor_of (args[1]), loss = 0.0, sum = 0.0;

  for (int64_t i = 0; i < desc->x.n; i++)
    {
      double z = logits[i];

      loss += softplus (z) - desc->target * z;
      sum += z;
      dlogits[i] = (float) ((sigmoid (z) - desc->target) * factor / batch);
    }
  metrics[0] = (float) (loss / batch);
  metrics[1] = (float) (sum / batch);
  return UK_OK;
}

/* Both sides of the pairing: @side is -1 for D, whose loss falls as real rises above fake, and 1 for G,
 * which has gradients for the fakes only. */
static UkStatus
run_pair (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  bool is_d = desc->kind == UK_OP_LOSS_PAIR_D;
  int64_t n = desc->x.n / 2;
  const float *logits = args[0];
  float *dreal = is_d ? args[2] : NULL, *dfake = is_d ? dreal + n : args[2], *metrics = args[3];
  double side = is_d ? -1.0 : 1.0, batch = (double) desc->batch, factor = factor_of (args[1]);
  double loss = 0.0, real = 0.0, fake = 0.0;

  for (int64_t i = 0; i < n; i++)
    {
      double delta = (double) logits[i] - logits[n + i];
      double slope = side * sigmoid (side * delta) * factor / batch;

      loss += softplus (side * delta);
      real += logits[i];
      fake += logits[n + i];
      if (dreal != NULL)
        dreal[i] = (float) slope;
      dfake[i] = (float) -slope;
    }
  metrics[0] = (float) (loss / batch);
  metrics[1] = (float) (real / batch);
  metrics[2] = (float) (fake / batch);
  return UK_OK;
}

const UkCpuKernel UK_SIMD (loss_bce_kernel) = { .run = run_bce };
const UkCpuKernel UK_SIMD (loss_pair_kernel) = { .run = run_pair };
