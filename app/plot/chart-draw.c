/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chart-draw.c - draws a chart, with curves reduced to the resolution of pixel columns.
 *
 * A column with few points keeps them; one with many is reduced to the range of their values.  A
 * curve with many points in every column is drawn as a filled band: stroking its zigzag looks the
 * same and takes Cairo 50 times as long.
 */
#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"
#include "app/plot/band.h"
#include "app/plot/chart.h"

#define FEW_POINTS 3         /* per column: kept */
#define DENSE 3              /* mean points per column of a curve drawn as a band */
#define SMOOTH_WIDTH 1.8
#define DASH 5.0
#define DASH_GAP 3.5
#define MARKER_SPACING_PX 14 /* points with a larger mean distance have markers */

typedef UrbariumBandPart Part;

static void
add_points (GArray *parts, UrbariumSeries *series, const UrbariumChartFrame *frame, gsize first,
            gsize last, guint *run)
{
  for (gsize i = first; i < last; i++)
    {
      double x, y;
      Part part;
      urbarium_series_get (series, i, &x, &y);
      if (!isfinite (y) || (frame->y.scale == URBARIUM_AXIS_LOG && y <= 0))
        {
          ++*run;
          continue;
        }
      part = (Part) { urbarium_axis_to_px (&frame->x, x), 0, 0, *run };
      part.top = part.bottom = urbarium_axis_to_px (&frame->y, y);
      g_array_append_val (parts, part);
    }
}

static void
add_column (GArray *parts, UrbariumSeries *series, const UrbariumChartFrame *frame, gsize first,
            gsize last, double px, guint *run)
{
  double min, max;
  Part part = { px, 0, 0, *run };

  if (!urbarium_series_get_range (series, first, last, &min, &max)
      || (frame->y.scale == URBARIUM_AXIS_LOG && max <= 0))
    {
      ++*run;
      return;
    }
  part.top = urbarium_axis_to_px (&frame->y, max);
  part.bottom = urbarium_axis_to_px (&frame->y, min);
  g_array_append_val (parts, part);
}

/* Includes one more point on either side, so that lines reach the edges. */
static GArray *
collect (UrbariumSeries *series, const UrbariumChartFrame *frame, gboolean *is_dense,
         gsize *n_points)
{
  GArray *parts = g_array_new (FALSE, FALSE, sizeof (Part));
  gsize n = urbarium_series_get_n (series);
  gsize first = urbarium_series_find (series, frame->x.min);
  gsize last = urbarium_series_find (series, nextafter (frame->x.max, INFINITY));
  double n_columns = frame->width / frame->column_px;
  gsize expected = (gsize) ((last - first) / n_columns);
  guint run = 0;

  *n_points = last - first;
  *is_dense = last - first > DENSE * n_columns;
  if (first > 0)
    add_points (parts, series, frame, first - 1, first, &run);
  for (double i = 0; first < last; i++)
    {
      double px = frame->left + i * frame->column_px;
      gsize end = last;
      if (i < n_columns)
        end = MIN (last, urbarium_series_find_near (
                           series, urbarium_axis_from_px (&frame->x, px + frame->column_px),
                           first + expected));
      if (end <= first)
        continue;
      expected = end - first; /* likely similar in the next column */
      if (end - first <= FEW_POINTS)
        add_points (parts, series, frame, first, end, &run);
      else
        add_column (parts, series, frame, first, end, px + frame->column_px / 2, &run);
      first = end;
    }
  if (last < n)
    add_points (parts, series, frame, last, last + 1, &run);
  return parts;
}

static const Part *
get_part (GArray *parts, guint i)
{
  return &g_array_index (parts, Part, i);
}

static void
path_line (GArray *parts, cairo_t *cr)
{
  double y = 0;

  for (guint start = 0, end; start < parts->len; start = end)
    {
      end = urbarium_band_find_run_end (get_part (parts, 0), parts->len, start);
      for (guint i = start; i < end; i++)
        {
          const Part *part = get_part (parts, i);
          double middle = (part->top + part->bottom) / 2;
          gboolean thin = part->bottom - part->top < 1;
          /* Start with the end that is closer to the current point. */
          gboolean from_top = fabs (y - part->top) < fabs (y - part->bottom);
          if (i == start)
            cairo_move_to (cr, part->x, thin ? middle : part->top);
          else
            cairo_line_to (cr, part->x, thin ? middle : from_top ? part->top : part->bottom);
          if (!thin)
            cairo_line_to (cr, part->x, from_top || i == start ? part->bottom : part->top);
          y = thin ? middle : from_top || i == start ? part->bottom : part->top;
        }
      if (end - start == 1) /* isolated between gaps: the round caps make it a dot */
        cairo_line_to (cr, get_part (parts, start)->x, y);
    }
}

/* Leaves room for half a line width at the edges. */
static UrbariumBandClip
get_clip (const UrbariumChartFrame *frame)
{
  return (UrbariumBandClip) { frame->top - 1, frame->top + frame->height + 1 };
}

static void
fill_band (GArray *parts, const UrbariumChartFrame *frame, cairo_t *cr, const GdkRGBA *color,
           double line_width)
{
  const Part *first = (const Part *) parts->data;
  guint n = parts->len;

  if (cairo_surface_get_type (cairo_get_target (cr)) != CAIRO_SURFACE_TYPE_IMAGE)
    {
      urbarium_band_fill (first, n, cr, color, line_width, get_clip (frame));
      return;
    }
  /* A path needs the points beyond the edges; a blended column there would be visible. */
  while (n > 0 && first->x < frame->left)
    {
      first++;
      n--;
    }
  while (n > 0 && first[n - 1].x > frame->left + frame->width)
    n--;
  urbarium_band_fill (first, n, cr, color, line_width, get_clip (frame));
}

/* Dashes a band by removing columns; each dash becomes a run of its own. */
static void
cut_dashes (GArray *parts)
{
  guint n_kept = 0;

  for (guint i = 0; i < parts->len; i++)
    {
      Part part = *get_part (parts, i);
      double period = floor (part.x / (DASH + DASH_GAP));
      if (part.x - period * (DASH + DASH_GAP) > DASH)
        continue;
      /* Counts the gaps between dashes in addition to existing ones. */
      part.run += (guint) MAX (period, 0);
      g_array_index (parts, Part, n_kept++) = part;
    }
  g_array_set_size (parts, n_kept);
}

static void
set_dash (const UrbariumCurve *curve, cairo_t *cr)
{
  static const double dash[] = { DASH, DASH_GAP };

  cairo_set_line_cap (cr, curve->dash == URBARIUM_PLOT_DASHED ? CAIRO_LINE_CAP_BUTT
                                                              : CAIRO_LINE_CAP_ROUND);
  cairo_set_dash (cr, dash, curve->dash == URBARIUM_PLOT_DASHED ? 2 : 0, 0);
}

static void
draw_raw (const UrbariumChart *self, const UrbariumCurve *curve, const UrbariumChartFrame *frame,
          const UrbariumChartStyle *style, cairo_t *cr)
{
  GdkRGBA color = urbarium_chart_style_get_color (style, curve->color_index);
  gboolean behind = self->smoothing > 0, is_dense;
  gsize n_points;
  g_autoptr(GArray) parts = collect (curve->series, frame, &is_dense, &n_points);

  if (is_dense)
    /* A band of raw values cannot be dashed; it is paler instead. */
    color.alpha = behind ? 0.22f : curve->dash == URBARIUM_PLOT_DASHED ? 0.45f : 0.85f;
  else if (behind)
    color.alpha = 0.35f;
  gdk_cairo_set_source_rgba (cr, &color);
  if (is_dense)
    {
      fill_band (parts, frame, cr, &color, behind ? 0.5 : 1);
      return;
    }
  cairo_set_line_width (cr, behind ? 1 : 1.6);
  set_dash (curve, cr);
  path_line (parts, cr);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  if (n_points * MARKER_SPACING_PX < frame->width)
    for (guint i = 0; i < parts->len; i++)
      {
        cairo_new_sub_path (cr);
        cairo_arc (cr, get_part (parts, i)->x, get_part (parts, i)->top, 2.8, 0, 2 * G_PI);
      }
  cairo_fill (cr);
}

static void
draw_smooth (const UrbariumCurve *curve, const UrbariumChartFrame *frame,
             const UrbariumChartStyle *style, cairo_t *cr)
{
  GdkRGBA color = urbarium_chart_style_get_color (style, curve->color_index);
  gboolean is_dense;
  gsize n_points;
  g_autoptr(GArray) parts = collect (curve->smooth, frame, &is_dense, &n_points);

  gdk_cairo_set_source_rgba (cr, &color);
  /* For exports, a slow but exact stroke is affordable. */
  if (is_dense && frame->place == URBARIUM_CHART_ON_SCREEN)
    {
      if (curve->dash == URBARIUM_PLOT_DASHED)
        cut_dashes (parts);
      fill_band (parts, frame, cr, &color, SMOOTH_WIDTH);
      return;
    }
  cairo_set_line_width (cr, SMOOTH_WIDTH);
  set_dash (curve, cr);
  path_line (parts, cr);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
}

static void
draw_curves (const UrbariumChart *self, const UrbariumChartFrame *frame,
             const UrbariumChartStyle *style, cairo_t *cr)
{
  UrbariumBandClip clip = get_clip (frame);

  cairo_save (cr);
  /* Leaves room for half a line width and for markers at the edges. */
  cairo_rectangle (cr, frame->left - 3, clip.top, frame->width + 6, clip.bottom - clip.top);
  cairo_clip (cr);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  for (guint i = 0; i < self->curves->len; i++)
    {
      const UrbariumCurve *curve = self->curves->pdata[i];
      if (curve->visible)
        draw_raw (self, curve, frame, style, cr);
    }
  for (guint i = 0; i < self->curves->len; i++)
    {
      const UrbariumCurve *curve = self->curves->pdata[i];
      if (curve->visible && self->smoothing > 0 && curve->smooth != NULL)
        draw_smooth (curve, frame, style, cr);
    }
  cairo_restore (cr);
}

static void
draw_axes (const UrbariumChart *self, const UrbariumChartFrame *frame,
           const UrbariumChartStyle *style, cairo_t *cr)
{
  double bottom = floor (frame->top + frame->height);

  cairo_set_line_width (cr, 1);
  for (guint i = 0; i < frame->y_ticks->len; i++)
    {
      const UrbariumTick *tick = &g_array_index (frame->y_ticks, UrbariumTick, i);
      double y = floor (urbarium_axis_to_px (&frame->y, tick->value)) + 0.5;
      if (tick->label == NULL)
        continue;
      gdk_cairo_set_source_rgba (cr, &style->grid);
      cairo_move_to (cr, frame->left, y);
      cairo_line_to (cr, frame->left + frame->width, y);
      cairo_stroke (cr);
      urbarium_chart_style_draw_text (style, cr, tick->label, URBARIUM_TEXT_NORMAL, &style->dim,
                                      frame->left - 7, y, 1, 0.5);
    }
  gdk_cairo_set_source_rgba (cr, &style->dim);
  cairo_move_to (cr, frame->left, bottom + 0.5);
  cairo_line_to (cr, frame->left + frame->width, bottom + 0.5);
  cairo_stroke (cr);
  urbarium_chart_style_draw_x_ticks (style, cr, &frame->x, frame->x_ticks, bottom);
}

static void
draw_labels (const UrbariumChart *self, const UrbariumChartFrame *frame,
             const UrbariumChartStyle *style, cairo_t *cr)
{
  if (self->title != NULL)
    urbarium_chart_style_draw_text (style, cr, self->title, URBARIUM_TEXT_BOLD, &style->ink,
                                    frame->left, 6, 0, 0);
  if (self->x_label != NULL)
    urbarium_chart_style_draw_text (style, cr, self->x_label, URBARIUM_TEXT_NORMAL, &style->dim,
                                    frame->left + frame->width / 2,
                                    frame->top + frame->height + style->text_height + 10, 0.5, 0);
  if (self->y_label == NULL)
    return;
  cairo_save (cr);
  cairo_translate (cr, 3, frame->top + frame->height / 2);
  cairo_rotate (cr, -G_PI_2);
  urbarium_chart_style_draw_text (style, cr, self->y_label, URBARIUM_TEXT_NORMAL, &style->dim, 0, 0,
                                  0.5, 0);
  cairo_restore (cr);
}

/* (transfer full) (nullable): at the upper edge, if a value is beyond */
static char *
describe_beyond (const UrbariumChartFrame *frame)
{
  g_autofree char *value = isnan (frame->beyond_max) ? NULL : urbarium_format_value (frame->beyond_max);
  /* translators: at the upper edge of a plot: the maximum value, which is out of view */
  return value == NULL ? NULL : g_strdup_printf (_ ("▲ up to %s"), value);
}

/* The texts of marks on the right are below that at the edge. */
static void
draw_marks (const UrbariumChart *self, const UrbariumChartFrame *frame,
            const UrbariumChartStyle *style, cairo_t *cr)
{
  static const double dash[] = { 2, 3 };
  double free_from = -INFINITY, beyond_from = INFINITY;
  g_autofree char *beyond = describe_beyond (frame);

  if (beyond != NULL)
    beyond_from = frame->left + frame->width - 8 - urbarium_chart_style_measure_text (style, beyond, URBARIUM_TEXT_NORMAL);
  cairo_set_line_width (cr, 1);
  for (guint i = 0; i < self->marks->len; i++)
    {
      const UrbariumMark *mark = self->marks->pdata[i];
      double x = floor (urbarium_axis_to_px (&frame->x, mark->x)) + 0.5;
      double width = urbarium_chart_style_measure_text (style, mark->text, URBARIUM_TEXT_NORMAL);
      if (x < frame->left || x > frame->left + frame->width)
        continue;
      gdk_cairo_set_source_rgba (cr, &style->dim);
      cairo_set_dash (cr, dash, 2, 0);
      cairo_move_to (cr, x, frame->top);
      cairo_line_to (cr, x, frame->top + frame->height);
      cairo_stroke (cr);
      cairo_set_dash (cr, NULL, 0, 0);
      if (x + 4 < free_from || x + 4 + width > frame->left + frame->width + 12)
        continue; /* no room for the text */
      free_from = x + 4 + width + 8;
      urbarium_chart_style_draw_text (style, cr, mark->text, URBARIUM_TEXT_NORMAL, &style->dim,
                                      x + 4, frame->top + (x + 4 + width > beyond_from ? style->text_height + 3 : 0),
                                      0, 0);
    }
}

/* Labels values beyond the range of the y axis. */
static void
draw_beyond (const UrbariumChartFrame *frame, const UrbariumChartStyle *style, cairo_t *cr)
{
  double x = frame->left + frame->width;
  g_autofree char *beyond = describe_beyond (frame);

  if (beyond != NULL)
    urbarium_chart_style_draw_text (style, cr, beyond, URBARIUM_TEXT_NORMAL, &style->dim, x,
                                    frame->top + 1, 1, 0);
  if (!isnan (frame->beyond_min))
    {
      g_autofree char *value = urbarium_format_value (frame->beyond_min);
      /* translators: at the lower edge of a plot: the minimum value, which is out of view */
      g_autofree char *text = g_strdup_printf (_ ("▼ down to %s"), value);
      urbarium_chart_style_draw_text (style, cr, text, URBARIUM_TEXT_NORMAL, &style->dim, x,
                                      frame->top + frame->height - 3, 1, 1);
    }
}

void
urbarium_curve_draw_sample (const UrbariumCurve *self, const UrbariumChartStyle *style, cairo_t *cr,
                            double x, double y, double width)
{
  GdkRGBA color = urbarium_chart_style_get_color (style, self->color_index);

  gdk_cairo_set_source_rgba (cr, &color);
  cairo_set_line_width (cr, 2.5);
  set_dash (self, cr);
  cairo_move_to (cr, x + 1, y);
  cairo_line_to (cr, x + width - 1, y);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
}

static void
draw_legend (const UrbariumChart *self, const UrbariumChartFrame *frame,
             const UrbariumChartStyle *style, cairo_t *cr)
{
  double x = frame->left;

  for (guint i = 0; i < self->curves->len; i++)
    {
      const UrbariumCurve *curve = self->curves->pdata[i];
      const char *name = urbarium_series_get_name (curve->series);
      if (!curve->visible)
        continue;
      urbarium_curve_draw_sample (curve, style, cr, x, frame->legend_y + style->text_height / 2,
                                  22);
      urbarium_chart_style_draw_text (style, cr, name, URBARIUM_TEXT_NORMAL, &style->ink, x + 28,
                                      frame->legend_y, 0, 0);
      x += 28 + urbarium_chart_style_measure_text (style, name, URBARIUM_TEXT_NORMAL) + 18;
    }
}

void
urbarium_chart_draw (const UrbariumChart *self, const UrbariumChartFrame *frame,
                     const UrbariumChartStyle *style, cairo_t *cr)
{
  if (frame->place == URBARIUM_CHART_ON_PAPER)
    {
      gdk_cairo_set_source_rgba (cr, &style->paper);
      cairo_paint (cr);
      draw_legend (self, frame, style, cr);
    }
  draw_labels (self, frame, style, cr);
  if (frame->empty)
    {
      urbarium_chart_style_draw_text (style, cr, _ ("No data yet"), URBARIUM_TEXT_NORMAL,
                                      &style->dim, frame->left + frame->width / 2,
                                      frame->top + frame->height / 2, 0.5, 0.5);
      return;
    }
  draw_axes (self, frame, style, cr);
  draw_marks (self, frame, style, cr);
  draw_curves (self, frame, style, cr);
  draw_beyond (frame, style, cr);
}
