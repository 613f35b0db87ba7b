/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report-results.c - what came out of a run: figures, realism, curves, sample grids.
 */
#include <math.h>
#include <string.h>

#include <glib/gi18n.h>

#include "base/show-text.h"
#include "dataset/plan-style.h"
#include "dataset/png.h"
#include "dataset/sample-grid.h"
#include "report/chart.h"
#include "report/report-private.h"
#include "run/store/folder.h"

/* ------------------------------------------------------------------------ */
/* Images                                                                    */

/* Returns: (transfer full) (nullable): %NULL if the grid was thinned since */
static char *
read_sample (const UrbReport *self, gint64 step, gsize *n_bytes)
{
  static const char signature[] = "\x89PNG\r\n\x1a\n";
  g_autofree char *name = urb_run_sample_name (step), *path = g_build_filename (self->run, name, NULL);
  g_autofree char *bytes = NULL;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR) || !g_file_get_contents (path, &bytes, n_bytes, NULL)
      || *n_bytes < strlen (signature) || memcmp (bytes, signature, strlen (signature)) != 0)
    return NULL;
  return g_steal_pointer (&bytes);
}

static void
add_sample (UrbReport *self, gint64 step, const char *caption)
{
  gsize n_bytes;
  g_autofree char *bytes = read_sample (self, step, &n_bytes), *when = urb_report_dup_step (step);
  /* translators: %s is a step: "Generated cities at step 1,200" */
  g_autofree char *words = g_strdup_printf (_ ("Generated cities at %s"), when);

  if (bytes == NULL)
    return;
  urb_page_add (self->page, "<figure class=\"grid\"><img alt=\"%s\" src=\"", words);
  urb_page_add_png (self->page, (const guint8 *) bytes, n_bytes);
  urb_page_add (self->page, "\"/><figcaption>%s</figcaption></figure>\n", caption != NULL ? caption : when);
}

/* As those of sample grids, which are drawn without the refiner. */
int
urb_report_choose_tile_size (const UrbReport *self)
{
  int size_px = self->preset != NULL ? self->preset->size_px : 0;

  return size_px > 0 && urb_dataset_has_size (self->dataset, size_px) ? size_px
                                                                      : urb_dataset_get_info (self->dataset)->resolution_px;
}

void
urb_report_add_pixels (UrbReport *self, const guint32 *pixels, gsize stride, int size_px)
{
  g_autoptr(GByteArray) png = urb_png_encode (pixels, stride, size_px, size_px);

  if (png == NULL)
    return;
  urb_page_add (self->page, "<img alt=\"\" src=\"");
  urb_page_add_png (self->page, png->data, png->len);
  urb_page_add (self->page, "\"/>");
}

void
urb_report_add_levels (UrbReport *self, const guint8 *levels, int size_px)
{
  int n_channels = urb_encoding_get_n_channels (urb_dataset_get_info (self->dataset)->encoding);
  gsize n_pixels = (gsize) size_px * (gsize) size_px;
  g_autofree guint32 *pixels = g_new (guint32, n_pixels);

  urb_plan_blend (levels, n_pixels, n_channels, pixels);
  urb_report_add_pixels (self, pixels, (gsize) size_px, size_px);
}

guint8 *
urb_report_read_area (const UrbReport *self, gint64 area, int size_px)
{
  int n_channels = urb_encoding_get_n_channels (urb_dataset_get_info (self->dataset)->encoding);
  g_autofree guint8 *levels = g_new (guint8, (gsize) size_px * (gsize) size_px * (gsize) n_channels);

  return urb_dataset_read_tile (self->dataset, area, size_px, levels, NULL) ? g_steal_pointer (&levels) : NULL;
}

static void
add_tile (UrbReport *self, gint64 area, int size_px)
{
  g_autofree guint8 *levels = urb_report_read_area (self, area, size_px);

  if (levels != NULL)
    urb_report_add_levels (self, levels, size_px);
}

/* As many as a sample grid has, evenly over the areas of training. */
static void
add_real_areas (UrbReport *self)
{
  int size_px = urb_report_choose_tile_size (self), edge = urb_sample_grid_choose_edge (size_px);
  gint64 n, n_shown;
  const gint64 *areas = urb_dataset_get_split (self->dataset, URB_SPLIT_TRAIN, &n);

  n_shown = MIN (n, edge * edge);
  urb_page_add (self->page, "<figure class=\"grid\"><div class=\"tiles\" style=\"grid-template-columns:repeat(%d,1fr)\">", edge);
  for (gint64 i = 0; i < n_shown; i++)
    add_tile (self, areas[i * n / n_shown], size_px);
  urb_page_add (self->page, "</div><figcaption>%s</figcaption></figure>\n", _ ("Real areas it learned from"));
}

/* ------------------------------------------------------------------------ */
/* Head                                                                      */

static void
add_figure (UrbReport *self, const char *name, const char *value, const char *note)
{
  urb_page_add (self->page, "<div><dt>%s</dt><dd>%s</dd><dd class=\"note\">%s</dd></div>\n", name, value, note);
}

static void
add_energy (UrbReport *self)
{
  double joules = urb_history_get_joules (self->history);
  g_autofree char *energy = urb_page_dup_value (joules / URB_KWH_J), *value = g_strdup_printf ("%s kWh", energy);
  g_autofree char *cost = urb_report_dup_cost (self, joules);

  if (joules > 0)
    add_figure (self, self->history->processor_joules <= 0 ? _ ("Energy of the GPUs")
                      : self->history->gpus->len == 0      ? _ ("Energy of the processors") : _ ("Energy"), value, cost != NULL ? cost : "");
}

static void
add_figures (UrbReport *self)
{
  const UrbHistory *history = self->history;
  const UrbScores *best = urb_history_get_best_score (history);
  g_autofree char *step = urb_page_dup_count (history->last_step), *images = urb_page_dup_count (history->images);
  g_autofree char *n_steps = urb_page_dup_count (self->config.train.n_steps);
  g_autofree char *of_steps = g_strdup_printf (/* translators: a number of steps: "of 36,000" */ _ ("of %s"), n_steps);
  g_autofree char *seconds = urb_page_dup_duration (history->seconds), *speed = urb_page_dup_value (history->images_per_s);
  g_autofree char *in_sessions = history->n_sessions > 1
                                   ? g_strdup_printf (ngettext ("in %d session", "in %d sessions", (gulong) history->n_sessions),
                                                      history->n_sessions) : NULL;

  urb_page_add (self->page, "<dl class=\"figures\">\n");
  if (best != NULL)
    {
      g_autofree char *score = urb_page_dup_value (best->values[URB_SCORE_PLANS]), *when = urb_report_dup_step (best->step);
      g_autofree char *note = g_strdup_printf (
        /* translators: %s is a step */ _ ("at %s; lower is better; 1: like real areas"), when);

      add_figure (self, _ ("Best score"), score, note);
    }
  add_figure (self, _ ("Steps"), step, of_steps);
  add_figure (self, _ ("Real images seen"), images, "");
  add_figure (self, _ ("Training time"), seconds, in_sessions != NULL ? in_sessions : "");
  if (history->images_per_s > 0)
    add_figure (self, _ ("Images per second"), speed, _ ("on average"));
  add_energy (self);
  urb_page_add (self->page, "</dl>\n");
}

/* For people. */
static const char *
get_state_words (const UrbReport *self)
{
  static const char *const words[] = {
    [URB_RUN_QUEUED] = N_ ("queued"),     [URB_RUN_STARTING] = N_ ("starting"), [URB_RUN_RUNNING] = N_ ("running"),
    [URB_RUN_PAUSING] = N_ ("pausing"),   [URB_RUN_PAUSED] = N_ ("paused"),     [URB_RUN_STOPPING] = N_ ("stopping"),
    [URB_RUN_STOPPED] = N_ ("stopped"),   [URB_RUN_FINISHED] = N_ ("finished"), [URB_RUN_FAILED] = N_ ("failed"),
  };

  return self->summary.has_state ? _ (words[self->summary.state]) : _ ("new");
}

void
urb_report_add_head (UrbReport *self)
{
  const UrbHistory *history = self->history;
  const char *state = self->summary.has_state ? urb_run_state_name (self->summary.state) : "new";
  g_autofree char *name = self->preset != NULL ? urb_show_text (self->preset->name) : NULL;
  const char *kind = self->preset != NULL && *self->preset->title != '\0' ? _ (self->preset->title) : ""; /* in po/ as well */
  g_autofree char *title = urb_show_text (kind);
  g_autofree char *begun = urb_page_dup_time (history->begun), *ended = urb_page_dup_time (history->ended);
  gint64 sample = history->samples->len > 0 ? g_array_index (history->samples, gint64, history->samples->len - 1) : -1;

  urb_page_add (self->page, "<header>\n<p class=\"brand\">%s</p>\n<h1>%s</h1>\n<p class=\"under\"><span class=\"state %s\">%s</span>",
                _ ("Urbarium · report of a run"), self->name, state, get_state_words (self));
  if (self->preset != NULL)
    {
      /* translators: the name of the networks, and what they are */
      g_autofree char *networks = g_strdup_printf (_ ("networks %s: %s"), name, title);

      urb_page_add (self->page, "%s", networks);
    }
  if (history->begun > 0)
    {
      /* translators: two times */
      g_autofree char *times = g_strdup_printf (_ ("begun %s, last record %s"), begun, ended);

      urb_page_add (self->page, " · %s", times);
    }
  urb_page_add (self->page, "</p>\n</header>\n<main>\n");
  add_figures (self);
  urb_page_add (self->page, "<section class=\"pair\">\n");
  if (sample >= 0)
    {
      g_autofree char *when = urb_report_dup_step (sample), *caption = NULL;
      /* translators: %s is a step */
      caption = g_strdup_printf (_ ("Generated cities, %s"), when);

      add_sample (self, sample, caption);
    }
  if (self->dataset != NULL)
    add_real_areas (self);
  urb_page_add (self->page, "</section>\n");
}

/* ------------------------------------------------------------------------ */
/* Realism                                                                   */

typedef struct
{
  UrbScore    score;
  const char *title; /* translatable */
} Measure;

static const Measure measures[] = {
  { URB_SCORE_PLANS, N_ ("All measures of the plans") },
  { URB_SCORE_PIXELS, N_ ("All measures of the pixels") },
  { URB_SCORE_CONNECTIVITY, N_ ("Roads in one network") },
  { URB_SCORE_HALF_TONES, N_ ("Half-tones") },
  { URB_SCORE_RECTANGULARITY, N_ ("Right angles of buildings") },
  { URB_SCORE_HALL_WALLS, N_ ("Straight walls of halls") },
  { URB_SCORE_BLOCKS, N_ ("Blocks per area") },
};

/* The bars of distances are logarithmic, from LEAST to MOST. */
#define LEAST 0.1
#define MOST 30.0
enum { BAR_WIDTH = 300 };

static double
to_bar (double distance)
{
  return BAR_WIDTH * log (CLAMP (distance, LEAST, MOST) / LEAST) / log (MOST / LEAST);
}

static void
add_mark (UrbReport *self, const char *kind, double distance)
{
  if (isfinite (distance))
    urb_page_add (self->page, "<rect class=\"%s\" x=\"%.1f\" y=\"2\" width=\"3\" height=\"12\"/>", kind, to_bar (distance) - 1.5);
}

/* @last: (nullable) */
static void
add_measure (UrbReport *self, const Measure *measure, const UrbScores *best, const UrbScores *last)
{
  double at_best = best->values[measure->score], at_last = last != NULL ? last->values[measure->score] : NAN;
  g_autofree char *best_text = urb_page_dup_value (at_best), *last_text = urb_page_dup_value (at_last);

  if (!isfinite (at_best) && !isfinite (at_last))
    return;
  urb_page_add (self->page, "<tr><th scope=\"row\">%s</th><td class=\"bar\"><svg viewBox=\"0 0 %d 16\" preserveAspectRatio=\"none\" "
                            "aria-hidden=\"true\"><rect class=\"band\" width=\"%.1f\" height=\"16\"/>", _ (measure->title), BAR_WIDTH, to_bar (1));
  add_mark (self, "newest", at_last);
  add_mark (self, "best", at_best);
  urb_page_add (self->page, "</svg></td><td class=\"number\">%s</td>", best_text);
  if (last != NULL)
    urb_page_add (self->page, "<td class=\"number\">%s</td>", last_text);
  urb_page_add (self->page, "</tr>\n");
}

static void
add_measures (UrbReport *self, const UrbScores *best, const UrbScores *last)
{
  g_autofree char *best_step = urb_report_dup_step (best->step), *last_step = last != NULL ? urb_report_dup_step (last->step) : NULL;

  /* translators: %s is a step */
  g_autofree char *best_words = g_strdup_printf (_ ("best, %s"), best_step);
  g_autofree char *last_words = last != NULL ? g_strdup_printf (/* translators: %s is a step */ _ ("newest, %s"), last_step) : NULL;

  urb_page_add (self->page, "<table class=\"realism\"><thead><tr><th>%s</th><td class=\"bar keys\"><span class=\"key band\">"
                            "%s</span><span class=\"key best\">%s</span>", _ ("Distance to real areas"),
                _ ("up to 1: as real areas differ"), best_step);
  if (last != NULL)
    urb_page_add (self->page, "<span class=\"key newest\">%s</span>", last_step);
  urb_page_add (self->page, "</td><th class=\"number\">%s</th>", best_words);
  if (last != NULL)
    urb_page_add (self->page, "<th class=\"number\">%s</th>", last_words);
  urb_page_add (self->page, "</tr></thead><tbody>\n");
  for (gsize i = 0; i < G_N_ELEMENTS (measures); i++)
    add_measure (self, &measures[i], best, last);
  urb_page_add (self->page, "</tbody></table>\n");
}

static void
add_shares (UrbReport *self, const UrbScores *best)
{
  double precision = best->values[URB_SCORE_PRECISION], recall = best->values[URB_SCORE_RECALL];

  if (isfinite (precision) && isfinite (recall))
    urb_page_add_paragraph (self->page,
                            _ ("%.0f %% of its cities are like some real area (precision), and %.0f %% of the real areas are "
                               "like some city (recall)."), 100 * precision, 100 * recall);
}

void
urb_report_add_realism (UrbReport *self)
{
  const UrbScores *best = urb_history_get_best_score (self->history), *last = urb_history_get_last_score (self->history);
  g_autofree char *step = NULL, *distance = NULL;

  if (best == NULL)
    return;
  step = urb_report_dup_step (best->step);
  distance = urb_page_dup_value (best->values[URB_SCORE_PLANS]);
  urb_page_begin_section (self->page, _ ("Realism"));
  urb_page_add_paragraph (self->page,
                          /* translators: a step, and a number */
                          _ ("Over all measures of plans, the cities of %s are %s times as far from real areas as real areas of "
                             "different places are from each other. They were compared with areas that are held out for "
                             "validation or, if there were too few of these, with areas of training."), step, distance);
  add_measures (self, best, last->step != best->step ? last : NULL);
  add_shares (self, best);
  urb_page_add (self->page, "</section>\n");
}

/* ------------------------------------------------------------------------ */
/* Curves                                                                    */

static GArray *
new_metric_points (const UrbHistory *history, UrbStepMetric metric)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (UrbChartPoint));

  for (int b = 0; b < URB_HISTORY_N_BINS; b++)
    {
      const UrbHistoryBin *bin = &history->bins[b];
      double mean = bin->values[metric].mean, deviation = urb_history_bin_get_deviation (bin, metric);
      UrbChartPoint point = { ((double) bin->first_step + (double) bin->last_step) / 2, mean, mean - deviation, mean + deviation };

      if (bin->values[metric].n > 0)
        g_array_append_val (points, point);
    }
  return points;
}

static GArray *
new_speed_points (const UrbHistory *history)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (UrbChartPoint));

  for (int b = 0; b < URB_HISTORY_N_BINS; b++)
    {
      const UrbHistoryBin *bin = &history->bins[b];
      double speed = bin->seconds > 0 ? bin->images / bin->seconds : NAN;
      UrbChartPoint point = { ((double) bin->first_step + (double) bin->last_step) / 2, speed, speed, speed };

      if (isfinite (speed))
        g_array_append_val (points, point);
    }
  return points;
}

static GArray *
new_score_points (const UrbHistory *history, UrbScore score)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (UrbChartPoint));

  for (guint i = 0; i < history->scores->len; i++)
    {
      const UrbScores *scores = &g_array_index (history->scores, UrbScores, i);
      UrbChartPoint point = { (double) scores->step, scores->values[score], scores->values[score], scores->values[score] };

      if (isfinite (point.y))
        g_array_append_val (points, point);
    }
  return points;
}

/* Takes the points. */
static void
add_chart (UrbReport *self, UrbChart chart)
{
  chart.max_x = (double) MAX (self->history->last_step, 1);
  chart.x_name = _ ("step");
  urb_chart_add (self->page, &chart);
  for (int i = 0; i < URB_CHART_N_LINES; i++)
    g_clear_pointer (&chart.points[i], g_array_unref);
}

static void
add_metric_chart (UrbReport *self, const char *title, UrbStepMetric a, const char *name_a, UrbStepMetric b, const char *name_b,
                  gboolean log_y)
{
  add_chart (self, (UrbChart){ .title = title, .names = { name_a, name_b }, .band = NAN, .log_y = log_y,
                               .points = { new_metric_points (self->history, a), new_metric_points (self->history, b) } });
}

void
urb_report_add_curves (UrbReport *self)
{
  const UrbHistory *history = self->history;
  const char *generator = _ ("generator"), *discriminator = _ ("discriminator");

  if (history->last_step == 0)
    return;
  urb_page_begin_section (self->page, _ ("Curves"));
  urb_page_add (self->page, "<div class=\"charts\">\n");
  add_chart (self, (UrbChart){ .title = _ ("Distance to real areas"), .names = { _ ("plans"), _ ("pixels") }, .log_y = TRUE,
                               .has_dots = TRUE,
                               .points = { new_score_points (history, URB_SCORE_PLANS), new_score_points (history, URB_SCORE_PIXELS) },
                               .band = 1, .band_name = _ ("real areas") });
  add_chart (self, (UrbChart){ .title = _ ("Shares"), .names = { _ ("precision"), _ ("recall") }, .from_zero = TRUE, .to_y = 1,
                               .has_dots = TRUE, .band = NAN,
                               .points = { new_score_points (history, URB_SCORE_PRECISION), new_score_points (history, URB_SCORE_RECALL) } });
  add_metric_chart (self, _ ("Loss"), URB_METRIC_LOSS_G, generator, URB_METRIC_LOSS_D, discriminator, FALSE);
  add_metric_chart (self, _ ("Judgement, logit"), URB_METRIC_LOGIT_REAL, _ ("real"), URB_METRIC_LOGIT_FAKE, _ ("generated"), FALSE);
  add_metric_chart (self, _ ("Gradient norm"), URB_METRIC_GRAD_NORM_G, generator, URB_METRIC_GRAD_NORM_D, discriminator, TRUE);
  add_chart (self, (UrbChart){ .title = _ ("Images per second"), .names = { "" }, .from_zero = TRUE, .band = NAN,
                               .points = { new_speed_points (history) } });
  urb_page_add (self->page, "</div>\n<p class=\"note\">%s</p>\n</section>\n",
                _ ("A line is the mean of neighboring steps, and the shade behind it their standard deviation."));
}

/* ------------------------------------------------------------------------ */
/* Sample grids                                                              */

enum { N_SAMPLES = 6 };

/* A generator changes most in the beginning, so the grids are closer there. */
void
urb_report_add_samples (UrbReport *self)
{
  GArray *samples = self->history->samples;
  gint64 shown = -1;

  if (samples->len < 3)
    return;
  urb_page_begin_section (self->page, _ ("Through time"));
  urb_page_add_paragraph (self->page, "%s", _ ("The same seeds, from the untrained generator to the newest."));
  urb_page_add (self->page, "<div class=\"grids\">\n");
  for (int i = 0; i < N_SAMPLES; i++)
    {
      double part = (double) i / (N_SAMPLES - 1), last = (double) g_array_index (samples, gint64, samples->len - 1);
      gint64 nearest = g_array_index (samples, gint64, 0);

      for (guint k = 0; k < samples->len; k++)
        if (fabs ((double) g_array_index (samples, gint64, k) - part * part * last) < fabs ((double) nearest - part * part * last))
          nearest = g_array_index (samples, gint64, k);
      if (nearest != shown)
        add_sample (self, nearest, NULL);
      shown = nearest;
    }
  urb_page_add (self->page, "</div>\n</section>\n");
}
