/* SPDX-License-Identifier: Apache-2.0 */
/*
 * real-run.h - runs the real program with a very small network, and checks what
 * it leaves behind.
 *
 * URBARIUM_ENGINE names the program.  This process adopts orphans, and so finds
 * the processes that a killed supervisor left.
 */
#pragma once

#include <sys/types.h>

#include "run-test.h"

G_BEGIN_DECLS

typedef struct
{
  char *dataset; /* owned */
  char *preset;  /* owned */
  char *said;    /* owned; the file with the stderr of the program started last */
  char *reference; /* owned, nullable; an undisturbed run */
  int   n_steps; /* of an undisturbed run; the length of its schedules */
  const char *const *more; /* (array zero-terminated=1) nullable; further options of new runs */
  void (*prepare) (gint64 value); /* nullable; called in the child before it becomes the program */
  gint64 value;
} RealRun;

/* Returns: FALSE if the program does not exist; the test is marked as skipped then */
gboolean real_run_init  (RealRun *self, RunTest *t, int n_steps);
/* Also trains self->reference. */
gboolean real_run_init_beside (RealRun *self, RunTest *t, int n_steps);
void     real_run_clear (RealRun *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RealRun, real_run_clear)

/* Starts the program with its stderr in @self->said. */
pid_t    real_run_spawn (RealRun *self, const char *const *argv);
/* Starts or resumes the run in @run, up to step @n_steps, with a checkpoint every 2 steps and a
 * sample every 3. */
pid_t    real_run_start (RealRun *self, const char *run, int n_steps);
/* Until some steps are done and recorded. */
void     real_run_wait_for_steps (const char *run);
/* The exit code, or the negative number of the signal that ended it. */
int      real_run_wait  (pid_t pid);
/* Both; it must succeed. */
void     real_run_finish (RealRun *self, const char *run, int n_steps);
/* The same if it may fail: it must end within 10 seconds.  Returns the end of its stderr; g_free()
 * it. */
char    *real_run_fail   (RealRun *self, pid_t pid);
/* The worker of @supervisor; 0 if it has none. */
pid_t    real_run_find_worker (pid_t supervisor);

gint64   real_run_query (const char *run, const char *sql);
char    *real_run_query_text (const char *run, const char *sql); /* g_free() it */

void     real_run_assert_nothing_torn (const char *run);
/* Asserts that there is no socket, no temporary file and no link to a folder of mpirun. */
void     real_run_assert_nothing_left (const char *run);
/* Also asserts that @run has done all its steps, each once with the metrics of the reference, and
 * has its weights, bit for bit. */
void     real_run_assert_undisturbed (RealRun *self, const char *run);

G_END_DECLS
