/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-db.h - run.db, the history of a run.
 *
 * One table per kind of record, and one sequence number for all of them that only grows.  So a
 * reader that repeatedly asks for everything after number N misses nothing and sees nothing twice.
 * The supervisor is the only writer.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "run/store/gpu.h"
#include "run/store/run.h"
#include "settings/scores.h"

G_BEGIN_DECLS

typedef struct _UrbRunDb UrbRunDb;

/* Opens or creates @path for writing. */
UrbRunDb *urb_run_db_open        (const char *path, GError **error);
/* Opens for reading, with or without a writer. */
UrbRunDb *urb_run_db_open_reader (const char *path, GError **error);
void      urb_run_db_free        (UrbRunDb *self); /* commits */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbRunDb, urb_run_db_free)

/* Writes what was committed to a new database, @path, private to its owner. */
gboolean  urb_run_db_copy        (UrbRunDb *self, const char *path, GError **error);

/* In the message if the disk is full. */
#define URB_RUN_DB_FULL "the disk is full"

/* Of the newest record, committed or not; 0: none. */
gint64    urb_run_db_get_last_seq (UrbRunDb *self);
/* Of the newest step record; -1: none. */
gint64    urb_run_db_get_last_step (UrbRunDb *self);

/* What a list of runs shows without reading the history. */
typedef struct
{
  gint64      step;   /* newest done; 0: none */
  gint64      images;
  double      time;   /* of the newest event, seconds since 1970; 0: none */
  gboolean    has_state;
  UrbRunState state;  /* the last one recorded; stale after a supervisor was killed */
  double      images_per_s; /* of the last steps; 0: not known */
  double      score;  /* the best; NaN: none */
} UrbRunDbSummary;

/* A few look-ups, however long the history is. */
gboolean  urb_run_db_summarize (UrbRunDb *self, UrbRunDbSummary *summary, GError **error);

/* A new session of a supervisor: its configuration, first and last step. */
gboolean  urb_run_db_add_session (UrbRunDb *self, const char *config, gint64 from_step,
                                  gint64 n_steps, GError **error);
/* The configuration of the newest session. (transfer full) (nullable) */
char     *urb_run_db_dup_config (UrbRunDb *self);
gboolean  urb_run_db_add_step (UrbRunDb *self, const UrbStepMetrics *metrics, GError **error);
/* The metrics of the last @n steps up to @step, newest first; NaN: not finite.
 * Returns: how many there are */
int       urb_run_db_get_metrics (UrbRunDb *self, gint64 step, UrbStepMetrics *metrics, int n);
/* @file: relative to the run folder */
gboolean  urb_run_db_add_sample (UrbRunDb *self, gint64 step, const char *file, GError **error);
/* Does nothing if the checkpoint of that step is recorded. */
gboolean  urb_run_db_add_checkpoint (UrbRunDb *self, gint64 step, const char *file, gint64 n_bytes,
                                     GError **error);
/* Forgets the sample grid of @step. */
gboolean  urb_run_db_drop_sample (UrbRunDb *self, gint64 step, GError **error);
/* Marks the checkpoint of @step as deleted. */
gboolean  urb_run_db_drop_checkpoint (UrbRunDb *self, gint64 step, GError **error);
/* @level: "info", "warning" or "error"; @code: a word for programs; @text: for people */
gboolean  urb_run_db_add_event (UrbRunDb *self, const char *level, const char *code, gint64 step,
                                const char *text, GError **error);
/* For the event added last.  @json: for programs */
gboolean  urb_run_db_add_details (UrbRunDb *self, const char *json, GError **error);
/* @state: "started" or "ended" */
gboolean  urb_run_db_add_worker (UrbRunDb *self, int rank, gint64 pid, const char *state,
                                 const char *text, GError **error);
gboolean  urb_run_db_add_gpu (UrbRunDb *self, const UrbGpu *gpu, GError **error);

gboolean  urb_run_db_add_energy (UrbRunDb *self, double joules, double seconds, GError **error);
gboolean  urb_run_db_add_score (UrbRunDb *self, const UrbScores *scores, GError **error);

typedef struct
{
  gint64 last_step;    /* the last one scored; -1: none */
  gint64 best_step;    /* of the best score whose checkpoint exists; -1: none */
  double best;
  int    n_since_best; /* scores of later steps */
} UrbScoreSummary;

/* @steps: (element-type gint64): of the existing checkpoints, ascending */
gboolean  urb_run_db_summarize_scores (UrbRunDb *self, GArray *steps, UrbScoreSummary *summary,
                                       GError **error);

/* Removes all records of steps after @step, which will be done again, and adds the event "rewound"
 * for readers that have seen them.
 * @text: (out) (transfer full) (nullable): its text; %NULL: nothing was removed */
gboolean  urb_run_db_rewind (UrbRunDb *self, gint64 step, char **text, GError **error);

/* Records are collected in one transaction; this ends it. */
gboolean  urb_run_db_commit (UrbRunDb *self, GError **error);
/* Commits, and survives a power cut from here on. */
gboolean  urb_run_db_sync   (UrbRunDb *self, GError **error);
gboolean  urb_run_db_is_dirty (UrbRunDb *self);

/* The newest state of the run before it was stopped, if it was, and since when it had that, in seconds since 1970.
 * Returns: %FALSE if there is none */
gboolean  urb_run_db_find_work (UrbRunDb *self, UrbRunState *state, double *since);

/* The details of the newest event with that code: JSON; or NULL. (transfer full) */
char     *urb_run_db_dup_details (UrbRunDb *self, const char *code);

/* @json: one record as the control protocol sends it */
typedef void (*UrbRunDbFunc) (gint64 seq, const char *json, gpointer user_data);

/* Calls @func for the first @limit records after @since, in order.
 * Returns: how many; -1 with an error */
int       urb_run_db_replay (UrbRunDb *self, gint64 since, int limit, UrbRunDbFunc func,
                             gpointer user_data, GError **error);

typedef enum
{
  URB_RUN_RECORD_SESSION,
  URB_RUN_RECORD_STEP,
  URB_RUN_RECORD_SAMPLE,
  URB_RUN_RECORD_CHECKPOINT,
  URB_RUN_RECORD_EVENT,
  URB_RUN_RECORD_WORKER,
  URB_RUN_RECORD_GPU,
  URB_RUN_RECORD_SCORE,
  URB_RUN_RECORD_ENERGY,
  URB_RUN_RECORD_OTHER /* of a newer engine */
} UrbRunRecordType;

/* One record without JSON, for histories of a million steps. */
typedef struct
{
  UrbRunRecordType type;
  gint64           seq;
  double           time;
  gint64           step;
  UrbStepMetrics   metrics;   /* of a step; NaN: not finite */
  gint64           n_bytes;   /* of a checkpoint */
  gboolean         kept;
  gint64           rank, pid; /* of a worker */
  gint64           device;    /* of a GPU: its index */
  UrbGpuLoad       load;      /* of a GPU */
  double           joules, seconds; /* of energy, and how long it took to use it */
  UrbScores        scores;    /* of an event "score": its step, and that of the plans, or NaN */
  gboolean         is_best;   /* of an event "score": the best so far */
  /* borrowed, during the call: the file of a sample or checkpoint; the state and text of a worker; the level, code and
   * text of an event, and its subject: of "queued" the folder of the run to wait for, of "device" its name, of
   * "interrupted" the name of the signal; the name and
   * PCI address of a GPU; else NULL */
  const char      *texts[4];
} UrbRunRecord;

/* Of an event.  @details: (nullable): as in the protocol, borrowed as long as the record is used; those of older engines have
 * none */
void      urb_run_record_read_details (UrbRunRecord *self, JsonObject *details);

typedef void (*UrbRunRecordFunc) (const UrbRunRecord *record, gpointer user_data);

/* As urb_run_db_replay(). */
int       urb_run_db_read (UrbRunDb *self, gint64 since, int limit, UrbRunRecordFunc func,
                           gpointer user_data, GError **error);

G_END_DECLS
