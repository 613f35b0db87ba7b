/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor-private.h - what the files of the supervisor share.
 *
 * From the top; each file calls only those below it.
 *
 *   supervisor.c           its life
 *   supervisor-signals.c   what signals mean
 *   supervisor-commands.c  its clients: commands and status
 *   supervisor-goal.c      the queue, the time limit, the stop
 *   supervisor-worker.c    what follows from the end of a worker
 *   supervisor-messages.c  messages from workers
 *   supervisor-score.c     scores checkpoints and keeps the best
 *   supervisor-hooks.c     what the hook is told
 *   supervisor-team.c      starts workers and replaces them
 *   supervisor-watch.c     workers that neither end nor progress
 *   supervisor-ranks.c     ranks that have no process of their own
 *   supervisor-energy.c    the energy of the processors
 *   supervisor-gpus.c      the GPUs that the workers use
 *   supervisor-state.c     states, events, the end, the way back to a checkpoint
 *
 * Each worker process has a slot.  Most strategies have one process, rank 0, which may hold many ranks
 * as threads; asynchronous workers (`hogwild`) are a team of processes, of which rank 0 alone saves
 * and draws.
 */
#pragma once

#include <signal.h>

#include "base/machine.h"
#include "parallel/board.h"
#include "parallel/shared-params.h"
#include "run/store/control.h"
#include "run/supervisor/flaw-watch.h"
#include "run/supervisor/gpu-monitor.h"
#include "run/supervisor/hooks.h"
#include "run/supervisor/launch.h"
#include "run/supervisor/rapl.h"
#include "run/store/predecessors.h"
#include "run/store/recorder.h"
#include "run/store/tensorboard.h"
#include "run/supervisor/supervisor.h"
#include "run/supervisor/worker-process.h"
#include "train/step-order.h"

G_BEGIN_DECLS

/* Rows of the table in supervisor-signals.c. */
enum { URB_SUPERVISOR_N_SIGNALS = 8 };

/* A way to start the ranks: supervisor-team.c. */
typedef struct _UrbSpawner UrbSpawner;

/* The goal of the run, on which the meaning of a worker's end depends. */
typedef enum
{
  GOAL_RUN,
  GOAL_PAUSE,
  GOAL_STOP
} Goal;

typedef struct
{
  UrbSupervisor    *supervisor; /* borrowed */
  int               rank;
  UrbWorkerProcess *worker;   /* owned, nullable */
  gboolean          finished; /* it sent "ended" */
  GError           *error;    /* owned, nullable; its last error */
  gint64            step;     /* its newest */
  gint64            n_steps;  /* since it was started */
  double            slowest_step_s; /* of these; the first does not count */
  char             *doing;    /* owned, nullable; from its last heartbeat */
  double            doing_s;
  gint64            stopped_us; /* since when it is stopped (state T); 0: it is not */
  gint64            memory_bytes;
  double            cores_busy; /* on average, before its last heartbeat */
  int               n_deaths;   /* in a row, without a step */
  guint             replace_id; /* its replacement is scheduled */
} UrbWorkerSlot;

/* Of supervisor-score.c. */
typedef struct
{
  UrbWorkerProcess *process;   /* owned, nullable */
  gint64            step;      /* of the checkpoint that is being scored; -1: none */
  gint64            next_step; /* of the one after it; -1: none */
  gint64            last_step; /* of the last one begun; -1: none */
  gint64            begin_us;  /* of the last one; before the first, of the supervisor */
  double            cost_s;    /* of the last one: processor time; 0: unknown */
  int               n_failures; /* in a row */
  gboolean          is_last;   /* the run ends after it */
  guint             timeout_id, end_id;
  UrbScoreSummary   summary;
  UrbFlawWatch      flaws;
} UrbScoring;

struct _UrbSupervisor
{
  UrbRunFolder        *folder; /* borrowed */
  UrbRunConfig         config;
  UrbSupervisorOptions options; /* with their defaults instead of 0 */
  const UrbWorkerProcessOps *worker_ops; /* (static) handle messages and ends of workers */
  const UrbSpawner    *spawner;  /* (static) of the workers */
  const UrbSupervisorObserver *observer; /* borrowed; that of the options, or one that observes nothing */
  UrbRecorder         *recorder; /* owned */
  UrbControl          *control;  /* owned */
  UrbWorkerSlot       *slots;       /* owned; one for each process; rank 0 first */
  int                  n_slots;
  UrbBoard            *board;    /* owned, nullable; for all ranks */
  UrbSharedParams     *shared;   /* owned, nullable; of a team */
  UrbLaunch           *launch;   /* owned, nullable; if mpirun starts the ranks */
  gint64               log_begin; /* length of the log when the workers were started, or one ended;
                                   * bytes */
  UrbStepOrder        *order;    /* owned, nullable; of a team's steps */
  char                *device;   /* owned, nullable; description of rank 0's device */
  UrbGpuMonitor       *gpus;     /* owned, nullable; of the workers' GPUs */
  UrbRapl             *rapl;     /* owned, nullable; while the run trains, if it tells the energy */
  gint64               energy_us; /* until when it was recorded */
  guint                energy_id;
  UrbHooks            *hooks;    /* owned, nullable */
  gboolean             has_started; /* a worker was ready */
  UrbTensorboard      *tensorboard; /* owned, nullable */
  GMainLoop           *loop;     /* owned */

  UrbRunState state;
  Goal        goal;
  gboolean    interrupted;     /* by a signal */
  char       *machine;         /* owned; of urb_machine_dup_id() */
  int         n_interrupts;    /* signals by which a person ends it */
  gboolean    is_out_of_cpu;   /* SIGXCPU came */
  gboolean    is_traced;       /* a timeline was written */
  gboolean    is_trace_ordered; /* a command wants one */
  gint64      checkpoint_step; /* newest; -1: none */
  gint64      step;            /* newest done */
  gint64      images;
  double      images_per_s;    /* smoothed; 0: unknown */
  int         n_restarts;      /* since the newest checkpoint */
  int         n_deaths;        /* of a team, in a row, without a step */
  int         n_absences;      /* how often in a row no rank came up from mpirun */
  gint64      last_tick_us;
  gboolean    has_told_quiet;  /* that it waits for the end of the quiet hours */
  gboolean    is_lost;         /* its folder was moved, deleted or replaced */
  GError     *worker_error;    /* owned, nullable; of the worker that ended last */

  UrbScoring      scoring;
  UrbExplosion    explosion;
  UrbPredecessors *before;     /* owned, nullable; runs that must end first */

  guint       tick_id, restart_id, limit_id, queue_id, signal_id;
  struct sigaction signal_actions[URB_SUPERVISOR_N_SIGNALS]; /* from before */
  UrbRunEnd   end;
  GError     *error; /* owned, nullable; why the run failed */
};

/* Records an event. */
void urb_supervisor_report (UrbSupervisor *self, const char *level, const char *code,
                          const char *format, ...) G_GNUC_PRINTF (4, 5);
/* The same, with @value as the member @name of its details, so that programs need not read the sentence. */
void urb_supervisor_report_subject (UrbSupervisor *self, const char *code, const char *name, const char *value,
                                    const char *text);
/* Records that the timeline was written. */

/* supervisor-trace.c */

/* Whether the worker to be started records a timeline: not after it was written, since a replaced one has nothing
 * to add to a timeline that is hours old. */
gboolean urb_supervisor_is_to_trace (UrbWorkerSlot *slot);
/* All workers record one from now on. */
void urb_supervisor_order_trace     (UrbSupervisor *self);
/* An asynchronous worker has written its part. */
void urb_supervisor_take_trace_part (UrbSupervisor *self);
/* Merges the parts that there are. */
void urb_supervisor_end_trace       (UrbSupervisor *self);
void urb_supervisor_report_trace    (UrbSupervisor *self, const char *summary);
void urb_supervisor_report_no_trace (UrbSupervisor *self, const char *why);

/* Records and tells that the run waits, for the other ranks or for the last score. @code: of the event */
void urb_supervisor_report_wait (UrbSupervisor *self, const char *code, const char *text);
void urb_supervisor_set_state (UrbSupervisor *self, UrbRunState state);

/* Ends the main loop in @state. */
void urb_supervisor_finish (UrbSupervisor *self, UrbRunState state, UrbRunEnd end);
void urb_supervisor_finish_stopped (UrbSupervisor *self);
/* Takes @error. */
void urb_supervisor_give_up (UrbSupervisor *self, GError *error);

/* Takes folder, database and counters back to the newest whole checkpoint.
 * Returns: FALSE, with nothing changed, if that cannot be determined */
gboolean urb_supervisor_rewind (UrbSupervisor *self, GError **error);
/* The same; if it fails, so does the run. */
gboolean urb_supervisor_rewind_or_give_up (UrbSupervisor *self);

/* From now on signals reach the main loop; until now they had other effects, which come back then. */
void urb_supervisor_heed_signals      (UrbSupervisor *self);
void urb_supervisor_disregard_signals (UrbSupervisor *self);
/* A worker is near the limit of its processor time. */
void urb_supervisor_spend_cpu         (UrbSupervisor *self);

/* Ends the run if its folder is not its own any more. */
void urb_supervisor_watch_folder (UrbSupervisor *self);

/* Waits until the run @last and those before it have ended. */
void urb_supervisor_enter_queue (UrbSupervisor *self, const char *last);
/* Whether it has to wait for the end of the quiet hours. */
gboolean urb_supervisor_is_quiet (UrbSupervisor *self);
/* Starts the workers: the earlier runs have ended, or are no longer waited for. */
void urb_supervisor_leave_queue (UrbSupervisor *self);
void urb_supervisor_forget_predecessors (UrbSupervisor *self);
/* While it is queued.  @after: absolute folders of the runs to wait for instead */
gboolean urb_supervisor_change_predecessors (UrbSupervisor *self, const char *const *after, GError **error);
/* Saves a checkpoint and ends; just ends if nothing runs. */
void urb_supervisor_stop (UrbSupervisor *self);

/* ------------------------------------------------------------------------ */
/* Health                                                                    */

void     urb_supervisor_watch_step      (UrbSupervisor *self, const UrbStepMetrics *metrics);
/* Messages of rank 0. */
void     urb_supervisor_watch_weights   (UrbSupervisor *self, JsonObject *message);
void     urb_supervisor_watch_diversity (UrbSupervisor *self, JsonObject *message);
/* Keeps the newest sound checkpoint from before the step @before.
 * Returns: (transfer full): a sentence without end: what to do now */
char    *urb_supervisor_dup_remedy      (UrbSupervisor *self, gint64 before);
/* All steps are done.  Returns: whether that was of no use, and the run has failed */
gboolean urb_supervisor_fail_exploded   (UrbSupervisor *self);

/* ------------------------------------------------------------------------ */
/* Scores                                                                    */

/* Microseconds between the beginnings of two scores, of which the last one took @cost_s seconds of processor time.
 * The clock on the wall would say more while other programs work, and then there would be no scores. */
gint64   urb_score_find_interval      (double cost_s);
/* A checkpoint was saved: scores it, if it is time to. */
void     urb_supervisor_score         (UrbSupervisor *self, gint64 step);
/* All steps are done.  Returns: whether the run has to wait for a score; urb_supervisor_end_work() follows */
gboolean urb_supervisor_score_last    (UrbSupervisor *self);
/* After the history was taken back. */
void     urb_supervisor_reload_scores (UrbSupervisor *self);
/* Ends its process. */
void     urb_supervisor_stop_scoring  (UrbSupervisor *self);
/* The steps of checkpoints that must not be deleted.  (element-type gint64) (transfer full) */
GArray  *urb_supervisor_list_needed   (UrbSupervisor *self);
/* Rank 0 has done its steps: the run ends, pauses, or goes on. */
void     urb_supervisor_end_work      (UrbSupervisor *self);

/* ------------------------------------------------------------------------ */
/* The hook                                                                  */

/* FALSE if the run has a hook that cannot be called on this machine. */
gboolean urb_supervisor_open_hooks   (UrbSupervisor *self, GError **error);
/* @step: of the event
 * @file: (nullable): of the event, relative to the folder
 * @text: (nullable): a sentence */
void     urb_supervisor_call_hook    (UrbSupervisor *self, UrbHookEvent event, gint64 step, const char *file,
                                      const char *text);
/* Tells the hook how the run has ended, and waits for it within bounds. */
void     urb_supervisor_finish_hooks (UrbSupervisor *self);

/* ------------------------------------------------------------------------ */
/* Workers                                                                   */

extern const UrbWorkerProcessOps urb_supervisor_worker_ops;
void     urb_supervisor_handle_message (UrbWorkerSlot *slot, JsonObject *message);
/* Records steps in their order; @all: with gaps, which no worker will fill. */
void     urb_supervisor_record_steps   (UrbSupervisor *self, gboolean all);

/* Appends a JSON object for each rank without a slot, from the status board; @type: (nullable): its
 * member "type" */
void     urb_supervisor_add_ranks    (UrbSupervisor *self, GString *out, const char *type,
                                      char separator);

/* Starts to monitor the GPUs that a worker named in its message @ready. */
void     urb_supervisor_watch_gpus   (UrbSupervisor *self, JsonObject *ready);
/* From the first worker that is ready on, until the run pauses or ends. */
void     urb_supervisor_watch_energy (UrbSupervisor *self);
void     urb_supervisor_leave_energy (UrbSupervisor *self);

/* From the newest checkpoint. */
void     urb_supervisor_start_workers (UrbSupervisor *self);
void     urb_supervisor_start_others  (UrbSupervisor *self); /* all but rank 0, which is ready */
gboolean urb_supervisor_has_workers   (UrbSupervisor *self);
/* Whether rank 0 can be told to save or draw. */
gboolean urb_supervisor_can_order     (UrbSupervisor *self);
void     urb_supervisor_send_order    (UrbSupervisor *self, int rank, const char *cmd);
/* Orders all workers to pause or stop, rank 0 once the others have ended. */
void     urb_supervisor_wind_down     (UrbSupervisor *self);
/* Kills them at once. */
void     urb_supervisor_kill_workers  (UrbSupervisor *self);
/* Starts the successor of a team's worker in a moment. */
void     urb_supervisor_schedule_replacement       (UrbWorkerSlot *slot);
/* Resets the state of its last worker. */
void     urb_supervisor_clear_slot    (UrbWorkerSlot *slot);
void     urb_supervisor_schedule_restart (UrbSupervisor *self, const char *dead);
/* Kills workers that hang. */
void     urb_supervisor_watch_workers (UrbSupervisor *self);

extern const UrbControlOps urb_supervisor_control_ops;

G_END_DECLS
