/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-grid.h - draws a grid of tiles as one image.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Tiles along the edge of the grids of a run, which have about a thousand pixels then. */
int      urb_sample_grid_choose_edge (int size_px);

/**
 * urb_sample_grid_write_png:
 * @levels: (@n, @size_px, @size_px, @n_channels) bytes, as from
 *   urb_dataset_read_tile(); 3 channels are drawn as a plan, 1 channel as grey
 * @n_columns: 0 for a roughly square grid
 * @scale: image pixels per tile pixel, >= 1
 *
 * Draws the tiles in rows with thin gaps and writes @path atomically.
 */
gboolean urb_sample_grid_write_png (const char *path, const guint8 *levels, gint64 n, int size_px,
                                    int n_channels, int n_columns, int scale, GError **error);

G_END_DECLS
