/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-welcome.h - shown without a map: buttons and recent files to open one.
 *
 * Its buttons activate "map.open", "map.open-folder", "map.open-address", "map.open-sample" and "map.open-recent" of
 * the page.
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_MAP_WELCOME (urbarium_map_welcome_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumMapWelcome, urbarium_map_welcome, URBARIUM, MAP_WELCOME, AdwBin)

G_END_DECLS
