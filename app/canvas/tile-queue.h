/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-queue.h - the threads that draw tiles.
 *
 * Requests never pile up: each change of the view sets the list of tiles to draw, in order, which
 * replaces the previous list.  Work on tiles that are not in the list is cancelled.
 */
#pragma once

#include "app/canvas/tile-painter.h"

G_BEGIN_DECLS

typedef struct _UrbariumTileQueue UrbariumTileQueue;

/**
 * UrbariumTileDoneFunc:
 * @pixels: (nullable): %NULL if the whole tile is @color
 *
 * Called in the main context of the thread that created the queue.
 */
typedef void (*UrbariumTileDoneFunc) (const UrbariumTileKey *key, GBytes *pixels, UrbColor color,
                                      gpointer user_data);

/* @n_threads: 0: suitable for this machine.  The threads start with the first request. */
UrbariumTileQueue *urbarium_tile_queue_new  (int n_threads, UrbariumTileDoneFunc done,
                                             gpointer user_data);
/* Does not wait for the threads to end.  @done is not called again. */
void               urbarium_tile_queue_free (UrbariumTileQueue *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumTileQueue, urbarium_tile_queue_free)

/* Sets the spec of @generation (its map may be %NULL), and drops all requests. */
void urbarium_tile_queue_set_spec (UrbariumTileQueue *self, const UrbariumTileSpec *spec,
                                   guint64 generation);

/* @keys: (n_keys): tiles to draw, most urgent first; copied.  Keys of another generation than the
 * last one set are ignored. */
void urbarium_tile_queue_set_wanted (UrbariumTileQueue *self, const UrbariumTileKey *keys,
                                     guint n_keys);

/* For tests and benchmarks. */
typedef struct
{
  guint64 n_drawn, n_given_up;
} UrbariumTileQueueCounts;

UrbariumTileQueueCounts urbarium_tile_queue_get_counts (UrbariumTileQueue *self);

G_END_DECLS
