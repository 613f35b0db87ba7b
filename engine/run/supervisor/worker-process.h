/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker-process.h - a worker process as seen by its supervisor: starting it, messages, its end.
 */
#pragma once

#include <sched.h>

#include "run/store/json-line.h"

G_BEGIN_DECLS

typedef struct _UrbWorkerProcess UrbWorkerProcess;

enum { URB_WORKER_FIRST_FD = 4, URB_WORKER_MAX_FDS = 4 };

/* How to start it. */
typedef struct
{
  const char *const *argv; /* (array zero-terminated=1): program and arguments; "--fd 3" is added */
  int                rank;
  int                log_fd; /* its standard output and error */
  int                fds[URB_WORKER_MAX_FDS]; /* further ones, in the worker: 4, 5, …; remain the
                                               * caller's */
  int                n_fds;
  const cpu_set_t   *cpus; /* nullable; the only ones it may run on */
  const char *const *environment; /* (array zero-terminated=1) nullable; NULL: our own */
  gboolean           is_launcher; /* it starts the worker elsewhere, which connects to the
                                   * supervisor: no "--fd"; gets time to end what it started */
  gboolean           is_alone; /* it has no network but loopback, which no other process reaches */
} UrbWorkerSpawn;

typedef struct
{
  /* A message has arrived. */
  void (*message) (UrbWorkerProcess *worker, JsonObject *message, gpointer user_data);
  /* It has ended, and all its messages were delivered.  @how: "exited with code 1", "was killed by
   * signal 9, probably out of memory".  May free the worker. */
  void (*ended)   (UrbWorkerProcess *worker, gboolean success, const char *how, gpointer user_data);
} UrbWorkerProcessOps;

/* Call it from the main thread: the worker dies with the thread that started it. */
UrbWorkerProcess *urb_worker_process_spawn (const UrbWorkerSpawn *what,
                                            const UrbWorkerProcessOps *ops, gpointer user_data,
                                            GError **error);
/* Kills and reaps it if it is alive. */
void        urb_worker_process_free (UrbWorkerProcess *self);

int         urb_worker_process_get_pid  (UrbWorkerProcess *self);
/* After its end: whether a signal or its supervisor ended it. */
gboolean    urb_worker_process_was_killed (UrbWorkerProcess *self);
/* After its end: whether it may have printed why, since neither its supervisor nor SIGKILL ended
 * it. */
gboolean    urb_worker_process_may_have_printed_why (UrbWorkerProcess *self);
/* Seconds since its last message. */
double      urb_worker_process_get_silence_s (UrbWorkerProcess *self);
/* Until its first message it may be loading libraries, or mpirun may be contacting hosts. */
gboolean    urb_worker_process_has_spoken (UrbWorkerProcess *self);
/* Resets the silence, after the supervisor itself was suspended. */
void        urb_worker_process_reset_silence  (UrbWorkerProcess *self);
/* The worker behind a launcher has connected.  Takes @fd. */
void        urb_worker_process_connect  (UrbWorkerProcess *self, int fd);
/* Delivers all messages received so far. */
void        urb_worker_process_drain    (UrbWorkerProcess *self);
/* Takes @line. */
void        urb_worker_process_send     (UrbWorkerProcess *self, char *line);
/* Its end is then reported as "was killed by its supervisor, because it " @why; of a launcher as
 * "was ended by its supervisor, because rank 0 " @why. */
void        urb_worker_process_kill     (UrbWorkerProcess *self, const char *why);

G_END_DECLS
