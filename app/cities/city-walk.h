/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-walk.h - from one city to another: the cities between them, large, with a
 * strip of all and a slider to play through.
 */
#pragma once

#include <adwaita.h>

#include "app/cities/city-source.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CITY_WALK (urbarium_city_walk_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCityWalk, urbarium_city_walk, URBARIUM, CITY_WALK, AdwBin)

/* Property: vectors (boolean). */

/* Draws the way anew. @from, @to: of the same truncation */
void          urbarium_city_walk_start    (UrbariumCityWalk *self, UrbariumCitySource *source,
                                           UrbariumCity *from, UrbariumCity *to);
/* Forgets it, and stops playing. */
void          urbarium_city_walk_stop     (UrbariumCityWalk *self);
/* The one that is shown. Returns: (transfer none) (nullable) */
UrbariumCity *urbarium_city_walk_get_city (UrbariumCityWalk *self);
/* (transfer none) (element-type UrbariumCity): both ends and all between */
GPtrArray    *urbarium_city_walk_get_cities (UrbariumCityWalk *self);

G_END_DECLS
