/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vectorize.c - see vectorize.h.
 */
#include "city/vectorize.h"

#include <math.h>
#include <string.h>

#include "city/partition-private.h"
#include "city/street-surface-private.h"
#include "city/vector-raster.h"

void
urb_city_vectors_free (UrbCityVectors *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->polygons);
  g_array_unref (self->rings);
  g_array_unref (self->streets);
  g_array_unref (self->xy);
  g_free (self);
}

void
urb_vectorize_options_init (UrbVectorizeOptions *options, double detail_m)
{
  *options = (UrbVectorizeOptions) {
    .min_area_m2 = { [URB_CLASS_BUILDING] = 20, [URB_CLASS_ROAD] = 20, [URB_CLASS_OTHER] = 10 },
  };
  urb_street_options_init (&options->streets, detail_m);
  urb_building_options_init (&options->buildings, detail_m);
}

void
urb_vectorize_options_keep_specks (UrbVectorizeOptions *options)
{
  options->streets.min_street_m = options->streets.min_spur_m = 0;
  options->buildings.min_area_m2 = options->buildings.min_width_m = 0;
  for (int c = 0; c < URB_N_CLASSES; c++)
    options->min_area_m2[c] = 0;
}

/* ------------------------------------------------------------------------ */
/* From geometries to vectors                                                */

static void
add_points (UrbCityVectors *self, UrbGeometry *geometry, const GEOSGeometry *line, guint n,
            gboolean reverse)
{
  const GEOSCoordSequence *points = GEOSGeom_getCoordSeq_r (geometry->handle, line);

  for (guint i = 0; i < n; i++)
    {
      double xy[2];

      GEOSCoordSeq_getXY_r (geometry->handle, points, reverse ? n - 1 - i : i, &xy[0], &xy[1]);
      xy[0] *= geometry->pixel_m;
      xy[1] *= geometry->pixel_m;
      g_array_append_vals (self->xy, xy, 2);
    }
}

static void
add_ring (UrbCityVectors *self, UrbGeometry *geometry, const GEOSGeometry *line, gboolean is_hole)
{
  UrbCityRing ring = { self->xy->len / 2 };
  char is_ccw = 0;

  ring.n_vertices = (guint) GEOSGeomGetNumPoints_r (geometry->handle, line) - 1;
  GEOSCoordSeq_isCCW_r (geometry->handle, GEOSGeom_getCoordSeq_r (geometry->handle, line), &is_ccw);
  add_points (self, geometry, line, ring.n_vertices, is_ccw == is_hole);
  g_array_append_val (self->rings, ring);
}

static void
add_part (UrbCityVectors *self, UrbGeometry *geometry, const UrbPart *part)
{
  GEOSContextHandle_t geos = geometry->handle;
  UrbCityPolygon polygon = { part->class_, urb_geometry_get_area_m2 (geometry, part->shape),
                             self->rings->len };
  int n_holes = GEOSGetNumInteriorRings_r (geos, part->shape);

  polygon.n_rings = 1 + (guint) n_holes;
  add_ring (self, geometry, GEOSGetExteriorRing_r (geos, part->shape), FALSE);
  for (int i = 0; i < n_holes; i++)
    add_ring (self, geometry, GEOSGetInteriorRingN_r (geos, part->shape, i), TRUE);
  self->quality.n_invalid += GEOSisValid_r (geos, part->shape) != 1;
  g_array_append_val (self->polygons, polygon);
}

/* Center lines on the roads as drawn: without what runs under a building, and to the tile's edge.
 * @given_roads: (nullable) */
static void
add_streets (UrbCityVectors *self, UrbGeometry *geometry, const UrbStreetGraph *graph,
             const GArray *parts, const GEOSGeometry *given_roads)
{
  const double min_length_m = 2;
  GEOSContextHandle_t geos = geometry->handle;
  g_autoptr(GPtrArray) roads = g_ptr_array_new ();
  GEOSGeometry *ground;

  for (guint i = 0; i < parts->len; i++)
    if (g_array_index (parts, UrbPart, i).class_ == URB_CLASS_ROAD)
      g_ptr_array_add (roads, GEOSGeom_clone_r (geos, g_array_index (parts, UrbPart, i).shape));
  ground = urb_geometry_keep (geometry, GEOSGeom_createCollection_r (
                                          geos, GEOS_MULTIPOLYGON, (GEOSGeometry **) roads->pdata,
                                          roads->len));
  for (guint i = 0; i < graph->edges->len; i++)
    {
      const UrbStreetEdge *edge = &g_array_index (graph->edges, UrbStreetEdge, i);
      GEOSGeometry *line = urb_street_center_line (geometry, graph, edge, 1);
      g_autoptr(GPtrArray) lines = g_ptr_array_new ();

      urb_geometry_add_parts (
        geometry,
        urb_geometry_keep (geometry, GEOSIntersectionPrec_r (geos, line, ground, geometry->grid)),
        lines);
      for (guint k = 0; k < lines->len; k++)
        {
          UrbCityStreet street = { .first_vertex = self->xy->len / 2 };
          double length = 0;

          GEOSLength_r (geos, lines->pdata[k], &length);
          if (length * geometry->pixel_m < min_length_m)
            continue;
          street.width_m = urb_given_measure_width (geometry, lines->pdata[k], given_roads, edge->width_m);
          street.n_vertices = (guint) GEOSGeomGetNumPoints_r (geos, lines->pdata[k]);
          add_points (self, geometry, lines->pdata[k], street.n_vertices, FALSE);
          g_array_append_val (self->streets, street);
        }
    }
  self->quality.n_bridges = graph->n_bridges;
}

static GPtrArray *
make_building_shapes (UrbGeometry *geometry, const UrbBuildingPlan *plan)
{
  GPtrArray *shapes = g_ptr_array_new ();

  for (guint i = 0; i < plan->buildings->len; i++)
    {
      const UrbBuilding *building = &g_array_index (plan->buildings, UrbBuilding, i);
      GEOSGeometry *shape = NULL;

      for (guint k = 0; k < building->n_rings; k++)
        {
          const UrbBuildingRing *ring
            = &g_array_index (plan->rings, UrbBuildingRing, building->first_ring + k);
          GEOSGeometry *area = urb_geometry_from_points (
            geometry, &g_array_index (plan->points, UrbPoint, ring->first_point), ring->n_points,
            TRUE);

          shape = k == 0 ? area
                         : urb_geometry_keep (geometry, GEOSDifferencePrec_r (geometry->handle, shape,
                                                                              area,
                                                                              geometry->grid));
        }
      g_ptr_array_add (shapes, shape);
    }
  return shapes;
}

/* ------------------------------------------------------------------------ */
/* Quality                                                                   */

typedef struct
{
  UrbClassMap *map; /* borrowed; URB_N_CLASSES: not painted yet */
  guint8       class_;
  gint64       n_overlaps;
} Painter;

static void
paint_span (int row, int col_begin, int col_end, gpointer user_data)
{
  Painter *self = user_data;

  for (int col = col_begin; col < col_end; col++)
    {
      guint8 *pixel = self->map->classes + (gint64) row * self->map->width_px + col;

      self->n_overlaps += *pixel != URB_N_CLASSES;
      *pixel = self->class_;
    }
}

UrbClassMap *
urb_class_map_new_from_vectors (const UrbCityVectors *vectors, int height_px, gint64 *n_gaps,
                                gint64 *n_overlaps)
{
  double pixel_m = vectors->height_m / height_px;
  UrbClassMap *map = urb_class_map_new (MAX (1, (int) lround (vectors->width_m / pixel_m)),
                                        height_px, pixel_m);
  gint64 n_pixels = (gint64) map->width_px * map->height_px, n_unpainted = 0;
  g_autoptr(GArray) points = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  g_autoptr(GArray) sizes = g_array_new (FALSE, FALSE, sizeof (guint));
  Painter painter = { map };

  memset (map->classes, URB_N_CLASSES, (gsize) n_pixels);
  for (guint i = 0; i < vectors->polygons->len; i++)
    {
      const UrbCityPolygon *polygon = &g_array_index (vectors->polygons, UrbCityPolygon, i);

      g_array_set_size (points, 0);
      g_array_set_size (sizes, 0);
      for (guint k = 0; k < polygon->n_rings; k++)
        {
          guint n;
          const double *xy = urb_city_vectors_get_ring (vectors, polygon, k, &n);

          g_array_append_val (sizes, n);
          for (guint v = 0; v < n; v++)
            {
              UrbPoint p = { xy[2 * v] / pixel_m, height_px - xy[2 * v + 1] / pixel_m };

              g_array_append_val (points, p);
            }
        }
      painter.class_ = (guint8) polygon->class_;
      urb_rings_rasterize ((UrbPoint *) (gpointer) points->data, (guint *) (gpointer) sizes->data,
                           sizes->len, map->width_px, map->height_px, paint_span, &painter);
    }
  for (gint64 i = 0; i < n_pixels; i++)
    if (map->classes[i] == URB_N_CLASSES)
      {
        map->classes[i] = URB_CLASS_OTHER;
        n_unpainted++;
      }
  if (n_gaps != NULL)
    *n_gaps = n_unpainted;
  if (n_overlaps != NULL)
    *n_overlaps = painter.n_overlaps;
  return map;
}

static void
measure_overlap (UrbCityVectors *self, const UrbSoftMap *map)
{
  UrbVectorQuality *quality = &self->quality;
  g_autoptr(UrbClassMap) before = urb_class_map_new_from_soft (map);
  g_autoptr(UrbClassMap) after = urb_class_map_new_from_vectors (
    self, map->height_px, &quality->n_gaps, &quality->n_overlaps);
  gint64 n_pixels = (gint64) map->width_px * map->height_px, same = 0;
  gint64 both[URB_N_CLASSES] = { 0 }, either[URB_N_CLASSES] = { 0 };

  for (gint64 i = 0; i < n_pixels; i++)
    {
      gboolean kept = before->classes[i] == after->classes[i];

      both[before->classes[i]] += kept;
      either[before->classes[i]]++;
      either[after->classes[i]] += !kept;
      same += kept;
    }
  for (int c = 0; c < URB_N_CLASSES; c++)
    quality->overlap[c] = either[c] > 0 ? (double) both[c] / (double) either[c] : 1;
  quality->agreement = (double) same / (double) n_pixels;
}

/* Counts bends of more than 10 degrees, which excludes nodes within a wall. */
static void
measure_building (UrbCityVectors *self, const UrbCityPolygon *polygon)
{
  UrbVectorQuality *quality = &self->quality;
  gint64 n_other = 0;

  for (guint k = 0; k < polygon->n_rings; k++)
    {
      guint n;
      const double *xy = urb_city_vectors_get_ring (self, polygon, k, &n);

      for (guint i = 0; i < n; i++)
        {
          const double *a = xy + 2 * (gsize) ((i + n - 1) % n), *b = xy + 2 * (gsize) i;
          const double *c = xy + 2 * (gsize) ((i + 1) % n);
          double cross = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
          double dot = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]);
          double bend = fabs (atan2 (cross, dot)) * 180 / G_PI;

          if (b[0] <= 0 || b[1] <= 0 || b[0] >= self->width_m || b[1] >= self->height_m
              || bend <= 10)
            continue;
          quality->n_corners++;
          quality->n_square_corners += fabs (bend - 90) <= 5;
          n_other += fabs (bend - 90) > 5;
        }
    }
  quality->n_buildings++;
  quality->n_straight += n_other == 0;
}

UrbCityVectors *
urb_vectorize (const UrbSoftMap *map, const UrbVectorizeOptions *options)
{
  UrbCityVectors *self = g_new0 (UrbCityVectors, 1);
  g_autoptr(UrbStreetGraph) streets = urb_street_graph_new (map, &options->streets);
  g_autoptr(UrbBuildingPlan) buildings = urb_building_plan_new (map, streets, &options->buildings);
  g_autoptr(UrbGeometry) geometry = urb_geometry_new (map->width_px, map->height_px, map->pixel_m);
  g_autoptr(GPtrArray) shapes = make_building_shapes (geometry, buildings), given = g_ptr_array_new ();
  UrbPartitionLayers layers = { .given_buildings = given, .buildings = shapes,
                                .roads = urb_street_surface_new (geometry, streets) };
  g_autoptr(GArray) parts = NULL;

  if (options->clear_streets)
    urb_street_clear (geometry, streets, layers.roads, shapes);
  if (options->given != NULL)
    urb_given_put (options->given, geometry, &layers);
  parts = urb_partition_new (geometry, &layers, options->min_area_m2);
  self->width_m = map->width_px * map->pixel_m;
  self->height_m = map->height_px * map->pixel_m;
  self->polygons = g_array_new (FALSE, FALSE, sizeof (UrbCityPolygon));
  self->rings = g_array_new (FALSE, FALSE, sizeof (UrbCityRing));
  self->streets = g_array_new (FALSE, FALSE, sizeof (UrbCityStreet));
  self->xy = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint i = 0; i < parts->len; i++)
    {
      add_part (self, geometry, &g_array_index (parts, UrbPart, i));
      if (g_array_index (parts, UrbPart, i).class_ == URB_CLASS_BUILDING)
        measure_building (self, &g_array_index (self->polygons, UrbCityPolygon, i));
    }
  self->quality.n_vertices = self->xy->len / 2;
  add_streets (self, geometry, streets, parts, layers.given_roads);
  measure_overlap (self, map);
  self->quality.n_missing = geometry->n_missing;
  return self;
}
