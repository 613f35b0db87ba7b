/* SPDX-License-Identifier: Apache-2.0 */
/* tile-layer.h - draws the map with tiles, and with stand-ins for those not drawn yet. */
#pragma once

#include "app/canvas/canvas.h"
#include "app/canvas/tile-queue.h"

G_BEGIN_DECLS

typedef struct _UrbariumTileLayer UrbariumTileLayer;

/* @changed: called when new tiles are ready; it should queue a snapshot */
UrbariumTileLayer *urbarium_tile_layer_new  (void (*changed) (gpointer user_data),
                                             gpointer user_data);
void               urbarium_tile_layer_free (UrbariumTileLayer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumTileLayer, urbarium_tile_layer_free)

typedef enum
{
  URBARIUM_TILE_LAYER_KEEP, /* show the old tiles until the new ones are ready */
  URBARIUM_TILE_LAYER_DROP, /* another area: drop the old tiles */
} UrbariumTileLayerOld;

void urbarium_tile_layer_set_spec (UrbariumTileLayer *self, const UrbariumTileSpec *spec,
                                   UrbariumTileLayerOld old);

/* Places the tiles of @view, and requests missing ones from the threads.  @view must be snapped,
 * see urbarium_view_snap(). */
void     urbarium_tile_layer_snapshot (UrbariumTileLayer *self, GtkSnapshot *snapshot,
                                       const UrbariumView *view);
/* Stops all work until the next snapshot, when the widget is hidden. */
void     urbarium_tile_layer_pause    (UrbariumTileLayer *self);
/* Whether visible tiles were missing in the last snapshot. */
gboolean urbarium_tile_layer_is_busy  (UrbariumTileLayer *self);
/* Whether the last snapshot has placed any tile. */
gboolean urbarium_tile_layer_has_pixels (UrbariumTileLayer *self);

G_END_DECLS
