/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-run-library.c - runs that are found, started, queued and deleted.
 */
#include <string.h>

#include <glib/gstdio.h>

#include "app-test.h"
#include "run-fixture.h"

typedef struct
{
  gpointer  result;
  GError   *error; /* owned */
  gboolean  done;
} Answer;

static gboolean
is_answered (gpointer data)
{
  return ((Answer *) data)->done;
}

static void
started_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Answer *answer = user_data;
  answer->result
    = urbarium_run_library_start_finish (URBARIUM_RUN_LIBRARY (source), result, &answer->error);
  answer->done = TRUE;
}

/* Returns: (transfer full) */
static UrbariumRun *
start (UrbariumRunLibrary *library, const char *name, gint64 n_steps, UrbariumRun *after)
{
  g_auto(UrbRunConfig) config = { 0 };
  Answer answer = { 0 };
  urb_run_config_init (&config);
  config.name = g_strdup (name);
  config.checkpoint_every = 5;
  config.train.dataset = g_strdup (run_fixture_dataset ());
  config.train.n_steps = n_steps;
  config.train.batch = 2;
  config.train.n_threads = 1;
  config.train.lr_g = 0.00125;
  urbarium_run_library_start_async (library, &config, after, NULL, started_cb, &answer);
  test_until (is_answered, &answer);
  g_assert_no_error (answer.error);
  g_assert_true (URBARIUM_IS_RUN (answer.result));
  return answer.result;
}

static gboolean
is_scanned (gpointer library)
{
  gboolean loading;
  g_object_get (library, "loading", &loading, NULL);
  return !loading;
}

static UrbariumRunLibrary *
open_library (const char *name)
{
  g_autofree char *path = run_fixture_path (name);
  UrbariumRunLibrary *library = urbarium_run_library_new (path);
  test_until (is_scanned, library);
  return library;
}

static void
test_started (void)
{
  UrbariumRunLibrary *library = open_library ("started");
  UrbariumRun *run = start (library, "Old town: 2/3", 12, NULL);
  g_autofree char *base = g_path_get_basename (urbarium_run_get_folder (run));
  GStatBuf info;
  g_assert_cmpstr (base, ==, "Old-town-2-3");
  g_assert_cmpint (g_stat (urbarium_run_library_get_folder (library), &info), ==, 0);
  g_assert_cmpint (info.st_mode & 0777, ==, 0700);
  g_assert_true (urbarium_run_library_find (library, urbarium_run_get_folder (run)) == run);
  run_until_state (run, URB_RUN_FINISHED);
  g_assert_cmpstr (urbarium_run_get_name (run), ==, "Old town: 2/3");
  g_assert_cmpfloat (urbarium_run_get_config (run)->train.lr_g, ==, 0.00125);
  g_assert_cmpint (urbarium_run_get_config (run)->checkpoint_every, ==, 5);
  g_object_unref (run);
  run_until_gone (library);
}

int
main (int argc, char **argv)
{
  int code;
  test_app_init (&argc, &argv);
  run_fixture_init ();
  g_test_add_func ("/run-library/started", test_started);
  code = g_test_run ();
  run_fixture_clear ();
  return code;
}
