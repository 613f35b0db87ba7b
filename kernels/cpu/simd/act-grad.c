/* SPDX-License-Identifier: Apache-2.0 */
/*
 * act-grad.c - dx = dy * act', with the bias gradient in the same pass.
 *
 * act' is computed from the output y.  The bias gradient sums hundreds of thousands of pixels, so only
 * UK_SUM_ROWS rows at a time are summed in single precision; then they are added to this thread's sums in
 * double precision, and those in thread order.
 */
#include "simd.h"

enum { SOFTMAX_BLOCK = 64 }; /* pixels */

/* With y = 2 p - 1: dx_j = 2 p_j (dy_j - sum_k p_k dy_k).  Vectorized over pixels, since channels are few. */
static void
softmax_grad_block (float *dx, const float *dy, const float *y, int64_t n_pixels, int64_t c)
{
  float dot[SOFTMAX_BLOCK] = { 0 };

  for (int64_t j = 0; j < c; j++)
#pragma omp simd
    for (int64_t p = 0; p < n_pixels; p++)
      dot[p] += (y[p * c + j] + 1.0f) * 0.5f * dy[p * c + j];
  for (int64_t j = 0; j < c; j++)
#pragma omp simd
    for (int64_t p = 0; p < n_pixels; p++)
      dx[p * c + j] = (y[p * c + j] + 1.0f) * (dy[p * c + j] - dot[p]);
}

void
UK_SIMD (act_grad_pixels) (float *dx, const float *dy, const float *y, int64_t n_pixels,
                           int64_t c, UkAct act, float slope)
{
  int64_t count = n_pixels * c;

  switch (act)
    {
    case UK_ACT_NONE:
      if (dx != dy)
        memcpy (dx, dy, (size_t) count * sizeof (float));
      break;
    case UK_ACT_RELU:
    case UK_ACT_LEAKY_RELU:
      slope = act == UK_ACT_RELU ? 0.0f : slope;
#pragma omp simd
      for (int64_t i = 0; i < count; i++)
        dx[i] = y[i] > 0.0f ? dy[i] : slope * dy[i];
      break;
    case UK_ACT_TANH:
#pragma omp simd
      for (int64_t i = 0; i < count; i++)
        dx[i] = dy[i] * (1.0f - y[i] * y[i]);
      break;
    case UK_ACT_SIGMOID:
#pragma omp simd
      for (int64_t i = 0; i < count; i++)
        dx[i] = dy[i] * y[i] * (1.0f - y[i]);
      break;
    case UK_ACT_SOFTMAX:
      for (int64_t p = 0; p < n_pixels; p += SOFTMAX_BLOCK)
        softmax_grad_block (dx + p * c, dy + p * c, y + p * c,
                            n_pixels - p < SOFTMAX_BLOCK ? n_pixels - p : SOFTMAX_BLOCK, c);
      break;
    }
}

typedef struct
{
  const float *y, *dy, *scale;
  float       *dx;
  int64_t      n_pixels, pixels_per_sample;
  UkPeriod     period;
  UkAct        act;
  float        slope;
} Job;

/* Folds a repeated row of partial sums into c doubles, and clears it. */
static void
flush_row (double *sums, float *row, UkPeriod period)
{
  for (int64_t r = 0; r < period.repeats; r++)
    for (int64_t j = 0; j < period.c; j++)
      sums[j] += row[r * period.c + j];
  memset (row, 0, (size_t) period.length * sizeof (float));
}

/* Pixels [begin, end) on this thread; @sums (c) and @row (period.length) may be NULL: no bias gradient. */
static void
act_grad_range (const Job *job, UkRange range, double *sums, float *row)
{
  int64_t c = job->period.c;
  int64_t n_rows = 0;

  for (int64_t p = range.begin; p < range.end;)
    {
      int64_t sample = p / job->pixels_per_sample;
      int64_t sample_end = (sample + 1) * job->pixels_per_sample;
      int64_t end = p + job->period.repeats;
      const float *dx = job->dx != NULL ? job->dx + p * c : job->dy + p * c;

      end = end < sample_end ? end : sample_end;
      end = end < range.end ? end : range.end;
      if (job->dx != NULL)
        UK_SIMD (act_grad_pixels) (job->dx + p * c, job->dy + p * c, job->y + p * c, end - p, c,
                                   job->act, job->slope);
      if (sums != NULL)
        {
          float scale = job->scale != NULL ? job->scale[sample] : 1.0f;

#pragma omp simd
          for (int64_t i = 0; i < (end - p) * c; i++)
            row[i] += scale * dx[i];
          if (++n_rows % UK_SUM_ROWS == 0)
            flush_row (sums, row, job->period);
        }
      p = end;
    }
  if (sums != NULL)
    flush_row (sums, row, job->period);
}

/* Per thread: sums (c) in double, then a row (period.length). */
static size_t
thread_bytes (int64_t c)
{
  return uk_cpu_align ((size_t) c * sizeof (double))
         + uk_cpu_align ((size_t) uk_period (c).length * sizeof (float));
}

static UkStatus
prepare (UkCpuOp *op)
{
  op->base.scratch_bytes = (size_t) op->n_threads * thread_bytes (op->base.desc.x.c);
  return UK_OK;
}

static UkStatus
run (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  int64_t c = desc->x.c;
  Job job = {
    .y = args[0] != NULL ? args[0] : args[1], /* unused without act */
    .dy = args[1],
    .scale = args[2],
    .dx = args[4],
    .pixels_per_sample = desc->x.h * desc->x.w,
    .n_pixels = desc->x.n * desc->x.h * desc->x.w,
    .period = uk_period (c),
    .act = desc->act,
    .slope = desc->slope,
  };
  float *db = args[3];
  int n = uk_threads_for (job.n_pixels * c, op->n_threads);

  if (job.act != UK_ACT_NONE && (args[0] == NULL || job.dx == NULL))
    return UK_BAD_ARGUMENT;
#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    {
      char *room = (char *) scratch + (size_t) t * thread_bytes (c);

      if (db != NULL)
        memset (room, 0, thread_bytes (c));
      act_grad_range (&job, uk_part (job.n_pixels, n, t), db != NULL ? (double *) room : NULL,
                      (float *) (room + uk_cpu_align ((size_t) c * sizeof (double))));
    }
  for (int64_t j = 0; j < c && db != NULL; j++)
    {
      double sum = 0.0;

      for (int t = 0; t < n; t++)
        sum += ((const double *) ((const char *) scratch + (size_t) t * thread_bytes (c)))[j];
      db[j] = (float) (desc->accumulate ? db[j] + sum : sum);
    }
  return UK_OK;
}

const UkCpuKernel UK_SIMD (act_grad_kernel) = { .prepare = prepare, .run = run };
