/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chart.h - what a plot shows, without the widget: drawn on the screen by the one
 * and into files by the other, in any thread that owns it.
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
  /* The first points of series, smoothed (nullable), and the average's state after them. */
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
  char      *title, *x_label, *y_label;
  double     smoothing;
  gboolean   log_x, log_y, show_envelope, all_data;
  gboolean   zoomed;
  double     view_min, view_max; /* if zoomed */
} UrbariumChart;

UrbariumChart *urbarium_chart_new  (void);
/* With copies of the points. */
UrbariumChart *urbarium_chart_copy (const UrbariumChart *self);
void           urbarium_chart_free (UrbariumChart *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumChart, urbarium_chart_free)

UrbariumCurve *urbarium_chart_find_curve (const UrbariumChart *self, UrbariumSeries *series);
void           urbarium_chart_set_mark   (UrbariumChart *self, const char *id, double x,
                                          const char *text);
/* From the first to the last x of the visible curves; FALSE if there is none to show. */
gboolean       urbarium_chart_get_extent (const UrbariumChart *self, double *min, double *max);
/* What is in view of it. */
gboolean       urbarium_chart_get_view   (const UrbariumChart *self, double *min, double *max);

/* Smooths on by @max_points points over all visible curves: what is long is spread over frames.
 * Returns: TRUE if all are smooth to their ends */
gboolean       urbarium_chart_smooth     (UrbariumChart *self, gsize max_points);
/* Points from @from on are others now. */
void           urbarium_curve_forget     (UrbariumCurve *self, gsize from);

typedef enum
{
  URBARIUM_CHART_ON_SCREEN, /* the widget's legend has buttons */
  URBARIUM_CHART_ON_PAPER   /* ground and legend are drawn too */
} UrbariumChartPlace;

/* The drawing's measures. */
typedef struct
{
  UrbariumChartPlace place;
  double             left, top, width, height; /* of the part with the curves */
  double             legend_y;
  double             column_px; /* one pixel of the device */
  gboolean           empty;
  UrbariumAxis       x, y;
  GArray            *x_ticks, *y_ticks;
  double             beyond_min, beyond_max; /* values that the y axis leaves out; or NaN */
} UrbariumChartFrame;

void urbarium_chart_frame_init  (UrbariumChartFrame *frame, const UrbariumChart *self,
                                 const UrbariumChartStyle *style, UrbariumChartPlace place,
                                 double width, double height, double column_px);
void urbarium_chart_frame_clear (UrbariumChartFrame *frame);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbariumChartFrame, urbarium_chart_frame_clear)

void urbarium_chart_draw (const UrbariumChart *self, const UrbariumChartFrame *frame,
                          const UrbariumChartStyle *style, cairo_t *cr);
/* The short line that stands for a curve, from (@x, @y) over @width pixels. */
void urbarium_curve_draw_sample (const UrbariumCurve *self, const UrbariumChartStyle *style,
                                 cairo_t *cr, double x, double y, double width);

/* An x as text: 12,000. */
char *urbarium_chart_format_x (double x);

/* By the suffix; see urbarium_plot_export().  Smooths to the end. */
gboolean urbarium_chart_export    (UrbariumChart *self, const char *path, GError **error);
/* On paper, as a PNG has it. (transfer full) */
cairo_surface_t *urbarium_chart_to_image (UrbariumChart *self);

G_END_DECLS
