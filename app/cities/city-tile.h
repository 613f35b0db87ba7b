/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-tile.h - a city in the gallery: a square image with its number and its star.
 */
#pragma once

#include <adwaita.h>

#include "app/cities/city.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CITY_TILE (urbarium_city_tile_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCityTile, urbarium_city_tile, URBARIUM, CITY_TILE, GtkWidget)

/* Properties: vectors (boolean: plan instead of pixels), edge (int: minimum size in pixels).
 *
 * Signal "favorite-toggled" (UrbariumCity, boolean) */
GtkWidget    *urbarium_city_tile_new      (void);
/* Icon and texts of a button that marks a favorite. */
void          urbarium_city_tile_show_star (GtkWidget *button, gboolean favorite);

/* @city: (nullable) */
void          urbarium_city_tile_set_city (UrbariumCityTile *self, UrbariumCity *city);
UrbariumCity *urbarium_city_tile_get_city (UrbariumCityTile *self); /* (transfer none) (nullable) */
void          urbarium_city_tile_set_vectors (UrbariumCityTile *self, gboolean vectors);
void          urbarium_city_tile_set_edge (UrbariumCityTile *self, int edge);

G_END_DECLS
