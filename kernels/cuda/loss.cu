/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loss.cu - losses on logits, with their gradients: a few dozen values, in one block.
 *
 * All use e^-|z|, which cannot overflow, and avoid cancellation:
 *
 *   softplus (z) - t z = t max (-z, 0) + (1 - t) max (z, 0) + log (1 + e^-|z|)
 *   sigmoid (z) - t    = (1 - t) sigmoid (z) - t sigmoid (-z)
 *
 * Gradients are multiplied by *scale before they are rounded to a value.
 */
#include "kernels/cuda/device.cuh"

enum { THREADS = 256 };

static __device__ __forceinline__ float
sigmoid (float z)
{
  float e = expf (-fabsf (z));

  return z >= 0 ? 1 / (1 + e) : e / (1 + e);
}

static __device__ __forceinline__ float
softplus (float z)
{
  return fmaxf (z, 0) + log1pf (expf (-fabsf (z)));
}

/* metrics[i] = the sum of all threads' sums[i], over @batch. */
template <int N>
static __device__ __forceinline__ void
store_metrics (const float sums[N], float batch, float *metrics)
{
  __shared__ float room[THREADS / UK_WARP];

  for (int i = 0; i < N; i++)
    {
      float sum = uk_block_sum<THREADS> (sums[i], room);

      if (threadIdx.x == 0)
        metrics[i] = sum / batch;
    }
}

/* ------------------------------------------------------------------------ */
/* Binary cross entropy                                                      */

template <typename T>
static __global__ void
bce (const T *logits, const float *scale, int64_t n, float target, float batch, T *dlogits, float *metrics)
{
  float sums[2] = { 0 }; /* loss, logits */
  float factor = uk_scale_of (scale);

  for (int64_t i = threadIdx.x; i < n; i += THREADS)
    {
      float z = uk_to_float (logits[i]);

      dlogits[i] = uk_from_float<T> (((1 - target) * sigmoid (z) - target * sigmoid (-z)) * factor / batch);
      sums[0] += target * fmaxf (-z, 0) + (1 - target) * fmaxf (z, 0)
                 + log1pf (expf (-fabsf (z)));
      sums[1] += z;
    }
  store_metrics<2> (sums, batch, metrics);
}

template <typename T>
static UkStatus
run_bce (UkCudaOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;

  return uk_launch (op, bce<T>, dim3 (1), dim3 (THREADS), (const T *) args[0], (const float *) args[1],
                    desc->x.n, desc->target, (float) desc->batch, (T *) args[2], (float *) args[3]);
}

/* ------------------------------------------------------------------------ */
/* Relativistic pairing: mean softplus (side (real - fake))                  */

/* @side: -1 for D, whose loss falls as real rises above fake, and 1 for G, whose dreal is NULL. */
template <typename T>
static __global__ void
pair (const T *logits, const float *scale, int64_t n, float side, float batch, T *dreal, T *dfake, float *metrics)
{
  float sums[3] = { 0 }; /* loss, real, fake */
  float factor = side * uk_scale_of (scale);

  for (int64_t i = threadIdx.x; i < n; i += THREADS)
    {
      float real = uk_to_float (logits[i]), fake = uk_to_float (logits[n + i]);
      float delta = side * (real - fake), slope = sigmoid (delta) * factor / batch;

      if (dreal != NULL)
        dreal[i] = uk_from_float<T> (slope);
      dfake[i] = uk_from_float<T> (-slope);
      sums[0] += softplus (delta);
      sums[1] += real;
      sums[2] += fake;
    }
  store_metrics<3> (sums, batch, metrics);
}

template <typename T>
static UkStatus
run_pair (UkCudaOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  bool is_d = desc->kind == UK_OP_LOSS_PAIR_D;
  int64_t n = desc->x.n / 2;
  T *gradient = (T *) args[2];

  return uk_launch (op, pair<T>, dim3 (1), dim3 (THREADS), (const T *) args[0], (const float *) args[1], n,
                    is_d ? -1.0f : 1.0f, (float) desc->batch, is_d ? gradient : (T *) NULL,
                    is_d ? gradient + n : gradient, (float *) args[3]);
}

const UkCudaKernel uk_cuda_loss_bce = { .run = UK_RUN_ON_VALUES (run_bce) };
const UkCudaKernel uk_cuda_loss_pair = { .run = UK_RUN_ON_VALUES (run_pair) };
