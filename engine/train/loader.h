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

/* @dataset: (transfer full) (nullable): NULL for random tiles (benchmarks).
 * Reads its train split at @size_px. */
UrbLoader *urb_loader_new  (UrbDataset *dataset, guint64 seed, gint64 batch, int size_px,
                            int n_channels, GError **error);
void       urb_loader_free (UrbLoader *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbLoader, urb_loader_free)

/* The tiles of @step: (batch, size, size, channels) bytes, valid until the next
 * call.  Blocks until they are there, then starts on @step + 1. */
const guint8 *urb_loader_get (UrbLoader *self, gint64 step, GError **error);

/* How many bytes a loader of so many tiles takes. */
gint64 urb_loader_count_bytes (gint64 n_tiles, gint64 batch, int size_px, int n_channels);

/* Place @position in [0, @n) of the permutation of (@seed, @epoch). */
guint64 urb_loader_permute (guint64 seed, guint64 epoch, guint64 position, guint64 n);

G_END_DECLS
