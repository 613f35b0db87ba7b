/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-source.h - tiles of areas as the network will see them, encoded in threads on request.
 *
 * The latest requests are served first, so that newly visible tiles do not wait for hidden ones.
 */
#pragma once

#include "app/areas/search.h"

G_BEGIN_DECLS

typedef struct
{
  GdkTexture *texture; /* owned; enlarged by pixel repetition if the tile is small */
  double      variance;
  double      share[3];
} UrbariumTile;

#define URBARIUM_TYPE_TILE_SOURCE (urbarium_tile_source_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumTileSource, urbarium_tile_source, URBARIUM, TILE_SOURCE, GObject)

/* Signals: "ready" (gint64 id): the tile of a candidate is available; "invalidated": all tiles and
 * requests were dropped; request the tiles again. */
UrbariumTileSource *urbarium_tile_source_new (void);

/* Sets the result to encode tiles of; drops tiles of another search or encoding.
 * @ranked: (nullable) */
void urbarium_tile_source_set_ranked (UrbariumTileSource *self, UrbariumRanked *ranked);

/**
 * urbarium_tile_source_get:
 * @search: the search in which @area is a candidate
 *
 * Returns: (transfer none) (nullable): the tile, valid until the main loop runs again; %NULL if it
 *   will be ready later, or never for an outdated @search
 */
const UrbariumTile *urbarium_tile_source_get (UrbariumTileSource *self,
                                              const UrbariumSearch *search,
                                              const UrbRankedArea *area);
/* Withdraws a request for a tile that is not ready. */
void urbarium_tile_source_cancel (UrbariumTileSource *self, const UrbariumSearch *search,
                                  gint64 id);

G_END_DECLS
