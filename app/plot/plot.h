/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plot.h - curves over a common x axis.
 *
 * Smoothing (EMA, drawn over the faint raw min/max envelope), log axes, crosshair
 * with values, zoom by wheel and drag (double click or 0: all), legend that
 * switches curves on and off, export as SVG, PNG, CSV.  Draws min and max per
 * pixel column, so its cost is that of its width.
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
 * Properties: title, x-label, y-label (string, translated); smoothing (double, 0: none … 0.999);
 * log-x, log-y, show-envelope, show-legend (boolean).
 *
 * Actions: plot.reset-zoom, plot.export (asks for a file; the suffix decides).
 */
GtkWidget *urbarium_plot_new (void);

/* @color_index: of the palette (colour-blind safe, light and dark): the same index, the same run.
 * The plot keeps a reference. */
void urbarium_plot_add    (UrbariumPlot *self, UrbariumSeries *series, guint color_index,
                           UrbariumPlotDash dash);
void urbarium_plot_remove (UrbariumPlot *self, UrbariumSeries *series);
void urbarium_plot_clear  (UrbariumPlot *self);

/* A vertical mark at @x with a short text: a checkpoint, an event.  Cleared with NULL text. */
void urbarium_plot_set_mark (UrbariumPlot *self, const char *id, double x, const char *text);

/* @path: .svg, .png or .csv; atomic.  CSV: one row per x, a column per curve, all points of the
 * zoomed range. */
gboolean urbarium_plot_export (UrbariumPlot *self, const char *path, GError **error);

G_END_DECLS
