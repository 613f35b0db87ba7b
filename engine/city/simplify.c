/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simplify.c - see simplify-private.h.
 */
#include "city/simplify-private.h"

#include <math.h>
#include <string.h>

/* Longer arcs are noise rather than the border of a plan, and checking a change takes
 * quadratic time. */
enum { MAX_POINTS = 20000 };

void
urb_append_midpoints (const UrbPoint *points, guint n, gboolean closed, GArray *midpoints)
{
  for (guint i = 0; i + (closed ? 0 : 1) < n; i++)
    {
      UrbPoint a = points[i], b = points[(i + 1) % n];
      int n_steps = MAX (1, (int) ceil (hypot (b.x - a.x, b.y - a.y) - 1e-6));

      for (int k = 0; k < n_steps; k++)
        {
          double t = (k + 0.5) / n_steps;
          UrbPoint middle = { a.x + t * (b.x - a.x), a.y + t * (b.y - a.y) };

          g_array_append_val (midpoints, middle);
        }
    }
}

UrbPoint
urb_point_snap (UrbPoint point)
{
  return (UrbPoint) { rint (point.x * 256) / 256, rint (point.y * 256) / 256 };
}

/* The line through the points first .. last, without the ends, which round a corner. */
static UrbLine
fit_part (const UrbPoint *points, guint first, guint last)
{
  UrbScatter scatter = { 0 };
  guint margin = last - first >= 5 ? 1 : 0;

  for (guint i = first + margin; i + margin <= last; i++)
    urb_scatter_add (&scatter, points[i]);
  return urb_scatter_fit (&scatter);
}

/* The point where two parts meet, near @corner. */
static UrbPoint
join_parts (const UrbLine *before, const UrbLine *after, UrbPoint corner, double tolerance)
{
  UrbPoint meeting, p = urb_line_project (before, corner), q = urb_line_project (after, corner);

  if (urb_line_intersect (before, after, &meeting)
      && hypot (meeting.x - corner.x, meeting.y - corner.y) <= 1.5 * tolerance)
    return meeting;
  return (UrbPoint) { (p.x + q.x) / 2, (p.y + q.y) / 2 };
}

static void
append_snapped (GArray *out, UrbPoint point)
{
  point = urb_point_snap (point);
  g_array_append_val (out, point);
}

/* Merges parts that fit one line.  (Splitting measures from chords, whose ends may lie on the
 * outermost steps, so it splits too often.) */
static void
merge_parts (const UrbPoint *points, GArray *kept, double tolerance)
{
  guint n = 1;

  for (guint i = 1; i + 1 < kept->len; i++)
    {
      guint first = g_array_index (kept, guint, n - 1), last = g_array_index (kept, guint, i + 1);
      UrbLine line = fit_part (points, first, last);

      while (first <= last && !(fabs (line.a * points[first].x + line.b * points[first].y - line.c)
                                > tolerance))
        first++;
      if (first <= last) /* a point is too far from the line */
        g_array_index (kept, guint, n++) = g_array_index (kept, guint, i);
    }
  g_array_index (kept, guint, n++) = g_array_index (kept, guint, kept->len - 1);
  g_array_set_size (kept, n);
}

/* @points: midpoints; plus the fixed ends of an open arc, or the first midpoint again for a
 * closed arc */
static void
fit_lines (const GArray *points, gboolean closed, double tolerance, GArray *out)
{
  const UrbPoint *p = (const UrbPoint *) (gconstpointer) points->data;
  g_autoptr(GArray) kept = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree UrbLine *lines = NULL;
  guint n_parts;

  urb_polyline_split (p, points->len, tolerance, kept);
  merge_parts (p, kept, 0.7 * tolerance);
  n_parts = kept->len - 1;
  lines = g_new (UrbLine, n_parts);
  for (guint i = 0; i < n_parts; i++)
    lines[i] = fit_part (p, g_array_index (kept, guint, i), g_array_index (kept, guint, i + 1));

  if (closed)
    append_snapped (out, join_parts (&lines[n_parts - 1], &lines[0], p[0], tolerance));
  else
    g_array_append_val (out, p[0]);
  for (guint i = 1; i < n_parts; i++)
    append_snapped (out, join_parts (&lines[i - 1], &lines[i], p[g_array_index (kept, guint, i)],
                                     tolerance));
  if (!closed)
    g_array_append_val (out, p[points->len - 1]);
}

static GArray *
get_fit_points (const UrbArc *arc)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (UrbPoint));

  if (arc->start >= 0)
    {
      g_array_append_val (points, arc->points[0]);
      urb_append_midpoints (arc->points, arc->n_points, FALSE, points);
      g_array_append_val (points, arc->points[arc->n_points - 1]);
    }
  else
    {
      g_autoptr(GArray) middle = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
      guint start;

      urb_append_midpoints (arc->points, arc->n_points, TRUE, middle);
      start = urb_points_find_prominent (middle);
      for (guint i = 0; i <= middle->len; i++)
        g_array_append_val (points,
                            g_array_index (middle, UrbPoint, (start + i) % middle->len));
    }
  return points;
}

static gboolean
try_tolerance (UrbArrangement *self, gint32 number, const GArray *fit_points, double tolerance)
{
  const UrbArc *arc = urb_arrangement_get_arc (self, number);
  g_autoptr(GArray) points = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  g_autoptr(GArray) changes = g_array_new (FALSE, FALSE, sizeof (UrbArcChange));
  UrbArcChange change = { number };
  gboolean done;

  fit_lines (fit_points, arc->start < 0, tolerance, points);
  if (arc->start < 0) /* an island must keep most of its area, and its orientation */
    {
      double before = urb_ring_area2 (arc->points, arc->n_points);
      double after = urb_ring_area2 ((const UrbPoint *) (gpointer) points->data, points->len);

      if (points->len < 3 || !(after / before > 0.8 && after / before < 1.25))
        return FALSE;
    }
  change.n_points = points->len;
  change.points = g_memdup2 (points->data, points->len * sizeof (UrbPoint));
  g_array_append_val (changes, change);
  done = urb_arrangement_try (self, changes);
  if (!done)
    g_free (change.points);
  return done;
}

gboolean
urb_arrangement_simplify_arc (UrbArrangement *self, gint32 number, double tolerance)
{
  const UrbArc *arc = urb_arrangement_get_arc (self, number);
  g_autoptr(GArray) points = NULL;

  if (arc->n_points < 3 || arc->n_points > MAX_POINTS)
    return FALSE;
  points = get_fit_points (arc);
  for (int attempt = 0; attempt < 3; attempt++, tolerance *= 0.6)
    if (try_tolerance (self, number, points, tolerance))
      return TRUE;
  return FALSE;
}
