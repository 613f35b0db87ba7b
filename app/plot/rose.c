/* SPDX-License-Identifier: Apache-2.0 */
#include "app/plot/rose.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"

#define QUADRANTS 4
#define MARGIN_PX 4

struct _UrbariumRose
{
  UrbariumChartWidget parent_instance;
  guint               n;        /* sectors per quadrant */
  double             *weights;  /* (n): shares; nullable */
  double             *compare;  /* (n): shares; nullable */
};

G_DEFINE_FINAL_TYPE (UrbariumRose, urbarium_rose, URBARIUM_TYPE_CHART_WIDGET)

/* Returns: (nullable): %NULL if the sum is not positive */
static double *
to_shares (const double *weights, guint n)
{
  double *shares, sum = 0;

  if (weights == NULL)
    return NULL;
  for (guint i = 0; i < n; i++)
    sum += MAX (weights[i], 0);
  if (!(sum > 0) || !isfinite (sum))
    return NULL;
  shares = g_new (double, n);
  for (guint i = 0; i < n; i++)
    shares[i] = MAX (weights[i], 0) / sum;
  return shares;
}

static double
largest (const double *shares, guint n)
{
  double max = 0;

  for (guint i = 0; shares != NULL && i < n; i++)
    max = MAX (max, shares[i]);
  return max;
}

static void
update_accessible (UrbariumRose *self)
{
  g_autofree char *text = NULL;
  guint main_sector = 0;

  for (guint i = 1; self->weights != NULL && i < self->n; i++)
    if (self->weights[i] > self->weights[main_sector])
      main_sector = i;
  if (self->weights != NULL)
    {
      double width = 90.0 / self->n;
      g_autofree char *share = urbarium_format_percent (self->weights[main_sector]);
      g_autofree char *from = urbarium_format_value (main_sector * width);
      g_autofree char *to = urbarium_format_value ((main_sector + 1) * width);
      /* translators: directions of walls, modulo a quarter turn: “Most walls (34.0 %) run at 10°
       * to 15° from east, or perpendicular” */
      text = g_strdup_printf (_ ("Most walls (%s) run at %s° to %s° from east, or perpendicular"),
                              share, from, to);
    }
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Directions of walls"), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  text != NULL ? text : _ ("No data yet"), -1);
}

/* The outline of the sectors of all quadrants around the origin. */
static void
path_sectors (const UrbariumRose *self, cairo_t *cr, const double *shares, double scale)
{
  guint n = QUADRANTS * self->n;
  double width = 2 * G_PI / n;

  for (guint i = 0; i < n; i++)
    {
      double radius = scale * sqrt (shares[i % self->n]);
      /* Counterclockwise, since y points down. */
      if (radius > 0)
        cairo_arc_negative (cr, 0, 0, radius, -(double) i * width, -(i + 1.0) * width);
      else
        cairo_line_to (cr, 0, 0);
    }
  cairo_close_path (cr);
}

static void
draw_rings (const UrbariumChartStyle *style, cairo_t *cr, double radius)
{
  gdk_cairo_set_source_rgba (cr, &style->grid);
  cairo_set_line_width (cr, 1);
  cairo_arc (cr, 0, 0, radius, 0, 2 * G_PI);
  cairo_stroke (cr);
  cairo_arc (cr, 0, 0, radius * G_SQRT2 / 2, 0, 2 * G_PI); /* half the area */
  cairo_stroke (cr);
  cairo_move_to (cr, -radius, 0);
  cairo_line_to (cr, radius, 0);
  cairo_move_to (cr, 0, -radius);
  cairo_line_to (cr, 0, radius);
  cairo_stroke (cr);
}

static void
draw (UrbariumChartWidget *widget, const UrbariumChartStyle *style, cairo_t *cr, int width,
      int height)
{
  UrbariumRose *self = URBARIUM_ROSE (widget);
  double radius = MIN (width, height) / 2.0 - MARGIN_PX, max, scale;
  GdkRGBA color = urbarium_chart_style_get_color (style, 0), fill = color;

  if (self->weights == NULL || radius <= 0)
    {
      urbarium_chart_style_draw_text (style, cr, _ ("No data yet"), URBARIUM_TEXT_NORMAL,
                                      &style->dim, width / 2.0, height / 2.0, 0.5, 0.5);
      return;
    }
  max = MAX (largest (self->weights, self->n), largest (self->compare, self->n));
  scale = radius / sqrt (max);
  fill.alpha *= style->high_contrast ? 0.7f : 0.45f;
  cairo_translate (cr, width / 2.0, height / 2.0);
  draw_rings (style, cr, radius);
  path_sectors (self, cr, self->weights, scale);
  gdk_cairo_set_source_rgba (cr, &fill);
  cairo_fill_preserve (cr);
  gdk_cairo_set_source_rgba (cr, &color);
  cairo_set_line_width (cr, 1.2);
  cairo_stroke (cr);
  if (self->compare == NULL)
    return;
  path_sectors (self, cr, self->compare, scale);
  gdk_cairo_set_source_rgba (cr, &style->ink);
  cairo_set_line_width (cr, 1.6);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_stroke (cr);
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
         int *minimum_baseline, int *natural_baseline)
{
  *minimum = 80;
  *natural = 160;
}

static void
finalize (GObject *object)
{
  UrbariumRose *self = URBARIUM_ROSE (object);

  g_free (self->weights);
  g_free (self->compare);
  G_OBJECT_CLASS (urbarium_rose_parent_class)->finalize (object);
}

static void
urbarium_rose_class_init (UrbariumRoseClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  GTK_WIDGET_CLASS (klass)->measure = measure;
  URBARIUM_CHART_WIDGET_CLASS (klass)->draw = draw;
}

static void
urbarium_rose_init (UrbariumRose *self)
{
  update_accessible (self);
}

void
urbarium_rose_set_weights (UrbariumRose *self, const double *weights, const double *compare,
                           guint n)
{
  g_return_if_fail (URBARIUM_IS_ROSE (self));
  g_return_if_fail (n == 0 || weights != NULL);

  g_free (self->weights);
  g_free (self->compare);
  self->n = n;
  self->weights = to_shares (weights, n);
  self->compare = to_shares (compare, n);
  update_accessible (self);
  urbarium_chart_widget_changed (URBARIUM_CHART_WIDGET (self));
}
