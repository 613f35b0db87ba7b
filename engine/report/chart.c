/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chart.c - see chart.h.
 *
 * The vertical axis ends where nearly all points do, not at the highest: one early step with a loss of a thousand
 * would flatten the whole curve.
 */
#include "report/chart.h"

#include <math.h>

#include "base/compare.h"
#include "report/page.h"

enum { WIDTH = 480, HEIGHT = 236, LEFT = 46, RIGHT = 10, TOP = 10, BOTTOM = 38, N_TICKS = 5 };

/* Beyond it, a training has diverged, and differences may not be finite. */
#define LARGEST 1e30

/* Points above this share of all may be cut off. */
#define SHOWN_SHARE 0.99

typedef struct
{
  const UrbChart *chart;
  GString        *page;
  double          min_y, max_y; /* logarithms, if the chart is logarithmic */
} Drawing;

/* NaN if it cannot be drawn. */
static double
scale_y (const UrbChart *chart, double y)
{
  if (!(fabs (y) < LARGEST))
    return NAN;
  return chart->log_y ? (y > 0 ? log10 (y) : NAN) : y;
}

static double
to_x (const Drawing *self, double x)
{
  return LEFT + (WIDTH - LEFT - RIGHT) * x / self->chart->max_x;
}

/* @y: not NaN.  Within the plot, and a little above it if it was cut off. */
static double
to_y (const Drawing *self, double y)
{
  double part = (scale_y (self->chart, y) - self->min_y) / (self->max_y - self->min_y);

  return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * CLAMP (part, 0, 1.02);
}

static gboolean
find_range (Drawing *self)
{
  const UrbChart *chart = self->chart;
  g_autoptr(GArray) values = g_array_new (FALSE, FALSE, sizeof (double));
  double pad, band = scale_y (chart, chart->band);

  for (int i = 0; i < URB_CHART_N_LINES; i++)
    for (guint k = 0; chart->names[i] != NULL && k < chart->points[i]->len; k++)
      {
        double y = scale_y (chart, g_array_index (chart->points[i], UrbChartPoint, k).y);

        if (isfinite (y))
          g_array_append_val (values, y);
      }
  if (values->len == 0)
    return FALSE;
  g_array_sort (values, urb_compare_doubles);
  self->min_y = g_array_index (values, double, 0);
  self->max_y = g_array_index (values, double, (guint) ceil (SHOWN_SHARE * (values->len - 1)));
  if (chart->from_zero)
    self->min_y = fmin (self->min_y, 0);
  if (chart->to_y > 0)
    self->max_y = fmax (self->max_y, scale_y (chart, chart->to_y));
  if (isfinite (band))
    {
      self->min_y = fmin (self->min_y, band);
      self->max_y = fmax (self->max_y, band);
    }
  pad = fmax ((self->max_y - self->min_y) * 0.06, fmax (fabs (self->max_y), 1e-9) * 1e-3);
  if (!chart->from_zero || self->min_y < 0)
    self->min_y -= pad;
  self->max_y += pad;
  return TRUE;
}

/* 1, 2 or 5 times a power of ten, for about N_TICKS ticks. */
static double
choose_step (double range)
{
  double power = pow (10, floor (log10 (range / N_TICKS))), n = range / (N_TICKS * power);

  return (n < 1.5 ? 1 : n < 3.5 ? 2 : n < 7.5 ? 5 : 10) * power;
}

/* ------------------------------------------------------------------------ */
/* Axes                                                                      */

static char *
dup_tick (double value, double step)
{
  double magnitude = fmax (fabs (value), step);
  g_autofree char *text = NULL;

  if (value == 0)
    return g_strdup ("0");
  if (magnitude >= 1e6)
    text = g_strdup_printf ("%g M", value / 1e6);
  else if (magnitude >= 1e4)
    text = g_strdup_printf ("%g k", value / 1e3);
  else
    text = g_strdup_printf ("%.6g", value);
  return urb_page_dup_point (text);
}

static void
add_y_tick (const Drawing *self, double value, double step)
{
  g_autofree char *text = dup_tick (value, step);
  double y = to_y (self, value);

  urb_page_add (self->page, "<path class=\"rule\" d=\"M%d %.1fH%d\"/><text class=\"left\" x=\"%d\" y=\"%.1f\">%s</text>",
                LEFT, y, WIDTH - RIGHT, LEFT - 6, y + 4, text);
}

static void
add_y_ticks (const Drawing *self)
{
  double step = choose_step (self->max_y - self->min_y);

  if (!self->chart->log_y)
    for (double k = ceil (self->min_y / step); k * step <= self->max_y; k++)
      add_y_tick (self, k * step, step);
  else
    {
      static const double few[] = { 1 }, some[] = { 1, 2, 5 }, many[] = { 1, 1.5, 2, 3, 5, 7 };
      double decades = self->max_y - self->min_y;
      const double *parts = decades < 0.9 ? many : decades < 1.8 ? some : few;
      gsize n = decades < 0.9 ? G_N_ELEMENTS (many) : decades < 1.8 ? G_N_ELEMENTS (some) : G_N_ELEMENTS (few);

      for (double decade = floor (self->min_y); decade <= self->max_y; decade++)
        for (gsize i = 0; i < n; i++)
          {
            double value = parts[i] * pow (10, decade);

            if (log10 (value) >= self->min_y && log10 (value) <= self->max_y)
              add_y_tick (self, value, 0);
          }
    }
}

static void
add_x_ticks (const Drawing *self)
{
  double step = choose_step (self->chart->max_x);

  for (double k = 0; k * step <= self->chart->max_x * (1 + 1e-9); k++)
    {
      g_autofree char *text = dup_tick (k * step, step);

      urb_page_add (self->page, "<text class=\"below\" x=\"%.1f\" y=\"%d\">%s</text>", to_x (self, k * step),
                    HEIGHT - BOTTOM + 16, text);
    }
  urb_page_add (self->page, "<path class=\"axis\" d=\"M%d %dH%d\"/><text class=\"below\" x=\"%d\" y=\"%d\">%s</text>", LEFT,
                HEIGHT - BOTTOM, WIDTH - RIGHT, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 5, self->chart->x_name);
}

/* ------------------------------------------------------------------------ */
/* Lines                                                                     */

static gboolean
is_shown (const Drawing *self, double y)
{
  return isfinite (scale_y (self->chart, y));
}

/* There and back. */
static void
add_range (const Drawing *self, int line)
{
  GArray *points = self->chart->points[line];
  const char *verb = "M";

  urb_page_add (self->page, "<path class=\"range line%d\" d=\"", line);
  for (guint k = 0; k < points->len; k++, verb = "L")
    {
      const UrbChartPoint *point = &g_array_index (points, UrbChartPoint, k);
      double y = is_shown (self, point->high) ? to_y (self, point->high) : HEIGHT - BOTTOM;

      urb_page_add (self->page, "%s%.1f %.1f", verb, to_x (self, point->x), y);
    }
  for (guint k = points->len; k-- > 0;)
    {
      const UrbChartPoint *point = &g_array_index (points, UrbChartPoint, k);
      double y = is_shown (self, point->low) ? to_y (self, point->low) : HEIGHT - BOTTOM;

      urb_page_add (self->page, "L%.1f %.1f", to_x (self, point->x), y);
    }
  urb_page_add (self->page, "Z\"/>");
}

static void
add_line (const Drawing *self, int line)
{
  GArray *points = self->chart->points[line];
  const char *verb = "M";

  urb_page_add (self->page, "<path class=\"line line%d\" d=\"", line);
  for (guint k = 0; k < points->len; k++)
    {
      const UrbChartPoint *point = &g_array_index (points, UrbChartPoint, k);

      if (!is_shown (self, point->y))
        continue;
      urb_page_add (self->page, "%s%.1f %.1f", verb, to_x (self, point->x), to_y (self, point->y));
      verb = "L";
    }
  urb_page_add (self->page, "\"/>");
  for (guint k = 0; self->chart->has_dots && k < points->len; k++)
    {
      const UrbChartPoint *point = &g_array_index (points, UrbChartPoint, k);

      if (is_shown (self, point->y))
        urb_page_add (self->page, "<circle class=\"dot line%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\"/>", line,
                      to_x (self, point->x), to_y (self, point->y));
    }
}

static void
add_caption (const Drawing *self)
{
  const UrbChart *chart = self->chart;

  urb_page_add (self->page, "<figcaption><b>%s</b>", chart->title);
  for (int i = 0; i < URB_CHART_N_LINES; i++)
    if (chart->names[i] != NULL && *chart->names[i] != '\0')
      urb_page_add (self->page, "<span class=\"key line%d\">%s</span>", i, chart->names[i]);
  if (isfinite (chart->band))
    urb_page_add (self->page, "<span class=\"key band\">%s</span>", chart->band_name);
  urb_page_add (self->page, "</figcaption>\n");
}

void
urb_chart_add (GString *page, const UrbChart *chart)
{
  Drawing self = { .chart = chart, .page = page };

  if (!find_range (&self))
    return;
  urb_page_add (page, "<figure class=\"chart\">");
  add_caption (&self);
  urb_page_add (page, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">", WIDTH, HEIGHT, chart->title);
  if (isfinite (chart->band))
    urb_page_add (page, "<rect class=\"band\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>", LEFT,
                  to_y (&self, chart->band), WIDTH - LEFT - RIGHT, HEIGHT - BOTTOM - to_y (&self, chart->band));
  add_y_ticks (&self);
  for (int i = 0; i < URB_CHART_N_LINES; i++)
    if (chart->names[i] != NULL && !chart->has_dots && chart->points[i]->len > 0)
      add_range (&self, i);
  for (int i = 0; i < URB_CHART_N_LINES; i++)
    if (chart->names[i] != NULL)
      add_line (&self, i);
  add_x_ticks (&self);
  urb_page_add (page, "</svg></figure>\n");
}
