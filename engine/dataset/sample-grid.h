/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-grid.h - many tiles as one picture.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * urb_sample_grid_write_png:
 * @levels: (@n, @size_px, @size_px, @n_channels) bytes, as urb_dataset_read_tile()
 *   gives them; 3 channels are drawn as a plan (buildings dark on light ground,
 *   roads between, blended by level), 1 channel as grey
 * @n_columns: 0 for about as wide as high
 * @scale: screen pixels per tile pixel, >= 1
 *
 * Draws the tiles in rows with a thin gap and writes @path atomically.
 */
gboolean urb_sample_grid_write_png (const char *path, const guint8 *levels, gint64 n, int size_px,
                             int n_channels, int n_columns, int scale, GError **error);

G_END_DECLS
