/* SPDX-License-Identifier: Apache-2.0 */
/*
 * score.c - see score.h.
 */
#include "city/score.h"

#include <math.h>

#include "city/evaluate-private.h"

enum
{
  SEED = 1,
  N_CITIES = 64,
  N_REAL = 128,
  MIN_VALIDATION = URB_VERDICT_MIN_AREAS
};

/* For a trial. */
enum { N_FEW_CITIES = 4, N_FEW_REAL = 16 };

struct _UrbScorer
{
  int            n_cities, n_real;
  UrbEvaluation *evaluation; /* owned, nullable; has measured the real areas */
};

static UrbScorer *
scorer_new (int n_cities, int n_real)
{
  UrbScorer *self = g_new0 (UrbScorer, 1);

  self->n_cities = n_cities;
  self->n_real = n_real;
  return self;
}

UrbScorer *
urb_scorer_new (void)
{
  return scorer_new (N_CITIES, N_REAL);
}

UrbScorer *
urb_scorer_new_short (void)
{
  return scorer_new (N_FEW_CITIES, N_FEW_REAL);
}

void
urb_scorer_free (UrbScorer *self)
{
  if (self == NULL)
    return;
  urb_evaluation_free (self->evaluation);
  g_free (self);
}

static gboolean
measure_real_areas (UrbEvaluateJob *job, int n, GError **error)
{
  const gint64 *n_split = urb_dataset_get_info (job->evaluation->dataset)->n_split;

  if (n_split[URB_SPLIT_VALIDATION] < MIN_VALIDATION)
    return urb_evaluate_measure_real (job, URB_GROUP_REAL, URB_SPLIT_TRAIN, n, NULL, error);
  return urb_evaluate_measure_real (job, URB_GROUP_REAL, URB_SPLIT_VALIDATION, n, NULL, error)
         && urb_evaluate_measure_real (job, URB_GROUP_TRAIN, URB_SPLIT_TRAIN, n, NULL, error);
}

/* @sampler: (transfer full) */
static UrbEvaluation *
evaluation_new (UrbSampler *sampler, const char *dataset, int n_real, GError **error)
{
  g_autoptr(UrbEvaluation) self = g_new0 (UrbEvaluation, 1);
  UrbEvaluateJob job = { .evaluation = self, .n_threads = 1 };

  self->sampler = sampler;
  self->seed = SEED;
  self->dataset = urb_evaluate_open_dataset (urb_sampler_get_info (sampler), dataset,
                                             &self->dataset_path, 0, error);
  if (self->dataset == NULL)
    return NULL;
  urb_evaluate_prepare (&job);
  return measure_real_areas (&job, n_real, error) ? g_steal_pointer (&self) : NULL;
}

/* The measures of the real areas hold for one dataset and one size of cities. */
static gboolean
is_usable (const UrbEvaluation *self, UrbSampler *sampler, const char *dataset)
{
  g_autofree char *path = g_canonicalize_filename (dataset, NULL);

  return self != NULL && g_strcmp0 (self->dataset_path, path) == 0
         && self->size_px == urb_sampler_get_info (sampler)->size_px;
}

static gboolean
ensure_evaluation (UrbScorer *self, const char *checkpoint, const char *dataset, GError **error)
{
  const UrbSamplerPlace place = { .n_threads = 1 };
  UrbSampler *sampler = urb_sampler_open (checkpoint, &place, error);

  if (sampler == NULL)
    return FALSE;
  if (is_usable (self->evaluation, sampler, dataset))
    {
      urb_sampler_free (self->evaluation->sampler);
      self->evaluation->sampler = sampler;
      return TRUE;
    }
  g_clear_pointer (&self->evaluation, urb_evaluation_free);
  self->evaluation = evaluation_new (sampler, dataset, self->n_real, error);
  return self->evaluation != NULL;
}

static void
forget_generated (UrbComparison *comparison)
{
  urb_measurements_free (comparison->measured[URB_GROUP_GENERATED]);
  comparison->measured[URB_GROUP_GENERATED] = urb_measurements_new ();
}

/* The limits are beyond the medians of healthy runs, which docs/reliability.md lists.  Roundness is no
 * flaw: the pixels of all generators are rounder than real buildings, and plans are straight. */
guint
urb_score_find_flaws (const UrbComparison *pixels)
{
  const UrbMeasureResult *tones = &pixels->results[URB_MEASURE_HALF_TONES];
  const UrbMeasureResult *shapes = &pixels->results[URB_MEASURE_RECTANGULARITY];
  const UrbMeasureResult *streets = &pixels->results[URB_MEASURE_ROAD_CONNECTIVITY];
  const int g = URB_GROUP_GENERATED, r = URB_GROUP_REAL;
  guint flaws = 0;

  /* No comparison is true of NaN. */
  if (tones->median[g] > tones->median[r] + 0.15)
    flaws |= 1u << URB_FLAW_HALF_TONES;
  if (shapes->median[g] < 0.8 * shapes->median[r])
    flaws |= 1u << URB_FLAW_BLOBS;
  if (streets->median[g] < 0.5 * streets->median[r])
    flaws |= 1u << URB_FLAW_STREETS;
  return flaws;
}

static void
fill_scores (const UrbEvaluation *evaluation, UrbScores *scores)
{
  static const struct { UrbScore score; UrbMeasure measure; } single[] = {
    { URB_SCORE_CONNECTIVITY, URB_MEASURE_ROAD_CONNECTIVITY },
    { URB_SCORE_HALF_TONES, URB_MEASURE_HALF_TONES },
    { URB_SCORE_RECTANGULARITY, URB_MEASURE_RECTANGULARITY },
    { URB_SCORE_HALL_WALLS, URB_MEASURE_HALL_WALLS },
    { URB_SCORE_BLOCKS, URB_MEASURE_BLOCKS },
  };
  const UrbComparison *plans = evaluation->plans, *pixels = evaluation->pixels;

  scores->values[URB_SCORE_PLANS] = plans->score[URB_GROUP_GENERATED];
  scores->values[URB_SCORE_PIXELS] = pixels->score[URB_GROUP_GENERATED];
  for (gsize i = 0; i < G_N_ELEMENTS (single); i++)
    scores->values[single[i].score] = pixels->results[single[i].measure].rho[URB_GROUP_GENERATED];
  scores->values[URB_SCORE_PRECISION] = plans->sets[URB_GROUP_GENERATED].precision;
  scores->values[URB_SCORE_RECALL] = plans->sets[URB_GROUP_GENERATED].recall;
  scores->flaws = urb_score_find_flaws (pixels);
}

gboolean
urb_scorer_score (UrbScorer *self, const char *checkpoint, const char *dataset, UrbScores *scores,
                  GError **error)
{
  gint64 begin_us = g_get_monotonic_time ();
  UrbEvaluateJob job = { .n_threads = 1 };

  if (!ensure_evaluation (self, checkpoint, dataset, error))
    return FALSE;
  job.evaluation = self->evaluation;
  job.area_size_m = urb_dataset_get_info (job.evaluation->dataset)->area_size_m;
  forget_generated (job.evaluation->plans);
  forget_generated (job.evaluation->pixels);
  if (!urb_evaluate_measure_generated (&job, URB_GROUP_GENERATED, self->n_cities, NULL, error))
    return FALSE;
  urb_comparison_run (job.evaluation->plans, SEED);
  urb_comparison_run (job.evaluation->pixels, SEED);
  *scores = (UrbScores) { .seconds = (double) (g_get_monotonic_time () - begin_us) / G_USEC_PER_SEC };
  fill_scores (job.evaluation, scores);
  return TRUE;
}
