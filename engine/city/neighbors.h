/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neighbors.h - finds the training areas that generated cities repeat, whole or in part.
 *
 * Tiles are compared as thumbnails: which of 64 x 64 cells are built, and which are paved.  Of what is
 * thicker than four cells (halls, motorways) only a rim of two counts, since large surfaces cover each
 * other wherever they are.  A city is laid over an area in the eight rotations and reflections, and
 * shifted by up to 9 cells in both directions (35 m of 250 m).  Ground agrees where both are built
 * or both are paved.
 *
 * Each of the 4 x 4 blocks of a city (62.5 m of 250 m) scores the ground that agrees less the ground
 * that differs.  A block counts if this is positive, and positive for the buildings alone: a straight road
 * through fields is found everywhere.  So a city that repeats only a part of an area is found too,
 * whatever the rest shows.
 */
#pragma once

#include "city/class-map.h"

G_BEGIN_DECLS

enum
{
  URB_THUMB_EDGE = 64,
  URB_THUMB_PLANES = 2 /* URB_CLASS_BUILDING, URB_CLASS_ROAD */
};

/* Bit c of a row is its cell c from the left; row 0 is at the top. */
typedef struct
{
  guint64 rows[URB_THUMB_PLANES][URB_THUMB_EDGE];
} UrbThumb;

/* The map is square. */
void urb_thumb_from_class_map (const UrbClassMap *map, UrbThumb *thumb);

/* Rotates and reflects by element @d4 (0..7); see uk_dihedral_source(). */
void urb_thumb_turn (const UrbThumb *thumb, int d4, UrbThumb *turned);

/* Cities to find the nearest areas of, prepared for comparing. */
typedef struct _UrbQueries UrbQueries;

/* @thumbs: (@n) */
UrbQueries *urb_queries_new  (const UrbThumb *thumbs, gint64 n);
void        urb_queries_free (UrbQueries *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbQueries, urb_queries_free)

typedef struct
{
  gint64 index; /* of the area; -1: none repeats a block of the city */
  double share; /* of the city's built and paved ground that the area repeats, in [0, 1]; a city with
                 * less ground than a tenth of a tile counts as one with a tenth */
  int    d4;    /* turned by it, and then ... */
  int    right_cells, down_cells; /* ... shifted, the city lies on the area */
} UrbNearest;

/* How far the city is shifted.  @area_size_m: the edge of an area */
double      urb_nearest_get_shift_m (const UrbNearest *self, double area_size_m);

/* Turns an area so that it looks like the city that repeats it.  @levels, @turned:
 * (@size_px, @size_px, @n_channels), of the area and (out) */
void        urb_nearest_turn_area (const UrbNearest *self, const guint8 *levels, int size_px,
                                   int n_channels, guint8 *turned);

/* (transfer full): (@n), all without an area */
UrbNearest *urb_nearest_new (gint64 n);

/**
 * urb_nearest_update:
 * @nearest: (inout): of each city
 * @index: the number of @area
 *
 * Compares an area with each city: first in all places with 32 x 32 cells, then with 64 x 64 cells
 * around the best places.  A comparison takes about 30 µs.
 */
void urb_nearest_update (UrbNearest *nearest, const UrbQueries *queries, const UrbThumb *area,
                         gint64 index);

G_END_DECLS
