/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz-geometry.c - a geometry in well-known binary that becomes part of a map.
 * The first byte selects the options and the reader: GDAL or our own.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "map/map-private.h"
#include "map/ogr-private.h"

#include <cpl_error.h>
#include <ogr_api.h>

enum { BY_GDAL = 16 }; /* bit of the first byte; for the others see read_shape () */

static const char *const shapes[] = {
  "POLYGON ((0 0, 20 0, 20 10, 0 10, 0 0), (5 3, 8 3, 8 6, 5 6, 5 3))",
  "POLYGON ((0 0, 10 10, 10 0, 0 10, 0 0))",
  "MULTIPOLYGON (((0 0, 5 0, 5 5, 0 0)), ((9 9, 12 9, 12 12, 9 12, 9 9)))",
  "LINESTRING (0 0, 30 0, 30 40, 0 0)",
  "MULTILINESTRING ((0 0, 10 0), (10 0, 10 10, 0 0))",
  "CURVEPOLYGON (CIRCULARSTRING (0 0, 4 4, 8 0, 4 -4, 0 0))",
  "COMPOUNDCURVE ((0 0, 5 0), CIRCULARSTRING (5 0, 6 1, 7 0))",
  "GEOMETRYCOLLECTION (POINT (1 1), LINESTRING (0 0, 9 9), POLYGON ((0 0, 3 0, 3 3, 0 0)))",
  "POLYGON Z ((0 0 400, 20 0 401, 20 10 402, 0 0 400))",
};

void
fuzz_add_seeds (GPtrArray *inputs)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      char *text = (char *) shapes[i];
      OGRGeometryH geometry = NULL;
      gsize n;
      g_autofree guint8 *bytes = NULL;
      g_assert_cmpint (OGR_G_CreateFromWkt (&text, NULL, &geometry), ==, OGRERR_NONE);
      n = (gsize) OGR_G_WkbSize (geometry);
      bytes = g_malloc (n + 1);
      bytes[0] = (guint8) i;
      g_assert_cmpint (OGR_G_ExportToWkb (geometry, wkbNDR, bytes + 1), ==, OGRERR_NONE);
      fuzz_add_input (inputs, bytes, n + 1);
      bytes[0] |= BY_GDAL;
      fuzz_add_input (inputs, bytes, n + 1);
      OGR_G_DestroyGeometry (geometry);
    }
}

/* All coordinates are within the limits of the Earth, and each ring is valid. */
static void
check (UrbMap *map)
{
  for (gint64 i = 0; i < 2 * map->n_vertices; i++)
    g_assert_cmpfloat (fabs (map->xy[i]), <=, URB_MAP_MAX_COORDINATE);
  for (guint64 r = 0; r < map->n_rings; r++)
    g_assert_cmpuint (map->ring_starts[r + 1] - map->ring_starts[r], >=, 3);
}

/* Takes either @geometry or the bytes. */
static void
read_shape (guint8 how, OGRGeometryH geometry, const guint8 *wkb, gsize n_bytes)
{
  UrbMapBuilder *builder = urb_map_builder_new ();
  UrbMapLayer *layer = urb_map_builder_add_layer (builder, "layer", "file");
  g_autoptr(UrbNest) nest = urb_nest_new ();
  UrbSink sink = { .builder = builder, .layer = layer, .nest = nest,
                   .all_closed_lines_are_areas = (how & 1) != 0 };
  UrbDecision decision = { .class_ = (how & 2) != 0 ? URB_CLASS_ROAD : URB_CLASS_BUILDING,
                           .width_m = (how & 4) != 0 ? 5 : 0,
                           .closed_lines_are_areas = (how & 8) != 0 };
  g_autoptr(UrbMap) map = NULL;
  decision.value = urb_map_layer_add_value (layer, "", decision.class_, TRUE);
  if (geometry == NULL)
    urb_sink_add_areas (&sink, wkb, n_bytes, &decision);
  else if (urb_geometry_get_kind (geometry) != 0)
    urb_sink_add (&sink, geometry, &decision);
  urb_nest_finish (nest, &sink);
  map = urb_map_builder_finish (builder, URB_MAP_CLEAN_DUPLICATES | URB_MAP_CLEAN_OUTLIERS);
  check (map);
}

static void
read_by_gdal (guint8 how, const guint8 *wkb, gsize n_bytes)
{
  OGRGeometryH geometry = NULL;
  if (OGR_G_CreateFromWkb (wkb, NULL, &geometry, (int) MIN (n_bytes, G_MAXINT)) == OGRERR_NONE
      && !OGR_G_IsEmpty (geometry))
    read_shape (how, geometry, NULL, 0);
  OGR_G_DestroyGeometry (geometry);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  guint64 n_points;
  if (size < 2)
    return 0;
  CPLPushErrorHandler (CPLQuietErrorHandler);
  if ((data[0] & BY_GDAL) != 0)
    read_by_gdal (data[0], data + 1, size - 1);
  else if (urb_wkb_is_areas (data + 1, size - 1, &n_points))
    read_shape (data[0], NULL, data + 1, size - 1);
  CPLPopErrorHandler ();
  return 0;
}
