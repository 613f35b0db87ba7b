/* SPDX-License-Identifier: Apache-2.0 */
/*
 * straighten.c - a ring of cracks becomes a ring of walls.
 *
 * The ring is cut into runs of cracks.  A run along the tile's edge is the
 * edge.  The others are walls of one of two directions.  What is hard is the
 * order: small jogs are flattened one at a time, the shortest first, because
 * every flattening moves the lines of its neighbours.
 */
#include "city/straighten-private.h"

#include <math.h>

typedef enum
{
  RUN_ALONG,  /* in the dominant direction */
  RUN_ACROSS, /* at right angles to it */
  RUN_EDGE    /* on the edge of the tile */
} RunKind;

typedef struct
{
  RunKind    kind;
  guint      first, n; /* cracks, cyclic; n = 0 for a wall between two that are parallel */
  UrbScatter scatter;
  UrbLine    line;
  UrbPoint   corner;   /* where it meets the next run */
} Run;

static UrbPoint
point_at (const GArray *midpoints, guint index)
{
  return g_array_index (midpoints, UrbPoint, index % midpoints->len);
}

/* Sums over a run without its ends, which round a corner. */
static UrbScatter
gather (const GArray *midpoints, guint first, guint n)
{
  UrbScatter scatter = { 0 };
  guint margin = n >= 5 ? 1 : 0;

  for (guint i = margin; i + margin < n; i++)
    urb_scatter_add (&scatter, point_at (midpoints, first + i));
  return scatter;
}

static double
run_angle (const GArray *midpoints, const Run *run)
{
  UrbPoint a = point_at (midpoints, run->first);
  UrbPoint b = point_at (midpoints, run->first + MAX (run->n, 1) - 1);

  if (run->n >= 4)
    {
      UrbLine line = urb_scatter_fit (&run->scatter);

      return atan2 (-line.a, line.b);
    }
  if (run->n < 2)
    b = point_at (midpoints, run->first + 1);
  return atan2 (b.y - a.y, b.x - a.x);
}

static void
append_run (GArray *runs, const GArray *midpoints, RunKind kind, guint first, guint n)
{
  Run run = { .kind = kind, .first = first % midpoints->len, .n = n };

  run.scatter = gather (midpoints, first, n);
  g_array_append_val (runs, run);
}

/* Cuts the cracks first .. first + n (cyclic) where they bend. */
static void
cut_chain (const GArray *midpoints, guint first, guint n, double tolerance, GArray *runs)
{
  g_autofree UrbPoint *points = g_new (UrbPoint, n + 1);
  g_autoptr(GArray) kept = g_array_new (FALSE, FALSE, sizeof (guint));
  gboolean closed = n == midpoints->len;
  guint n_points = closed ? n + 1 : n;

  for (guint i = 0; i < n_points; i++)
    points[i] = point_at (midpoints, first + i);
  if (n_points < 2)
    {
      append_run (runs, midpoints, RUN_ALONG, first, n);
      return;
    }
  urb_polyline_split (points, n_points, tolerance, kept);
  for (guint i = 0; i + 1 < kept->len; i++)
    {
      guint from = g_array_index (kept, guint, i), to = g_array_index (kept, guint, i + 1);

      if (!closed && i + 2 == kept->len)
        to = n;
      append_run (runs, midpoints, RUN_ALONG, first + from, to - from);
    }
}

static guint
find_prominent (const GArray *midpoints)
{
  UrbScatter all = { 0 };
  guint best = 0;
  double farthest = -1;

  for (guint i = 0; i < midpoints->len; i++)
    urb_scatter_add (&all, point_at (midpoints, i));
  for (guint i = 0; i < midpoints->len; i++)
    {
      UrbPoint p = point_at (midpoints, i);
      double distance = hypot (p.x - all.sx / all.n, p.y - all.sy / all.n);

      if (distance > farthest)
        {
          farthest = distance;
          best = i;
        }
    }
  return best;
}

static UrbLine
edge_line (int side, int width, int height)
{
  switch (side)
    {
    case 0:
      return (UrbLine) { 0, 1, 0 };
    case 1:
      return (UrbLine) { 1, 0, width };
    case 2:
      return (UrbLine) { 0, 1, height };
    default:
      return (UrbLine) { 1, 0, 0 };
    }
}

/* All runs of the ring, in order; those on the edge with their lines. */
static void
cut_ring (const GArray *midpoints, const GArray *sides, int width, int height, double tolerance,
          GArray *runs)
{
  guint n = midpoints->len, start = 0;
  const guint8 *side = (const guint8 *) sides->data;

  while (start < n && side[start] == side[(start + n - 1) % n])
    start++;
  if (start == n) /* nowhere on the edge: a tile that is one building is not straightened */
    {
      if (side[0] == 0)
        cut_chain (midpoints, find_prominent (midpoints), n, tolerance, runs);
      return;
    }
  for (guint done = 0, length; done < n; done += length)
    {
      guint first = (start + done) % n;

      length = 1;
      while (done + length < n && side[(first + length) % n] == side[first])
        length++;
      if (side[first] == 0)
        cut_chain (midpoints, first, length, tolerance, runs);
      else
        {
          append_run (runs, midpoints, RUN_EDGE, first, length);
          g_array_index (runs, Run, runs->len - 1).line = edge_line (side[first] - 1, width,
                                                                     height);
        }
    }
}

/* A quarter of the direction of the sum of l (cos 4a, sin 4a). */
static double
find_angle (const GArray *midpoints, const GArray *runs)
{
  double cosines = 0, sines = 0;

  for (guint i = 0; i < runs->len; i++)
    {
      const Run *run = &g_array_index (runs, Run, i);
      double angle;

      if (run->kind == RUN_EDGE || run->n < 2)
        continue;
      angle = run_angle (midpoints, run);
      /* A short run has few directions to choose from: it counts less. */
      cosines += run->n * sqrt (run->n) * cos (4 * angle);
      sines += run->n * sqrt (run->n) * sin (4 * angle);
    }
  return atan2 (sines, cosines) / 4;
}

static void
classify (const GArray *midpoints, GArray *runs, double angle)
{
  for (guint i = 0; i < runs->len; i++)
    {
      Run *run = &g_array_index (runs, Run, i);

      if (run->kind != RUN_EDGE)
        run->kind = fabs (cos (run_angle (midpoints, run) - angle)) >= G_SQRT2 / 2 ? RUN_ALONG
                                                                                   : RUN_ACROSS;
    }
}

/* The direction for which all walls together fit best: the long axis of their
 * sums, those across turned by a quarter. */
static double
refine_angle (const GArray *runs, double angle)
{
  double sum_xx = 0, sum_xy = 0, sum_yy = 0, refined;

  for (guint i = 0; i < runs->len; i++)
    {
      const Run *run = &g_array_index (runs, Run, i);
      double xx, xy, yy;

      if (run->kind == RUN_EDGE || run->n < 2)
        continue;
      urb_scatter_get_moments (&run->scatter, &xx, &xy, &yy);
      sum_xx += run->kind == RUN_ALONG ? xx : yy;
      sum_xy += run->kind == RUN_ALONG ? xy : -xy;
      sum_yy += run->kind == RUN_ALONG ? yy : xx;
    }
  if (sum_xx + sum_yy <= 0)
    return angle;
  refined = 0.5 * atan2 (2 * sum_xy, sum_xx - sum_yy);
  /* the axis has no sign */
  if (cos (refined - angle) < 0)
    refined += G_PI;
  return refined;
}

static void
fit_runs (GArray *runs, double angle)
{
  for (guint i = 0; i < runs->len; i++)
    {
      Run *run = &g_array_index (runs, Run, i);

      if (run->kind == RUN_ALONG)
        run->line = urb_scatter_fit_direction (&run->scatter, angle);
      else if (run->kind == RUN_ACROSS)
        run->line = urb_scatter_fit_direction (&run->scatter, angle + G_PI / 2);
    }
}

static Run *
run_at (GArray *runs, guint index)
{
  return &g_array_index (runs, Run, index % runs->len);
}

/* Neighbours in the same direction are one wall if a jog between them would be
 * shorter than @min_wall, else a wall of no cracks joins them. */
static void
resolve_parallels (GArray *runs, const GArray *midpoints, double min_wall)
{
  for (guint i = 0; i < runs->len && runs->len > 1;)
    {
      Run *run = run_at (runs, i), *next = run_at (runs, i + 1);
      UrbLine a = run->line, b = next->line;

      if (run->kind != next->kind || run->kind == RUN_EDGE)
        i++;
      else if (fabs (a.c - b.c) < min_wall)
        {
          run->n += next->n;
          urb_scatter_merge (&run->scatter, &next->scatter);
          run->line.c = run->line.a * run->scatter.sx / run->scatter.n
                        + run->line.b * run->scatter.sy / run->scatter.n;
          g_array_remove_index (runs, (i + 1) % runs->len);
          if (i == runs->len) /* what was removed was the first */
            i--;
        }
      else
        {
          Run between = { .kind = run->kind == RUN_ALONG ? RUN_ACROSS : RUN_ALONG,
                          .first = next->first };

          urb_scatter_add (&between.scatter, point_at (midpoints, next->first));
          g_array_insert_val (runs, i + 1, between);
          i += 2;
        }
    }
}

/* How far a run goes in its own direction; negative if its corners are the
 * wrong way round, and a jog to be flattened in any case if it meets none. */
static double
run_length (GArray *runs, const GArray *midpoints, guint index)
{
  const Run *run = run_at (runs, index), *before = run_at (runs, index + runs->len - 1);
  double dx = run->corner.x - before->corner.x, dy = run->corner.y - before->corner.y;
  UrbPoint a, b;

  if (isnan (dx) || isnan (dy))
    return -G_MAXDOUBLE;
  if (run->n < 2)
    return hypot (dx, dy);
  a = point_at (midpoints, run->first);
  b = point_at (midpoints, run->first + run->n - 1);
  return dx * (b.x - a.x) + dy * (b.y - a.y) < 0 ? -hypot (dx, dy) : hypot (dx, dy);
}

static void
find_corners (GArray *runs)
{
  for (guint i = 0; i < runs->len; i++)
    {
      Run *run = run_at (runs, i);

      if (!urb_line_intersect (&run->line, &run_at (runs, i + 1)->line, &run->corner))
        run->corner.x = run->corner.y = NAN;
    }
}

/* Takes run @index out; its neighbours grow over it. */
static gboolean
flatten (GArray *runs, guint index)
{
  guint before = (index + runs->len - 1) % runs->len, after = (index + 1) % runs->len;
  Run *run = run_at (runs, index), *p = run_at (runs, before), *q = run_at (runs, after);

  if (runs->len <= 4)
    return FALSE;
  if (p->kind == RUN_EDGE && q->kind == RUN_EDGE)
    return FALSE;
  if (p->kind == q->kind)
    {
      p->n += run->n + q->n;
      urb_scatter_merge (&p->scatter, &q->scatter);
      g_array_remove_index (runs, MAX (index, after));
      g_array_remove_index (runs, MIN (index, after));
      return TRUE;
    }
  if (p->kind != RUN_EDGE)
    p->n += run->n;
  else
    {
      q->first = run->first;
      q->n += run->n;
    }
  g_array_remove_index (runs, index);
  return TRUE;
}

/* Flattens the shortest wall until all are long enough. */
static gboolean
flatten_jogs (GArray *runs, const GArray *midpoints, double angle, double min_wall)
{
  for (;;)
    {
      guint shortest = 0;
      double least = G_MAXDOUBLE;

      fit_runs (runs, angle);
      find_corners (runs);
      for (guint i = 0; i < runs->len; i++)
        {
          double length = run_length (runs, midpoints, i);

          if (run_at (runs, i)->kind != RUN_EDGE && length < least)
            {
              least = length;
              shortest = i;
            }
        }
      if (least >= min_wall)
        return TRUE;
      if (!flatten (runs, shortest))
        return least >= 0.6 * min_wall;
    }
}

gboolean
urb_straighten_ring (const GArray *midpoints, const GArray *sides, int width_px, int height_px,
                     const UrbStraightenOptions *options, double *angle, GArray *walls)
{
  g_autoptr(GArray) runs = g_array_new (FALSE, FALSE, sizeof (Run));
  gboolean search = isnan (*angle);

  g_array_set_size (walls, 0);
  cut_ring (midpoints, sides, width_px, height_px, options->tolerance_px, runs);
  if (runs->len < 2)
    return FALSE;
  if (search)
    *angle = find_angle (midpoints, runs);
  classify (midpoints, runs, *angle);
  if (search)
    *angle = refine_angle (runs, *angle);
  fit_runs (runs, *angle);
  resolve_parallels (runs, midpoints, options->min_wall_px);
  if (!flatten_jogs (runs, midpoints, *angle, options->min_wall_px))
    return FALSE;
  if (search)
    {
      *angle = refine_angle (runs, *angle);
      if (!flatten_jogs (runs, midpoints, *angle, options->min_wall_px))
        return FALSE;
    }
  for (guint i = 0; i < runs->len; i++)
    {
      const Run *run = run_at (runs, i);
      UrbSampleGrid wall = { run->first, run->corner };

      if (isnan (wall.corner.x) || isnan (wall.corner.y))
        return FALSE;
      g_array_append_val (walls, wall);
    }
  return walls->len >= 4;
}

double
urb_straighten_find_angle (const GArray *midpoints, double tolerance_px)
{
  g_autoptr(GArray) runs = g_array_new (FALSE, FALSE, sizeof (Run));
  double angle;

  cut_chain (midpoints, find_prominent (midpoints), midpoints->len, tolerance_px, runs);
  angle = find_angle (midpoints, runs);
  classify (midpoints, runs, angle);
  angle = fmod (refine_angle (runs, angle), G_PI / 2);
  return angle < 0 ? angle + G_PI / 2 : angle;
}
