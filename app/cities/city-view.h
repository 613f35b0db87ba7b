/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-view.h - one city, large: to look into, to take apart by class, to measure.
 *
 * Painted by a thread for the part and the scale that are seen; the main loop only
 * places the picture.  Pan by drag or Shift and arrows; zoom by wheel, pinch, +
 * and -; 0 fits.  With a tool a drag measures, and the arrows move a cursor that
 * Enter sets points with.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/cities/city-measure.h"
#include "app/cities/city.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CITY_VIEW (urbarium_city_view_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCityView, urbarium_city_view, URBARIUM, CITY_VIEW, GtkWidget)

/* Properties, with notify: vectors (boolean), classes (uint: a bit per UrbClass), tool (int,
 * UrbariumMeasureTool), reading (string, read-only, nullable: what was measured). */
GtkWidget  *urbarium_city_view_new      (void);

/* @city: (nullable).  The view fits again; what was measured is gone. */
void        urbarium_city_view_set_city (UrbariumCityView *self, UrbariumCity *city);
void        urbarium_city_view_set_tool (UrbariumCityView *self, UrbariumMeasureTool tool);
/* A class on or off. */
void        urbarium_city_view_set_class_visible (UrbariumCityView *self, UrbClass class_,
                                                  gboolean visible);
void        urbarium_city_view_fit      (UrbariumCityView *self);

/* Widget pixels to metres from the lower left corner of the city, and back. */
void        urbarium_city_view_to_plan   (UrbariumCityView *self, double px, double py, double *x,
                                          double *y);
void        urbarium_city_view_from_plan (UrbariumCityView *self, double x, double y, double *px,
                                          double *py);

G_END_DECLS
