/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-run.c - real runs, watched, steered, left and met again; and long
 * histories that were never run.
 */
#include <signal.h>
#include <string.h>

#include <glib/gstdio.h>

#include "app-test.h"
#include "run-fixture.h"
#include "run/folder.h"
#include "run/run-db.h"

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

/* From the first look to the end, each record once. */
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

/* Read after its end; nobody follows it first. */
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
  urbarium_run_rename (run, "Steered by hand");
  test_until (is_idle, run);
  urbarium_run_pause (run);
  test_until (is_idle, run);
  g_assert_cmpint (urbarium_run_get_state (run), ==, URB_RUN_PAUSED);
  g_assert_cmpstr (urbarium_run_get_name (run), ==, "Steered by hand");
  g_assert_cmpint (n_failed, ==, 0);
  urbarium_run_checkpoint (run); /* makes no sense */
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

int
main (int argc, char **argv)
{
  int code;
  test_app_init (&argc, &argv);
  run_fixture_init ();
  g_test_add_func ("/run/watched", test_watched);
  g_test_add_func ("/run/offline", test_offline);
  g_test_add_func ("/run/steered", test_steered);
  code = g_test_run ();
  run_fixture_clear ();
  return code;
}
