/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-queue.h - the threads that draw tiles, and what they are to draw next.
 *
 * There is no queue to pile up: whoever looks at the map says at each change what is wanted, in
 * order, and that replaces what was wanted before.  Work on anything else is given up.
 */
#pragma once

#include "app/canvas/tile-painter.h"

G_BEGIN_DECLS

typedef struct _UrbariumTileQueue UrbariumTileQueue;

/**
 * UrbariumTileDoneFunc:
 * @pixels: (nullable): %NULL: all of it is of @color
 *
 * Called on the main context of the thread that made the queue.
 */
typedef void (*UrbariumTileDoneFunc) (const UrbariumTileKey *key, GBytes *pixels, UrbColor color,
                                      gpointer user_data);

/* @n_threads: 0: as many as suit this machine.  They start with the first tile wanted. */
UrbariumTileQueue *urbarium_tile_queue_new  (int n_threads, UrbariumTileDoneFunc done,
                                             gpointer user_data);
/* Doesn't wait: the threads end when they notice.  @done is not called any more. */
void               urbarium_tile_queue_free (UrbariumTileQueue *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumTileQueue, urbarium_tile_queue_free)

/* @map: (nullable): of all tiles of @generation from now on; what is wanted is forgotten */
void urbarium_tile_queue_set_spec (UrbariumTileQueue *self, const UrbariumTileSpec *spec,
                                   guint64 generation);

/* @keys: (n_keys): what is still to be drawn, the most urgent first; copied.  Those of another
 * generation than the last one set are ignored. */
void urbarium_tile_queue_set_wanted (UrbariumTileQueue *self, const UrbariumTileKey *keys,
                                     guint n_keys);

/* For tests and benches. */
typedef struct
{
  guint64 n_drawn, n_given_up;
} UrbariumTileQueueCounts;

UrbariumTileQueueCounts urbarium_tile_queue_get_counts (UrbariumTileQueue *self);

G_END_DECLS
