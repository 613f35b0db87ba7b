/* SPDX-License-Identifier: Apache-2.0 */
/* chart-frame.c - computes the ranges of the axes and the margins around the curves. */
#include <math.h>

#include "app/plot/chart.h"
#include "base/compare.h"

#define MAX_SAMPLES 512 /* per curve, for the percentiles */
#define MIN_SAMPLES 20  /* with fewer, no value is an outlier */
#define OUTLIERS 0.01   /* share at either end that may be cut off */
#define MAX_STRETCH 1.5 /* outliers that extend the range by more are cut off */
#define HEADROOM 0.05

typedef struct
{
  double min, max;
} Span;

static void
span_add (Span *span, double min, double max)
{
  span->min = MIN (span->min, min);
  span->max = MAX (span->max, max);
}

/* Adds the range of a curve's visible values to @all, and without outliers to @usual. */
static void
add_curve (const UrbariumChart *self, UrbariumSeries *series, double x_min, double x_max,
           Span *all, Span *usual)
{
  gsize first = urbarium_series_find (series, x_min);
  gsize last = urbarium_series_find (series, nextafter (x_max, INFINITY));
  double samples[MAX_SAMPLES], min, max;
  guint n_samples = 0, n_cut;
  gsize stride = (last - first) / MAX_SAMPLES + 1;

  if (!urbarium_series_get_range (series, first, last, &min, &max))
    return;
  for (gsize i = first; i < last; i += stride)
    {
      double y;
      urbarium_series_get (series, i, NULL, &y);
      if (isfinite (y) && (!self->log_y || y > 0))
        samples[n_samples++] = y;
    }
  qsort (samples, n_samples, sizeof *samples, urb_compare_doubles);
  if (self->log_y && min <= 0)
    min = n_samples > 0 ? samples[0] : INFINITY;
  if (self->log_y && max <= 0)
    return;
  span_add (all, min, max);
  if (n_samples < MIN_SAMPLES)
    {
      span_add (usual, min, max);
      return;
    }
  n_cut = (guint) ceil (n_samples * OUTLIERS);
  span_add (usual, samples[n_cut], samples[n_samples - 1 - n_cut]);
}

static double
extent_of (const UrbariumChart *self, Span span)
{
  return self->log_y ? log (span.max / span.min) : span.max - span.min;
}

static void
find_y_range (UrbariumChartFrame *frame, const UrbariumChart *self)
{
  Span all = { INFINITY, -INFINITY }, usual = all;
  double room;

  for (guint i = 0; i < self->curves->len; i++)
    {
      const UrbariumCurve *curve = self->curves->pdata[i];
      if (curve->visible)
        add_curve (self, curve->series, frame->x.min, frame->x.max, &all, &usual);
    }
  if (self->all_data || !(extent_of (self, all) > MAX_STRETCH * extent_of (self, usual))
      || !(extent_of (self, usual) > 0))
    usual = all;
  frame->y.scale = self->log_y ? URBARIUM_AXIS_LOG : URBARIUM_AXIS_LINEAR;
  frame->y.min = usual.min;
  frame->y.max = usual.max;
  urbarium_axis_sanitize (&frame->y);
  if (self->log_y)
    {
      room = pow (frame->y.max / frame->y.min, HEADROOM);
      frame->y.min /= room;
      frame->y.max *= room;
    }
  else
    {
      room = HEADROOM * (frame->y.max - frame->y.min);
      /* A range that starts near 0 starts at 0. */
      frame->y.min = frame->y.min >= 0 && frame->y.min < room ? 0 : frame->y.min - room;
      frame->y.max += room;
    }
  frame->beyond_min = all.min < frame->y.min ? all.min : NAN;
  frame->beyond_max = all.max > frame->y.max ? all.max : NAN;
}

static double
widest (GArray *ticks, const UrbariumChartStyle *style)
{
  double width = 0;

  for (guint i = 0; i < ticks->len; i++)
    {
      const char *label = g_array_index (ticks, UrbariumTick, i).label;
      if (label != NULL)
        width = MAX (width, urbarium_chart_style_measure_text (style, label, URBARIUM_TEXT_NORMAL));
    }
  return width;
}

static void
place (UrbariumChartFrame *frame, const UrbariumChart *self, const UrbariumChartStyle *style,
       UrbariumChartPlace where, double width, double height)
{
  double line = style->text_height, bottom, right = 16;

  frame->top = line / 2 + 4 + (self->title != NULL ? line + 8 : 0);
  frame->legend_y = frame->top;
  if (where == URBARIUM_CHART_ON_PAPER && self->curves->len > 0)
    frame->top += line + 6;
  bottom = line + 12 + (self->x_label != NULL ? line + 4 : 0);
  frame->height = MAX (height - frame->top - bottom, 1);
  frame->y.from = frame->top + frame->height;
  frame->y.to = frame->top;
  if (!frame->empty)
    frame->y_ticks = urbarium_axis_get_ticks (&frame->y,
                                              (guint) MAX (2, frame->height / (2.6 * line)));
  frame->left = 12 + (self->y_label != NULL ? line + 4 : 0)
                + (frame->empty ? 0 : widest (frame->y_ticks, style));
  frame->left = ceil (frame->left); /* aligns columns to pixels */
  frame->width = MAX (width - frame->left - right, 1);
  frame->x.from = frame->left;
  frame->x.to = frame->left + frame->width;
  if (!frame->empty)
    frame->x_ticks = urbarium_axis_get_ticks (&frame->x,
                                              (guint) MAX (2, frame->width / (6.5 * line)));
}

void
urbarium_chart_frame_init (UrbariumChartFrame *frame, const UrbariumChart *self,
                           const UrbariumChartStyle *style, UrbariumChartPlace where, double width,
                           double height, double column_px)
{
  *frame = (UrbariumChartFrame) { .place = where, .column_px = column_px, .beyond_min = NAN,
                                  .beyond_max = NAN };
  frame->empty = !urbarium_chart_get_view (self, &frame->x.min, &frame->x.max);
  if (!frame->empty)
    {
      frame->x.scale = self->log_x ? URBARIUM_AXIS_LOG : URBARIUM_AXIS_LINEAR;
      urbarium_axis_sanitize (&frame->x);
      find_y_range (frame, self);
    }
  place (frame, self, style, where, width, height);
}

void
urbarium_chart_frame_clear (UrbariumChartFrame *frame)
{
  g_clear_pointer (&frame->x_ticks, g_array_unref);
  g_clear_pointer (&frame->y_ticks, g_array_unref);
}
