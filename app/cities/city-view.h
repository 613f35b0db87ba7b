/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-view.h - one large city, to explore, filter by class and measure.
 *
 * A thread paints the visible part at its scale; the main loop only places the image.  Drag or
 * Shift+arrows pan; wheel, pinch, + and - zoom; 0 fits.  With a tool, a drag measures, or the
 * arrows move a cursor and Enter sets a point.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/canvas/view.h"
#include "app/cities/city-measure.h"
#include "app/cities/city.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CITY_VIEW (urbarium_city_view_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCityView, urbarium_city_view, URBARIUM, CITY_VIEW, GtkWidget)

/* Properties, with notify: vectors (boolean), classes (uint: a bit per UrbClass), tool (int,
 * UrbariumMeasureTool, read-only), reading (string, read-only, nullable: the measured value). */
/* @city: (nullable).  Fits the view, unless it is the same city with other shares, and clears the
 * measurement. */
void        urbarium_city_view_set_city (UrbariumCityView *self, UrbariumCity *city);
/* Returns: (transfer none) (nullable) */
UrbariumCity *urbarium_city_view_get_city (UrbariumCityView *self);
void        urbarium_city_view_set_tool (UrbariumCityView *self, UrbariumMeasureTool tool);
/* The complete area of the tool, as (x, y) in meters from the lower left corner of the city.
 * Returns: (transfer none) (nullable) (element-type double) */
const GArray *urbarium_city_view_get_area (UrbariumCityView *self);
void        urbarium_city_view_fit      (UrbariumCityView *self);
/* The visible part, in meters from the lower left corner of the city. */
UrbariumView urbarium_city_view_get_view (UrbariumCityView *self);

G_END_DECLS
