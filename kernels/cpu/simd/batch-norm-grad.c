/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch-norm-grad.c - batch norm backward, through its activation: two passes.
 *
 * With g = dy act' (y), N pixels and xhat = (x - mean) inv_std:
 *   dbeta = sum g,  dgamma = sum g xhat,
 *   dx = gamma inv_std (g - dbeta / N - xhat dgamma / N),
 * which is a g + b (x - mean) + d with three numbers per channel.  Both passes
 * compute g anew, since reading y and dy again is no dearer than reading g.
 */
#include "batch-norm-private.h"

typedef struct
{
  const float *x, *y, *dy;
  float       *dx;
  UkPeriod     period;
  const float *mean, *a, *b, *d; /* (period.length) */
  UkAct        act;
  float        slope;
} Job;

/* g of one row: on the spot for what is linear in pieces, else in @room. */
static const float *
row_gradient (const Job *job, int64_t pixel, int64_t n_pixels, float *room)
{
  int64_t c = job->period.c;
  const float *dy = job->dy + pixel * c;

  if (job->act == UK_ACT_NONE)
    return dy;
  UK_SIMD (act_grad_pixels) (room, dy, job->y + pixel * c, n_pixels, c, job->act, job->slope);
  return room;
}

static void
sum_range (const Job *job, UkRange range, float *room, UkPairSums *sums)
{
  int64_t n_rows = 0, c = job->period.c;
  const float *mean = job->mean;

  uk_pair_sums_clear (sums, c);
  for (int64_t p = range.begin; p < range.end; p += job->period.repeats)
    {
      int64_t n = range.end - p < job->period.repeats ? range.end - p : job->period.repeats;
      const float *x = job->x + p * c, *g = row_gradient (job, p, n, room);
      float *row1 = sums->row1, *row2 = sums->row2;

#pragma omp simd
      for (int64_t i = 0; i < n * c; i++)
        {
          row1[i] += g[i];
          row2[i] += g[i] * (x[i] - mean[i]);
        }
      if (++n_rows % UK_SUM_ROWS == 0)
        uk_pair_sums_flush (sums, job->period);
    }
  uk_pair_sums_flush (sums, job->period);
}

static void
apply_range (const Job *job, UkRange range, float *room)
{
  int64_t c = job->period.c;
  const float *mean = job->mean, *a = job->a, *b = job->b, *d = job->d;

  for (int64_t p = range.begin; p < range.end; p += job->period.repeats)
    {
      int64_t n = range.end - p < job->period.repeats ? range.end - p : job->period.repeats;
      const float *x = job->x + p * c, *g = row_gradient (job, p, n, room);
      float *dx = job->dx + p * c;

#pragma omp simd
      for (int64_t i = 0; i < n * c; i++)
        dx[i] = a[i] * g[i] + (b[i] * (x[i] - mean[i]) + d[i]);
    }
}

/* ------------------------------------------------------------------------ */
/* The operation                                                             */

static size_t
row_bytes (int64_t c)
{
  return uk_cpu_align ((size_t) uk_period (c).length * sizeof (float));
}

/* Scratch: every thread's sums, then every thread's row, then a, b and d. */
static UkStatus
prepare (UkCpuOp *op)
{
  int64_t c = op->base.desc.x.c;

  op->base.scratch_bytes = (size_t) op->n_threads * (uk_pair_sums_bytes (c) + row_bytes (c))
                           + 3 * uk_cpu_align ((size_t) c * sizeof (float));
  return UK_OK;
}

/* From the sums to dgamma, dbeta and the factors of the second pass. */
static void
finish_sums (const UkOpDesc *desc, const UkPairSums *total, void *const *args,
             float *a, float *b, float *d)
{
  const float *gamma = args[3], *inv_std = args[5];
  float *dgamma = args[7], *dbeta = args[8];
  double n_pixels = (double) (desc->x.n * desc->x.h * desc->x.w);

  for (int64_t j = 0; j < desc->x.c; j++)
    {
      double sum_g = total->sum1[j], sum_gx = total->sum2[j] * inv_std[j];
      double scale = (double) gamma[j] * inv_std[j];

      a[j] = (float) scale;
      b[j] = (float) (-scale * inv_std[j] * sum_gx / n_pixels);
      d[j] = (float) (-scale * sum_g / n_pixels);
      dgamma[j] = (float) (desc->accumulate ? dgamma[j] + sum_gx : sum_gx);
      dbeta[j] = (float) (desc->accumulate ? dbeta[j] + sum_g : sum_g);
    }
}

static UkStatus
run (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  int64_t c = desc->x.c, n_pixels = desc->x.n * desc->x.h * desc->x.w;
  UkPeriod period = uk_period (c);
  int n = uk_threads_for (n_pixels * c, op->n_threads);
  char *rows = (char *) scratch + (size_t) op->n_threads * uk_pair_sums_bytes (c);
  size_t step = uk_cpu_align ((size_t) c * sizeof (float)) / sizeof (float);
  float *a = (float *) (rows + (size_t) op->n_threads * row_bytes (c));
  float *b = a + step, *d = b + step;
  float mean_room[UK_MAX_PERIOD], a_room[UK_MAX_PERIOD], b_room[UK_MAX_PERIOD];
  float d_room[UK_MAX_PERIOD];
  UkPairSums total;
  Job job = { .x = args[0], .y = args[1], .dy = args[2], .dx = args[6], .period = period,
              .mean = uk_repeat (period, args[4], mean_room), .act = desc->act,
              .slope = desc->slope };

#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    {
      UkPairSums sums = uk_pair_sums_at (scratch, c, t);

      sum_range (&job, uk_part (n_pixels, n, t), (float *) (rows + (size_t) t * row_bytes (c)),
                 &sums);
    }
  total = uk_pair_sums_total (scratch, c, n);
  finish_sums (desc, &total, args, a, b, d);
  job.a = uk_repeat (period, a, a_room);
  job.b = uk_repeat (period, b, b_room);
  job.d = uk_repeat (period, d, d_room);
#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    apply_range (&job, uk_part (n_pixels, n, t), (float *) (rows + (size_t) t * row_bytes (c)));
  return UK_OK;
}

const UkCpuKernel UK_SIMD (batch_norm_grad_kernel) = { .prepare = prepare, .run = run };
