/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-options.h - which cities of a generator are shown: seed and truncation.
 */
#pragma once

#include <adwaita.h>

#include "app/cities/city.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CITY_OPTIONS (urbarium_city_options_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCityOptions, urbarium_city_options, URBARIUM, CITY_OPTIONS, AdwBin)

/* Signals:
 *  "changed": other cities are wanted; a slider in motion is waited for
 */
gint64        urbarium_city_options_get_seed      (UrbariumCityOptions *self);
void          urbarium_city_options_renew_seed    (UrbariumCityOptions *self); /* at random */
/* City @index, from 1, with these options.  (transfer full) */
UrbariumCity *urbarium_city_options_make_city     (UrbariumCityOptions *self, gint64 index);
void          urbarium_city_options_bind_settings (UrbariumCityOptions *self, GSettings *settings);

G_END_DECLS
