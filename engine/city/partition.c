/* SPDX-License-Identifier: Apache-2.0 */
/*
 * partition.c - see partition-private.h.
 *
 * Nodes all borders (snap rounding: Hobby 1999, as in GEOS), finds the faces between them
 * (polygonization), gives each face to what lies on top there, and unites the faces of an owner.
 */
#include "city/partition-private.h"

#include <math.h>
#include <string.h>

/* Narrower parts are slivers, which come from borders that nearly coincide. */
static const double min_width_m = 0.5;

/* Owners.  The buildings that stay come before new ones. */
enum { OTHER, ROAD, GIVEN_OTHER, GIVEN_ROAD, FIRST_BUILDING };

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
find_faces (UrbGeometry *geometry, const GArray *layers)
{
  GEOSContextHandle_t geos = geometry->handle;
  g_autoptr(GPtrArray) borders = g_ptr_array_new ();
  GPtrArray *faces = g_ptr_array_new ();
  const UrbPoint corners[4] = {
    { 0, 0 }, { geometry->width, 0 }, { geometry->width, geometry->height }, { 0, geometry->height },
  };
  const GEOSGeometry *lines;

  add_border (geometry, urb_geometry_from_points (geometry, corners, 4, TRUE), borders);
  for (guint i = 0; i < layers->len; i++)
    add_border (geometry, g_array_index (layers, Face, i).shape, borders);
  lines = urb_geometry_unite (geometry, borders);
  urb_geometry_add_parts (
    geometry, urb_geometry_keep (geometry, GEOSPolygonize_r (geos, &lines, 1)), faces);
  return faces;
}

static void
add_layer (UrbGeometry *geometry, GEOSGeometry *shape, guint owner, GArray *layers)
{
  Face layer;

  if (shape == NULL)
    return;
  layer = make_face (geometry, shape, owner);
  g_array_append_val (layers, layer);
}

/* Returns: (element-type Face): what may own ground, the top first */
static GArray *
list_layers (UrbGeometry *geometry, const UrbPartitionLayers *from)
{
  GArray *layers = g_array_new (FALSE, FALSE, sizeof (Face));
  guint n_given = from->given_buildings->len;

  for (guint i = 0; i < n_given; i++)
    add_layer (geometry, from->given_buildings->pdata[i], FIRST_BUILDING + i, layers);
  add_layer (geometry, from->given_roads, GIVEN_ROAD, layers);
  add_layer (geometry, from->given_other, GIVEN_OTHER, layers);
  for (guint i = 0; i < from->buildings->len; i++)
    add_layer (geometry, from->buildings->pdata[i], FIRST_BUILDING + n_given + i, layers);
  add_layer (geometry, from->roads, ROAD, layers);
  return layers;
}

/* Gives the ground at a face to the first layer there. */
static void
set_owners (UrbGeometry *geometry, GArray *faces, const GArray *layers)
{
  GEOSContextHandle_t geos = geometry->handle;

  for (guint k = 0; k < layers->len; k++)
    {
      const Face *over = &g_array_index (layers, Face, k);
      const GEOSPreparedGeometry *prepared = GEOSPrepare_r (geos, over->shape);

      for (guint i = 0; i < faces->len; i++)
        {
          Face *face = &g_array_index (faces, Face, i);
          GEOSGeometry *point;

          if (face->owner != OTHER || face->box[2] < over->box[0] || face->box[0] > over->box[2]
              || face->box[3] < over->box[1] || face->box[1] > over->box[3])
            continue;
          point = GEOSPointOnSurface_r (geos, face->shape);
          if (point != NULL && GEOSPreparedIntersects_r (geos, prepared, point) == 1)
            face->owner = over->owner;
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
  g_autoptr(GPtrArray) groups = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  GArray *united = g_array_new (FALSE, FALSE, sizeof (Face));

  for (guint owner = 0; owner < n_owners; owner++)
    g_ptr_array_add (groups, g_ptr_array_new ());
  for (guint i = 0; i < faces->len; i++)
    {
      const Face *face = &g_array_index (faces, Face, i);

      g_ptr_array_add (groups->pdata[face->owner], GEOSGeom_clone_r (geos, face->shape));
    }
  for (guint owner = 0; owner < n_owners; owner++)
    {
      GPtrArray *shapes = groups->pdata[owner];
      g_autoptr(GPtrArray) parts = g_ptr_array_new ();
      GEOSGeometry *all = urb_geometry_keep (
        geometry, GEOSGeom_createCollection_r (geos, GEOS_GEOMETRYCOLLECTION,
                                               (GEOSGeometry **) shapes->pdata, shapes->len));

      urb_geometry_add_parts (
        geometry,
        shapes->len < 2 ? all : urb_geometry_keep (geometry, GEOSCoverageUnion_r (geos, all)),
        parts);
      for (guint i = 0; i < parts->len; i++)
        {
          Face face = make_face (geometry, parts->pdata[i], owner);

          g_array_append_val (united, face);
        }
    }
  return united;
}

static UrbClass
get_class (guint owner)
{
  return owner >= FIRST_BUILDING ? URB_CLASS_BUILDING
         : owner == ROAD || owner == GIVEN_ROAD ? URB_CLASS_ROAD : URB_CLASS_OTHER;
}

static gboolean
stays (guint owner, guint n_given_buildings)
{
  return owner >= GIVEN_OTHER && owner < FIRST_BUILDING + n_given_buildings;
}

/* A segment of a face's border.  Faces have the same vertices along their common border, so they
 * have the same segments. */
typedef struct
{
  double from[2], to[2]; /* the smaller end first */
  guint  face;
} Segment;

static int
compare_segments (gconstpointer a, gconstpointer b)
{
  const Segment *s = a, *t = b;
  const double keys[][2] = { { s->from[0], t->from[0] }, { s->from[1], t->from[1] },
                             { s->to[0], t->to[0] }, { s->to[1], t->to[1] } };

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    if (keys[i][0] != keys[i][1])
      return keys[i][0] < keys[i][1] ? -1 : 1;
  return (s->face > t->face) - (s->face < t->face);
}

static void
add_segments (UrbGeometry *geometry, const GEOSGeometry *ring, guint face, GArray *segments)
{
  const GEOSCoordSequence *points = GEOSGeom_getCoordSeq_r (geometry->handle, ring);
  unsigned int n = 0;
  double a[2], b[2];

  GEOSCoordSeq_getSize_r (geometry->handle, points, &n);
  for (unsigned int i = 0; i < n; i++, memcpy (a, b, sizeof a))
    {
      Segment segment = { .face = face };
      gboolean ascending;

      GEOSCoordSeq_getXY_r (geometry->handle, points, i, &b[0], &b[1]);
      if (i == 0)
        continue;
      ascending = a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]);
      memcpy (segment.from, ascending ? a : b, sizeof a);
      memcpy (segment.to, ascending ? b : a, sizeof a);
      g_array_append_val (segments, segment);
    }
}

typedef struct
{
  guint  face, neighbor;
  double length;
} Border;

static int
compare_borders (gconstpointer a, gconstpointer b)
{
  const Border *x = a, *y = b;

  if (x->face != y->face)
    return x->face < y->face ? -1 : 1;
  return (x->neighbor > y->neighbor) - (x->neighbor < y->neighbor);
}

/* The segments that two faces share.  Returns: Border, by face, each twice */
static GArray *
find_borders (UrbGeometry *geometry, GArray *faces)
{
  GEOSContextHandle_t geos = geometry->handle;
  g_autoptr(GArray) segments = g_array_new (FALSE, FALSE, sizeof (Segment));
  GArray *borders = g_array_new (FALSE, FALSE, sizeof (Border));

  for (guint i = 0; i < faces->len; i++)
    {
      const GEOSGeometry *shape = g_array_index (faces, Face, i).shape;

      add_segments (geometry, GEOSGetExteriorRing_r (geos, shape), i, segments);
      for (int k = 0; k < GEOSGetNumInteriorRings_r (geos, shape); k++)
        add_segments (geometry, GEOSGetInteriorRingN_r (geos, shape, k), i, segments);
    }
  g_array_sort (segments, compare_segments);
  for (guint i = 0; i + 1 < segments->len; i++)
    {
      const Segment *s = &g_array_index (segments, Segment, i), *t = s + 1;
      Border border = { s->face, t->face, hypot (s->to[0] - s->from[0], s->to[1] - s->from[1]) };
      Border back = { t->face, s->face, border.length };

      if (memcmp (s->from, t->from, sizeof s->from) != 0
          || memcmp (s->to, t->to, sizeof s->to) != 0)
        continue;
      g_array_append_val (borders, border);
      g_array_append_val (borders, back);
    }
  g_array_sort (borders, compare_borders);
  return borders;
}

/* The neighbor with most of the border, or G_MAXUINT.  A strip between a house and a street has as
 * much of both: it becomes street, so that the house keeps its shape. */
static guint
find_main_neighbor (GArray *faces, GArray *borders, guint first, guint face, guint n_given_buildings)
{
  guint best = G_MAXUINT;
  double most = 0;

  while (first < borders->len && g_array_index (borders, Border, first).face == face)
    {
      guint neighbor = g_array_index (borders, Border, first).neighbor;
      guint owner = g_array_index (faces, Face, neighbor).owner;
      double length = 0;

      for (; first < borders->len && g_array_index (borders, Border, first).face == face
             && g_array_index (borders, Border, first).neighbor == neighbor;
           first++)
        length += g_array_index (borders, Border, first).length;
      length *= owner >= FIRST_BUILDING ? 0.8 : 1;
      if (owner != g_array_index (faces, Face, face).owner && length > most
          && !stays (owner, n_given_buildings))
        {
          most = length;
          best = neighbor;
        }
    }
  return best;
}

static int
compare_areas (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const GArray *faces = user_data;
  guint i = *(const guint *) a, k = *(const guint *) b;
  double x = g_array_index (faces, Face, i).area, y = g_array_index (faces, Face, k).area;

  return x != y ? (x < y ? -1 : 1) : (i > k) - (i < k);
}

/* Gives parts that are too small to their main neighbor, smallest first. */
static void
merge_small (UrbGeometry *geometry, GArray *faces, guint n_given_buildings, const double *min_area_m2)
{
  g_autoptr(GArray) borders = find_borders (geometry, faces);
  g_autoptr(GArray) small = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree guint *first = g_new0 (guint, (gsize) faces->len + 1); /* of a face's borders */

  for (guint i = 0, k = 0; i < faces->len; i++)
    {
      const Face *face = &g_array_index (faces, Face, i);

      while (k < borders->len && g_array_index (borders, Border, k).face < i)
        k++;
      first[i] = k;
      if (!stays (face->owner, n_given_buildings)
          && (face->area * geometry->pixel_m * geometry->pixel_m < min_area_m2[get_class (face->owner)]
              || 2 * face->area * geometry->pixel_m < min_width_m * face->length))
        g_array_append_val (small, i);
    }
  g_array_sort_with_data (small, compare_areas, faces);
  for (guint i = 0; i < small->len; i++)
    {
      guint face = g_array_index (small, guint, i);
      guint neighbor = find_main_neighbor (faces, borders, first[face], face, n_given_buildings);

      if (neighbor != G_MAXUINT)
        g_array_index (faces, Face, face).owner = g_array_index (faces, Face, neighbor).owner;
    }
}

/* From now on, streets and open land that stay are like others. */
static void
forget_given (GArray *faces)
{
  for (guint i = 0; i < faces->len; i++)
    {
      guint *owner = &g_array_index (faces, Face, i).owner;

      if (*owner < FIRST_BUILDING)
        *owner = get_class (*owner) == URB_CLASS_ROAD ? ROAD : OTHER;
    }
}

GArray *
urb_partition_new (UrbGeometry *geometry, const UrbPartitionLayers *from, const double *min_area_m2)
{
  static const UrbClass order[] = { URB_CLASS_BUILDING, URB_CLASS_ROAD, URB_CLASS_OTHER };
  g_autoptr(GArray) layers = list_layers (geometry, from);
  g_autoptr(GPtrArray) shapes = find_faces (geometry, layers);
  g_autoptr(GArray) faces = g_array_new (FALSE, FALSE, sizeof (Face));
  g_autoptr(GArray) united = NULL, merged = NULL;
  guint n_given = from->given_buildings->len, n_owners = FIRST_BUILDING + n_given + from->buildings->len;
  GArray *parts = g_array_new (FALSE, FALSE, sizeof (UrbPart));

  for (guint i = 0; i < shapes->len; i++)
    {
      Face face = make_face (geometry, shapes->pdata[i], OTHER);

      g_array_append_val (faces, face);
    }
  set_owners (geometry, faces, layers);
  united = unite_owners (geometry, faces, n_owners);
  merge_small (geometry, united, n_given, min_area_m2);
  forget_given (united);
  merged = unite_owners (geometry, united, n_owners);
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
