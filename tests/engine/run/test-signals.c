/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-signals.c - the real program, told by signals to end or that it will be
 * killed, as schedulers of clusters do.
 *
 * Steps of the very small network take less than a millisecond, and checkpoints
 * are far apart, so that a run that ends without one is found out.
 */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "real-run.h"

enum { WAIT_S = 30 };

/* @more: (array zero-terminated=1): further options */
static pid_t
start (RealRun *f, const char *run, const char *const *more)
{
  const char *const train[] = {
    g_getenv ("URBARIUM_ENGINE"), "train", "--dataset", f->dataset, "--run", run, "--preset", f->preset,
    "--steps", "100000000", "--threads", "1", "--checkpoint-every", "10000000", "--sample-every", "10000000",
    "--no-score", NULL,
  };
  g_autoptr(GPtrArray) argv = g_ptr_array_new ();
  for (int i = 0; train[i] != NULL; i++)
    g_ptr_array_add (argv, (gpointer) train[i]);
  for (int i = 0; more != NULL && more[i] != NULL; i++)
    g_ptr_array_add (argv, (gpointer) more[i]);
  g_ptr_array_add (argv, NULL);
  return real_run_spawn (f, (const char *const *) argv->pdata);
}

static gboolean
is_in_file (const char *path, const char *text)
{
  g_autofree char *contents = NULL;
  return g_file_get_contents (path, &contents, NULL, NULL) && strstr (contents, text) != NULL;
}

/* Returns: the supervisor, once some steps are done */
static pid_t
start_and_wait (RealRun *f, const char *run, const char *const *more)
{
  pid_t supervisor = start (f, run, more);
  real_run_wait_for_steps (run);
  return supervisor;
}

static gint64
get_newest (const char *run)
{
  return urb_run_folder_get_newest_checkpoint (run);
}

/* The run has ended cleanly, with a checkpoint of its last step, and said @text. */
static void
assert_saved (RealRun *f, const char *run, pid_t supervisor, const char *text)
{
  g_autofree char *log = g_build_filename (run, "log", NULL);
  g_assert_cmpint (real_run_wait (supervisor), ==, 130);
  run_test_assert_no_process ();
  g_assert_true (is_in_file (log, text));
  g_assert_true (is_in_file (f->said, "Go on with: urbarium-engine resume"));
  g_assert_cmpint (get_newest (run), >, 0);
  g_assert_cmpint (get_newest (run), ==, real_run_query (run, "SELECT max(step) FROM step"));
  real_run_assert_nothing_torn (run);
  real_run_assert_nothing_left (run);
}

/* ------------------------------------------------------------------------ */

static void
test_ends (RunTest *t, gconstpointer data)
{
  static const struct { int number; const char *says; } signals[] = {
    { SIGUSR1, "SIGUSR1: saving a checkpoint and ending (with --checkpoint-on SIGUSR1" },
    { SIGUSR2, "SIGUSR2: saving" },
    { SIGALRM, "SIGALRM: saving" },
    { SIGXCPU, "SIGXCPU: saving" },
  };
  g_auto(RealRun) f = { 0 };
  if (!real_run_init (&f, t, 1))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      g_autofree char *run = g_strdup_printf ("%s-%d", t->run, signals[i].number);
      pid_t supervisor = start_and_wait (&f, run, NULL);
      kill (supervisor, signals[i].number);
      assert_saved (&f, run, supervisor, signals[i].says);
      g_assert_true (is_in_file (f.said, signals[i].says));
    }
}

static void
be_a_slurm_job (gint64 value)
{
  setenv ("SLURM_JOB_ID", "1", 1);
}

/* Waits for a step after @step. */
static void
wait_for_step_after (const char *run, gint64 step)
{
  gint64 until = g_get_monotonic_time () + WAIT_S * G_USEC_PER_SEC, now = -1;
  while (now <= step)
    {
      g_autofree char *text = real_run_query_text (run, "SELECT max(step) FROM step");
      now = text != NULL ? g_ascii_strtoll (text, NULL, 10) : -1;
      g_assert_cmpint (g_get_monotonic_time (), <, until);
      g_usleep (5000);
    }
}

/* By the option, or by default under Slurm: a checkpoint, and the run goes on. */
static void
test_goes_on (RunTest *t, gconstpointer data)
{
  static const struct
  {
    int number;
    void (*prepare) (gint64 value);
    const char *const more[5], *says;
  } warnings[] = {
    { SIGUSR2, NULL, { "--checkpoint-on", "SIGALRM", "--checkpoint-on", "usr2" },
      "SIGUSR2: saving a checkpoint" },
    { SIGUSR1, be_a_slurm_job, { NULL }, "SIGUSR1: saving a checkpoint" },
  };
  g_auto(RealRun) f = { 0 };
  if (!real_run_init (&f, t, 1))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (warnings); i++)
    {
      g_autofree char *run = g_strdup_printf ("%s-%d", t->run, warnings[i].number);
      gint64 until = g_get_monotonic_time () + WAIT_S * G_USEC_PER_SEC, first;
      pid_t supervisor;
      f.prepare = warnings[i].prepare;
      supervisor = start_and_wait (&f, run, warnings[i].more);
      kill (supervisor, warnings[i].number);
      while ((first = get_newest (run)) < 1 && g_get_monotonic_time () < until)
        g_usleep (5000);
      g_assert_cmpint (first, >, 0);
      wait_for_step_after (run, first);
      /* Afterwards the scheduler ends it. */
      kill (supervisor, SIGTERM);
      assert_saved (&f, run, supervisor, warnings[i].says);
      g_assert_cmpint (get_newest (run), >, first);
    }
}

/* "none" takes Slurm's default away. */
static void
test_none (RunTest *t, gconstpointer data)
{
  static const char *const more[] = { "--checkpoint-on", "none", NULL };
  g_auto(RealRun) f = { .prepare = be_a_slurm_job };
  pid_t supervisor;
  if (!real_run_init (&f, t, 1))
    return;
  supervisor = start_and_wait (&f, t->run, more);
  kill (supervisor, SIGUSR1);
  assert_saved (&f, t->run, supervisor, "SIGUSR1: saving a checkpoint and ending");
}

static void
test_unknown (RunTest *t, gconstpointer data)
{
  static const char *const names[] = { "SIGKILL", "7", "", "SIGINT" };
  g_auto(RealRun) f = { 0 };
  if (!real_run_init (&f, t, 1))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const char *const more[] = { "--checkpoint-on", names[i], NULL };
      g_assert_cmpint (real_run_wait (start (&f, t->run, more)), ==, 2);
      g_assert_true (is_in_file (f.said, "--checkpoint-on must be SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU or none"));
      g_assert_false (g_file_test (t->run, G_FILE_TEST_EXISTS));
    }
}

/* Slurm sends its signals to every process of a step. */
static void
test_to_all (RunTest *t, gconstpointer data)
{
  static const int signals[] = { SIGTERM, SIGUSR1, SIGUSR2, SIGALRM };
  g_auto(RealRun) f = { 0 };
  if (!real_run_init (&f, t, 1))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      g_autofree char *run = g_strdup_printf ("%s-%d", t->run, signals[i]);
      g_autofree char *log = g_build_filename (run, "log", NULL);
      pid_t supervisor = start_and_wait (&f, run, NULL);
      pid_t worker = real_run_find_worker (supervisor);
      g_assert_cmpint (worker, >, 0);
      kill (worker, signals[i]);
      kill (supervisor, signals[i]);
      assert_saved (&f, run, supervisor, "info: stopping");
      g_assert_false (is_in_file (log, "was killed by"));
    }
}

static void
test_quit (RunTest *t, gconstpointer data)
{
  g_auto(RealRun) f = { 0 };
  g_autofree char *log = g_build_filename (t->run, "log", NULL);
  pid_t supervisor;
  if (!real_run_init (&f, t, 1))
    return;
  supervisor = start_and_wait (&f, t->run, NULL);
  kill (supervisor, SIGQUIT);
  g_assert_cmpint (real_run_wait (supervisor), ==, 130);
  run_test_assert_no_process ();
  g_assert_true (is_in_file (log, "warning: SIGQUIT: the run ends without a checkpoint"));
  g_assert_true (is_in_file (f.said, "SIGQUIT: the run ends without a checkpoint"));
  g_assert_cmpint (get_newest (t->run), ==, -1);
  real_run_assert_nothing_left (t->run);
}

static void
limit_cpu (gint64 seconds)
{
  const struct rlimit limit = { .rlim_cur = (rlim_t) seconds, .rlim_max = (rlim_t) seconds + 60 };
  setrlimit (RLIMIT_CPU, &limit);
}

/* It is the worker that computes. */
static void
test_cpu_limit (RunTest *t, gconstpointer data)
{
  g_auto(RealRun) f = { .prepare = limit_cpu, .value = 2 };
  if (!real_run_init (&f, t, 1))
    return;
  assert_saved (&f, t->run, start (&f, t->run, NULL), "SIGXCPU: saving a checkpoint and ending");
}

static void
limit_files (gint64 n_bytes)
{
  const struct rlimit limit = { .rlim_cur = (rlim_t) n_bytes, .rlim_max = (rlim_t) n_bytes };
  setrlimit (RLIMIT_FSIZE, &limit);
}

/* The history grows until the limit. */
static void
test_file_limit (RunTest *t, gconstpointer data)
{
  g_auto(RealRun) f = { .prepare = limit_files, .value = 256 << 10 };
  g_autofree char *said = NULL;
  if (!real_run_init (&f, t, 1))
    return;
  said = real_run_fail (&f, start (&f, t->run, NULL));
  g_assert_nonnull (strstr (said, "run.db"));
  run_test_assert_no_process ();
  real_run_assert_nothing_left (t->run);
}

static void
ignore_hangup (gint64 value)
{
  signal (SIGHUP, SIG_IGN);
}

/* `nohup urbarium-engine train … &`, and the terminal is closed. */
static void
test_nohup (RunTest *t, gconstpointer data)
{
  g_auto(RealRun) f = { .prepare = ignore_hangup };
  g_autofree char *log = g_build_filename (t->run, "log", NULL);
  pid_t supervisor;
  if (!real_run_init (&f, t, 1))
    return;
  supervisor = start_and_wait (&f, t->run, NULL);
  kill (supervisor, SIGHUP);
  g_usleep (G_USEC_PER_SEC / 2);
  g_assert_false (is_in_file (log, "stopping"));
  kill (supervisor, SIGINT);
  assert_saved (&f, t->run, supervisor, "Interrupted: saving a checkpoint");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  signal (SIGQUIT, SIG_DFL); /* a shell ignores it for what it starts in the background */
  run_test_add ("/signals/ends", test_ends);
  run_test_add ("/signals/goes-on", test_goes_on);
  run_test_add ("/signals/none", test_none);
  run_test_add ("/signals/unknown", test_unknown);
  run_test_add ("/signals/to-all", test_to_all);
  run_test_add ("/signals/quit", test_quit);
  run_test_add ("/signals/cpu-limit", test_cpu_limit);
  run_test_add ("/signals/file-limit", test_file_limit);
  run_test_add ("/signals/nohup", test_nohup);
  return g_test_run ();
}
