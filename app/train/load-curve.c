/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/load-curve.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"

enum { LOAD, MEMORY, N_CURVES };
enum { MEMORY_COLOR = 1, WIDTH_PX = 120, HEIGHT_PX = 26 };

struct _UrbariumLoadCurve
{
  UrbariumChartWidget parent_instance;

  double samples[URBARIUM_LOAD_SAMPLES][N_CURVES]; /* oldest first */
  guint  n;
};

G_DEFINE_FINAL_TYPE (UrbariumLoadCurve, urbarium_load_curve, URBARIUM_TYPE_CHART_WIDGET)

/* ------------------------------------------------------------------------ */
/* Drawing                                                                   */

/* The newest sample is at the right edge. */
static double
get_x (UrbariumLoadCurve *self, guint i, int width)
{
  return width - (double) (self->n - 1 - i) * width / (URBARIUM_LOAD_SAMPLES - 1);
}

static double
get_y (UrbariumLoadCurve *self, guint i, int curve, int height)
{
  return 1 + (height - 2) * (1 - CLAMP (self->samples[i][curve], 0, 1));
}

/* From one gap to the next; returns the index behind it. */
static guint
trace_piece (UrbariumLoadCurve *self, cairo_t *cr, guint first, int curve, int width, int height)
{
  guint i = first;
  for (; i < self->n && isfinite (self->samples[i][curve]); i++)
    cairo_line_to (cr, get_x (self, i, width), get_y (self, i, curve, height));
  return i;
}

static void
draw_curve (UrbariumLoadCurve *self, cairo_t *cr, const GdkRGBA *color, int curve, int width, int height)
{
  for (guint i = 0; i < self->n; i++)
    {
      guint end = trace_piece (self, cr, i, curve, width, height);
      if (end > i && curve == LOAD)
        {
          cairo_path_t *line = cairo_copy_path (cr);
          cairo_line_to (cr, get_x (self, end - 1, width), height);
          cairo_line_to (cr, get_x (self, i, width), height);
          cairo_set_source_rgba (cr, color->red, color->green, color->blue, 0.3);
          cairo_fill (cr);
          cairo_append_path (cr, line);
          cairo_path_destroy (line);
        }
      gdk_cairo_set_source_rgba (cr, color);
      cairo_stroke (cr);
      i = end;
    }
}

static void
draw (UrbariumChartWidget *widget, const UrbariumChartStyle *style, cairo_t *cr, int width, int height)
{
  UrbariumLoadCurve *self = URBARIUM_LOAD_CURVE (widget);
  GdkRGBA memory = urbarium_chart_style_get_color (style, MEMORY_COLOR);
  gdk_cairo_set_source_rgba (cr, &style->grid);
  cairo_set_line_width (cr, 1);
  cairo_rectangle (cr, 0.5, 0.5, width - 1, height - 1);
  cairo_stroke (cr);
  cairo_set_line_width (cr, 1.5);
  draw_curve (self, cr, &style->accent, LOAD, width, height);
  draw_curve (self, cr, &memory, MEMORY, width, height);
}

/* ------------------------------------------------------------------------ */

/* "Load and memory: load 97 %, lately 3 to 99 %; memory 65 %" */
static void
describe (UrbariumLoadCurve *self)
{
  const double *last = self->n > 0 ? self->samples[self->n - 1] : (const double[N_CURVES]) { NAN, NAN };
  double least = INFINITY, most = -INFINITY;
  g_autoptr(GString) text = g_string_new (_ ("Load and memory"));
  for (guint i = 0; i < self->n; i++)
    if (isfinite (self->samples[i][LOAD]))
      {
        least = fmin (least, self->samples[i][LOAD]);
        most = fmax (most, self->samples[i][LOAD]);
      }
  if (isfinite (last[LOAD]))
    /* translators: shares in percent: now, the least and the largest */
    g_string_append_printf (text, _ (": load %.0f %%, lately %.0f to %.0f %%"), 100 * last[LOAD], 100 * least,
                            100 * most);
  if (isfinite (last[MEMORY]))
    /* translators: a share in percent */
    g_string_append_printf (text, _ ("; memory %.0f %%"), 100 * last[MEMORY]);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, text->str, -1);
}

void
urbarium_load_curve_add (UrbariumLoadCurve *self, double load, double memory)
{
  if (self->n == URBARIUM_LOAD_SAMPLES)
    memmove (self->samples[0], self->samples[1], sizeof self->samples[0] * --self->n);
  self->samples[self->n][LOAD] = load;
  self->samples[self->n++][MEMORY] = memory;
  describe (self);
  urbarium_chart_widget_changed (URBARIUM_CHART_WIDGET (self));
}

void
urbarium_load_curve_clear (UrbariumLoadCurve *self)
{
  self->n = 0;
  describe (self);
  urbarium_chart_widget_changed (URBARIUM_CHART_WIDGET (self));
}

guint
urbarium_load_curve_get_n (UrbariumLoadCurve *self)
{
  return self->n;
}

static void
urbarium_load_curve_class_init (UrbariumLoadCurveClass *klass)
{
  URBARIUM_CHART_WIDGET_CLASS (klass)->draw = draw;
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_IMG);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "loadcurve");
}

static void
urbarium_load_curve_init (UrbariumLoadCurve *self)
{
  gtk_widget_set_size_request (GTK_WIDGET (self), WIDTH_PX, HEIGHT_PX);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), _ ("Filled: load; line: memory; the newest on the right"));
  describe (self);
}
