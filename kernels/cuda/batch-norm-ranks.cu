/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch-norm-ranks.cu - batch norm over the samples of several ranks: the passes of the other batch-norm
 * files, split where the ranks exchange their results.
 */
#include "kernels/cuda/batch-norm.cuh"

enum { THREADS = 128 };

/* @statistics: (n_ranks, 2, c), means and variances of equal parts (Chan, Golub & LeVeque 1983).  All ranks
 * compute the same in the same order.  For so few values doubles cost nothing, and they keep large means
 * exact. */
static __global__ void
combine_ranks (const float *statistics, int64_t n_ranks, unsigned c, UkNormStatistics out)
{
  unsigned i = blockIdx.x * THREADS + threadIdx.x;
  double mean = 0, var = 0;

  if (i >= c)
    return;
  for (int64_t r = 0; r < n_ranks; r++)
    mean += statistics[2 * r * c + i];
  mean /= (double) n_ranks;
  for (int64_t r = 0; r < n_ranks; r++)
    {
      double d = statistics[2 * r * c + i] - mean;

      var += statistics[(2 * r + 1) * c + i] + d * d;
    }
  uk_norm_store (out, i, (float) mean, (float) (var / (double) n_ranks));
}

static double
n_values_of_all (const UkOpDesc *desc)
{
  return (double) (desc->batch * desc->x.h * desc->x.w);
}

/* ------------------------------------------------------------------------ */
/* Forward                                                                   */

static UkStatus
run_local (UkCudaOp *op, void *const *args, void *scratch)
{
  float *statistics = (float *) args[1];
  UkNormStatistics out = { .mean = statistics, .var = statistics + op->base.desc.x.c };

  return uk_norm_find_statistics (op, args[0], &out, scratch);
}

static UkStatus
run_global (UkCudaOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  unsigned c = (unsigned) desc->x.c;
  UkNormStatistics out = {
    .mean = (float *) args[7],
    .inv_std = (float *) args[8],
    .running_mean = (float *) args[4],
    .running_var = (float *) args[5],
    .eps = desc->eps,
    .momentum = desc->momentum,
    .unbias = uk_norm_unbias (n_values_of_all (desc)),
  };
  UkNormNormalize job = { args[0], args[6], (const float *) args[2], (const float *) args[3],
                          out.mean, out.inv_std, false };
  UkStatus status = uk_launch (op, combine_ranks, dim3 ((c + THREADS - 1) / THREADS),
                               dim3 (THREADS), (const float *) args[1], desc->batch / desc->x.n,
                               c, out);

  return status != UK_OK ? status : uk_norm_normalize (op, &job);
}

/* ------------------------------------------------------------------------ */
/* Backward                                                                  */

static UkStatus
run_grad_local (UkCudaOp *op, void *const *args, void *scratch)
{
  UkNormBackward backward = { args[0], args[1], (const float *) args[2], (const float *) args[3],
                              (const float *) args[4], (const float *) args[5], (float *) args[6] };

  return uk_norm_find_sums (op, &backward, (float *) args[7], (float *) args[8], scratch);
}

static UkStatus
run_grad_global (UkCudaOp *op, void *const *args, void *scratch)
{
  UkNormBackward backward = { args[0], args[1], (const float *) args[2], (const float *) args[3],
                              (const float *) args[4], (const float *) args[5],
                              (float *) args[6] };

  return uk_norm_find_dx (op, &backward, n_values_of_all (&op->base.desc), args[7]);
}

const UkCudaKernel uk_cuda_batch_norm_local = { .prepare = uk_norm_prepare<UK_NORM_N_STATISTICS>,
                                                .run = run_local };
const UkCudaKernel uk_cuda_batch_norm_global = { .prepare = uk_norm_check, .run = run_global };
const UkCudaKernel uk_cuda_batch_norm_grad_local = { .prepare = uk_norm_prepare<UK_NORM_N_SUMS>,
                                                     .run = run_grad_local };
const UkCudaKernel uk_cuda_batch_norm_grad_global = { .prepare = uk_norm_check, .run = run_grad_global };
