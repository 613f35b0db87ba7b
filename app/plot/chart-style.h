/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chart-style.h - colors and font of a drawing, for a widget (light, dark, high contrast) or for
 * an export.
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
  GdkRGBA       paper; /* background */
  gboolean      dark, high_contrast;
  double        text_height; /* of a line, in pixels: the unit of all distances */
} UrbariumChartStyle;

void urbarium_chart_style_init_widget (UrbariumChartStyle *style, GtkWidget *widget);
/* For exports; callable from any thread. */
void urbarium_chart_style_init_paper  (UrbariumChartStyle *style);
void urbarium_chart_style_clear       (UrbariumChartStyle *style);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbariumChartStyle, urbarium_chart_style_clear)

/* Okabe and Ito's colors, which people with any color vision can distinguish, made darker on a
 * light background and lighter on a dark one to reach a contrast of 3:1.  @index wraps around. */
GdkRGBA urbarium_chart_style_get_color (const UrbariumChartStyle *style, guint index);

typedef enum
{
  URBARIUM_TEXT_NORMAL,
  URBARIUM_TEXT_BOLD
} UrbariumTextWeight;

/* Draws @text with its reference point at (@x, @y); @align_x and @align_y are 0 for left and top,
 * 1 for right and bottom. */
void   urbarium_chart_style_draw_text    (const UrbariumChartStyle *style, cairo_t *cr,
                                          const char *text, UrbariumTextWeight weight,
                                          const GdkRGBA *color, double x, double y,
                                          double align_x, double align_y);
double urbarium_chart_style_measure_text (const UrbariumChartStyle *style, const char *text,
                                          UrbariumTextWeight weight); /* width, pixels */
PangoLayout *urbarium_chart_style_create_layout (const UrbariumChartStyle *style, const char *text,
                                                 UrbariumTextWeight weight);

/* Draws ticks and labels below the axis line at @y. */
void urbarium_chart_style_draw_x_ticks (const UrbariumChartStyle *style, cairo_t *cr,
                                        const UrbariumAxis *axis, GArray *ticks, double y);

/* A filled rectangle with rounded corners. */
void urbarium_chart_append_rounded (GtkSnapshot *snapshot, double x, double y, double width,
                                    double height, double radius, const GdkRGBA *color);

/* For set_property: replaces *@text by the string of @value, or by %NULL if that is empty. */
void urbarium_chart_set_text (char **text, const GValue *value);

/* An image surface at the widget's scale factor; @width, @height: widget pixels */
cairo_surface_t *urbarium_chart_surface_new    (GtkWidget *widget, int width, int height);
/* @surface: (transfer full).  Returns: (transfer full): a texture of its pixels */
GdkTexture      *urbarium_chart_surface_finish (cairo_surface_t *surface);

G_END_DECLS
