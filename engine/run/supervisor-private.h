/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor-private.h - what the files of the supervisor share.
 *
 *   supervisor.c           its life: states, signals, limits, the end
 *   supervisor-worker.c    its worker: messages, starts, deaths
 *   supervisor-commands.c  its clients: commands and status
 */
#pragma once

#include "run/control.h"
#include "run/predecessors.h"
#include "run/recorder.h"
#include "run/supervisor.h"
#include "run/worker-process.h"

G_BEGIN_DECLS

/* Where the run shall go.  What a worker's end means depends on it. */
typedef enum
{
  GOAL_RUN,
  GOAL_PAUSE,
  GOAL_STOP
} Goal;

struct _UrbSupervisor
{
  UrbRunFolder        *folder; /* borrowed */
  UrbRunConfig         config;
  UrbSupervisorOptions options;
  UrbRecorder         *recorder; /* owned */
  UrbControl          *control;  /* owned */
  UrbWorkerProcess    *worker;   /* owned, nullable */
  GMainLoop           *loop;     /* owned */

  UrbRunState state;
  Goal        goal;
  gboolean    interrupted;     /* by a signal: says why it stops */
  gint64      checkpoint_step; /* newest; -1: none */
  gint64      step;            /* newest done */
  gint64      images;
  double      images_per_s;    /* smoothed; 0: not known yet */
  int         n_restarts;      /* since the newest checkpoint */
  double      slowest_step_s;  /* of this worker, its first step apart */
  gint64      n_worker_steps;
  gint64      last_tick_us;
  char       *doing;           /* owned, nullable; the worker's last heartbeat */
  double      doing_s;
  gint64      memory_bytes;
  gboolean    worker_finished; /* it said "ended" */
  GError     *worker_error;    /* owned, nullable; what it said before it ended */
  char       *dead;            /* owned, nullable; how the last one died */

  UrbPredecessors *before;     /* owned, nullable; the runs that go first, while they may */

  guint       tick_id, restart_id, limit_id, queue_id, signal_ids[3];
  UrbRunEnd   end;
  GError     *error; /* owned, nullable; why the run failed */
};

/* Writes an event down. */
void urb_supervisor_tell (UrbSupervisor *self, const char *level, const char *code,
                          const char *format, ...) G_GNUC_PRINTF (4, 5);
void urb_supervisor_set_state (UrbSupervisor *self, UrbRunState state);

/* Ends the main loop in @state. */
void urb_supervisor_finish (UrbSupervisor *self, UrbRunState state, UrbRunEnd end);
void urb_supervisor_finish_stopped (UrbSupervisor *self);
/* Takes @error. */
void urb_supervisor_give_up (UrbSupervisor *self, GError *error);

/* Folder, database and our own counters agree with the newest whole checkpoint. */
void urb_supervisor_rewind (UrbSupervisor *self);
/* The run that went first has ended, or need not be waited for any more. */
void urb_supervisor_leave_queue (UrbSupervisor *self);
/* From there. */
void urb_supervisor_start_worker (UrbSupervisor *self);
void urb_supervisor_send_order (UrbSupervisor *self, const char *cmd);
/* Kills the worker if it hangs. */
void urb_supervisor_watch_worker (UrbSupervisor *self);

/* Checkpoint and end, or just the end if nothing runs. */
void urb_supervisor_stop (UrbSupervisor *self);
extern const UrbControlOps urb_supervisor_control_ops;

G_END_DECLS
