/* SPDX-License-Identifier: Apache-2.0 */
/*
 * partition.c - see partition-private.h.
 *
 * Nodes all borders (snap rounding: Hobby 1999, as in GEOS), finds the faces between them
 * (polygonization), gives each face to what lies on top there, and unites the faces of an owner.
 */
#include "city/partition-private.h"

/* Narrower parts are slivers, which come from borders that nearly coincide. */
static const double min_width_m = 0.5;

enum { OTHER, ROAD, FIRST_BUILDING }; /* owners */

typedef struct
{
  GEOSGeometry *shape;
  guint         owner;
  double        area, length; /* in pixels; length: of the border */
  double        box[4];       /* x_min, y_min, x_max, y_max */
} Face;

static Face
make_face (UrbGeometry *geometry, GEOSGeometry *shape, guint owner)
{
  GEOSContextHandle_t geos = geometry->handle;
  Face face = { shape, owner };

  GEOSArea_r (geos, shape, &face.area);
  GEOSLength_r (geos, shape, &face.length);
  GEOSGeom_getXMin_r (geos, shape, &face.box[0]);
  GEOSGeom_getYMin_r (geos, shape, &face.box[1]);
  GEOSGeom_getXMax_r (geos, shape, &face.box[2]);
  GEOSGeom_getYMax_r (geos, shape, &face.box[3]);
  return face;
}

static void
add_border (UrbGeometry *geometry, const GEOSGeometry *shape, GPtrArray *borders)
{
  g_autoptr(GPtrArray) polygons = g_ptr_array_new ();

  urb_geometry_add_parts (geometry, shape, polygons);
  for (guint i = 0; i < polygons->len; i++)
    g_ptr_array_add (borders, urb_geometry_keep (geometry, GEOSBoundary_r (geometry->handle,
                                                                           polygons->pdata[i])));
}

static GPtrArray *
find_faces (UrbGeometry *geometry, GPtrArray *buildings, GEOSGeometry *roads)
{
  GEOSContextHandle_t geos = geometry->handle;
  g_autoptr(GPtrArray) borders = g_ptr_array_new ();
  GPtrArray *faces = g_ptr_array_new ();
  const UrbPoint corners[4] = {
    { 0, 0 }, { geometry->width, 0 }, { geometry->width, geometry->height }, { 0, geometry->height },
  };
  const GEOSGeometry *lines;

  add_border (geometry, urb_geometry_from_points (geometry, corners, 4, TRUE), borders);
  add_border (geometry, roads, borders);
  for (guint i = 0; i < buildings->len; i++)
    add_border (geometry, buildings->pdata[i], borders);
  lines = urb_geometry_unite (geometry, borders);
  urb_geometry_add_parts (
    geometry, urb_geometry_keep (geometry, GEOSPolygonize_r (geos, &lines, 1)), faces);
  return faces;
}

/* The owner of the ground at a face: the first building there, or the road. */
static void
set_owners (UrbGeometry *geometry, GArray *faces, GPtrArray *buildings, GEOSGeometry *roads)
{
  GEOSContextHandle_t geos = geometry->handle;

  for (guint layer = 0; layer <= buildings->len; layer++)
    {
      GEOSGeometry *shape = layer < buildings->len ? buildings->pdata[layer] : roads;
      Face over = make_face (geometry, shape, layer < buildings->len ? FIRST_BUILDING + layer : ROAD);
      const GEOSPreparedGeometry *prepared = GEOSPrepare_r (geos, shape);

      for (guint i = 0; i < faces->len; i++)
        {
          Face *face = &g_array_index (faces, Face, i);
          GEOSGeometry *point;

          if (face->owner != OTHER || face->box[2] < over.box[0] || face->box[0] > over.box[2]
              || face->box[3] < over.box[1] || face->box[1] > over.box[3])
            continue;
          point = GEOSPointOnSurface_r (geos, face->shape);
          if (point != NULL && GEOSPreparedIntersects_r (geos, prepared, point) == 1)
            face->owner = over.owner;
          GEOSGeom_destroy_r (geos, point);
        }
      GEOSPreparedGeom_destroy_r (geos, prepared);
    }
}

/* Unites the faces of each owner.  Returns: Face, by owner */
static GArray *
unite_owners (UrbGeometry *geometry, GArray *faces, guint n_owners)
{
  GEOSContextHandle_t geos = geometry->handle;
  GArray *united = g_array_new (FALSE, FALSE, sizeof (Face));

  for (guint owner = 0; owner < n_owners; owner++)
    {
      g_autoptr(GPtrArray) shapes = g_ptr_array_new (), parts = g_ptr_array_new ();
      GEOSGeometry *all;

      for (guint i = 0; i < faces->len; i++)
        if (g_array_index (faces, Face, i).owner == owner)
          g_ptr_array_add (shapes,
                           GEOSGeom_clone_r (geos, g_array_index (faces, Face, i).shape));
      if (shapes->len == 0)
        continue;
      all = urb_geometry_keep (geometry, GEOSGeom_createCollection_r (
                                           geos, GEOS_GEOMETRYCOLLECTION,
                                           (GEOSGeometry **) shapes->pdata, shapes->len));
      urb_geometry_add_parts (
        geometry,
        shapes->len == 1 ? all : urb_geometry_keep (geometry, GEOSCoverageUnion_r (geos, all)),
        parts);
      for (guint i = 0; i < parts->len; i++)
        {
          Face face = make_face (geometry, parts->pdata[i], owner);

          g_array_append_val (united, face);
        }
    }
  return united;
}

static double
get_shared_length (UrbGeometry *geometry, const Face *a, const Face *b)
{
  GEOSContextHandle_t geos = geometry->handle;
  GEOSGeometry *border_a, *border_b, *shared;
  double length = 0;

  if (a->box[2] < b->box[0] || b->box[2] < a->box[0] || a->box[3] < b->box[1]
      || b->box[3] < a->box[1])
    return 0;
  border_a = urb_geometry_keep (geometry, GEOSBoundary_r (geos, a->shape));
  border_b = urb_geometry_keep (geometry, GEOSBoundary_r (geos, b->shape));
  shared = urb_geometry_keep (geometry, GEOSIntersection_r (geos, border_a, border_b));
  GEOSLength_r (geos, shared, &length);
  return length;
}

static UrbClass
get_class (guint owner)
{
  return owner == OTHER ? URB_CLASS_OTHER : owner == ROAD ? URB_CLASS_ROAD : URB_CLASS_BUILDING;
}

/* Gives parts that are too small to the neighbor with most of their border, smallest first.  A
 * strip between a house and a street has as much of both: it becomes street, so that the house
 * keeps its shape. */
static void
merge_small (UrbGeometry *geometry, GArray *faces, const double *min_area_m2)
{
  g_autofree gboolean *is_small = g_new0 (gboolean, faces->len);
  guint n_small = 0;

  for (guint i = 0; i < faces->len; i++)
    {
      const Face *face = &g_array_index (faces, Face, i);

      is_small[i] = face->area * geometry->pixel_m * geometry->pixel_m
                      < min_area_m2[get_class (face->owner)]
                    || 2 * face->area * geometry->pixel_m < min_width_m * face->length;
      n_small += is_small[i];
    }
  for (; n_small > 0; n_small--)
    {
      guint smallest = G_MAXUINT, best = G_MAXUINT;
      double most = 0;

      for (guint i = 0; i < faces->len; i++)
        if (is_small[i]
            && (smallest == G_MAXUINT
                || g_array_index (faces, Face, i).area < g_array_index (faces, Face, smallest).area))
          smallest = i;
      is_small[smallest] = FALSE;
      Face *face = &g_array_index (faces, Face, smallest);

      for (guint i = 0; i < faces->len; i++)
        {
          const Face *neighbor = &g_array_index (faces, Face, i);
          double length = i == smallest || neighbor->owner == face->owner
                            ? 0 : get_shared_length (geometry, face, neighbor);

          length *= neighbor->owner >= FIRST_BUILDING ? 0.8 : 1;
          if (length > most)
            {
              most = length;
              best = i;
            }
        }
      if (best != G_MAXUINT)
        face->owner = g_array_index (faces, Face, best).owner;
    }
}

GArray *
urb_partition_new (UrbGeometry *geometry, GPtrArray *buildings, GEOSGeometry *roads,
                   const double *min_area_m2)
{
  static const UrbClass order[] = { URB_CLASS_BUILDING, URB_CLASS_ROAD, URB_CLASS_OTHER };
  g_autoptr(GPtrArray) shapes = find_faces (geometry, buildings, roads);
  g_autoptr(GArray) faces = g_array_new (FALSE, FALSE, sizeof (Face));
  g_autoptr(GArray) united = NULL, merged = NULL;
  GArray *parts = g_array_new (FALSE, FALSE, sizeof (UrbPart));

  for (guint i = 0; i < shapes->len; i++)
    {
      Face face = make_face (geometry, shapes->pdata[i], OTHER);

      g_array_append_val (faces, face);
    }
  set_owners (geometry, faces, buildings, roads);
  united = unite_owners (geometry, faces, FIRST_BUILDING + buildings->len);
  merge_small (geometry, united, min_area_m2);
  merged = unite_owners (geometry, united, FIRST_BUILDING + buildings->len);
  for (guint c = 0; c < G_N_ELEMENTS (order); c++)
    for (guint i = 0; i < merged->len; i++)
      {
        const Face *face = &g_array_index (merged, Face, i);
        UrbPart part = { get_class (face->owner), face->shape };

        if (part.class_ == order[c])
          g_array_append_val (parts, part);
      }
  return parts;
}
