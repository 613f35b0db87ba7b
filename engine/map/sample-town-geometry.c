/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-town-geometry.c - rings and polygons, and the one overlay operation that
 * builds the town: cutting a band out of a polygon (GEOS, through OGR).
 *
 * A cut yields the parts inside and outside the band, so the parts always fill the
 * original polygon.
 */
#include "map/sample-town-private.h"

/* Parts and bends below these sizes are rounding noise of the overlay. */
#define SLIVER_M2 1e-2
#define WELD_M 1e-5

GArray *
town_ring_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (TownPoint));
}

void
town_ring_append (GArray *ring, double x, double y)
{
  TownPoint point = { x, y };

  g_array_append_val (ring, point);
}

static const TownPoint *
points_of (const GArray *ring)
{
  return (const TownPoint *) (const void *) ring->data;
}

/* x, y pairs, as for urb_map_ring_area(). */
static const double *
pairs_of (const GArray *ring)
{
  return (const double *) (const void *) ring->data;
}

TownPoint
town_ring_centroid (const GArray *ring)
{
  const TownPoint *p = points_of (ring);
  double twice = 0, x = 0, y = 0;

  for (guint i = 1; i + 1 < ring->len; i++)
    {
      double ax = p[i].x - p[0].x, ay = p[i].y - p[0].y;
      double bx = p[i + 1].x - p[0].x, by = p[i + 1].y - p[0].y;
      double cross = ax * by - bx * ay;

      twice += cross;
      x += cross * (ax + bx) / 3;
      y += cross * (ay + by) / 3;
    }
  if (fabs (twice) < 1e-12)
    return p[0];
  return (TownPoint){ p[0].x + x / twice, p[0].y + y / twice };
}

void
town_ring_reverse (GArray *ring)
{
  TownPoint *p = (TownPoint *) (void *) ring->data;

  for (guint i = 0, j = ring->len; i + 1 < j; i++)
    {
      TownPoint t = p[i];

      p[i] = p[--j];
      p[j] = t;
    }
}

/* The smallest rectangle has the direction of some edge.  Trying the ring's edges
 * rather than its hull's is simpler, and good enough for blocks. */
TownRectangle
town_ring_rectangle (const GArray *ring)
{
  const TownPoint *p = points_of (ring);
  TownRectangle best = { 0 };
  double best_area = G_MAXDOUBLE;

  for (guint i = 0; i < ring->len; i++)
    {
      TownPoint q = p[(i + 1) % ring->len];
      double length = hypot (q.x - p[i].x, q.y - p[i].y);
      double ux, uy, min_u = G_MAXDOUBLE, max_u = -G_MAXDOUBLE, min_v = G_MAXDOUBLE,
                     max_v = -G_MAXDOUBLE;

      if (length < 2)
        continue;
      ux = (q.x - p[i].x) / length;
      uy = (q.y - p[i].y) / length;
      for (guint j = 0; j < ring->len; j++)
        {
          double u = p[j].x * ux + p[j].y * uy, v = p[j].y * ux - p[j].x * uy;

          min_u = MIN (min_u, u), max_u = MAX (max_u, u);
          min_v = MIN (min_v, v), max_v = MAX (max_v, v);
        }
      if ((max_u - min_u) * (max_v - min_v) < best_area)
        {
          double u = (min_u + max_u) / 2, v = (min_v + max_v) / 2;
          gboolean along_u = max_u - min_u >= max_v - min_v;

          best_area = (max_u - min_u) * (max_v - min_v);
          best.center = (TownPoint){ u * ux - v * uy, u * uy + v * ux };
          best.along = along_u ? (TownPoint){ ux, uy } : (TownPoint){ -uy, ux };
          best.length = MAX (max_u - min_u, max_v - min_v);
          best.width = MIN (max_u - min_u, max_v - min_v);
        }
    }
  return best;
}

/* ------------------------------------------------------------------------ */

GPtrArray *
town_polygon_array_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) town_polygon_free);
}

TownPolygon *
town_polygon_new (GArray *outline)
{
  TownPolygon *self = g_new0 (TownPolygon, 1);

  self->rings = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  self->box = urb_map_ring_get_box (pairs_of (outline), outline->len);
  g_ptr_array_add (self->rings, outline);
  return self;
}

void
town_polygon_free (TownPolygon *self)
{
  g_ptr_array_unref (self->rings);
  g_free (self);
}

static double
turn (TownPoint a, TownPoint b, TownPoint c)
{
  return (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
}

/* Drops points on a straight line and tips of spikes.  GEOS leaves such points where
 * walls meet; with the large coordinates of LV95 they would make a ring self-intersect. */
static void
drop_redundant_points (GArray *ring)
{
  for (guint i = 0, n_kept = 0; ring->len >= 3 && n_kept < ring->len;)
    {
      const TownPoint *p = points_of (ring);
      TownPoint a = p[(i + ring->len - 1) % ring->len], c = p[(i + 1) % ring->len];
      double base = hypot (c.x - a.x, c.y - a.y);

      if (base < WELD_M || fabs (turn (a, p[i], c)) < WELD_M * base)
        {
          g_array_remove_index (ring, i);
          i = (i + ring->len - 1) % ring->len; /* recheck the neighbors */
          n_kept = 0;
        }
      else
        {
          i = (i + 1) % ring->len;
          n_kept++;
        }
    }
}

static GArray *
ring_from_geometry (OGRGeometryH line, gboolean counter_clockwise)
{
  GArray *ring = town_ring_new ();
  int n = OGR_G_GetPointCount (line);

  for (int i = 0; i + 1 < n; i++) /* the last repeats the first */
    town_ring_append (ring, OGR_G_GetX (line, i), OGR_G_GetY (line, i));
  drop_redundant_points (ring);
  if ((urb_map_ring_area (pairs_of (ring), ring->len) > 0) != counter_clockwise)
    town_ring_reverse (ring);
  return ring;
}

static TownPolygon *
polygon_from_geometry (OGRGeometryH polygon)
{
  TownPolygon *self = town_polygon_new (
    ring_from_geometry (OGR_G_GetGeometryRef (polygon, 0), TRUE));

  for (int i = 1; i < OGR_G_GetGeometryCount (polygon); i++)
    {
      g_autoptr(GArray) hole = ring_from_geometry (OGR_G_GetGeometryRef (polygon, i), FALSE);

      if (fabs (urb_map_ring_area (pairs_of (hole), hole->len)) > SLIVER_M2)
        g_ptr_array_add (self->rings, g_steal_pointer (&hole));
    }
  return self;
}

double
town_polygon_area (const TownPolygon *self)
{
  double area = 0;

  for (guint i = 0; i < self->rings->len; i++)
    {
      const GArray *ring = self->rings->pdata[i];
      double ring_area = fabs (urb_map_ring_area (pairs_of (ring), ring->len));

      area += i == 0 ? ring_area : -ring_area;
    }
  return area;
}

static gboolean
ring_contains (const GArray *ring, TownPoint at)
{
  return urb_map_ring_contains (pairs_of (ring), ring->len, at.x, at.y);
}

static gboolean
segments_meet (TownPoint a, TownPoint b, TownPoint c, TownPoint d)
{
  if (MAX (a.x, b.x) < MIN (c.x, d.x) || MAX (c.x, d.x) < MIN (a.x, b.x) ||
      MAX (a.y, b.y) < MIN (c.y, d.y) || MAX (c.y, d.y) < MIN (a.y, b.y))
    return FALSE;
  return turn (a, b, c) * turn (a, b, d) <= 0 && turn (c, d, a) * turn (c, d, b) <= 0;
}

double
town_segment_distance (TownPoint at, TownPoint a, TownPoint b)
{
  double dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;
  double t = length2 > 0 ? ((at.x - a.x) * dx + (at.y - a.y) * dy) / length2 : 0;

  t = CLAMP (t, 0, 1);
  return hypot (a.x + t * dx - at.x, a.y + t * dy - at.y);
}

static gboolean
edges_are_near (TownPoint a, TownPoint b, TownPoint c, TownPoint d, double clearance_m)
{
  if (MAX (a.x, b.x) + clearance_m < MIN (c.x, d.x) ||
      MAX (c.x, d.x) + clearance_m < MIN (a.x, b.x) ||
      MAX (a.y, b.y) + clearance_m < MIN (c.y, d.y) ||
      MAX (c.y, d.y) + clearance_m < MIN (a.y, b.y))
    return FALSE;
  return segments_meet (a, b, c, d) || town_segment_distance (a, c, d) < clearance_m ||
         town_segment_distance (b, c, d) < clearance_m ||
         town_segment_distance (c, a, b) < clearance_m ||
         town_segment_distance (d, a, b) < clearance_m;
}

static gboolean
outlines_are_near (const GArray *one, const GArray *other, double clearance_m)
{
  const TownPoint *p = points_of (one), *q = points_of (other);

  for (guint i = 0; i < one->len; i++)
    for (guint j = 0; j < other->len; j++)
      if (edges_are_near (p[i], p[(i + 1) % one->len], q[j], q[(j + 1) % other->len], clearance_m))
        return TRUE;
  return FALSE;
}

gboolean
town_rings_are_near (const GArray *one, const GArray *other, double clearance_m)
{
  return outlines_are_near (one, other, clearance_m) ||
         ring_contains (one, points_of (other)[0]) || ring_contains (other, points_of (one)[0]);
}

gboolean
town_polygon_contains_ring (const TownPolygon *self, const GArray *ring, double clearance_m)
{
  UrbBox box = urb_map_ring_get_box (pairs_of (ring), ring->len);
  gboolean inside = FALSE;

  if (box.min_x <= self->box.min_x || box.max_x >= self->box.max_x ||
      box.min_y <= self->box.min_y || box.max_y >= self->box.max_y)
    return FALSE;
  for (guint i = 0; i < self->rings->len; i++)
    inside ^= ring_contains (self->rings->pdata[i], points_of (ring)[0]);
  for (guint i = 0; inside && i < self->rings->len; i++)
    inside = !outlines_are_near (self->rings->pdata[i], ring, clearance_m);
  return inside;
}

/* ------------------------------------------------------------------------ */

static OGRGeometryH
line_geometry (const GArray *points, OGRwkbGeometryType type)
{
  OGRGeometryH line = OGR_G_CreateGeometry (type);
  const TownPoint *p = points_of (points);

  if (points->len == 0)
    return line;
  OGR_G_SetPoints (line, (int) points->len, &p->x, sizeof *p, &p->y, sizeof *p, NULL, 0);
  if (type == wkbLinearRing)
    OGR_G_AddPoint_2D (line, p[0].x, p[0].y);
  return line;
}

OGRGeometryH
town_geometry_from_ring (const GArray *ring)
{
  OGRGeometryH polygon = OGR_G_CreateGeometry (wkbPolygon);

  OGR_G_AddGeometryDirectly (polygon, line_geometry (ring, wkbLinearRing));
  return polygon;
}

static OGRGeometryH
geometry_from_polygon (const TownPolygon *polygon)
{
  OGRGeometryH geometry = OGR_G_CreateGeometry (wkbPolygon);

  for (guint i = 0; i < polygon->rings->len; i++)
    OGR_G_AddGeometryDirectly (geometry, line_geometry (polygon->rings->pdata[i], wkbLinearRing));
  return geometry;
}

OGRGeometryH
town_geometry_band (const GArray *points, double width_m)
{
  g_auto(UrbOgrGeometry) line = line_geometry (points, wkbLineString);

  return OGR_G_Buffer (line, width_m / 2, 4);
}

void
town_geometry_split (OGRGeometryH geometry, GPtrArray *polygons)
{
  g_auto(UrbOgrGeometry) owned = geometry;

  if (geometry == NULL || OGR_G_IsEmpty (geometry))
    return;
  if (wkbFlatten (OGR_G_GetGeometryType (geometry)) == wkbPolygon)
    {
      g_autoptr(TownPolygon) polygon = polygon_from_geometry (geometry);

      if (town_polygon_area (polygon) > SLIVER_M2)
        g_ptr_array_add (polygons, g_steal_pointer (&polygon));
      return;
    }
  for (int i = 0; i < OGR_G_GetGeometryCount (geometry); i++)
    {
      OGRGeometryH part = OGR_G_GetGeometryRef (geometry, i);

      if (OGR_G_GetDimension (part) == 2)
        town_geometry_split (OGR_G_Clone (part), polygons);
    }
}

gboolean
town_cut (const TownPolygon *polygon, OGRGeometryH band, GPtrArray *inside, GPtrArray *outside)
{
  g_auto(UrbOgrGeometry) geometry = NULL, in = NULL, out = NULL;

  if (!urb_box_meets (polygon->box, urb_geometry_get_box (band)))
    return FALSE;
  geometry = geometry_from_polygon (polygon);
  if (!OGR_G_Intersects (geometry, band))
    return FALSE;
  in = OGR_G_Intersection (geometry, band);
  out = OGR_G_Difference (geometry, band);
  if (in == NULL || out == NULL) /* rounding errors: leave it whole */
    return FALSE;
  town_geometry_split (g_steal_pointer (&in), inside);
  town_geometry_split (g_steal_pointer (&out), outside);
  return TRUE;
}

void
town_cut_all (GPtrArray **polygons, OGRGeometryH band, GPtrArray *inside)
{
  g_autoptr(GPtrArray) before = *polygons;

  *polygons = town_polygon_array_new ();
  g_ptr_array_set_free_func (before, NULL); /* each is freed or moved below */
  for (guint i = 0; i < before->len; i++)
    if (town_cut (before->pdata[i], band, inside, *polygons))
      town_polygon_free (before->pdata[i]);
    else
      g_ptr_array_add (*polygons, before->pdata[i]);
}
