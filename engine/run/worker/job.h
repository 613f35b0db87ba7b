/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job.h - what a worker does between two messages.
 *
 * A table of functions, so that the code for processes, messages and checkpoints handles no
 * tensors, and can be tested with a job that does nothing, hangs or crashes on command.
 */
#pragma once

#include "parallel/rank.h"
#include "train/trainer.h"

G_BEGIN_DECLS

typedef struct
{
  /* Required unless noted.  Called from one thread. */
  /* @options: resolved
   * @rank: of this process's first rank; borrowed, outlives the job; its communicator is taken,
   * also in failure */
  gpointer (*open) (const UrbTrainOptions *options, const UrbRank *rank, GError **error);
  void     (*free) (gpointer job);
  /* (optional) What it computes on, as "NVIDIA H200 (cuda:0), bf16".  (transfer full) */
  char    *(*dup_device) (gpointer job);
  /* (optional) What is slow on it, as a sentence, after the first step.  (transfer full) (nullable) */
  char    *(*dup_slow) (gpointer job);
  /* (optional) The GPUs that this process computes on, by their PCI address as
   * cudaDeviceGetPCIBusId() has it, for those who watch them.  (transfer full) (nullable) */
  char   **(*dup_gpus) (gpointer job);
  gint64   (*get_step) (gpointer job);
  gboolean (*restore) (gpointer job, const char *checkpoint, GError **error);
  /* @metrics: step is 0 if the other workers are doing all remaining steps. */
  gboolean (*step)    (gpointer job, UrbStepMetrics *metrics, GError **error);
  /* (optional, both or none) Whether step() may begin the next step before it returns, and whether it has: then
   * only step() and free() may follow.  See urb_trainer_allow_ahead(). */
  void     (*allow_ahead) (gpointer job, gboolean allowed);
  gboolean (*is_ahead)    (gpointer job);
  /* (optional) Before a checkpoint of asynchronous ranks is named: all of them pause until save(),
   * and get_step() is its step.  The next @n_unreported calls of step() only report steps that are
   * done. */
  gboolean (*quiesce) (gpointer job, gint64 *n_unreported, GError **error);
  gboolean (*save)    (gpointer job, const char *checkpoint, GError **error);
  /* Draws the sample grid from the run's fixed seeds. */
  gboolean (*sample)  (gpointer job, const char *png, GError **error);
  /* (optional) How much the samples differ now, relative to real tiles (train/diversity.h); NaN:
   * unknown.  Cheap right after sample(). */
  double   (*get_diversity) (gpointer job);
  /* (optional) How large the weights are: the root mean square of the network whose are larger. */
  double   (*get_weights) (gpointer job);
  void     (*set_profiling) (gpointer job, gboolean on);
  char    *(*dup_profile)   (gpointer job);
  /* (optional) How stale the updates of asynchronous ranks were, as a sentence; NULL: nothing to
   * report.
   * @details: (out): the same for each rank, a JSON object */
  char    *(*dup_asynchrony) (gpointer job, char **details);
  /* (optional) Writes the timeline of the steps between the two calls to the file @path.
   * @text: (out): a sentence that summarizes it */
  gboolean (*start_trace) (gpointer job, GError **error);
  gboolean (*end_trace)   (gpointer job, const char *path, char **text, GError **error);
  /* (optional) The whole work of a process whose rank is not 0, until rank 0 ends it.
   * @rank: with a communicator; borrowed */
  gboolean (*follow) (const UrbRank *rank, GError **error);
} UrbWorkerJob;

/* The job that trains. */
extern const UrbWorkerJob urb_trainer_job;

G_END_DECLS
