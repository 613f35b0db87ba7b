/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-grid.h - draws a grid of tiles as one image.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The cities of a run's grids are those of this seed, counted from the run's. */
#define URB_SAMPLE_SEED_OFFSET 1000003

/* Tiles along the edge of the grids of a run, which have about a thousand pixels then; and image pixels
 * per tile pixel. */
int      urb_sample_grid_choose_edge (int size_px);
int      urb_sample_grid_choose_scale (int size_px);

typedef struct
{
  int n_columns, n_rows;
  int tile, gap; /* edge of a tile, and space around each, in image pixels */
  int scale;     /* image pixels per pixel of a tile */
} UrbSampleGridLayout;

/* The layout of a run's grid, from its image.
 * @pixels: rows of @stride pixels: a tile of 64 pixels drawn double is as large as one of 128
 *
 * Returns: %FALSE if no grid of a run has this size */
gboolean urb_sample_grid_measure (int width_px, int height_px, const guint32 *pixels, gsize stride,
                                  UrbSampleGridLayout *layout);

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
