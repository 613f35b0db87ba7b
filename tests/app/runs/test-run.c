/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-run.c - real runs, followed, controlled, closed and reopened; and synthetic long histories.
 */
#include <signal.h>
#include <string.h>

#include <glib/gstdio.h>

#include "app-test.h"
#include "run-fixture.h"
#include "run/store/control.h"
#include "run/store/run-db.h"

static void
count_cb (UrbariumRun *run, const char *what, GError *error, int *n)
{
  g_test_message ("%s: %s", what, error->message);
  g_assert_nonnull (error);
  (*n)++;
}

static gboolean
is_idle (gpointer run)
{
  g_autofree char *busy = NULL;
  g_object_get (run, "busy-with", &busy, NULL);
  return busy == NULL;
}

static UrbariumRun *
open_followed (const char *path)
{
  UrbariumRun *run = urbarium_run_new (path);
  urbarium_run_follow (run);
  return run;
}

/* From start to end, each record is applied once. */
static void
test_watched (void)
{
  g_autofree char *path = run_fixture_start ("watched", 60, "--checkpoint-every 7 --sample-every 9");
  UrbariumRun *run = open_followed (path);
  run_until_state (run, URB_RUN_FINISHED);
  run_until_live (run, FALSE);
  run_until_loaded (run);
  g_assert_cmpint (run_int64 (run, "step"), ==, 60);
  g_assert_cmpint (run_int64 (run, "n-steps"), ==, 60);
  g_assert_cmpint (run_int64 (run, "images"), ==, 120);
  g_assert_cmpstr (urbarium_run_get_name (run), ==, "watched");
  g_assert_cmpstr (urbarium_run_get_config (run)->train.preset, ==, "tiny");
  run_assert_equals_db (run);
  run_until_gone (run);
}

/* A finished run, not followed at first. */
static void
test_offline (void)
{
  g_autofree char *path = run_fixture_path ("watched");
  UrbariumRun *run = urbarium_run_new (path);
  run_until_state (run, URB_RUN_FINISHED);
  g_assert_false (urbarium_run_get_live (run));
  g_assert_cmpint (run_int64 (run, "step"), ==, 60);
  g_assert_cmpuint (urbarium_series_get_n (urbarium_run_get_speed (run)), ==, 0);
  urbarium_run_follow (run);
  g_assert_true (run_bool (run, "loading"));
  run_until_loaded (run);
  run_assert_equals_db (run);
  urbarium_run_unfollow (run);
  urbarium_run_follow (run);
  run_until_loaded (run);
  run_assert_equals_db (run);
  run_until_gone (run);
}

static gboolean
has_live_note (gpointer run)
{
  return is_idle (run) && g_strcmp0 (urbarium_run_get_config (run)->note, "while it trains #live") == 0;
}

static gboolean
has_no_note (gpointer run)
{
  return is_idle (run) && urbarium_run_get_config (run)->note == NULL;
}

/* A live run records its timeline, with an event of each rank. */
static void
assert_traced (UrbariumRun *run)
{
  g_autofree char *path = g_build_filename (urbarium_run_get_folder (run), "trace.json", NULL), *text = NULL;
  int n_ranks = urbarium_run_get_config (run)->train.n_ranks;
  urbarium_run_trace (run);
  test_until (is_idle, run);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, n_ranks > 1 ? "\"steps\":10,\"ranks\":2," : "\"steps\":5,\"ranks\":1,"));
}

static void
test_steered (void)
{
  g_autofree char *path
    = run_fixture_start ("steered", 100000, "--checkpoint-every 100000 --sample-every 100000");
  UrbariumRun *run = open_followed (path);
  int n_failed = 0;
  g_signal_connect (run, "failed", G_CALLBACK (count_cb), &n_failed);
  run_until_live (run, TRUE);
  run_until_step (run, 5);
  urbarium_run_checkpoint (run);
  g_assert_false (is_idle (run));
  test_until (is_idle, run);
  g_assert_cmpuint (g_list_model_get_n_items (urbarium_run_get_checkpoints (run)), ==, 1);
  urbarium_run_sample (run);
  test_until (is_idle, run);
  g_assert_cmpuint (g_list_model_get_n_items (urbarium_run_get_samples (run)), ==, 2);
  assert_traced (run);
  urbarium_run_rename (run, "Steered by hand");
  test_until (is_idle, run);
  urbarium_run_annotate (run, "while it trains #live");
  test_until (has_live_note, run);
  urbarium_run_pause (run);
  test_until (is_idle, run);
  g_assert_cmpint (urbarium_run_get_state (run), ==, URB_RUN_PAUSED);
  g_assert_cmpstr (urbarium_run_get_name (run), ==, "Steered by hand");
  g_assert_cmpint (n_failed, ==, 0);
  urbarium_run_checkpoint (run); /* has no effect */
  test_until (is_idle, run);
  g_assert_cmpint (n_failed, ==, 1);
  urbarium_run_resume (run);
  test_until (is_idle, run);
  g_assert_cmpint (urbarium_run_get_state (run), ==, URB_RUN_RUNNING);
  urbarium_run_extend (run, 100001);
  test_until (is_idle, run);
  urbarium_run_stop (run);
  run_until_live (run, FALSE);
  run_until_state (run, URB_RUN_STOPPED);
  test_until (is_idle, run);
  g_assert_cmpint (run_int64 (run, "n-steps"), ==, 100001);
  run_assert_equals_db (run);
  g_assert_cmpint (n_failed, ==, 1);
  run_until_gone (run);
}

static gboolean
has_failed (gpointer n)
{
  return *(int *) n > 0;
}

static gint64
read_pid (const char *path)
{
  g_autofree char *lock = g_build_filename (path, "lock", NULL);
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (lock, &text, NULL, NULL));
  return g_ascii_strtoll (text, NULL, 10);
}

static gint64
get_of_worker (UrbariumRun *run, const char *property)
{
  g_autoptr(GObject) worker = g_list_model_get_item (urbarium_run_get_workers (run), 0);
  gint64 value;
  g_object_get (worker, property, &value, NULL);
  return value;
}

static gboolean
is_loaded (gpointer library)
{
  gboolean loading;
  g_object_get (library, "loading", &loading, NULL);
  return !loading;
}

static gboolean
has_moved (gpointer library)
{
  g_autofree char *elsewhere = run_fixture_path ("gone-elsewhere");
  return urbarium_run_library_find (library, elsewhere) != NULL;
}

/* A killed supervisor is noticed, and another one resumes from the checkpoint. */
static void
test_killed (void)
{
  g_autofree char *path
    = run_fixture_start ("killed", 100000, "--checkpoint-every 10 --sample-every 8");
  UrbariumRun *run = open_followed (path);
  int n_failed = 0;
  g_autofree char *text = NULL;
  g_autoptr(GObject) worker = NULL;
  gboolean alive;
  g_signal_connect (run, "failed", G_CALLBACK (count_cb), &n_failed);
  run_until_step (run, 25);
  g_assert_cmpint (kill ((pid_t) read_pid (path), SIGKILL), ==, 0);
  run_until_live (run, FALSE);
  test_until (has_failed, &n_failed);
  g_assert_cmpint (urbarium_run_get_state (run), ==, URB_RUN_STOPPED);
  g_object_get (run, "state-text", &text, NULL);
  g_assert_cmpstr (text, ==, "Interrupted");
  g_assert_true (run_bool (run, "has-checkpoint"));
  worker = g_list_model_get_item (urbarium_run_get_workers (run), 0);
  g_object_get (worker, "alive", &alive, NULL);
  g_assert_false (alive);
  urbarium_run_resume (run);
  test_until (is_idle, run);
  run_until_live (run, TRUE);
  run_until_step (run, 45);
  urbarium_run_stop (run);
  run_until_live (run, FALSE);
  run_until_state (run, URB_RUN_STOPPED);
  test_until (is_idle, run);
  g_assert_cmpint (n_failed, ==, 1);
  run_until_gone (run);
  /* A new object shows the same, except for transient messages. */
  run = open_followed (path);
  run_until_step (run, 45); /* The summary and the records are read at the same time. */
  run_until_loaded (run);
  run_assert_equals_db (run);
  g_assert_cmpint (get_of_worker (run, "step"), ==, run_int64 (run, "step"));
  run_until_gone (run);
}

static void
append_to_log (const char *path, const char *line)
{
  g_autofree char *log = g_build_filename (path, "log", NULL);
  FILE *file = fopen (log, "a");
  g_assert_nonnull (file);
  fputs (line, file);
  g_assert_cmpint (fclose (file), ==, 0);
}

static void
assert_text (UrbariumRun *run, const char *property, const char *part)
{
  g_autofree char *text = NULL;
  g_object_get (run, property, &text, NULL);
  g_assert_nonnull (text);
  g_assert_nonnull (strstr (text, part));
}

/* On a full disk, only the log knows why the run ended; once it was resumed, that is over. */
static void
test_disk_full (void)
{
  g_autofree char *path = run_fixture_start ("full", 100000, "--checkpoint-every 10");
  UrbariumRun *run = open_followed (path);
  int n_failed = 0;
  g_autofree char *text = NULL;
  g_signal_connect (run, "failed", G_CALLBACK (count_cb), &n_failed);
  run_until_step (run, 25);
  append_to_log (path, "2026-01-02 03:04:05 error: The run database 'run.db' cannot grow: " URB_RUN_DB_FULL ".\n");
  g_assert_cmpint (kill ((pid_t) read_pid (path), SIGKILL), ==, 0);
  run_until_live (run, FALSE);
  test_until (has_failed, &n_failed);
  assert_text (run, "state-text", "Disk full");
  assert_text (run, "trouble", "Free some space, then resume");
  urbarium_run_resume (run);
  run_until_live (run, TRUE);
  run_until_step (run, 45);
  g_object_get (run, "trouble", &text, NULL);
  g_assert_null (text);
  n_failed = 0;
  g_assert_cmpint (kill ((pid_t) read_pid (path), SIGKILL), ==, 0);
  test_until (has_failed, &n_failed);
  assert_text (run, "state-text", "Interrupted");
  run_until_gone (run);
}

/* The folder disappears while the run trains: the run says so, its processes end, and it leaves the list
 * when the user removes it. */
static void
test_folder_gone (void)
{
  g_autofree char *path = run_fixture_start ("gone", 100000, "--checkpoint-every 10");
  g_autofree char *elsewhere = run_fixture_path ("gone-elsewhere");
  UrbariumRunLibrary *library = urbarium_run_library_new (run_fixture_base ());
  UrbariumRun *run;
  int n_failed = 0;
  g_autofree char *trouble = NULL;
  pid_t pid = (pid_t) read_pid (path);
  test_until (is_loaded, library);
  run = g_object_ref (urbarium_run_library_find (library, path));
  g_signal_connect (run, "failed", G_CALLBACK (count_cb), &n_failed);
  run_until_step (run, 25);
  g_assert_cmpint (g_rename (path, elsewhere), ==, 0);
  run_until_live (run, FALSE);
  test_until (has_failed, &n_failed);
  while (kill (pid, 0) == 0)
    g_usleep (10000);
  g_assert_cmpint (urbarium_run_get_state (run), ==, URB_RUN_FAILED);
  g_assert_true (urbarium_run_is_gone (run));
  assert_text (run, "state-text", "Folder missing");
  assert_text (run, "trouble", "deleted or moved");
  g_assert_cmpint (run_int64 (run, "step"), >=, 25);
  test_until (has_moved, library); /* found by a scan, which kept the other */
  g_assert_true (urbarium_run_library_find (library, path) == run);
  urbarium_run_library_delete_async (library, run, NULL, NULL, NULL);
  while (urbarium_run_library_find (library, path) != NULL)
    g_main_context_iteration (NULL, TRUE);
  run_until_gone (library);
  run_until_gone (run);
}

static gboolean
was_rewound (gpointer data)
{
  GListModel *events = urbarium_run_get_events (data);
  for (guint i = 0; i < g_list_model_get_n_items (events); i++)
    {
      g_autoptr(GObject) event = g_list_model_get_item (events, i);
      g_autofree char *code = NULL;
      g_object_get (event, "code", &code, NULL);
      if (strcmp (code, "rewound") == 0)
        return TRUE;
    }
  return FALSE;
}

/* The worker dies while other followers come and go. */
static void
test_rewound (void)
{
  g_autofree char *path
    = run_fixture_start ("rewound", 100000, "--checkpoint-every 1000 --sample-every 15");
  UrbariumRun *runs[3];
  for (int i = 0; i < 3; i++)
    {
      runs[i] = open_followed (path);
      run_until_step (runs[i], 15 * (i + 1));
    }
  urbarium_run_unfollow (runs[1]);
  g_assert_cmpint (kill ((pid_t) get_of_worker (runs[0], "pid"), SIGKILL), ==, 0);
  test_until (was_rewound, runs[0]);
  run_until_state (runs[0], URB_RUN_RUNNING);
  run_until_step (runs[2], 20);
  urbarium_run_follow (runs[1]);
  urbarium_run_unfollow (runs[1]);
  urbarium_run_follow (runs[1]);
  run_until_step (runs[0], 40);
  urbarium_run_stop (runs[2]);
  for (int i = 0; i < 3; i++)
    {
      run_until_live (runs[i], FALSE);
      run_until_state (runs[i], URB_RUN_STOPPED);
    }
  for (int i = 0; i < 3; i++)
    {
      test_until (run_is_caught_up, runs[i]);
      run_assert_equals_db (runs[i]);
      g_assert_cmpint (get_of_worker (runs[i], "step"), ==, run_int64 (runs[i], "step"));
      run_until_gone (runs[i]);
    }
}

/* Rolling back an ended run and a live one. */
static void
test_rolled_back (void)
{
  g_autofree char *path
    = run_fixture_start ("rolled-back", 30,
                         "--checkpoint-every 10 --keep-checkpoints 0 --sample-every 4");
  UrbariumRun *run = open_followed (path);
  int n_failed = 0;
  g_signal_connect (run, "failed", G_CALLBACK (count_cb), &n_failed);
  run_until_state (run, URB_RUN_FINISHED);
  run_until_live (run, FALSE);
  urbarium_run_roll_back (run, 13); /* no such checkpoint */
  test_until (is_idle, run);
  g_assert_cmpint (n_failed, ==, 1);
  urbarium_run_roll_back (run, 10);
  test_until (is_idle, run);
  run_until_state (run, URB_RUN_FINISHED);
  run_until_live (run, FALSE);
  test_until (run_is_caught_up, run);
  g_assert_true (was_rewound (run));
  run_assert_equals_db (run);
  urbarium_run_resume (run); /* all steps are done */
  g_assert_cmpint (n_failed, ==, 2);
  n_failed--;
  urbarium_run_extend (run, 100000);
  test_until (is_idle, run);
  run_until_step (run, 45);
  g_assert_true (urbarium_run_get_live (run));
  urbarium_run_roll_back (run, 30);
  test_until (is_idle, run);
  run_until_live (run, TRUE);
  run_until_state (run, URB_RUN_RUNNING);
  urbarium_run_stop (run);
  run_until_live (run, FALSE);
  run_until_state (run, URB_RUN_STOPPED);
  test_until (run_is_caught_up, run);
  run_assert_equals_db (run);
  g_assert_cmpint (n_failed, ==, 1);
  urbarium_run_rename (run, "Rolled back");
  test_until (is_idle, run);
  run_until_name (run, "Rolled back");
  urbarium_run_rename (run, " ");
  test_until (is_idle, run);
  g_assert_cmpint (n_failed, ==, 2);
  urbarium_run_annotate (run, "while it trains #live");
  test_until (has_live_note, run);
  urbarium_run_annotate (run, "");
  test_until (has_no_note, run);
  urbarium_run_annotate (run, "a\tb");
  test_until (is_idle, run);
  g_assert_cmpint (n_failed, ==, 3);
  run_until_gone (run);
}

/* Another run starts in the same folder: the history of the first is dropped. */
static void
test_replaced (void)
{
  g_autofree char *path = run_fixture_start ("replaced", 20, "");
  UrbariumRun *run = open_followed (path);
  gint64 created;
  run_until_state (run, URB_RUN_FINISHED);
  run_until_live (run, FALSE);
  created = run_int64 (run, "created");
  while (g_get_real_time () / G_USEC_PER_SEC == created)
    g_usleep (10000);
  g_free (run_fixture_start ("replaced", 9, "--force --name Second"));
  run_until_name (run, "Second");
  run_until_state (run, URB_RUN_FINISHED);
  run_until_live (run, FALSE);
  test_until (run_is_caught_up, run);
  g_assert_cmpint (run_int64 (run, "step"), ==, 9);
  run_assert_equals_db (run);
  run_until_gone (run);
}

/* ------------------------------------------------------------------------ */
/* Long histories                                                            */

enum { N_LONG = 200000, N_LIVE = 30000 };

static void
add_step (UrbRunDb *db, gint64 step)
{
  UrbStepMetrics metrics = { .step = step, .images = 16 * step, .seconds = 0.1 };
  for (int m = 0; m < URB_N_METRICS; m++)
    metrics.values[m] = (double) (step % 1000) * 0.001 * (m + 1);
  g_assert_true (urb_run_db_add_step (db, &metrics, NULL));
}

/* The folder stays locked and the database open. */
static UrbRunFolder *
write_long_history (const char *path, int n_steps, UrbRunDb **db_out)
{
  g_autofree char *db_path = g_build_filename (path, "run.db", NULL);
  g_autoptr(GError) error = NULL;
  UrbRunFolder *folder = urb_run_folder_create (path, URB_RUN_FOLDER_NEW, &error);
  UrbRunDb *db;
  g_auto(UrbRunConfig) config = { 0 };
  g_assert_no_error (error);
  urb_run_config_init (&config);
  config.name = g_strdup ("Long");
  config.created = 1700000000;
  config.train.n_steps = n_steps;
  g_assert_true (urb_run_folder_save_config (folder, &config, &error));
  db = urb_run_db_open (db_path, &error);
  g_assert_no_error (error);
  urb_run_db_add_event (db, "info", "state", 0, "running", NULL);
  urb_run_db_add_event (db, "info", "device", 0, "Trains on AMD EPYC", NULL);
  urb_run_db_add_details (db, "{\"device\":\"AMD EPYC\"}", NULL);
  for (int i = 1; i <= n_steps; i++)
    {
      add_step (db, i);
      if (i % 100 == 0)
        urb_run_db_add_event (db, "info", "checkpoint-deleted", i, "Deleted a checkpoint", NULL);
    }
  g_assert_true (urb_run_db_commit (db, &error));
  *db_out = db;
  return folder;
}

static void
test_long (void)
{
  g_autofree char *path = run_fixture_path ("long");
  UrbRunFolder *folder;
  UrbRunDb *db;
  UrbariumRun *run;
  gint64 begin_us;
  double wall_ms, cpu_ms;
  folder = write_long_history (path, N_LONG, &db);
  urb_run_db_add_event (db, "info", "state", N_LONG, "finished", NULL);
  urb_run_db_free (db);
  urb_run_folder_free (folder);
  run = open_followed (path);
  run_fixture_watch_loop ();
  begin_us = g_get_monotonic_time ();
  g_assert_true (run_bool (run, "loading"));
  run_until_loaded (run);
  run_fixture_get_longest_ms (&wall_ms, &cpu_ms);
  /* Printed, not checked: the machine may be busy. */
  g_test_message ("%d steps in %.2f s, the main loop busy for %.1f ms at most (%.1f of its own)",
                  N_LONG, (double) (g_get_monotonic_time () - begin_us) * 1e-6, wall_ms, cpu_ms);
  g_assert_cmpuint (urbarium_series_get_n (urbarium_run_get_metric (run, URB_METRIC_LOSS_G)), ==,
                    N_LONG);
  g_assert_cmpint (urbarium_run_get_state (run), ==, URB_RUN_FINISHED);
  run_until_gone (run);
  /* And a run that is dropped or unfollowed while it is read. */
  run = open_followed (path);
  while (urbarium_series_get_n (urbarium_run_get_speed (run)) < 1000)
    g_main_context_iteration (NULL, TRUE);
  urbarium_run_unfollow (run);
  g_assert_false (run_bool (run, "loading"));
  urbarium_run_follow (run);
  run_until_gone (run);
  run = open_followed (path);
  run_until_gone (run);
}

/* A supervisor without a worker: this test writes its records. */
typedef struct
{
  UrbControl *control; /* owned */
  UrbRunDb   *db;      /* owned */
  gint64      step;
  double      pause_ms; /* until the next write */
  guint       source;
} Scribe;

enum { MIN_PAUSE_MS = 3, MAX_PAUSE_MS = 100 };

static gboolean
scribe_command (const char *cmd, JsonObject *request, JsonBuilder *reply, gpointer user_data,
                GError **error)
{
  return TRUE;
}

static void
scribe_status (JsonBuilder *json, gpointer user_data)
{
  Scribe *scribe = user_data;
  urb_json_add_string (json, "state", "running");
  urb_json_add_int (json, "step", scribe->step);
  urb_json_add_int (json, "n_steps", 10 * N_LIVE);
  urb_json_add_int (json, "images", 16 * scribe->step);
  urb_json_add_double (json, "images_per_s", 160);
}

/* Writes less and less often, so that even a slow machine catches up. */
static gboolean
scribble_cb (gpointer user_data)
{
  Scribe *scribe = user_data;
  for (int i = 0; i < 5; i++)
    add_step (scribe->db, ++scribe->step);
  g_assert_true (urb_run_db_commit (scribe->db, NULL));
  urb_control_notify (scribe->control);
  scribe->pause_ms = MIN (scribe->pause_ms * 1.01, MAX_PAUSE_MS);
  scribe->source = g_timeout_add ((guint) scribe->pause_ms, scribble_cb, scribe);
  return G_SOURCE_REMOVE;
}

static gboolean
has_all (gpointer data)
{
  gpointer *both = data;
  Scribe *scribe = both[1];
  return (gint64) urbarium_series_get_n (urbarium_run_get_speed (both[0])) == scribe->step;
}

/* Written while it is read: no record is lost or duplicated between history and live data. */
static void
test_long_live (void)
{
  static const UrbControlOps ops = { .command = scribe_command, .status = scribe_status };
  g_autofree char *path = run_fixture_path ("long-live");
  Scribe scribe = { .step = N_LIVE, .pause_ms = MIN_PAUSE_MS };
  UrbRunFolder *folder = write_long_history (path, N_LIVE, &scribe.db);
  UrbariumRun *run;
  gpointer both[2];
  g_autofree char *text = NULL;
  gint64 beyond;
  int n_failed = 0;
  scribe.control = urb_control_new (folder, &ops, &scribe, NULL);
  g_assert_nonnull (scribe.control);
  scribe.source = g_timeout_add (MIN_PAUSE_MS, scribble_cb, &scribe);
  run = open_followed (path);
  g_signal_connect (run, "failed", G_CALLBACK (count_cb), &n_failed);
  g_assert_true (urbarium_run_get_live (run));
  run_until_step (run, N_LIVE + 200);
  run_until_loaded (run);
  beyond = MAX (N_LIVE, scribe.step) + 300; /* not reached before the rewind */
  g_assert_true (urb_run_db_rewind (scribe.db, N_LIVE - 50, &text, NULL));
  scribe.step = N_LIVE - 50;
  scribe.pause_ms = MIN_PAUSE_MS;
  urbarium_run_unfollow (run);
  run_until_step (run, N_LIVE - 50);
  urbarium_run_follow (run);
  run_until_step (run, beyond);
  g_assert_cmpint (urbarium_run_get_state (run), ==, URB_RUN_RUNNING);
  g_assert_cmpfloat (run_double (run, "seconds-left"), >, 0);
  g_source_remove (scribe.source);
  both[0] = run;
  both[1] = &scribe;
  test_until (has_all, both);
  run_assert_equals_db (run);
  /* It ends without a final state. */
  urb_control_free (scribe.control);
  urb_run_db_free (scribe.db);
  urb_run_folder_free (folder);
  run_until_live (run, FALSE);
  test_until (has_failed, &n_failed);
  g_assert_cmpfloat (run_double (run, "seconds-left"), <, 0);
  run_until_gone (run);
}

/* A missing or broken run: nothing is shown, and no warnings. */
static void
test_broken (void)
{
  g_autofree char *path = run_fixture_path ("broken");
  g_autofree char *db = g_build_filename (path, "run.db", NULL);
  g_autofree char *config = g_build_filename (path, "run.ini", NULL);
  UrbariumRun *run = open_followed (path);
  run_until_state (run, URB_RUN_STOPPED);
  g_assert_null (urbarium_run_get_config (run));
  g_assert_false (run_bool (run, "has-checkpoint"));
  g_assert_cmpstr (urbarium_run_get_name (run), ==, "broken");
  run_until_gone (run);
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  g_assert_true (g_file_set_contents (config, "[nothing]\n", -1, NULL));
  g_assert_true (g_file_set_contents (db, "this is no database, but long enough to look into", -1,
                                      NULL));
  run = open_followed (path);
  run_until_state (run, URB_RUN_STOPPED);
  run_until_loaded (run);
  run_until_gone (run);
}

/* Asynchronous workers record a part each. */
static void
test_traced (void)
{
  g_autofree char *path = run_fixture_start ("traced", 100000, "--strategy hogwild:2");
  UrbariumRun *run = open_followed (path);
  run_until_live (run, TRUE);
  run_until_step (run, 5);
  assert_traced (run);
  assert_traced (run); /* again */
  urbarium_run_stop (run);
  run_until_live (run, FALSE);
  run_until_gone (run);
}

int
main (int argc, char **argv)
{
  int code;
  test_app_init (&argc, &argv);
  run_fixture_init ();
  g_test_add_func ("/run/watched", test_watched);
  g_test_add_func ("/run/offline", test_offline);
  g_test_add_func ("/run/steered", test_steered);
  g_test_add_func ("/run/traced", test_traced);
  g_test_add_func ("/run/killed", test_killed);
  g_test_add_func ("/run/disk-full", test_disk_full);
  g_test_add_func ("/run/folder-gone", test_folder_gone);
  g_test_add_func ("/run/rewound", test_rewound);
  g_test_add_func ("/run/rolled-back", test_rolled_back);
  g_test_add_func ("/run/replaced", test_replaced);
  g_test_add_func ("/run/long", test_long);
  g_test_add_func ("/run/long-live", test_long_live);
  g_test_add_func ("/run/broken", test_broken);
  code = g_test_run ();
  run_fixture_clear ();
  return code;
}
