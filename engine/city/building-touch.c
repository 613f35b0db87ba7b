/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-touch.c - common walls of neighbors; no walls inside neighbors or on streets.
 */
#include "city/building-private.h"

#include <math.h>
#include <string.h>

static const double inset_px = 0.05, retreat_px = 0.2;

typedef struct
{
  UrbPoint low, high;
} Bounds;

static Bounds
get_bounds (const UrbPoint *points, guint n, double margin)
{
  Bounds bounds = { { G_MAXDOUBLE, G_MAXDOUBLE }, { -G_MAXDOUBLE, -G_MAXDOUBLE } };

  for (guint i = 0; i < n; i++)
    {
      bounds.low.x = MIN (bounds.low.x, points[i].x - margin);
      bounds.low.y = MIN (bounds.low.y, points[i].y - margin);
      bounds.high.x = MAX (bounds.high.x, points[i].x + margin);
      bounds.high.y = MAX (bounds.high.y, points[i].y + margin);
    }
  return bounds;
}

static Bounds
get_draft_bounds (const UrbBuildingDraft *draft)
{
  return get_bounds ((const UrbPoint *) (gpointer) draft->points->data, draft->points->len, 0);
}

static gboolean
are_near (const Bounds *a, const Bounds *b, double reach)
{
  return a->low.x < b->high.x + reach && b->low.x < a->high.x + reach
         && a->low.y < b->high.y + reach && b->low.y < a->high.y + reach;
}

/* Moves the line of a wall outward by @move if it stays between its neighbors. */
static gboolean
move_wall (const UrbBuildingWall *wall, double move)
{
  static const double least_px = 0.5;
  double *at = &g_array_index (wall->lines, double, wall->line);
  double to = *at + wall->sign * move;

  if (wall->line > 0 && to < at[-1] + least_px)
    return FALSE;
  if (wall->line + 1 < (int) wall->lines->len && to > at[1] - least_px)
    return FALSE;
  *at = to;
  return TRUE;
}

/* The gap between facing walls that pass each other; G_MAXDOUBLE if they do not. */
static double
get_gap (const UrbBuildingWall *p, const UrbBuildingWall *q)
{
  double tx = -p->out.y, ty = p->out.x;
  double pa = p->a.x * tx + p->a.y * ty, pb = p->b.x * tx + p->b.y * ty;
  double qa = q->a.x * tx + q->a.y * ty, qb = q->b.x * tx + q->b.y * ty;
  double shared = MIN (MAX (pa, pb), MAX (qa, qb)) - MAX (MIN (pa, pb), MIN (qa, qb));

  if (p->out.x * q->out.x + p->out.y * q->out.y > -0.999 || shared < 2)
    return G_MAXDOUBLE;
  return ((q->a.x + q->b.x) * p->out.x + (q->a.y + q->b.y) * p->out.y) / 2
         - (p->a.x * p->out.x + p->a.y * p->out.y);
}

/* One party wall in the middle of a narrow gap, for neighbors of one direction. */
static void
share_walls (UrbBuildingDraft *a, UrbBuildingDraft *b, double gap_px, GArray *walls, GArray *others)
{
  double turn = (b->angle - a->angle) / (G_PI / 2);

  turn = (turn - floor (turn + 0.5)) * G_PI / 2;
  if (a->n_rectangles == 0 || b->n_rectangles == 0 || fabs (turn) > 0.02)
    return;
  urb_building_draft_collect_walls (a, walls);
  urb_building_draft_collect_walls (b, others);
  for (guint i = 0; i < walls->len; i++)
    for (guint k = 0; k < others->len; k++)
      {
        const UrbBuildingWall *p = &g_array_index (walls, UrbBuildingWall, i), *q = &g_array_index (others, UrbBuildingWall, k);
        double gap = get_gap (p, q);

        if (fabs (gap) > gap_px)
          continue;
        b->angle -= turn;
        urb_building_draft_place (b);
        urb_building_draft_collect_walls (b, others);
        gap = get_gap (p, q);
        if (fabs (gap) < 2 * gap_px && move_wall (p, gap / 2))
          move_wall (q, gap / 2);
        urb_building_draft_place (a);
        urb_building_draft_place (b);
        return;
      }
}

/* Ground that a building has to leave. */
typedef struct
{
  const UrbBuildingDraft *draft;     /* a neighbor, or NULL: */
  const UrbStreetGraph   *streets;   /* one edge of these */
  guint                   edge;
  double                  half_px;   /* of the street's width */
  double                  sample_px; /* between the points of a wall that are tested */
  Bounds                  bounds;
} Ground;

static gboolean
contains (const Ground *self, UrbPoint p)
{
  const UrbPoint *points;
  gboolean inside = FALSE;

  if (p.x < self->bounds.low.x || p.y < self->bounds.low.y || p.x > self->bounds.high.x
      || p.y > self->bounds.high.y)
    return FALSE;
  if (self->draft == NULL)
    {
      const UrbStreetEdge *edge = &g_array_index (self->streets->edges, UrbStreetEdge, self->edge);

      points = &g_array_index (self->streets->points, UrbPoint, edge->first_point);
      for (guint i = 0; i + 1 < edge->n_points && !inside; i++)
        inside = urb_point_segment_distance (p, points[i], points[i + 1]) < self->half_px;
      return inside;
    }
  points = (const UrbPoint *) (gpointer) self->draft->points->data;
  for (guint i = 0; i < self->draft->sizes->len; i++)
    {
      guint n = g_array_index (self->draft->sizes, guint, i);

      inside ^= urb_ring_contains (points, n, p);
      points += n;
    }
  return inside;
}

/* Moves the wall of @draft that is most on @ground inward; FALSE if none is. */
static gboolean
retreat (UrbBuildingDraft *draft, const Ground *ground, GArray *walls)
{
  guint worst = 0, most = 0;

  urb_building_draft_collect_walls (draft, walls);
  for (guint i = 0; i < walls->len; i++)
    {
      const UrbBuildingWall *wall = &g_array_index (walls, UrbBuildingWall, i);
      double length = urb_point_distance (wall->b, wall->a);
      int n = (int) ceil (length / ground->sample_px);
      /* A wall beside one that has just left the ground ends deeper in it than that one is tested. */
      double end = length > 4 * inset_px ? 2 * inset_px / length : 0.5;
      guint n_inside = 0;

      for (int k = 0; k <= n; k++)
        {
          double t = n > 0 ? CLAMP ((double) k / n, end, 1 - end) : 0;
          UrbPoint p = { wall->a.x + t * (wall->b.x - wall->a.x) - inset_px * wall->out.x,
                         wall->a.y + t * (wall->b.y - wall->a.y) - inset_px * wall->out.y };

          n_inside += contains (ground, p);
        }
      if (n_inside > most)
        {
          most = n_inside;
          worst = i;
        }
    }
  if (most == 0 || !move_wall (&g_array_index (walls, UrbBuildingWall, worst), -retreat_px))
    return FALSE;
  urb_building_draft_place (draft);
  return TRUE;
}

static void
restore (GArray *lines, const double *before)
{
  memcpy (lines->data, before, lines->len * sizeof (double));
}

/* Leaves one street, or stays if that would leave less than @least_px2: then the street is wrong, or
 * passes under the building. */
static void
leave_street (UrbBuildingDraft *draft, const Ground *street, double least_px2, GArray *walls)
{
  enum { MAX_ROUNDS = 20 };
  g_autofree double *xs = g_memdup2 (draft->xs->data, draft->xs->len * sizeof (double));
  g_autofree double *ys = g_memdup2 (draft->ys->data, draft->ys->len * sizeof (double));
  int round = 0;

  while (round < MAX_ROUNDS && retreat (draft, street, walls))
    round++;
  if (round < MAX_ROUNDS && urb_building_draft_area (draft) > least_px2)
    return;
  restore (draft->xs, xs);
  restore (draft->ys, ys);
  urb_building_draft_place (draft);
}

void
urb_building_drafts_leave (GPtrArray *drafts, const UrbStreetGraph *streets, double pixel_m,
                           double most)
{
  g_autofree double *least_px2 = g_new (double, drafts->len + 1);
  g_autoptr(GArray) walls = g_array_new (FALSE, FALSE, sizeof (UrbBuildingWall));

  for (guint i = 0; i < drafts->len; i++)
    least_px2[i] = (1 - most) * urb_building_draft_area (drafts->pdata[i]);
  for (guint e = 0; streets != NULL && e < streets->edges->len; e++)
    {
      const UrbStreetEdge *edge = &g_array_index (streets->edges, UrbStreetEdge, e);
      Ground street = { NULL, streets, e, edge->width_m / pixel_m / 2, 1 };

      street.bounds = get_bounds (&g_array_index (streets->points, UrbPoint, edge->first_point),
                                  edge->n_points, street.half_px);
      for (guint i = 0; i < drafts->len; i++)
        {
          UrbBuildingDraft *draft = drafts->pdata[i];
          Bounds bounds = get_draft_bounds (draft);

          if (draft->n_rectangles > 0 && are_near (&bounds, &street.bounds, 0))
            leave_street (draft, &street, least_px2[i], walls);
        }
    }
}

/* Moves walls of both until neither is inside the other. */
static void
separate (UrbBuildingDraft *a, UrbBuildingDraft *b, GArray *walls)
{
  enum { MAX_ROUNDS = 24 };
  gboolean moved = TRUE;

  for (int round = 0; round < MAX_ROUNDS && moved; round++)
    {
      Ground first = { .draft = a, .sample_px = 0.35, .bounds = get_draft_bounds (a) };
      Ground second = { .draft = b, .sample_px = 0.35, .bounds = get_draft_bounds (b) };

      if (!are_near (&first.bounds, &second.bounds, 0))
        return;
      moved = retreat (a, &second, walls);
      first.bounds = get_draft_bounds (a);
      moved |= retreat (b, &first, walls);
    }
}

void
urb_building_drafts_part (GPtrArray *drafts, double gap_px)
{
  g_autofree Bounds *bounds = g_new (Bounds, drafts->len);
  g_autoptr(GArray) walls = g_array_new (FALSE, FALSE, sizeof (UrbBuildingWall));
  g_autoptr(GArray) others = g_array_new (FALSE, FALSE, sizeof (UrbBuildingWall));

  for (guint i = 0; i < drafts->len; i++)
    bounds[i] = get_draft_bounds (drafts->pdata[i]);
  for (guint i = 0; i < drafts->len; i++)
    for (guint k = i + 1; k < drafts->len; k++)
      {
        UrbBuildingDraft *a = drafts->pdata[i], *b = drafts->pdata[k];

        if (!are_near (&bounds[i], &bounds[k], gap_px + 1))
          continue;
        share_walls (a, b, gap_px, walls, others);
        separate (a, b, walls);
        bounds[i] = get_draft_bounds (a);
        bounds[k] = get_draft_bounds (b);
      }
}
