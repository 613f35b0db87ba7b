/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-kill.c - the real program, killed at random moments.
 *
 * The worker, the supervisor or both of a run with a very small network, of one
 * rank or of several, are killed again and again, while it starts, trains, saves
 * or draws.  Each time no process and no temporary file is left, no checkpoint is
 * lost, and `resume` works.  In the end the weights are bit for bit those of an uninterrupted run.
 * With -m slow a single rank is killed 300 times, and each strategy 100 times.
 */
#include <signal.h>
#include <string.h>

#include "real-run.h"

enum { STEPS_PER_ROUND = 3 };

typedef struct
{
  const char *options[3]; /* of the run */
  int         n_kills, n_kills_slow;
} Way;

/* Ranks are threads of one worker. */
static const Way single = { { NULL }, 45, 300 }, pipeline = { { "--strategy", "1f1b:2" }, 6, 100 },
                 zero_bubble = { { "--strategy", "zb:2" }, 6, 100 },
                 zero = { { "--strategy", "zero3:2" }, 6, 100 },
                 tensor = { { "--strategy", "tensor:2" }, 6, 100 };

/* The step of the newest; -1: none yet. */
static gint64
find_checkpoint (const char *run)
{
  g_autoptr(GArray) steps = urb_run_folder_list_checkpoints (run);
  return steps->len > 0 ? g_array_index (steps, gint64, steps->len - 1) : -1;
}

/* One round: starts or resumes, and kills the worker, the supervisor or both. */
static void
kill_once (RealRun *f, const char *run, GRand *rand, int round, double round_s)
{
  gint64 before = find_checkpoint (run);
  pid_t supervisor = real_run_start (f, run, (round + 1) * STEPS_PER_ROUND);
  gulong moment_us = (gulong) (g_rand_double (rand) * round_s * G_USEC_PER_SEC);
  pid_t worker;
  g_usleep (moment_us);
  worker = real_run_find_worker (supervisor);
  if (round % 3 == 0 && worker > 0)
    {
      /* The run continues by itself to the end of this round. */
      kill (worker, SIGKILL);
      g_assert_cmpint (real_run_wait (supervisor), ==, 0);
    }
  else
    {
      if (round % 3 == 1 && worker > 0)
        kill (worker, SIGKILL);
      kill (supervisor, SIGKILL);
      real_run_wait (supervisor);
    }
  run_test_assert_no_process ();
  real_run_assert_nothing_torn (run);
  g_assert_cmpint (find_checkpoint (run), >=, before);
}

static void
test_kill (RunTest *t, gconstpointer data)
{
  const Way *way = data;
  int n_kills = g_test_slow () ? way->n_kills_slow : way->n_kills;
  g_auto(RealRun) f = { .more = way->options };
  g_autoptr(GRand) rand = g_rand_new_with_seed (1);
  g_autofree char *first = g_build_filename (t->base, "first", NULL);
  gint64 begin_us;
  double round_s;
  if (!real_run_init_beside (&f, t, (n_kills + 1) * STEPS_PER_ROUND))
    return;
  begin_us = g_get_monotonic_time ();
  real_run_finish (&f, first, STEPS_PER_ROUND);
  round_s = (double) (g_get_monotonic_time () - begin_us) / G_USEC_PER_SEC;
  g_test_message ("a round takes %.3f s", round_s);
  for (int round = 0; round < n_kills; round++)
    kill_once (&f, t->run, rand, round, round_s);
  real_run_finish (&f, t->run, f.n_steps);
  real_run_assert_undisturbed (&f, t->run);
  /* Many are thinned as they age. */
  if (!g_test_slow ())
    g_assert_cmpint (real_run_query (t->run, "SELECT count(*) FROM sample WHERE step % 3 = 0"), ==,
                     f.n_steps / 3 + 1);
}

/* A detached run has no parent that waits for it; all of it still dies. */
static void
test_detached (RunTest *t, gconstpointer data)
{
  g_auto(RealRun) f = { 0 };
  g_autofree char *lock = g_build_filename (t->run, "lock", NULL);
  g_autofree char *holder = NULL;
  pid_t supervisor, worker;
  if (!real_run_init (&f, t, 100000000))
    return;
  f.more = (const char *const[]){ "--detach", NULL };
  real_run_finish (&f, t->run, f.n_steps);
  /* It has started, or the command would not have returned. */
  g_assert_true (g_file_get_contents (lock, &holder, NULL, NULL));
  supervisor = (pid_t) g_ascii_strtoll (holder, NULL, 10);
  worker = real_run_find_worker (supervisor);
  g_assert_cmpint (worker, >, 0);
  g_assert_cmpint (kill (supervisor, SIGKILL), ==, 0);
  run_test_assert_no_process ();
  g_assert_cmpint (kill (worker, 0), ==, -1);
  real_run_assert_nothing_torn (t->run);
}

/* If it cannot start, the command reports that before it returns. */
static void
test_detached_fails (RunTest *t, gconstpointer data)
{
  g_auto(RealRun) f = { 0 };
  if (!real_run_init (&f, t, 10))
    return;
  f.more = (const char *const[]){ "--detach", "--batch", "1000000000", NULL };
  g_assert_cmpint (real_run_wait (real_run_start (&f, t->run, 10)), >, 0);
  run_test_assert_no_process ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  run_test_add_with ("/kill/random-moments/single", test_kill, &single);
  run_test_add_with ("/kill/random-moments/pipeline", test_kill, &pipeline);
  run_test_add_with ("/kill/random-moments/zero-bubble", test_kill, &zero_bubble);
  run_test_add_with ("/kill/random-moments/zero", test_kill, &zero);
  run_test_add_with ("/kill/random-moments/tensor", test_kill, &tensor);
  run_test_add ("/kill/detached", test_detached);
  run_test_add ("/kill/detached-fails", test_detached_fails);
  return g_test_run ();
}
