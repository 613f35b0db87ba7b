/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recommend.c - see recommend.h.
 */
#include "train/recommend.h"

#include <string.h>

#include "kernels/uk.h"
#include "train/calibrate.h"
#include "train/device.h"

/* More ranks of one machine are not tried; a simpler configuration stays the choice unless another is
 * faster by this factor, about the error of a forecast between configurations. */
enum { MOST_RANKS = 16 };
#define WORTHWHILE 1.03

static void
free_candidate (gpointer data)
{
  UrbCandidate *self = data;

  urb_train_options_clear (&self->options);
  urb_preflight_clear (&self->preflight);
  urb_forecast_clear (&self->forecast);
  g_free (self->text);
  g_free (self);
}

void
urb_recommendation_clear (UrbRecommendation *self)
{
  g_clear_pointer (&self->candidates, g_ptr_array_unref);
  g_clear_pointer (&self->sentence, g_free);
}

/* ------------------------------------------------------------------------ */
/* Forecasts of this machine                                                 */

gboolean
urb_forecast_run (const UrbTrainOptions *options, const UrbPreflight *preflight, UrbCalibrate calibrate,
                  GCancellable *cancellable, UrbForecast *out, GError **error)
{
  g_autoptr(UrbCosts) costs = urb_costs_new (options, preflight->n_ranks);
  g_autoptr(GError) unsaved = NULL;

  if (!urb_forecast_make (preflight, options, costs, NULL, out, error))
    return FALSE;
  if (calibrate == URB_CALIBRATE_NEVER || urb_forecast_is_measured (out))
    return TRUE;
  urb_forecast_clear (out);
  if (!urb_calibrate (options, costs, cancellable, error))
    return FALSE;
  if (!urb_costs_save (costs, &unsaved))
    g_debug ("Costs are not kept: %s", unsaved->message);
  return urb_forecast_make (preflight, options, costs, NULL, out, error);
}

/* ------------------------------------------------------------------------ */
/* Candidates                                                                */

typedef struct
{
  const UrbTrainOptions *options; /* borrowed */
  const UrbKeeping      *keeping; /* borrowed */
  const UrbLimits       *limits;  /* borrowed */
  UrbCalibrate           calibrate;
  UrbRecommendFunc       progress;
  gpointer               data;
  GCancellable          *cancellable;
  UrbRecommendation     *out;
} Search;

static char *
describe (const UrbTrainOptions *options, const UrbTrainOptions *asked)
{
  g_autoptr(GString) text = g_string_new (NULL);

  if (options->strategy == URB_STRATEGY_MESH)
    g_string_append_printf (text, "--mesh %s", options->mesh);
  else
    g_string_append (text, urb_strategy_names[options->strategy]);
  if (options->strategy != URB_STRATEGY_MESH && options->n_ranks > 1)
    g_string_append_printf (text, ":%d", options->n_ranks);
  if (options->strategy == URB_STRATEGY_MESH && options->zero > 0)
    g_string_append_printf (text, " --zero %d", options->zero);
  if (options->accumulate != asked->accumulate)
    g_string_append_printf (text, " --accumulate %d", options->accumulate);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* A configuration to try: one of the plain strategies, or a mesh. */
typedef struct
{
  UrbStrategy strategy;
  int         n_ranks;
  UrbMesh     mesh; /* MESH */
  int         zero; /* MESH */
} Choice;

static void
choose (UrbTrainOptions *options, const Choice *choice)
{
  g_autofree char *all = g_steal_pointer (&options->backend);

  options->backend = urb_device_dup_first (all, (guint) choice->n_ranks);
  options->strategy = choice->strategy;
  options->n_ranks = choice->n_ranks;
  options->zero = choice->zero;
  g_clear_pointer (&options->mesh, g_free);
  if (choice->strategy == URB_STRATEGY_MESH)
    options->mesh = urb_mesh_dup_text (&choice->mesh);
}

/* Options that describe no run are left out; of the first one, that is the error. */
static gboolean
try (const Search *self, const Choice *choice, int accumulate, GError **error)
{
  UrbCandidate *candidate = g_new0 (UrbCandidate, 1);
  UrbTrainOptions *options = &candidate->options;
  gboolean is_first = self->out->candidates->len == 0, fits;
  g_autoptr(GError) cause = NULL;

  urb_train_options_copy (options, self->options);
  choose (options, choice);
  options->accumulate = accumulate;
  candidate->text = describe (options, self->options);
  if (g_cancellable_set_error_if_cancelled (self->cancellable, error)
      || !urb_train_options_check (options, &cause)
      || !urb_preflight_make (options, self->keeping, self->limits, &candidate->preflight, &cause))
    {
      free_candidate (candidate);
      if (cause != NULL && is_first)
        g_propagate_error (error, g_steal_pointer (&cause));
      return cause != NULL;
    }
  g_ptr_array_add (self->out->candidates, candidate);
  fits = candidate->preflight.fit != URB_FIT_NO;
  if (self->progress != NULL && fits)
    self->progress (self->data, candidate->text);
  candidate->has_forecast = fits && urb_forecast_run (options, &candidate->preflight, self->calibrate,
                                                      self->cancellable, &candidate->forecast, &cause);
  return !g_cancellable_set_error_if_cancelled (self->cancellable, error);
}

/* Then microbatches, which have statistics of their own, change the result. */
static gboolean
has_batch_norm (const Search *self)
{
  const UrbCandidate *first = self->out->candidates->pdata[0];
  const UrbPlan *plan = first->preflight.plans->pdata[0];

  return urb_net_has_batch_norm (plan->compiled->nets.g) || urb_net_has_batch_norm (plan->compiled->nets.d);
}

/* As many microbatches as were asked for; for @n_stages also 2 and 4 for each, if the result is the same. */
static gboolean
try_microbatches (const Search *self, const Choice *choice, int n_stages, GError **error)
{
  const UrbTrainOptions *options = self->options;

  if (!try (self, choice, options->accumulate, error))
    return FALSE;
  for (int k = 2; n_stages > 1 && k <= 4 && !has_batch_norm (self); k *= 2)
    if (k * n_stages != options->accumulate && options->batch % (k * n_stages) == 0
        && !try (self, choice, k * n_stages, error))
      return FALSE;
  return TRUE;
}

static gboolean
try_strategies (const Search *self, int n_ranks, GError **error)
{
  for (int s = 0; s < URB_N_STRATEGIES; s++)
    {
      Choice choice = { .strategy = (UrbStrategy) s, .n_ranks = n_ranks };
      gboolean has_stages = urb_strategy_is_pipeline (choice.strategy) && choice.strategy != URB_STRATEGY_LAYERS;

      if (choice.strategy == URB_STRATEGY_SINGLE || choice.strategy == URB_STRATEGY_MESH
          || (!urb_device_is_host (self->options->backend) && urb_strategy_is_asynchronous (choice.strategy)))
        continue;
      if (!try_microbatches (self, &choice, has_stages ? n_ranks : 1, error))
        return FALSE;
    }
  return TRUE;
}

/* With more than one axis, since one is a strategy of its own.  Of the levels of --zero the first costs no
 * time, and the last saves most. */
static gboolean
try_meshes (const Search *self, int n_ranks, GError **error)
{
  static const int levels[] = { 0, 1, 3 };

  for (int tensor = 1; tensor <= n_ranks; tensor *= 2)
    for (int data = 1; tensor * data <= n_ranks; data *= 2)
      for (gsize i = 0; i < G_N_ELEMENTS (levels); i++)
        {
          UrbMesh mesh = { .tensor = tensor, .data = data, .pipe = n_ranks / tensor / data };
          Choice choice = { URB_STRATEGY_MESH, n_ranks, mesh, levels[i] };
          int most = MAX (tensor, MAX (data, mesh.pipe));

          if (most < n_ranks && !try_microbatches (self, &choice, mesh.pipe, error))
            return FALSE;
        }
  return TRUE;
}

static gboolean
try_all (const Search *self, GError **error)
{
  const UrbTrainOptions *options = self->options;
  const Choice single = { .strategy = URB_STRATEGY_SINGLE, .n_ranks = 1 };
  gboolean on_host = urb_device_is_host (options->backend);
  int most = on_host ? (int) MIN (self->limits->available[URB_RESOURCE_CORES], MOST_RANKS)
                     : urb_device_count_spread (options->backend);

  if (options->n_threads > 0 && on_host)
    most = MIN (most, options->n_threads);
  if (!try (self, &single, options->accumulate, error) && self->out->candidates->len == 0)
    return FALSE;
  for (int n = 2; n <= MIN (most, MOST_RANKS); n *= 2)
    if (!try_strategies (self, n, error) || !try_meshes (self, n, error))
      return FALSE;
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* The choice                                                                */

static gboolean
is_candidate (const UrbCandidate *self)
{
  return self->has_forecast && !urb_strategy_is_asynchronous (self->options.strategy);
}

static int
find_best (const GPtrArray *candidates)
{
  int best = -1;

  for (guint i = 0; i < candidates->len; i++)
    {
      const UrbCandidate *candidate = candidates->pdata[i];
      const UrbCandidate *before = best < 0 ? NULL : candidates->pdata[best];
      /* One process is simplest, and one axis simpler than a mesh. */
      double factor = best == 0 || candidate->options.strategy == URB_STRATEGY_MESH ? WORTHWHILE : 1;

      if (is_candidate (candidate)
          && (before == NULL || candidate->forecast.images_per_second
                                  > factor * before->forecast.images_per_second))
        best = (int) i;
    }
  return best;
}

static char *
explain (const UrbRecommendation *self)
{
  const UrbCandidate *single = self->candidates->pdata[0], *best;
  g_autoptr(GString) text = g_string_new (NULL);

  if (self->best < 0)
    return g_strdup ("Nothing fits on this machine: choose a smaller preset or batch, or another machine.");
  best = self->candidates->pdata[self->best];
  if (self->best == 0)
    g_string_append_printf (text, "One process is best here: %.1f images/s.",
                            best->forecast.images_per_second);
  else
    g_string_append_printf (text, "%s is best here: %.1f images/s.", best->text,
                            best->forecast.images_per_second);
  if (self->best > 0 && single->has_forecast)
    g_string_append_printf (text, " One process reaches %.1f.", single->forecast.images_per_second);
  g_string_append_printf (text, " It is limited by %s.", urb_forecast_get_bottleneck (&best->forecast));
  g_string_append (text, single->has_forecast
                           ? " The model fits into one process, and a model that fits needs no model "
                             "parallelism."
                           : " The model does not fit into one process.");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

gboolean
urb_recommend (const UrbTrainOptions *options, const UrbKeeping *keeping, const UrbLimits *limits,
               UrbCalibrate calibrate, UrbRecommendFunc progress, gpointer data,
               GCancellable *cancellable, UrbRecommendation *out, GError **error)
{
  g_auto(UrbTrainOptions) resolved = { 0 };
  Search search = { &resolved, keeping, limits, calibrate, progress, data, cancellable, out };

  if (!urb_plan_resolve (options, &resolved, error))
    return FALSE;
  *out = (UrbRecommendation) { .candidates = g_ptr_array_new_with_free_func (free_candidate), .best = -1 };
  if (!try_all (&search, error))
    {
      urb_recommendation_clear (out);
      return FALSE;
    }
  out->best = find_best (out->candidates);
  out->sentence = explain (out);
  return TRUE;
}
