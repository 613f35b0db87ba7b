/* SPDX-License-Identifier: Apache-2.0 */
/*
 * polyline.c - lines, segments, rings; see polyline-private.h.
 */
#include <math.h>

#include "city/polyline-private.h"

void
urb_scatter_add (UrbScatter *self, UrbPoint point)
{
  self->n += 1;
  self->sx += point.x;
  self->sy += point.y;
  self->sxx += point.x * point.x;
  self->sxy += point.x * point.y;
  self->syy += point.y * point.y;
}

void
urb_scatter_get_moments (const UrbScatter *self, double *xx, double *xy, double *yy)
{
  double n = MAX (self->n, 1);

  *xx = self->sxx - self->sx * self->sx / n;
  *xy = self->sxy - self->sx * self->sy / n;
  *yy = self->syy - self->sy * self->sy / n;
}

UrbLine
urb_scatter_fit (const UrbScatter *self)
{
  double xx, xy, yy;

  urb_scatter_get_moments (self, &xx, &xy, &yy);
  return urb_scatter_fit_direction (self, 0.5 * atan2 (2 * xy, xx - yy));
}

UrbLine
urb_scatter_fit_direction (const UrbScatter *self, double angle)
{
  double a = -sin (angle), b = cos (angle), n = MAX (self->n, 1);

  return (UrbLine) { a, b, (a * self->sx + b * self->sy) / n };
}

gboolean
urb_line_intersect (const UrbLine *first, const UrbLine *second, UrbPoint *point)
{
  double det = first->a * second->b - second->a * first->b;

  if (fabs (det) < 0.25)
    return FALSE;
  point->x = (first->c * second->b - second->c * first->b) / det;
  point->y = (first->a * second->c - second->a * first->c) / det;
  return TRUE;
}

UrbPoint
urb_line_project (const UrbLine *line, UrbPoint point)
{
  double distance = line->a * point.x + line->b * point.y - line->c;

  return (UrbPoint) { point.x - distance * line->a, point.y - distance * line->b };
}

guint
urb_points_find_prominent (const GArray *points)
{
  UrbScatter scatter = { 0 };
  guint best = 0;
  double farthest = -1;

  for (guint i = 0; i < points->len; i++)
    urb_scatter_add (&scatter, g_array_index (points, UrbPoint, i));
  for (guint i = 0; i < points->len; i++)
    {
      UrbPoint p = g_array_index (points, UrbPoint, i);
      double distance = hypot (p.x - scatter.sx / scatter.n, p.y - scatter.sy / scatter.n);

      if (distance > farthest)
        {
          farthest = distance;
          best = i;
        }
    }
  return best;
}

double
urb_point_segment_distance (UrbPoint p, UrbPoint a, UrbPoint b)
{
  return urb_point_distance (p, urb_segment_nearest (a, b, p));
}

static double
side (UrbPoint a, UrbPoint b, UrbPoint p)
{
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

double
urb_segment_distance (UrbPoint a, UrbPoint b, UrbPoint c, UrbPoint d)
{
  double first, second;

  if (side (a, b, c) * side (a, b, d) < 0 && side (c, d, a) * side (c, d, b) < 0)
    return 0;
  first = MIN (urb_point_segment_distance (a, c, d), urb_point_segment_distance (b, c, d));
  second = MIN (urb_point_segment_distance (c, a, b), urb_point_segment_distance (d, a, b));
  return MIN (first, second);
}

static int
compare_indices (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;

  return (x > y) - (x < y);
}

/* The point between @first and @last farthest from their segment, or @first if all are
 * within @tolerance. */
static guint
find_farthest (const UrbPoint *points, guint first, guint last, double tolerance)
{
  guint farthest = first;
  double worst = tolerance;

  for (guint i = first + 1; i < last; i++)
    {
      double distance = urb_point_segment_distance (points[i], points[first], points[last]);

      if (distance > worst)
        {
          worst = distance;
          farthest = i;
        }
    }
  return farthest;
}

void
urb_polyline_split (const UrbPoint *points, guint n, double tolerance, GArray *kept)
{
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, 2 * sizeof (guint));
  guint span[2] = { 0, n - 1 };

  g_array_set_size (kept, 0);
  g_return_if_fail (n >= 2);
  g_array_append_val (kept, span[0]);
  g_array_append_val (kept, span[1]);
  g_array_append_val (stack, span);
  while (stack->len > 0)
    {
      guint first, last, farthest;

      first = ((guint *) stack->data)[2 * (stack->len - 1)];
      last = ((guint *) stack->data)[2 * (stack->len - 1) + 1];
      g_array_set_size (stack, stack->len - 1);
      farthest = find_farthest (points, first, last, tolerance);
      if (farthest == first)
        continue;
      g_array_append_val (kept, farthest);
      span[0] = first;
      span[1] = farthest;
      g_array_append_val (stack, span);
      span[0] = farthest;
      span[1] = last;
      g_array_append_val (stack, span);
    }
  g_array_sort (kept, compare_indices);
}
