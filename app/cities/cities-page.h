/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cities-page.h - the page "Cities".
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CITIES_PAGE (urbarium_cities_page_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCitiesPage, urbarium_cities_page, URBARIUM, CITIES_PAGE, AdwBin)

/**
 * UrbariumCitiesPage:
 *
 * Properties: show-panel (boolean): the side panel is seen.
 */

/* Once, before it is shown.  A reference is kept. */
void urbarium_cities_page_set_library (UrbariumCitiesPage *self, UrbariumRunLibrary *library);
/* Shows the newest checkpoint of a run. */
void urbarium_cities_page_show_run (UrbariumCitiesPage *self, UrbariumRun *run);
/* Shows a checkpoint of anywhere: a .safetensors file. */
void urbarium_cities_page_open (UrbariumCitiesPage *self, const char *checkpoint);
/* Keeps seed, truncation, size and kind of the pictures, and whether the panel is seen, in the
 * keys "cities-…".  Once. */
void urbarium_cities_page_bind_settings (UrbariumCitiesPage *self, GSettings *settings);

G_END_DECLS
