/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loader.h - loads batches of real tiles in a thread, one step ahead.
 *
 * The tiles of a step depend on (seed, step) only: image number step * batch + i belongs to an
 * epoch, and has an index in its keyed permutation.  There is no position to save.
 */
#pragma once

#include "dataset/dataset.h"

G_BEGIN_DECLS

typedef struct _UrbLoader UrbLoader;

/* The format of tiles from the dataset to the device: (size, size, channels) values of a byte, or
 * of a bit if all of them are 0 or 255, as UK_OP_LOAD reads them.  For a refiner, each tile comes
 * with a crop of it, twice: at the tile's resolution and spoilt (train/spoil.h), and at that of
 * refined_px; both as bytes. */
typedef struct
{
  int      size_px, n_channels;
  gboolean bits;
  int      refined_px; /* of the tiles that the refiner's crops are cut from; 0: no crops */
  int      crop_px;    /* edge of a crop at the resolution of size_px */
} UrbTileFormat;

/* The smaller one if it is lossless.  @dataset: (nullable): NULL for the random tiles of a
 * benchmark, which are like those of a sharp dataset. */
UrbTileFormat urb_tile_format_choose    (UrbDataset *dataset, int size_px, int n_channels);
/* Of one tile, with its crops. */
gint64        urb_tile_format_get_bytes (const UrbTileFormat *self);

/* A part of each step's tiles: those of some ranks, rank by rank, and of each rank its part of
 * every microbatch.  The order of the whole batch does not depend on it. */
typedef struct
{
  gint64 batch; /* of all ranks; a multiple of n_microbatches * n_ranks */
  int    n_microbatches, n_ranks;
  int    first, count; /* ranks first .. first + count - 1 */
} UrbShard;

#define URB_SHARD_ALL(batch) ((UrbShard) { (batch), 1, 1, 0, 1 })

/* Tiles per step. */
gint64 urb_shard_get_n (const UrbShard *self);
/* The index in the whole batch of the shard's @index-th tile. */
gint64 urb_shard_get_place (const UrbShard *self, gint64 index);

/* @dataset: (transfer full) (nullable): its train split is read; NULL for random tiles
 * (benchmarks).
 * @shard, @format: copied; the format chosen for @dataset */
UrbLoader *urb_loader_new  (UrbDataset *dataset, guint64 seed, const UrbShard *shard,
                            const UrbTileFormat *format, GError **error);
void       urb_loader_free (UrbLoader *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbLoader, urb_loader_free)

/* The shard's tiles of @step in their format, valid until the next call: for each rank and
 * microbatch its tiles, then their spoilt crops, then their crops.
 * Blocks until they are loaded, then starts on @step + 1.  Fails if one of them cannot be read;
 * with a cached dataset, soon after the first steps if any cannot. */
const guint8 *urb_loader_get (UrbLoader *self, gint64 step, GError **error);

/* The memory of slot @i, one of the two that urb_loader_get() returns, for pinning. */
void *urb_loader_get_room (UrbLoader *self, int i, gsize *n_bytes);

/* Bytes of a loader for @n_tiles in the dataset, @n per step. */
gint64 urb_loader_count_bytes (gint64 n_tiles, gint64 n, const UrbTileFormat *format);

/* Element @position in [0, @n) of the permutation of (@seed, @epoch). */
guint64 urb_loader_permute (guint64 seed, guint64 epoch, guint64 position, guint64 n);

G_END_DECLS
