/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-vectors.h - from a generator's levels to a plan.
 *
 * Needs no generator: whoever is given levels (the window, by another process)
 * makes the same plan of them as `urbarium-engine generate`.
 */
#pragma once

#include "city/vectorise.h"

G_BEGIN_DECLS

/**
 * urb_city_vectors_from_levels:
 *
 * Class map, cleaning, vectors, with the usual options: what a tile of a
 * generator becomes.  Tiles of less than 256 pixels are interpolated first, so
 * that borders run between their pixels.
 */
UrbCityVectors *urb_city_vectors_from_levels (const guint8 *levels, int size_px, int n_channels,
                                              double size_m, gboolean keep_specks);

G_END_DECLS
