/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-source.h - areas as the network will see them, encoded by threads when somebody looks.
 *
 * What was asked for last is encoded first, so that what has just become visible does not
 * wait for what no longer is.
 */
#pragma once

#include "app/areas/search.h"

G_BEGIN_DECLS

typedef struct
{
  GdkTexture *texture; /* owned; nearest neighbours where it is larger than the tile */
  double      variance;
  double      share[3];
} UrbariumTile;

#define URBARIUM_TYPE_TILE_SOURCE (urbarium_tile_source_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumTileSource, urbarium_tile_source, URBARIUM, TILE_SOURCE, GObject)

/* Signals: "ready" (gint64 id): the tile of a candidate can be had; "forgotten": all tiles were,
 * and what is still wanted must be asked for again. */
UrbariumTileSource *urbarium_tile_source_new (void);

/* Tiles of this result from now on; forgets those of another search or encoding.
 * @ranked: (nullable) */
void urbarium_tile_source_set_ranked (UrbariumTileSource *self, UrbariumRanked *ranked);

/**
 * urbarium_tile_source_get:
 * @search: in which @area is a candidate
 *
 * Returns: (transfer none) (nullable): until the main loop runs again; %NULL: it will be
 *   ready later, or never if @search is an old one
 */
const UrbariumTile *urbarium_tile_source_get (UrbariumTileSource *self,
                                              const UrbariumSearch *search,
                                              const UrbRankedArea *area);
/* Who asked for a tile and did not get it does not want it any more. */
void urbarium_tile_source_cancel (UrbariumTileSource *self, const UrbariumSearch *search,
                                  gint64 id);

G_END_DECLS
