/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-clock.c - with a wall clock that jumps by years, and with stopped
 * processes, time limits and records are correct, and the weights are those of
 * an undisturbed run.
 */
#include <signal.h>
#include <string.h>

#include "real-run.h"

enum { N_STEPS = 300, PATIENCE_S = 30, TOLD_WITHIN_S = 10 };

static void
lie (gint64 value)
{
  g_setenv ("LD_PRELOAD", g_getenv ("URBARIUM_CLOCK_SHIM"), TRUE);
}

/* Starts the run, and waits until it has done some steps.
 * Returns: its supervisor */
static pid_t
start (RealRun *f, const char *run)
{
  pid_t supervisor = real_run_start (f, run, N_STEPS);
  g_autofree char *path = g_build_filename (run, "control.sock", NULL);
  gint64 until_us = g_get_monotonic_time () + PATIENCE_S * G_USEC_PER_SEC;
  gboolean works = FALSE;
  while (!works)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, until_us);
      g_usleep (10000);
      works = g_file_test (path, G_FILE_TEST_EXISTS)
              && real_run_query (run, "SELECT count(*) FROM step") > 10;
    }
  return supervisor;
}

/* Returns: the seconds that it took */
static double
wait_for_event (const char *run, const char *code, const char *text)
{
  g_autofree char *sql
    = g_strdup_printf ("SELECT text FROM event WHERE code = '%s' AND text LIKE '%%%s%%'", code, text);
  g_autofree char *said = NULL;
  gint64 begin_us = g_get_monotonic_time ();
  while ((said = real_run_query_text (run, sql)) == NULL)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, begin_us + PATIENCE_S * G_USEC_PER_SEC);
      g_usleep (50000);
    }
  g_test_message ("after %.1f s: %s", (double) (g_get_monotonic_time () - begin_us) / G_USEC_PER_SEC,
                  said);
  return (double) (g_get_monotonic_time () - begin_us) / G_USEC_PER_SEC;
}

static void
test_jumps (RunTest *t, gconstpointer data)
{
  g_auto(RealRun) f = { 0 };
  pid_t supervisor;
  if (!real_run_init_beside (&f, t, N_STEPS))
    return;
  f.prepare = lie;
  /* A distant time limit is not reached early. */
  f.more = (const char *const[]){ "--max-minutes", "5", NULL };
  supervisor = start (&f, t->run);
  kill (real_run_find_worker (supervisor), SIGKILL);
  g_assert_cmpint (real_run_wait (supervisor), ==, 0);
  real_run_assert_undisturbed (&f, t->run);
  g_assert_cmpint (real_run_query (t->run, "SELECT count(*) FROM event WHERE code = 'worker-died'"),
                   ==, 1);
  g_assert_cmpint (real_run_query (t->run, "SELECT count(*) FROM event WHERE code = 'suspended'"), ==,
                   0);
  /* The clock did jump: without that, records would be minutes apart at most. */
  g_assert_cmpint (real_run_query (t->run, "SELECT cast(max(time) - min(time) AS INTEGER) FROM step"),
                   >, 1000000000);
}

static void
test_worker_stands_still (RunTest *t, gconstpointer data)
{
  g_auto(RealRun) f = { 0 };
  pid_t supervisor;
  if (!real_run_init_beside (&f, t, N_STEPS))
    return;
  supervisor = start (&f, t->run);
  kill (real_run_find_worker (supervisor), SIGSTOP);
  g_assert_cmpfloat (wait_for_event (t->run, "worker-died", "stopped (state T)"), <, TOLD_WITHIN_S);
  g_assert_cmpint (real_run_wait (supervisor), ==, 0);
  real_run_assert_undisturbed (&f, t->run);
}

/* A worker that waits for a stopped supervisor is not blamed, and dies with it. */
static void
test_supervisor_stands_still (RunTest *t, gconstpointer data)
{
  enum { STILL_S = 7 };
  g_auto(RealRun) f = { 0 };
  pid_t supervisor;
  if (!real_run_init_beside (&f, t, N_STEPS))
    return;
  supervisor = start (&f, t->run);
  kill (supervisor, SIGSTOP);
  g_usleep (STILL_S * G_USEC_PER_SEC);
  kill (supervisor, SIGCONT);
  g_assert_cmpint (real_run_wait (supervisor), ==, 0);
  wait_for_event (t->run, "suspended", "machine was suspended");
  g_assert_cmpint (real_run_query (t->run, "SELECT count(*) FROM event WHERE code = 'worker-died'"),
                   ==, 0);
  real_run_assert_undisturbed (&f, t->run);
}

static void
test_stopped_supervisor_dies (RunTest *t, gconstpointer data)
{
  g_auto(RealRun) f = { 0 };
  pid_t supervisor;
  if (!real_run_init_beside (&f, t, N_STEPS))
    return;
  supervisor = start (&f, t->run);
  kill (real_run_find_worker (supervisor), SIGSTOP);
  kill (supervisor, SIGSTOP);
  kill (supervisor, SIGKILL);
  g_assert_cmpint (real_run_wait (supervisor), ==, -SIGKILL);
  run_test_assert_no_process ();
  real_run_finish (&f, t->run, N_STEPS);
  real_run_assert_undisturbed (&f, t->run);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  run_test_add ("/clock/jumps", test_jumps);
  run_test_add ("/clock/worker-stands-still", test_worker_stands_still);
  run_test_add ("/clock/supervisor-stands-still", test_supervisor_stands_still);
  run_test_add ("/clock/stopped-supervisor-dies", test_stopped_supervisor_dies);
  return g_test_run ();
}
