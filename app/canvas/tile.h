/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile.h - the grids of tiles.
 *
 * There is a level for each 64th of an octave of scale, so that whatever the view, some level's
 * tiles can be shown pixel for pixel: that is sharp, and it is the cheapest way to place them.
 * Those of whole octaves nest, four in one; they stand in while one zooms.  Pixels are device
 * pixels of the screen, not the widget's.
 *
 * A grid is that of the coordinates themselves: column 0 begins at x = 0, row 0 at y = 0, and
 * rows go down.  So all maps of one place share it.
 */
#pragma once

#include "map/map.h"

G_BEGIN_DECLS

/* Tiles overlap to the right and below by a pixel: where they are placed between device pixels,
 * at fractional scales, their soft edges would else show what is behind. */
enum
{
  URBARIUM_TILE_PX = 256,
  URBARIUM_TILE_STEP_PX = 255, /* from one tile to the next */
  URBARIUM_TILE_OCTAVE = 64,   /* levels from one scale to its half */
};

typedef struct
{
  guint64 generation; /* of the content: another map, other colours, other classes */
  gint32  level, col, row;
} UrbariumTileKey;

guint    urbarium_tile_key_hash  (gconstpointer key);
gboolean urbarium_tile_key_equal (gconstpointer a, gconstpointer b);

double          urbarium_tile_get_pixel_m (int level);
/* Metres, without the overlap. */
UrbBox          urbarium_tile_get_box     (const UrbariumTileKey *key);
/* The tile @n_octaves above that holds this one; both of whole octaves. */
UrbariumTileKey urbarium_tile_get_parent  (UrbariumTileKey key, int n_octaves);

/* The level whose pixels are @pixel_m, within half a hundredth. */
int    urbarium_tile_level_for       (double pixel_m);
/* The whole octave for it: pixels of 2/3 to 4/3 of @pixel_m. */
int    urbarium_tile_octave_for      (double pixel_m);
/* The whole octave at which all of @extent is not larger than a tile. */
int    urbarium_tile_level_of_extent (UrbBox extent);
/* The nearest scale that is exactly some level's. */
double urbarium_tile_round_scale     (double m_per_px);

typedef struct
{
  gint32 level, col_min, row_min, col_max, row_max; /* inclusive; none if col_max < col_min */
} UrbariumTileRange;

/* Which tiles of a level meet both boxes. */
UrbariumTileRange urbarium_tile_range_of (int level, UrbBox seen, UrbBox extent);

G_END_DECLS
