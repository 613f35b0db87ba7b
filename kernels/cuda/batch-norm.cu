/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch-norm.cu - batch normalization with its activation (Ioffe & Szegedy, 1502.03167): of a batch, with
 * given statistics, and recomputed from a batch's statistics.
 *
 *   y = act ((x - mean) scale + beta),  scale = gamma inv_std
 *
 * All three use one kernel with one expression, however x is read, so a recomputed y is bit-identical.
 */
#include "kernels/cuda/batch-norm.cuh"

typedef struct
{
  UkNormNormalize args;
  UkNormTiling    tiling;
  float           eps, slope;
} Job;

/* An explicit fmaf(), so that every instance of the kernel rounds alike. */
template <UkAct ACT>
static __device__ __forceinline__ float
normalize_one (float x, float mean, float scale, float beta, float slope)
{
  return uk_act<ACT> (fmaf (x - mean, scale, beta), slope);
}

/* From the last row to the first: the statistics ran from the first to the last, so that the last rows are
 * still in the cache. */
template <typename T, int V, UkAct ACT>
static __global__ void
__launch_bounds__ (UK_NORM_THREADS, 4)
normalize (Job job)
{
  enum { AT_ONCE = 4 };

  __shared__ __align__ (16) float slots[3][UK_NORM_THREADS];
  const UkNormTiling &t = job.tiling;
  const UkNormPlace p = uk_norm_place<V> (t, true);
  const T *x = (const T *) job.args.x + p.first + (p.count - 1) * p.step;
  T *y = (T *) job.args.y + p.first + (p.count - 1) * p.step;
  float mean[V], scale[V], beta[V];
  int64_t left = p.count;

  if (uk_norm_has_slot<V> (t))
    {
      unsigned channel = uk_norm_channel_of_slot<V> (t, p);
      float spread = job.args.spread[channel];

      slots[0][threadIdx.x] = job.args.mean[channel];
      slots[1][threadIdx.x] = job.args.gamma[channel]
                              * (job.args.is_var ? 1 / sqrtf (spread + job.eps) : spread);
      slots[2][threadIdx.x] = job.args.beta[channel];
    }
  __syncthreads ();
  uk_norm_read_slots<V> (slots[0], p, mean);
  uk_norm_read_slots<V> (slots[1], p, scale);
  uk_norm_read_slots<V> (slots[2], p, beta);

  for (; left >= AT_ONCE; left -= AT_ONCE, x -= AT_ONCE * p.step, y -= AT_ONCE * p.step)
    {
      float values[AT_ONCE][V];

#pragma unroll
      for (int r = 0; r < AT_ONCE; r++)
        uk_load_vector<V> (x - r * p.step, values[r]);
#pragma unroll
      for (int r = 0; r < AT_ONCE; r++)
        {
#pragma unroll
          for (int j = 0; j < V; j++)
            values[r][j] = normalize_one<ACT> (values[r][j], mean[j], scale[j], beta[j],
                                               job.slope);
          uk_store_vector<V> (y - r * p.step, values[r]);
        }
    }
  for (; left > 0; left--, x -= p.step, y -= p.step)
    {
      float values[V];

      uk_load_vector<V> (x, values);
#pragma unroll
      for (int j = 0; j < V; j++)
        values[j] = normalize_one<ACT> (values[j], mean[j], scale[j], beta[j], job.slope);
      uk_store_vector<V> (y, values);
    }
}

template <typename T, int V>
static UkStatus
launch (UkCudaOp *op, const UkNormNormalize *args)
{
  static void (*const kernels[]) (Job) = {
    normalize<T, V, UK_ACT_NONE>, normalize<T, V, UK_ACT_RELU>, normalize<T, V, UK_ACT_LEAKY_RELU>,
    normalize<T, V, UK_ACT_TANH>, normalize<T, V, UK_ACT_SIGMOID>,
  };
  const UkOpDesc *desc = &op->base.desc;
  Job job = { *args, uk_norm_tiling (desc, V), desc->eps, desc->slope };

  return uk_launch (op, kernels[desc->act], UK_NORM_GRID (job.tiling), dim3 (UK_NORM_THREADS),
                    job);
}

UkStatus
uk_norm_normalize (UkCudaOp *op, const UkNormNormalize *args)
{
  return UK_NORM_RUN (launch, op, uk_are_aligned (args->x, args->y), args);
}

/* ------------------------------------------------------------------------ */
/* The operations                                                            */

static UkStatus
run (UkCudaOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  UkNormStatistics statistics = {
    .mean = (float *) args[6],
    .inv_std = (float *) args[7],
    .running_mean = (float *) args[3],
    .running_var = (float *) args[4],
    .eps = desc->eps,
    .momentum = desc->momentum,
    .unbias = uk_norm_unbias ((double) (desc->x.n * desc->x.h * desc->x.w)),
  };
  UkNormNormalize job = { args[0], args[5], (const float *) args[1], (const float *) args[2],
                          statistics.mean, statistics.inv_std, false };
  UkStatus status = uk_norm_find_statistics (op, args[0], &statistics, scratch);

  return status != UK_OK ? status : uk_norm_normalize (op, &job);
}

/* Infer and recompute. */
static UkStatus
run_given (UkCudaOp *op, void *const *args, void *scratch)
{
  UkNormNormalize job = { args[0], args[5], (const float *) args[1], (const float *) args[2],
                          (const float *) args[3], (const float *) args[4], 
                          op->base.desc.kind == UK_OP_BATCH_NORM_INFER };

  return uk_norm_normalize (op, &job);
}

const UkCudaKernel uk_cuda_batch_norm = { .prepare = uk_norm_prepare<UK_NORM_N_STATISTICS>, .run = run };
const UkCudaKernel uk_cuda_batch_norm_infer = { .prepare = uk_norm_check, .run = run_given };
