/* SPDX-License-Identifier: Apache-2.0 */
/*
 * given.c - see given.h.
 */
#include "city/given.h"

#include <math.h>

#include "base/json-build.h"
#include "base/json-read.h"
#include "city/geometry-private.h"

UrbGiven *
urb_given_new (double size_m)
{
  UrbGiven *self = g_new0 (UrbGiven, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->size_m = size_m;
  self->polygons = g_array_new (FALSE, FALSE, sizeof (UrbGivenPolygon));
  self->sizes = g_array_new (FALSE, FALSE, sizeof (guint));
  self->xy = g_array_new (FALSE, FALSE, sizeof (double));
  return self;
}

UrbGiven *
urb_given_ref (UrbGiven *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
urb_given_unref (UrbGiven *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_array_unref (self->polygons);
  g_array_unref (self->sizes);
  g_array_unref (self->xy);
  g_free (self);
}

/* Rings follow with add_ring(). */
static void
begin_polygon (UrbGiven *self, UrbClass class_)
{
  UrbGivenPolygon polygon = { class_, self->sizes->len, 0, self->xy->len / 2 };

  g_array_append_val (self->polygons, polygon);
}

/* @xy: moved by -@x, -@y */
static void
add_ring (UrbGiven *self, const double *xy, guint n, double x, double y)
{
  g_array_append_val (self->sizes, n);
  for (guint i = 0; i < n; i++)
    {
      double point[] = { xy[2 * i] - x, xy[2 * i + 1] - y };

      g_array_append_vals (self->xy, point, 2);
    }
  g_array_index (self->polygons, UrbGivenPolygon, self->polygons->len - 1).n_rings++;
}

void
urb_given_add (UrbGiven *self, UrbClass class_, const double *xy, guint n)
{
  begin_polygon (self, class_);
  add_ring (self, xy, n, 0, 0);
}

UrbGiven *
urb_given_new_from_map (UrbMap *map, double x, double y, double size_m)
{
  UrbGiven *self = urb_given_new (size_m);
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));

  urb_map_query (map, (UrbBox) { x, y, x + size_m, y + size_m }, found);
  for (guint i = 0; i < found->len; i++)
    {
      const UrbMapPolygon *polygon = urb_map_get_polygon (map, g_array_index (found, gint64, i));

      begin_polygon (self, (UrbClass) polygon->class_);
      for (guint k = 0; k < polygon->n_rings; k++)
        {
          gint64 n;
          const double *xy = urb_map_get_ring (map, polygon->first_ring + k, &n);

          add_ring (self, xy, (guint) n, x, y);
        }
    }
  return self;
}

/* ------------------------------------------------------------------------ */
/* From a plan                                                               */

static void
add_geos_ring (UrbGiven *self, UrbGeometry *geometry, const GEOSGeometry *ring)
{
  const GEOSCoordSequence *points = GEOSGeom_getCoordSeq_r (geometry->handle, ring);
  guint n = (guint) GEOSGeomGetNumPoints_r (geometry->handle, ring);
  g_autofree double *xy = g_new (double, 2 * (gsize) n);

  GEOSCoordSeq_copyToBuffer_r (geometry->handle, points, xy, 0, 0);
  add_ring (self, xy, n - 1, 0, 0);
}

static void
add_shape (UrbGiven *self, UrbGeometry *geometry, UrbClass class_, const GEOSGeometry *shape)
{
  GEOSContextHandle_t geos = geometry->handle;
  g_autoptr(GPtrArray) parts = g_ptr_array_new ();

  urb_geometry_add_polygons (geometry, shape, parts);
  for (guint i = 0; i < parts->len; i++)
    {
      begin_polygon (self, class_);
      add_geos_ring (self, geometry, GEOSGetExteriorRing_r (geos, parts->pdata[i]));
      for (int k = 0; k < GEOSGetNumInteriorRings_r (geos, parts->pdata[i]); k++)
        add_geos_ring (self, geometry, GEOSGetInteriorRingN_r (geos, parts->pdata[i], k));
    }
}

/* In meters, like everything in this geometry. */
static GEOSGeometry *
make_polygon (UrbGeometry *geometry, const UrbCityVectors *plan, const UrbCityPolygon *polygon)
{
  g_autoptr(GArray) sizes = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint k = 0; k < polygon->n_rings; k++)
    g_array_append_val (sizes, g_array_index (plan->rings, UrbCityRing,
                                              polygon->first_ring + k).n_vertices);
  return urb_geometry_from_rings (
    geometry,
    &g_array_index (plan->xy, double, 2 * (gsize) g_array_index (plan->rings, UrbCityRing,
                                                                 polygon->first_ring).first_vertex),
    &g_array_index (sizes, guint, 0), sizes->len, 1);
}

UrbGiven *
urb_given_new_from_plan (const UrbCityVectors *plan, const double *outline, guint n_corners,
                         gboolean keeps_inside)
{
  UrbGiven *self = urb_given_new (plan->width_m);
  g_autoptr(UrbGeometry) geometry
    = urb_geometry_new ((int) ceil (plan->width_m), (int) ceil (plan->height_m), 1);
  GEOSContextHandle_t geos = geometry->handle;
  const GEOSGeometry *region = urb_geometry_from_rings (geometry, outline, &n_corners, 1, 1);

  for (guint i = 0; i < plan->polygons->len; i++)
    {
      const UrbCityPolygon *polygon = &g_array_index (plan->polygons, UrbCityPolygon, i);
      const GEOSGeometry *whole = make_polygon (geometry, plan, polygon);
      const GEOSGeometry *stays = urb_geometry_keep (
        geometry, keeps_inside ? GEOSIntersection_r (geos, whole, region)
                               : GEOSDifference_r (geos, whole, region));

      if (polygon->class_ != URB_CLASS_BUILDING)
        add_shape (self, geometry, polygon->class_, stays);
      else if (urb_geometry_get_area_m2 (geometry, stays) >= polygon->area_m2 / 2)
        add_shape (self, geometry, polygon->class_, whole);
    }
  return self;
}

/* ------------------------------------------------------------------------ */
/* JSON                                                                      */

void
urb_given_add_to_json (UrbGiven *self, JsonBuilder *json, const char *key)
{
  urb_json_begin_array (json, key);
  for (guint i = 0; i < self->polygons->len; i++)
    {
      const UrbGivenPolygon *polygon = &g_array_index (self->polygons, UrbGivenPolygon, i);
      const double *xy = &g_array_index (self->xy, double, 2 * (gsize) polygon->first_vertex);

      urb_json_begin_object (json, NULL);
      urb_json_add_string (json, "class", urb_class_get_name (polygon->class_));
      urb_json_begin_array (json, "rings");
      for (guint k = 0; k < polygon->n_rings; k++)
        {
          guint n = g_array_index (self->sizes, guint, polygon->first_ring + k);

          urb_json_begin_array (json, NULL);
          for (guint v = 0; v < 2 * n; v++)
            urb_json_add_double (json, NULL, round (*xy++ * 1000) / 1000);
          urb_json_end_array (json);
        }
      urb_json_end_array (json);
      urb_json_end_object (json);
    }
  urb_json_end_array (json);
}

static gboolean
read_class (JsonObject *object, UrbClass *class_)
{
  const char *name = json_object_get_string_member_with_default (object, "class", "");

  for (int c = 0; c < URB_N_CLASSES; c++)
    if (g_str_equal (name, urb_class_get_name ((UrbClass) c)))
      {
        *class_ = (UrbClass) c;
        return TRUE;
      }
  return FALSE;
}

static JsonArray *
get_array (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

/* Returns: %FALSE if it is no ring */
static gboolean
read_ring (UrbGiven *self, JsonArray *array)
{
  guint n = array != NULL ? json_array_get_length (array) : 0;
  g_autofree double *xy = NULL;

  if (n < 6 || n % 2 != 0)
    return FALSE;
  xy = g_new (double, n);
  for (guint i = 0; i < n; i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      GType type = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_INVALID;

      xy[i] = type == G_TYPE_DOUBLE || type == G_TYPE_INT64 ? json_node_get_double (node) : NAN;
      if (!isfinite (xy[i]))
        return FALSE;
    }
  add_ring (self, xy, n / 2, 0, 0);
  return TRUE;
}

static gboolean
read_polygon (UrbGiven *self, JsonNode *node)
{
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  JsonArray *rings = urb_json_get_array (object, "rings");
  UrbClass class_;

  if (rings == NULL || json_array_get_length (rings) == 0 || !read_class (object, &class_))
    return FALSE;
  begin_polygon (self, class_);
  for (guint k = 0; k < json_array_get_length (rings); k++)
    if (!read_ring (self, get_array (json_array_get_element (rings, k))))
      return FALSE;
  return TRUE;
}

UrbGiven *
urb_given_new_from_json (JsonArray *array, double size_m, GError **error)
{
  g_autoptr(UrbGiven) self = urb_given_new (size_m);

  for (guint i = 0; i < json_array_get_length (array); i++)
    if (!read_polygon (self, json_array_get_element (array, i)))
      {
        g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
                     "Polygon %u of what stays needs a class and rings of at least three corners.", i + 1);
        return NULL;
      }
  return g_steal_pointer (&self);
}
