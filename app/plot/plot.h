/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plot.h - curves over a common x axis.
 *
 * Features: smoothing (EMA, drawn over the faint raw min/max envelope), log axes, crosshair with
 * values, zoom by wheel and drag (double click or 0: reset), a legend that toggles curves, export
 * as SVG, PNG and CSV.  It draws min and max per pixel column, so the cost depends on the width.
 *
 * The y axis covers the values in view.  A few outliers (the first training steps) would flatten
 * the curves, so if the whole range exceeds 1.5 times that from the 1st to the 99th percentile of
 * each curve, the axis covers these percentiles, and a corner shows the extreme values; all-data
 * shows all values.
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
  URBARIUM_PLOT_DASHED /* for example a second network of the same run */
} UrbariumPlotDash;

/**
 * UrbariumPlot:
 *
 * Properties: title, x-label, y-label (string, translated); smoothing (double, 0: none, to 0.999:
 * decay of the exponential moving average, bias-corrected); log-x, log-y, all-data (boolean).
 *
 * Actions: plot.reset-zoom, plot.all-data (a switch), plot.copy (as an image), plot.export (asks
 * for a file; the suffix decides).
 *
 * Keys: arrows, Home and End move the crosshair (Ctrl: farther; Shift: pan), + and - zoom, 0 resets
 * the zoom, Escape hides the crosshair, Menu and Shift+F10 open the menu.
 */

/* @color_index: into the palette of seven color-blind-safe colors; curves of one run have the same
 * index.  The plot keeps a reference. */
void urbarium_plot_add   (UrbariumPlot *self, UrbariumSeries *series, guint color_index,
                          UrbariumPlotDash dash);
void urbarium_plot_clear (UrbariumPlot *self);

/* A vertical mark at @x with a short text: a checkpoint, an event.  @text: %NULL removes it */
void urbarium_plot_set_mark (UrbariumPlot *self, const char *id, double x, const char *text);

G_END_DECLS
