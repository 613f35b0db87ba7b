/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vectorise.h - a class map becomes a plan.
 */
#pragma once

#include "city/class-map.h"

G_BEGIN_DECLS

/* A ring in its polygon: @first_vertex, @n_vertices into UrbCityVectors.xy.  The
 * first vertex is not repeated. */
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

/* How well the vectors tell what the pixels told. */
typedef struct
{
  double overlap[URB_N_CLASSES]; /* pixels after re-drawing: intersection over union; 1 where
                                  * both have none */
  double agreement;              /* share of pixels that are the class that they were */
  gint64 n_gaps, n_overlaps;     /* pixel centres in no polygon, in several */
  gint64 n_conflicts;            /* borders that cross or touch: 0 */
  gint64 n_invalid;              /* polygons with such a border: 0 */
  gint64 n_buildings, n_straight; /* straight: all walls in two directions */
  gint64 n_corners, n_square_corners; /* of buildings, off the tile's edge; within 5° of 90° */
  gint64 n_vertices;
} UrbVectorQuality;

/* The plan of one tile: a partition of it into polygons.  Coordinates are
 * metres, x to the east, y to the north, from the tile's lower left corner. */
typedef struct
{
  double  width_m, height_m;
  GArray *polygons; /* UrbCityPolygon, owned */
  GArray *rings;    /* UrbCityRing, owned */
  GArray *xy;       /* double, in pairs, owned */
  UrbVectorQuality quality;
} UrbCityVectors;

void urb_city_vectors_free (UrbCityVectors *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbCityVectors, urb_city_vectors_free)

typedef struct
{
  double   tolerance_m;  /* how far a border may move; 0: every border follows the pixels */
  gboolean straighten;   /* buildings get right angles where the pixels allow it */
  double   min_wall_m;   /* jogs of buildings that are shorter are flattened */
  double   detail_m;     /* what is smaller is not known: the pixel, or that of the image which
                          * it was interpolated from */
} UrbVectoriseOptions;

/* For a map of pixels of @pixel_m, whose detail is @detail_m (at least the same).
 * Buildings are straightened. */
void urb_vectorise_options_init (UrbVectoriseOptions *options, double pixel_m, double detail_m);

/**
 * urb_vectorise:
 *
 * Follows the borders of the classes, straightens the buildings, simplifies
 * the rest.  Neighbours share their borders to the last digit: whatever the
 * options, the polygons cover the tile without gaps or overlaps.  Pixels that
 * touch in a corner only are not connected.
 *
 * Bounded: memory is linear in the pixels, and no picture takes more than
 * about the square of its longest border (noise of 256 x 256: below a second).
 *
 * Returns: (transfer full)
 */
UrbCityVectors *urb_vectorise (const UrbClassMap *map, const UrbVectoriseOptions *options);

G_END_DECLS
