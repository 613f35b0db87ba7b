/* SPDX-License-Identifier: Apache-2.0 */
/*
 * to-narrow.c - a convolution whose result has one to four channels.
 *
 * Vectors along the result's channels would be almost empty, which is why oneDNN is slow here.  Instead
 * each wide pixel is multiplied with the whole kernel at once: its taps and channels together, 48 values
 * for 4 x 4 x 3, fill vectors (a matrix product, gemm-row.h).  A narrow pixel is then a sum over the few
 * wide pixels that reach it.
 *
 * With kernel = reach * stride that sum is regular.  Split the result into runs of `stride` pixels, run q
 * starting at pixel q * stride - pad: it takes taps h * stride ... of wide pixel q - h, 0 <= h < reach.
 * The same holds for rows, so `reach` rows of products are kept, in a ring.
 */
#include "gemm-row.h"

/* Floats loaded and stored at a time when runs are summed.  A run has at most this many (stride *
 * channels); the next run overwrites the excess. */
enum { RUN_LANES = 8 };

typedef float Run __attribute__ ((vector_size (RUN_LANES * sizeof (float)), aligned (4),
                                  may_alias));

typedef struct
{
  const UkCpuNarrow *conv;
  int64_t reach;    /* kernel / stride */
  int64_t n_runs;   /* per row, and rows of runs per sample: wide + reach - 1 */
  int64_t run;      /* floats per run: stride * channels */
  float  *ring[8];  /* [reach]: rows of products, padded with reach - 1 pixels of zeros */
  float  *zeros;    /* such a row, all zeros: rows outside */
  float  *line;     /* one row of the result before bias and act */
  float  *bias;     /* of the same length, the bias of each element; NULL: none */
} Work;

/* Work items, dynamically scheduled. */
enum { PIECES_PER_THREAD = 8 };

static int64_t
product_row_floats (const UkCpuNarrow *conv)
{
  int64_t reach = conv->kernel / conv->stride;

  return (conv->wide.w + 2 * (reach - 1)) * conv->row + RUN_LANES;
}

static int64_t
line_floats (const UkCpuNarrow *conv)
{
  int64_t reach = conv->kernel / conv->stride;

  return (conv->wide.w + reach - 1) * conv->stride * conv->narrow.c + RUN_LANES;
}

static size_t
thread_bytes (const UkCpuNarrow *conv)
{
  int64_t reach = conv->kernel / conv->stride;

  return (size_t) (reach + 1)
           * uk_cpu_align ((size_t) product_row_floats (conv) * sizeof (float))
         + 2 * uk_cpu_align ((size_t) line_floats (conv) * sizeof (float));
}

size_t
UK_SIMD (to_narrow_scratch_bytes) (const UkCpuNarrow *conv)
{
  return (size_t) conv->n_threads * thread_bytes (conv);
}

static Work
make_work (const UkCpuNarrow *conv, const float *bias, char *room)
{
  size_t line = uk_cpu_align ((size_t) line_floats (conv) * sizeof (float));
  size_t row = uk_cpu_align ((size_t) product_row_floats (conv) * sizeof (float));
  Work work = { .conv = conv, .reach = conv->kernel / conv->stride };

  work.n_runs = conv->wide.w + work.reach - 1;
  work.run = conv->stride * conv->narrow.c;
  memset (room, 0, thread_bytes (conv)); /* the zero padding is never overwritten */
  for (int64_t h = 0; h < work.reach; h++)
    work.ring[h] = (float *) (room + (size_t) h * row);
  work.zeros = (float *) (room + (size_t) work.reach * row);
  work.line = (float *) (room + (size_t) (work.reach + 1) * row);
  if (bias != NULL)
    {
      work.bias = (float *) (room + (size_t) (work.reach + 1) * row + line);
      for (int64_t i = 0; i < conv->narrow.w * conv->narrow.c; i++)
        work.bias[i] = bias[i % conv->narrow.c];
    }
  return work;
}

/* Writes the products of wide row @r (of one sample) to its slot in the ring. */
static void
multiply_row (Work *work, const float *wide_sample, const float *weights, int64_t r)
{
  const UkCpuNarrow *conv = work->conv;

  if (r < 0 || r >= conv->wide.h)
    return;
  uk_gemm_row ((UkGemmRow) { .m = conv->wide.w, .k = conv->wide.c,
                             .a = wide_sample + r * conv->wide.w * conv->wide.c,
                             .step_m = conv->wide.c, .step_k = 1,
                             .b = weights, .ldb = conv->row,
                             .c = work->ring[r % work->reach] + (work->reach - 1) * conv->row,
                             .ldc = conv->row },
               conv->row / UK_LANES);
}

/* Row @t of run row @q: sums of reach * reach products. */
static inline __attribute__ ((always_inline)) void
sum_line (Work *work, int64_t q, int64_t t, int64_t reach)
{
  const UkCpuNarrow *conv = work->conv;
  /* Local copies: the compiler cannot exclude that storing a Run changes them. */
  int64_t n_runs = work->n_runs, row_step = conv->row, line_step = work->run;
  float *line = work->line;
  const float *from[64];

  for (int64_t i = 0; i < reach; i++)
    {
      int64_t r = q - i;
      const float *row = r >= 0 && r < conv->wide.h ? work->ring[r % reach] : work->zeros;

      for (int64_t j = 0; j < reach; j++)
        from[i * reach + j] = row + (reach - 1 - j) * conv->row
                              + ((i * conv->stride + t) * conv->kernel + j * conv->stride)
                                  * conv->narrow.c;
    }
  for (int64_t p = 0; p < n_runs; p++)
    {
      Run sum = *(const Run *) (from[0] + p * row_step);

#pragma GCC unroll 9
      for (int64_t i = 1; i < reach * reach; i++)
        sum += *(const Run *) (from[i] + p * row_step);
      *(Run *) (line + p * line_step) = sum;
    }
}

static void
make_line (Work *work, int64_t q, int64_t t)
{
  switch (work->reach)
    {
    case 1:
      sum_line (work, q, t, 1);
      break;
    case 2:
      sum_line (work, q, t, 2);
      break;
    case 3:
      sum_line (work, q, t, 3);
      break;
    default:
      sum_line (work, q, t, work->reach);
      break;
    }
}

/* Run rows [begin, end), counted over all samples. */
static void
to_narrow_range (Work *work, const float *wide, const float *weights, UkAct act, float slope,
                 float *narrow, UkRange range)
{
  const UkCpuNarrow *conv = work->conv;
  int64_t per_sample = conv->wide.h + work->reach - 1;
  int64_t line = conv->narrow.w * conv->narrow.c;

  for (int64_t at = range.begin; at < range.end; at++)
    {
      int64_t sample = at / per_sample, q = at % per_sample;
      const float *from = wide + sample * conv->wide.h * conv->wide.w * conv->wide.c;

      /* The ring is empty where the range starts; afterwards only row q is missing. */
      for (int64_t r = at == range.begin ? q - work->reach + 1 : q; r <= q; r++)
        multiply_row (work, from, weights, r);
      for (int64_t t = 0; t < conv->stride; t++)
        {
          int64_t row = q * conv->stride - conv->pad + t;

          const float *sums = work->line + conv->pad * conv->narrow.c, *bias = work->bias;
          float *to = narrow + (sample * conv->narrow.h + row) * line;

          if (row < 0 || row >= conv->narrow.h)
            continue;
          make_line (work, q, t);
          if (bias == NULL)
            memcpy (to, sums, (size_t) line * sizeof (float));
          else
#pragma omp simd
            for (int64_t i = 0; i < line; i++)
              to[i] = sums[i] + bias[i];
          UK_SIMD (act_pixels) (to, conv->narrow.w, conv->narrow.c, act, slope);
        }
    }
}

void
UK_SIMD (to_narrow) (const UkCpuNarrow *conv, const float *wide, const float *weights,
                     const float *bias, UkAct act, float slope, float *narrow, void *scratch)
{
  int64_t n_rows = conv->wide.n * (conv->wide.h + conv->kernel / conv->stride - 1);
  int n = uk_threads_for (uk_shape_count (conv->wide), conv->n_threads);
  int n_pieces = n > 1 ? n * PIECES_PER_THREAD : 1;
  int64_t next = 0;

#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    {
      Work work = make_work (conv, bias, (char *) scratch + (size_t) t * thread_bytes (conv));

      for (int64_t p = uk_next_item (&next); p < n_pieces; p = uk_next_item (&next))
        to_narrow_range (&work, wide, weights, act, slope, narrow,
                         uk_part (n_rows, n_pieces, (int) p));
    }
}
