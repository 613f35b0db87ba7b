/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-vectors.h - from a generated tile to a plan.
 */
#pragma once

#include "city/vectorize.h"

G_BEGIN_DECLS

/* The most areas of a city, in all and along an edge: its geometry takes memory and time. */
enum { URB_CITY_MAX_AREAS = 64, URB_CITY_MAX_EDGE = 32 };

/* Returns: %FALSE with a %URB_CITY_ERROR_OPTIONS if a city cannot have so many areas */
gboolean urb_city_check_areas (gint64 n_cols, gint64 n_rows, GError **error);

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

/* The same for a tile of which something stays: no street leaves its ground in order to be straighter.
 * @given: (nullable): goes into the plan as it is; else what stays is in @levels only */
UrbCityVectors *urb_city_vectors_from_site_levels (const guint8 *levels, int size_px, int base_px,
                                                   int n_channels, double size_m, const UrbGiven *given,
                                                   gboolean keep_specks);

/* The same for a plan of @n_cols x @n_rows areas, each of @size_px pixels and @size_m.
 * @levels: (@n_rows @size_px, @n_cols @size_px, @n_channels) */
UrbCityVectors *urb_city_vectors_from_wide_levels (const guint8 *levels, int n_cols, int n_rows,
                                                   int size_px, int base_px, int n_channels,
                                                   double size_m, gboolean keep_specks);

/* The same from a map of a tile's shares, or of a part of one.  @size_px: of the tile; @size_m: its
 * edge */
UrbCityVectors *urb_city_vectors_from_soft (const UrbSoftMap *map, int base_px, int size_px,
                                            double size_m, gboolean keep_specks);

G_END_DECLS
