/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/value-histogram.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/base/format.h"

enum { DEVIATIONS = 4, HEIGHT_PX = 150, MARGIN_PX = 12 };

struct _UrbariumValueHistogram
{
  UrbariumChartWidget parent_instance;

  char          *title; /* owned */
  UrbariumValues values;
};

G_DEFINE_FINAL_TYPE (UrbariumValueHistogram, urbarium_value_histogram, URBARIUM_TYPE_CHART_WIDGET)

/* ------------------------------------------------------------------------ */
/* Counting                                                                  */

static double
value_at (const UrbTensor *tensor, gint64 i, gboolean root)
{
  double value = tensor->type == URB_TENSOR_F64 ? ((const double *) tensor->data)[i]
                                                : (double) ((const float *) tensor->data)[i];
  return root ? sqrt (value) : value;
}

/* Mean and deviation by Welford's method (1962). */
static void
measure_values (UrbariumValues *self, const UrbTensor *tensor, gboolean root)
{
  double squares = 0;
  gint64 n = 0;
  for (gint64 i = 0; i < self->n; i++)
    {
      double value = value_at (tensor, i, root), before = self->mean;
      if (!isfinite (value))
        continue;
      n++;
      self->mean += (value - before) / (double) n;
      squares += (value - before) * (value - self->mean);
      self->min = n == 1 ? value : fmin (self->min, value);
      self->max = n == 1 ? value : fmax (self->max, value);
    }
  self->n_bad = self->n - n;
  self->std = n > 0 ? sqrt (squares / (double) n) : 0;
}

void
urbarium_values_count (UrbariumValues *self, const UrbTensor *tensor, gboolean root)
{
  double width;
  *self = (UrbariumValues) { .n = 1 };
  for (int d = 0; d < tensor->n_dims; d++)
    self->n *= tensor->shape[d];
  measure_values (self, tensor, root);
  self->from = fmax (self->min, self->mean - DEVIATIONS * self->std);
  self->to = fmin (self->max, self->mean + DEVIATIONS * self->std);
  width = (self->to - self->from) / URBARIUM_N_VALUE_BINS;
  for (gint64 i = 0; i < self->n; i++)
    {
      double value = value_at (tensor, i, root);
      double bin = width > 0 ? floor ((value - self->from) / width) : URBARIUM_N_VALUE_BINS / 2;
      if (isfinite (value))
        self->counts[(int) CLAMP (bin, 0, URBARIUM_N_VALUE_BINS - 1)]++;
    }
}

/* ------------------------------------------------------------------------ */
/* Drawing                                                                   */

char *
urbarium_value_histogram_dup_summary (UrbariumValueHistogram *self)
{
  const UrbariumValues *values = &self->values;
  g_autofree char *n = urbarium_format_count (values->n), *bad = urbarium_format_count (values->n_bad);
  g_autofree char *mean = urbarium_format_value (values->mean), *std = urbarium_format_value (values->std);
  g_autofree char *min = urbarium_format_value (values->min), *max = urbarium_format_value (values->max);
  if (values->n_bad > 0)
    /* translators: a title; two counts of numbers */
    return g_strdup_printf (_ ("%s: %s of %s are not finite"), self->title, bad, n);
  /* translators: a title; a mean and a standard deviation; the least and the largest value */
  return g_strdup_printf (_ ("%s: %s ± %s, from %s to %s"), self->title, mean, std, min, max);
}

static void
draw_bars (const UrbariumValues *values, const UrbariumChartStyle *style, cairo_t *cr, int width, double top,
           double bottom)
{
  double slot = (double) (width - 2 * MARGIN_PX) / URBARIUM_N_VALUE_BINS, most = 1;
  for (int i = 0; i < URBARIUM_N_VALUE_BINS; i++)
    most = fmax (most, (double) values->counts[i]);
  gdk_cairo_set_source_rgba (cr, &style->accent);
  for (int i = 0; i < URBARIUM_N_VALUE_BINS; i++)
    {
      double height = (double) values->counts[i] / most * (bottom - top);
      cairo_rectangle (cr, MARGIN_PX + i * slot, bottom - height, fmax (slot - 1, 1), height);
    }
  cairo_fill (cr);
}

static void
draw (UrbariumChartWidget *widget, const UrbariumChartStyle *style, cairo_t *cr, int width, int height)
{
  UrbariumValueHistogram *self = URBARIUM_VALUE_HISTOGRAM (widget);
  UrbariumAxis axis = { URBARIUM_AXIS_LINEAR, self->values.from, self->values.to, MARGIN_PX, width - MARGIN_PX };
  double bottom = height - MARGIN_PX - style->text_height;
  g_autoptr(GArray) ticks = NULL;
  if (self->values.n == 0 || width < 8 * MARGIN_PX)
    return;
  urbarium_axis_sanitize (&axis);
  ticks = urbarium_axis_get_ticks (&axis, (guint) MAX (width / 90, 2));
  draw_bars (&self->values, style, cr, width, MARGIN_PX, bottom);
  gdk_cairo_set_source_rgba (cr, &style->dim);
  cairo_set_line_width (cr, 1);
  cairo_move_to (cr, MARGIN_PX, floor (bottom) + 0.5);
  cairo_line_to (cr, width - MARGIN_PX, floor (bottom) + 0.5);
  cairo_stroke (cr);
  urbarium_chart_style_draw_x_ticks (style, cr, &axis, ticks, bottom);
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
         int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_VERTICAL ? HEIGHT_PX : 100;
  *natural = orientation == GTK_ORIENTATION_VERTICAL ? HEIGHT_PX : 400;
}

/* ------------------------------------------------------------------------ */

void
urbarium_value_histogram_set_values (UrbariumValueHistogram *self, const UrbariumValues *values)
{
  g_autofree char *summary = NULL;
  self->values = *values;
  summary = urbarium_value_histogram_dup_summary (self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, summary, -1);
  urbarium_chart_widget_changed (URBARIUM_CHART_WIDGET (self));
}

GtkWidget *
urbarium_value_histogram_new (const char *title)
{
  UrbariumValueHistogram *self = g_object_new (URBARIUM_TYPE_VALUE_HISTOGRAM, NULL);
  self->title = g_strdup (title);
  return GTK_WIDGET (self);
}

static void
finalize (GObject *object)
{
  g_free (URBARIUM_VALUE_HISTOGRAM (object)->title);
  G_OBJECT_CLASS (urbarium_value_histogram_parent_class)->finalize (object);
}

static void
urbarium_value_histogram_class_init (UrbariumValueHistogramClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  GTK_WIDGET_CLASS (klass)->measure = measure;
  URBARIUM_CHART_WIDGET_CLASS (klass)->draw = draw;
}

static void
urbarium_value_histogram_init (UrbariumValueHistogram *self)
{
}
