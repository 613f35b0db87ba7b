/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-welcome.h - where there is no map yet: how to get one.
 *
 * Its buttons are the actions "map.open", "map.open-folder", "map.open-sample" and
 * "map.open-recent" of the page around it.
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_MAP_WELCOME (urbarium_map_welcome_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumMapWelcome, urbarium_map_welcome, URBARIUM, MAP_WELCOME, AdwBin)

G_END_DECLS
