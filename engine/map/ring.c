/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring.c - plain geometry of one ring.
 *
 * Asking GEOS whether a building with five corners is valid costs more than reading
 * it.  Most rings can be proven simple here; the rest, and any where rounding could
 * decide, go to GEOS.
 */
#include "map/ring.h"

#include "base/compare.h"
#include "map/map-private.h"

/* With more vertices, comparing all pairs costs more than the sweep in GEOS. */
#define MAX_PAIRWISE 48
/* Far above the rounding errors of a determinant in meters, far below survey precision. */
#define EPSILON_M2   1e-7
#define MIN_AREA_M2  1e-4

/* Relative to the first vertex: absolute coordinates of a million meters would cost six digits. */
double
urb_map_ring_area (const double *xy, gint64 n)
{
  double sum = 0;

  for (gint64 i = 1; i + 1 < n; i++)
    sum += (xy[2 * i] - xy[0]) * (xy[2 * i + 3] - xy[1]) -
           (xy[2 * i + 2] - xy[0]) * (xy[2 * i + 1] - xy[1]);
  return sum / 2;
}

UrbBox
urb_map_ring_get_box (const double *xy, gint64 n)
{
  UrbBox box = URB_BOX_EMPTY;

  for (gint64 i = 0; i < n; i++)
    urb_box_add_point (&box, xy[2 * i], xy[2 * i + 1]);
  return box;
}

static double
turn (const double *a, const double *b, const double *c)
{
  return (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
}

/* The area does not tell: that of a bow tie is zero, although it has two halves. */
gboolean
urb_map_ring_is_flat (const double *xy, gint64 n, double tolerance_m2)
{
  double farthest = -1, widest = 0;
  gint64 far_end = 0;

  for (gint64 i = 1; i < n; i++)
    {
      double dx = xy[2 * i] - xy[0], dy = xy[2 * i + 1] - xy[1], distance = dx * dx + dy * dy;
      if (distance > farthest)
        {
          farthest = distance;
          far_end = i;
        }
    }
  for (gint64 i = 1; i < n; i++)
    widest = MAX (widest, fabs (turn (xy, xy + 2 * far_end, xy + 2 * i)));
  return widest / 2 < tolerance_m2;
}

UrbRingState
urb_map_ring_clean (double *xy, gint64 n, gint64 *n_vertices)
{
  gint64 count = 0;

  for (gint64 i = 0; i < n; i++)
    {
      double x = xy[2 * i], y = xy[2 * i + 1];
      if (!(fabs (x) < URB_MAP_MAX_COORDINATE && fabs (y) < URB_MAP_MAX_COORDINATE))
        return URB_RING_ASTRAY;
      if (count > 0 && xy[2 * count - 2] == x && xy[2 * count - 1] == y)
        continue;
      xy[2 * count] = x;
      xy[2 * count + 1] = y;
      count++;
    }
  while (count > 1 && xy[0] == xy[2 * count - 2] && xy[1] == xy[2 * count - 1])
    count--;
  *n_vertices = count;
  return count >= 3 && !urb_map_ring_is_flat (xy, count, MIN_AREA_M2) ? URB_RING_GOOD
                                                                      : URB_RING_DEGENERATE;
}

static gboolean
on_one_side (const double *a, const double *b, const double *c, const double *d)
{
  double u = turn (a, b, c), v = turn (a, b, d);
  return (u > EPSILON_M2 && v > EPSILON_M2) || (u < -EPSILON_M2 && v < -EPSILON_M2);
}

static gboolean
surely_apart (const double *a, const double *b, const double *c, const double *d)
{
  if (MAX (a[0], b[0]) < MIN (c[0], d[0]) || MAX (c[0], d[0]) < MIN (a[0], b[0]) ||
      MAX (a[1], b[1]) < MIN (c[1], d[1]) || MAX (c[1], d[1]) < MIN (a[1], b[1]))
    return TRUE;
  return on_one_side (a, b, c, d) || on_one_side (c, d, a, b);
}

gboolean
urb_map_ring_is_surely_simple (const double *xy, gint64 n)
{
  if (n < 3 || n > MAX_PAIRWISE)
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    {
      const double *a = xy + 2 * i, *b = xy + 2 * ((i + 1) % n), *c = xy + 2 * ((i + 2) % n);
      double along = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]);
      /* Adjacent edges share a corner; they overlap only if the path turns back on itself. */
      if (!(along > 0 || fabs (turn (a, b, c)) > EPSILON_M2))
        return FALSE;
      for (gint64 j = i + 2; j < n; j++)
        if ((j + 1) % n != i && !surely_apart (a, b, xy + 2 * j, xy + 2 * ((j + 1) % n)))
          return FALSE;
    }
  return TRUE;
}

gboolean
urb_map_ring_contains (const double *xy, gint64 n, double x, double y)
{
  gboolean inside = FALSE;

  for (gint64 i = 0, j = n - 1; i < n; j = i++)
    {
      const double *a = xy + 2 * i, *b = xy + 2 * j;
      if ((a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]))
        inside = !inside;
    }
  return inside;
}

/* Returns the width of the widest interval inside at height @y; @x: its center. */
static double
widest_interval (const double *xy, gint64 n, double y, double *crossings, double *x)
{
  gint64 count = 0;
  double widest = 0;

  for (gint64 i = 0, j = n - 1; i < n; j = i++)
    {
      const double *a = xy + 2 * i, *b = xy + 2 * j;
      if ((a[1] > y) != (b[1] > y))
        crossings[count++] = a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
    }
  qsort (crossings, count, sizeof *crossings, urb_compare_doubles);
  for (gint64 i = 0; i + 1 < count; i += 2)
    if (crossings[i + 1] - crossings[i] > widest)
      {
        widest = crossings[i + 1] - crossings[i];
        *x = (crossings[i] + crossings[i + 1]) / 2;
      }
  return widest;
}

gboolean
urb_map_ring_find_inside (const double *xy, gint64 n, double *x, double *y)
{
  /* Fractions of the height at which corners are unlikely. */
  static const double heights[] = { 0.5137, 0.2719, 0.7531, 0.1193, 0.8887 };
  g_autofree double *crossings = g_new (double, n);
  UrbBox box = urb_map_ring_get_box (xy, n);
  double widest = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (heights); i++)
    {
      double at_x = 0, at_y = box.min_y + heights[i] * (box.max_y - box.min_y);
      double width = widest_interval (xy, n, at_y, crossings, &at_x);
      if (width > widest)
        {
          widest = width;
          *x = at_x;
          *y = at_y;
        }
    }
  return widest > 0;
}
