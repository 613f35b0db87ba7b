/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job.h - what a worker does between two messages.
 *
 * A table of functions, so that the machinery of processes, messages and
 * checkpoints knows no tensor, and can be tried with a job that does nothing,
 * hangs or crashes when told.
 */
#pragma once

#include "parallel/rank.h"
#include "train/trainer.h"

G_BEGIN_DECLS

typedef struct
{
  /* Required, where nothing else is said.  Called from one thread. */
  /* @rank: of this process's first rank; borrowed, outlives the job; but its communicator is taken,
   * also in failure */
  gpointer (*open) (const UrbTrainOptions *options, const UrbRank *rank, GError **error);
  void     (*free) (gpointer job);
  /* With every 0 replaced by what is used. (transfer none) */
  const UrbTrainOptions *(*get_options) (gpointer job);
  /* (optional) What it computes on, as "NVIDIA H200 (cuda:0), bf16".  (transfer full) */
  char    *(*dup_device) (gpointer job);
  /* (optional) The GPUs that this process computes on, by their PCI address as
   * cudaDeviceGetPCIBusId() has it, for those who watch them.  (transfer full) (nullable) */
  char   **(*dup_gpus) (gpointer job);
  gint64   (*get_step) (gpointer job);
  gboolean (*restore) (gpointer job, const char *checkpoint, GError **error);
  /* @metrics: with step 0 if the other workers are doing all that is left. */
  gboolean (*step)    (gpointer job, UrbStepMetrics *metrics, GError **error);
  /* (optional) Of asynchronous ranks, before a checkpoint is named: all hold still until save(),
   * and get_step() is what it will be of.  The next @n_unreported calls of step() make none, and only
   * tell of those that were made. */
  gboolean (*quiesce) (gpointer job, gint64 *n_unreported, GError **error);
  gboolean (*save)    (gpointer job, const char *checkpoint, GError **error);
  /* Draws the sample wall of the run's fixed seeds. */
  gboolean (*sample)  (gpointer job, const char *png, GError **error);
  /* (optional) How different the tiles of a wall are now, beside real ones (train/diversity.h); NaN: not
   * known.  Cheap right after sample(). */
  double   (*get_diversity) (gpointer job);
  void     (*set_profiling) (gpointer job, gboolean on);
  char    *(*dup_profile)   (gpointer job);
  /* (optional) What asynchronous ranks did to each other, as a sentence; NULL: nothing.
   * @details: (out): the same for each rank, a JSON object */
  char    *(*dup_asynchrony) (gpointer job, char **details);
  /* (optional) The steps between the two are written as a timeline to the file @path.
   * @text: (out): a sentence that sums it up */
  gboolean (*start_trace) (gpointer job, GError **error);
  gboolean (*end_trace)   (gpointer job, const char *path, char **text, GError **error);
  /* (optional) The whole work of a process whose rank is not 0, until rank 0 ends it.
   * @rank: with a communicator; borrowed */
  gboolean (*follow) (const UrbRank *rank, GError **error);
} UrbWorkerJob;

/* Trains. */
extern const UrbWorkerJob urb_trainer_job;

G_END_DECLS
