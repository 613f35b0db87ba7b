/* SPDX-License-Identifier: Apache-2.0 */
/*
 * act.c - activations and their derivatives, one pixel at a time.
 *
 * All derivatives are functions of the output y, which is what training keeps.  At 0, where (leaky)
 * ReLU has a kink, the slope of the negative side is used.
 */
#include "kernels/reference/reference-private.h"

#include <math.h>

static double
act (const UkOpDesc *desc, double x)
{
  switch (desc->act)
    {
    case UK_ACT_RELU:
      return x > 0 ? x : 0;
    case UK_ACT_LEAKY_RELU:
      return x > 0 ? x : desc->slope * x;
    case UK_ACT_TANH:
      return tanh (x);
    case UK_ACT_SIGMOID:
      return 1 / (1 + exp (-x));
    case UK_ACT_NONE:
    case UK_ACT_SOFTMAX:
      break;
    }
  return x;
}

static double
act_derivative (const UkOpDesc *desc, double y)
{
  switch (desc->act)
    {
    case UK_ACT_RELU:
      return y > 0 ? 1 : 0;
    case UK_ACT_LEAKY_RELU:
      return y > 0 ? 1 : desc->slope;
    case UK_ACT_TANH:
      return 1 - y * y;
    case UK_ACT_SIGMOID:
      return y * (1 - y);
    case UK_ACT_NONE:
    case UK_ACT_SOFTMAX:
      break;
    }
  return 1;
}

void
uk_reference_act_pixel (const UkOpDesc *desc, double *x, int64_t c)
{
  double largest = x[0], sum = 0;

  if (desc->act != UK_ACT_SOFTMAX)
    {
      for (int64_t i = 0; i < c; i++)
        x[i] = act (desc, x[i]);
      return;
    }
  /* y_i = 2 p_i - 1,  p_i = exp (x_i - max x) / sum_j exp (x_j - max x) */
  for (int64_t i = 1; i < c; i++)
    largest = fmax (largest, x[i]);
  for (int64_t i = 0; i < c; i++)
    sum += exp (x[i] - largest);
  for (int64_t i = 0; i < c; i++)
    x[i] = 2 * exp (x[i] - largest) / sum - 1;
}

void
uk_reference_act_grad_pixel (const UkOpDesc *desc, const double *y, const double *dy,
                             double *dx, int64_t c)
{
  double mean = 0;

  if (desc->act != UK_ACT_SOFTMAX)
    {
      for (int64_t i = 0; i < c; i++)
        dx[i] = desc->act == UK_ACT_NONE ? dy[i] : dy[i] * act_derivative (desc, y[i]);
      return;
    }
  /* With p = (y + 1) / 2:  dx_i = sum_j dy_j dy_j/dx_i = 2 p_i (dy_i - sum_j p_j dy_j) */
  for (int64_t i = 0; i < c; i++)
    mean += (y[i] + 1) / 2 * dy[i];
  for (int64_t i = 0; i < c; i++)
    dx[i] = (y[i] + 1) * (dy[i] - mean);
}
