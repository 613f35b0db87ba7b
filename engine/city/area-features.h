/* SPDX-License-Identifier: Apache-2.0 */
/*
 * area-features.h - areas as points, to compare them as wholes.
 */
#pragma once

#include "city/measures.h"

G_BEGIN_DECLS

/**
 * urb_area_features_new:
 * @reference: defines the scale: the real areas
 * @max_tiles: the first so many
 * @n_dims: (out): measures that vary among the tiles of @reference
 *
 * A number per tile and measure: the mean of the tile's values, in standard deviations from the mean
 * of the tiles of @reference, at most 5.  A measure without values in a tile counts as the mean.
 *
 * Returns: (transfer full): (MIN (self->n_tiles, @max_tiles), @n_dims)
 */
double *urb_area_features_new (const UrbMeasurements *self, const UrbMeasurements *reference,
                               guint max_tiles, guint *n_dims);

G_END_DECLS
