/* SPDX-License-Identifier: Apache-2.0 */
/*
 * given-put.c - see urb_given_put() and urb_given_measure_width() in partition-private.h.
 *
 * The plan was drawn from pixels in which what stays is visible, so it contains that once more,
 * to about a pixel.  That copy is removed, and the exact polygons take its place.
 */
#include <math.h>

#include "city/given.h"
#include "city/partition-private.h"

/* A drawn street is up to 2.5 m wider than the given one, on each side. */
static const double verge_m = 3;
/* A new street reaches back to the given one, a little wider there, as at other junctions. */
static const double reach_m = 3.5;
/* Narrower strips beyond the verge are no street. */
static const double min_width_m = 2;

static GEOSGeometry *
make_tile (UrbGeometry *geometry)
{
  return urb_geometry_keep (geometry, GEOSGeom_createRectangle_r (geometry->handle, 0, 0, geometry->width,
                                                                  geometry->height));
}

/* Adds the polygons of each class, cut at the tile's edge, to @shapes. */
static void
make_shapes (const UrbGiven *self, UrbGeometry *geometry, GPtrArray *shapes[URB_N_CLASSES])
{
  const GEOSGeometry *tile = make_tile (geometry);

  for (guint i = 0; i < self->polygons->len; i++)
    {
      const UrbGivenPolygon *polygon = &g_array_index (self->polygons, UrbGivenPolygon, i);
      const GEOSGeometry *whole = urb_geometry_from_rings (
        geometry, &g_array_index (self->xy, double, 2 * (gsize) polygon->first_vertex),
        &g_array_index (self->sizes, guint, polygon->first_ring), polygon->n_rings, geometry->pixel_m);

      urb_geometry_add_polygons (
        geometry,
        urb_geometry_keep (geometry, GEOSIntersectionPrec_r (geometry->handle, whole, tile, geometry->grid)),
        shapes[polygon->class_]);
    }
}

/* Removes the buildings that mostly stand on @ground. */
static void
remove_copies (UrbGeometry *geometry, GPtrArray *buildings, const GEOSGeometry *ground)
{
  GEOSContextHandle_t geos = geometry->handle;

  for (guint i = buildings->len; i-- > 0;)
    {
      const GEOSGeometry *there = urb_geometry_keep (
        geometry, GEOSIntersectionPrec_r (geos, buildings->pdata[i], ground, geometry->grid));

      if (urb_geometry_get_area_m2 (geometry, there) > urb_geometry_get_area_m2 (geometry, buildings->pdata[i]) / 2)
        g_ptr_array_remove_index (buildings, i);
    }
}

static GEOSGeometry *
widen (UrbGeometry *geometry, const GEOSGeometry *shape, double width_m)
{
  const int quarter_circle = 4; /* segments */

  return urb_geometry_keep (geometry, GEOSBuffer_r (geometry->handle, shape, width_m / geometry->pixel_m,
                                                    quarter_circle));
}

/* The part of @roads that is not @ground, without the verges of @given that were drawn as street. */
static GEOSGeometry *
make_new_roads (UrbGeometry *geometry, const GEOSGeometry *roads, const GEOSGeometry *ground,
                const GEOSGeometry *given)
{
  GEOSContextHandle_t geos = geometry->handle;
  const GEOSGeometry *free_roads
    = urb_geometry_keep (geometry, GEOSDifferencePrec_r (geos, roads, ground, geometry->grid));
  const GEOSGeometry *far = urb_geometry_keep (
    geometry, GEOSDifferencePrec_r (geos, free_roads, widen (geometry, given, verge_m), geometry->grid));

  far = widen (geometry, widen (geometry, far, -min_width_m / 2), reach_m + min_width_m / 2);
  return urb_geometry_keep (geometry, GEOSIntersectionPrec_r (geos, free_roads, far, geometry->grid));
}

void
urb_given_put (const UrbGiven *self, UrbGeometry *geometry, UrbPartitionLayers *layers)
{
  g_autoptr(GPtrArray) roads = g_ptr_array_new (), other = g_ptr_array_new (), all = g_ptr_array_new ();
  GPtrArray *shapes[URB_N_CLASSES] = { layers->given_buildings, roads, other };
  const GEOSGeometry *ground;

  make_shapes (self, geometry, shapes);
  for (int c = 0; c < URB_N_CLASSES; c++)
    g_ptr_array_extend (all, shapes[c], NULL, NULL);
  ground = urb_geometry_unite (geometry, all);
  layers->given_roads = urb_geometry_unite (geometry, roads);
  layers->given_other = urb_geometry_unite (geometry, other);
  remove_copies (geometry, layers->buildings, ground);
  layers->roads = make_new_roads (geometry, layers->roads, ground, layers->given_roads);
}

double
urb_given_measure_width (UrbGeometry *geometry, const GEOSGeometry *line, const GEOSGeometry *given_roads,
                         double drawn_m)
{
  const double margin_m = 1; /* in which the given street may lie beside the drawn one */
  GEOSContextHandle_t geos = geometry->handle;
  const GEOSGeometry *along, *strip;
  double all = 0, there = 0;

  if (given_roads == NULL)
    return drawn_m;
  along = urb_geometry_keep (geometry, GEOSIntersectionPrec_r (geos, line, given_roads, geometry->grid));
  GEOSLength_r (geos, line, &all);
  GEOSLength_r (geos, along, &there);
  if (!(there > all / 2))
    return drawn_m;
  strip = urb_geometry_keep (geometry, GEOSBufferWithStyle_r (geos, along, (drawn_m / 2 + margin_m) / geometry->pixel_m,
                                                              1, GEOSBUF_CAP_FLAT, GEOSBUF_JOIN_MITRE, 2));
  strip = urb_geometry_keep (geometry, GEOSIntersectionPrec_r (geos, strip, given_roads, geometry->grid));
  return urb_geometry_get_area_m2 (geometry, strip) / (there * geometry->pixel_m);
}
