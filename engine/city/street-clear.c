/* SPDX-License-Identifier: Apache-2.0 */
/*
 * street-clear.c - see urb_street_clear() in street-surface-private.h.
 *
 * Streets and buildings are found separately, and where a generator is unsure it draws both.
 */
#include "city/street-surface-private.h"

/* Shorter pieces of a street in front of a building and behind it are no reason to move the building: the
 * street ends at its wall. */
static const double min_way_m = 4;
/* Smaller buildings go; of larger ones, the street cuts off a part. */
static const double small_m2 = 200;
static const double min_part_m2 = 40;

/* Whether a street with @line goes on behind the building. */
static gboolean
cuts_line (UrbGeometry *geometry, const GEOSGeometry *line, const GEOSGeometry *building)
{
  GEOSContextHandle_t geos = geometry->handle;
  g_autoptr(GPtrArray) ways = g_ptr_array_new ();
  int n = 0;

  if (GEOSIntersects_r (geos, line, building) != 1)
    return FALSE;
  urb_geometry_add_parts (geometry, urb_geometry_keep (geometry, GEOSDifference_r (geos, line, building)),
                          ways);
  for (guint i = 0; i < ways->len; i++)
    {
      double length = 0;

      GEOSLength_r (geos, ways->pdata[i], &length);
      n += length * geometry->pixel_m >= min_way_m;
    }
  return n >= 2;
}

static GEOSGeometry *
make_junctions (UrbGeometry *geometry, const UrbStreetGraph *streets)
{
  GEOSContextHandle_t geos = geometry->handle;
  g_autoptr(GPtrArray) points = g_ptr_array_new ();

  for (guint i = 0; i < streets->nodes->len; i++)
    {
      const UrbStreetNode *node = &g_array_index (streets->nodes, UrbStreetNode, i);

      if (node->degree >= 2)
        g_ptr_array_add (points, GEOSGeom_createPointFromXY_r (geos, node->at.x, geometry->height - node->at.y));
    }
  return urb_geometry_keep (geometry,
                            GEOSGeom_createCollection_r (geos, GEOS_MULTIPOINT,
                                                         (GEOSGeometry **) points->pdata, points->len));
}

static gboolean
stands_across (UrbGeometry *geometry, GPtrArray *lines, const GEOSGeometry *junctions,
               const GEOSGeometry *building)
{
  for (guint i = 0; i < lines->len; i++)
    if (cuts_line (geometry, lines->pdata[i], building))
      return TRUE;
  return GEOSIntersects_r (geometry->handle, junctions, building) == 1;
}

void
urb_street_clear (UrbGeometry *geometry, const UrbStreetGraph *streets, const GEOSGeometry *surface,
                  GPtrArray *buildings)
{
  g_autoptr(GPtrArray) lines = g_ptr_array_new (), parts = g_ptr_array_new ();
  const GEOSGeometry *junctions = make_junctions (geometry, streets);

  for (guint i = 0; i < streets->edges->len; i++)
    g_ptr_array_add (lines, urb_street_center_line (geometry, streets,
                                                    &g_array_index (streets->edges, UrbStreetEdge, i), 0));
  for (guint i = buildings->len; i-- > 0;)
    {
      const GEOSGeometry *building = buildings->pdata[i];

      if (!stands_across (geometry, lines, junctions, building))
        continue;
      if (urb_geometry_get_area_m2 (geometry, building) >= small_m2)
        urb_geometry_add_polygons (
          geometry,
          urb_geometry_keep (geometry, GEOSDifferencePrec_r (geometry->handle, building, surface, geometry->grid)),
          parts);
      g_ptr_array_remove_index (buildings, i);
    }
  for (guint i = 0; i < parts->len; i++)
    if (urb_geometry_get_area_m2 (geometry, parts->pdata[i]) >= min_part_m2)
      g_ptr_array_add (buildings, parts->pdata[i]);
}
