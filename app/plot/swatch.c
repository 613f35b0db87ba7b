/* SPDX-License-Identifier: Apache-2.0 */
#include "app/plot/swatch.h"

enum { EDGE_PX = 12 };

GdkRGBA
urbarium_swatch_get_color (const UrbariumChartStyle *style, guint color_index)
{
  return color_index == URBARIUM_SWATCH_INK ? style->ink : urbarium_chart_style_get_color (style, color_index);
}

static void
draw (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  g_auto(UrbariumChartStyle) style = { 0 };
  GdkRGBA color;
  urbarium_chart_style_init_widget (&style, GTK_WIDGET (area));
  color = urbarium_swatch_get_color (&style, GPOINTER_TO_UINT (data));
  gdk_cairo_set_source_rgba (cr, &color);
  cairo_paint (cr);
}

GtkWidget *
urbarium_swatch_new (guint color_index)
{
  GtkWidget *area = gtk_drawing_area_new ();
  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (area), EDGE_PX);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (area), EDGE_PX);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (area), draw, GUINT_TO_POINTER (color_index), NULL);
  gtk_widget_set_valign (area, GTK_ALIGN_CENTER);
  return area;
}
