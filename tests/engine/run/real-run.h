/* SPDX-License-Identifier: Apache-2.0 */
/*
 * real-run.h - the real program at work on a very small network, and what it
 * may and may not leave behind, whatever happens to it.
 *
 * The program is named by URBARIUM_ENGINE.  This process is the reaper of
 * orphans: whatever a killed supervisor left becomes its child, and is found.
 */
#pragma once

#include <sys/types.h>

#include "run-test.h"

G_BEGIN_DECLS

typedef struct
{
  char *dataset; /* owned */
  char *preset;  /* owned */
  char *said;    /* owned; the file that has what the program last started printed on stderr */
  char *reference; /* owned, nullable; a run that nobody disturbed */
  int   n_steps; /* of a run that nobody disturbs; the length of its schedules */
  const char *const *more; /* (array zero-terminated=1) nullable; further options of new runs */
  void (*prepare) (gint64 value); /* nullable; called in the child before it becomes the program */
  gint64 value;
} RealRun;

/* Returns: FALSE if there is no such program: the test is marked as skipped then */
gboolean real_run_init  (RealRun *self, RunTest *t, int n_steps);
/* The same, and trains self->reference. */
gboolean real_run_init_beside (RealRun *self, RunTest *t, int n_steps);
void     real_run_clear (RealRun *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RealRun, real_run_clear)

/* A process of the program; its stderr goes to @self->said. */
pid_t    real_run_spawn (RealRun *self, const char *const *argv);
/* Begins the run in @run, or goes on with it, to step @n_steps: a checkpoint every 2 steps, a sample
 * every 3. */
pid_t    real_run_start (RealRun *self, const char *run, int n_steps);
/* Its exit code, or minus the signal that ended it. */
int      real_run_wait  (pid_t pid);
/* Both, to the end: it must end well. */
void     real_run_finish (RealRun *self, const char *run, int n_steps);
/* The same where it may fail: it ends by itself, within 10 seconds, and its last words on stderr are
 * returned; g_free() them. */
char    *real_run_fail   (RealRun *self, pid_t pid);
/* The worker of @supervisor; 0 if it has none now. */
pid_t    real_run_find_worker (pid_t supervisor);

gint64   real_run_query (const char *run, const char *sql);
char    *real_run_query_text (const char *run, const char *sql); /* g_free() it */

void     real_run_assert_nothing_torn (const char *run);
/* No socket, no temporary file, no link to a folder of mpirun. */
void     real_run_assert_nothing_left (const char *run);
/* All of that; and @run, which has done all its steps, has the weights of the reference, bit for bit,
 * and each step once with the same numbers. */
void     real_run_assert_undisturbed (RealRun *self, const char *run);

G_END_DECLS
