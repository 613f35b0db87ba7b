/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - a training run as the window sees it: its whole history, and live.
 *
 * A run with a supervisor is followed through its control socket; one without
 * is read from run.db in a thread.  Either way each record is taken once, in the
 * order of its sequence number, and a rewind takes back what no longer counts.
 */
#pragma once

#include <gio/gio.h>

#include "app/plot/series.h"
#include "run/gpu.h"
#include "run/run.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_RUN (urbarium_run_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRun, urbarium_run, URBARIUM, RUN, GObject)

/**
 * UrbariumRun:
 *
 * Properties, read-only, with notify: folder, name (string), state (int, UrbRunState), state-text
 * (string, translated), queued (boolean: waits for another run), live (boolean: has a supervisor),
 * loading (boolean: history is still being read), has-checkpoint (boolean: resume goes on from one;
 * of a run without a supervisor), step, n-steps, images (int64), images-per-s,
 * seconds-left (double; negative: unknown), preset, dataset (string), created (int64, seconds since
 * 1970), busy-with (string, nullable, translated: a command under way).
 *
 * images-per-s is 0 where it is not known, as in a run that does not run.
 *
 * Signal "failed" (string what, GError): a command was refused or failed, or the supervisor
 * is gone.  @what is translated: "Pausing failed".
 */

/* Not followed yet.  UrbariumRunLibrary makes them: one per folder.
 * @folder: absolute; of a run, or where a run is about to begin */
UrbariumRun *urbarium_run_new (const char *folder);

/* What one sees of it; the newest item last. */
#define URBARIUM_TYPE_RUN_SAMPLE (urbarium_run_sample_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunSample, urbarium_run_sample, URBARIUM, RUN_SAMPLE, GObject)
/* Properties: step (int64), path (string, absolute), time (double). */
gint64      urbarium_run_sample_get_step (UrbariumRunSample *self);
const char *urbarium_run_sample_get_path (UrbariumRunSample *self);

#define URBARIUM_TYPE_RUN_CHECKPOINT (urbarium_run_checkpoint_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunCheckpoint, urbarium_run_checkpoint, URBARIUM, RUN_CHECKPOINT, GObject)
/* Properties: step (int64), path (string, absolute), n-bytes (int64), time (double). */
gint64      urbarium_run_checkpoint_get_step (UrbariumRunCheckpoint *self);
const char *urbarium_run_checkpoint_get_path (UrbariumRunCheckpoint *self);

#define URBARIUM_TYPE_RUN_EVENT (urbarium_run_event_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunEvent, urbarium_run_event, URBARIUM, RUN_EVENT, GObject)
/* Properties: level, code, text (string), step (int64), time (double). */

#define URBARIUM_TYPE_RUN_WORKER (urbarium_run_worker_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunWorker, urbarium_run_worker, URBARIUM, RUN_WORKER, GObject)
/* Properties, with notify: rank (int), pid, step (int64), doing (string), host, device (string),
 * memory-bytes (int64), last-sign (double, seconds since 1970), alive (boolean), text (string). */

/* A GPU at the moment when it was looked at last. */
#define URBARIUM_TYPE_RUN_GPU (urbarium_run_gpu_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunGpu, urbarium_run_gpu, URBARIUM, RUN_GPU, GObject)
int               urbarium_run_gpu_get_index (UrbariumRunGpu *self); /* as in nvidia-smi */
const char       *urbarium_run_gpu_get_name  (UrbariumRunGpu *self);
const UrbGpuLoad *urbarium_run_gpu_get_load  (UrbariumRunGpu *self);

/* (transfer none): of the types above. */
GListModel *urbarium_run_get_samples     (UrbariumRun *self);
GListModel *urbarium_run_get_checkpoints (UrbariumRun *self); /* those that are kept */
GListModel *urbarium_run_get_events      (UrbariumRun *self);
GListModel *urbarium_run_get_workers     (UrbariumRun *self);
/* That it trains on now, by their index; each look replaces an item. */
GListModel *urbarium_run_get_gpus        (UrbariumRun *self);

/* Against the step: one per UrbStepMetric; and images per second. (transfer none) */
UrbariumSeries *urbarium_run_get_metric (UrbariumRun *self, UrbStepMetric metric);
UrbariumSeries *urbarium_run_get_speed  (UrbariumRun *self);

const char        *urbarium_run_get_folder (UrbariumRun *self);
const char        *urbarium_run_get_name   (UrbariumRun *self); /* never NULL */
gboolean           urbarium_run_get_live   (UrbariumRun *self);
UrbRunState        urbarium_run_get_state  (UrbariumRun *self);
/* Its supervisor went without a last word; the state is "stopped". */
gboolean           urbarium_run_is_interrupted (UrbariumRun *self);
const UrbRunConfig *urbarium_run_get_config (UrbariumRun *self); /* (nullable) until it is read */

/* Reads and follows.  History is only read for runs that are looked at.  Counted: each
 * follow needs its unfollow; what was read stays. */
void urbarium_run_follow   (UrbariumRun *self);
void urbarium_run_unfollow (UrbariumRun *self);

/* Verbs.  All are asynchronous; what became of them is seen in the properties and
 * lists, or in "failed". */
void urbarium_run_pause      (UrbariumRun *self);
/* Starts a supervisor if there is none; a queued run begins at once.  One that has done all its
 * steps is extended instead. */
void urbarium_run_resume     (UrbariumRun *self);
/* On another device than before, in 32 bits; for one that has no supervisor. */
void urbarium_run_resume_on_processor (UrbariumRun *self);
void urbarium_run_stop       (UrbariumRun *self); /* also takes it out of the queue */
void urbarium_run_checkpoint (UrbariumRun *self);
void urbarium_run_sample     (UrbariumRun *self);
void urbarium_run_extend     (UrbariumRun *self, gint64 n_steps); /* in all */
/* Back to a checkpoint: what came after it is forgotten, for good; goes on from there.
 * A live run is stopped first. */
void urbarium_run_roll_back  (UrbariumRun *self, gint64 step);
void urbarium_run_rename     (UrbariumRun *self, const char *name);

G_END_DECLS
