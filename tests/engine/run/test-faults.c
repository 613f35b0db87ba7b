/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-faults.c - real training with two ranks, under every strategy, in which
 * one rank is killed, stopped, fails, does a collective wrongly or leaves one
 * out: it is noticed, the right rank is named, all steps are done, and nothing
 * is left.
 *
 * The program is named by URBARIUM_ENGINE.  With -m slow each is done 20 times,
 * at another step each time, and must be noticed within 10 seconds.
 */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "parallel/comm.h"
#include "parallel/fault.h"
#include "run/launch.h"
#include "supervised.h"
#include "train/safetensors.h"

enum { N_SLOW = 20, NOTICED_S = 10 };

static const char preset[] =
  "[preset]\ntitle=for a "
  "test\nimage-size=16\nlatent=8\nbatch=4\nsteps=100\nlr=0.001\ngamma=1\nema-kimg=1\n"
  "[generator]\n1=dense 8 4 bias lrelu\n2=tconv 8 bias lrelu\n3=tconv image bias head\n"
  "[discriminator]\n1=conv4 8 bias lrelu\n2=conv4 8 bias lrelu\n3=logit bias\n";

typedef struct
{
  UrbStrategy strategy;
  const char *communicator;
  gboolean    one_process; /* a killed thread takes all of them with it */
  gboolean    talks;       /* there are collectives to do wrongly */
  int         n_steps;     /* long enough that all ranks have come before the end */
} Way;

static gint64
query (RunTest *t, const char *sql)
{
  g_autofree char *path = g_build_filename (t->run, "run.db", NULL);
  sqlite3 *db = NULL;
  sqlite3_stmt *statement = NULL;
  gint64 value;
  g_assert_cmpint (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (statement), ==, SQLITE_ROW);
  value = sqlite3_column_int64 (statement, 0);
  sqlite3_finalize (statement);
  sqlite3_close (db);
  return value;
}

static void
run (Supervised *f, const Way *way)
{
  const char *worker_argv[] = { g_getenv ("URBARIUM_ENGINE"), "worker", NULL };
  g_autofree char *path = g_build_filename (f->test->base, "test.preset", NULL);
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = supervised_make_options (f);
  options.worker_argv = worker_argv;
  options.max_silence_s = 5;
  /* Of asynchronous ranks, one may wait for another's step at the end. */
  options.max_step_s = way->talks ? 4 : 20;
  g_assert_true (g_file_set_contents (path, preset, -1, NULL));
  supervised_fill_config (f->test, &config, path, way->n_steps);
  config.checkpoint_every = way->n_steps / 5;
  config.sample_every = way->n_steps;
  config.train.strategy = way->strategy;
  config.train.n_ranks = 2;
  config.train.n_threads = 2;
  g_clear_pointer (&config.train.dataset, g_free); /* random tiles */
  g_free (config.train.communicator);
  config.train.communicator = g_strdup (way->communicator);
  supervised_prepare (f, &config, &options);
  if (!urb_supervisor_run (f->supervisor, &f->end, &f->error))
    g_error ("%s\n%s", f->error->message, f->events->str);
  g_clear_pointer (&f->supervisor, urb_supervisor_free);
}

static void
assert_complete (RunTest *t, int n_steps)
{
  g_autofree char *name = urb_run_checkpoint_name (n_steps);
  g_autofree char *path = g_build_filename (t->run, name, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSafetensors) file = urb_safetensors_open (path, &error);
  g_assert_no_error (error);
  g_assert_cmpint (query (t, "SELECT count(*) FROM step"), ==, n_steps);
  g_assert_cmpint (query (t, "SELECT max(step) FROM step"), ==, n_steps);
}

static void
assert_nothing_left (RunTest *t)
{
  static const char *const sockets[] = { "control.sock", URB_WORKER_SOCKET_NAME,
                                         URB_BOARD_SOCKET_NAME };
  g_autofree char *own = g_strdup_printf ("urbarium-%d", getpid ());
  g_autoptr(GDir) dir = g_dir_open ("/dev/shm", 0, NULL);
  gint64 until = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;
  const char *name;
  pid_t pid;
  while ((pid = waitpid (-1, NULL, WNOHANG)) >= 0)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, until);
      if (pid == 0)
        g_usleep (2000);
    }
  g_assert_cmpint (errno, ==, ECHILD);
  for (gsize i = 0; i < G_N_ELEMENTS (sockets); i++)
    {
      g_autofree char *path = g_build_filename (t->run, sockets[i], NULL);
      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
    }
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_assert_false (g_str_has_prefix (name, own));
}

/* From the last step that was kept to the event. */
static gint64
measure_delay_ms (RunTest *t)
{
  return query (t, "SELECT cast (1000 * (event.time - (SELECT max (step.time) FROM step WHERE "
                   "step.seq < event.seq)) AS INTEGER) FROM event WHERE code = 'worker-died'");
}

static void
strike (RunTest *t, const Way *way, const char *kind, int rank, int step)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autofree char *fault = g_strdup_printf ("%d:%d:%s", rank, step, kind);
  gboolean takes_all = way->one_process && (strcmp (kind, "kill") == 0 || strcmp (kind, "stop") == 0);
  g_autofree char *named = g_strdup_printf ("ank %d", takes_all ? 0 : rank);
  g_setenv ("URBARIUM_FAULT", fault, TRUE);
  run (f, way);
  g_unsetenv ("URBARIUM_FAULT");
  if (query (t, "SELECT count(*) FROM event WHERE code = 'worker-died'") != 1)
    g_error ("%s was not noticed, or more than once:\n%s", fault, f->events->str);
  g_test_message ("%s: noticed %" G_GINT64_FORMAT " ms after the last step that counts\n%s", fault,
                  measure_delay_ms (t), f->events->str);
  supervised_assert_said (f, named);
  if (g_test_slow ())
    g_assert_cmpint (measure_delay_ms (t), <, NOTICED_S * 1000);
  assert_complete (t, way->n_steps);
  assert_nothing_left (t);
  g_clear_pointer (&t->folder, urb_run_folder_free);
  run_test_delete (t->run);
}

static void
test_strategy (RunTest *t, gconstpointer data)
{
  const Way *way = data;
  static const char *const kinds[] = { "kill", "stop", "error", "count", "skip" };
  int n = g_test_slow () ? N_SLOW : 1;
  g_autofree char *mpirun = g_find_program_in_path ("mpirun");
  if (g_getenv ("URBARIUM_ENGINE") == NULL)
    {
      g_test_skip ("URBARIUM_ENGINE does not name the program");
      return;
    }
  if (strcmp (way->communicator, "mpi") == 0 && (mpirun == NULL || !urb_comm_has_mpi ()))
    {
      g_test_skip ("there is no MPI here");
      return;
    }
  if (urb_strategy_get_obstacle (way->strategy) != NULL)
    {
      g_test_skip (urb_strategy_get_obstacle (way->strategy));
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (kinds) && (way->talks || i < 3); i++)
    for (int k = 0; k < n; k++)
      {
        gboolean others_strike = !way->one_process || way->talks;
        strike (t, way, kinds[i], others_strike ? 1 - k % 2 : 0, 7 + k % 15);
      }
}

/* What is no fault does nothing. */
static void
test_parse (void)
{
  static const char *const wrong[] = { "", "1", "1:2", "1:2:", "1:2:fly", "1:2:kill:3", "-1:2:kill",
                                       "1:-2:kill", "x:2:kill", "1::kill", "9999999999:1:kill" };
  int rank;
  gint64 step;
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    g_assert_cmpint (urb_fault_parse (wrong[i], &rank, &step), ==, URB_FAULT_NONE);
  g_assert_cmpint (urb_fault_parse ("3:812:skip", &rank, &step), ==, URB_FAULT_SKIP);
  g_assert_cmpint (rank, ==, 3);
  g_assert_cmpint (step, ==, 812);
}

int
main (int argc, char **argv)
{
  static const Way hogwild = { URB_STRATEGY_HOGWILD, "auto", FALSE, FALSE, 6000 };
  static const Way streams = { URB_STRATEGY_STREAMS, "auto", TRUE, FALSE, 200 };
  static const Way dp = { URB_STRATEGY_DP, "auto", TRUE, TRUE, 24 };
  static const Way threads = { URB_STRATEGY_DDP, "threads", TRUE, TRUE, 24 };
  static const Way mpi = { URB_STRATEGY_DDP, "mpi", FALSE, TRUE, 24 };
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (prctl (PR_SET_CHILD_SUBREAPER, 1), ==, 0);
  g_test_add_func ("/faults/parse", test_parse);
  run_test_add_with ("/faults/hogwild", test_strategy, &hogwild);
  run_test_add_with ("/faults/streams", test_strategy, &streams);
  run_test_add_with ("/faults/dp", test_strategy, &dp);
  run_test_add_with ("/faults/ddp/threads", test_strategy, &threads);
  run_test_add_with ("/faults/ddp/mpi", test_strategy, &mpi);
  return g_test_run ();
}
