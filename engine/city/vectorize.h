/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vectorize.h - draws a plan of a tile: streets, buildings and open land as vectors.
 */
#pragma once

#include "city/building-plan.h"
#include "city/street-graph.h"

G_BEGIN_DECLS

/* A ring of a polygon: a range of UrbCityVectors.xy.  The first vertex is not repeated. */
typedef struct
{
  guint first_vertex, n_vertices;
} UrbCityRing;

typedef struct
{
  UrbClass class_;
  double   area_m2;
  guint    first_ring, n_rings; /* the outer ring, counter-clockwise; then holes, clockwise */
} UrbCityPolygon;

/* The center line of a street between two junctions, or to its end or the tile's edge. */
typedef struct
{
  guint  first_vertex, n_vertices; /* of UrbCityVectors.xy */
  double width_m;
} UrbCityStreet;

/* How well the vectors match the pixels. */
typedef struct
{
  double overlap[URB_N_CLASSES]; /* intersection over union of the pixels before and after; 1 if
                                  * both are empty */
  double agreement;              /* share of pixels that keep their class */
  gint64 n_gaps, n_overlaps;     /* pixel centers in no polygon, in several */
  gint64 n_invalid;              /* polygons with borders that cross or touch: 0 */
  gint64 n_buildings, n_straight; /* straight: all corners off the tile's edge are right */
  gint64 n_corners, n_square_corners; /* of buildings, off the tile's edge; within 5° of 90° */
  gint64 n_vertices;              /* of polygons */
  gint64 n_bridges;               /* gaps of streets that were closed */
  gint64 n_missing;               /* shapes that could not be made, which the plan lacks: 0 */
} UrbVectorQuality;

/* The plan of one tile: a partition into polygons.  Coordinates are meters east and north of
 * the tile's lower left corner. */
typedef struct
{
  double  width_m, height_m;
  GArray *polygons; /* UrbCityPolygon, owned */
  GArray *rings;    /* UrbCityRing, owned */
  GArray *streets;  /* UrbCityStreet, owned */
  GArray *xy;       /* double, in pairs, owned */
  UrbVectorQuality quality;
} UrbCityVectors;

/* @k: of the polygon's rings; @n_vertices: (out).  Returns: (transfer none): x, y pairs */
static inline const double *
urb_city_vectors_get_ring (const UrbCityVectors *self, const UrbCityPolygon *polygon, guint k,
                           guint *n_vertices)
{
  const UrbCityRing *ring = &g_array_index (self->rings, UrbCityRing, polygon->first_ring + k);

  *n_vertices = ring->n_vertices;
  return &g_array_index (self->xy, double, 2 * (gsize) ring->first_vertex);
}

/* Returns: (transfer none): street->n_vertices x, y pairs */
static inline const double *
urb_city_vectors_get_street (const UrbCityVectors *self, const UrbCityStreet *street)
{
  return &g_array_index (self->xy, double, 2 * (gsize) street->first_vertex);
}

void urb_city_vectors_free (UrbCityVectors *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbCityVectors, urb_city_vectors_free)

typedef struct _UrbGiven UrbGiven; /* city/given.h */

typedef struct
{
  const UrbGiven    *given; /* (nullable) borrowed; goes into the plan as it is */
  UrbStreetOptions   streets;
  UrbBuildingOptions buildings;
  double             min_area_m2[URB_N_CLASSES]; /* smaller parts join a neighbor */
  gboolean           clear_streets; /* no building stands across a street, as some real ones do */
} UrbVectorizeOptions;

/* The defaults for a map of the true resolution @detail_m. */
void urb_vectorize_options_init (UrbVectorizeOptions *options, double detail_m);

/* Keeps buildings, yards and bits of road of any size. */
void urb_vectorize_options_keep_specks (UrbVectorizeOptions *options);

/**
 * urb_vectorize:
 *
 * Draws streets as strips along center lines, buildings as unions of rectangles, and divides the
 * tile among them without gaps or overlaps: buildings on top of streets on top of open land.
 * Neighbors have the same vertices along their border.  The same input gives the same vectors.
 *
 * Memory is linear in the number of pixels.
 *
 * Returns: (transfer full)
 */
UrbCityVectors *urb_vectorize (const UrbSoftMap *map, const UrbVectorizeOptions *options);

/* The class at each pixel's center.  The pixels are square.
 * @n_gaps, @n_overlaps: (out) (optional): pixel centers in no polygon, in several
 * Returns: (transfer full) */
UrbClassMap *urb_class_map_new_from_vectors (const UrbCityVectors *vectors, int height_px,
                                             gint64 *n_gaps, gint64 *n_overlaps);

G_END_DECLS
