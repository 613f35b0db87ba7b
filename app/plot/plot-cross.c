/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plot-cross.c - the crosshair: its position, and a readout of all curves there, also for screen
 * readers.
 */
#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"
#include "app/plot/plot-area-private.h"

#define PADDING 8
#define SWATCH 24     /* width of the line sample and the space after it */
#define SAMPLE 16
#define COLUMN_SPACING 12
#define BESIDE 10     /* distance from the crosshair to the readout */
#define NEAR_PX 24    /* curves without a point within this distance are omitted */
#define DOT_RADIUS 4
#define LOOK_PX 3     /* between two looks at whether the readout hides a curve */
#define SEE_THROUGH 0.75f /* of a readout that has no other place */

static gboolean
get_nearest (UrbariumSeries *series, double x, gsize *index)
{
  gsize n = urbarium_series_get_n (series);
  double before, after;

  if (n == 0)
    return FALSE;
  *index = MIN (urbarium_series_find (series, x), n - 1);
  if (*index == 0)
    return TRUE;
  urbarium_series_get (series, *index - 1, &before, NULL);
  urbarium_series_get (series, *index, &after, NULL);
  if (fabs (x - before) < fabs (after - x))
    --*index;
  return TRUE;
}

gboolean
urbarium_plot_area_read (UrbariumPlotArea *self, const UrbariumCurve *curve, double *x, double *raw,
                         double *shown)
{
  const UrbariumAxis *axis = &self->frame.x;
  gsize index;

  if (!curve->visible || !get_nearest (curve->series, self->cross_x, &index))
    return FALSE;
  urbarium_series_get (curve->series, index, x, raw);
  *shown = *raw;
  if (self->chart->smoothing > 0 && curve->smooth != NULL
      && index < urbarium_series_get_n (curve->smooth))
    urbarium_series_get (curve->smooth, index, NULL, shown);
  return fabs (urbarium_axis_to_px (axis, *x) - urbarium_axis_to_px (axis, self->cross_x))
         <= NEAR_PX;
}

void
urbarium_plot_area_set_cross (UrbariumPlotArea *self, double x)
{
  self->has_cross = TRUE;
  self->cross_x = CLAMP (x, self->frame.x.min, self->frame.x.max);
  urbarium_plot_area_update_accessible (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
urbarium_plot_area_hide_cross (UrbariumPlotArea *self)
{
  if (!self->has_cross)
    return;
  self->has_cross = FALSE;
  urbarium_plot_area_update_accessible (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
urbarium_plot_area_set_cross_px (UrbariumPlotArea *self, double px)
{
  const UrbariumChartFrame *frame = &self->frame;
  double wanted, nearest = NAN;

  if (frame->empty || px < frame->left - 2 || px > frame->left + frame->width + 2)
    {
      urbarium_plot_area_hide_cross (self);
      return;
    }
  wanted = urbarium_axis_from_px (&frame->x, px);
  for (guint i = 0; i < self->chart->curves->len; i++)
    {
      const UrbariumCurve *curve = self->chart->curves->pdata[i];
      gsize index;
      double x;
      if (!curve->visible || !get_nearest (curve->series, wanted, &index))
        continue;
      urbarium_series_get (curve->series, index, &x, NULL);
      if (x >= frame->x.min && x <= frame->x.max
          && (isnan (nearest) || fabs (x - wanted) < fabs (nearest - wanted)))
        nearest = x;
    }
  urbarium_plot_area_set_cross (self, isnan (nearest) ? wanted : nearest);
}

/* The x of the nearest point beyond @x; NaN if there is none. */
static double
next_x (UrbariumPlotArea *self, double x, int direction)
{
  double next = NAN;

  for (guint i = 0; i < self->chart->curves->len; i++)
    {
      const UrbariumCurve *curve = self->chart->curves->pdata[i];
      gsize n = urbarium_series_get_n (curve->series);
      gsize index = urbarium_series_find (curve->series, direction > 0 ? nextafter (x, INFINITY)
                                                                       : x);
      double at;
      if (!curve->visible || (direction > 0 ? index == n : index == 0))
        continue;
      urbarium_series_get (curve->series, direction > 0 ? index : index - 1, &at, NULL);
      if (isnan (next) || fabs (at - x) < fabs (next - x))
        next = at;
    }
  return next;
}

void
urbarium_plot_area_step_cross (UrbariumPlotArea *self, int direction, double min_px)
{
  const UrbariumChartFrame *frame = &self->frame;
  double least, next;

  if (frame->empty)
    return;
  if (!self->has_cross)
    {
      urbarium_plot_area_set_cross_px (self, frame->left + (direction > 0 ? 0 : frame->width));
      return;
    }
  least = urbarium_axis_from_px (
    &frame->x, urbarium_axis_to_px (&frame->x, self->cross_x) + direction * min_px);
  /* Starts just before the minimum distance, to include a point exactly there. */
  next = next_x (self, nextafter (least, -direction * INFINITY), direction);
  if (!isnan (next))
    urbarium_plot_area_set_cross (self, next);
}

typedef struct
{
  PangoLayout *name, *shown, *raw; /* owned; raw: only with a smoothed value */
  GdkRGBA      color;
  gboolean     dashed;
} Row;

static void
row_clear (Row *row)
{
  g_clear_object (&row->name);
  g_clear_object (&row->shown);
  g_clear_object (&row->raw);
}

static double
text_width (PangoLayout *layout)
{
  int width;

  pango_layout_get_pixel_size (layout, &width, NULL);
  return width;
}

static void
append_text (GtkSnapshot *snapshot, PangoLayout *layout, const GdkRGBA *color, double x, double y)
{
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT (floor (x), floor (y)));
  gtk_snapshot_append_layout (snapshot, layout, color);
  gtk_snapshot_restore (snapshot);
}

static void
snapshot_dot (UrbariumPlotArea *self, GtkSnapshot *snapshot, const UrbariumChartStyle *style,
              double x, double y, const GdkRGBA *color)
{
  const UrbariumChartFrame *frame = &self->frame;
  double px = urbarium_axis_to_px (&frame->x, x), py = urbarium_axis_to_px (&frame->y, y);

  if (!isfinite (y) || py < frame->top - 1 || py > frame->top + frame->height + 1)
    return;
  urbarium_chart_append_rounded (snapshot, px - DOT_RADIUS - 1, py - DOT_RADIUS - 1,
                                 2 * DOT_RADIUS + 2, 2 * DOT_RADIUS + 2, DOT_RADIUS + 1,
                                 &style->paper);
  urbarium_chart_append_rounded (snapshot, px - DOT_RADIUS, py - DOT_RADIUS, 2 * DOT_RADIUS,
                                 2 * DOT_RADIUS, DOT_RADIUS, color);
}

/* Creates a row for each curve, and draws its dot. */
static GArray *
collect_rows (UrbariumPlotArea *self, GtkSnapshot *snapshot, const UrbariumChartStyle *style)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (Row));

  g_array_set_clear_func (rows, (GDestroyNotify) row_clear);
  for (guint i = 0; i < self->chart->curves->len; i++)
    {
      const UrbariumCurve *curve = self->chart->curves->pdata[i];
      double x, raw, shown;
      if (urbarium_plot_area_read (self, curve, &x, &raw, &shown))
        {
          g_autofree char *shown_text = urbarium_format_value (shown);
          g_autofree char *raw_text = urbarium_format_value (raw);
          Row row = {
            .name = urbarium_chart_style_create_layout (
              style, urbarium_series_get_name (curve->series), URBARIUM_TEXT_NORMAL),
            .shown = urbarium_chart_style_create_layout (style, shown_text, URBARIUM_TEXT_BOLD),
            .color = urbarium_chart_style_get_color (style, curve->color_index),
            .dashed = curve->dash == URBARIUM_PLOT_DASHED,
          };
          if (self->chart->smoothing > 0)
            row.raw = urbarium_chart_style_create_layout (style, raw_text, URBARIUM_TEXT_NORMAL);
          g_array_append_val (rows, row);
          snapshot_dot (self, snapshot, style, x, shown, &row.color);
        }
    }
  return rows;
}

/* "Step 12,000" or the number alone. */
static char *
format_place (UrbariumPlotArea *self, double x)
{
  g_autofree char *number = urbarium_chart_format_x (x);

  if (self->chart->x_label == NULL)
    return g_steal_pointer (&number);
  /* translators: a position on the axis of a plot, its name and the number: “Step 12,000” */
  return g_strdup_printf (C_ ("place on an axis", "%s %s"), self->chart->x_label, number);
}

static void
append_outline (GtkSnapshot *snapshot, double x, double y, double width, double height, const GdkRGBA *color)
{
  const float widths[4] = { 1, 1, 1, 1 };
  const GdkRGBA colors[4] = { *color, *color, *color, *color };
  GskRoundedRect rect;

  gsk_rounded_rect_init_from_rect (&rect, &GRAPHENE_RECT_INIT (x, y, width, height), 7);
  gtk_snapshot_append_border (snapshot, &rect, widths, colors);
}

/* The y of a curve, in pixels, at @px, where its line or the marker of a point is drawn; or else NaN. */
static double
get_y_px (UrbariumPlotArea *self, const UrbariumCurve *curve, double px)
{
  const UrbariumChartFrame *frame = &self->frame;
  gsize n = urbarium_series_get_n (curve->series), n_smooth, i;
  double x[2], y[2];

  if (n < 2)
    return NAN;
  i = CLAMP (urbarium_series_find (curve->series, urbarium_axis_from_px (&frame->x, px)), 1, n - 1);
  n_smooth = self->chart->smoothing > 0 && curve->smooth != NULL ? urbarium_series_get_n (curve->smooth) : 0;
  for (int k = 0; k < 2; k++)
    {
      urbarium_series_get (i < n_smooth ? curve->smooth : curve->series, i - 1 + (gsize) k, &x[k], &y[k]);
      x[k] = urbarium_axis_to_px (&frame->x, x[k]);
      y[k] = urbarium_axis_to_px (&frame->y, y[k]);
    }
  if (isnan (y[1]) || px <= x[0])
    return fabs (px - x[0]) <= DOT_RADIUS ? y[0] : NAN;
  if (isnan (y[0]) || px >= x[1])
    return fabs (px - x[1]) <= DOT_RADIUS ? y[1] : NAN;
  return y[0] + (y[1] - y[0]) * (px - x[0]) / (x[1] - x[0]);
}

/* How often curves are below a readout there. */
static int
count_hidden (UrbariumPlotArea *self, double x, double y, double width, double height)
{
  const UrbariumChartFrame *frame = &self->frame;
  double begin = MAX (x, frame->left) - DOT_RADIUS;
  double end = MIN (x + width, frame->left + frame->width) + DOT_RADIUS;
  int n = 0;

  for (guint i = 0; i < self->chart->curves->len; i++)
    {
      const UrbariumCurve *curve = self->chart->curves->pdata[i];
      for (double px = begin; px <= end && curve->visible; px += LOOK_PX)
        {
          double py = get_y_px (self, curve, px);
          n += py > y - DOT_RADIUS - 1 && py < y + height + DOT_RADIUS + 1;
        }
    }
  return n;
}

/* Finds the place of a readout that hides least: beside the crosshair, or else at the edges.
 * Returns: whether it hides nothing */
static gboolean
place_readout (UrbariumPlotArea *self, double px, double width, double height, double *x, double *y)
{
  const UrbariumChartFrame *frame = &self->frame;
  double right = gtk_widget_get_width (GTK_WIDGET (self)) - width - 2, below = frame->top + frame->height - height - 4;
  const double xs[] = { px + BESIDE, px - BESIDE - width, frame->left + 4, right };
  const double ys[] = { frame->top + 4, MAX (frame->top + 4, below), MAX (frame->top + 4, (frame->top + 4 + below) / 2) };
  int least = G_MAXINT;

  *x = MAX (0, px - BESIDE - width);
  *y = ys[0];
  for (gsize i = 0; i < G_N_ELEMENTS (xs); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (ys) && least > 0; k++)
      {
        gboolean on_cross = xs[i] < px + BESIDE && xs[i] + width > px - BESIDE;
        int n;
        if (xs[i] < 0 || xs[i] > right || on_cross)
          continue;
        n = count_hidden (self, xs[i], ys[k], width, height);
        if (n >= least)
          continue;
        least = n;
        *x = xs[i];
        *y = ys[k];
      }
  return least == 0;
}

void
urbarium_plot_area_snapshot_cross (UrbariumPlotArea *self, GtkSnapshot *snapshot,
                                   const UrbariumChartStyle *style)
{
  const UrbariumChartFrame *frame = &self->frame;
  double px = floor (urbarium_axis_to_px (&frame->x, self->cross_x));
  double line = style->text_height + 3, name_width = 0, shown_width = 0, raw_width = 0;
  double width, height, x, y;
  GdkRGBA edge = style->ink, paper = style->paper;
  g_autofree char *place = format_place (self, self->cross_x);
  g_autoptr(PangoLayout) title = urbarium_chart_style_create_layout (style, place,
                                                                     URBARIUM_TEXT_BOLD);
  g_autoptr(GArray) rows = NULL;

  gtk_snapshot_append_color (snapshot, &style->dim,
                             &GRAPHENE_RECT_INIT (px, frame->top, 1, frame->height));
  rows = collect_rows (self, snapshot, style);
  for (guint i = 0; i < rows->len; i++)
    {
      const Row *row = &g_array_index (rows, Row, i);
      name_width = MAX (name_width, text_width (row->name));
      shown_width = MAX (shown_width, text_width (row->shown));
      if (row->raw != NULL)
        raw_width = MAX (raw_width, text_width (row->raw) + COLUMN_SPACING);
    }
  width = 2 * PADDING + MAX (text_width (title), SWATCH + name_width + COLUMN_SPACING + shown_width
                                                   + raw_width);
  height = 2 * PADDING + line * (1 + rows->len);
  if (!place_readout (self, px, width, height, &x, &y))
    paper.alpha = SEE_THROUGH;

  edge.alpha *= style->high_contrast ? 1 : 0.25f;
  append_outline (snapshot, x - 1, y - 1, width + 2, height + 2, &edge);
  urbarium_chart_append_rounded (snapshot, x, y, width, height, 6, &paper);
  append_text (snapshot, title, &style->ink, x + PADDING, y + PADDING);
  for (guint i = 0; i < rows->len; i++)
    {
      const Row *row = &g_array_index (rows, Row, i);
      double row_y = y + PADDING + (i + 1) * line;
      double shown_end = x + width - PADDING - raw_width;
      double sample_y = floor (row_y + style->text_height / 2) - 1;
      double gap = row->dashed ? 4 : 0, half = (SAMPLE - gap) / 2;
      gtk_snapshot_append_color (snapshot, &row->color,
                                 &GRAPHENE_RECT_INIT (x + PADDING, sample_y, half, 3));
      gtk_snapshot_append_color (
        snapshot, &row->color, &GRAPHENE_RECT_INIT (x + PADDING + half + gap, sample_y, half, 3));
      append_text (snapshot, row->name, &style->ink, x + PADDING + SWATCH, row_y);
      append_text (snapshot, row->shown, &style->ink, shown_end - text_width (row->shown), row_y);
      if (row->raw != NULL)
        append_text (snapshot, row->raw, &style->dim, x + width - PADDING - text_width (row->raw),
                     row_y);
    }
}

static void
describe_cross (UrbariumPlotArea *self, GString *text)
{
  g_autofree char *place = format_place (self, self->cross_x);

  g_string_append (text, place);
  for (guint i = 0; i < self->chart->curves->len; i++)
    {
      const UrbariumCurve *curve = self->chart->curves->pdata[i];
      g_autofree char *value = NULL;
      double x, raw, shown;
      if (!urbarium_plot_area_read (self, curve, &x, &raw, &shown))
        continue;
      value = urbarium_format_value (shown);
      g_string_append_printf (text, "; %s: %s", urbarium_series_get_name (curve->series), value);
    }
}

static void
describe_ends (UrbariumPlotArea *self, GString *text)
{
  for (guint i = 0; i < self->chart->curves->len; i++)
    {
      const UrbariumCurve *curve = self->chart->curves->pdata[i];
      gsize n = urbarium_series_get_n (curve->series);
      g_autofree char *place = NULL, *value = NULL;
      double x, y;
      if (!curve->visible || n == 0)
        continue;
      urbarium_series_get (curve->series, n - 1, &x, &y);
      place = format_place (self, x);
      value = urbarium_format_value (y);
      if (text->len > 0)
        g_string_append (text, "; ");
      /* translators: the end of a curve, for screen readers: “Generator: 1.23 at Step 4,000” */
      g_string_append_printf (text, _ ("%s: %s at %s"), urbarium_series_get_name (curve->series),
                              value, place);
    }
  if (text->len == 0)
    g_string_append (text, _ ("No data yet"));
}

void
urbarium_plot_area_update_accessible (UrbariumPlotArea *self)
{
  g_autoptr(GString) text = g_string_new (NULL);
  const char *label = self->chart->title != NULL ? self->chart->title : self->chart->y_label;

  if (self->has_cross)
    describe_cross (self, text);
  else
    describe_ends (self, text);
  gtk_accessible_update_property (
    GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label != NULL ? label : _ ("Plot"),
    GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text->str, -1);
}

gboolean
urbarium_plot_area_get_cross (UrbariumPlotArea *self, double *x)
{
  *x = self->cross_x;
  return self->has_cross;
}
