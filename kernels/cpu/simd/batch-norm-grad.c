/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch-norm-grad.c - batch norm backward, through its activation, in two passes.  With statistics shared
 * between ranks each pass is an operation of its own.
 *
 * With g = dy act' (gamma xhat + beta), N pixels and xhat = (x - mean) inv_std:
 *   dbeta = sum g,  dgamma = sum g xhat,
 *   dx = gamma inv_std (g - dbeta / N - xhat dgamma / N),
 * that is scale g + b (x - mean) + d with three coefficients per channel.  Both passes compute g from x and dy,
 * which they read anyway: the output y is not read.
 */
#include "batch-norm-private.h"

typedef struct
{
  const float *x, *dy;
  float       *dx;
  UkPeriod     period;
  const float *mean, *scale, *beta; /* (period.length): y = act ((x - mean) scale + beta) */
  const float *b, *d;               /* (period.length) */
  UkAct        act;
  float        slope;
} Job;

/* g of one row: dy itself without an activation, else computed into @room. */
static const float *
row_gradient (const Job *job, int64_t pixel, int64_t n_pixels, float *room)
{
  int64_t c = job->period.c;
  const float *x = job->x + pixel * c, *dy = job->dy + pixel * c;
  const float *mean = job->mean, *scale = job->scale, *beta = job->beta;
  float slope = job->act == UK_ACT_RELU ? 0.0f : job->slope;

  if (job->act == UK_ACT_NONE)
    return dy;
  if (job->act == UK_ACT_RELU || job->act == UK_ACT_LEAKY_RELU)
    {
#pragma omp simd
      for (int64_t i = 0; i < n_pixels * c; i++)
        room[i] = (x[i] - mean[i]) * scale[i] + beta[i] > 0.0f ? dy[i] : slope * dy[i];
      return room;
    }
#pragma omp simd
  for (int64_t i = 0; i < n_pixels * c; i++)
    room[i] = (x[i] - mean[i]) * scale[i] + beta[i];
  UK_SIMD (act_pixels) (room, n_pixels, c, job->act, job->slope);
  UK_SIMD (act_grad_pixels) (room, dy, room, n_pixels, c, job->act, job->slope);
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
  const float *mean = job->mean, *scale = job->scale, *b = job->b, *d = job->d;

  for (int64_t p = range.begin; p < range.end; p += job->period.repeats)
    {
      int64_t n = range.end - p < job->period.repeats ? range.end - p : job->period.repeats;
      const float *x = job->x + p * c, *g = row_gradient (job, p, n, room);
      float *dx = job->dx + p * c;

#pragma omp simd
      for (int64_t i = 0; i < n * c; i++)
        dx[i] = scale[i] * g[i] + (b[i] * (x[i] - mean[i]) + d[i]);
    }
}

/* ------------------------------------------------------------------------ */
/* The two passes                                                            */

static size_t
row_bytes (int64_t c)
{
  return uk_cpu_align ((size_t) uk_period (c).length * sizeof (float));
}

/* Repeated vectors of the forward pass. */
typedef struct
{
  float mean[UK_MAX_PERIOD], scale[UK_MAX_PERIOD], beta[UK_MAX_PERIOD];
} Affine;

/* The vectors of @job are (c), and repeated in @room. */
static void
repeat_affine (Job *job, Affine *room)
{
  job->mean = uk_repeat (job->period, job->mean, room->mean);
  job->scale = uk_repeat (job->period, job->scale, room->scale);
  job->beta = uk_repeat (job->period, job->beta, room->beta);
}

/* Sums over the pixels; @rows holds one row per thread. */
static UkPairSums
sum_all (const UkCpuOp *op, Job job, void *sums_room, char *rows)
{
  const UkOpDesc *desc = &op->base.desc;
  int64_t c = desc->x.c, n_pixels = desc->x.n * desc->x.h * desc->x.w;
  int n = uk_threads_for (n_pixels * c, op->n_threads);
  Affine room;

  repeat_affine (&job, &room);
#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    {
      UkPairSums sums = uk_pair_sums_at (sums_room, c, t);

      sum_range (&job, uk_part (n_pixels, n, t), (float *) (rows + (size_t) t * row_bytes (c)),
                 &sums);
    }
  return uk_pair_sums_total (sums_room, c, n);
}

/* Vectors of the backward pass. */
typedef struct
{
  float *scale, *b, *d; /* (c) */
} Factors;

static size_t
factors_bytes (int64_t c)
{
  return 3 * uk_cpu_align ((size_t) c * sizeof (float));
}

/* With the scale; b and d follow from sums. */
static Factors
factors_at (void *room, const UkOpDesc *desc, void *const *args)
{
  const float *gamma = args[2], *inv_std = args[5];
  int64_t c = desc->x.c;
  size_t step = uk_cpu_align ((size_t) c * sizeof (float)) / sizeof (float);
  float *scale = room;

  for (int64_t j = 0; j < c; j++)
    scale[j] = gamma[j] * inv_std[j];
  return (Factors) { scale, scale + step, scale + 2 * step };
}

/* From a channel's sums over @n_values; sum_gx = sum g xhat. */
static void
set_factors (const Factors *factors, int64_t j, float inv_std, double sum_g, double sum_gx, double n_values)
{
  double scale = factors->scale[j];

  factors->b[j] = (float) (-scale * inv_std * sum_gx / n_values);
  factors->d[j] = (float) (-scale * sum_g / n_values);
}

static void
apply_all (const UkCpuOp *op, Job job, const Factors *factors, char *rows)
{
  const UkOpDesc *desc = &op->base.desc;
  int64_t c = desc->x.c, n_pixels = desc->x.n * desc->x.h * desc->x.w;
  int n = uk_threads_for (n_pixels * c, op->n_threads);
  float b_room[UK_MAX_PERIOD], d_room[UK_MAX_PERIOD];
  Affine room;

  repeat_affine (&job, &room);
  job.b = uk_repeat (job.period, factors->b, b_room);
  job.d = uk_repeat (job.period, factors->d, d_room);
#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    apply_range (&job, uk_part (n_pixels, n, t), (float *) (rows + (size_t) t * row_bytes (c)));
}

static Job
job_new (const UkCpuOp *op, void *const *args, const Factors *factors, float *dx)
{
  const UkOpDesc *desc = &op->base.desc;

  return (Job) { .x = args[0], .dy = args[1], .dx = dx, .period = uk_period (desc->x.c),
                 .mean = args[4], .scale = factors->scale, .beta = args[3], .act = desc->act,
                 .slope = desc->slope };
}

/* Stores a parameter's gradient; @gradient may be NULL. */
static void
store_gradient (const UkOpDesc *desc, float *gradient, int64_t j, double value)
{
  if (gradient != NULL)
    gradient[j] = (float) (desc->accumulate ? gradient[j] + value : value);
}

/* ------------------------------------------------------------------------ */
/* The operations                                                            */

/* Scratch: sums per thread (not GLOBAL), a row per thread, then the factors. */
static UkStatus
prepare (UkCpuOp *op)
{
  int64_t c = op->base.desc.x.c;
  size_t sums = op->base.desc.kind != UK_OP_BATCH_NORM_GRAD_GLOBAL ? uk_pair_sums_bytes (c) : 0;

  op->base.scratch_bytes = (size_t) op->n_threads * (sums + row_bytes (c)) + factors_bytes (c);
  return UK_OK;
}

static UkStatus
run (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const float *inv_std = args[5];
  int64_t c = desc->x.c;
  char *rows = (char *) scratch + (size_t) op->n_threads * uk_pair_sums_bytes (c);
  Factors factors = factors_at (rows + (size_t) op->n_threads * row_bytes (c), desc, args);
  Job job = job_new (op, args, &factors, args[6]);
  UkPairSums total = sum_all (op, job, scratch, rows);

  for (int64_t j = 0; j < c; j++)
    {
      double sum_g = total.sum1[j], sum_gx = total.sum2[j] * inv_std[j];

      set_factors (&factors, j, inv_std[j], sum_g, sum_gx, (double) (desc->x.n * desc->x.h * desc->x.w));
      store_gradient (desc, args[7], j, sum_gx);
      store_gradient (desc, args[8], j, sum_g);
    }
  apply_all (op, job, &factors, rows);
  return UK_OK;
}

static UkStatus
run_local (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const float *inv_std = args[5];
  float *sums = args[6];
  int64_t c = desc->x.c;
  char *rows = (char *) scratch + (size_t) op->n_threads * uk_pair_sums_bytes (c);
  Factors factors = factors_at (rows + (size_t) op->n_threads * row_bytes (c), desc, args);
  UkPairSums total = sum_all (op, job_new (op, args, &factors, NULL), scratch, rows);

  for (int64_t j = 0; j < c; j++)
    {
      double sum_g = total.sum1[j], sum_gx = total.sum2[j] * inv_std[j];

      sums[j] = (float) sum_gx;
      sums[c + j] = (float) sum_g;
      store_gradient (desc, args[7], j, sum_gx);
      store_gradient (desc, args[8], j, sum_g);
    }
  return UK_OK;
}

static UkStatus
run_global (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const float *inv_std = args[5], *sums = args[6];
  int64_t c = desc->x.c;
  Factors factors = factors_at ((char *) scratch + (size_t) op->n_threads * row_bytes (c), desc, args);

  for (int64_t j = 0; j < c; j++)
    set_factors (&factors, j, inv_std[j], sums[c + j], sums[j], (double) (desc->batch * desc->x.h * desc->x.w));
  apply_all (op, job_new (op, args, &factors, args[7]), &factors, scratch);
  return UK_OK;
}

const UkCpuKernel UK_SIMD (batch_norm_grad_kernel) = { .prepare = prepare, .run = run };
const UkCpuKernel UK_SIMD (batch_norm_grad_local_kernel) = { .prepare = prepare, .run = run_local };
const UkCpuKernel UK_SIMD (batch_norm_grad_global_kernel) = { .prepare = prepare, .run = run_global };
