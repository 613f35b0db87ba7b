/* SPDX-License-Identifier: Apache-2.0 */
#include "app/plot/plot-legend.h"

#include <glib/gi18n.h>

enum
{
  SAMPLE_WIDTH = 22,
  SAMPLE_HEIGHT = 12
};

static void
draw_sample_cb (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  g_auto(UrbariumChartStyle) style = { 0 };

  urbarium_chart_style_init_widget (&style, GTK_WIDGET (area));
  urbarium_curve_draw_sample (data, &style, cr, 0, height / 2.0, width);
}

GtkWidget *
urbarium_plot_legend_entry_new (UrbariumCurve *curve)
{
  const char *name = urbarium_series_get_name (curve->series);
  /* translators: a switch in a plot's legend: “Show Generator” */
  g_autofree char *tooltip = g_strdup_printf (_ ("Show %s"), name);
  GtkWidget *button = gtk_toggle_button_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *sample = gtk_drawing_area_new (), *label = gtk_label_new (name);

  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (sample), SAMPLE_WIDTH);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (sample), SAMPLE_HEIGHT);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (sample), draw_sample_cb, curve, NULL);
  gtk_widget_set_valign (sample, GTK_ALIGN_CENTER);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 32);
  gtk_box_append (GTK_BOX (box), sample);
  gtk_box_append (GTK_BOX (box), label);
  gtk_button_set_child (GTK_BUTTON (button), box);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, tooltip,
                                  -1);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button), curve->visible);
  return button;
}
