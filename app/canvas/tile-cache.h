/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-cache.h - the tiles that were drawn, as many as fit into a number of bytes.
 *
 * What was not looked at for longest goes first; pinned tiles never do.  For the main loop only.
 */
#pragma once

#include <gdk/gdk.h>

#include "app/canvas/tile.h"

G_BEGIN_DECLS

/* A drawn tile: pixels, or one colour for all of it. */
typedef struct
{
  GdkTexture *texture; /* owned; NULL: all of the tile is @color */
  GdkRGBA     color;
} UrbariumTile;

typedef struct _UrbariumTileCache UrbariumTileCache;

UrbariumTileCache *urbarium_tile_cache_new  (gsize max_bytes);
void               urbarium_tile_cache_free (UrbariumTileCache *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumTileCache, urbarium_tile_cache_free)

/* Drops what is too much by now. */
void  urbarium_tile_cache_set_max_bytes (UrbariumTileCache *self, gsize max_bytes);
gsize urbarium_tile_cache_get_n_bytes   (UrbariumTileCache *self); /* with the pinned ones */
guint urbarium_tile_cache_get_n_tiles   (UrbariumTileCache *self);

/* @texture: (nullable): %NULL for a tile of one colour */
void urbarium_tile_cache_put (UrbariumTileCache *self, const UrbariumTileKey *key,
                              GdkTexture *texture, GdkRGBA color, gboolean pinned);
/* Returns: (nullable) (transfer none): the tile, now the youngest; valid until the next put */
const UrbariumTile *urbarium_tile_cache_get (UrbariumTileCache *self, const UrbariumTileKey *key);

/* Drops all tiles, pinned ones too, except those of two generations (which may be the same). */
void urbarium_tile_cache_keep (UrbariumTileCache *self, guint64 generation, guint64 other);

G_END_DECLS
