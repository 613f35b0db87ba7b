/* SPDX-License-Identifier: Apache-2.0 */
/*
 * street-curve.c - straight lines and arcs along noisy points, as roads are designed.
 */
#include <math.h>

#include "city/street-private.h"

/* At equal distances of about one pixel. */
static GArray *
resample (const UrbPoint *points, guint n)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  double length = 0, at = 0, step, next;
  guint n_steps;

  for (guint i = 1; i < n; i++)
    length += urb_point_distance (points[i], points[i - 1]);
  n_steps = (guint) MAX (1, lround (length));
  step = next = length / n_steps;
  g_array_append_val (out, points[0]);
  for (guint i = 1; i < n && out->len < n_steps; i++)
    {
      double edge = urb_point_distance (points[i], points[i - 1]);

      for (; next <= at + edge && out->len < n_steps && edge > 0; next = step * out->len)
        {
          double t = (next - at) / edge;
          UrbPoint p = { points[i - 1].x + t * (points[i].x - points[i - 1].x),
                         points[i - 1].y + t * (points[i].y - points[i - 1].y) };

          g_array_append_val (out, p);
        }
      at += edge;
    }
  g_array_append_val (out, points[n - 1]);
  return out;
}

/* Minimizes the sum of squared displacements plus @stiffness times the sum of squared second
 * differences (Whittaker, 1923).  The matrix has five diagonals: L D L' in linear time. */
static void
smooth (UrbPoint *points, guint n, double stiffness)
{
  g_autofree double *d = g_new (double, n), *e = g_new0 (double, n), *f = g_new0 (double, n);

  if (n < 3)
    return;
  for (guint i = 0; i < n; i++)
    {
      /* The rows (1 -2 1) that touch this pixel, and those that touch the next ones too. */
      double first = i + 2 < n, middle = i >= 1 && i + 1 < n, last = i >= 2;
      double diagonal = 1 + stiffness * (first + 4 * middle + last);
      double next = i + 1 < n ? stiffness * (-2 * first - 2 * middle) : 0;
      double after = stiffness * first;

      if (i >= 1)
        diagonal -= e[i - 1] * e[i - 1] * d[i - 1];
      if (i >= 2)
        diagonal -= f[i - 2] * f[i - 2] * d[i - 2];
      if (i >= 1)
        next -= e[i - 1] * f[i - 1] * d[i - 1];
      d[i] = diagonal;
      e[i] = next / diagonal;
      f[i] = after / diagonal;
    }
  for (guint i = 1; i < n; i++)
    {
      points[i].x -= e[i - 1] * points[i - 1].x + (i >= 2 ? f[i - 2] * points[i - 2].x : 0);
      points[i].y -= e[i - 1] * points[i - 1].y + (i >= 2 ? f[i - 2] * points[i - 2].y : 0);
    }
  for (guint i = n; i-- > 0; )
    {
      points[i].x = points[i].x / d[i] - (i + 1 < n ? e[i] * points[i + 1].x : 0)
                    - (i + 2 < n ? f[i] * points[i + 2].x : 0);
      points[i].y = points[i].y / d[i] - (i + 1 < n ? e[i] * points[i + 1].y : 0)
                    - (i + 2 < n ? f[i] * points[i + 2].y : 0);
    }
}

static UrbLine
fit_line (const UrbPoint *points, guint first, guint last)
{
  UrbScatter scatter = { 0 };

  for (guint i = first; i <= last; i++)
    urb_scatter_add (&scatter, points[i]);
  return urb_scatter_fit (&scatter);
}

/* Where two lines meet near @split; if they are nearly parallel, between them. */
static UrbPoint
get_corner (const UrbLine *before, const UrbLine *after, UrbPoint split, double limit)
{
  UrbPoint a = urb_line_project (before, split), b = urb_line_project (after, split), corner;

  if (urb_line_intersect (before, after, &corner)
      && urb_point_distance (corner, split) <= limit)
    return corner;
  return (UrbPoint) { (a.x + b.x) / 2, (a.y + b.y) / 2 };
}

/* The straight lines that stay within the tolerance, joined at corners. */
static GArray *
get_corners (const UrbPoint *points, guint n, double tolerance)
{
  g_autoptr(GArray) kept = g_array_new (FALSE, FALSE, sizeof (guint));
  GArray *corners = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  UrbLine before = { 0 };

  urb_polyline_split (points, n, tolerance, kept);
  for (guint i = 0; i + 1 < kept->len; i++)
    {
      guint first = g_array_index (kept, guint, i), last = g_array_index (kept, guint, i + 1);
      UrbLine line = fit_line (points, first, last);
      UrbPoint corner = i == 0 ? urb_line_project (&line, points[0])
                               : get_corner (&before, &line, points[first], 4 * tolerance);

      g_array_append_val (corners, corner);
      before = line;
    }
  UrbPoint end = urb_line_project (&before, points[n - 1]);

  g_array_append_val (corners, end);
  return corners;
}

/* Replaces a corner by an arc that touches both lines, at most @deviation from the corner. */
static void
append_arc (GArray *out, UrbPoint before, UrbPoint corner, UrbPoint after, double reach_before,
            double reach_after, double deviation)
{
  double a = urb_point_distance (corner, before);
  double b = urb_point_distance (after, corner);
  UrbPoint u = { (corner.x - before.x) / MAX (a, 1e-9), (corner.y - before.y) / MAX (a, 1e-9) };
  UrbPoint v = { (after.x - corner.x) / MAX (b, 1e-9), (after.y - corner.y) / MAX (b, 1e-9) };
  double turn = atan2 (u.x * v.y - u.y * v.x, u.x * v.x + u.y * v.y);
  double reach = MIN (MIN (reach_before * a, reach_after * b),
                      deviation / MAX (tan (fabs (turn) / 4), 1e-9));
  double radius = reach / MAX (tan (fabs (turn) / 2), 1e-9);
  int n_steps = (int) CLAMP (ceil (fabs (turn) / (5 * G_PI / 180)), 1, 40);

  if (fabs (turn) < 0.004 || reach < 0.1 || fabs (turn) > 2.8)
    {
      g_array_append_val (out, corner);
      return;
    }
  for (int i = 0; i <= n_steps; i++)
    {
      double angle = turn * i / n_steps;
      /* Along the first line by the sine, to the inner side by the versine. */
      double along = radius * sin (fabs (angle)) - reach, aside = radius * (1 - cos (angle));
      double sign = turn > 0 ? 1 : -1;
      UrbPoint p = { corner.x + along * u.x - sign * aside * u.y,
                     corner.y + along * u.y + sign * aside * u.x };

      g_array_append_val (out, p);
    }
}

GArray *
urb_street_curve (const UrbPoint *points, guint n, double tolerance, double smooth_px)
{
  g_autoptr(GArray) even = resample (points, n), corners = NULL;
  GArray *out = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  double wave = smooth_px / (2 * G_PI);

  smooth ((UrbPoint *) (gpointer) even->data, even->len, wave * wave * wave * wave);
  corners = get_corners ((UrbPoint *) (gpointer) even->data, even->len, tolerance);
  g_array_append_val (out, g_array_index (corners, UrbPoint, 0));
  for (guint i = 1; i + 1 < corners->len; i++)
    append_arc (out, g_array_index (corners, UrbPoint, i - 1),
                g_array_index (corners, UrbPoint, i), g_array_index (corners, UrbPoint, i + 1),
                i == 1 ? 0.9 : 0.5, i + 2 == corners->len ? 0.9 : 0.5, 2 * tolerance);
  g_array_append_val (out, g_array_index (corners, UrbPoint, corners->len - 1));
  return out;
}
