/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker-process.h - a worker as its supervisor sees it: a process that is
 * started, spoken to, watched, and named when it dies.
 */
#pragma once

#include <sched.h>

#include "run/store/json-line.h"

G_BEGIN_DECLS

typedef struct _UrbWorkerProcess UrbWorkerProcess;

enum { URB_WORKER_FIRST_FD = 4, URB_WORKER_MAX_FDS = 4 };

/* What it is started as. */
typedef struct
{
  const char *const *argv; /* (array zero-terminated=1): program and arguments; "--fd 3" is added */
  int                rank;
  int                log_fd; /* its standard output and error */
  int                fds[URB_WORKER_MAX_FDS]; /* further ones, in the worker: 4, 5, …; stay the caller's */
  int                n_fds;
  const cpu_set_t   *cpus; /* nullable; the only ones it may run on */
  const char *const *environment; /* (array zero-terminated=1) nullable; NULL: our own */
  gboolean           is_launcher; /* it starts the worker elsewhere, which connects to us: no
                                   * "--fd"; it is given time to end what it started */
} UrbWorkerSpawn;

typedef struct
{
  /* A message arrived. */
  void (*message) (UrbWorkerProcess *worker, JsonObject *message, gpointer user_data);
  /* It has ended and all it said was delivered.  @how: "exited with code 1",
   * "was killed by signal 9, probably out of memory".  May free the worker. */
  void (*ended)   (UrbWorkerProcess *worker, gboolean success, const char *how, gpointer user_data);
} UrbWorkerProcessOps;

/* Call it from the main thread: the worker dies with the thread that made it. */
UrbWorkerProcess *urb_worker_process_spawn (const UrbWorkerSpawn *what,
                                            const UrbWorkerProcessOps *ops, gpointer user_data,
                                            GError **error);
/* Kills and reaps it if it lives. */
void        urb_worker_process_free (UrbWorkerProcess *self);

int         urb_worker_process_get_rank (UrbWorkerProcess *self);
int         urb_worker_process_get_pid  (UrbWorkerProcess *self);
/* Of one that has ended: whether a signal or its supervisor did it, rather than itself. */
gboolean    urb_worker_process_was_struck (UrbWorkerProcess *self);
/* Of one that has ended: whether it may have printed why; neither its supervisor nor a SIGKILL took
 * it by surprise. */
gboolean    urb_worker_process_may_have_complained (UrbWorkerProcess *self);
/* Seconds since its last message. */
double      urb_worker_process_get_silence_s (UrbWorkerProcess *self);
/* Whether it said anything yet; until then it may be loading its libraries, or mpirun its hosts. */
gboolean    urb_worker_process_has_spoken (UrbWorkerProcess *self);
/* After the supervisor itself was suspended: the silence was not the worker's. */
void        urb_worker_process_forgive  (UrbWorkerProcess *self);
/* The worker behind a launcher has come.  Takes @fd. */
void        urb_worker_process_connect  (UrbWorkerProcess *self, int fd);
/* Delivers what it has said so far. */
void        urb_worker_process_drain    (UrbWorkerProcess *self);
/* Takes @line. */
void        urb_worker_process_send     (UrbWorkerProcess *self, char *line);
/* Its end is then told as "was killed by its supervisor, because it " @why; of a launcher, with the
 * rank whose messages those are: "was ended by its supervisor, because rank 0 " @why. */
void        urb_worker_process_kill     (UrbWorkerProcess *self, const char *why);

G_END_DECLS
