/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-layer.c - chooses the tiles of a view, and places them.
 *
 * At rest and while panning, tiles are shown pixel for pixel, see tile.h.  While zooming, tiles
 * of whole octaves are requested, since exact ones would be useless one frame later.  A missing
 * tile is replaced by, from bottom to top: the nearest coarser tile of a whole octave, finer
 * ones within it, and tiles of the previous scale at rest.  Tiles of the whole map are pinned, so
 * that there are no holes.
 *
 * Tiles start on device pixels, and overlap by one, which the next tile covers.
 */
#include "app/canvas/tile-layer.h"

#include <math.h>

#include "app/canvas/tile-cache.h"

enum
{
  MIB = 1024 * 1024,
  CACHE_BYTES = 96 * MIB,
  MAX_OCTAVES_UP = 32, /* for a stand-in; limited by level_max too */
  OCTAVES_DOWN = 1,    /* four small tiles in place of one */
  COARSE_OCTAVES = 3,  /* above the exact tiles: few tiles, prefetched for fast panning */
  SETTLE_MS = 100,     /* zooming ends after this time without a change of scale */
};

#define MIN_SCALE 0.7 /* tiles of the previous scale are not shown smaller */

struct _UrbariumTileLayer
{
  UrbariumTileCache *cache; /* owned */
  UrbariumTileQueue *queue; /* owned */
  void             (*changed) (gpointer user_data);
  gpointer           user_data;
  UrbariumTileSpec   spec; /* its map owned; nullable */
  UrbBox             extent;
  int                level_max;      /* whose tiles show the whole map: one, or four */
  guint64            generation;
  guint64            generation_old; /* 0: not shown */
  GArray            *wanted;         /* of UrbariumTileKey; owned */
  GArray            *stand_ins;      /* of UrbariumTileKey; owned */
  gboolean           busy, has_pixels;

  double   m_per_px;            /* of the last snapshot */
  gint64   changed_us;          /* time of the last change of m_per_px */
  gboolean zooming;
  guint    settle;              /* source */
  int      level, level_before; /* of the exact tiles, now and at the previous scale */
};

static void
done_cb (const UrbariumTileKey *key, GBytes *pixels, UrbColor color, gpointer user_data)
{
  UrbariumTileLayer *self = user_data;
  g_autoptr(GdkTexture) texture = NULL;

  if (key->generation != self->generation)
    return; /* outdated */
  if (pixels != NULL) /* without copying pixels */
    texture = gdk_memory_texture_new (URBARIUM_TILE_PX, URBARIUM_TILE_PX, GDK_MEMORY_R8G8B8,
                                      pixels, 3 * URBARIUM_TILE_PX);
  urbarium_tile_cache_put (self->cache, key, texture, urbarium_color_to_rgba (color, 1),
                           key->level == self->level_max);
  self->changed (self->user_data);
}

UrbariumTileLayer *
urbarium_tile_layer_new (void (*changed) (gpointer user_data), gpointer user_data)
{
  UrbariumTileLayer *self = g_new0 (UrbariumTileLayer, 1);

  self->changed = changed;
  self->user_data = user_data;
  self->cache = urbarium_tile_cache_new (CACHE_BYTES);
  self->queue = urbarium_tile_queue_new (0, done_cb, self);
  self->wanted = g_array_new (FALSE, FALSE, sizeof (UrbariumTileKey));
  self->stand_ins = g_array_new (FALSE, FALSE, sizeof (UrbariumTileKey));
  return self;
}

void
urbarium_tile_layer_free (UrbariumTileLayer *self)
{
  if (self == NULL)
    return;
  g_clear_handle_id (&self->settle, g_source_remove);
  urbarium_tile_queue_free (self->queue);
  urbarium_tile_cache_free (self->cache);
  g_clear_pointer (&self->spec.map, urb_map_unref);
  g_array_unref (self->wanted);
  g_array_unref (self->stand_ins);
  g_free (self);
}

void
urbarium_tile_layer_set_spec (UrbariumTileLayer *self, const UrbariumTileSpec *spec,
                              UrbariumTileLayerOld old)
{
  /* If the current generation is incomplete, keep the previous one. */
  guint64 kept = self->busy && self->generation_old != 0 ? self->generation_old : self->generation;
  UrbMap *map_old = self->spec.map;

  self->spec = *spec;
  if (spec->map != NULL)
    {
      urb_map_ref (spec->map);
      self->extent = urb_map_get_extent (spec->map);
      self->level_max = urbarium_tile_level_of_extent (self->extent);
    }
  self->generation_old = old == URBARIUM_TILE_LAYER_KEEP ? kept : 0;
  self->generation++;
  if (self->generation == kept)
    self->generation++;
  urbarium_tile_cache_keep (self->cache, self->generation, self->generation_old);
  urbarium_tile_queue_set_spec (self->queue, spec, self->generation);
  self->busy = spec->map != NULL;
  g_clear_pointer (&map_old, urb_map_unref);
}

/* Placing */

static double
device_edge (double px, int scale_factor)
{
  return round (px * scale_factor) / scale_factor;
}

static void
place (UrbariumTileLayer *self, GtkSnapshot *snapshot, const UrbariumView *view,
       const UrbariumTileKey *key, const UrbariumTile *tile)
{
  const double overlap = URBARIUM_TILE_PX / (double) URBARIUM_TILE_STEP_PX;
  UrbBox box = urbarium_tile_get_box (key);
  double left, top, right, bottom;
  graphene_rect_t rect;

  urbarium_view_from_map (view, box.min_x, box.max_y, &left, &top);
  urbarium_view_from_map (view, box.max_x, box.min_y, &right, &bottom);
  left = device_edge (left, self->spec.scale_factor);
  top = device_edge (top, self->spec.scale_factor);
  right = device_edge (right, self->spec.scale_factor);
  bottom = device_edge (bottom, self->spec.scale_factor);
  graphene_rect_init (&rect, left, top, (right - left) * overlap, (bottom - top) * overlap);
  if (tile->texture != NULL)
    gtk_snapshot_append_texture (snapshot, tile->texture, &rect);
  else
    gtk_snapshot_append_color (snapshot, &tile->color, &rect);
  self->has_pixels = TRUE;
}

static const UrbariumTile *
find (UrbariumTileLayer *self, UrbariumTileKey *key)
{
  const UrbariumTile *tile;

  key->generation = self->generation;
  tile = urbarium_tile_cache_get (self->cache, key);
  if (tile == NULL && self->generation_old != 0)
    {
      key->generation = self->generation_old;
      tile = urbarium_tile_cache_get (self->cache, key);
    }
  return tile;
}

static void
add_once (GArray *keys, const UrbariumTileKey *key)
{
  for (guint i = 0; i < keys->len; i++)
    if (urbarium_tile_key_equal (&g_array_index (keys, UrbariumTileKey, i), key))
      return;
  g_array_append_val (keys, *key);
}

static void
add_finer (UrbariumTileLayer *self, UrbariumTileKey key, int n_octaves)
{
  for (int i = 0; i < 4 && n_octaves > 0; i++)
    {
      UrbariumTileKey child = { 0, key.level - URBARIUM_TILE_OCTAVE, 2 * key.col + (i & 1),
                                2 * key.row + (i >> 1) };

      if (find (self, &child) != NULL)
        add_once (self->stand_ins, &child);
      else
        add_finer (self, child, n_octaves - 1);
    }
}

/* @key: of a whole octave.  Adds the tile, or else a coarser one and finer ones on top. */
static void
add_octave (UrbariumTileLayer *self, UrbariumTileKey key)
{
  if (find (self, &key) != NULL)
    {
      add_once (self->stand_ins, &key);
      return;
    }
  for (int n = 1; n <= MAX_OCTAVES_UP; n++)
    {
      UrbariumTileKey parent = urbarium_tile_get_parent (key, n);

      if (parent.level > self->level_max)
        break;
      if (find (self, &parent) != NULL)
        {
          add_once (self->stand_ins, &parent);
          break;
        }
    }
  add_finer (self, key, OCTAVES_DOWN);
}

static int
compare_coarse_first (gconstpointer a, gconstpointer b)
{
  const UrbariumTileKey *one = a, *other = b;

  return other->level - one->level;
}

static void
place_all (UrbariumTileLayer *self, GtkSnapshot *snapshot, const UrbariumView *view,
           UrbariumTileRange range)
{
  for (guint i = 0; i < self->stand_ins->len; i++)
    {
      const UrbariumTileKey *key = &g_array_index (self->stand_ins, UrbariumTileKey, i);

      place (self, snapshot, view, key, urbarium_tile_cache_get (self->cache, key));
    }
  for (gint32 row = range.row_min; row <= range.row_max; row++)
    for (gint32 col = range.col_min; col <= range.col_max; col++)
      {
        UrbariumTileKey key = { self->generation, range.level, col, row };
        const UrbariumTile *tile = urbarium_tile_cache_get (self->cache, &key);

        if (tile != NULL)
          place (self, snapshot, view, &key, tile);
      }
}

/* Requesting */

static double
distance_to_center (const UrbariumTileKey *key, const UrbariumView *view)
{
  double size = URBARIUM_TILE_STEP_PX * urbarium_tile_get_pixel_m (key->level);
  double col = view->center_x / size - 0.5, row = -view->center_y / size - 0.5;

  return hypot (key->col - col, key->row - row);
}

static int
compare_central_first (gconstpointer a, gconstpointer b, gpointer user_data)
{
  double one = distance_to_center (a, user_data), other = distance_to_center (b, user_data);

  return (one > other) - (one < other);
}

static void
want_range (UrbariumTileLayer *self, UrbariumTileRange range)
{
  for (gint32 row = range.row_min; row <= range.row_max; row++)
    for (gint32 col = range.col_min; col <= range.col_max; col++)
      {
        UrbariumTileKey key = { self->generation, range.level, col, row };

        if (urbarium_tile_cache_get (self->cache, &key) == NULL)
          add_once (self->wanted, &key);
      }
}

/* Prefetches for panning: half a tile around the view at this scale, and more at a coarse one. */
static void
want_around (UrbariumTileLayer *self, int level, int octave, UrbBox seen)
{
  double margin = 0.5 * URBARIUM_TILE_STEP_PX * urbarium_tile_get_pixel_m (level);
  int coarse = MIN (octave + COARSE_OCTAVES * URBARIUM_TILE_OCTAVE, self->level_max);
  double size = MAX (seen.max_x - seen.min_x, seen.max_y - seen.min_y);

  want_range (self, urbarium_tile_range_of (level, urb_box_widen (seen, margin), self->extent));
  want_range (self, urbarium_tile_range_of (coarse, urb_box_widen (seen, size), self->extent));
}

static void
sort_wanted (UrbariumTileLayer *self, guint first, const UrbariumView *view)
{
  UrbariumTileKey *keys = (UrbariumTileKey *) (void *) self->wanted->data;

  g_qsort_with_data (keys + first, self->wanted->len - first, sizeof *keys, compare_central_first,
                     (gpointer) view);
}

static gboolean
settle_cb (gpointer data)
{
  UrbariumTileLayer *self = data;

  self->settle = 0;
  self->zooming = FALSE;
  self->changed (self->user_data);
  return G_SOURCE_REMOVE;
}

/* Two changes of scale in quick succession are a zoom; a single one is a jump. */
static void
follow_scale (UrbariumTileLayer *self, const UrbariumView *view)
{
  gint64 now_us = g_get_monotonic_time ();

  if (view->m_per_px == self->m_per_px)
    return;
  self->zooming = now_us - self->changed_us < 1000 * SETTLE_MS;
  self->changed_us = now_us;
  self->m_per_px = view->m_per_px;
  g_clear_handle_id (&self->settle, g_source_remove);
  if (self->zooming)
    self->settle = g_timeout_add (SETTLE_MS, settle_cb, self);
}

/* The level to request now. */
static int
choose_level (UrbariumTileLayer *self, const UrbariumView *view)
{
  double pixel_m = view->m_per_px / self->spec.scale_factor;
  int level = urbarium_tile_level_for (pixel_m), octave = urbarium_tile_octave_for (pixel_m);

  if (self->zooming)
    return MIN (octave, self->level_max);
  if (level != self->level)
    {
      self->level_before = self->level;
      self->level = level;
    }
  return level;
}

static void
add_stand_ins (UrbariumTileLayer *self, int octave, UrbBox seen)
{
  UrbariumTileRange range = urbarium_tile_range_of (octave, seen, self->extent);
  int before = self->zooming ? self->level : self->level_before;

  for (gint32 row = range.row_min; row <= range.row_max; row++)
    for (gint32 col = range.col_min; col <= range.col_max; col++)
      add_octave (self, (UrbariumTileKey) { 0, octave, col, row });
  g_array_sort (self->stand_ins, compare_coarse_first);
  range = urbarium_tile_range_of (before, seen, self->extent);
  if (urbarium_tile_get_pixel_m (before) * self->spec.scale_factor < MIN_SCALE * self->m_per_px)
    return;
  for (gint32 row = range.row_min; row <= range.row_max; row++)
    for (gint32 col = range.col_min; col <= range.col_max; col++)
      {
        UrbariumTileKey key = { 0, before, col, row };

        if (find (self, &key) != NULL)
          add_once (self->stand_ins, &key);
      }
}

void
urbarium_tile_layer_snapshot (UrbariumTileLayer *self, GtkSnapshot *snapshot,
                              const UrbariumView *view)
{
  UrbBox seen = urbarium_view_get_box (view);
  UrbariumTileRange range;
  guint n_before, n_missing;
  int level, octave;
  gsize n_tiles;

  self->busy = self->has_pixels = FALSE;
  if (self->spec.map == NULL || view->width <= 0 || view->height <= 0)
    return;
  follow_scale (self, view);
  level = choose_level (self, view);
  octave = MIN (urbarium_tile_octave_for (view->m_per_px / self->spec.scale_factor),
                self->level_max);
  range = urbarium_tile_range_of (level, seen, self->extent);
  /* Four times the visible tiles, so that panning back and forth does not redraw. */
  n_tiles = (gsize) (range.col_max - range.col_min + 1) * (range.row_max - range.row_min + 1);
  urbarium_tile_cache_set_max_bytes (
    self->cache, MAX (4 * n_tiles * 4 * URBARIUM_TILE_PX * URBARIUM_TILE_PX, CACHE_BYTES));
  g_array_set_size (self->wanted, 0);
  g_array_set_size (self->stand_ins, 0);
  want_range (self, urbarium_tile_range_of (self->level_max, self->extent, self->extent));
  n_before = self->wanted->len;
  want_range (self, range);
  sort_wanted (self, n_before, view);
  n_missing = self->wanted->len;
  if (n_missing > n_before)
    add_stand_ins (self, octave, seen);
  want_around (self, level, octave, seen);
  sort_wanted (self, n_missing, view);
  self->busy = n_missing > 0 || self->zooming;

  place_all (self, snapshot, view, range);
  if (!self->busy && self->generation_old != 0)
    {
      self->generation_old = 0;
      urbarium_tile_cache_keep (self->cache, self->generation, self->generation);
    }
  urbarium_tile_queue_set_wanted (self->queue,
                                  (const UrbariumTileKey *) (const void *) self->wanted->data,
                                  self->wanted->len);
}

void
urbarium_tile_layer_pause (UrbariumTileLayer *self)
{
  urbarium_tile_queue_set_wanted (self->queue, NULL, 0);
}

gboolean
urbarium_tile_layer_is_busy (UrbariumTileLayer *self)
{
  return self->busy;
}

gboolean
urbarium_tile_layer_has_pixels (UrbariumTileLayer *self)
{
  return self->has_pixels;
}
