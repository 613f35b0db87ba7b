/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile.h - the grids of tiles.
 *
 * There is a level for each 1/64 octave of scale, so that any view can show tiles of some level
 * pixel for pixel, which is sharp and the cheapest way to place them.  Tiles of whole octaves
 * nest, four in one; they are shown while zooming.  Pixels are device pixels, not widget pixels.
 *
 * Grids are aligned to the coordinate origin: column 0 begins at x = 0, row 0 at y = 0, and rows
 * count downwards.  So all maps of one area share the grids.
 */
#pragma once

#include "map/map.h"

G_BEGIN_DECLS

/* Tiles overlap by one pixel at the right and at the bottom: at fractional scales, their edges
 * lie between device pixels and would let the background through. */
enum
{
  URBARIUM_TILE_PX = 256,
  URBARIUM_TILE_STEP_PX = 255, /* from one tile to the next */
  URBARIUM_TILE_OCTAVE = 64,   /* levels from one scale to its half */
};

typedef struct
{
  guint64 generation; /* of the content; changes with the map, the colors and the classes */
  gint32  level, col, row;
} UrbariumTileKey;

guint    urbarium_tile_key_hash  (gconstpointer key);
gboolean urbarium_tile_key_equal (gconstpointer a, gconstpointer b);

double          urbarium_tile_get_pixel_m (int level);
/* In meters, without the overlap. */
UrbBox          urbarium_tile_get_box     (const UrbariumTileKey *key);
/* The tile @n_octaves coarser that contains this one; both of whole octaves. */
UrbariumTileKey urbarium_tile_get_parent  (UrbariumTileKey key, int n_octaves);

/* The level whose pixels are closest to @pixel_m, within 0.6 %. */
int    urbarium_tile_level_for       (double pixel_m);
/* The level of a whole octave whose pixels are 2/3 to 4/3 of @pixel_m. */
int    urbarium_tile_octave_for      (double pixel_m);
/* The level of a whole octave at which @extent is not larger than a tile. */
int    urbarium_tile_level_of_extent (UrbBox extent);
/* The scale of the nearest level. */
double urbarium_tile_round_scale     (double m_per_px);

typedef struct
{
  gint32 level, col_min, row_min, col_max, row_max; /* inclusive; empty if col_max < col_min */
} UrbariumTileRange;

/* The tiles of a level that intersect both boxes. */
UrbariumTileRange urbarium_tile_range_of (int level, UrbBox seen, UrbBox extent);

G_END_DECLS
