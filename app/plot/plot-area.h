/* SPDX-License-Identifier: Apache-2.0 */
/* plot-area.h - the part of a plot that shows the chart and handles pointer and keys. */
#pragma once

#include "app/plot/chart-widget.h"
#include "app/plot/chart.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_PLOT_AREA (urbarium_plot_area_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumPlotArea, urbarium_plot_area, URBARIUM, PLOT_AREA,
                      UrbariumChartWidget)

GtkWidget     *urbarium_plot_area_new       (void);
UrbariumChart *urbarium_plot_area_get_chart (UrbariumPlotArea *self); /* (transfer none) */
/* Call it after each change of the chart. */
void           urbarium_plot_area_changed   (UrbariumPlotArea *self);
/* @x_min >= @x_max: resets the zoom. */
void           urbarium_plot_area_zoom      (UrbariumPlotArea *self, double x_min, double x_max);
/* Gets the position of the crosshair; returns FALSE if it is hidden. */
gboolean       urbarium_plot_area_get_cross (UrbariumPlotArea *self, double *x);

G_END_DECLS
