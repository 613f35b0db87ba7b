/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-panel.h - what there is to know of one city: its nearest real area, and
 * its figures beside those of real areas.
 */
#pragma once

#include <adwaita.h>

#include "app/cities/city-source.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CITY_PANEL (urbarium_city_panel_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCityPanel, urbarium_city_panel, URBARIUM, CITY_PANEL, AdwBin)

/* Whose dataset is compared with.  It is read when the first city is shown. */
void urbarium_city_panel_set_source  (UrbariumCityPanel *self, UrbariumCitySource *source);
/* @city: (nullable) */
void urbarium_city_panel_set_city    (UrbariumCityPanel *self, UrbariumCity *city);
/* Draws the real area as plan or as pixels. */
void urbarium_city_panel_set_vectors (UrbariumCityPanel *self, gboolean vectors);

G_END_DECLS
