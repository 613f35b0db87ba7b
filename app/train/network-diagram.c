/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network-diagram.c - consecutive layers whose values have the same shape share a box.
 *
 * It reads from left to right in every language, as networks are drawn everywhere.
 */
#include "app/train/network-diagram.h"

#include <math.h>

enum { HEIGHT_PX = 170, MARGIN_PX = 12, GAP_PX = 10, LEAST_PX = 6 };

struct _UrbariumNetworkDiagram
{
  UrbariumChartWidget parent_instance;
  GArray *shapes; /* (element-type UkShape) owned: no two neighbors are equal */
};

G_DEFINE_FINAL_TYPE (UrbariumNetworkDiagram, urbarium_network_diagram, URBARIUM_TYPE_CHART_WIDGET)

static void
add_shape (UrbariumNetworkDiagram *self, UkShape shape)
{
  const UkShape *last = self->shapes->len == 0 ? NULL : &g_array_index (self->shapes, UkShape, self->shapes->len - 1);
  if (last == NULL || last->h != shape.h || last->w != shape.w || last->c != shape.c)
    g_array_append_val (self->shapes, shape);
}

/* Pixels for @n rows or channels, before the whole is scaled to fit. */
static double
size_of (gint64 n)
{
  return LEAST_PX * (1 + log2 ((double) n));
}

/* The sum of the boxes' widths. */
static double
sum_widths (UrbariumNetworkDiagram *self)
{
  double sum = 0;
  for (guint i = 0; i < self->shapes->len; i++)
    sum += size_of (g_array_index (self->shapes, UkShape, i).c);
  return sum;
}

/* Labels that would touch the one before are left out. */
static void
draw_label (const UrbariumChartStyle *style, cairo_t *cr, gint64 number, double x, double y, double *end)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, number);
  double width = urbarium_chart_style_measure_text (style, text, URBARIUM_TEXT_NORMAL);
  if (x - width / 2 < *end + 4)
    return;
  urbarium_chart_style_draw_text (style, cr, text, URBARIUM_TEXT_NORMAL, &style->dim, x, y, 0.5, 0);
  *end = x + width / 2;
}

static void
draw (UrbariumChartWidget *widget, const UrbariumChartStyle *style, cairo_t *cr, int width, int height)
{
  UrbariumNetworkDiagram *self = URBARIUM_NETWORK_DIAGRAM (widget);
  double room = height - 2 * MARGIN_PX - 2 * style->text_height, highest = 1, x = MARGIN_PX;
  double gaps = GAP_PX * (self->shapes->len - 1.0), scale, rows_end = 0, channels_end = 0;
  if (self->shapes->len == 0)
    return;
  scale = fmin ((width - 2 * MARGIN_PX - gaps) / sum_widths (self), 2.5);
  for (guint i = 0; i < self->shapes->len; i++)
    highest = fmax (highest, size_of (g_array_index (self->shapes, UkShape, i).h));
  for (guint i = 0; i < self->shapes->len && scale > 0; i++)
    {
      const UkShape *shape = &g_array_index (self->shapes, UkShape, i);
      double box_width = size_of (shape->c) * scale, box_height = size_of (shape->h) / highest * room;
      double y = MARGIN_PX + style->text_height + (room - box_height) / 2;
      cairo_rectangle (cr, x, y, box_width, box_height);
      cairo_set_source_rgba (cr, style->accent.red, style->accent.green, style->accent.blue, 0.35);
      cairo_fill_preserve (cr);
      gdk_cairo_set_source_rgba (cr, &style->accent);
      cairo_set_line_width (cr, 1);
      cairo_stroke (cr);
      draw_label (style, cr, shape->h, x + box_width / 2, MARGIN_PX - 4, &rows_end);
      draw_label (style, cr, shape->c, x + box_width / 2, height - MARGIN_PX - style->text_height + 4, &channels_end);
      x += box_width + GAP_PX;
    }
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
         int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_VERTICAL ? HEIGHT_PX : 100;
  *natural = orientation == GTK_ORIENTATION_VERTICAL ? HEIGHT_PX : 500;
}

/* "1 × 1 × 100 → 4 × 4 × 256 → …" */
static char *
dup_shapes (UrbariumNetworkDiagram *self)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < self->shapes->len; i++)
    {
      const UkShape *shape = &g_array_index (self->shapes, UkShape, i);
      g_string_append_printf (text, "%s%" G_GINT64_FORMAT " × %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT,
                              i > 0 ? " → " : "", shape->h, shape->w, shape->c);
    }
  return g_string_free (text, FALSE);
}

GtkWidget *
urbarium_network_diagram_new (const UrbNet *net, int first, int end)
{
  UrbariumNetworkDiagram *self = g_object_new (URBARIUM_TYPE_NETWORK_DIAGRAM, NULL);
  g_autofree char *shapes = NULL;
  add_shape (self, urb_net_get_layer (net, first)->in);
  for (int i = first; i < end; i++)
    add_shape (self, urb_net_get_layer (net, i)->out);
  shapes = dup_shapes (self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, shapes, -1);
  return GTK_WIDGET (self);
}

static void
finalize (GObject *object)
{
  g_array_unref (URBARIUM_NETWORK_DIAGRAM (object)->shapes);
  G_OBJECT_CLASS (urbarium_network_diagram_parent_class)->finalize (object);
}

static void
urbarium_network_diagram_class_init (UrbariumNetworkDiagramClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  GTK_WIDGET_CLASS (klass)->measure = measure;
  URBARIUM_CHART_WIDGET_CLASS (klass)->draw = draw;
}

static void
urbarium_network_diagram_init (UrbariumNetworkDiagram *self)
{
  self->shapes = g_array_new (FALSE, FALSE, sizeof (UkShape));
}
