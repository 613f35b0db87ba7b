/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plot-area-private.h - what drawing (plot-area.c), the crosshair (plot-cross.c)
 * and the controllers (plot-input.c) of one widget share.
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
  GtkWidget          parent_instance;
  UrbariumChart     *chart;   /* owned */
  UrbariumChartFrame frame;   /* of the texture */
  GdkTexture        *texture; /* everything but the crosshair; nullable: to be drawn */
  guint              smooth_tick;
  GtkWidget         *menu; /* nullable */

  gboolean           has_cross;
  double             cross_x; /* a value */

  UrbariumPlotDrag   drag;
  double             drag_from, drag_to; /* pixels */
  double             drag_min, drag_max; /* the view when a pan began */
  double             pointer;            /* pixels, for the wheel; NaN: not here */
};

void urbarium_plot_area_init_input (UrbariumPlotArea *self);
void urbarium_plot_area_zoom_by    (UrbariumPlotArea *self, double factor, double about_px);

/* To the point nearest to @px; hides it where there is none. */
void urbarium_plot_area_set_cross_px (UrbariumPlotArea *self, double px);
void urbarium_plot_area_set_cross    (UrbariumPlotArea *self, double x);
void urbarium_plot_area_hide_cross   (UrbariumPlotArea *self);
/* To the next or previous point, but at least @least_px on. */
void urbarium_plot_area_step_cross   (UrbariumPlotArea *self, int direction, double least_px);
void urbarium_plot_area_snapshot_cross (UrbariumPlotArea *self, GtkSnapshot *snapshot,
                                        const UrbariumChartStyle *style);
/* What a curve says at the crosshair: its point nearest to it. FALSE if it has none near. */
gboolean urbarium_plot_area_read     (UrbariumPlotArea *self, const UrbariumCurve *curve, double *x,
                                      double *raw, double *shown);
void urbarium_plot_area_update_accessible (UrbariumPlotArea *self);

G_END_DECLS
