/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loader.h - batches of real tiles, one step ahead, from a thread of its own.
 *
 * Which tiles a step sees is a function of (seed, step) alone: image number
 * step * batch + i belongs to an epoch, and within it to a place in a keyed
 * permutation.  There is no position to save.
 */
#pragma once

#include "dataset/dataset.h"

G_BEGIN_DECLS

typedef struct _UrbLoader UrbLoader;

/* What a tile is from the dataset to the device: (size, size, channels) values of a byte or, where
 * all of them are 0 or 255, of a bit, as UK_OP_LOAD takes them. */
typedef struct
{
  int      size_px, n_channels;
  gboolean bits;
} UrbTileFormat;

/* The smaller one if nothing is lost by it.  @dataset: (nullable): NULL for the random tiles of a
 * benchmark, which are like those of a sharp dataset. */
UrbTileFormat urb_tile_format_choose    (UrbDataset *dataset, int size_px, int n_channels);
/* Of one tile. */
gint64        urb_tile_format_get_bytes (const UrbTileFormat *self);

/* Which tiles of a step: those of some ranks, rank by rank, and of each its part
 * of every microbatch.  The order of the whole batch does not depend on it. */
typedef struct
{
  gint64 batch; /* of all ranks; a multiple of n_microbatches * n_ranks */
  int    n_microbatches, n_ranks;
  int    first, count; /* whose: ranks first .. first + count - 1 */
} UrbShard;

#define URB_SHARD_ALL(batch) ((UrbShard) { (batch), 1, 1, 0, 1 })

/* Tiles of a step, as many as urb_loader_get() gives. */
gint64 urb_shard_get_n (const UrbShard *self);
/* The place in the whole batch of the @index-th of them. */
gint64 urb_shard_get_place (const UrbShard *self, gint64 index);

/* @dataset: (transfer full) (nullable): NULL for random tiles (benchmarks).
 * @shard, @format: copied; the format is the one that is chosen for @dataset.  Reads its train
 * split. */
UrbLoader *urb_loader_new  (UrbDataset *dataset, guint64 seed, const UrbShard *shard,
                            const UrbTileFormat *format, GError **error);
void       urb_loader_free (UrbLoader *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbLoader, urb_loader_free)

/* The shard's tiles of @step, one after the other in their format, valid until the next
 * call.  Blocks until they are there, then starts on @step + 1.  Fails if one of them
 * cannot be read; in a dataset that is kept, soon after the first steps if any cannot. */
const guint8 *urb_loader_get (UrbLoader *self, gint64 step, GError **error);

/* One of the two places where urb_loader_get() finds the tiles of a step, for who wants to pin it. */
void *urb_loader_get_room (UrbLoader *self, int i, gsize *n_bytes);

/* How many bytes a loader takes: of @n_tiles in the dataset, @n for each step. */
gint64 urb_loader_count_bytes (gint64 n_tiles, gint64 n, const UrbTileFormat *format);

/* Place @position in [0, @n) of the permutation of (@seed, @epoch). */
guint64 urb_loader_permute (guint64 seed, guint64 epoch, guint64 position, guint64 n);

G_END_DECLS
