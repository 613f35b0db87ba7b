/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker-process.h - a worker as its supervisor sees it: a process that is
 * started, spoken to, watched, and named when it dies.
 */
#pragma once

#include "run/json-line.h"

G_BEGIN_DECLS

typedef struct _UrbWorkerProcess UrbWorkerProcess;

typedef struct
{
  /* A message arrived. */
  void (*message) (UrbWorkerProcess *worker, JsonObject *message, gpointer user_data);
  /* It has ended and all it said was delivered.  @how: "exited with code 1",
   * "was killed by signal 9, probably out of memory".  May free the worker. */
  void (*ended)   (UrbWorkerProcess *worker, gboolean success, const char *how, gpointer user_data);
} UrbWorkerProcessOps;

/**
 * urb_worker_process_spawn:
 * @argv: (array zero-terminated=1): program and arguments; "--fd 3" is added
 * @log_fd: its standard output and error
 *
 * Call it from the main thread: the worker dies with the thread that made it.
 */
UrbWorkerProcess *urb_worker_process_spawn (const char *const *argv, int rank, int log_fd,
                                            const UrbWorkerProcessOps *ops, gpointer user_data,
                                            GError **error);
/* Kills and reaps it if it lives. */
void        urb_worker_process_free (UrbWorkerProcess *self);

int         urb_worker_process_get_rank (UrbWorkerProcess *self);
int         urb_worker_process_get_pid  (UrbWorkerProcess *self);
/* Seconds since its last message. */
double      urb_worker_process_get_silence_s (UrbWorkerProcess *self);
/* After the supervisor itself was suspended: the silence was not the worker's. */
void        urb_worker_process_forgive  (UrbWorkerProcess *self);
/* Takes @line. */
void        urb_worker_process_send     (UrbWorkerProcess *self, char *line);
/* Its end is then told as "was killed by its supervisor, because it " @why. */
void        urb_worker_process_kill     (UrbWorkerProcess *self, const char *why);

G_END_DECLS
