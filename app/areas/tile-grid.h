/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-grid.h - the chosen areas as the network will see them, best first.
 *
 * Selecting an area shows it on the map; Delete removes it.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/areas/curation.h"
#include "app/areas/tile-source.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_TILE_GRID (urbarium_tile_grid_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumTileGrid, urbarium_tile_grid, URBARIUM, TILE_GRID, GtkWidget)

/* Signal "area-selected" (gint64 index): an index of the chosen areas; -1: none. */
void urbarium_tile_grid_set_curation (UrbariumTileGrid *self, UrbariumCuration *curation,
                                      UrbariumTileSource *source);

G_END_DECLS
