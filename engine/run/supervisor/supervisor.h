/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor.h - the process that owns a run: its folder, its database and its workers, but no
 * tensors.
 */
#pragma once

#include "run/store/folder.h"
#include "run/store/gpu.h"
#include "run/store/run-db.h"

G_BEGIN_DECLS

/* Callbacks for the terminal; all optional. */
typedef struct
{
  void (*state)   (UrbRunState state, gpointer user_data);
  void (*step)    (const UrbStepMetrics *metrics, gpointer user_data);
  void (*event)   (const char *level, const char *text, gpointer user_data);
  void (*device)  (const char *text, gpointer user_data); /* the device from now on */
  void (*waiting) (const char *text, gpointer user_data); /* for ranks that are started one by one, or the last score */
  void (*gpu)     (const UrbGpu *gpu, gpointer user_data); /* a reading of one of the run's GPUs */
  /* A checkpoint was scored. */
  void (*score)   (const UrbScores *scores, const UrbScoreSummary *summary, gpointer user_data);
  void (*profile) (const char *text, gpointer user_data);
  void (*trace)   (const char *summary, gpointer user_data); /* trace.json is written */
  void (*committed) (gpointer user_data); /* run.db has new records */
} UrbSupervisorObserver;

typedef struct
{
  const char *const *worker_argv; /* borrowed; "--fd 3" is added; NULL: this program's `worker` */
  const char *const *scorer_argv; /* borrowed; the same; NULL: this program's `score`, or with another
                                   * worker_argv no scores */
  const char *const *after;  /* borrowed, nullable; absolute folders of runs that must end first */
  double   max_minutes;      /* of work; then it stops cleanly; 0: no limit */
  guint    checkpoint_on;    /* of urb_supervisor_parse_signals() */
  gboolean profile;
  gboolean trace;            /* writes the timeline of some steps to trace.json in the run's
                              * folder */
  gboolean keeps_quiet;      /* is queued in the quiet hours of its configuration; else it begins */
  gboolean stays_paused;     /* waits for `resume`, even after divergence; else it ends */
  int      max_restarts;     /* without a new checkpoint; 0: 5 */
  double   max_silence_s;    /* of a worker; 0: 30; at least 60 before its first word */
  double   max_idle_s;       /* of a client; 0: 60 */
  double   max_step_s;       /* lower bound; a step may take 20 times the slowest so far; 0: 300 */
  int      gpu_interval_ms;  /* between two readings of the GPUs, and of the processors' energy; 0: 5000 */
  const char *powercap;      /* borrowed, nullable; a folder of counters of energy; NULL: the system's */
  int      hook_retry_ms;    /* before a failed hook is called again; 0: 1000 */
  const UrbSupervisorObserver *observer; /* borrowed, nullable */
  gpointer user_data;
} UrbSupervisorOptions;

typedef struct _UrbSupervisor UrbSupervisor;

/**
 * urb_supervisor_parse_signals:
 * @names: (nullable) (array zero-terminated=1): "SIGUSR1", "XCPU", …, or "none"; %NULL: SIGUSR1 under Slurm
 * @signals: (out): a bit for the number of each
 *
 * The signals by which a scheduler warns a run, upon which it saves a checkpoint and goes on.
 *
 * Returns: %FALSE if a signal is no warning
 */
gboolean       urb_supervisor_parse_signals (const char *const *names, guint *signals);

/* Removes the shared memory and MPI's files that killed supervisors of this user left, of this run or of others:
 * their folders may be gone. */
void           urb_supervisor_sweep (void);

/* How a run ended, unless with an error. */
typedef enum
{
  URB_RUN_END_FINISHED,    /* all steps are done */
  URB_RUN_END_STOPPED,     /* by `stop` or the time limit */
  URB_RUN_END_INTERRUPTED, /* by the first Ctrl+C: stopped cleanly */
  URB_RUN_END_KILLED       /* by the second: back to the last checkpoint */
} UrbRunEnd;

/**
 * urb_supervisor_new:
 * @folder: borrowed; outlives it
 * @config: copied; resolved.  Differs from run.ini only in what `resume` changes
 *
 * Finds the newest whole checkpoint, takes the history back to it, and opens the control socket.
 * Starts no worker.
 */
UrbSupervisor *urb_supervisor_new  (UrbRunFolder *folder, const UrbRunConfig *config,
                                    const UrbSupervisorOptions *options, GError **error);
void           urb_supervisor_free (UrbSupervisor *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbSupervisor, urb_supervisor_free)

/**
 * urb_supervisor_run:
 * @end: (out): how it ended
 *
 * Trains until the end.  Blocks in a main loop on the default context; handles signals meanwhile:
 * SIGINT, SIGTERM and SIGHUP, warnings of schedulers, and SIGQUIT.
 *
 * Returns: %FALSE with the worker's error if it had to give up
 */
gboolean       urb_supervisor_run  (UrbSupervisor *self, UrbRunEnd *end, GError **error);

/* The run's total steps. */
gint64         urb_supervisor_get_n_steps (UrbSupervisor *self);
/* Steps done. */
gint64         urb_supervisor_get_step    (UrbSupervisor *self);
/* The run's scores so far, of earlier sessions too.  Borrowed. */
const UrbScoreSummary *urb_supervisor_get_score_summary (UrbSupervisor *self);

G_END_DECLS
