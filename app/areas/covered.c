/* SPDX-License-Identifier: Apache-2.0 */
/*
 * covered.c - draws the areas one after the other into a bitmap; each adds the cells that are
 * still clear.
 *
 * The cell size divides the side of an area, so an axis-aligned square always has the same number
 * of cells.  A rotated one has slightly more or fewer, so each counts its share of clear cells.
 */
#include "app/areas/covered.h"

#include <math.h>

enum { CELLS_PER_SIDE = 128 };
#define MAX_CELLS ((gint64) 1 << 26) /* 8 MiB */

typedef struct
{
  double   x, y, cell_m; /* x, y: lower left corner */
  gint64   n_x, n_y;     /* n_x: a multiple of 64 */
  guint64 *bits;         /* (n_y, n_x / 64) */
} Bitmap;

typedef struct
{
  gint64 n_all, n_clear;
} Count;

static void
bitmap_init (Bitmap *self, const GArray *areas)
{
  UrbBox box = URB_BOX_EMPTY;
  double w, h;
  for (guint i = 0; i < areas->len; i++)
    urb_box_add (&box, urb_square_get_box (&g_array_index (areas, UrbRankedArea, i).square));
  w = box.max_x - box.min_x;
  h = box.max_y - box.min_y;
  self->cell_m = g_array_index (areas, UrbRankedArea, 0).square.size_m / CELLS_PER_SIDE;
  while (w / self->cell_m * (h / self->cell_m) > MAX_CELLS)
    self->cell_m *= 2;
  self->x = box.min_x;
  self->y = box.min_y;
  self->n_x = ((gint64) ceil (w / self->cell_m) / 64 + 1) * 64;
  self->n_y = (gint64) ceil (h / self->cell_m) + 1;
  self->bits = g_new0 (guint64, self->n_x / 64 * self->n_y);
}

/* Narrows the interval @from to @to to where |(t - middle) * slope + offset| <= half. */
static void
clip (double middle, double slope, double offset, double half, double *from, double *to)
{
  double a, b;
  if (fabs (slope) < 1e-12)
    {
      if (fabs (offset) > half)
        *to = *from;
      return;
    }
  a = middle + (-half - offset) / slope;
  b = middle + (half - offset) / slope;
  *from = MAX (*from, MIN (a, b));
  *to = MIN (*to, MAX (a, b));
}

static void
set_run (Bitmap *self, gint64 row, gint64 from, gint64 to, Count *count)
{
  guint64 *words = &self->bits[row * (self->n_x / 64)];
  for (gint64 w = from / 64; w * 64 < to; w++)
    {
      guint64 mask = ~(guint64) 0;
      if (from > w * 64)
        mask &= ~(guint64) 0 << (from - w * 64);
      if (to < (w + 1) * 64)
        mask &= ~(guint64) 0 >> ((w + 1) * 64 - to);
      count->n_all += __builtin_popcountll (mask);
      count->n_clear += __builtin_popcountll (mask & ~words[w]);
      words[w] |= mask;
    }
}

/* Sets the cells whose center lies in the square. */
static Count
draw (Bitmap *self, const UrbSquare *square)
{
  UrbBox box = urb_square_get_box (square);
  double angle = square->angle_deg * G_PI / 180, c = cos (angle), s = sin (angle);
  gint64 bottom = MAX (0, (gint64) ceil ((box.min_y - self->y) / self->cell_m - 0.5));
  Count count = { 0 };
  for (gint64 row = bottom; row < self->n_y; row++)
    {
      double y = self->y + (row + 0.5) * self->cell_m, from = box.min_x, to = box.max_x;
      gint64 left, right;
      if (y >= box.max_y)
        break;
      clip (square->x, c, (y - square->y) * s, square->size_m / 2, &from, &to);
      clip (square->x, -s, (y - square->y) * c, square->size_m / 2, &from, &to);
      left = MAX (0, (gint64) ceil ((from - self->x) / self->cell_m - 0.5));
      right = MIN (self->n_x, (gint64) ceil ((to - self->x) / self->cell_m - 0.5));
      if (left < right)
        set_run (self, row, left, right, &count);
    }
  return count;
}

double *
urbarium_covered_new (const GArray *areas)
{
  double *covered = g_new0 (double, areas->len + 1);
  Bitmap bitmap;
  if (areas->len == 0)
    return covered;
  bitmap_init (&bitmap, areas);
  for (guint i = 0; i < areas->len; i++)
    {
      const UrbSquare *square = &g_array_index (areas, UrbRankedArea, i).square;
      Count count = draw (&bitmap, square);
      double share = count.n_all == 0 ? 1 : (double) count.n_clear / (double) count.n_all;
      covered[i + 1] = covered[i] + square->size_m * square->size_m * share;
    }
  g_free (bitmap.bits);
  return covered;
}
