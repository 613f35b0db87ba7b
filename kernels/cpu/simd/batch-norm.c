/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch-norm.c - batch norm forward, with its activation, in two passes.  With statistics shared between
 * ranks each pass is an operation of its own.
 *
 * The first pass reads x and sums d and d^2, where d = x - k and k is the channel's first element.  The
 * shift keeps the variance accurate where the mean is large, unlike a plain sum of squares, and costs
 * less than a second reading.  The second pass reads x and writes y.
 */
#include "batch-norm-private.h"

typedef struct
{
  const float *x;
  float       *y;
  UkPeriod     period;
  const float *mean, *scale, *beta; /* (period.length): y = act ((x - mean) scale + beta) */
  UkAct        act;
  float        slope;
} Job;

/* ------------------------------------------------------------------------ */
/* Statistics                                                                */

static void
sum_range (const float *x, const float *k, UkPeriod period, UkRange range, UkPairSums *sums)
{
  int64_t n_rows = 0;

  uk_pair_sums_clear (sums, period.c);
  for (int64_t p = range.begin; p < range.end; p += period.repeats)
    {
      int64_t n = range.end - p < period.repeats ? range.end - p : period.repeats;
      const float *row = x + p * period.c;
      float *row1 = sums->row1, *row2 = sums->row2;

#pragma omp simd
      for (int64_t i = 0; i < n * period.c; i++)
        {
          float d = row[i] - k[i];

          row1[i] += d;
          row2[i] += d * d;
        }
      if (++n_rows % UK_SUM_ROWS == 0)
        uk_pair_sums_flush (sums, period);
    }
  uk_pair_sums_flush (sums, period);
}

static void
compute_statistics (const UkOpDesc *desc, const float *x, void *scratch, int n_threads,
                    double *mean, double *var)
{
  UkPeriod period = uk_period (desc->x.c);
  int64_t n_pixels = desc->x.n * desc->x.h * desc->x.w;
  int n = uk_threads_for (n_pixels * period.c, n_threads);
  float room[UK_MAX_PERIOD];
  const float *k = uk_repeat (period, x, room);
  UkPairSums total;

#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    {
      UkPairSums sums = uk_pair_sums_at (scratch, period.c, t);

      sum_range (x, k, period, uk_part (n_pixels, n, t), &sums);
    }
  total = uk_pair_sums_total (scratch, period.c, n);
  for (int64_t j = 0; j < period.c; j++)
    {
      double d = total.sum1[j] / (double) n_pixels;
      double v = total.sum2[j] / (double) n_pixels - d * d;

      mean[j] = x[j] + d;
      var[j] = v > 0.0 ? v : 0.0;
    }
}

UK_RACES_ON_PURPOSE static void
update_running (float *running, const double *batch, int64_t c, double momentum, double factor)
{
  if (running == NULL)
    return;
  for (int64_t j = 0; j < c; j++)
    running[j] = (float) ((1.0 - momentum) * running[j] + momentum * factor * batch[j]);
}

/* ------------------------------------------------------------------------ */
/* Normalization                                                             */

static void
normalize_range (const Job *job, UkRange range)
{
  int64_t c = job->period.c, step = job->period.repeats;
  bool separate_act = job->act != UK_ACT_NONE && job->act != UK_ACT_RELU
                      && job->act != UK_ACT_LEAKY_RELU;
  const float *mean = job->mean, *scale = job->scale, *beta = job->beta;
  float slope = job->act == UK_ACT_RELU ? 0.0f
                : job->act == UK_ACT_LEAKY_RELU ? job->slope : 1.0f;

  for (int64_t p = range.begin; p < range.end; p += step)
    {
      int64_t n = range.end - p < step ? range.end - p : step;
      const float *x = job->x + p * c;
      float *y = job->y + p * c;

#pragma omp simd
      for (int64_t i = 0; i < n * c; i++)
        {
          float v = (x[i] - mean[i]) * scale[i] + beta[i];

          y[i] = v > 0.0f ? v : slope * v;
        }
      if (separate_act)
        UK_SIMD (act_pixels) (y, n, c, job->act, job->slope);
    }
}

/* The vectors of @job are (c), and repeated here, once. */
static void
normalize (Job job, int64_t n_pixels, int n_threads)
{
  int n = uk_threads_for (n_pixels * job.period.c, n_threads);
  float mean[UK_MAX_PERIOD], scale[UK_MAX_PERIOD], beta[UK_MAX_PERIOD];

  job.mean = uk_repeat (job.period, job.mean, mean);
  job.scale = uk_repeat (job.period, job.scale, scale);
  job.beta = uk_repeat (job.period, job.beta, beta);
#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    normalize_range (&job, uk_part (n_pixels, n, t));
}

/* ------------------------------------------------------------------------ */
/* The operations                                                            */

/* Arguments common to the operations that normalize a batch. */
typedef struct
{
  const float *x, *gamma, *beta;
  float       *running_mean, *running_var, *y, *mean, *inv_std;
} Arrays;

/* Vectors of c elements in the scratch. */
typedef struct
{
  double *mean, *var;
  float  *scale;
} Room;

static size_t
room_bytes (int64_t c)
{
  return 3 * uk_cpu_align ((size_t) c * sizeof (double));
}

static Room
room_at (void *scratch, int64_t c)
{
  size_t step = uk_cpu_align ((size_t) c * sizeof (double));
  char *room = scratch;

  return (Room) { (double *) room, (double *) (room + step), (float *) (room + 2 * step) };
}

/* Normalizes with the statistics in @room, of @n_values per channel. */
static void
normalize_batch (const UkCpuOp *op, const Arrays *args, const Room *room, double n_values)
{
  const UkOpDesc *desc = &op->base.desc;
  int64_t c = desc->x.c;

  update_running (args->running_mean, room->mean, c, desc->momentum, 1.0);
  update_running (args->running_var, room->var, c, desc->momentum,
                  n_values > 1 ? n_values / (n_values - 1.0) : 1.0);
  for (int64_t j = 0; j < c; j++)
    {
      args->mean[j] = (float) room->mean[j];
      args->inv_std[j] = (float) (1.0 / sqrt (room->var[j] + desc->eps));
      room->scale[j] = args->gamma[j] * args->inv_std[j];
    }
  normalize ((Job) { .x = args->x, .y = args->y, .period = uk_period (c), .mean = args->mean,
                     .scale = room->scale, .beta = args->beta, .act = desc->act,
                     .slope = desc->slope },
             desc->x.n * desc->x.h * desc->x.w, op->n_threads);
}

/* Scratch: sums per thread, then the room. */
static UkStatus
prepare (UkCpuOp *op)
{
  int64_t c = op->base.desc.x.c;

  op->base.scratch_bytes = (size_t) op->n_threads * uk_pair_sums_bytes (c) + room_bytes (c);
  return UK_OK;
}

static Room
own_statistics (const UkCpuOp *op, const float *x, void *scratch)
{
  int64_t c = op->base.desc.x.c;
  Room room = room_at ((char *) scratch + (size_t) op->n_threads * uk_pair_sums_bytes (c), c);

  compute_statistics (&op->base.desc, x, scratch, op->n_threads, room.mean, room.var);
  return room;
}

static UkStatus
run (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  Arrays arrays = { args[0], args[1], args[2], args[3], args[4], args[5], args[6], args[7] };
  Room room = own_statistics (op, arrays.x, scratch);

  normalize_batch (op, &arrays, &room, (double) (desc->x.n * desc->x.h * desc->x.w));
  return UK_OK;
}

static UkStatus
run_local (UkCpuOp *op, void *const *args, void *scratch)
{
  int64_t c = op->base.desc.x.c;
  Room room = own_statistics (op, args[0], scratch);
  float *mean = args[1], *var = mean + c;

  for (int64_t j = 0; j < c; j++)
    {
      mean[j] = (float) room.mean[j];
      var[j] = (float) room.var[j];
    }
  return UK_OK;
}

/* Combines the ranks' statistics: see UK_OP_BATCH_NORM_LOCAL. */
static void
combine_ranks (const float *statistics, int64_t n_ranks, int64_t c, const Room *room)
{
  memset (room->mean, 0, (size_t) c * sizeof (double));
  memset (room->var, 0, (size_t) c * sizeof (double));
  for (int64_t r = 0; r < n_ranks; r++)
    for (int64_t j = 0; j < c; j++)
      room->mean[j] += statistics[2 * c * r + j] / (double) n_ranks;
  for (int64_t r = 0; r < n_ranks; r++)
    for (int64_t j = 0; j < c; j++)
      {
        double d = statistics[2 * c * r + j] - room->mean[j];

        room->var[j] += (statistics[2 * c * r + c + j] + d * d) / (double) n_ranks;
      }
}

static UkStatus
prepare_global (UkCpuOp *op)
{
  op->base.scratch_bytes = room_bytes (op->base.desc.x.c);
  return UK_OK;
}

static UkStatus
run_global (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  Arrays arrays = { args[0], args[2], args[3], args[4], args[5], args[6], args[7], args[8] };
  Room room = room_at (scratch, desc->x.c);

  combine_ranks (args[1], desc->batch / desc->x.n, desc->x.c, &room);
  normalize_batch (op, &arrays, &room, (double) (desc->batch * desc->x.h * desc->x.w));
  return UK_OK;
}

static UkStatus
prepare_infer (UkCpuOp *op)
{
  op->base.scratch_bytes = uk_cpu_align ((size_t) op->base.desc.x.c * sizeof (float));
  return UK_OK;
}

/* Also recomputes y of a training step, with inv_std instead of the variance. */
static UkStatus
run_infer (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const float *gamma = args[1], *var = args[4], *inv_std = args[4];
  float *scale = scratch;

  for (int64_t j = 0; j < desc->x.c; j++)
    scale[j] = desc->kind == UK_OP_BATCH_NORM_RECOMPUTE
                 ? gamma[j] * inv_std[j]
                 : (float) (gamma[j] / sqrt ((double) var[j] + desc->eps));
  normalize ((Job) { .x = args[0], .y = args[5], .period = uk_period (desc->x.c),
                     .mean = args[3], .scale = scale, .beta = args[2], .act = desc->act,
                     .slope = desc->slope },
             desc->x.n * desc->x.h * desc->x.w, op->n_threads);
  return UK_OK;
}

const UkCpuKernel UK_SIMD (batch_norm_kernel) = { .prepare = prepare, .run = run };
const UkCpuKernel UK_SIMD (batch_norm_local_kernel) = { .prepare = prepare, .run = run_local };
const UkCpuKernel UK_SIMD (batch_norm_global_kernel) = { .prepare = prepare_global, .run = run_global };
const UkCpuKernel UK_SIMD (batch_norm_infer_kernel) = { .prepare = prepare_infer, .run = run_infer };
