/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-team.c - a supervisor with several asynchronous workers: each may die in
 * its own way, and the run continues.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "supervised.h"

static gboolean
run (Supervised *f, int n_workers, const char *sharing, const char *script, gint64 n_steps)
{
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = supervised_make_options (f);
  options.max_silence_s = 2.5;
  options.max_step_s = 1.5;
  supervised_fill_config (f->test, &config, script, n_steps);
  config.train.strategy = URB_STRATEGY_HOGWILD;
  config.train.n_ranks = n_workers;
  g_free (config.train.sharing);
  config.train.sharing = g_strdup (sharing);
  supervised_prepare (f, &config, &options);
  return supervised_end (f);
}

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

/* All processes have ended, and left nothing. */
static void
assert_nothing_left (RunTest *t)
{
  g_autoptr(GDir) dir = g_dir_open ("/dev/shm", 0, NULL);
  g_autofree char *own = g_strdup_printf ("urbarium-%d", getpid ());
  const char *name;
  g_assert_cmpint (query (t, "SELECT count(*) FROM worker WHERE state = 'started'"), ==,
                   query (t, "SELECT count(*) FROM worker WHERE state = 'ended'"));
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_assert_false (g_str_has_prefix (name, own));
}

static void
start_over (RunTest *t)
{
  g_clear_pointer (&t->folder, urb_run_folder_free);
  run_test_delete (t->run);
  run_test_delete (t->base);
  g_assert_cmpint (g_mkdir (t->base, 0700), ==, 0);
}

static void
test_finishes (RunTest *t, gconstpointer sharing)
{
  for (int n = 1; n <= 4; n++)
    {
      g_autoptr(Supervised) f = supervised_new (t);
      g_assert_true (run (f, n, sharing, "ms=5", 100));
      g_assert_no_error (f->error);
      g_assert_cmpint (f->end, ==, URB_RUN_END_FINISHED);
      supervised_assert_complete (t, 100);
      g_assert_cmpint (query (t, "SELECT count(*) FROM worker WHERE state = 'started'"), ==, n);
      g_assert_cmpint (query (t, "SELECT count(DISTINCT rank) FROM worker"), ==, n);
      g_assert_cmpint (query (t, "SELECT count(*) FROM session"), ==, 1);
      g_assert_cmpint (query (t, "SELECT count(*) FROM checkpoint"), >, 2);
      assert_nothing_left (t);
      start_over (t);
    }
}

/* It continues from its current step, not from a checkpoint. */
static void
test_one_dies (RunTest *t, gconstpointer data)
{
  enum { MANY_STEPS = 150 }; /* so that the other rank runs until the dead one is replaced */
  static const struct { const char *script, *says; } deaths[] = {
    { "kill=17", "was killed by signal 9" },
    { "abort=17", "was killed by signal 6 (Aborted)" },
    { "exit=17", "exited with code 3" },
    { "hang=17", "because it has been busy with 'step'" },
    { "freeze=17", "because it has been silent for" },
  };
  for (gsize i = 0; i < 2 * G_N_ELEMENTS (deaths); i++)
    {
      g_autoptr(Supervised) f = supervised_new (t);
      int rank = (int) (i % 2);
      g_autofree char *script = g_strdup_printf ("ms=5,rank=%d,%s", rank, deaths[i / 2].script);
      g_autofree char *name = g_strdup_printf ("Worker rank %d (process ", rank);
      g_autofree char *count
        = g_strdup_printf ("SELECT count(*) FROM worker WHERE state = 'started' AND rank = %d", rank);
      g_assert_true (run (f, 2, "file_descriptor", script, MANY_STEPS));
      g_assert_cmpint (f->end, ==, URB_RUN_END_FINISHED);
      supervised_assert_said (f, deaths[i / 2].says);
      supervised_assert_said (f, name);
      g_assert_null (strstr (f->events->str, "The run continues from"));
      g_assert_cmpint (query (t, count), ==, 2);
      supervised_assert_complete (t, MANY_STEPS);
      assert_nothing_left (t);
      start_over (t);
    }
}

/* An error of one worker does not end the others either. */
static void
test_one_fails (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_assert_true (run (f, 3, "file_descriptor", "ms=5,rank=2,device=20", 100));
  supervised_assert_said (f, "Worker rank 2 (process ");
  supervised_assert_said (f, "the device is on fire");
  supervised_assert_complete (t, 100);
  assert_nothing_left (t);
}

static void
test_all_die (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_assert_false (run (f, 2, "file_descriptor", "ms=1,kill-always=25", 60));
  g_assert_error (f->error, URB_RUN_ERROR, URB_RUN_ERROR_WORKER);
  supervised_assert_said (f, "The run continues from the checkpoint of step 2");
  g_assert_nonnull (strstr (f->error->message, "restarted 3 times"));
  assert_nothing_left (t);
  g_assert_true (run (f, 2, "file_descriptor", "ms=1", 60));
  supervised_assert_complete (t, 60);
}

static void
test_diverged (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_assert_false (run (f, 3, "file_descriptor", "ms=5,rank=1,diverge=27", 60));
  g_assert_error (f->error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED);
  assert_nothing_left (t);
  g_assert_true (run (f, 3, "file_descriptor", "ms=5", 60));
  supervised_assert_complete (t, 60);
}

static void
test_refused (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_assert_false (run (f, 3, "file_descriptor", "refuse=1", 60));
  g_assert_error (f->error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
  assert_nothing_left (t);
}

static gboolean
interrupt_cb (gpointer data)
{
  kill (getpid (), SIGINT);
  return G_SOURCE_REMOVE;
}

/* The others end first, then rank 0 saves the result of all. */
static void
test_interrupted (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(GArray) checkpoints = NULL;
  gint64 step;
  g_timeout_add (500, interrupt_cb, NULL);
  g_assert_true (run (f, 3, "file_descriptor", "ms=5", 100000));
  g_assert_cmpint (f->end, ==, URB_RUN_END_INTERRUPTED);
  checkpoints = urb_run_folder_list_checkpoints (t->run);
  step = g_array_index (checkpoints, gint64, checkpoints->len - 1);
  g_assert_cmpint (query (t, "SELECT max(step) FROM step"), ==, step);
  supervised_assert_complete (t, step);
  assert_nothing_left (t);
  /* Any number of workers can continue from there. */
  g_assert_true (run (f, 2, "file_descriptor", "ms=1", step + 50));
  supervised_assert_complete (t, step + 50);
  g_assert_true (run (f, 1, "file_descriptor", "ms=1", step + 60));
  supervised_assert_complete (t, step + 60);
}

/* Even if one of them is stopped. */
static void
test_interrupted_while_frozen (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(GArray) checkpoints = NULL;
  g_timeout_add (700, interrupt_cb, NULL);
  g_assert_true (run (f, 2, "file_descriptor", "ms=5,rank=1,freeze=17", 100000));
  g_assert_cmpint (f->end, ==, URB_RUN_END_INTERRUPTED);
  supervised_assert_said (f, "because it has been silent for");
  checkpoints = urb_run_folder_list_checkpoints (t->run);
  supervised_assert_complete (t, g_array_index (checkpoints, gint64, checkpoints->len - 1));
  assert_nothing_left (t);
}

int
main (int argc, char **argv)
{
  int code = fake_job_main (argc, argv, &fake_job);
  if (code >= 0)
    return code;
  g_test_init (&argc, &argv, NULL);
  run_test_add_with ("/team/finishes/descriptor", test_finishes, "file_descriptor");
  run_test_add_with ("/team/finishes/named", test_finishes, "file_system");
  run_test_add ("/team/one-dies", test_one_dies);
  run_test_add ("/team/one-fails", test_one_fails);
  run_test_add ("/team/all-die", test_all_die);
  run_test_add ("/team/diverged", test_diverged);
  run_test_add ("/team/refused", test_refused);
  run_test_add ("/team/interrupted", test_interrupted);
  run_test_add ("/team/interrupted-while-frozen", test_interrupted_while_frozen);
  return g_test_run ();
}
