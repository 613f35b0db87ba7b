/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv.c - convolutions and transposed convolutions, forward and backward.
 *
 * Both are one relation between a small and a large image: the kernel, set
 * down at pixel (r, q) of the small one, covers the pixels
 *
 *   (r * stride - pad + i, q * stride - pad + j),  0 <= i, j < kernel
 *
 * of the large one.  A convolution reads the large image and writes the small
 * one; its data gradient goes the other way.  A transposed convolution is the
 * data gradient of a convolution, used as a forward operation, and its data
 * gradient is that convolution (Dumoulin & Visin, 1603.07285, chapter 4).
 * The weights are (small channels, large channels, kernel, kernel) in both
 * cases: (o, i, kh, kw) of a convolution, (i, o, kh, kw) of a transposed one.
 */
#include "kernels/reference/reference-private.h"

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

/* What one tap of the kernel, set down at one small pixel, touches.  False if
 * it falls off the large image. */
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

/* small[s] += sum_l w[s, l, i, j] * large[l] */
static void
gather_tap (const Relation *rel, const double *w, double *small, const double *large)
{
  int64_t taps = rel->kernel * rel->kernel;

  for (int64_t s = 0; s < rel->small.c; s++)
    for (int64_t l = 0; l < rel->large.c; l++)
      small[s] += w[(s * rel->large.c + l) * taps] * large[l];
}

/* large[l] += sum_s w[s, l, i, j] * small[s] */
static void
scatter_tap (const Relation *rel, const double *w, const double *small, double *large)
{
  int64_t taps = rel->kernel * rel->kernel;

  for (int64_t s = 0; s < rel->small.c; s++)
    for (int64_t l = 0; l < rel->large.c; l++)
      large[l] += w[(s * rel->large.c + l) * taps] * small[s];
}

/* dw[s, l, i, j] += small[s] * large[l] */
static void
outer_tap (const Relation *rel, double *dw, const double *small, const double *large)
{
  int64_t taps = rel->kernel * rel->kernel;

  for (int64_t s = 0; s < rel->small.c; s++)
    for (int64_t l = 0; l < rel->large.c; l++)
      dw[(s * rel->large.c + l) * taps] += small[s] * large[l];
}

typedef enum { GATHER, SCATTER, OUTER } Direction;

/* Adds to what is in small (GATHER), large (SCATTER) or w (OUTER). */
static void
walk (const Relation *rel, Direction direction, double *w, double *small, double *large)
{
  for (int64_t n = 0; n < rel->small.n; n++)
    for (int64_t row = 0; row < rel->small.h; row++)
      for (int64_t col = 0; col < rel->small.w; col++)
        for (int64_t i = 0; i < rel->kernel; i++)
          for (int64_t j = 0; j < rel->kernel; j++)
            {
              int64_t s, l, tap = i * rel->kernel + j;

              if (!locate (rel, n, row, col, i, j, &s, &l))
                continue;
              if (direction == GATHER)
                gather_tap (rel, w + tap, small + s, large + l);
              else if (direction == SCATTER)
                scatter_tap (rel, w + tap, small + s, large + l);
              else
                outer_tap (rel, w + tap, small + s, large + l);
            }
}

static void
clear (double *x, int64_t count)
{
  memset (x, 0, (size_t) count * sizeof *x);
}

UkStatus
uk_reference_conv (const UkOpDesc *desc, void *const *args)
{
  double *x = args[0], *w = args[1], *y = args[3];
  const double *b = args[2];
  Relation rel = relation_of (desc);
  int64_t n_pixels = desc->y.n * desc->y.h * desc->y.w, c = desc->y.c;

  for (int64_t p = 0; p < n_pixels; p++)
    for (int64_t o = 0; o < c; o++)
      y[p * c + o] = b != NULL ? b[o] : 0;
  if (desc->transposed)
    walk (&rel, SCATTER, w, x, y);
  else
    walk (&rel, GATHER, w, y, x);
  for (int64_t p = 0; p < n_pixels; p++)
    uk_reference_act_pixel (desc, y + p * c, c);
  return UK_OK;
}

UkStatus
uk_reference_conv_dgrad (const UkOpDesc *desc, void *const *args)
{
  double *dy = args[0], *w = args[1], *dx = args[2];
  Relation rel = relation_of (desc);

  clear (dx, uk_shape_count (desc->x));
  if (desc->transposed)
    walk (&rel, GATHER, w, dx, dy);
  else
    walk (&rel, SCATTER, w, dy, dx);
  return UK_OK;
}

UkStatus
uk_reference_conv_wgrad (const UkOpDesc *desc, void *const *args)
{
  double *x = args[0], *dy = args[1], *dw = args[2];
  Relation rel = relation_of (desc);

  if (!desc->accumulate)
    clear (dw, uk_op_arg_count (desc, 2));
  if (desc->transposed)
    walk (&rel, OUTER, dw, x, dy);
  else
    walk (&rel, OUTER, dw, dy, x);
  return UK_OK;
}
