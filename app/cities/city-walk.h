/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-walk.h - interpolates between two cities: a large view, a strip of thumbnails and a slider
 * that plays.
 */
#pragma once

#include <adwaita.h>

#include "app/cities/city-source.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CITY_WALK (urbarium_city_walk_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCityWalk, urbarium_city_walk, URBARIUM, CITY_WALK, AdwBin)

/* Property: vectors (boolean). */

/* Draws the walk. @from, @to: with equal truncation */
void          urbarium_city_walk_start    (UrbariumCityWalk *self, UrbariumCitySource *source,
                                           UrbariumCity *from, UrbariumCity *to);
/* Stops playing and drops the cities. */
void          urbarium_city_walk_stop     (UrbariumCityWalk *self);
/* Returns: (transfer none) (nullable): the city shown */
UrbariumCity *urbarium_city_walk_get_city (UrbariumCityWalk *self);
/* Returns: (transfer none) (element-type UrbariumCity): all cities, including both ends */
GPtrArray    *urbarium_city_walk_get_cities (UrbariumCityWalk *self);

G_END_DECLS
