/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv.c - convolutions and transposed convolutions, forward and backward.
 *
 * Both relate a small and a large image: the kernel at pixel (r, q) of the small one covers the pixels
 *
 *   (r * stride - pad + i, q * stride - pad + j),  0 <= i, j < kernel
 *
 * of the large one.  A convolution reads the large image and writes the small one; its data gradient
 * goes the other way.  A transposed convolution is the data gradient of a convolution, used as a forward
 * operation, and its data gradient is that convolution (Dumoulin & Visin, 1603.07285, chapter 4).
 * Weights are (small channels, kernel, kernel, large channels) in both cases: (o, kh, kw, i) of a
 * convolution, (i, kh, kw, o) of a transposed one.
 */
#include "kernels/reference/reference-private.h"

#include <stdlib.h>
#include <string.h>

typedef struct
{
  UkShape small, large;
  int64_t kernel, stride, pad;
} Relation;

static Relation
relation_of (const UkOpDesc *desc)
{
  return (Relation) {
    .small = desc->transposed ? desc->x : desc->y,
    .large = desc->transposed ? desc->y : desc->x,
    .kernel = desc->kernel,
    .stride = desc->stride,
    .pad = desc->pad,
  };
}

/* The small and large pixel of tap (i, j) of the kernel at small pixel (row, col); false if the tap is
 * outside the large image. */
static bool
locate (const Relation *rel, int64_t n, int64_t row, int64_t col, int64_t i, int64_t j,
        int64_t *small_at, int64_t *large_at)
{
  int64_t large_row = row * rel->stride - rel->pad + i;
  int64_t large_col = col * rel->stride - rel->pad + j;

  if (large_row < 0 || large_row >= rel->large.h || large_col < 0 || large_col >= rel->large.w)
    return false;
  *small_at = ((n * rel->small.h + row) * rel->small.w + col) * rel->small.c;
  *large_at = ((n * rel->large.h + large_row) * rel->large.w + large_col) * rel->large.c;
  return true;
}

typedef enum
{
  GATHER,  /* small[s] += sum_l w[s, i, j, l] * large[l] */
  SCATTER, /* large[l] += sum_s w[s, i, j, l] * small[s] */
  OUTER    /* w[s, i, j, l] += small[s] * large[l] */
} Direction;

/* y += a x */
static void
add_scaled (double *restrict y, double a, const double *restrict x, int64_t count)
{
  for (int64_t i = 0; i < count; i++)
    y[i] += a * x[i];
}

/* @own: the tap's weights, (l, s) for GATHER, else (s, l). */
static void
apply_tap (const Relation *rel, Direction direction, double *own, double *small, double *large)
{
  int64_t n_small = rel->small.c, n_large = rel->large.c;

  if (direction == GATHER)
    for (int64_t l = 0; l < n_large; l++)
      add_scaled (small, large[l], own + l * n_small, n_small);
  else if (direction == SCATTER)
    for (int64_t s = 0; s < n_small; s++)
      add_scaled (large, small[s], own + s * n_large, n_large);
  else
    for (int64_t s = 0; s < n_small; s++)
      add_scaled (own + s * n_large, small[s], large, n_large);
}

/* Accumulates into small (GATHER), large (SCATTER) or w (OUTER). */
static UkStatus
walk (const Relation *rel, Direction direction, double *w, double *small, double *large)
{
  int64_t n_small = rel->small.c, n_large = rel->large.c, taps = rel->kernel * rel->kernel;
  double *own = malloc ((size_t) (n_small * n_large) * sizeof *own);

  if (own == NULL)
    return UK_NO_MEMORY;
  for (int64_t i = 0; i < rel->kernel; i++)
    for (int64_t j = 0; j < rel->kernel; j++)
      {
        double *tap = w + (i * rel->kernel + j) * n_large;
        int64_t s_at, l_at;

        /* Contiguous, and for GATHER transposed: every pixel needs all of them. */
        for (int64_t s = 0; s < n_small; s++)
          for (int64_t l = 0; l < n_large; l++)
            own[direction == GATHER ? l * n_small + s : s * n_large + l] = tap[s * taps * n_large + l];
        for (int64_t n = 0; n < rel->small.n; n++)
          for (int64_t row = 0; row < rel->small.h; row++)
            for (int64_t col = 0; col < rel->small.w; col++)
              if (locate (rel, n, row, col, i, j, &s_at, &l_at))
                apply_tap (rel, direction, own, small + s_at, large + l_at);
        for (int64_t s = 0; s < n_small && direction == OUTER; s++)
          memcpy (tap + s * taps * n_large, own + s * n_large, (size_t) n_large * sizeof *own);
      }
  free (own);
  return UK_OK;
}

UkStatus
uk_reference_conv (const UkOpDesc *desc, void *const *args)
{
  double *x = args[0], *w = args[1], *y = args[3];
  const double *b = args[2];
  Relation rel = relation_of (desc);
  int64_t n_pixels = desc->y.n * desc->y.h * desc->y.w, c = desc->y.c;
  UkStatus status;

  for (int64_t p = 0; p < n_pixels; p++)
    for (int64_t o = 0; o < c; o++)
      y[p * c + o] = b != NULL ? b[o] : 0;
  status = desc->transposed ? walk (&rel, SCATTER, w, x, y) : walk (&rel, GATHER, w, y, x);
  if (status != UK_OK)
    return status;
  for (int64_t p = 0; p < n_pixels; p++)
    uk_reference_act_pixel (desc, y + p * c, c);
  return UK_OK;
}

UkStatus
uk_reference_conv_dgrad (const UkOpDesc *desc, void *const *args)
{
  double *dy = args[0], *w = args[1], *dx = args[2];
  Relation rel = relation_of (desc);

  memset (dx, 0, (size_t) uk_shape_count (desc->x) * sizeof *dx);
  return desc->transposed ? walk (&rel, GATHER, w, dx, dy) : walk (&rel, SCATTER, w, dy, dx);
}

UkStatus
uk_reference_conv_wgrad (const UkOpDesc *desc, void *const *args)
{
  double *x = args[0], *dy = args[1], *dw = args[2];
  Relation rel = relation_of (desc);

  if (!desc->accumulate)
    memset (dw, 0, (size_t) uk_op_arg_count (desc, 2) * sizeof *dw);
  return desc->transposed ? walk (&rel, OUTER, dw, x, dy) : walk (&rel, OUTER, dw, dy, x);
}
