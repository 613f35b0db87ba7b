/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-options.h - which cities of a generator are shown: seed, truncation and shares.
 */
#pragma once

#include <adwaita.h>

#include "app/cities/city-source.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CITY_OPTIONS (urbarium_city_options_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCityOptions, urbarium_city_options, URBARIUM, CITY_OPTIONS, AdwBin)

/* Signals:
 *  "changed": other cities are wanted; a slider in motion is waited for
 */
/* Shows what can be asked of @model. */
void          urbarium_city_options_set_model     (UrbariumCityOptions *self,
                                                   const UrbariumCityModel *model);
/* Moves with the sliders; cities follow at "changed".  (transfer none) */
UrbariumShares *urbarium_city_options_get_shares  (UrbariumCityOptions *self);
gint64        urbarium_city_options_get_seed      (UrbariumCityOptions *self);
void          urbarium_city_options_set_seed      (UrbariumCityOptions *self, gint64 seed);
void          urbarium_city_options_renew_seed    (UrbariumCityOptions *self); /* at random */
/* City @index, from 1, with these options.  (transfer full) */
UrbariumCity *urbarium_city_options_make_city     (UrbariumCityOptions *self, gint64 index);
/* The same city with these shares; NULL if it has them.  (transfer full) (nullable) */
UrbariumCity *urbarium_city_options_change_city   (UrbariumCityOptions *self, UrbariumCity *city);
void          urbarium_city_options_bind_settings (UrbariumCityOptions *self, GSettings *settings);

G_END_DECLS
