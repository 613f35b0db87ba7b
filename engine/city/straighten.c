/* SPDX-License-Identifier: Apache-2.0 */
/*
 * straighten.c - converts a ring of cracks to a ring of straight walls.
 *
 * The ring is divided into runs of cracks.  Runs along the tile's edge stay on it; the
 * others become walls in one of two directions.  Order matters: small jogs are flattened
 * one at a time, the shortest first, since each flattening moves its neighbors' lines.
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
  guint      first, n; /* cracks, cyclic; n = 0 for a wall inserted between parallel walls */
  UrbScatter scatter;
  UrbLine    line;
  UrbPoint   corner;   /* where it meets the next run */
} Run;

static UrbPoint
point_at (const GArray *midpoints, guint index)
{
  return g_array_index (midpoints, UrbPoint, index % midpoints->len);
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
  guint margin = n >= 5 ? 1 : 0; /* skips the ends, which round a corner */

  for (guint i = margin; i + margin < n; i++)
    urb_scatter_add (&run.scatter, point_at (midpoints, first + i));
  g_array_append_val (runs, run);
}

/* Divides the cracks first .. first + n (cyclic) into runs where they bend. */
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

/* All runs of the ring, in order; those on the tile's edge with their lines. */
static void
cut_ring (const GArray *midpoints, const GArray *sides, int width, int height, double tolerance,
          GArray *runs)
{
  guint n = midpoints->len, start = 0;
  const guint8 *side = (const guint8 *) sides->data;
  const UrbLine edges[4] = { { 0, 1, 0 }, { 1, 0, width }, { 0, 1, height }, { 1, 0, 0 } };

  while (start < n && side[start] == side[(start + n - 1) % n])
    start++;
  if (start == n) /* entirely inside; a building that fills the tile is not straightened */
    {
      if (side[0] == 0)
        cut_chain (midpoints, urb_points_find_prominent (midpoints), n, tolerance, runs);
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
          g_array_index (runs, Run, runs->len - 1).line = edges[side[first] - 1];
        }
    }
}

/* The dominant direction mod 90°: a quarter of the angle of the sum of w (cos 4a, sin 4a). */
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
      /* Short runs have few possible directions and get less weight: n^1.5. */
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

/* The direction that fits all walls best: the major axis of their summed moments, with those
 * across rotated by 90°. */
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
  /* An axis has no sign. */
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

/* Merges neighbors in the same direction if the jog between them would be shorter than
 * @min_wall, else inserts a wall without cracks between them. */
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
          if (i == runs->len) /* the first run was removed */
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

/* The length of a run between its corners; negative if they are in the wrong order, and
 * -G_MAXDOUBLE, which is always flattened, if its line does not meet its neighbors'. */
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

/* Removes run @index and extends its neighbors over it. */
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

/* Flattens the shortest wall until all walls are long enough. */
static gboolean
flatten_jogs (GArray *runs, const GArray *midpoints, double angle, double min_wall)
{
  for (;;)
    {
      guint shortest = 0;
      double least = G_MAXDOUBLE;

      fit_runs (runs, angle);
      for (guint i = 0; i < runs->len; i++)
        {
          Run *run = run_at (runs, i);

          if (!urb_line_intersect (&run->line, &run_at (runs, i + 1)->line, &run->corner))
            run->corner.x = run->corner.y = NAN;
        }
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
      UrbWall wall = { run->first, run->corner };

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

  cut_chain (midpoints, urb_points_find_prominent (midpoints), midpoints->len, tolerance_px, runs);
  angle = find_angle (midpoints, runs);
  classify (midpoints, runs, angle);
  angle = fmod (refine_angle (runs, angle), G_PI / 2);
  return angle < 0 ? angle + G_PI / 2 : angle;
}
