/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outline.c - see outline-private.h.
 */
#include "city/outline-private.h"

#include <math.h>

/* ------------------------------------------------------------------------ */
/* Tracing                                                                   */

enum { EAST, SOUTH, WEST, NORTH };

static const int step_x[] = { 1, 0, -1, 0 }, step_y[] = { 0, 1, 0, -1 };

/* The pixel to the left of the crack that leaves lattice point (x, y) in @direction. */
static gboolean
has_left (const gint32 *labels, int width, int height, gint32 label, int x, int y, int direction)
{
  static const int dx[] = { 0, 0, -1, -1 }, dy[] = { -1, 0, 0, -1 };
  int col = x + dx[direction], row = y + dy[direction];

  return col >= 0 && row >= 0 && col < width && row < height
         && labels[(gint64) row * width + col] == label;
}

void
urb_outline_trace (const gint32 *labels, int width_px, int height_px, gint32 label,
                   const UrbComponent *component, GArray *midpoints)
{
  static const int turns[] = { 1, 0, 3 }; /* right, straight on, left */
  int row = component->min_row, col = component->min_col, direction = WEST, x, y;

  while (labels[(gint64) row * width_px + col] != label)
    col++;
  g_array_set_size (midpoints, 0);
  /* Along the top of the first pixel, with the component on the left. */
  x = col + 1;
  y = row;
  do
    {
      UrbPoint middle = { x + 0.5 * step_x[direction], y + 0.5 * step_y[direction] };

      g_array_append_val (midpoints, middle);
      x += step_x[direction];
      y += step_y[direction];
      for (int i = 0; i < 3; i++)
        {
          int next = (direction + turns[i]) % 4;

          if (has_left (labels, width_px, height_px, label, x, y, next)
              && !has_left (labels, width_px, height_px, label, x + step_x[next], y + step_y[next],
                            (next + 2) % 4))
            {
              direction = next;
              break;
            }
        }
    }
  while (x != col + 1 || y != row || direction != WEST);
}

/* ------------------------------------------------------------------------ */
/* Directions                                                                */

static const double in_line_deg = 5;

/* A straight part of the outline. */
typedef struct
{
  guint      n; /* cracks */
  double     angle;
  UrbScatter scatter;
} Run;

static Run
make_run (const UrbPoint *points, guint first, guint n, guint n_points)
{
  Run run = { .n = n };
  guint margin = n >= 5 ? 1 : 0; /* skips the ends, which round a corner */
  UrbPoint a = points[first], b = points[(first + MAX (n, 2) - 1) % n_points];

  for (guint i = margin; i + margin < n; i++)
    urb_scatter_add (&run.scatter, points[(first + i) % n_points]);
  run.angle = atan2 (b.y - a.y, b.x - a.x);
  if (n >= 4)
    {
      UrbLine line = urb_scatter_fit (&run.scatter);

      run.angle = atan2 (-line.a, line.b);
    }
  return run;
}

/* Divides the ring where it bends. */
static GArray *
cut_ring (const GArray *midpoints, double tolerance_px)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (Run));
  guint n = midpoints->len, first = urb_points_find_prominent (midpoints);
  g_autofree UrbPoint *points = g_new (UrbPoint, n + 1);
  g_autoptr(GArray) kept = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i <= n; i++)
    points[i] = g_array_index (midpoints, UrbPoint, (first + i) % n);
  urb_polyline_split (points, n + 1, tolerance_px, kept);
  for (guint i = 0; i + 1 < kept->len; i++)
    {
      guint from = g_array_index (kept, guint, i), to = g_array_index (kept, guint, i + 1);
      Run run = make_run (points, from, to - from, n);

      g_array_append_val (runs, run);
    }
  return runs;
}

/* The dominant direction mod 90°: a quarter of the angle of the sum of w (cos 4a, sin 4a).  Short
 * runs have few possible directions and get less weight: n^1.5. */
static double
find_dominant (const GArray *runs)
{
  double cosines = 0, sines = 0;

  for (guint i = 0; i < runs->len; i++)
    {
      const Run *run = &g_array_index (runs, Run, i);

      if (run->n < 2)
        continue;
      cosines += run->n * sqrt (run->n) * cos (4 * run->angle);
      sines += run->n * sqrt (run->n) * sin (4 * run->angle);
    }
  return atan2 (sines, cosines) / 4;
}

/* The direction that fits all walls best: the major axis of their summed moments, with those
 * across rotated by 90°. */
double
urb_outline_find_angle (const GArray *midpoints, double tolerance_px)
{
  g_autoptr(GArray) runs = cut_ring (midpoints, tolerance_px);
  double angle = find_dominant (runs), sum_xx = 0, sum_xy = 0, sum_yy = 0;

  for (guint i = 0; i < runs->len; i++)
    {
      const Run *run = &g_array_index (runs, Run, i);
      gboolean along = fabs (cos (run->angle - angle)) >= G_SQRT2 / 2;
      double xx, xy, yy;

      if (run->n < 2)
        continue;
      urb_scatter_get_moments (&run->scatter, &xx, &xy, &yy);
      sum_xx += along ? xx : yy;
      sum_xy += along ? xy : -xy;
      sum_yy += along ? yy : xx;
    }
  if (sum_xx + sum_yy > 0)
    angle = 0.5 * atan2 (2 * sum_xy, sum_xx - sum_yy);
  angle = fmod (angle, G_PI / 2);
  return angle < 0 ? angle + G_PI / 2 : angle;
}

double
urb_outline_get_in_line (const GArray *midpoints, double tolerance_px, double angle)
{
  g_autoptr(GArray) runs = cut_ring (midpoints, tolerance_px);
  guint n_in_line = 0;

  for (guint i = 0; i < runs->len; i++)
    {
      const Run *run = &g_array_index (runs, Run, i);
      double turns = (run->angle - angle) / (G_PI / 2);

      if (fabs (turns - round (turns)) * 90 <= in_line_deg)
        n_in_line += run->n;
    }
  return (double) n_in_line / MAX (midpoints->len, 1);
}

double
urb_outline_find_box (const GArray *midpoints)
{
  double least = G_MAXDOUBLE;

  for (int degree = 0; degree < 90; degree++)
    {
      double c = cos (degree * G_PI / 180), s = sin (degree * G_PI / 180);
      double min_u = G_MAXDOUBLE, max_u = -G_MAXDOUBLE, min_v = G_MAXDOUBLE, max_v = -G_MAXDOUBLE;

      for (guint i = 0; i < midpoints->len; i++)
        {
          UrbPoint p = g_array_index (midpoints, UrbPoint, i);
          double u = c * p.x + s * p.y, v = -s * p.x + c * p.y;

          min_u = MIN (min_u, u);
          max_u = MAX (max_u, u);
          min_v = MIN (min_v, v);
          max_v = MAX (max_v, v);
        }
      least = MIN (least, (max_u - min_u) * (max_v - min_v));
    }
  return least;
}
