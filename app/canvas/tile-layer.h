/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-layer.h - the map as it is placed on the screen: which tiles, and what stands in for
 * those that are not drawn yet.
 */
#pragma once

#include "app/canvas/canvas.h"
#include "app/canvas/tile-queue.h"

G_BEGIN_DECLS

typedef struct _UrbariumTileLayer UrbariumTileLayer;

/* @changed: called when tiles have come: snapshot again. */
UrbariumTileLayer *urbarium_tile_layer_new  (void (*changed) (gpointer user_data),
                                             gpointer user_data);
void               urbarium_tile_layer_free (UrbariumTileLayer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumTileLayer, urbarium_tile_layer_free)

typedef enum
{
  URBARIUM_TILE_LAYER_KEEP, /* what is shown now stays until the new tiles are there */
  URBARIUM_TILE_LAYER_DROP, /* it is another place: what is shown now is wrong */
} UrbariumTileLayerOld;

void urbarium_tile_layer_set_spec (UrbariumTileLayer *self, const UrbariumTileSpec *spec,
                                   UrbariumTileLayerOld old);

/* Places the tiles of @view, and says to the threads which ones are missing.  @view is snapped,
 * see urbarium_view_snap(). */
void     urbarium_tile_layer_snapshot (UrbariumTileLayer *self, GtkSnapshot *snapshot,
                                       const UrbariumView *view);
/* Nothing is seen any more: stops all work until the next snapshot. */
void     urbarium_tile_layer_rest     (UrbariumTileLayer *self);
/* Of the last snapshot: tiles in sight are still missing. */
gboolean urbarium_tile_layer_is_busy  (UrbariumTileLayer *self);
/* Something of the map has been placed by the last snapshot. */
gboolean urbarium_tile_layer_has_pixels (UrbariumTileLayer *self);

UrbariumTileQueueCounts urbarium_tile_layer_get_counts (UrbariumTileLayer *self);

G_END_DECLS
