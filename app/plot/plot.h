/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plot.h - curves over a common x axis.
 *
 * Smoothing (EMA, drawn over the faint raw min/max envelope), log axes, crosshair
 * with values, zoom by wheel and drag (double click or 0: all), legend that
 * switches curves on and off, export as SVG, PNG, CSV.  Draws min and max per
 * pixel column, so its cost is that of its width.
 *
 * The y axis covers what is in view.  A few far-off values (the first steps of a
 * training) would flatten all others, so where the whole range is more than 1.5
 * times that from the 1st to the 99th percentile of each curve, it covers those
 * percentiles, and says in a corner how far the values go; all-data shows all.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/plot/series.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_PLOT (urbarium_plot_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumPlot, urbarium_plot, URBARIUM, PLOT, GtkWidget)

typedef enum
{
  URBARIUM_PLOT_SOLID,
  URBARIUM_PLOT_DASHED /* a second network of the same run, say */
} UrbariumPlotDash;

/**
 * UrbariumPlot:
 *
 * Properties: title, x-label, y-label (string, translated); smoothing (double, 0: none … 0.999:
 * the weight of the past in the exponential moving average of the points, corrected for its start);
 * log-x, log-y, show-envelope, show-legend, all-data (boolean).
 *
 * Actions: plot.reset-zoom, plot.all-data (a switch), plot.copy (as an image), plot.export (asks
 * for a file; the suffix decides).
 *
 * Keys: arrows, Home, End move the crosshair (Ctrl: further; Shift: pan), + and - zoom, 0 all,
 * Escape hides the crosshair, Menu or Shift+F10 open the menu.
 */
GtkWidget *urbarium_plot_new (void);

/* @color_index: of the palette (seven colours, colour-blind safe, light and dark): the same index,
 * the same run.  The plot keeps a reference. */
void urbarium_plot_add    (UrbariumPlot *self, UrbariumSeries *series, guint color_index,
                           UrbariumPlotDash dash);
void urbarium_plot_remove (UrbariumPlot *self, UrbariumSeries *series);
void urbarium_plot_clear  (UrbariumPlot *self);

/* As the legend does. */
void     urbarium_plot_set_visible (UrbariumPlot *self, UrbariumSeries *series, gboolean visible);
gboolean urbarium_plot_get_visible (UrbariumPlot *self, UrbariumSeries *series);

/* A vertical mark at @x with a short text: a checkpoint, an event.  Cleared with NULL text. */
void urbarium_plot_set_mark (UrbariumPlot *self, const char *id, double x, const char *text);

/* The x range in view; what new points bring is followed only while it is not zoomed. */
void     urbarium_plot_zoom      (UrbariumPlot *self, double x_min, double x_max);
gboolean urbarium_plot_get_range (UrbariumPlot *self, double *x_min, double *x_max); /* is zoomed */

/* @path: .svg, .png or .csv; atomic.  CSV: one row per x, a column per curve, all points of the
 * zoomed range.  The curves that are switched on.  Blocks; plot.export does not. */
gboolean urbarium_plot_export (UrbariumPlot *self, const char *path, GError **error);

G_END_DECLS
