/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chart.h - draws curves as SVG that takes its colors from the page.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  double x, y;
  double low, high; /* of the shade behind the line; both @y without one */
} UrbChartPoint;

enum { URB_CHART_N_LINES = 2 };

typedef struct
{
  const char *title;
  const char *names[URB_CHART_N_LINES];  /* NULL: no such line */
  GArray     *points[URB_CHART_N_LINES]; /* (element-type UrbChartPoint) borrowed; by ascending x */
  double      max_x;      /* of the horizontal axis, which begins at 0; > 0 */
  const char *x_name;
  gboolean    log_y;      /* values of 0 and less are left out */
  gboolean    from_zero;  /* the vertical axis has 0; not with @log_y */
  double      to_y;       /* the vertical axis has this value, if it is not 0 */
  gboolean    has_dots;   /* at the points, which are few */
  double      band;       /* a shaded band from the bottom up to this value; NaN: none */
  const char *band_name;
} UrbChart;

/* Appends a figure; does nothing if no line has a point. */
void urb_chart_add (GString *page, const UrbChart *self);

G_END_DECLS
