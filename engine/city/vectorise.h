/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vectorise.h - converts a class map to a vector plan.
 */
#pragma once

#include "city/class-map.h"

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

/* How well the vectors match the pixels. */
typedef struct
{
  double overlap[URB_N_CLASSES]; /* intersection over union of the pixels before and after; 1 if
                                  * both are empty */
  double agreement;              /* share of pixels that keep their class */
  gint64 n_gaps, n_overlaps;     /* pixel centers in no polygon, in several */
  gint64 n_conflicts;            /* borders that cross or touch: 0 */
  gint64 n_invalid;              /* polygons with such a border: 0 */
  gint64 n_buildings, n_straight; /* straight: all walls in two directions */
  gint64 n_corners, n_square_corners; /* of buildings, off the tile's edge; within 5° of 90° */
  gint64 n_vertices;
} UrbVectorQuality;

/* The plan of one tile: a partition into polygons.  Coordinates are meters east and north of
 * the tile's lower left corner. */
typedef struct
{
  double  width_m, height_m;
  GArray *polygons; /* UrbCityPolygon, owned */
  GArray *rings;    /* UrbCityRing, owned */
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

void urb_city_vectors_free (UrbCityVectors *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbCityVectors, urb_city_vectors_free)

typedef struct
{
  double   tolerance_m;  /* maximum displacement of a border; 0: borders follow the pixels */
  gboolean straighten;   /* straighten buildings to right angles where the pixels allow */
  double   min_wall_m;   /* shorter jogs of buildings are flattened */
  double   detail_m;     /* the true resolution: the pixel size before interpolation */
} UrbVectoriseOptions;

/* The defaults for a map with pixels of @pixel_m and a true resolution of @detail_m.
 * Buildings are straightened. */
void urb_vectorise_options_init (UrbVectoriseOptions *options, double pixel_m, double detail_m);

/**
 * urb_vectorise:
 *
 * Traces the borders of the classes, straightens the buildings and simplifies the rest.
 * Neighbors share their borders exactly, so for any options the polygons cover the tile
 * without gaps or overlaps.  Pixels that touch only at a corner are not connected.
 *
 * Memory is linear in the number of pixels; time is at most about quadratic in the longest
 * border (256 x 256 pixels of noise: less than a second).
 *
 * Returns: (transfer full)
 */
UrbCityVectors *urb_vectorise (const UrbClassMap *map, const UrbVectoriseOptions *options);

G_END_DECLS
