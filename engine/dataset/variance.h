/* SPDX-License-Identifier: Apache-2.0 */
/*
 * variance.h - the variance of an area, a measure of its visual content.
 *
 * This is the variance of the area's encoded image, scaled so that an image of half one
 * extreme and half the other has variance 1.
 */
#pragma once

#include "dataset/dataset.h"

G_BEGIN_DECLS

/**
 * urb_variance_from_shares:
 * @share: of building, road and other among all pixels of the area; the rest to 1 is
 *   not covered by the map
 *
 * For rgb, the mean over the channels of 4 p (1 - p), at most 8/9.  For grey, four
 * times the variance of the grey value: 0 (road), 1/2 (other and uncovered), 1
 * (building); at most 1.
 */
double urb_variance_from_shares (UrbEncoding encoding, const double share[3]);

G_END_DECLS
