/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-vectors.h - from a generated tile to a plan.
 */
#pragma once

#include "city/vectorise.h"

G_BEGIN_DECLS

/**
 * urb_city_vectors_from_levels:
 * @levels: (@size_px, @size_px, @n_channels), as from a sampler
 * @base_px: the true resolution: less than @size_px if a refiner enlarged the tile
 * @keep_specks: keep buildings, yards and bits of road of any size
 *
 * Interpolates coarse tiles to at least 256 pixels first, so that borders run between the pixels.
 *
 * Returns: (transfer full)
 */
UrbCityVectors *urb_city_vectors_from_levels (const guint8 *levels, int size_px, int base_px,
                                              int n_channels, double size_m, gboolean keep_specks);

/* The same for a plan of @n_cols x @n_rows areas, each of @size_px pixels and @size_m.
 * @levels: (@n_rows @size_px, @n_cols @size_px, @n_channels) */
UrbCityVectors *urb_city_vectors_from_wide_levels (const guint8 *levels, int n_cols, int n_rows,
                                                   int size_px, int base_px, int n_channels,
                                                   double size_m, gboolean keep_specks);

G_END_DECLS
