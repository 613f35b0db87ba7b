/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patches.c - im2col for convolutions as a matrix product: patches in the order of the stored weights,
 * (c, i, j).
 *
 * Images have channels innermost and stored weights have taps innermost, so a patch is a transposed piece
 * of the image.  It is transposed in 4 x 4 blocks in registers, and element by element at the edges.
 */
#include "simd.h"

enum { MAX_TAPS = 1024 };

typedef float Four __attribute__ ((vector_size (16), aligned (4), may_alias));

/* y[j * ldy + i] = x[i][j], 0 <= i, j < 4 */
static inline void
transpose_block (float *y, int64_t ldy, const float *x0, const float *x1, const float *x2,
                 const float *x3)
{
  Four a = *(const Four *) x0, b = *(const Four *) x1;
  Four c = *(const Four *) x2, d = *(const Four *) x3;
  Four ab_low = __builtin_shufflevector (a, b, 0, 4, 1, 5);
  Four ab_high = __builtin_shufflevector (a, b, 2, 6, 3, 7);
  Four cd_low = __builtin_shufflevector (c, d, 0, 4, 1, 5);
  Four cd_high = __builtin_shufflevector (c, d, 2, 6, 3, 7);

  *(Four *) y = __builtin_shufflevector (ab_low, cd_low, 0, 1, 4, 5);
  *(Four *) (y + ldy) = __builtin_shufflevector (ab_low, cd_low, 2, 3, 6, 7);
  *(Four *) (y + 2 * ldy) = __builtin_shufflevector (ab_high, cd_high, 0, 1, 4, 5);
  *(Four *) (y + 3 * ldy) = __builtin_shufflevector (ab_high, cd_high, 2, 3, 6, 7);
}

/* y (cols, n_rows) from n_rows separate rows of cols floats. */
static void
transpose_rows (float *y, const float *const *rows, int64_t n_rows, int64_t cols)
{
  int64_t full_rows = n_rows / 4 * 4, full_cols = cols / 4 * 4;

  for (int64_t j = 0; j < full_cols; j += 4)
    {
      for (int64_t i = 0; i < full_rows; i += 4)
        transpose_block (y + j * n_rows + i, n_rows, rows[i] + j, rows[i + 1] + j,
                         rows[i + 2] + j, rows[i + 3] + j);
      for (int64_t i = full_rows; i < n_rows; i++)
        for (int64_t e = j; e < j + 4; e++)
          y[e * n_rows + i] = rows[i][e];
    }
  for (int64_t j = full_cols; j < cols; j++)
    for (int64_t i = 0; i < n_rows; i++)
      y[j * n_rows + i] = rows[i][j];
}

static void
make_patch (const UkCpuPatches *p, const float *sample, const float *zeros, int64_t row,
            int64_t col, float *patch)
{
  const float *taps[MAX_TAPS];
  int n = 0;

  for (int i = 0; i < p->kernel; i++)
    for (int j = 0; j < p->kernel; j++)
      {
        int64_t r = row * p->stride - p->pad + i, q = col * p->stride - p->pad + j;
        bool inside = r >= 0 && r < p->src.h && q >= 0 && q < p->src.w;

        taps[n++] = inside ? sample + (r * p->src.w + q) * p->src.c : zeros;
      }
  transpose_rows (patch, taps, n, p->src.c);
}

void
UK_SIMD (make_patches) (const UkCpuPatches *p, const float *src, const float *zeros,
                        float *patches)
{
  int64_t n_patches = p->dst.n * p->dst.h * p->dst.w;
  int64_t patch = p->src.c * p->kernel * p->kernel, sample = p->src.h * p->src.w * p->src.c;
  int n = uk_threads_for (n_patches * patch, p->n_threads);

#pragma omp parallel for num_threads (n) schedule (static)
  for (int64_t i = 0; i < n_patches; i++)
    make_patch (p, src + i / (p->dst.h * p->dst.w) * sample, zeros,
                i / p->dst.w % p->dst.h, i % p->dst.w, patches + i * patch);
}

void
UK_SIMD (transpose) (float *y, const float *x, int64_t n, int64_t rows, int64_t cols,
                     int n_threads)
{
  int64_t bands = (rows + 15) / 16, size = rows * cols;
  int n_used = uk_threads_for (n * size, n_threads);

  /* Bands of 16 columns of y, so that whole cache lines are written. */
#pragma omp parallel for num_threads (n_used) schedule (static)
  for (int64_t b = 0; b < n * bands; b++)
    {
      int64_t first = b % bands * 16, count = rows - first < 16 ? rows - first : 16;
      const float *from = x + b / bands * size + first * cols;
      float *to = y + b / bands * size + first;
      int64_t full = cols / 4 * 4, quads = count / 4 * 4;

      for (int64_t j = 0; j < full; j += 4)
        for (int64_t i = 0; i < quads; i += 4)
          transpose_block (to + j * rows + i, rows, from + i * cols + j,
                           from + (i + 1) * cols + j, from + (i + 2) * cols + j,
                           from + (i + 3) * cols + j);
      for (int64_t i = 0; i < count; i++)
        for (int64_t j = i < quads ? full : 0; j < cols; j++)
          to[j * rows + i] = from[i * cols + j];
    }
}
