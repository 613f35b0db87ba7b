/* SPDX-License-Identifier: Apache-2.0 */
#include "app/plot/distribution.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"
#include "app/plot/bins.h"

enum
{
  SIDE_PX = 12,
  SWATCH_PX = 16,
  LABEL_MIN_PX = 64 /* minimum distance of labels on the axis */
};

struct _UrbariumDistribution
{
  UrbariumChartWidget parent_instance;
  char               *title, *unit; /* nullable */
  double              rho;
  UrbariumBins       *bins;         /* nullable */
};

G_DEFINE_FINAL_TYPE (UrbariumDistribution, urbarium_distribution, URBARIUM_TYPE_CHART_WIDGET)

/* Formats a median with its unit, with three significant digits. */
static char *
format_value (UrbariumDistribution *self, double value)
{
  double size = fabs (value);
  double digits = size > 0 && size < 1000 ? pow (10, 2 - floor (log10 (size))) : 1;
  g_autofree char *number = urbarium_format_value (round (value * digits) / digits);

  if (self->unit == NULL || isnan (value))
    return g_steal_pointer (&number);
  return g_strdup_printf ("%s %s", number, self->unit);
}

static void
changed (UrbariumDistribution *self)
{
  g_autofree char *real = NULL, *generated = NULL, *text = NULL;

  if (self->bins != NULL)
    {
      real = format_value (self, self->bins->real_median);
      generated = format_value (self, self->bins->generated_median);
      text = g_strdup_printf (_ ("Median of generated areas: %s; of real areas: %s"), generated, real);
    }
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  self->title != NULL ? self->title : _ ("Distribution"),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  text != NULL ? text : _ ("No data yet"), -1);
  urbarium_chart_widget_changed (URBARIUM_CHART_WIDGET (self));
}

/* The part of the drawing that contains the bins. */
typedef struct
{
  const UrbariumChartStyle *style;
  const UrbariumBins       *bins;
  UrbariumAxis              axis;
  double                    top, bottom;
  double                    highest; /* share */
} Field;

static double
bin_px (const Field *field, guint bin)
{
  return field->axis.from + bin * (field->axis.to - field->axis.from) / field->bins->n;
}

static double
share_px (const Field *field, double share)
{
  return field->bottom - share / field->highest * (field->bottom - field->top);
}

static void
draw_band (const Field *field, cairo_t *cr)
{
  GdkRGBA color = field->style->ink;

  color.alpha *= field->style->high_contrast ? 0.3f : 0.16f;
  gdk_cairo_set_source_rgba (cr, &color);
  for (guint bin = 0; bin < field->bins->n; bin++)
    {
      double high = share_px (field, field->bins->high[bin]);
      cairo_rectangle (cr, bin_px (field, bin), high, bin_px (field, bin + 1) - bin_px (field, bin),
                       share_px (field, field->bins->low[bin]) - high);
    }
  cairo_fill (cr);
}

static void
draw_outline (const Field *field, cairo_t *cr, const double *shares, const GdkRGBA *color,
              double fill_alpha)
{
  GdkRGBA fill = *color;

  fill.alpha *= fill_alpha;
  cairo_move_to (cr, field->axis.from, field->bottom);
  for (guint bin = 0; bin < field->bins->n; bin++)
    {
      cairo_line_to (cr, bin_px (field, bin), share_px (field, shares[bin]));
      cairo_line_to (cr, bin_px (field, bin + 1), share_px (field, shares[bin]));
    }
  cairo_line_to (cr, field->axis.to, field->bottom);
  gdk_cairo_set_source_rgba (cr, &fill);
  cairo_fill_preserve (cr);
  gdk_cairo_set_source_rgba (cr, color);
  cairo_set_line_width (cr, 1.6);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_stroke (cr);
}

static void
draw_median (const Field *field, cairo_t *cr, double median, const GdkRGBA *color, gboolean dashed)
{
  static const double dash[] = { 4, 3 };
  double x;

  if (isnan (median))
    return;
  x = CLAMP (urbarium_axis_to_px (&field->axis, median), field->axis.from, field->axis.to);
  gdk_cairo_set_source_rgba (cr, color);
  cairo_set_line_width (cr, 2);
  cairo_set_dash (cr, dash, dashed ? 2 : 0, 0);
  cairo_move_to (cr, x, field->top - 6);
  cairo_line_to (cr, x, field->bottom);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
}

static void
draw_bins (Field *field, cairo_t *cr)
{
  const UrbariumBins *bins = field->bins;
  const UrbariumChartStyle *style = field->style;
  GdkRGBA blue = urbarium_chart_style_get_color (style, 0);
  guint max_labels = (guint) MAX (2, (field->axis.to - field->axis.from) / LABEL_MIN_PX);
  g_autoptr(GArray) ticks = urbarium_axis_get_ticks (&field->axis, max_labels);

  for (guint bin = 0; bin < bins->n; bin++)
    field->highest = MAX (field->highest,
                          MAX (bins->high[bin], MAX (bins->real[bin], bins->generated[bin])));
  draw_band (field, cr);
  draw_outline (field, cr, bins->real, &style->ink, 0);
  draw_outline (field, cr, bins->generated, &blue, 0.25);
  draw_median (field, cr, bins->real_median, &style->ink, FALSE);
  draw_median (field, cr, bins->generated_median, &blue, TRUE);
  gdk_cairo_set_source_rgba (cr, &style->dim);
  cairo_set_line_width (cr, 1);
  cairo_move_to (cr, field->axis.from, floor (field->bottom) + 0.5);
  cairo_line_to (cr, field->axis.to, floor (field->bottom) + 0.5);
  cairo_stroke (cr);
  urbarium_chart_style_draw_x_ticks (style, cr, &field->axis, ticks, floor (field->bottom));
}

typedef enum
{
  ENTRY_REAL,
  ENTRY_GENERATED,
  ENTRY_BAND,
  N_ENTRIES
} Entry;

static void
draw_swatch (const UrbariumChartStyle *style, cairo_t *cr, Entry entry, double x, double y)
{
  GdkRGBA color = entry == ENTRY_GENERATED ? urbarium_chart_style_get_color (style, 0) : style->ink;
  GdkRGBA fill = color;

  fill.alpha *= entry == ENTRY_REAL ? 0 : entry == ENTRY_BAND ? 0.16f : 0.25f;
  cairo_rectangle (cr, floor (x) + 0.5, floor (y - 5) + 0.5, 10, 10);
  gdk_cairo_set_source_rgba (cr, &fill);
  cairo_fill_preserve (cr);
  gdk_cairo_set_source_rgba (cr, &color);
  cairo_set_line_width (cr, 1.6);
  if (entry != ENTRY_BAND)
    cairo_stroke (cr);
  cairo_new_path (cr);
}

/* Draws the legend in as many lines as needed.  Returns: its bottom */
static double
draw_legend (UrbariumDistribution *self, const UrbariumChartStyle *style, cairo_t *cr, double y,
             double width)
{
  g_autofree char *real = format_value (self, self->bins->real_median);
  g_autofree char *generated = format_value (self, self->bins->generated_median);
  char *texts[N_ENTRIES] = {
    /* translators: in a legend: “Real, median 42 m²” */
    g_strdup_printf (_ ("Real, median %s"), real),
    g_strdup_printf (_ ("Generated, median %s"), generated),
    /* translators: in a legend: the band of differences between halves of the real areas */
    g_strdup (_ ("Variation of real areas")),
  };
  double x = SIDE_PX;

  for (Entry entry = 0; entry < N_ENTRIES; entry++)
    {
      double wide = SWATCH_PX + urbarium_chart_style_measure_text (style, texts[entry],
                                                                   URBARIUM_TEXT_NORMAL);
      if (x > SIDE_PX && x + wide > width - SIDE_PX)
        {
          x = SIDE_PX;
          y += style->text_height + 2;
        }
      draw_swatch (style, cr, entry, x, y + style->text_height / 2);
      urbarium_chart_style_draw_text (style, cr, texts[entry], URBARIUM_TEXT_NORMAL, &style->dim,
                                      x + SWATCH_PX, y, 0, 0);
      x += wide + 14;
      g_free (texts[entry]);
    }
  return y + style->text_height;
}

/* Returns: its bottom */
static double
draw_head (UrbariumDistribution *self, const UrbariumChartStyle *style, cairo_t *cr, double width)
{
  double y = 8;

  if (self->title != NULL)
    {
      urbarium_chart_style_draw_text (style, cr, self->title, URBARIUM_TEXT_BOLD, &style->ink,
                                      SIDE_PX, y, 0, 0);
      if (self->unit != NULL)
        urbarium_chart_style_draw_text (
          style, cr, self->unit, URBARIUM_TEXT_NORMAL, &style->dim,
          SIDE_PX + 6 + urbarium_chart_style_measure_text (style, self->title, URBARIUM_TEXT_BOLD),
          y, 0, 0);
    }
  if (!isnan (self->rho))
    {
      g_autofree char *number = urbarium_format_number (self->rho, self->rho < 10 ? 2 : 1);
      /* translators: distance from real areas, in units of the limit of chance: “1.20 × chance” */
      g_autofree char *text = g_strdup_printf (_ ("%s × chance"), number);
      urbarium_chart_style_draw_text (style, cr, text, URBARIUM_TEXT_BOLD, &style->ink,
                                      width - SIDE_PX, y, 1, 0);
    }
  if (self->title != NULL || !isnan (self->rho))
    y += style->text_height + 3;
  return y + 3;
}

static void
draw (UrbariumChartWidget *widget, const UrbariumChartStyle *style, cairo_t *cr, int width,
      int height)
{
  UrbariumDistribution *self = URBARIUM_DISTRIBUTION (widget);
  Field field = { .style = style, .bins = self->bins };
  double y = draw_head (self, style, cr, width), axis_height = style->text_height + 12;

  if (field.bins == NULL)
    {
      urbarium_chart_style_draw_text (style, cr, _ ("No data yet"), URBARIUM_TEXT_NORMAL,
                                      &style->dim, width / 2.0, (y + height) / 2, 0.5, 0.5);
      return;
    }
  field.top = draw_legend (self, style, cr, y, width) + 14;
  field.bottom = height - axis_height;
  field.axis = (UrbariumAxis) {
    field.bins->binning == URBARIUM_BINS_LOG ? URBARIUM_AXIS_LOG : URBARIUM_AXIS_LINEAR,
    field.bins->min, field.bins->max, SIDE_PX, MAX (width - SIDE_PX, SIDE_PX + 1) };
  if (field.bottom > field.top + 8)
    draw_bins (&field, cr);
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
         int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 200 : 170;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 320 : 220;
}

static void
finalize (GObject *object)
{
  UrbariumDistribution *self = URBARIUM_DISTRIBUTION (object);

  g_free (self->title);
  g_free (self->unit);
  g_clear_pointer (&self->bins, urbarium_bins_free);
  G_OBJECT_CLASS (urbarium_distribution_parent_class)->finalize (object);
}

static void
urbarium_distribution_class_init (UrbariumDistributionClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  GTK_WIDGET_CLASS (klass)->measure = measure;
  URBARIUM_CHART_WIDGET_CLASS (klass)->draw = draw;
}

static void
urbarium_distribution_init (UrbariumDistribution *self)
{
  self->rho = NAN;
  changed (self);
}

void
urbarium_distribution_set (UrbariumDistribution *self, const UrbariumDistributionData *data)
{
  const guint *ends = data->ends != NULL ? (const guint *) data->ends->data : NULL;

  g_return_if_fail (URBARIUM_IS_DISTRIBUTION (self));

  g_free (self->title);
  g_free (self->unit);
  g_clear_pointer (&self->bins, urbarium_bins_free);
  self->title = g_strdup (data->title);
  self->unit = g_strdup (data->unit);
  self->rho = data->rho;
  if (data->real->len + data->generated->len > 0)
    self->bins = urbarium_bins_new (
      (const double *) data->real->data, data->real->len, (const double *) data->generated->data,
      data->generated->len, ends, ends != NULL ? data->ends->len : 0,
      data->log_x ? URBARIUM_BINS_LOG : URBARIUM_BINS_EVEN);
  changed (self);
}
