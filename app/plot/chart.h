/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chart.h - the contents of a plot, without the widget: drawn on the screen or exported to files,
 * in any thread that owns it.
 */
#pragma once

#include "app/plot/chart-style.h"
#include "app/plot/plot.h"

G_BEGIN_DECLS

typedef struct
{
  UrbariumSeries  *series; /* owned */
  guint            color_index;
  UrbariumPlotDash dash;
  gboolean         visible;
  /* The first points of series, smoothed (nullable), and the state of the average after them. */
  UrbariumSeries  *smooth;
  double           smoothing, sum, weight;
} UrbariumCurve;

typedef struct
{
  char  *id, *text;
  double x;
} UrbariumMark;

typedef struct
{
  GPtrArray *curves; /* of UrbariumCurve */
  GPtrArray *marks;  /* of UrbariumMark, by x */
  char      *title, *x_label, *y_label; /* nullable; never "" */
  double     smoothing;
  gboolean   log_x, log_y, all_data;
  gboolean   zoomed;
  double     view_min, view_max; /* if zoomed */
} UrbariumChart;

UrbariumChart *urbarium_chart_new  (void);
/* Copies the points, too. */
UrbariumChart *urbarium_chart_copy (const UrbariumChart *self);
void           urbarium_chart_free (UrbariumChart *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumChart, urbarium_chart_free)

UrbariumCurve *urbarium_chart_find_curve (const UrbariumChart *self, UrbariumSeries *series);
void           urbarium_chart_set_mark   (UrbariumChart *self, const char *id, double x,
                                          const char *text);
/* The x range of the visible curves; returns FALSE if there are no points. */
gboolean       urbarium_chart_get_extent (const UrbariumChart *self, double *min, double *max);
/* The part of it in view. */
gboolean       urbarium_chart_get_view   (const UrbariumChart *self, double *min, double *max);

/* Smooths up to @max_points further points of the visible curves, to spread the work over frames.
 * Returns: TRUE if all curves are completely smoothed */
gboolean       urbarium_chart_smooth     (UrbariumChart *self, gsize max_points);
/* Drops smoothed points from index @from on, after these points have changed. */
void           urbarium_curve_truncate_smooth (UrbariumCurve *self, gsize from);

typedef enum
{
  URBARIUM_CHART_ON_SCREEN, /* the widget has its own legend */
  URBARIUM_CHART_ON_PAPER   /* draws background and legend, too */
} UrbariumChartPlace;

/* The layout of a drawing. */
typedef struct
{
  UrbariumChartPlace place;
  double             left, top, width, height; /* of the area of the curves */
  double             legend_y;
  double             column_px; /* one pixel of the device */
  gboolean           empty;
  UrbariumAxis       x, y;
  GArray            *x_ticks, *y_ticks;
  double             beyond_min, beyond_max; /* values beyond the range of the y axis; or NaN */
} UrbariumChartFrame;

void urbarium_chart_frame_init  (UrbariumChartFrame *frame, const UrbariumChart *self,
                                 const UrbariumChartStyle *style, UrbariumChartPlace place,
                                 double width, double height, double column_px);
void urbarium_chart_frame_clear (UrbariumChartFrame *frame);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbariumChartFrame, urbarium_chart_frame_clear)

void urbarium_chart_draw (const UrbariumChart *self, const UrbariumChartFrame *frame,
                          const UrbariumChartStyle *style, cairo_t *cr);
/* Draws a sample of the curve's line for a legend, from (@x, @y) over @width pixels. */
void urbarium_curve_draw_sample (const UrbariumCurve *self, const UrbariumChartStyle *style,
                                 cairo_t *cr, double x, double y, double width);

/* An x as text: 12,000. */
char *urbarium_chart_format_x (double x);

/* Exports the visible curves, atomically, and completes their smoothing.  Blocks.
 * @path: .svg, .png or .csv (one row per x, one column per curve, all points of the zoomed range) */
gboolean urbarium_chart_export    (UrbariumChart *self, const char *path, GError **error);
/* The image of a PNG export. (transfer full) */
cairo_surface_t *urbarium_chart_to_image (UrbariumChart *self);

G_END_DECLS
