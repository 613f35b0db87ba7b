/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bias-act.c - y = act (x + b), one pass over memory.
 *
 * Also activations alone, for operations that end in one.  Only softmax involves more than one element:
 * it processes a block of pixels at a time, vectorized over pixels, so that few channels still make long
 * vectors.
 */
#include "simd.h"

enum { SOFTMAX_BLOCK = 64 }; /* pixels */

/* e^x to 2 ulp, after Cephes' expf (S. Moshier). */
static inline float
fast_exp (float x)
{
  const float magic = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer */
  float t, n, r, p, power;
  int32_t bits;

  x = x < -87.0f ? -87.0f : x;
  x = x > 88.0f ? 88.0f : x;
  t = x * 1.44269504088896341f + magic;
  n = t - magic;
  r = x - n * 0.693359375f;
  r = r + n * 2.12194440e-4f;
  p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  memcpy (&bits, &t, sizeof bits);
  bits = (int32_t) ((uint32_t) (bits - 0x4B400000 + 127) << 23);
  memcpy (&power, &bits, sizeof power);
  return p * power;
}

/* A polynomial near 0, where 1 - 2 / (e^2x + 1) would suffer from cancellation. */
static inline float
fast_tanh (float x)
{
  float z = x * x;
  float p = -5.70498872745e-3f;
  float far = 1.0f - 2.0f / (fast_exp (2.0f * x) + 1.0f);

  p = p * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  p = p * z * x + x;
  return z < 0.390625f ? p : far;
}

static void
softmax_block (float *y, int64_t n_pixels, int64_t c)
{
  float largest[SOFTMAX_BLOCK], sum[SOFTMAX_BLOCK];

  for (int64_t p = 0; p < n_pixels; p++)
    {
      largest[p] = y[p * c];
      sum[p] = 0.0f;
    }
  for (int64_t j = 1; j < c; j++)
#pragma omp simd
    for (int64_t p = 0; p < n_pixels; p++)
      largest[p] = y[p * c + j] > largest[p] ? y[p * c + j] : largest[p];
  for (int64_t j = 0; j < c; j++)
#pragma omp simd
    for (int64_t p = 0; p < n_pixels; p++)
      {
        float e = fast_exp (y[p * c + j] - largest[p]);

        y[p * c + j] = e;
        sum[p] += e;
      }
  for (int64_t p = 0; p < n_pixels; p++)
    sum[p] = 2.0f / sum[p];
  for (int64_t j = 0; j < c; j++)
#pragma omp simd
    for (int64_t p = 0; p < n_pixels; p++)
      y[p * c + j] = y[p * c + j] * sum[p] - 1.0f;
}

void
UK_SIMD (act_pixels) (float *y, int64_t n_pixels, int64_t c, UkAct act, float slope)
{
  int64_t count = n_pixels * c;

  switch (act)
    {
    case UK_ACT_NONE:
      break;
    case UK_ACT_RELU:
    case UK_ACT_LEAKY_RELU:
      slope = act == UK_ACT_RELU ? 0.0f : slope;
#pragma omp simd
      for (int64_t i = 0; i < count; i++)
        y[i] = y[i] > 0.0f ? y[i] : slope * y[i];
      break;
    case UK_ACT_TANH:
#pragma omp simd
      for (int64_t i = 0; i < count; i++)
        y[i] = fast_tanh (y[i]);
      break;
    case UK_ACT_SIGMOID:
#pragma omp simd
      for (int64_t i = 0; i < count; i++)
        y[i] = 1.0f / (1.0f + fast_exp (-y[i]));
      break;
    case UK_ACT_SOFTMAX:
      for (int64_t p = 0; p < n_pixels; p += SOFTMAX_BLOCK)
        softmax_block (y + p * c, n_pixels - p < SOFTMAX_BLOCK ? n_pixels - p : SOFTMAX_BLOCK, c);
      break;
    }
}

/* A row of `count` elements: bias, fused with the cheap activations. */
static void
add_bias (float *y, const float *x, const float *b, int64_t count, UkAct act, float slope)
{
  if (act != UK_ACT_RELU && act != UK_ACT_LEAKY_RELU)
    {
#pragma omp simd
      for (int64_t i = 0; i < count; i++)
        y[i] = x[i] + b[i];
      return;
    }
  slope = act == UK_ACT_RELU ? 0.0f : slope;
#pragma omp simd
  for (int64_t i = 0; i < count; i++)
    {
      float v = x[i] + b[i];

      y[i] = v > 0.0f ? v : slope * v;
    }
}

/* Whole pixels on this thread, one period at a time, so that a second pass over it hits the L1 cache. */
static void
bias_act_pixels (float *y, const float *x, const float *b, int64_t n_pixels, int64_t c, UkAct act,
                 float slope)
{
  UkPeriod period = uk_period (c);
  float room[UK_MAX_PERIOD];
  const float *bias = b != NULL ? uk_repeat (period, b, room) : NULL;
  bool done = bias != NULL && (act == UK_ACT_RELU || act == UK_ACT_LEAKY_RELU);

  for (int64_t p = 0; p < n_pixels; p += period.repeats)
    {
      int64_t n = n_pixels - p < period.repeats ? n_pixels - p : period.repeats;

      if (bias != NULL)
        add_bias (y + p * c, x + p * c, bias, n * c, act, slope);
      else if (y != x)
        memcpy (y + p * c, x + p * c, (size_t) (n * c) * sizeof (float));
      if (!done)
        UK_SIMD (act_pixels) (y + p * c, n, c, act, slope);
    }
}

void
UK_SIMD (bias_act) (float *y, const float *x, const float *b, int64_t n_pixels, int64_t c,
                    UkAct act, float slope, int n_threads)
{
  int n = uk_threads_for (n_pixels * c, n_threads);

#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    {
      UkRange r = uk_part (n_pixels, n, t);

      bias_act_pixels (y + r.begin * c, x + r.begin * c, b, r.end - r.begin, c, act, slope);
    }
}

static UkStatus
run (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;

  UK_SIMD (bias_act) (args[2], args[0], args[1], desc->x.n * desc->x.h * desc->x.w, desc->x.c,
                      desc->act, desc->slope, op->n_threads);
  return UK_OK;
}

const UkCpuKernel UK_SIMD (bias_act_kernel) = { .run = run };
