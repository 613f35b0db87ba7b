/* SPDX-License-Identifier: Apache-2.0 */
/*
 * variance.h - how much there is to see in an area.
 *
 * The variance of an area is the variance of its encoded image, scaled so that
 * half one extreme and half the other gives 1.
 */
#pragma once

#include "dataset/dataset.h"

G_BEGIN_DECLS

/**
 * urb_variance_from_shares:
 * @share: of building, road and other among all pixels of the area; what is
 *   missing to 1 is not covered by the map
 *
 * For rgb the mean over the channels of 4 p (1 - p), at most 8/9.  For grey four
 * times the variance of the grey value from 0 (road) over 1/2 (other, and what
 * is not covered) to 1 (building), at most 1.
 */
double urb_variance_from_shares (UrbEncoding encoding, const double share[3]);

G_END_DECLS
