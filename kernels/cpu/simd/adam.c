/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adam.c - Adam and the moving average of the weights, in one pass.
 *
 * Memory-bound: w, g, m, v and ema are read once, and all but g written once.  Each combination of
 * optional arguments has a loop of its own, so that the compiler vectorizes each cleanly.
 */
#include "simd.h"

typedef struct
{
  float scale;              /* of the gradient: norm[1] */
  float beta1, beta2;
  float kept;               /* of a weight: 1 - lr * decay */
  float rate;               /* lr / correction1 */
  float inv_sqrt_correction2;
  float eps;
  float ema_beta;
} Rates;

/* Always inlined, with @m and @ema known to be NULL or not. */
UK_RACES_ON_PURPOSE static inline __attribute__ ((always_inline)) void
update (float *restrict w, const float *restrict g, float *restrict m, float *restrict v,
        float *restrict ema, UkRange r, Rates k)
{
#pragma omp simd
  for (int64_t i = r.begin; i < r.end; i++)
    {
      float gradient = k.scale * g[i];
      float first = gradient;
      float second = k.beta2 * v[i] + (1.0f - k.beta2) * gradient * gradient;
      float weight;

      /* Without gradients v decays into denormals, which are a hundred times as slow; long before that,
       * its root is negligible next to any eps. */
      second = second > 1e-36f ? second : 0.0f;
      if (m != NULL)
        {
          first = k.beta1 * m[i] + (1.0f - k.beta1) * gradient;
          m[i] = first;
        }
      v[i] = second;
      weight = k.kept * w[i] - k.rate * first / (sqrtf (second) * k.inv_sqrt_correction2 + k.eps);
      w[i] = weight;
      if (ema != NULL)
        ema[i] = k.ema_beta * ema[i] + (1.0f - k.ema_beta) * weight;
    }
}

UK_RACES_ON_PURPOSE static void
update_range (float *w, const float *g, float *m, float *v, float *ema, UkRange r,
              const Rates *k)
{
  if (m != NULL && ema != NULL)
    update (w, g, m, v, ema, r, *k);
  else if (m != NULL)
    update (w, g, m, v, NULL, r, *k);
  else if (ema != NULL)
    update (w, g, NULL, v, ema, r, *k);
  else
    update (w, g, NULL, v, NULL, r, *k);
}

static UkStatus
run (UkCpuOp *op, void *const *args, void *scratch)
{
  float *w = args[0], *m = args[2], *v = args[3], *ema = args[4], *packed = args[7];
  const float *g = args[1], *hyper = args[5], *norm = args[6];
  int64_t count = op->base.desc.x.n;
  int n = uk_threads_for (count, op->n_threads);
  Rates k = {
    .scale = norm[1],
    .beta1 = hyper[UK_HYPER_BETA1],
    .beta2 = hyper[UK_HYPER_BETA2],
    .kept = 1.0f - hyper[UK_HYPER_LR] * hyper[UK_HYPER_WEIGHT_DECAY],
    .rate = hyper[UK_HYPER_LR] / hyper[UK_HYPER_CORRECTION1],
    .inv_sqrt_correction2 = 1.0f / sqrtf (hyper[UK_HYPER_CORRECTION2]),
    .eps = hyper[UK_HYPER_EPS],
    .ema_beta = hyper[UK_HYPER_EMA_BETA],
  };

  if (m == NULL && k.beta1 != 0.0f)
    return UK_BAD_ARGUMENT;
  if (k.scale == 0.0f)
    return UK_OK; /* a non-finite gradient: skip this step */
#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    {
      UkRange r = uk_part_lines (count, n, t);

      update_range (w, g, m, v, ema, r, &k);
      if (packed != NULL)
        memcpy (packed + r.begin, w + r.begin, (size_t) (r.end - r.begin) * sizeof *w);
    }
  return UK_OK;
}

const UkCpuKernel UK_SIMD (adam_kernel) = { .run = run };
