/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ground.h - whether a map covers the ground, as a cadastre does, or leaves it open.
 */
#pragma once

#include "map/map.h"

G_BEGIN_DECLS

/**
 * urb_ground_measure_cover:
 *
 * Looks at the ground beside buildings (beside roads, if there are none), which a land cover covers
 * whatever the map's size and shape, and OpenStreetMap mostly does not.
 *
 * Returns: the share of it that is covered; 1 if there is neither
 */
double urb_ground_measure_cover (UrbMap *map);

G_END_DECLS
