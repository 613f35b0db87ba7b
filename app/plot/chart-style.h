/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chart-style.h - the colours and the font of a drawing: those of a widget, in
 * light, dark and high contrast, or those of a page of paper.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/plot/axis.h"

G_BEGIN_DECLS

typedef struct
{
  PangoContext *pango; /* owned */
  GdkRGBA       ink;   /* text and axes */
  GdkRGBA       dim;   /* secondary text */
  GdkRGBA       grid;
  GdkRGBA       accent;
  GdkRGBA       paper; /* what lies behind the drawing, for what must cover it */
  gboolean      dark, high_contrast;
  double        text_height; /* of a line, in pixels: the measure of all distances */
} UrbariumChartStyle;

void urbarium_chart_style_init_widget (UrbariumChartStyle *style, GtkWidget *widget);
/* For exports; in any thread. */
void urbarium_chart_style_init_paper  (UrbariumChartStyle *style);
void urbarium_chart_style_clear       (UrbariumChartStyle *style);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbariumChartStyle, urbarium_chart_style_clear)

/* Okabe and Ito's colours, which people with any colour vision can tell apart, each made darker
 * on light ground and lighter on dark ground until it stands out from it by 3:1. @index repeats. */
GdkRGBA urbarium_chart_style_get_color (const UrbariumChartStyle *style, guint index);

typedef enum
{
  URBARIUM_TEXT_NORMAL,
  URBARIUM_TEXT_BOLD
} UrbariumTextWeight;

/* A text with its reference point at (@x, @y): @align_x, @align_y are 0 for its left or top, 1 for
 * its right or bottom. */
void   urbarium_chart_style_draw_text    (const UrbariumChartStyle *style, cairo_t *cr,
                                          const char *text, UrbariumTextWeight weight,
                                          const GdkRGBA *color, double x, double y,
                                          double align_x, double align_y);
double urbarium_chart_style_measure_text (const UrbariumChartStyle *style, const char *text,
                                          UrbariumTextWeight weight); /* width, pixels */
PangoLayout *urbarium_chart_style_create_layout (const UrbariumChartStyle *style, const char *text,
                                                 UrbariumTextWeight weight);

/* Ticks and their labels below the axis; @y is the axis line. */
void urbarium_chart_style_draw_x_ticks (const UrbariumChartStyle *style, cairo_t *cr,
                                        const UrbariumAxis *axis, GArray *ticks, double y);

/* An image of the size in widget pixels, at the widget's scale, to draw into… */
cairo_surface_t *urbarium_chart_surface_new    (GtkWidget *widget, int width, int height);
/* …and the texture it makes. (transfer full) */
GdkTexture      *urbarium_chart_surface_finish (cairo_surface_t *surface);

G_END_DECLS
