/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch-finder.c - see batch-finder.h.
 */
#include "train/batch-finder.h"

#include <math.h>

#include "train/preflight-private.h"

enum
{
  FIRST_BATCH = 4,     /* images; fewer are never fast */
  MOST_STALE = 2,      /* doublings that were not faster, after which none will be */
  LEAST_STEPS = 3,     /* of a trial */
  MOST_STEPS = 1000,
  FINENESS = 32        /* the largest batch is found up to this part of it */
};

/* A smaller batch is as fast as a larger one if it lacks less than this. */
#define NOISE 0.02
/* What the steps of a trial take together, if they are short: fewer would measure noise. */
#define TRIAL_S 1.0

typedef struct
{
  const UrbTrainOptions *options; /* borrowed */
  const UrbKeeping      *keeping; /* borrowed */
  const UrbLimits       *limits;  /* borrowed */
  UrbDataset            *dataset; /* (nullable) owned */
  int                    unit;    /* each batch is a multiple of it */
  int                    most;    /* a multiple of it, too */
} Search;

UrbBatchTrial *
urb_batch_search_get_trial (const UrbBatchSearch *self, guint i)
{
  return &g_array_index (self->trials, UrbBatchTrial, i);
}

void
urb_batch_search_clear (UrbBatchSearch *self)
{
  g_clear_pointer (&self->trials, g_array_unref);
  g_clear_pointer (&self->failure, g_free);
}

/* ------------------------------------------------------------------------ */
/* Memory                                                                    */

/* Whether @batch fits. @bytes: (out): what it needs */
static gboolean
fits (const Search *self, int batch, gint64 *bytes)
{
  UrbTrainOptions tried = *self->options; /* borrows its texts */

  tried.batch = batch;
  return urb_preflight_fits (&tried, self->dataset, self->keeping, self->limits, bytes);
}

/* The largest batch from @low on, which fits; below @high, which does not. */
static int
bisect (const Search *self, int low, int high, gint64 *bytes)
{
  while (high - low > MAX (self->unit, low / FINENESS))
    {
      int middle = (low + high) / 2 / self->unit * self->unit;
      gint64 needed;

      if (middle <= low)
        break;
      if (fits (self, middle, &needed))
        {
          low = middle;
          *bytes = needed;
        }
      else
        high = middle;
    }
  return low;
}

static int
get_first (const Search *self)
{
  return MIN ((FIRST_BATCH + self->unit - 1) / self->unit * self->unit, self->most);
}

/* The largest batch from @batch on, of which twice as much does not fit, or is more than all. */
static int
find_largest (const Search *self, int batch, gint64 *bytes)
{
  gint64 needed;

  if (batch <= self->most / 2)
    return bisect (self, batch, 2 * batch, bytes);
  if (batch == self->most || !fits (self, self->most, &needed))
    return bisect (self, batch, self->most, bytes);
  *bytes = needed;
  return self->most;
}

static void
add (UrbBatchSearch *out, int batch, gint64 bytes)
{
  UrbBatchTrial trial = { .batch = batch, .bytes = bytes, .images_per_second = NAN };

  g_array_append_val (out->trials, trial);
}

static gboolean
fail_smallest (const Search *self, GError **error)
{
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_MEMORY,
               "Not even a batch of %d fits: choose a smaller preset, or more ranks under a strategy that divides "
               "the networks.", self->unit);
  return FALSE;
}

/* All batches to measure, each twice the one before, and the largest that fits. */
static gboolean
plan (const Search *self, UrbBatchSearch *out, GCancellable *cancellable, GError **error)
{
  int batch = get_first (self), largest;
  gint64 bytes = 0, needed;

  if (!fits (self, batch, &bytes))
    {
      batch = self->unit;
      if (!fits (self, batch, &bytes))
        return fail_smallest (self, error);
    }
  add (out, batch, bytes);
  while (batch <= self->most / 2 && fits (self, 2 * batch, &needed))
    {
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      batch *= 2;
      bytes = needed;
      add (out, batch, bytes);
    }
  largest = find_largest (self, batch, &bytes);
  if (largest > batch)
    add (out, largest, bytes);
  out->is_bound = largest == self->most;
  out->largest = out->trials->len - 1;
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Speed                                                                     */

/* @speed: expected, images per second */
static int
count_steps (int batch, double speed)
{
  return (int) CLAMP (TRIAL_S * speed / batch, LEAST_STEPS, MOST_STEPS);
}

/* Returns: images per second; 0 with @error */
static double
measure_one (const Search *self, int batch, int n_steps, UrbBatchMeasure measure, gpointer user_data,
             GCancellable *cancellable, GError **error)
{
  UrbTrainOptions tried = *self->options; /* borrows its texts */

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return 0;
  tried.batch = batch;
  tried.n_steps = MAX (tried.n_steps, n_steps + 1);
  return measure (&tried, n_steps, user_data, error);
}

/* What was measured so far stays; what was planned beyond goes.
 * @i: of the trial that failed, not the first */
static void
end_at_failure (UrbBatchSearch *out, guint i, const GError *error)
{
  urb_batch_search_get_trial (out, i)->has_failed = TRUE;
  g_array_set_size (out->trials, i + 1);
  out->largest = i - 1;
  out->failure = g_strdup (error->message);
  out->is_bound = FALSE;
}

/* How long a trial takes is known from the one before; the first is made twice. */
static gboolean
measure_all (const Search *self, double seconds, UrbBatchMeasure measure, gpointer user_data, GCancellable *cancellable,
             UrbBatchSearch *out, GError **error)
{
  gint64 begin = g_get_monotonic_time ();
  g_autoptr(GError) failure = NULL;
  double best = 0;
  int least = urb_batch_search_get_trial (out, 0)->batch;
  double speed = measure_one (self, least, LEAST_STEPS, measure, user_data, cancellable, &failure);
  int n_stale = 0;

  for (guint i = 0; i < out->trials->len && n_stale < MOST_STALE && speed > 0; i++)
    {
      UrbBatchTrial *trial = urb_batch_search_get_trial (out, i);
      int n_steps = count_steps (trial->batch, speed);
      double passed = (double) (g_get_monotonic_time () - begin) * 1e-6;
      double expected = (n_steps + 1) * trial->batch / speed;

      if (i > 0 && passed + expected > seconds)
        {
          out->is_short = TRUE;
          break;
        }
      speed = measure_one (self, trial->batch, n_steps, measure, user_data, cancellable, &failure);
      if (speed > 0)
        trial->images_per_second = speed;
      else if (i > 0 && !g_cancellable_is_cancelled (cancellable))
        {
          end_at_failure (out, i, failure);
          break;
        }
      n_stale = speed > best * (1 + NOISE) ? 0 : n_stale + 1;
      best = MAX (best, speed);
    }
  if (failure != NULL && out->failure == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  for (guint i = out->trials->len; i-- > 0;)
    if (urb_batch_search_get_trial (out, i)->images_per_second >= best * (1 - NOISE))
      out->fastest = i;
  return TRUE;
}

/* Each area at most once in a batch, if there is a dataset; but at least one image for each rank and microbatch. */
static void
bound (Search *self, UrbBatchSearch *out)
{
  const UrbSetting *setting = urb_settings_find (&urb_run_settings, "batch");
  gint64 most = (gint64) setting->max;
  gint64 n_areas = self->dataset != NULL ? urb_dataset_get_info (self->dataset)->n_split[URB_SPLIT_TRAIN] : most;

  out->n_areas = n_areas < most ? n_areas : 0;
  self->most = MAX ((int) MIN (most, n_areas) / self->unit, 1) * self->unit;
}

gboolean
urb_batches_find (const UrbTrainOptions *options, const UrbKeeping *keeping, const UrbLimits *limits, double seconds,
                  UrbBatchMeasure measure, gpointer user_data, GCancellable *cancellable, UrbBatchSearch *out,
                  GError **error)
{
  g_autoptr(UrbDataset) dataset = options->dataset != NULL ? urb_dataset_open (options->dataset, error) : NULL;
  Search self = { options, keeping, limits, dataset, urb_train_options_count_parts (options) * options->accumulate, 0 };

  if (options->dataset != NULL && dataset == NULL)
    return FALSE;
  *out = (UrbBatchSearch) { .trials = g_array_new (FALSE, FALSE, sizeof (UrbBatchTrial)),
                            .available = limits->available[URB_RESOURCE_MEMORY] };
  bound (&self, out);
  if (plan (&self, out, cancellable, error)
      && measure_all (&self, seconds, measure, user_data, cancellable, out, error))
    return TRUE;
  urb_batch_search_clear (out);
  return FALSE;
}
