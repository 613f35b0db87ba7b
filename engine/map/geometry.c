/* SPDX-License-Identifier: Apache-2.0 */
/*
 * geometry.c - converts geometries of any kind to plain rings.
 *
 * Rings are copied once, from GDAL's block into the map's, and checked there for
 * non-numbers, outliers and zero area.  Only polygons that cannot be proven valid
 * quickly go to GEOS.
 */
#include <math.h>
#include <string.h>

#include "map/ogr-private.h"

/* Arcs become chords of at most this angle, as is usual in cadastral surveying. */
#define ARC_STEP_DEGREES  5.0
#define QUADRANT_SEGMENTS 4
#define MAX_DEPTH         32

UrbGeometryKind
urb_geometry_get_kind (OGRGeometryH geometry)
{
  OGRwkbGeometryType type = wkbFlatten (OGR_G_GetGeometryType (geometry));

  switch (OGR_G_GetDimension (geometry))
    {
    case 0:
      return 0;
    case 1:
      return URB_GEOMETRY_LINE;
    default:
      /* An empty collection has dimension 0, a mixed one that of its areas. */
      return type == wkbPoint || type == wkbMultiPoint ? 0 : URB_GEOMETRY_AREA;
    }
}

OGRGeometryH
urb_feature_get_shape (OGRFeatureH feature)
{
  int n = OGR_F_GetGeomFieldCount (feature);

  for (int i = 0; n > 1 && i < n; i++)
    {
      OGRGeometryH geometry = OGR_F_GetGeomFieldRef (feature, i);
      if (geometry != NULL && urb_geometry_get_kind (geometry) == URB_GEOMETRY_AREA)
        return geometry;
    }
  return OGR_F_GetGeometryRef (feature);
}

/* Copies a line into the reserved space at the end of the map. */
static UrbRingState
copy_ring (UrbSink *self, OGRGeometryH line, gint64 *n_vertices)
{
  int n = OGR_G_GetPointCount (line);
  double *xy;

  if (n < 3)
    return URB_RING_DEGENERATE;
  xy = urb_map_builder_reserve (self->builder, n);
  if (xy == NULL)
    return URB_RING_TOO_MANY;
  OGR_G_GetPoints (line, xy, 2 * sizeof *xy, xy + 1, 2 * sizeof *xy, NULL, 0);
  return urb_map_ring_clean (xy, n, n_vertices);
}

/* -------- Validity -------- */

static OGRGeometryH
polygon_from_pending (UrbSink *self)
{
  OGRGeometryH polygon = OGR_G_CreateGeometry (wkbPolygon);

  for (guint64 i = 0; i < urb_map_builder_get_n_pending (self->builder); i++)
    {
      OGRGeometryH ring = OGR_G_CreateGeometry (wkbLinearRing);
      gint64 n;
      const double *xy = urb_map_builder_get_pending (self->builder, i, &n);
      OGR_G_SetPoints (ring, (int) n, (void *) xy, 2 * sizeof *xy, (void *) (xy + 1),
                       2 * sizeof *xy, NULL, 0);
      OGR_G_AddPoint_2D (ring, xy[0], xy[1]);
      OGR_G_AddGeometryDirectly (polygon, ring);
    }
  return polygon;
}

static gboolean add_parts (UrbSink *self, OGRGeometryH geometry, const UrbDecision *decision,
                           gboolean is_repaired, int depth);

static UrbBox
get_pending_box (UrbSink *self)
{
  UrbBox box = URB_BOX_EMPTY;

  for (guint64 i = 0; i < urb_map_builder_get_n_pending (self->builder); i++)
    {
      gint64 n;
      const double *xy = urb_map_builder_get_pending (self->builder, i, &n);

      urb_box_add (&box, urb_map_ring_get_box (xy, n));
    }
  return box;
}

/* Replaces the pending rings by what of them lies in the part that is read. */
static gboolean
commit_cut (UrbSink *self, UrbBox box, const UrbDecision *decision)
{
  g_auto(UrbOgrGeometry) polygon = urb_box_meets (*self->clip, box) ? polygon_from_pending (self) : NULL;
  g_auto(UrbOgrGeometry) cut = polygon != NULL ? urb_clip_cut (self->clip, polygon) : NULL;
  gint64 n_before = urb_map_builder_get_n_polygons (self->builder);
  gboolean has_room;

  urb_map_builder_rollback (self->builder);
  if (polygon != NULL && cut == NULL)
    {
      self->layer->n_dropped++;
      return TRUE;
    }
  self->is_cut = TRUE;
  has_room = cut == NULL || add_parts (self, cut, decision, TRUE, 0);
  self->is_cut = FALSE;
  self->n_polygons_outside += urb_map_builder_get_n_polygons (self->builder) == n_before;
  return has_room;
}

gboolean
urb_sink_commit_valid (UrbSink *self, const UrbDecision *decision)
{
  if (self->clip != NULL && !self->is_cut)
    {
      UrbBox box = get_pending_box (self);

      if (!urb_box_contains (*self->clip, box))
        return commit_cut (self, box, decision);
    }
  urb_map_builder_commit_polygon (self->builder, decision->class_, self->layer_index,
                                  decision->value);
  return TRUE;
}

gboolean
urb_sink_make_valid (UrbSink *self, const UrbDecision *decision)
{
  g_auto(UrbOgrGeometry) polygon = NULL;
  g_auto(UrbOgrGeometry) repaired = NULL;
  gint64 n_before = urb_map_builder_get_n_polygons (self->builder), n_outside = self->n_polygons_outside;
  gint64 n;
  const double *outline = urb_map_builder_get_pending (self->builder, 0, &n);

  if (urb_map_builder_get_n_pending (self->builder) == 1 &&
      urb_map_ring_is_surely_simple (outline, n))
    return TRUE;
  polygon = polygon_from_pending (self);
  if (OGR_G_IsValid (polygon))
    return TRUE;
  urb_map_builder_rollback (self->builder);
  repaired = OGR_G_MakeValid (polygon);
  if (repaired != NULL && !add_parts (self, repaired, decision, TRUE, 0))
    return FALSE;
  if (urb_map_builder_get_n_polygons (self->builder) > n_before)
    self->layer->n_repaired++;
  else if (self->n_polygons_outside == n_outside)
    self->layer->n_dropped++;
  return TRUE;
}

gboolean
urb_sink_commit (UrbSink *self, const UrbDecision *decision)
{
  if (!urb_sink_make_valid (self, decision))
    return FALSE;
  return urb_map_builder_get_n_pending (self->builder) == 0 || urb_sink_commit_valid (self, decision);
}

/* -------- Areas -------- */

gboolean
urb_sink_end_polygon (UrbSink *self, UrbRingState state, const UrbDecision *decision,
                      gboolean is_repaired)
{
  if (state == URB_RING_TOO_MANY)
    return FALSE;
  if (urb_map_builder_get_n_pending (self->builder) == 0)
    {
      /* Slivers left by a repair do not count. */
      self->layer->n_dropped += !is_repaired;
      return TRUE;
    }
  return is_repaired ? urb_sink_commit_valid (self, decision) : urb_sink_commit (self, decision);
}

static gboolean
add_polygon (UrbSink *self, OGRGeometryH polygon, const UrbDecision *decision, gboolean is_repaired)
{
  int n_rings = OGR_G_GetGeometryCount (polygon);
  UrbRingState state = URB_RING_DEGENERATE;

  for (int i = 0; i < n_rings; i++)
    {
      gint64 n = 0;
      state = copy_ring (self, OGR_G_GetGeometryRef (polygon, i), &n);
      if (state == URB_RING_GOOD)
        urb_map_builder_commit_ring (self->builder, n);
      else if (i == 0 || state == URB_RING_TOO_MANY)
        break;
    }
  return urb_sink_end_polygon (self, state, decision, is_repaired);
}

/* -------- Lines -------- */

gboolean
urb_line_is_closed (OGRGeometryH line)
{
  int last = OGR_G_GetPointCount (line) - 1;

  return last >= 3 && hypot (OGR_G_GetX (line, 0) - OGR_G_GetX (line, last),
                             OGR_G_GetY (line, 0) - OGR_G_GetY (line, last)) < 1e-3;
}

/* A road has its line's width and round ends, so that streets that meet leave no
 * notch. */
static gboolean
add_line (UrbSink *self, OGRGeometryH line, const UrbDecision *decision)
{
  g_auto(UrbOgrGeometry) area = NULL;
  gint64 n = 0;
  UrbRingState state;

  for (int i = 0, n_points = OGR_G_GetPointCount (line); i < n_points; i++)
    if (!(fabs (OGR_G_GetX (line, i)) < URB_MAP_MAX_COORDINATE &&
          fabs (OGR_G_GetY (line, i)) < URB_MAP_MAX_COORDINATE))
      {
        self->layer->n_dropped++;
        return TRUE;
      }
  if ((decision->closed_lines_are_areas || self->all_closed_lines_are_areas) &&
      urb_line_is_closed (line))
    {
      state = copy_ring (self, line, &n);
      if (state == URB_RING_TOO_MANY)
        return FALSE;
      if (state == URB_RING_GOOD)
        return urb_nest_add (self->nest, urb_map_builder_reserve (self->builder, n), n, decision);
      self->layer->n_dropped++;
      return TRUE;
    }
  if (decision->class_ != URB_CLASS_ROAD || !(decision->width_m > 0))
    {
      self->n_lines_left_out++;
      return TRUE;
    }
  area = OGR_G_Buffer (line, decision->width_m / 2, QUADRANT_SEGMENTS);
  if (area == NULL)
    {
      self->layer->n_dropped++;
      return TRUE;
    }
  return add_parts (self, area, decision, TRUE, 0);
}

/* -------- Any geometry -------- */

static gboolean
add_parts (UrbSink *self, OGRGeometryH geometry, const UrbDecision *decision, gboolean is_repaired,
           int depth)
{
  int n;

  switch (wkbFlatten (OGR_G_GetGeometryType (geometry)))
    {
    case wkbPoint:
    case wkbMultiPoint:
      return TRUE;
    case wkbPolygon:
    case wkbTriangle:
      return add_polygon (self, geometry, decision, is_repaired);
    case wkbLineString:
    case wkbLinearRing:
      return is_repaired || self->areas_only || add_line (self, geometry, decision);
    default:
      break;
    }
  if (depth == MAX_DEPTH)
    {
      self->layer->n_dropped++;
      return TRUE;
    }
  n = OGR_G_GetGeometryCount (geometry);
  for (int i = 0; i < n; i++)
    if (!add_parts (self, OGR_G_GetGeometryRef (geometry, i), decision, is_repaired, depth + 1))
      return FALSE;
  return TRUE;
}

static gboolean
may_have_arcs (OGRGeometryH geometry)
{
  /* FALSE: include types that may have arcs even if they have none now. */
  return OGR_G_HasCurveGeometry (geometry, FALSE);
}

OGRGeometryH
urb_geometry_linearize (OGRGeometryH geometry)
{
  return may_have_arcs (geometry) ? OGR_G_GetLinearGeometry (geometry, ARC_STEP_DEGREES, NULL)
                                  : OGR_G_Clone (geometry);
}

UrbBox
urb_geometry_get_box (OGRGeometryH geometry)
{
  OGREnvelope envelope;

  OGR_G_GetEnvelope (geometry, &envelope);
  return (UrbBox){ envelope.MinX, envelope.MinY, envelope.MaxX, envelope.MaxY };
}

gboolean
urb_geometry_contains (OGRGeometryH polygon, double x, double y)
{
  gboolean inside = FALSE;

  for (int r = 0; r < OGR_G_GetGeometryCount (polygon); r++)
    {
      OGRGeometryH ring = OGR_G_GetGeometryRef (polygon, r);
      int n = OGR_G_GetPointCount (ring);
      g_autofree double *xy = g_new (double, 2 * (gsize) MAX (n, 1));
      OGR_G_GetPoints (ring, xy, 2 * sizeof *xy, xy + 1, 2 * sizeof *xy, NULL, 0);
      if (urb_map_ring_contains (xy, n, x, y))
        inside = !inside;
    }
  return inside;
}

gboolean
urb_feature_read_number (OGRFeatureH feature, int field, double *number)
{
  const char *text;
  char *end;

  if (field < 0 || !OGR_F_IsFieldSetAndNotNull (feature, field))
    return FALSE;
  text = OGR_F_GetFieldAsString (feature, field);
  *number = g_ascii_strtod (text, &end);
  return end != text && isfinite (*number);
}

/* As urb_sink_add(); may count several parts as dropped. */
static gboolean
add (UrbSink *self, OGRGeometryH geometry, const UrbDecision *decision)
{
  g_auto(UrbOgrGeometry) linear = NULL;

  if (may_have_arcs (geometry))
    {
      linear = urb_geometry_linearize (geometry);
      if (linear == NULL)
        {
          self->layer->n_dropped++;
          return TRUE;
        }
      geometry = linear;
    }
  if (self->transform != NULL && OGR_G_Transform (geometry, self->transform) != OGRERR_NONE)
    {
      /* Coordinates outside the Earth. */
      self->layer->n_dropped++;
      return TRUE;
    }
  return add_parts (self, geometry, decision, FALSE, 0);
}

/* As if the object, which is outside of the part that is read, had not been there. */
static void
take_back (UrbSink *self, const UrbDecision *decision)
{
  self->n_outside++;
  self->layer->n_features--;
  self->layer->n_lines -= !self->areas_only;
  self->layer->n_unexpected -= decision->is_unexpected;
  ((UrbMapValue *) g_ptr_array_index (self->layer->values, decision->value))->n_features--;
}

gboolean
urb_sink_add (UrbSink *self, OGRGeometryH geometry, const UrbDecision *decision)
{
  gint64 n_dropped = self->layer->n_dropped, n_outside = self->n_polygons_outside;
  gint64 n_polygons = urb_map_builder_get_n_polygons (self->builder);
  gboolean has_room;

  self->areas_only = urb_geometry_get_kind (geometry) == URB_GEOMETRY_AREA;
  has_room = add (self, geometry, decision);
  self->layer->n_dropped = MIN (self->layer->n_dropped, n_dropped + 1);
  if (self->n_polygons_outside > n_outside && urb_map_builder_get_n_polygons (self->builder) == n_polygons
      && self->layer->n_dropped == n_dropped)
    take_back (self, decision);
  return has_room;
}
