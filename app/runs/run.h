/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - a training run: its history and its live state.
 *
 * A run with a supervisor is followed through its control socket; one without is read from run.db
 * in a thread.  Either way each record is applied once, in the order of its sequence number, and a
 * rewind removes what no longer counts.
 */
#pragma once

#include <gio/gio.h>

#include "app/plot/series.h"
#include "run/store/gpu.h"
#include "run/store/queue.h"
#include "run/store/run.h"
#include "settings/scores.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_RUN (urbarium_run_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRun, urbarium_run, URBARIUM, RUN, GObject)

/* Properties, read-only, with notify: name (string), state (int, UrbRunState), state-text
 * (string, translated), live (boolean: has a supervisor), loading (boolean: the history is being read), has-checkpoint (boolean: can be resumed from one;
 * not updated while live), step, n-steps, images (int64), images-per-s (double; 0: unknown or not
 * running), last-images-per-s (double; 0: unknown; also of a run that has ended), score (double: the best;
 * NaN: none), seconds-left (double; negative: unknown), created (int64, seconds since 1970),
 * queue-place (int: from 1; 0: it does not wait, or is in no library),
 * busy-with (string, nullable, translated: the pending command), waits-for (strv, nullable: folders of runs that begin
 * earlier), trouble (string, nullable, translated:
 * why a run without supervisor failed, and what to do).
 *
 * Signal "failed" (string what, GError): a command was rejected or failed, or the supervisor
 * died.  @what is translated: "The run cannot be paused".
 */

/* Creates a run that is not followed yet.  Called by UrbariumRunLibrary, once per folder.
 * @folder: absolute; of a run, or of a run that is about to start */
UrbariumRun *urbarium_run_new (const char *folder);

/* A file that the run wrote at a step: a sample grid or a checkpoint. */
#define URBARIUM_TYPE_RUN_FILE (urbarium_run_file_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunFile, urbarium_run_file, URBARIUM, RUN_FILE, GObject)
/* Properties: step (int64), path (string, absolute), n-bytes (int64; 0 for a sample), time
 * (double). */
gint64 urbarium_run_file_get_step (UrbariumRunFile *self);

#define URBARIUM_TYPE_RUN_EVENT (urbarium_run_event_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunEvent, urbarium_run_event, URBARIUM, RUN_EVENT, GObject)
/* Properties: level, code, text (string), step (int64), time (double). */

#define URBARIUM_TYPE_RUN_WORKER (urbarium_run_worker_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunWorker, urbarium_run_worker, URBARIUM, RUN_WORKER, GObject)
/* Properties, with notify: rank (int), pid, step (int64), doing, device (string),
 * memory-bytes (int64), cores-busy (double: processor cores that it uses), last-sign (double, seconds since 1970), alive (boolean), text (string). */

/* The last sampled load of a GPU. */
#define URBARIUM_TYPE_RUN_GPU (urbarium_run_gpu_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunGpu, urbarium_run_gpu, URBARIUM, RUN_GPU, GObject)
int               urbarium_run_gpu_get_index (UrbariumRunGpu *self); /* as in nvidia-smi */
const char       *urbarium_run_gpu_get_name  (UrbariumRunGpu *self);
const char       *urbarium_run_gpu_get_pci   (UrbariumRunGpu *self);
const UrbGpuLoad *urbarium_run_gpu_get_load  (UrbariumRunGpu *self);

/* (transfer none): lists of the types above, newest item last. */
GListModel *urbarium_run_get_samples     (UrbariumRun *self);
GListModel *urbarium_run_get_checkpoints (UrbariumRun *self); /* that still exist */
GListModel *urbarium_run_get_events      (UrbariumRun *self);
GListModel *urbarium_run_get_workers     (UrbariumRun *self);
/* The GPUs it trains on, by index; each new load replaces an item. */
GListModel *urbarium_run_get_gpus        (UrbariumRun *self);
/* Whether its history, as far as it was read, tells the energy of a GPU or of the processors. */
gboolean    urbarium_run_knows_energy    (UrbariumRun *self);

/* Series over the step: one per UrbStepMetric; images per second; one per UrbScore; and the limit up to
 * which distances are those of real areas. (transfer none) */
UrbariumSeries *urbarium_run_get_metric (UrbariumRun *self, UrbStepMetric metric);
UrbariumSeries *urbarium_run_get_speed  (UrbariumRun *self);
/* How far the run was after each step: images that it has seen, and minutes that its steps took. */
UrbariumSeries *urbarium_run_get_images  (UrbariumRun *self);
UrbariumSeries *urbarium_run_get_minutes (UrbariumRun *self);
UrbariumSeries *urbarium_run_get_score  (UrbariumRun *self, UrbScore score);
UrbariumSeries *urbarium_run_get_score_limit (UrbariumRun *self);
/* Of the existing checkpoints, the step of the one with the best score; -1: none. */
gint64          urbarium_run_get_best_step (UrbariumRun *self);

const char        *urbarium_run_get_folder (UrbariumRun *self);
const char        *urbarium_run_get_name   (UrbariumRun *self); /* never NULL */
gboolean           urbarium_run_get_live   (UrbariumRun *self);
UrbRunState        urbarium_run_get_state  (UrbariumRun *self);
/* Its supervisor died; the state is "stopped". */
gboolean           urbarium_run_is_interrupted (UrbariumRun *self);
/* Its folder disappeared while it had a supervisor. */
gboolean           urbarium_run_is_gone (UrbariumRun *self);
const UrbRunConfig *urbarium_run_get_config (UrbariumRun *self); /* (nullable): not read yet */
/* The same, with the path of the run's own copy of a preset file.  @out: valid, or zeros
 * Returns: FALSE if it is not read yet */
gboolean            urbarium_run_copy_config (UrbariumRun *self, UrbRunConfig *out);

/* Whether a run in the queue begins earlier, or later, with which it can change places now; and whether there is one at
 * all. */
gboolean urbarium_run_can_move    (UrbariumRun *self, UrbQueueMove move);
gboolean urbarium_run_is_in_order (UrbariumRun *self);

/* Reads the history and follows it; history is only read for followed runs.  Counted: each follow
 * needs an unfollow, which keeps what was read. */
void urbarium_run_follow   (UrbariumRun *self);
void urbarium_run_unfollow (UrbariumRun *self);

/* Reads the properties of a run that is not followed again, in a thread. */
void urbarium_run_peek       (UrbariumRun *self);

/* Commands.  All are asynchronous; their outcome shows in the properties and lists, or in
 * "failed". */
void urbarium_run_pause      (UrbariumRun *self);
/* Starts a supervisor if there is none; a queued run starts at once.  Fails if all steps are done:
 * extend it instead. */
void urbarium_run_resume     (UrbariumRun *self);
/* Resumes on the CPU in 32 bit; for a run without a supervisor. */
void urbarium_run_resume_on_processor (UrbariumRun *self);
void urbarium_run_stop       (UrbariumRun *self); /* also removes it from the queue */
void urbarium_run_checkpoint (UrbariumRun *self);
void urbarium_run_sample     (UrbariumRun *self);
/* Records the timeline of the next steps; the event "trace" reports it. */
void urbarium_run_trace      (UrbariumRun *self);
void urbarium_run_extend     (UrbariumRun *self, gint64 n_steps); /* total number of steps */
/* Goes back to a checkpoint, deletes everything after it, and continues from there.  A live run is
 * stopped first. */
void urbarium_run_roll_back  (UrbariumRun *self, gint64 step);
void urbarium_run_rename     (UrbariumRun *self, const char *name);
void urbarium_run_annotate   (UrbariumRun *self, const char *note); /* "": no note */

G_END_DECLS
