/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place-window.h - puts a generated plan on the open map: by click, drag, keys, exact numbers, or onto an
 * area; and exports it there.
 */
#pragma once

#include <adwaita.h>

#include "app/cities/city-source.h"
#include "app/cities/ground.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_PLACE_WINDOW (urbarium_place_window_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumPlaceWindow, urbarium_place_window, URBARIUM, PLACE_WINDOW, AdwWindow)

/* @where: a widget of the window above which it opens
 * @source: that drew @city
 * @city: drawn
 *
 * Returns: (transfer none): presented; it closes itself */
UrbariumPlaceWindow *urbarium_place_window_open (GtkWidget *where, UrbariumCitySource *source, UrbariumCity *city,
                                                 UrbariumGround *ground);

G_END_DECLS
