/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-grid.h - the chosen areas as the network will see them, the best first.
 *
 * Delete removes the selected one; selecting one shows its place.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/areas/curation.h"
#include "app/areas/tile-source.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_TILE_GRID (urbarium_tile_grid_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumTileGrid, urbarium_tile_grid, URBARIUM, TILE_GRID, GtkWidget)

/* Signal "area-selected" (gint64 index): among the chosen; -1: none is any more. */
void urbarium_tile_grid_set_curation (UrbariumTileGrid *self, UrbariumCuration *curation,
                                      UrbariumTileSource *source);

G_END_DECLS
