/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate-report.c - writes the evaluation as a folder of images.
 */
#include <cairo.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "base/atomic-file.h"
#include "base/durable.h"
#include "city/evaluate-private.h"
#include "city/plan-drawing.h"
#include "dataset/sample-grid.h"

enum
{
  PANEL_WIDTH = 300,
  PANEL_HEIGHT = 190,
  PANELS_PER_ROW = 4,
  HEADER = 40,
  N_BINS = 20,
  N_GRID_TILES = 36,
  GRID_COLUMNS = 12
};

static const double colors[URB_N_GROUPS][3] = {
  [URB_GROUP_REAL] = { 0.55, 0.58, 0.62 },
  [URB_GROUP_GENERATED] = { 0.86, 0.33, 0.13 },
  [URB_GROUP_UNTRAINED] = { 0.35, 0.55, 0.85 },
  [URB_GROUP_TRAIN] = { 0.3, 0.3, 0.3 },
};

static void
draw_bins (cairo_t *cairo, const double *bins, double highest, gboolean filled, const double *color)
{
  double width = PANEL_WIDTH - 40, height = PANEL_HEIGHT - 70, step = width / N_BINS;

  cairo_new_path (cairo);
  cairo_move_to (cairo, 20, 30 + height);
  for (int i = 0; i < N_BINS; i++)
    {
      double y = 30 + height * (1 - bins[i] / highest);

      cairo_line_to (cairo, 20 + i * step, y);
      cairo_line_to (cairo, 20 + (i + 1) * step, y);
    }
  cairo_line_to (cairo, 20 + width, 30 + height);
  cairo_set_source_rgba (cairo, color[0], color[1], color[2], filled ? 0.45 : 1);
  if (filled)
    cairo_fill (cairo);
  else
    {
      cairo_set_line_width (cairo, 1.8);
      cairo_stroke (cairo);
    }
}

static void
draw_text (cairo_t *cairo, double x, double y, double size, const char *text)
{
  cairo_set_font_size (cairo, size);
  cairo_move_to (cairo, x, y);
  cairo_show_text (cairo, text);
}

static void
draw_scale (cairo_t *cairo, UrbMeasure measure, double low, double high)
{
  const char *unit = urb_measure_info[measure].unit;

  cairo_set_source_rgb (cairo, 0.3, 0.3, 0.3);
  for (int i = 0; i <= 2; i++)
    {
      double value = urb_measure_to_display (measure, low + i * (high - low) / 2);
      g_autofree char *text = g_strdup_printf ("%.*f%s%s", fabs (value) < 10 ? 1 : 0, value,
                                               unit[0] != '\0' ? " " : "", unit);

      cairo_text_extents_t extents;

      cairo_set_font_size (cairo, 11);
      cairo_text_extents (cairo, text, &extents);
      draw_text (cairo, 20 + i * (PANEL_WIDTH - 40 - extents.x_advance) / 2, PANEL_HEIGHT - 24, 11,
                 text);
    }
}

static void
draw_panel (cairo_t *cairo, const UrbComparison *self, UrbMeasure measure)
{
  static const UrbGroup shown[] = { URB_GROUP_REAL, URB_GROUP_UNTRAINED, URB_GROUP_GENERATED };
  GArray *values[G_N_ELEMENTS (shown)];
  double bins[G_N_ELEMENTS (shown)][N_BINS] = { 0 }, low, high, highest = 1e-9;
  g_autofree char *title = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (shown); i++)
    values[i] = urb_measurements_pool (self->measured[shown[i]], measure, NULL, 0);
  low = values[0]->len > 0 ? urb_quantile (values[0], 0.01) : 0;
  high = values[0]->len > 0 ? urb_quantile (values[0], 0.99) : 1;
  if (values[2]->len > 0)
    {
      low = MIN (low, urb_quantile (values[2], 0.02));
      high = MAX (high, urb_quantile (values[2], 0.98));
    }
  if (high - low < 1e-9)
    high = low + 1;
  for (gsize i = 0; i < G_N_ELEMENTS (shown); i++)
    {
      /* Values beyond the range count in the outermost bins. */
      for (guint k = 0; k < values[i]->len; k++)
        {
          double bin = (g_array_index (values[i], double, k) - low) / (high - low) * N_BINS;

          bins[i][(int) CLAMP (bin, 0, N_BINS - 1)] += 1.0 / values[i]->len;
        }
      g_array_unref (values[i]);
      for (int b = 0; b < N_BINS && shown[i] != URB_GROUP_UNTRAINED; b++)
        highest = MAX (highest, bins[i][b]);
    }
  cairo_save (cairo);
  cairo_rectangle (cairo, 20, 28, PANEL_WIDTH - 40, PANEL_HEIGHT - 68);
  cairo_clip (cairo);
  for (gsize i = 0; i < G_N_ELEMENTS (shown); i++)
    draw_bins (cairo, bins[i], highest, shown[i] == URB_GROUP_REAL, colors[shown[i]]);
  cairo_restore (cairo);
  draw_scale (cairo, measure, low, high);
  title = g_strdup_printf ("%s   %.1f", urb_measure_info[measure].title,
                           self->results[measure].rho[URB_GROUP_GENERATED]);
  cairo_set_source_rgb (cairo, 0.1, 0.1, 0.1);
  draw_text (cairo, 20, 18, 14, title);
}

static void
draw_legend (cairo_t *cairo)
{
  static const char *const texts[] = { "real, held out", "generated", "untrained" };
  static const UrbGroup groups[] = { URB_GROUP_REAL, URB_GROUP_GENERATED, URB_GROUP_UNTRAINED };

  for (gsize i = 0; i < G_N_ELEMENTS (groups); i++)
    {
      const double *color = colors[groups[i]];

      cairo_set_source_rgb (cairo, color[0], color[1], color[2]);
      cairo_rectangle (cairo, 20 + 150.0 * (double) i, 14, 14, 14);
      cairo_fill (cairo);
      cairo_set_source_rgb (cairo, 0.1, 0.1, 0.1);
      draw_text (cairo, 40 + 150.0 * (double) i, 26, 14, texts[i]);
    }
  draw_text (cairo, 480, 26, 13,
             "number: distance from real, 1 = chance level (two halves of the real areas)");
}

static gboolean
write_distributions (const UrbEvaluation *self, const char *path, GError **error)
{
  int n_rows = (URB_N_MEASURES + PANELS_PER_ROW - 1) / PANELS_PER_ROW, n_panels = 0;
  g_autoptr(UrbCairoSurface) surface
    = cairo_image_surface_create (CAIRO_FORMAT_RGB24, PANELS_PER_ROW * PANEL_WIDTH,
                                  HEADER + n_rows * PANEL_HEIGHT);
  g_autoptr(UrbCairo) cairo = cairo_create (surface);

  cairo_set_source_rgb (cairo, 1, 1, 1);
  cairo_paint (cairo);
  cairo_select_font_face (cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  draw_legend (cairo);
  for (int m = 0; m < URB_N_MEASURES; m++)
    {
      /* Half-tones only exist before a plan is drawn. */
      const UrbComparison *comparison
        = urb_comparison_has (self->plans, (UrbMeasure) m) ? self->plans : self->pixels;

      if (!urb_comparison_has (comparison, (UrbMeasure) m))
        continue;
      cairo_save (cairo);
      cairo_translate (cairo, n_panels % PANELS_PER_ROW * PANEL_WIDTH,
                       HEADER + n_panels / PANELS_PER_ROW * PANEL_HEIGHT);
      draw_panel (cairo, comparison, (UrbMeasure) m);
      cairo_restore (cairo);
      n_panels++;
    }
  return urb_plan_write_png (surface, path, error);
}

/* ------------------------------------------------------------------------ */
/* Sample grids                                                              */

static gboolean
write_grid (const char *path, const guint8 *levels, gint64 n, int size_px, int n_channels,
            int n_columns, GError **error)
{
  return urb_sample_grid_write_png (path, levels, n, size_px, n_channels, n_columns,
                                    MAX (1, 128 / size_px), error);
}

/* @sampler: (nullable): NULL: the generated areas */
static gboolean
write_generated (UrbEvaluation *self, UrbSampler *sampler, const char *path, GError **error)
{
  gsize tile = (gsize) self->size_px * (gsize) self->size_px * (gsize) self->n_channels;
  gint64 n = MIN (N_GRID_TILES, self->plans->measured[URB_GROUP_GENERATED]->n_tiles);
  g_autofree guint8 *levels = g_malloc (tile * N_GRID_TILES);

  return (sampler != NULL ? urb_sampler_generate (sampler, self->seed, 0, n, levels, error)
                          : urb_evaluation_read_generated (self, 0, n, levels, error))
         && write_grid (path, levels, n, self->size_px, self->n_channels, GRID_COLUMNS, error);
}

static gboolean
write_real (UrbEvaluation *self, const char *path, GError **error)
{
  int n_channels = urb_encoding_get_n_channels (urb_dataset_get_info (self->dataset)->encoding);
  gsize tile = (gsize) self->size_px * (gsize) self->size_px * (gsize) n_channels;
  gint64 n;
  const gint64 *areas = urb_dataset_get_split (self->dataset, URB_SPLIT_TEST, &n);
  g_autofree guint *order = urb_shuffle ((guint) MIN (n, G_MAXUINT32), self->seed,
                                         1000 + URB_SPLIT_TEST);
  g_autofree guint8 *levels = g_malloc (tile * N_GRID_TILES);

  n = MIN (n, N_GRID_TILES);
  for (gint64 i = 0; i < n; i++)
    if (!urb_dataset_read_tile (self->dataset, areas[order[i]], self->size_px,
                                levels + (gsize) i * tile, error))
      return FALSE;
  return write_grid (path, levels, n, self->size_px, n_channels, GRID_COLUMNS, error);
}

/* Converts the number of channels, which is the same for all tiles of a grid. */
static void
convert_tile (const guint8 *from, int from_channels, guint8 *to, int to_channels, int size_px)
{
  static const guint8 grey[URB_N_CLASSES] = { 255, 0, 128 };

  for (gint64 i = 0; i < (gint64) size_px * size_px; i++)
    {
      UrbClass class_ = urb_class_from_levels (from + i * from_channels, from_channels);

      if (from_channels == to_channels)
        memcpy (to + i * to_channels, from + i * from_channels, (gsize) to_channels);
      else if (to_channels == 1)
        to[i] = grey[class_];
      else
        for (int c = 0; c < URB_N_CLASSES; c++)
          to[i * 3 + c] = c == (int) class_ ? 255 : 0;
    }
}

/* Rows in pairs: generated cities, and below each its nearest training area, turned like the city. */
static gboolean
write_closest (UrbEvaluation *self, const char *path, GError **error)
{
  enum { COLUMNS = 8 };
  int n_real_channels = urb_encoding_get_n_channels (
    urb_dataset_get_info (self->dataset)->encoding);
  gsize n_pixels = (gsize) self->size_px * (gsize) self->size_px;
  gsize tile = n_pixels * (gsize) self->n_channels;
  guint columns = MIN (COLUMNS, self->closest->len), n = self->closest->len / MAX (columns, 1) * columns;
  g_autofree guint8 *levels = g_malloc0 (tile * 2 * MAX (n, 1));
  g_autofree guint8 *real = g_malloc (n_pixels * (gsize) n_real_channels);
  g_autofree guint8 *turned = g_malloc (n_pixels * (gsize) n_real_channels);

  for (guint i = 0; i < n; i++)
    {
      const UrbResemblance *pair = &g_array_index (self->closest, UrbResemblance, i);
      guint place = i / columns * 2 * columns + i % columns;

      if (!urb_evaluation_read_generated (self, pair->generated, 1, levels + place * tile, error)
          || !urb_dataset_read_tile (self->dataset, pair->nearest.index, self->size_px, real, error))
        return FALSE;
      urb_nearest_turn_area (&pair->nearest, real, self->size_px, n_real_channels, turned);
      convert_tile (turned, n_real_channels, levels + (place + columns) * tile, self->n_channels,
                    self->size_px);
    }
  return n == 0
         || write_grid (path, levels, 2 * n, self->size_px, self->n_channels, (int) columns, error);
}

gboolean
urb_evaluation_write_report (UrbEvaluation *self, const char *folder, GError **error)
{
  static const char *const names[] = { "evaluation.json", "evaluation.txt", "distributions.png",
                                       "real.png", "generated.png", "untrained.png",
                                       "nearest.png" };
  g_autofree char *json = urb_evaluation_to_json (self, URB_EVALUATION_SUMMARY);
  g_autofree char *text = urb_evaluation_to_text (self);
  g_auto(GStrv) paths = g_new0 (char *, G_N_ELEMENTS (names) + 1);

  if (!urb_durable_make_folders (folder, 0777, error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    paths[i] = g_build_filename (folder, names[i], NULL);
  return urb_atomic_file_set_contents (paths[0], json, strlen (json), error)
         && urb_atomic_file_set_contents (paths[1], text, strlen (text), error)
         && write_distributions (self, paths[2], error) && write_real (self, paths[3], error)
         && write_generated (self, NULL, paths[4], error)
         && (self->untrained == NULL || write_generated (self, self->untrained, paths[5], error))
         && write_closest (self, paths[6], error);
}
