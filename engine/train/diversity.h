/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diversity.h - how much the tiles of a sample grid differ from each other.
 *
 * A collapsed generator draws the same few cities whatever the latent vector.  Odena, Olah & Shlens
 * (2017, 1610.09585) detect that by the mean similarity of pairs of samples, compared with pairs of
 * training images; Arora & Zhang (2017, 1706.08224) by duplicates among samples, which also detects
 * a generator that knows a dozen cities.  This measure combines both, and is cheap: each tile is
 * reduced to 8 x 8 means per channel (so that noise counts little); the diversity of a batch is the
 * mean distance to the nearest neighbor; the result is its ratio to that of as many real tiles.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * urb_diversity_measure:
 * @levels: (@n, @size_px, @size_px, @n_channels) bytes
 * @n: at least 2
 *
 * Returns: the mean distance of a tile to its nearest neighbor: root of the mean squared difference
 *   of its 8 x 8 x @n_channels means, in levels from 0 to 255; NaN if @size_px is no multiple of 8
 */
double urb_diversity_measure (const guint8 *levels, gint64 n, int size_px, int n_channels);

/* The same for @n training tiles of the dataset @path, evenly spaced.  Fails with a
 * %URB_DATASET_ERROR, also if it has fewer. */
gboolean urb_diversity_measure_dataset (const char *path, gint64 n, int size_px, double *out,
                                        GError **error);

G_END_DECLS
