/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-vectors.h - converts a generator's levels to a plan.
 *
 * Independent of the generator, so the window, which gets levels from another process,
 * makes the same plans as `urbarium-engine generate`.
 */
#pragma once

#include "city/vectorise.h"

G_BEGIN_DECLS

/**
 * urb_city_vectors_from_levels:
 *
 * Classifies, cleans up and vectorizes a tile with default options.  Tiles of less than 256
 * pixels are interpolated first, so that borders run between their pixels.
 */
UrbCityVectors *urb_city_vectors_from_levels (const guint8 *levels, int size_px, int n_channels,
                                              double size_m, gboolean keep_specks);

G_END_DECLS
