/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile.h - the grid of tiles.
 *
 * Tiles of level l have pixels of 2^l metres, device pixels of the screen, not the widget's.
 * The grid is that of the coordinates themselves: column 0 begins at x = 0, row 0 at y = 0,
 * and rows go down.  So all maps of one place share it.
 */
#pragma once

#include "map/map.h"

G_BEGIN_DECLS

/* Tiles overlap to the right and below by a pixel: where they are placed between device pixels,
 * at fractional scales, their soft edges would else show what is behind. */
enum
{
  URBARIUM_TILE_PX = 512,
  URBARIUM_TILE_STEP_PX = 511, /* from one tile to the next */
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
/* The tile @n_levels above that holds this one. */
UrbariumTileKey urbarium_tile_get_parent  (UrbariumTileKey key, int n_levels);

/* The level for device pixels of @pixel_m: slightly sharper than needed rather than blurred. */
int urbarium_tile_level_for       (double pixel_m);
/* The level at which all of @extent is not larger than a tile. */
int urbarium_tile_level_of_extent (UrbBox extent);

typedef struct
{
  gint32 level, col_min, row_min, col_max, row_max; /* inclusive; none if col_max < col_min */
} UrbariumTileRange;

/* Which tiles of a level meet both boxes. */
UrbariumTileRange urbarium_tile_range_of (int level, UrbBox seen, UrbBox extent);

G_END_DECLS
