/* SPDX-License-Identifier: Apache-2.0 */
/*
 * straighten-region.c - applies straight walls to the arrangement.
 *
 * A building's ring may consist of several arcs, for example along a garden and along a
 * road.  Walls are independent of arcs, so the nodes are moved onto the walls.  A
 * position on the ring is a cyclic number: the index of the wall plus the fraction along
 * it.  Arcs that end at those nodes from outside follow.
 */
#include <math.h>

#include "city/simplify-private.h"
#include "city/straighten-private.h"
#include "city/vector-raster.h"

static const double min_overlap = 0.85, least_overlap = 0.7; /* intersection over union */
static const double max_area_error = 0.1;
enum { MAX_CRACKS = 8192, MAX_WALLS = 200 };

/* One ring of the region, before and after. */
typedef struct
{
  guint   ring;
  GArray *midpoints; /* UrbPoint, of cracks */
  GArray *sides;     /* guint8 */
  GArray *starts;    /* guint: first crack of each half arc */
  GArray *walls;     /* UrbWall */
} RingPlan;

static RingPlan *
ring_plan_new (UrbArrangement *net, guint ring)
{
  RingPlan *plan = g_new0 (RingPlan, 1);
  const UrbArcRing *arcs = &g_array_index (net->rings, UrbArcRing, ring);
  g_autoptr(GArray) points = g_array_new (FALSE, FALSE, sizeof (UrbPoint));

  plan->ring = ring;
  plan->midpoints = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  plan->sides = g_array_new (FALSE, TRUE, sizeof (guint8));
  plan->starts = g_array_new (FALSE, FALSE, sizeof (guint));
  plan->walls = g_array_new (FALSE, FALSE, sizeof (UrbWall));
  for (guint i = 0; i < arcs->n; i++)
    {
      UrbHalfArc half = g_array_index (net->half_arcs, UrbHalfArc, arcs->first + i);
      const UrbArc *arc = urb_arrangement_get_arc (net, half / 2);
      guint start = plan->midpoints->len;

      g_array_append_val (plan->starts, start);
      g_array_set_size (points, 0);
      urb_arrangement_append_points (net, half, points);
      if (arc->start >= 0)
        g_array_append_val (points, arc->points[half % 2 == 0 ? arc->n_points - 1 : 0]);
      urb_append_midpoints ((UrbPoint *) (gpointer) points->data, points->len, arc->start < 0,
                            plan->midpoints);
      for (guint k = start; k < plan->midpoints->len; k++)
        {
          UrbPoint p = g_array_index (plan->midpoints, UrbPoint, k);
          guint8 side = 0;

          if (arc->left < 0 || arc->right < 0)
            side = p.y <= 0 ? 1 : p.x >= net->width_px ? 2 : p.y >= net->height_px ? 3 : 4;
          g_array_append_val (plan->sides, side);
        }
    }
  return plan;
}

static void
ring_plan_free (RingPlan *plan)
{
  g_array_unref (plan->midpoints);
  g_array_unref (plan->sides);
  g_array_unref (plan->starts);
  g_array_unref (plan->walls);
  g_free (plan);
}

static void
snap_walls (RingPlan *plan)
{
  for (guint i = 0; i < plan->walls->len; i++)
    {
      UrbWall *wall = &g_array_index (plan->walls, UrbWall, i);

      wall->corner = urb_point_snap (wall->corner);
    }
}

static UrbPoint
corner_at (const RingPlan *plan, guint index)
{
  return g_array_index (plan->walls, UrbWall, index % plan->walls->len).corner;
}

/* ------------------------------------------------------------------------ */
/* Acceptance                                                                */

static void
append_corners (const RingPlan *plan, GArray *points)
{
  for (guint i = 0; i < plan->walls->len; i++)
    {
      UrbPoint corner = corner_at (plan, i);

      g_array_append_val (points, corner);
    }
}

/* Whether the walls match the pixels closely enough. */
static gboolean
walls_match (UrbArrangement *net, gint32 region, GPtrArray *plans, double detail_px)
{
  g_autoptr(GArray) points = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  g_autoptr(GArray) sizes = g_array_new (FALSE, FALSE, sizeof (guint));
  double n_pixels = (double) g_array_index (net->regions, UrbRegion, region).n_pixels;
  double area, overlap, n_cracks = 0;

  for (guint i = 0; i < plans->len; i++)
    {
      RingPlan *plan = plans->pdata[i];

      append_corners (plan, points);
      g_array_append_val (sizes, plan->walls->len);
      n_cracks += plan->midpoints->len;
    }
  area = fabs (urb_rings_area ((UrbPoint *) (gpointer) points->data,
                               (guint *) (gpointer) sizes->data, sizes->len));
  if (fabs (area / n_pixels - 1) > max_area_error)
    return FALSE;
  overlap = urb_rings_overlap ((UrbPoint *) (gpointer) points->data,
                               (guint *) (gpointer) sizes->data, sizes->len, net->labels,
                               net->width_px, net->height_px, region,
                               g_array_index (net->regions, UrbRegion, region).n_pixels);
  /* The position of a wall is uncertain by a third of the detail, which matters for small
   * buildings. */
  return overlap >= CLAMP (1 - 0.3 * detail_px * n_cracks / n_pixels, least_overlap, min_overlap);
}

/* ------------------------------------------------------------------------ */
/* Nodes onto walls                                                          */

/* The last wall that begins at or before @crack.  (Walls without cracks have the same
 * first crack as the next wall.) */
static guint
find_wall (const RingPlan *plan, guint crack)
{
  guint n = plan->midpoints->len, best = 0, least = G_MAXUINT;

  for (guint i = 0; i < plan->walls->len; i++)
    {
      guint distance = (crack + n - g_array_index (plan->walls, UrbWall, i).first) % n;

      if (distance <= least)
        {
          least = distance;
          best = i;
        }
    }
  return best;
}

/* The position of the node at the start of @crack: index of the wall + fraction along it. */
static double
place_node (const RingPlan *plan, guint crack, UrbPoint node, UrbPoint *point)
{
  guint wall = find_wall (plan, crack), n = plan->walls->len;
  UrbPoint a = corner_at (plan, wall + n - 1), b = corner_at (plan, wall);
  double dx = b.x - a.x, dy = b.y - a.y, length = hypot (dx, dy), t;

  t = length > 0 ? CLAMP (((node.x - a.x) * dx + (node.y - a.y) * dy) / length, 0, length) : 0;
  if (g_array_index (plan->walls, UrbWall, wall).first == crack || t < MIN (1.0, length / 3))
    {
      *point = a;
      return wall;
    }
  if (length - t < MIN (1.0, length / 3))
    {
      *point = b;
      return (wall + 1) % n;
    }
  *point = urb_point_snap ((UrbPoint) { a.x + dx * t / length, a.y + dy * t / length });
  return wall + t / length;
}

static void
add_change (GArray *changes, gint32 number, gboolean backward, GArray *points)
{
  UrbArcChange change = { number, g_new (UrbPoint, points->len), points->len };

  for (guint i = 0; i < points->len; i++)
    change.points[i] = g_array_index (points, UrbPoint, backward ? points->len - 1 - i : i);
  g_array_append_val (changes, change);
}

/* Adds changes for all arcs of the ring.  Fails if the order of the nodes would change. */
static gboolean
change_ring (UrbArrangement *net, const RingPlan *plan, GArray *changes, GHashTable *moved)
{
  const UrbArcRing *arcs = &g_array_index (net->rings, UrbArcRing, plan->ring);
  g_autofree double *positions = g_new (double, arcs->n);
  g_autofree UrbPoint *nodes = g_new (UrbPoint, arcs->n);
  g_autoptr(GArray) points = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  double n_walls = plan->walls->len, total = 0;

  for (guint i = 0; i < arcs->n; i++)
    {
      UrbHalfArc half = g_array_index (net->half_arcs, UrbHalfArc, arcs->first + i);
      const UrbArc *arc = urb_arrangement_get_arc (net, half / 2);
      gint32 node = half % 2 == 0 ? arc->start : arc->end;

      if (node < 0)
        {
          append_corners (plan, points);
          add_change (changes, half / 2, half % 2, points);
          return TRUE;
        }
      positions[i] = place_node (plan, g_array_index (plan->starts, guint, i),
                                 arc->points[half % 2 == 0 ? 0 : arc->n_points - 1], &nodes[i]);
      if (!g_hash_table_insert (moved, GINT_TO_POINTER (node),
                                g_memdup2 (&nodes[i], sizeof (UrbPoint))))
        return FALSE; /* two rings of the building meet at this node */
    }
  for (guint i = 0; i < arcs->n; i++)
    {
      UrbHalfArc half = g_array_index (net->half_arcs, UrbHalfArc, arcs->first + i);
      guint next = (i + 1) % arcs->n;
      double way = positions[next] - positions[i];

      if (way <= 0)
        way += n_walls;
      total += way;
      g_array_set_size (points, 0);
      g_array_append_val (points, nodes[i]);
      for (guint k = (guint) floor (positions[i]) + 1; k < positions[i] + way - 1e-9; k++)
        {
          UrbPoint corner = corner_at (plan, k - 1);

          g_array_append_val (points, corner);
        }
      g_array_append_val (points, nodes[next]);
      add_change (changes, half / 2, half % 2, points);
    }
  return total < n_walls + 0.5;
}

/* Moves the ends of other arcs along with the nodes.  Fails if one of these is locked. */
static gboolean
move_other_arcs (UrbArrangement *net, GHashTable *moved, guint n_own, GArray *changes)
{
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, moved);
  while (g_hash_table_iter_next (&iter, &key, &value))
    for (int d = 0; d < 4; d++)
      {
        UrbHalfArc half = g_array_index (net->nodes, UrbNode, GPOINTER_TO_INT (key)).out[d];
        const UrbArc *arc;
        UrbArcChange *change;
        guint i = 0;

        if (half < 0)
          continue;
        while (i < changes->len && g_array_index (changes, UrbArcChange, i).arc != half / 2)
          i++;
        if (i < n_own)
          continue;
        arc = urb_arrangement_get_arc (net, half / 2);
        if (arc->locked)
          return FALSE;
        if (i == changes->len)
          {
            UrbArcChange fresh = { half / 2,
                                   g_memdup2 (arc->points, arc->n_points * sizeof (UrbPoint)),
                                   arc->n_points };

            g_array_append_val (changes, fresh);
          }
        change = &g_array_index (changes, UrbArcChange, i);
        change->points[half % 2 == 0 ? 0 : change->n_points - 1] = *(UrbPoint *) value;
      }
  return TRUE;
}

static gboolean
apply_plans (UrbArrangement *net, GPtrArray *plans)
{
  g_autoptr(GArray) changes = g_array_new (FALSE, FALSE, sizeof (UrbArcChange));
  g_autoptr(GHashTable) moved = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  gboolean done = TRUE;
  guint n_own;

  for (guint i = 0; i < plans->len && done; i++)
    done = change_ring (net, plans->pdata[i], changes, moved);
  n_own = changes->len;
  done = done && move_other_arcs (net, moved, n_own, changes) && urb_arrangement_try (net, changes);
  for (guint i = 0; i < changes->len; i++)
    {
      UrbArcChange *change = &g_array_index (changes, UrbArcChange, i);

      if (!done)
        g_free (change->points);
      else if (i < n_own)
        urb_arrangement_get_arc (net, change->arc)->locked = TRUE;
    }
  return done;
}

/* ------------------------------------------------------------------------ */

/* @angle: NaN: use that of the outer ring */
static gboolean
plan_walls (UrbArrangement *net, GPtrArray *plans, const UrbStraightenOptions *options,
            double angle)
{
  for (guint i = 0; i < plans->len; i++)
    {
      RingPlan *plan = plans->pdata[i];

      if (!urb_straighten_ring (plan->midpoints, plan->sides, net->width_px, net->height_px,
                                options, &angle, plan->walls) ||
          plan->walls->len > MAX_WALLS)
        return FALSE;
      snap_walls (plan);
    }
  return TRUE;
}

static gboolean
try_rectangle (UrbArrangement *net, gint32 region, GPtrArray *plans, double angle,
               double detail_px)
{
  RingPlan *plan = plans->pdata[0];
  double n_pixels = (double) g_array_index (net->regions, UrbRegion, region).n_pixels;

  for (guint i = 0; i < plan->sides->len; i++)
    if (g_array_index (plan->sides, guint8, i) != 0)
      return FALSE; /* on the tile's edge */
  if (plans->len > 1
      || !urb_straighten_rectangle (plan->midpoints, n_pixels, angle, plan->walls))
    return FALSE;
  snap_walls (plan);
  return walls_match (net, region, plans, detail_px) && apply_plans (net, plans);
}

/* No single set of parameters suits all rings: a bay needs short walls, a blurred house long
 * ones.  The first set that matches is used, plainest first. */
static gboolean
try_walls (UrbArrangement *net, gint32 region, GPtrArray *plans,
           const UrbStraightenOptions *options, double box_angle)
{
  static const struct { double tolerance, min_wall; gboolean box; } ways[] = {
    { 1, 1, FALSE }, { 0.7, 1, FALSE }, { 1, 1, TRUE }, { 0.7, 0.7, FALSE }, { 0.7, 0.7, TRUE },
    { 1.3, 1.5, FALSE }, { 0.5, 0.5, TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      UrbStraightenOptions way = *options;

      way.tolerance_px *= ways[i].tolerance;
      way.min_wall_px *= ways[i].min_wall;
      if (plan_walls (net, plans, &way, ways[i].box ? box_angle : NAN)
          && walls_match (net, region, plans, options->detail_px) && apply_plans (net, plans))
        return TRUE;
    }
  return FALSE;
}

gboolean
urb_arrangement_straighten_region (UrbArrangement *self, gint32 region,
                                   const UrbStraightenOptions *options)
{
  const UrbRegion *info = &g_array_index (self->regions, UrbRegion, region);
  g_autoptr(GPtrArray) plans = g_ptr_array_new_with_free_func ((GDestroyNotify) ring_plan_free);
  gsize n_cracks = 0;
  double angle, box_angle;
  RingPlan *outer;

  for (guint i = 0; i < info->n_rings; i++)
    {
      g_ptr_array_add (plans, ring_plan_new (self, info->first_ring + i));
      n_cracks += ((RingPlan *) plans->pdata[i])->midpoints->len;
      if (n_cracks > MAX_CRACKS)
        return FALSE;
    }
  outer = plans->pdata[0];
  urb_straighten_find_box (outer->midpoints, &box_angle);
  if (try_walls (self, region, plans, options, box_angle))
    return TRUE;
  angle = urb_straighten_find_angle (outer->midpoints, options->tolerance_px);
  return try_rectangle (self, region, plans, angle, options->detail_px)
         || try_rectangle (self, region, plans, box_angle, options->detail_px)
         || try_rectangle (self, region, plans, 0, options->detail_px);
}
