/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trainer-job.c - the worker's real job: an UrbGroup of trainers, and its sample wall.
 */
#include "run/job.h"

#include "dataset/wall.h"
#include "train/group.h"

/* Beside the run's seed, so that other pictures of the same seed differ. */
enum { SAMPLE_SEED_OFFSET = 1000003 };

static gpointer
job_open (const UrbTrainOptions *options, const UrbWorkerPlace *place, GError **error)
{
  if (place->shared != NULL)
    return urb_group_new_worker (options, place->rank, place->shared, place->board, error);
  return urb_group_new (options, place->comm, place->board, error);
}

static void
job_free (gpointer job)
{
  urb_group_free (job);
}

static const UrbTrainOptions *
job_get_options (gpointer job)
{
  return urb_trainer_get_options (urb_group_get_trainer (job));
}

static gint64
job_get_step (gpointer job)
{
  return urb_trainer_get_step (urb_group_get_trainer (job));
}

static gboolean
job_restore (gpointer job, const char *checkpoint, GError **error)
{
  return urb_group_restore (job, checkpoint, error);
}

static gboolean
job_step (gpointer job, UrbStepMetrics *metrics, GError **error)
{
  return urb_group_step (job, metrics, error);
}

static gboolean
job_settle (gpointer job, gint64 *n_untold, GError **error)
{
  return urb_trainer_settle (urb_group_get_trainer (job), n_untold, error);
}

static gboolean
job_save (gpointer job, const char *checkpoint, GError **error)
{
  return urb_trainer_save (urb_group_get_trainer (job), checkpoint, error);
}

/* As many tiles as make a wall of some thousand pixels at most. */
static int
wall_edge (int size_px)
{
  return CLAMP (1024 / size_px, 4, 8);
}

static gboolean
job_sample (gpointer job, const char *png, GError **error)
{
  UrbTrainer *trainer = urb_group_get_trainer (job);
  const UrbTrainOptions *options = urb_trainer_get_options (trainer);
  int size_px = urb_trainer_get_size_px (trainer);
  int n_channels = urb_trainer_get_n_channels (trainer);
  int edge = wall_edge (size_px);
  int scale = size_px < 128 ? 2 : 1;
  gint64 n = edge * edge;
  g_autofree guint8 *levels = g_malloc ((gsize) n * size_px * size_px * n_channels);
  return urb_trainer_sample (trainer, options->seed + SAMPLE_SEED_OFFSET, 0, n, levels, error)
         && urb_wall_write_png (png, levels, n, size_px, n_channels, edge, scale, error);
}

static void
job_set_profiling (gpointer job, gboolean on)
{
  urb_trainer_set_profiling (urb_group_get_trainer (job), on);
}

static char *
job_dup_profile (gpointer job)
{
  return urb_trainer_dup_profile (urb_group_get_trainer (job));
}

static char *
job_dup_asynchrony (gpointer job, char **details)
{
  *details = urb_trainer_dup_asynchrony (urb_group_get_trainer (job));
  return urb_trainer_dup_asynchrony_text (urb_group_get_trainer (job));
}

static gboolean
job_start_trace (gpointer job, GError **error)
{
  return urb_group_start_trace (job, error);
}

static gboolean
job_end_trace (gpointer job, const char *path, char **text, GError **error)
{
  UrbTraceSummary summary;

  if (!urb_group_end_trace (job, path, &summary, error))
    return FALSE;
  *text = urb_trace_summary_dup_text (&summary);
  return TRUE;
}

const UrbWorkerJob urb_trainer_job = {
  .open = job_open,
  .free = job_free,
  .get_options = job_get_options,
  .get_step = job_get_step,
  .restore = job_restore,
  .step = job_step,
  .settle = job_settle,
  .save = job_save,
  .sample = job_sample,
  .set_profiling = job_set_profiling,
  .dup_profile = job_dup_profile,
  .dup_asynchrony = job_dup_asynchrony,
  .start_trace = job_start_trace,
  .end_trace = job_end_trace,
  .follow = urb_group_follow,
};
