/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-limits.c - the real program with little memory, shared memory or few
 * descriptors: it works, or ends within seconds, names the resource, and is
 * never ended by a signal.  Nothing is left behind, and without the limit
 * `resume` gives the weights of an undisturbed run.
 */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "flat-folder.h"
#include "mount-room.h"
#include "parallel/comm.h"
#include "real-run.h"

enum { N_STEPS = 60, MIB = 1 << 20 };

static void
set_limit (int what, gint64 value)
{
  const struct rlimit limit = { (rlim_t) value, (rlim_t) value };
  setrlimit (what, &limit);
}

static void
limit_memory (gint64 n_bytes)
{
  set_limit (RLIMIT_AS, n_bytes);
}

static void
limit_descriptors (gint64 n)
{
  set_limit (RLIMIT_NOFILE, n);
}

static void
assert_says_one_of (const char *said, const char *const *causes)
{
  for (; *causes != NULL; causes++)
    if (strstr (said, *causes) != NULL)
      return;
  g_error ("the cause was not named, but: %s", said);
}

/* A run with the limit, then without.
 * Returns: whether the limit stopped it */
static gboolean
run_with_limit (RealRun *f, const char *run, gint64 value, const char *const *causes)
{
  g_autofree char *said = NULL;
  f->value = value;
  g_test_message ("limit %" G_GINT64_FORMAT, value);
  said = real_run_fail (f, real_run_start (f, run, N_STEPS));
  run_test_assert_no_process ();
  real_run_assert_nothing_torn (run);
  real_run_assert_nothing_left (run);
  if (*said != '\0')
    {
      void (*prepare) (gint64) = f->prepare;
      assert_says_one_of (said, causes);
      f->prepare = NULL;
      real_run_finish (f, run, N_STEPS);
      f->prepare = prepare;
    }
  real_run_assert_undisturbed (f, run);
  run_test_delete (run);
  return *said != '\0';
}

/* From too little memory for the libraries up to enough. */
static void
test_memory (RunTest *t, gconstpointer data)
{
  static const char *const causes[] = { "memory", "bad_alloc", "failed to map", "thread", "Thread", NULL };
  g_auto(RealRun) f = { 0 };
  int step = g_test_slow () ? 4 : 16, n_stopped = 0, n_good = 0;
  if (!real_run_init_beside (&f, t, N_STEPS))
    return;
  f.prepare = limit_memory;
  for (gint64 mib = 60; mib <= 220; mib += step)
    {
      gboolean stopped = run_with_limit (&f, t->run, mib * MIB, causes);
      n_stopped += stopped;
      n_good += !stopped;
    }
  g_assert_cmpint (n_stopped, >=, 2);
  g_test_message ("%d runs did not fit, %d did", n_stopped, n_good);
}

static void
test_descriptors (RunTest *t, gconstpointer data)
{
  static const char *const causes[] = { "ulimit -n", "Too many open files", "open shared object",
                                        NULL };
  g_auto(RealRun) f = { 0 };
  int step = g_test_slow () ? 1 : 7, n_stopped = 0;
  if (!real_run_init_beside (&f, t, N_STEPS))
    return;
  f.prepare = limit_descriptors;
  for (gint64 n = 3; n <= 72; n += step)
    n_stopped += run_with_limit (&f, t->run, n, causes);
  g_assert_cmpint (n_stopped, >=, 5);
}

/* For a run that has already started, without a pre-flight check. */
static void
test_descriptors_of_resume (RunTest *t, gconstpointer data)
{
  static const char *const causes[] = { "ulimit -n", "Too many open files", "open shared object",
                                        "unable to open database file", NULL };
  g_auto(RealRun) f = { 0 };
  int step = g_test_slow () ? 1 : 4, n_stopped = 0;
  if (!real_run_init_beside (&f, t, N_STEPS))
    return;
  real_run_finish (&f, t->run, 10);
  f.prepare = limit_descriptors;
  for (gint64 n = 4; n <= 40; n += step)
    {
      g_autofree char *said = NULL;
      f.value = n;
      g_test_message ("limit %" G_GINT64_FORMAT, n);
      said = real_run_fail (&f, real_run_start (&f, t->run, 12));
      run_test_assert_no_process ();
      if (*said == '\0')
        continue;
      assert_says_one_of (said, causes);
      n_stopped++;
    }
  g_assert_cmpint (n_stopped, >=, 2);
  f.prepare = NULL;
  real_run_finish (&f, t->run, N_STEPS);
  real_run_assert_undisturbed (&f, t->run);
}

/* Waits up to half a minute until @sql counts something. */
static void
wait_for (RunTest *t, const char *sql)
{
  for (int i = 0; i < 300 && real_run_query (t->run, sql) == 0; i++)
    g_usleep (100000);
  g_assert_cmpint (real_run_query (t->run, sql), >, 0);
}

/* Suddenly, while it runs. */
static void
test_descriptors_run_out (RunTest *t, gconstpointer data)
{
  enum { MANY_STEPS = 600 };
  const struct rlimit few = { 5, 4096 };
  g_auto(RealRun) f = { 0 };
  g_autofree char *said = NULL;
  pid_t supervisor, worker = 0;
  if (!real_run_init_beside (&f, t, MANY_STEPS))
    return;
  supervisor = real_run_start (&f, t->run, MANY_STEPS);
  while ((worker = real_run_find_worker (supervisor)) == 0)
    g_usleep (10000);
  wait_for (t, "SELECT count(*) FROM step");
  g_assert_cmpint (prlimit (worker, RLIMIT_NOFILE, &few, NULL), ==, 0);
  wait_for (t, "SELECT count(*) FROM event WHERE code = 'checkpoint-failed' AND text LIKE "
               "'%Too many open files'");
  g_assert_cmpint (prlimit (supervisor, RLIMIT_NOFILE, &few, NULL), ==, 0);
  g_usleep (200000);
  kill (worker, SIGKILL);
  said = real_run_fail (&f, supervisor);
  g_assert_nonnull (strstr (said, "Too many open files"));
  run_test_assert_no_process ();
  real_run_assert_nothing_left (t->run);
  real_run_finish (&f, t->run, MANY_STEPS);
  real_run_assert_undisturbed (&f, t->run);
}

/* ------------------------------------------------------------------------ */
/* Shared memory                                                             */

static void
set_tmpdir (gint64 value)
{
  if (value != 0)
    g_setenv ("TMPDIR", "/dev/shm", TRUE);
}

/* No other process sees it. */
static void
assert_no_shared_memory (void)
{
  g_autoptr(GDir) dir = g_dir_open ("/dev/shm", 0, NULL);
  const char *name = g_dir_read_name (dir);
  if (name != NULL)
    g_error ("'/dev/shm/%s' was left behind", name);
}

/* Under hogwild ranks race, so only the number of steps can be checked. */
static void
run_strategy (RealRun *f, RunTest *t, const char *const *options, gboolean without_tmp,
              const char *cause)
{
  g_autofree char *said = NULL, *path = NULL, *name = urb_run_checkpoint_name (N_STEPS);
  f->more = options;
  f->prepare = set_tmpdir;
  f->value = without_tmp;
  said = real_run_fail (f, real_run_start (f, t->run, N_STEPS));
  run_test_assert_no_process ();
  real_run_assert_nothing_left (t->run);
  assert_no_shared_memory ();
  path = g_build_filename (t->run, name, NULL);
  if (cause != NULL)
    g_assert_nonnull (strstr (said, cause));
  else
    g_assert_cmpstr (said, ==, "");
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS) == (cause == NULL));
  run_test_delete (t->run);
}

static void
test_shared_memory (RunTest *t, gconstpointer data)
{
  static const char *const by_descriptor[] = { "--strategy", "hogwild:2", NULL };
  static const char *const by_name[]
    = { "--strategy", "hogwild:2", "--sharing", "file_system", NULL };
  static const char *const mpi[] = { "--strategy", "ddp:2", "--communicator", "mpi", NULL };
  g_autofree char *mpirun = g_find_program_in_path ("mpirun");
  gboolean has_mpi = mpirun != NULL && urb_comm_has_mpi ();
  g_auto(RealRun) f = { 0 };
  if (!mount_room_check () || !real_run_init_beside (&f, t, N_STEPS))
    return;
  mount_room_add ("/dev/shm", "size=16m");
  run_strategy (&f, t, by_descriptor, FALSE, NULL);
  run_strategy (&f, t, by_name, FALSE, NULL);
  if (has_mpi)
    run_strategy (&f, t, mpi, FALSE, NULL); /* their connection uses another folder */
  mount_room_change ("/dev/shm", "size=16k");
  run_strategy (&f, t, by_descriptor, FALSE, NULL);
  run_strategy (&f, t, by_name, FALSE, "/dev/shm");
  if (has_mpi)
    run_strategy (&f, t, mpi, FALSE, NULL);
  if (has_mpi)
    run_strategy (&f, t, mpi, TRUE, "MPI needs");
  mount_room_remove ("/dev/shm");
}

/* The next supervisor removes what a killed one left. */
static void
test_shared_memory_after_kill (RunTest *t, gconstpointer data)
{
  static const char *const by_name[]
    = { "--strategy", "hogwild:2", "--sharing", "file_system", NULL };
  static const char *const mpi[] = { "--strategy", "ddp:2", "--communicator", "mpi", NULL };
  static const char *const *const ways[] = { by_name, mpi };
  enum { MANY_STEPS = 600, N_KILLS = 3, N_KILLS_SLOW = 20, LATEST_US = 1500000 };
  g_autofree char *mpirun = g_find_program_in_path ("mpirun");
  gsize n_ways = mpirun != NULL && urb_comm_has_mpi () ? 2 : 1;
  g_autoptr(GRand) rand = g_rand_new_with_seed (2);
  g_auto(RealRun) f = { 0 };
  if (!mount_room_check () || !real_run_init (&f, t, MANY_STEPS))
    return;
  mount_room_add ("/dev/shm", "size=64m");
  for (gsize i = 0; i < n_ways; i++)
    {
      f.more = ways[i];
      for (int k = 0; k < (g_test_slow () ? N_KILLS_SLOW : N_KILLS); k++)
        {
          pid_t supervisor = real_run_start (&f, t->run, MANY_STEPS);
          g_usleep ((gulong) g_rand_int_range (rand, 0, LATEST_US));
          kill (supervisor, SIGKILL);
          real_run_wait (supervisor);
          run_test_assert_no_process ();
          real_run_assert_nothing_torn (t->run);
        }
      real_run_finish (&f, t->run, MANY_STEPS);
      run_test_assert_no_process ();
      real_run_assert_nothing_left (t->run);
      assert_no_shared_memory ();
      run_test_delete (t->run);
    }
  mount_room_remove ("/dev/shm");
}

enum { ENDLESS = 100000000 };

/* Kills @run while it trains, after a checkpoint.  Then it has left something. */
static void
kill_in_training (RealRun *f, const char *run)
{
  pid_t supervisor = real_run_start (f, run, ENDLESS);
  real_run_wait_for_steps (run);
  while (urb_run_folder_get_newest_checkpoint (run) <= 0)
    g_usleep (5000);
  kill (supervisor, SIGKILL);
  real_run_wait (supervisor);
  run_test_assert_no_process ();
  g_assert_cmpint (flat_folder_count ("/dev/shm"), >, 0);
}

/* Killed after its last step: `resume` has nothing to train, but removes what was left. */
static void
test_shared_memory_of_finished (RunTest *t, gconstpointer data)
{
  static const char *const by_name[] = { "--strategy", "hogwild:2", "--sharing", "file_system", NULL };
  g_auto(RealRun) f = { 0 };
  if (!mount_room_check () || !real_run_init (&f, t, N_STEPS))
    return;
  mount_room_add ("/dev/shm", "size=64m");
  f.more = by_name;
  kill_in_training (&f, t->run);
  real_run_finish (&f, t->run, (int) urb_run_folder_get_newest_checkpoint (t->run));
  assert_no_shared_memory ();
  mount_room_remove ("/dev/shm");
}

/* The killed run's folder was deleted, so that nothing leads to what it left: any other run removes it. */
static void
test_shared_memory_of_deleted (RunTest *t, gconstpointer data)
{
  static const char *const by_name[] = { "--strategy", "hogwild:2", "--sharing", "file_system", NULL };
  static const char *const mpi[] = { "--strategy", "ddp:2", "--communicator", "mpi", NULL };
  static const char *const *const ways[] = { by_name, mpi };
  g_autofree char *mpirun = g_find_program_in_path ("mpirun");
  gsize n_ways = mpirun != NULL && urb_comm_has_mpi () ? 2 : 1;
  g_auto(RealRun) f = { 0 };
  if (!mount_room_check () || !real_run_init (&f, t, N_STEPS))
    return;
  mount_room_add ("/dev/shm", "size=64m");
  for (gsize i = 0; i < n_ways; i++)
    {
      g_autofree char *other = g_strdup_printf ("%s-%u", t->run, (guint) i);
      f.more = ways[i];
      kill_in_training (&f, t->run);
      run_test_delete (t->run);
      f.more = NULL;
      real_run_finish (&f, other, N_STEPS);
      assert_no_shared_memory ();
    }
  mount_room_remove ("/dev/shm");
}

int
main (int argc, char **argv)
{
  mount_room_enter ();
  g_test_init (&argc, &argv, NULL);
  run_test_add ("/limits/memory", test_memory);
  run_test_add ("/limits/descriptors", test_descriptors);
  run_test_add ("/limits/descriptors/of-resume", test_descriptors_of_resume);
  run_test_add ("/limits/descriptors/run-out", test_descriptors_run_out);
  run_test_add ("/limits/shared-memory", test_shared_memory);
  run_test_add ("/limits/shared-memory/after-kill", test_shared_memory_after_kill);
  run_test_add ("/limits/shared-memory/of-finished", test_shared_memory_of_finished);
  run_test_add ("/limits/shared-memory/of-deleted", test_shared_memory_of_deleted);
  return g_test_run ();
}
