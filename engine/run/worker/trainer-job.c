/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trainer-job.c - the worker's real job: a group of trainers and its sample grid.
 */
#include "run/worker/job.h"

#include <math.h>

#include "dataset/sample-grid.h"
#include "train/async.h"
#include "train/device.h"
#include "train/diversity.h"
#include "train/group.h"
#include "train/network-pair.h"

typedef struct
{
  UrbGroup *group;          /* owned */
  double    real_diversity; /* of as many real tiles as a sample grid has; 0: not measured yet, NaN:
                             * unknown */
  double    diversity;      /* of the generator, relative to that */
  gint64    diversity_step; /* when it was measured; -1: not yet */
} Job;

static UrbGroup *
get_group (gpointer job)
{
  return ((Job *) job)->group;
}

static UrbTrainer *
get_trainer (gpointer job)
{
  return urb_group_get_trainer (get_group (job));
}

static gpointer
job_open (const UrbTrainOptions *options, const UrbRank *rank, GError **error)
{
  UrbGroup *group = urb_group_new (options, rank, error);
  Job *self;
  if (group == NULL)
    return NULL;
  self = g_new0 (Job, 1);
  self->group = group;
  self->diversity_step = -1;
  return self;
}

static void
job_free (gpointer job)
{
  urb_group_free (get_group (job));
  g_free (job);
}

static char *
job_dup_device (gpointer job)
{
  const UrbTrainOptions *options = urb_trainer_get_options (get_trainer (job));
  g_autofree char *device = urb_device_dup_text (options->backend, options->precision);
  const char *link = urb_trainer_get_link (get_trainer (job));
  if (options->n_ranks == 1)
    return g_steal_pointer (&device);
  return g_strdup_printf ("%s, %s with %d ranks%s%s", device, urb_strategy_names[options->strategy],
                          options->n_ranks, link != NULL ? ", connected through " : "",
                          link != NULL ? link : "");
}

static char *
job_dup_slow (gpointer job)
{
  return urb_trainer_dup_slow (get_trainer (job));
}

static char **
job_dup_gpus (gpointer job)
{
  const UrbTrainOptions *options = urb_trainer_get_options (get_trainer (job));

  return urb_device_dup_gpus (options->backend, urb_train_options_count_devices (options));
}

static gint64
job_get_step (gpointer job)
{
  return urb_trainer_get_step (get_trainer (job));
}

static gboolean
job_restore (gpointer job, const char *checkpoint, GError **error)
{
  return urb_group_restore (get_group (job), checkpoint, error);
}

static gboolean
job_step (gpointer job, UrbStepMetrics *metrics, GError **error)
{
  return urb_group_step (get_group (job), metrics, error);
}

static void
job_allow_ahead (gpointer job, gboolean allowed)
{
  urb_trainer_allow_ahead (get_trainer (job), allowed);
}

static gboolean
job_is_ahead (gpointer job)
{
  return urb_trainer_is_ahead (get_trainer (job));
}

static gboolean
job_quiesce (gpointer job, gint64 *n_unreported, GError **error)
{
  return urb_group_quiesce (get_group (job), n_unreported, error);
}

static gboolean
job_save (gpointer job, const char *checkpoint, GError **error)
{
  return urb_group_save (get_group (job), checkpoint, error);
}

/* Draws samples from the run's fixed seeds.
 * Returns: (transfer full): their levels; @n: (out): how many */
static guint8 *
draw (Job *self, gint64 *n, GError **error)
{
  UrbTrainer *trainer = urb_group_get_trainer (self->group);
  const UrbTrainOptions *options = urb_trainer_get_options (trainer);
  int size_px = urb_trainer_get_size_px (trainer), edge = urb_sample_grid_choose_edge (size_px);
  g_autofree guint8 *levels = NULL;
  *n = edge * edge;
  levels = g_malloc ((gsize) *n * size_px * size_px * urb_trainer_get_n_channels (trainer));
  return urb_group_sample (self->group, options->seed + URB_SAMPLE_SEED_OFFSET, 0, *n, levels, error)
           ? g_steal_pointer (&levels) : NULL;
}

/* Failures are ignored: the sample grid is useful without it.  An untrained generator is not
 * measured. */
static void
measure_diversity (Job *self, const guint8 *levels, gint64 n)
{
  UrbTrainer *trainer = urb_group_get_trainer (self->group);
  const char *dataset = urb_trainer_get_options (trainer)->dataset;
  int size_px = urb_trainer_get_size_px (trainer);
  self->diversity = NAN;
  self->diversity_step = urb_trainer_get_step (trainer);
  if (dataset == NULL || self->diversity_step == 0)
    return;
  if (self->real_diversity == 0
      && !urb_diversity_measure_dataset (dataset, n, size_px, &self->real_diversity, NULL))
    self->real_diversity = NAN;
  if (self->real_diversity > 0)
    self->diversity = urb_diversity_measure (levels, n, size_px, urb_trainer_get_n_channels (trainer))
                      / self->real_diversity;
}

static double
job_get_diversity (gpointer job)
{
  Job *self = job;
  g_autofree guint8 *levels = NULL;
  gint64 n;
  if (self->diversity_step == job_get_step (job))
    return self->diversity;
  levels = draw (self, &n, NULL);
  if (levels == NULL)
    return NAN;
  measure_diversity (self, levels, n);
  return self->diversity;
}

static gboolean
job_sample (gpointer job, const char *png, GError **error)
{
  UrbTrainer *trainer = get_trainer (job);
  int size_px = urb_trainer_get_size_px (trainer);
  gint64 n;
  g_autofree guint8 *levels = draw (job, &n, error);
  if (levels == NULL)
    return FALSE;
  measure_diversity (job, levels, n);
  return urb_sample_grid_write_png (png, levels, n, size_px, urb_trainer_get_n_channels (trainer),
                             urb_sample_grid_choose_edge (size_px), urb_sample_grid_choose_scale (size_px), error);
}

static void
job_set_profiling (gpointer job, gboolean on)
{
  urb_trainer_set_profiling (get_trainer (job), on);
}

static char *
job_dup_profile (gpointer job)
{
  return urb_trainer_dup_profile (get_trainer (job));
}

static char *
job_dup_asynchrony (gpointer job, char **details)
{
  UrbAsync *async = urb_trainer_get_async (get_trainer (job));
  if (async == NULL)
    return NULL;
  *details = urb_shared_params_dup_json (async->shared);
  return urb_shared_params_dup_text (async->shared);
}

static gboolean
job_start_trace (gpointer job, GError **error)
{
  return urb_group_start_trace (get_group (job), error);
}

static gboolean
job_end_trace (gpointer job, const char *path, char **text, GError **error)
{
  UrbTraceSummary summary;

  if (!urb_group_end_trace (get_group (job), path, &summary, error))
    return FALSE;
  *text = urb_trace_summary_dup_text (&summary);
  return TRUE;
}

static double
job_get_weights (gpointer job)
{
  return urb_trainer_measure_weights (get_trainer (job));
}

const UrbWorkerJob urb_trainer_job = {
  .open = job_open,
  .free = job_free,
  .dup_device = job_dup_device,
  .dup_slow = job_dup_slow,
  .dup_gpus = job_dup_gpus,
  .get_step = job_get_step,
  .restore = job_restore,
  .step = job_step,
  .allow_ahead = job_allow_ahead,
  .is_ahead = job_is_ahead,
  .quiesce = job_quiesce,
  .save = job_save,
  .sample = job_sample,
  .get_diversity = job_get_diversity,
  .get_weights = job_get_weights,
  .set_profiling = job_set_profiling,
  .dup_profile = job_dup_profile,
  .dup_asynchrony = job_dup_asynchrony,
  .start_trace = job_start_trace,
  .end_trace = job_end_trace,
  .follow = urb_group_follow,
};
