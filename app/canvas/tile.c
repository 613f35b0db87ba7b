/* SPDX-License-Identifier: Apache-2.0 */
#include "app/canvas/tile.h"

#include <math.h>

/* While zooming, tiles are enlarged by up to 1/2, which is hardly visible then, and reduced by at
 * most 1/4: beyond that, software renderers use a filter that is ten times slower. */
#define SLACK 0.585

guint
urbarium_tile_key_hash (gconstpointer data)
{
  const UrbariumTileKey *key = data;
  guint64 hash = key->generation * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  hash = (hash ^ (guint32) key->level) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  hash = (hash ^ (guint32) key->col) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  hash = (hash ^ (guint32) key->row) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return (guint) (hash >> 32);
}

gboolean
urbarium_tile_key_equal (gconstpointer one, gconstpointer other)
{
  const UrbariumTileKey *a = one, *b = other;

  return a->generation == b->generation && a->level == b->level && a->col == b->col
         && a->row == b->row;
}

double
urbarium_tile_get_pixel_m (int level)
{
  return exp2 ((double) level / URBARIUM_TILE_OCTAVE); /* exact for whole octaves */
}

UrbBox
urbarium_tile_get_box (const UrbariumTileKey *key)
{
  double size = URBARIUM_TILE_STEP_PX * urbarium_tile_get_pixel_m (key->level);

  return (UrbBox) { key->col * size, -(key->row + 1.0) * size, (key->col + 1.0) * size,
                    -key->row * size };
}

UrbariumTileKey
urbarium_tile_get_parent (UrbariumTileKey key, int n_octaves)
{
  key.level += n_octaves * URBARIUM_TILE_OCTAVE;
  key.col >>= n_octaves; /* rounds down, also for negative values */
  key.row >>= n_octaves;
  return key;
}

int
urbarium_tile_level_for (double pixel_m)
{
  return (int) lround (URBARIUM_TILE_OCTAVE * log2 (pixel_m));
}

int
urbarium_tile_octave_for (double pixel_m)
{
  return URBARIUM_TILE_OCTAVE * (int) floor (log2 (pixel_m) + SLACK);
}

double
urbarium_tile_round_scale (double m_per_px)
{
  return urbarium_tile_get_pixel_m (urbarium_tile_level_for (m_per_px));
}

int
urbarium_tile_level_of_extent (UrbBox extent)
{
  double size = MAX (extent.max_x - extent.min_x, extent.max_y - extent.min_y);

  return URBARIUM_TILE_OCTAVE * (int) ceil (log2 (MAX (size, 1) / URBARIUM_TILE_STEP_PX));
}

UrbariumTileRange
urbarium_tile_range_of (int level, UrbBox seen, UrbBox extent)
{
  double size = URBARIUM_TILE_STEP_PX * urbarium_tile_get_pixel_m (level);
  UrbBox both = urb_box_intersect (seen, extent);

  if (!(both.min_x <= both.max_x && both.min_y <= both.max_y))
    return (UrbariumTileRange) { level, 0, 0, -1, -1 };
  return (UrbariumTileRange) {
    .level = level,
    .col_min = (gint32) floor (both.min_x / size),
    .row_min = (gint32) floor (-both.max_y / size),
    .col_max = (gint32) floor (both.max_x / size),
    .row_max = (gint32) floor (-both.min_y / size),
  };
}
