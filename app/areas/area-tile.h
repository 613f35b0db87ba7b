/* SPDX-License-Identifier: Apache-2.0 */
/* area-tile.h - one area in the grid, as the network will see it. */
#pragma once

#include <gtk/gtk.h>

#include "app/areas/area-list.h"
#include "app/areas/tile-source.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_AREA_TILE (urbarium_area_tile_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumAreaTile, urbarium_area_tile, URBARIUM, AREA_TILE, GtkWidget)

GtkWidget *urbarium_area_tile_new (UrbariumTileSource *source);

/* @item: (nullable).  Widgets are recycled: cancels the request for the previous item's tile. */
void urbarium_area_tile_set_item (UrbariumAreaTile *self, UrbariumAreaItem *item);

/* "For training, variance 0.52" (transfer full) */
char *urbarium_area_describe (const UrbRankedArea *area, const UrbariumTile *tile);

G_END_DECLS
