/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adam.c - the gradient norm, and Adam with an EMA of the weights.
 *
 * Adam (Kingma & Ba, 1412.6980, algorithm 1) with decoupled weight decay (Loshchilov & Hutter, 1711.05101),
 * and g clipped to a largest norm:
 *
 *   m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2
 *   w = (1 - lr decay) w - lr (m / correction1) / (sqrt (v / correction2) + eps)
 *
 * The corrections are arguments, because beta2 changes during training, so the paper's 1 - beta^t would
 * be wrong.
 */
#include "kernels/reference/reference-private.h"

#include <math.h>

UkStatus
uk_reference_grad_squares (const UkOpDesc *desc, void *const *args)
{
  const double *g = args[0];
  double *sum = args[1], squares = 0;

  for (int64_t e = 0; e < desc->x.n; e++)
    squares += g[e] * g[e];
  *sum = squares;
  return UK_OK;
}

UkStatus
uk_reference_grad_factor (const UkOpDesc *desc, void *const *args)
{
  const double *sums = args[0], *hyper = args[1];
  double *out = args[2];
  double limit = hyper[UK_HYPER_CLIP_NORM], scale = hyper[UK_HYPER_LOSS_SCALE], squares = 0, norm;

  for (int64_t e = 0; e < desc->x.n; e++)
    squares += sums[e];
  norm = sqrt (squares) / scale;
  out[0] = norm;
  if (!isfinite (norm))
    out[1] = 0;
  else if (limit == 0 || norm <= limit)
    out[1] = 1 / scale;
  else
    out[1] = limit / norm / scale;
  return UK_OK;
}

UkStatus
uk_reference_adam (const UkOpDesc *desc, void *const *args)
{
  double *w = args[0], *m = args[2], *v = args[3], *ema = args[4], *packed = args[7];
  const double *g = args[1], *hyper = args[5], *norm = args[6];
  double beta1 = hyper[UK_HYPER_BETA1], beta2 = hyper[UK_HYPER_BETA2];
  double ema_beta = hyper[UK_HYPER_EMA_BETA];
  double kept = 1 - hyper[UK_HYPER_LR] * hyper[UK_HYPER_WEIGHT_DECAY];

  if (m == NULL && beta1 != 0)
    return UK_BAD_ARGUMENT;
  if (norm[1] == 0)
    return UK_OK; /* a non-finite gradient: skip this step */
  for (int64_t e = 0; e < desc->x.n; e++)
    {
      double clipped = norm[1] * g[e];
      double first = (1 - beta1) * clipped + (m != NULL ? beta1 * m[e] : 0);

      if (m != NULL)
        m[e] = first;
      v[e] = beta2 * v[e] + (1 - beta2) * clipped * clipped;
      w[e] = kept * w[e] - hyper[UK_HYPER_LR] * (first / hyper[UK_HYPER_CORRECTION1])
                             / (sqrt (v[e] / hyper[UK_HYPER_CORRECTION2]) + hyper[UK_HYPER_EPS]);
      if (ema != NULL)
        ema[e] = ema_beta * ema[e] + (1 - ema_beta) * w[e];
      if (packed != NULL)
        packed[e] = w[e];
    }
  return UK_OK;
}
