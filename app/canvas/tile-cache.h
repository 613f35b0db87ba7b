/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-cache.h - an LRU cache of drawn tiles, limited in bytes.
 *
 * Pinned tiles are never evicted.  For the main loop only.
 */
#pragma once

#include <gdk/gdk.h>

#include "app/canvas/tile.h"

G_BEGIN_DECLS

/* A drawn tile: pixels, or a single color. */
typedef struct
{
  GdkTexture *texture; /* owned; NULL: the whole tile is @color */
  GdkRGBA     color;
} UrbariumTile;

typedef struct _UrbariumTileCache UrbariumTileCache;

UrbariumTileCache *urbarium_tile_cache_new  (gsize max_bytes);
void               urbarium_tile_cache_free (UrbariumTileCache *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumTileCache, urbarium_tile_cache_free)

/* Evicts tiles beyond the new limit. */
void  urbarium_tile_cache_set_max_bytes (UrbariumTileCache *self, gsize max_bytes);
gsize urbarium_tile_cache_get_n_bytes   (UrbariumTileCache *self); /* including pinned tiles */
guint urbarium_tile_cache_get_n_tiles   (UrbariumTileCache *self);

/* @texture: (nullable): %NULL for a tile of one color */
void urbarium_tile_cache_put (UrbariumTileCache *self, const UrbariumTileKey *key,
                              GdkTexture *texture, GdkRGBA color, gboolean pinned);
/* Returns: (nullable) (transfer none): the tile, marked as used; valid until the next put */
const UrbariumTile *urbarium_tile_cache_get (UrbariumTileCache *self, const UrbariumTileKey *key);

/* Drops all tiles, including pinned ones, except those of two generations (possibly the same). */
void urbarium_tile_cache_keep (UrbariumTileCache *self, guint64 generation, guint64 other);

G_END_DECLS
