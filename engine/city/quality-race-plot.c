/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quality-race-plot.c - plots a race: time to the right, score upward on a logarithmic
 * scale, since half the score is twice as good.
 */
#include "city/quality-race.h"

#include <cairo-svg.h>
#include <math.h>

#include "base/atomic-file.h"

enum { WIDTH = 720, HEIGHT = 420, LEFT = 64, RIGHT = 16, TOP = 40, BOTTOM = 48 };

typedef struct
{
  double max_s, min_score, max_score;
} Range;

static const double colors[URB_RACE_N_ARMS][3] = {
  { 0.75, 0.27, 0.13 }, { 0.13, 0.40, 0.67 } /* safe for color-blind readers */
};

static cairo_status_t
append_cb (void *closure, const unsigned char *bytes, unsigned n_bytes)
{
  g_byte_array_append (closure, bytes, n_bytes);
  return CAIRO_STATUS_SUCCESS;
}

static double
to_x (const Range *range, double seconds)
{
  return LEFT + (WIDTH - LEFT - RIGHT) * seconds / range->max_s;
}

static double
to_y (const Range *range, double score)
{
  double part = log (score / range->min_score) / log (range->max_score / range->min_score);

  return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * part;
}

static Range
find_range (const UrbQualityRace *self, double threshold)
{
  Range range = { .max_s = MAX (self->budget_s, 1), .min_score = threshold, .max_score = threshold };

  for (guint i = 0; i < self->curves->len; i++)
    {
      const UrbQualityCurve *curve = self->curves->pdata[i];

      for (guint k = 0; k < curve->points->len; k++)
        {
          double score = urb_quality_curve_smooth (curve, k);

          range.max_s = fmax (range.max_s, g_array_index (curve->points, UrbQualityPoint, k).seconds);
          range.min_score = fmin (range.min_score, score);
          range.max_score = fmax (range.max_score, score);
        }
    }
  range.min_score /= 1.1;
  range.max_score *= 1.1;
  return range;
}

static void
draw_text (cairo_t *cr, double x, double y, double align, const char *text)
{
  cairo_text_extents_t extents;

  cairo_text_extents (cr, text, &extents);
  cairo_move_to (cr, x - align * extents.x_advance, y);
  cairo_show_text (cr, text);
}

static void
draw_line (cairo_t *cr, double x0, double y0, double x1, double y1)
{
  cairo_move_to (cr, x0, y0);
  cairo_line_to (cr, x1, y1);
  cairo_stroke (cr);
}

static void
draw_axes (cairo_t *cr, const Range *range)
{
  const double parts[] = { 1, 1.5, 2, 3, 5, 7 };
  /* 1, 2, 5 or 10 times a power of ten, for at most eight steps. */
  double power = pow (10, floor (log10 (range->max_s / 8))), n = range->max_s / (8 * power);
  double step = (n <= 1 ? 1 : n <= 2 ? 2 : n <= 5 ? 5 : 10) * power;

  for (double s = 0; s <= range->max_s; s += step)
    {
      g_autofree char *text = g_strdup_printf ("%g", s);

      cairo_set_source_rgb (cr, 0.87, 0.87, 0.85);
      draw_line (cr, to_x (range, s), TOP, to_x (range, s), HEIGHT - BOTTOM);
      cairo_set_source_rgb (cr, 0.25, 0.25, 0.25);
      draw_text (cr, to_x (range, s), HEIGHT - BOTTOM + 16, 0.5, text);
    }
  for (double decade = 0.01; decade < range->max_score; decade *= 10)
    for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
      {
        double score = decade * parts[i];
        g_autofree char *text = g_strdup_printf ("%g", score);

        if (score < range->min_score || score > range->max_score)
          continue;
        cairo_set_source_rgb (cr, 0.87, 0.87, 0.85);
        draw_line (cr, LEFT, to_y (range, score), WIDTH - RIGHT, to_y (range, score));
        cairo_set_source_rgb (cr, 0.25, 0.25, 0.25);
        draw_text (cr, LEFT - 6, to_y (range, score) + 4, 1, text);
      }
  draw_text (cr, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10, 0.5,
             "x: seconds of training; y: score, lower is better");
}

static void
draw_curve (cairo_t *cr, const Range *range, const UrbQualityCurve *curve)
{
  gboolean begun = FALSE;

  cairo_set_source_rgb (cr, colors[curve->arm][0], colors[curve->arm][1], colors[curve->arm][2]);
  for (guint k = 0; k < curve->points->len; k++)
    {
      double score = urb_quality_curve_smooth (curve, k);
      double seconds = g_array_index (curve->points, UrbQualityPoint, k).seconds;

      if (!isfinite (score))
        continue;
      if (begun)
        cairo_line_to (cr, to_x (range, seconds), to_y (range, score));
      else
        cairo_move_to (cr, to_x (range, seconds), to_y (range, score));
      begun = TRUE;
    }
  cairo_stroke (cr);
}

static void
draw_legend (cairo_t *cr, const UrbQualityRace *self, const Range *range, double threshold)
{
  const double dashes[] = { 6, 4 };
  g_autofree char *text = g_strdup_printf ("score %.3g", threshold);

  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    {
      double x = LEFT + arm * (WIDTH - LEFT - RIGHT) / 2.0;

      cairo_set_source_rgb (cr, colors[arm][0], colors[arm][1], colors[arm][2]);
      draw_line (cr, x, 22, x + 24, 22);
      draw_text (cr, x + 30, 26, 0, self->arms[arm]);
    }
  cairo_set_source_rgb (cr, 0.25, 0.25, 0.25);
  draw_text (cr, WIDTH - RIGHT - 4, to_y (range, threshold) - 5, 1, text);
  cairo_set_dash (cr, dashes, G_N_ELEMENTS (dashes), 0);
  draw_line (cr, LEFT, to_y (range, threshold), WIDTH - RIGHT, to_y (range, threshold));
  cairo_set_dash (cr, NULL, 0, 0);
}

gboolean
urb_quality_race_write_svg (const UrbQualityRace *self, const UrbQualityVerdict *verdict,
                            const char *path, GError **error)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new ();
  Range range = find_range (self, verdict->threshold);
  cairo_surface_t *surface = cairo_svg_surface_create_for_stream (append_cb, bytes, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (surface);
  cairo_status_t status;

  cairo_svg_surface_set_document_unit (surface, CAIRO_SVG_UNIT_PX);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  cairo_select_font_face (cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size (cr, 12);
  cairo_set_line_width (cr, 1);
  draw_axes (cr, &range);
  cairo_set_line_width (cr, 2);
  for (guint i = 0; i < self->curves->len; i++)
    draw_curve (cr, &range, self->curves->pdata[i]);
  draw_legend (cr, self, &range, verdict->threshold);
  cairo_destroy (cr);
  cairo_surface_finish (surface);
  status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    return urb_atomic_file_set_contents (path, (const char *) bytes->data, bytes->len, error);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "Could not draw '%s': %s", path,
               cairo_status_to_string (status));
  return FALSE;
}
