/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diversity.h - how different from each other the tiles of a wall are.
 *
 * A generator that has collapsed draws the same few cities whatever its latent vector is.  Odena, Olah &
 * Shlens (2017, 1610.09585) find that by the mean similarity of pairs of samples, beside that of pairs of
 * training images; Arora & Zhang (2017, 1706.08224) by looking for duplicates among them, which also
 * finds a generator that knows a dozen cities.  This is both at once, and cheap: of each tile, reduced to
 * 8 x 8 means a channel (so that noise counts for little), the distance to its nearest neighbour in the
 * batch; of a batch, the mean of these; and as a result its ratio to that of as many real tiles.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * urb_diversity_measure:
 * @levels: (@n, @size_px, @size_px, @n_channels) bytes
 * @n: at least 2
 *
 * Returns: the mean distance of a tile to its nearest neighbour: root of the mean squared difference
 *   of its 8 x 8 x @n_channels means, in levels from 0 to 255; NaN if @size_px is no multiple of 8
 */
double urb_diversity_measure (const guint8 *levels, gint64 n, int size_px, int n_channels);

/* The same of @n training tiles of the dataset @path, evenly spread.  Fails with a %URB_DATASET_ERROR, also
 * where there are fewer. */
gboolean urb_diversity_measure_dataset (const char *path, gint64 n, int size_px, double *out,
                                        GError **error);

G_END_DECLS
