/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plot-area-private.h - the plot area's struct, for drawing (plot-area.c), the crosshair
 * (plot-cross.c) and input (plot-input.c).
 */
#pragma once

#include "app/plot/plot-area.h"

G_BEGIN_DECLS

typedef enum
{
  URBARIUM_DRAG_NONE,
  URBARIUM_DRAG_RANGE,
  URBARIUM_DRAG_PAN
} UrbariumPlotDrag;

struct _UrbariumPlotArea
{
  UrbariumChartWidget parent_instance;
  UrbariumChart      *chart; /* owned */
  UrbariumChartFrame  frame; /* of the drawing */
  guint               smooth_tick;
  GtkWidget          *menu; /* nullable */

  gboolean            has_cross;
  double              cross_x; /* a value */

  UrbariumPlotDrag    drag;
  double              drag_from, drag_to; /* pixels */
  double              drag_min, drag_max; /* the view at the start of a pan */
  double              pointer;            /* pixels, for the wheel; NaN: outside */
};

void urbarium_plot_area_init_input (UrbariumPlotArea *self);
void urbarium_plot_area_zoom_by    (UrbariumPlotArea *self, double factor, double about_px);

/* Moves the crosshair to the point nearest to @px; hides it outside of the plot. */
void urbarium_plot_area_set_cross_px (UrbariumPlotArea *self, double px);
void urbarium_plot_area_set_cross    (UrbariumPlotArea *self, double x);
void urbarium_plot_area_hide_cross   (UrbariumPlotArea *self);
/* Moves the crosshair to the next or previous point at a distance of at least @min_px. */
void urbarium_plot_area_step_cross   (UrbariumPlotArea *self, int direction, double min_px);
void urbarium_plot_area_snapshot_cross (UrbariumPlotArea *self, GtkSnapshot *snapshot,
                                        const UrbariumChartStyle *style);
/* Gets a curve's point nearest to the crosshair; returns FALSE if none is close. */
gboolean urbarium_plot_area_read     (UrbariumPlotArea *self, const UrbariumCurve *curve, double *x,
                                      double *raw, double *shown);
void urbarium_plot_area_update_accessible (UrbariumPlotArea *self);

G_END_DECLS
