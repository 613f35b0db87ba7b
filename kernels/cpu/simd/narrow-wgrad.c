/* SPDX-License-Identifier: Apache-2.0 */
/*
 * narrow-wgrad.c - the weight gradient where one side has one to four channels.
 *
 * The narrow patch of a wide pixel (taps and channels, 48 values for 4 x 4 x 3) is laid out as a row of
 * vectors, and the gradient is a matrix product over the pixels of a row: wide channels by patch.  Each
 * row of pixels starts from zero in registers and is then added to the thread's sums, which keeps
 * rounding errors small; the threads' sums are added in order.
 */
#include "gemm-row.h"

/* A tap row of a patch, kernel * channels floats, is copied as this many; the next copy overwrites the
 * excess. */
enum { TAP_LANES = 16 };

typedef float Taps __attribute__ ((vector_size (TAP_LANES * sizeof (float)), aligned (4),
                                   may_alias));

/* One thread's memory. */
typedef struct
{
  float *sums;    /* (wide.c, row) */
  float *patches; /* (wide.w, row) */
  float *lines;   /* (kernel, line_floats): narrow rows with zeros on both sides */
} Work;

static int64_t
sums_floats (const UkCpuNarrow *conv)
{
  return conv->wide.c * conv->row;
}

static int64_t
line_floats (const UkCpuNarrow *conv)
{
  int64_t n_pixels = (conv->wide.w - 1) * conv->stride + conv->kernel;

  return n_pixels * conv->narrow.c + TAP_LANES;
}

static size_t
patches_bytes (const UkCpuNarrow *conv)
{
  return uk_cpu_align ((size_t) (conv->wide.w * conv->row + TAP_LANES) * sizeof (float));
}

static size_t
thread_bytes (const UkCpuNarrow *conv)
{
  return uk_cpu_align ((size_t) sums_floats (conv) * sizeof (float)) + patches_bytes (conv)
         + uk_cpu_align ((size_t) (conv->kernel * line_floats (conv)) * sizeof (float));
}

size_t
UK_SIMD (narrow_wgrad_scratch_bytes) (const UkCpuNarrow *conv)
{
  return (size_t) conv->n_threads * thread_bytes (conv);
}

static Work
make_work (const UkCpuNarrow *conv, char *room)
{
  Work work = { .sums = (float *) room };

  room += uk_cpu_align ((size_t) sums_floats (conv) * sizeof (float));
  work.patches = (float *) room;
  work.lines = (float *) (room + patches_bytes (conv));
  return work;
}

static void
make_patches (const UkCpuNarrow *conv, const Work *work, const float *narrow_sample, int64_t r)
{
  int64_t run = conv->kernel * conv->narrow.c, step = conv->stride * conv->narrow.c;
  int64_t narrow_row = conv->narrow.w * conv->narrow.c;
  int64_t line = line_floats (conv);

  for (int i = 0; i < conv->kernel; i++)
    {
      int64_t row = r * conv->stride - conv->pad + i;
      float *to = work->lines + i * line;

      if (row < 0 || row >= conv->narrow.h)
        memset (to, 0, (size_t) line * sizeof (float));
      else
        memcpy (to + conv->pad * conv->narrow.c, narrow_sample + row * narrow_row,
                (size_t) narrow_row * sizeof (float));
    }
  for (int64_t q = 0; q < conv->wide.w; q++)
    for (int i = 0; i < conv->kernel; i++)
      *(Taps *) (work->patches + q * conv->row + i * run)
        = *(const Taps *) (work->lines + i * line + q * step);
}

/* Wide rows [begin, end), counted over all samples. */
static void
wgrad_range (const UkCpuNarrow *conv, const float *wide, const float *narrow, UkRange range,
             const Work *work)
{
  int64_t wide_row = conv->wide.w * conv->wide.c;
  int64_t narrow_sample = conv->narrow.h * conv->narrow.w * conv->narrow.c;

  for (int64_t at = range.begin; at < range.end; at++)
    {
      make_patches (conv, work, narrow + at / conv->wide.h * narrow_sample, at % conv->wide.h);
      uk_gemm_row ((UkGemmRow) { .m = conv->wide.c, .k = conv->wide.w,
                                 .a = wide + at * wide_row, .step_m = 1,
                                 .step_k = conv->wide.c, .b = work->patches, .ldb = conv->row,
                                 .c = work->sums, .ldc = conv->row, .add = true },
                   conv->row / UK_LANES);
    }
}

void
UK_SIMD (narrow_wgrad) (const UkCpuNarrow *conv, const float *wide, const float *narrow,
                        float *weights, void *scratch)
{
  int64_t n_rows = conv->wide.n * conv->wide.h, count = sums_floats (conv);
  int n = uk_threads_for (uk_shape_count (conv->wide), conv->n_threads);

#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    {
      char *room = (char *) scratch + (size_t) t * thread_bytes (conv);
      Work work = make_work (conv, room);

      memset (room, 0, thread_bytes (conv)); /* sums, and the zeros around the lines */
      wgrad_range (conv, wide, narrow, uk_part (n_rows, n, t), &work);
    }
  for (int64_t i = 0; i < count; i++)
    {
      double sum = 0.0;

      for (int t = 0; t < n; t++)
        sum += ((const float *) ((const char *) scratch + (size_t) t * thread_bytes (conv)))[i];
      weights[i] = (float) sum;
    }
}
