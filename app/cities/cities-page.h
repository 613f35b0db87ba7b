/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cities-page.h - the page "Cities".
 */
#pragma once

#include <adwaita.h>

#include "app/cities/ground.h"
#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CITIES_PAGE (urbarium_cities_page_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCitiesPage, urbarium_cities_page, URBARIUM, CITIES_PAGE, AdwBin)

/* Properties: show-panel (boolean): the side panel is visible.
 */

/* Call once, before the page is shown.  Keeps a reference. */
void urbarium_cities_page_set_library (UrbariumCitiesPage *self, UrbariumRunLibrary *library);
/* Where cities are placed.  Call once, before the page is shown.  Keeps a reference. */
void urbarium_cities_page_set_ground (UrbariumCitiesPage *self, UrbariumGround *ground);
/* Opens the newest checkpoint of a run. */
void urbarium_cities_page_show_run (UrbariumCitiesPage *self, UrbariumRun *run);
/* Opens city @index, from 1, of @seed, drawn by the run's checkpoint whose step is nearest to @step. */
void urbarium_cities_page_show_city (UrbariumCitiesPage *self, UrbariumRun *run, gint64 step, gint64 seed,
                                     gint64 index);
/* Opens any .safetensors file. */
void urbarium_cities_page_open (UrbariumCitiesPage *self, const char *checkpoint);
/* Stores seed, truncation, tile size, pixels or plan, and the panel's visibility in the keys
 * "cities-…".  Call once. */
void urbarium_cities_page_bind_settings (UrbariumCitiesPage *self, GSettings *settings);

G_END_DECLS
