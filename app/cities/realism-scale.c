/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The axis is logarithmic.  The label of the generated areas is above the line, the labels of the
 * reference values below.
 */
#include "app/cities/realism-scale.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/cities/realism-words.h"

enum { SIDE_PX = 12, TRACK_PX = 8, GAP_PX = 8 };

typedef enum { GENERATED, TRAIN, UNTRAINED, N_MARKS } Mark;

struct _UrbariumRealismScale
{
  UrbariumChartWidget parent_instance;
  double              marks[N_MARKS];
};

G_DEFINE_FINAL_TYPE (UrbariumRealismScale, urbarium_realism_scale, URBARIUM_TYPE_CHART_WIDGET)

static char *
dup_text (UrbariumRealismScale *self, Mark mark)
{
  g_autofree char *times = urbarium_realism_dup_times (self->marks[mark]);
  const char *format = mark == GENERATED ? _ ("Generated %s")
                       : mark == TRAIN   ? _ ("Training areas %s")
                                         : _ ("Before training %s");
  return g_strdup_printf (format, times);
}

static void
draw_track (const UrbariumChartStyle *style, cairo_t *cr, const UrbariumAxis *axis, double y)
{
  static const double steps[] = { 1, 2, 5 };
  double left = axis->from;
  for (guint i = 0; i <= G_N_ELEMENTS (steps); i++)
    {
      double right = i < G_N_ELEMENTS (steps) ? urbarium_axis_to_px (axis, steps[i]) : axis->to;
      GdkRGBA color = style->ink;
      color.alpha *= (style->high_contrast ? 0.2f : 0.1f) + 0.1f * (float) i;
      gdk_cairo_set_source_rgba (cr, &color);
      cairo_rectangle (cr, left, y, MAX (right - left - 2, 0), TRACK_PX);
      cairo_fill (cr);
      left = right;
    }
}

static void
draw_tick_labels (const UrbariumChartStyle *style, cairo_t *cr, const UrbariumAxis *axis, double y)
{
  static const double ticks[] = { 1, 2, 5, 10, 20, 50, 100 };
  for (guint i = 0; i < G_N_ELEMENTS (ticks) && ticks[i] < axis->max; i++)
    {
      g_autofree char *text = g_strdup_printf ("%g", ticks[i]);
      urbarium_chart_style_draw_text (style, cr, text, URBARIUM_TEXT_NORMAL, &style->dim,
                                      urbarium_axis_to_px (axis, ticks[i]) - 1, y, 0.5, 0);
    }
}

static void
draw_mark (const UrbariumChartStyle *style, cairo_t *cr, double x, double y, gboolean filled)
{
  GdkRGBA color = filled ? style->accent : style->ink;
  cairo_new_path (cr);
  cairo_arc (cr, x, y, filled ? 7 : 5, 0, 2 * G_PI);
  gdk_cairo_set_source_rgba (cr, filled ? &color : &style->paper);
  cairo_fill_preserve (cr);
  gdk_cairo_set_source_rgba (cr, filled ? &style->paper : &color);
  cairo_set_line_width (cr, 2);
  cairo_stroke (cr);
}

static void
draw_label (UrbariumRealismScale *self, const UrbariumChartStyle *style, cairo_t *cr, Mark mark,
            double x, double y, double width, double *begin)
{
  UrbariumTextWeight weight = mark == GENERATED ? URBARIUM_TEXT_BOLD : URBARIUM_TEXT_NORMAL;
  g_autofree char *text = dup_text (self, mark);
  double wide = urbarium_chart_style_measure_text (style, text, weight);
  /* All of the text is visible, and to the right of *begin. */
  double last = MAX (width - SIDE_PX, SIDE_PX + wide) - wide / 2;
  double middle = MAX (CLAMP (x, SIDE_PX + wide / 2, last), *begin + wide / 2);
  *begin = middle + wide / 2 + GAP_PX;
  urbarium_chart_style_draw_text (style, cr, text, weight,
                                  mark == GENERATED ? &style->ink : &style->dim, middle, y, 0.5,
                                  0);
}

static void
draw (UrbariumChartWidget *widget, const UrbariumChartStyle *style, cairo_t *cr, int width,
      int height)
{
  UrbariumRealismScale *self = URBARIUM_REALISM_SCALE (widget);
  double h = style->text_height, y = h + 6, begin = 0;
  double train_width, untrained_width, x[N_MARKS];
  UrbariumAxis axis = { URBARIUM_AXIS_LOG, 0.5, 30, SIDE_PX, MAX (width - SIDE_PX, SIDE_PX + 1) };
  g_autofree char *train = dup_text (self, TRAIN), *untrained = dup_text (self, UNTRAINED);
  for (Mark mark = 0; mark < N_MARKS; mark++)
    if (isfinite (self->marks[mark]))
      axis.max = MAX (axis.max, MIN (self->marks[mark] * 1.2, 1000));
  for (Mark mark = 0; mark < N_MARKS; mark++)
    x[mark] = urbarium_axis_to_px (&axis, CLAMP (self->marks[mark], axis.min, axis.max));
  draw_track (style, cr, &axis, y);
  draw_tick_labels (style, cr, &axis, y + TRACK_PX + 4);
  for (Mark mark = N_MARKS; mark-- > 0;)
    if (isfinite (self->marks[mark]))
      draw_mark (style, cr, x[mark], y + TRACK_PX / 2.0, mark == GENERATED);
  if (isfinite (self->marks[GENERATED]))
    draw_label (self, style, cr, GENERATED, x[GENERATED], 0, width, &begin);
  /* The two labels below must not overlap: the left one moves left. */
  train_width = urbarium_chart_style_measure_text (style, train, URBARIUM_TEXT_NORMAL);
  untrained_width = urbarium_chart_style_measure_text (style, untrained, URBARIUM_TEXT_NORMAL);
  x[TRAIN] = MIN (x[TRAIN], MAX (width - SIDE_PX - untrained_width - GAP_PX - train_width / 2,
                                 SIDE_PX + train_width / 2));
  begin = 0;
  for (guint i = 0; i < 2; i++)
    {
      Mark mark = (x[TRAIN] <= x[UNTRAINED]) == (i == 0) ? TRAIN : UNTRAINED;
      if (isfinite (self->marks[mark]))
        draw_label (self, style, cr, mark, x[mark], y + TRACK_PX + 6 + h, width, &begin);
    }
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
         int *minimum_baseline, int *natural_baseline)
{
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout (widget, "1");
  int text_height;
  pango_layout_get_pixel_size (layout, NULL, &text_height);
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 280 : 3 * text_height + TRACK_PX + 16;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 640 : *minimum;
}

void
urbarium_realism_scale_set (UrbariumRealismScale *self, double generated, double untrained,
                            double train)
{
  g_autoptr(GString) text = g_string_new (NULL);
  g_return_if_fail (URBARIUM_IS_REALISM_SCALE (self));
  self->marks[GENERATED] = generated;
  self->marks[UNTRAINED] = untrained;
  self->marks[TRAIN] = train;
  for (Mark mark = 0; mark < N_MARKS; mark++)
    {
      g_autofree char *part = dup_text (self, mark);
      g_string_append_printf (text, "%s%s", mark > 0 ? "; " : "", part);
    }
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Distance from real areas"),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text->str, -1);
  urbarium_chart_widget_changed (URBARIUM_CHART_WIDGET (self));
}

static void
urbarium_realism_scale_class_init (UrbariumRealismScaleClass *klass)
{
  GTK_WIDGET_CLASS (klass)->measure = measure;
  URBARIUM_CHART_WIDGET_CLASS (klass)->draw = draw;
}

static void
urbarium_realism_scale_init (UrbariumRealismScale *self)
{
  for (Mark mark = 0; mark < N_MARKS; mark++)
    self->marks[mark] = NAN;
}
