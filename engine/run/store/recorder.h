/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder.h - writes everything that a supervisor records: run.db, in batches, and the log.
 */
#pragma once

#include "run/store/folder.h"
#include "run/store/run-db.h"

G_BEGIN_DECLS

typedef struct _UrbRecorder UrbRecorder;

typedef struct
{
  /* Records were committed and can be read. */
  void (*committed) (gpointer user_data);
  /* The database or its disk failed; called once, from the main loop. */
  void (*failed)    (const GError *error, gpointer user_data);
  /* (optional) An event was recorded. */
  void (*event)     (const char *level, const char *text, gpointer user_data);
} UrbRecorderOps;

/* @folder: borrowed; outlives it */
UrbRecorder *urb_recorder_new (UrbRunFolder *folder, const UrbRecorderOps *ops, gpointer user_data,
                               GError **error);
/* Commits first. */
void         urb_recorder_free    (UrbRecorder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbRecorder, urb_recorder_free)

/* Whether there was no database.  A run with checkpoints has then lost its history:
 * urb_recorder_rebuild() makes records of its checkpoints and of the end of its log, as events with the
 * code "log".  The metrics of steps are lost. */
gboolean     urb_recorder_is_new     (UrbRecorder *self);
void         urb_recorder_rebuild    (UrbRecorder *self, UrbRunFolder *folder);

int          urb_recorder_get_log_fd (UrbRecorder *self);

/* Each of these commits within a quarter of a second. */
void urb_recorder_session (UrbRecorder *self, const char *config, gint64 from_step, gint64 n_steps);
/* As urb_run_db_dup_config(). */
char *urb_recorder_dup_config (UrbRecorder *self);
/* As urb_run_db_get_metrics(). */
int   urb_recorder_get_metrics (UrbRecorder *self, gint64 step, UrbStepMetrics *metrics, int n);
void urb_recorder_step       (UrbRecorder *self, const UrbStepMetrics *metrics);
void urb_recorder_sample     (UrbRecorder *self, gint64 step, const char *file);
void urb_recorder_checkpoint (UrbRecorder *self, gint64 step, const char *file, gint64 n_bytes);
void urb_recorder_drop_checkpoint (UrbRecorder *self, gint64 step);
void urb_recorder_drop_sample (UrbRecorder *self, gint64 step);
void
urb_recorder_worker (UrbRecorder *self, int rank, gint64 pid, const char *state, const char *text);
void urb_recorder_gpu        (UrbRecorder *self, const UrbGpu *gpu);
/* @joules: of the processors of this machine, within @seconds */
void urb_recorder_energy     (UrbRecorder *self, double joules, double seconds);
void urb_recorder_score      (UrbRecorder *self, const UrbScores *scores);
/* As urb_run_db_summarize_scores(). */
void urb_recorder_summarize_scores (UrbRecorder *self, GArray *steps, UrbScoreSummary *summary);
void urb_recorder_rewind     (UrbRecorder *self, gint64 step);
void urb_recorder_event      (UrbRecorder *self, const char *level, const char *code, gint64 step,
                              const char *text);
/* @details: (nullable): JSON, for programs */
void urb_recorder_event_with_details (UrbRecorder *self, const char *level, const char *code,
                                      gint64 step, const char *text, const char *details);

/* Commits now. */
void urb_recorder_commit     (UrbRecorder *self);
/* Commits now, and survives a power cut from here on.
 * Returns: FALSE if this or any earlier write failed */
gboolean urb_recorder_sync   (UrbRecorder *self);

G_END_DECLS
