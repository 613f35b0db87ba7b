/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-panel.h - the nearest real area of a city, and its figures next to those of real areas.
 */
#pragma once

#include <adwaita.h>

#include "app/cities/city-source.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CITY_PANEL (urbarium_city_panel_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCityPanel, urbarium_city_panel, URBARIUM, CITY_PANEL, AdwBin)

/* Its checkpoint's dataset is compared with, and read when the first city is shown. */
void urbarium_city_panel_set_source  (UrbariumCityPanel *self, UrbariumCitySource *source);
/* Signal: "turned": the user wants urbarium_city_panel_get_turn() of the city. */
/* @city: (nullable) */
void urbarium_city_panel_set_city    (UrbariumCityPanel *self, UrbariumCity *city);
UrbTurn urbarium_city_panel_get_turn (UrbariumCityPanel *self);
/* Offers to ask for other shares, if the generator has any. */
void urbarium_city_panel_set_shares  (UrbariumCityPanel *self, UrbariumShares *shares);
/* Draws the real area as a plan or as pixels. */
void urbarium_city_panel_set_vectors (UrbariumCityPanel *self, gboolean vectors);

G_END_DECLS
