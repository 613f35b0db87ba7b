/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-run-library.c - finding, starting, queueing and deleting runs.
 */
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "app-test.h"
#include "app/runs/run-library-private.h"
#include "run-fixture.h"
#include "run/store/folder.h"

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

/* Queued behind all active and queued runs. Returns: (transfer full) */
static UrbariumRun *
start (UrbariumRunLibrary *library, const char *name, gint64 n_steps)
{
  g_autoptr(GPtrArray) queue = urbarium_run_library_dup_queue (library);
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
  urbarium_run_library_start_async (library, &config, queue, NULL, started_cb, &answer);
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
  UrbariumRun *run = start (library, "Old town: 2/3", 12);
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

/* The engine's error is reported. */
static void
test_refused (void)
{
  UrbariumRunLibrary *library = open_library ("refused");
  g_auto(UrbRunConfig) config = { 0 };
  Answer answer = { 0 };
  urb_run_config_init (&config);
  config.train.dataset = g_strdup ("/nowhere/areas.gpkg");
  urbarium_run_library_start_async (library, &config, NULL, NULL, started_cb, &answer);
  test_until (is_answered, &answer);
  g_assert_null (answer.result);
  g_assert_nonnull (strstr (answer.error->message, "/nowhere/areas.gpkg"));
  g_clear_error (&answer.error);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (library)), ==, 0);
  run_until_gone (library);
}

static gboolean
is_second_running (gpointer data)
{
  UrbariumRun **runs = data;
  return urbarium_run_get_state (runs[1]) == URB_RUN_RUNNING;
}

/* Three runs in a queue, which continues without the window. */
static void
test_queue (void)
{
  UrbariumRunLibrary *library = open_library ("queue");
  UrbariumRun *runs[3];
  runs[0] = start (library, "First", 100000);
  runs[1] = start (library, "Second", 100000);
  runs[2] = start (library, "Third", 8);
  run_until_state (runs[0], URB_RUN_RUNNING);
  run_until_state (runs[1], URB_RUN_QUEUED);
  run_until_state (runs[2], URB_RUN_QUEUED);
  urbarium_run_stop (runs[0]);
  test_until (is_second_running, runs);
  g_assert_cmpint (urbarium_run_get_state (runs[2]), ==, URB_RUN_QUEUED);
  for (int i = 0; i < 3; i++)
    g_object_unref (runs[i]);
  run_until_gone (library);

  library = open_library ("queue");
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (library)), ==, 3);
  for (int i = 0; i < 3; i++)
    {
      static const char *const names[] = { "First", "Second", "Third" };
      g_autofree char *path
        = g_build_filename (urbarium_run_library_get_folder (library), names[i], NULL);
      runs[i] = g_object_ref (urbarium_run_library_find (library, path));
    }
  run_until_state (runs[0], URB_RUN_STOPPED);
  run_until_state (runs[2], URB_RUN_QUEUED);
  urbarium_run_resume (runs[2]); /* now */
  run_until_state (runs[2], URB_RUN_FINISHED);
  g_assert_cmpint (urbarium_run_get_state (runs[1]), ==, URB_RUN_RUNNING);
  urbarium_run_stop (runs[1]);
  run_until_state (runs[1], URB_RUN_STOPPED);
  for (int i = 0; i < 3; i++)
    {
      run_until_live (runs[i], FALSE);
      g_object_unref (runs[i]);
    }
  run_until_gone (library);
}

static gboolean
is_first (gpointer run)
{
  int place;
  g_object_get (run, "queue-place", &place, NULL);
  return place == 1;
}

/* The last one begins before the one in front of it; that a disk with other runs is gone does not matter. */
static void
test_moved (void)
{
  static const char *const gone[] = { "/nowhere/gone", NULL };
  UrbariumRunLibrary *library = open_library ("moved");
  UrbariumRun *runs[3];
  runs[0] = start (library, "First", 100000);
  runs[1] = start (library, "Second", 100000);
  runs[2] = start (library, "Third", 8);
  g_object_set (library, "extra-folders", gone, NULL);
  run_until_state (runs[0], URB_RUN_RUNNING);
  test_until (is_first, runs[1]);
  while (!urbarium_run_can_move (runs[2], URB_QUEUE_EARLIER))
    g_main_context_iteration (NULL, TRUE);
  g_assert_false (urbarium_run_can_move (runs[2], URB_QUEUE_LATER));
  g_assert_false (urbarium_run_can_move (runs[0], URB_QUEUE_LATER));
  urbarium_run_library_move (library, runs[2], URB_QUEUE_EARLIER);
  test_until (is_first, runs[2]);
  g_assert_true (urbarium_run_can_move (runs[1], URB_QUEUE_EARLIER));
  urbarium_run_stop (runs[0]);
  run_until_state (runs[2], URB_RUN_FINISHED);
  run_until_state (runs[1], URB_RUN_RUNNING);
  urbarium_run_stop (runs[1]);
  for (int i = 0; i < 3; i++)
    {
      run_until_live (runs[i], FALSE);
      g_object_unref (runs[i]);
    }
  run_until_gone (library);
}

/* Runs behind a removed one keep waiting. */
static void
test_taken_out (void)
{
  UrbariumRunLibrary *library = open_library ("taken-out");
  g_autoptr(GPtrArray) queue = NULL;
  UrbariumRun *runs[3];
  gint64 step;
  runs[0] = start (library, "First", 100000);
  run_until_state (runs[0], URB_RUN_RUNNING);
  runs[1] = start (library, "Second", 100000);
  runs[2] = start (library, "Third", 8);
  queue = urbarium_run_library_dup_queue (library);
  g_assert_cmpuint (queue->len, ==, 3);
  g_assert_true (queue->pdata[0] == runs[0]);
  g_assert_true (g_ptr_array_find (queue, runs[1], NULL));
  g_assert_true (g_ptr_array_find (queue, runs[2], NULL));
  urbarium_run_stop (runs[1]);
  run_until_state (runs[1], URB_RUN_STOPPED);
  run_until_live (runs[1], FALSE);
  step = run_int64 (runs[0], "step");
  run_until_step (runs[0], step + 50); /* long enough to start concurrently */
  g_assert_cmpint (urbarium_run_get_state (runs[2]), ==, URB_RUN_QUEUED);
  urbarium_run_stop (runs[0]);
  run_until_state (runs[2], URB_RUN_FINISHED);
  for (int i = 0; i < 3; i++)
    {
      run_until_live (runs[i], FALSE);
      g_object_unref (runs[i]);
    }
  run_until_gone (library);
}

static gboolean
has_one (gpointer library)
{
  return g_list_model_get_n_items (library) == 1;
}

static gboolean
has_two (gpointer library)
{
  return g_list_model_get_n_items (library) == 2;
}

/* A run started by a terminal in the folder, and another one elsewhere. */
static void
test_found (void)
{
  UrbariumRunLibrary *library = open_library ("found");
  g_autofree char *inside = NULL;
  g_autofree char *elsewhere = run_fixture_start ("elsewhere", 5, "");
  g_autofree char *renamed = run_fixture_path ("found/b");
  g_auto(GStrv) extra = NULL;
  g_autoptr(GError) error = NULL;
  UrbariumRun *run;
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (library)), ==, 0);
  inside = run_fixture_start ("found/a", 5, "");
  test_until (has_one, library);
  g_assert_null (urbarium_run_library_add (library, run_fixture_base (), &error));
  g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER);
  run = urbarium_run_library_add (library, elsewhere, NULL);
  g_assert_true (urbarium_run_library_add (library, elsewhere, NULL) == run);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (library)), ==, 2);
  g_object_get (library, "extra-folders", &extra, NULL);
  g_assert_cmpuint (g_strv_length (extra), ==, 1);
  run_until_state (urbarium_run_library_find (library, inside), URB_RUN_FINISHED);
  run_until_live (urbarium_run_library_find (library, inside), FALSE);
  g_assert_cmpint (g_rename (inside, renamed), ==, 0);
  while (urbarium_run_library_find (library, renamed) == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_null (urbarium_run_library_find (library, inside));
  run_until_gone (library);

  library = open_library ("found");
  g_object_set (library, "extra-folders", extra, NULL);
  test_until (has_two, library);
  run_until_gone (library);
}

/* Another folder for runs: its runs are listed, and new ones begin there; an empty name is the usual place. */
static void
test_chosen_folder (void)
{
  g_autofree char *path = run_fixture_path ("chosen");
  g_autofree char *usual = urb_run_dup_usual_place ();
  g_autofree char *chosen = NULL;
  g_auto(GStrv) places = NULL;
  UrbariumRunLibrary *library = open_library ("found");
  UrbariumRun *run;
  g_object_set (library, "chosen-folder", path, NULL);
  g_assert_cmpstr (urbarium_run_library_get_folder (library), ==, path);
  g_object_get (library, "places", &places, NULL);
  g_assert_cmpstr (places[0], ==, path);
  while (g_list_model_get_n_items (G_LIST_MODEL (library)) > 0) /* those of the folder before */
    g_main_context_iteration (NULL, TRUE);
  run = start (library, "Chosen", 3);
  g_assert_true (g_str_has_prefix (urbarium_run_get_folder (run), path));
  run_until_state (run, URB_RUN_FINISHED);
  run_until_live (run, FALSE);
  g_object_unref (run);
  g_object_set (library, "chosen-folder", "", NULL);
  g_assert_cmpstr (urbarium_run_library_get_folder (library), ==, usual);
  while (g_list_model_get_n_items (G_LIST_MODEL (library)) > 0)
    g_main_context_iteration (NULL, TRUE);
  g_object_set (library, "chosen-folder", path, NULL);
  test_until (has_one, library);
  g_object_get (library, "chosen-folder", &chosen, NULL);
  g_assert_cmpstr (chosen, ==, path);
  run_until_gone (library);
}

/* Only a young folder is rescanned; a folder from the future would be forever. */
static void
test_young (void)
{
  const gint64 now = 1700000000;
  g_assert_true (urbarium_run_library_is_young (now, now));
  g_assert_true (urbarium_run_library_is_young (now - 9, now));
  g_assert_false (urbarium_run_library_is_young (now - 10, now));
  g_assert_true (urbarium_run_library_is_young (now + 2, now));
  g_assert_false (urbarium_run_library_is_young (now + 86400, now));
}

static void
deleted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Answer *answer = user_data;
  urbarium_run_library_delete_finish (URBARIUM_RUN_LIBRARY (source), result, &answer->error);
  answer->done = TRUE;
}

static void
test_deleted (void)
{
  g_autoptr(GPtrArray) gone = g_ptr_array_new ();
  UrbariumRunLibrary *library = open_library ("deleted");
  UrbariumRun *run = start (library, "Gone", 100000);
  g_autofree char *path = g_strdup (urbarium_run_get_folder (run));
  g_auto(UrbRunConfig) config = { 0 };
  Answer answer = { 0 };
  urbarium_run_library_delete_async (library, run, NULL, deleted_cb, &answer);
  test_until (is_answered, &answer);
  g_assert_error (answer.error, URB_RUN_ERROR, URB_RUN_ERROR_BUSY);
  g_clear_error (&answer.error);
  g_assert_true (g_file_test (path, G_FILE_TEST_IS_DIR));
  urbarium_run_stop (run);
  run_until_state (run, URB_RUN_STOPPED);
  run_until_live (run, FALSE);
  answer = (Answer){ 0 };
  urbarium_run_library_delete_async (library, run, NULL, deleted_cb, &answer);
  test_until (is_answered, &answer);
  g_assert_no_error (answer.error);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (library)), ==, 0);
  /* No run can wait for it any more. */
  urb_run_config_init (&config);
  config.train.dataset = g_strdup (run_fixture_dataset ());
  answer = (Answer){ 0 };
  g_ptr_array_add (gone, run);
  urbarium_run_library_start_async (library, &config, gone, NULL, started_cb, &answer);
  test_until (is_answered, &answer);
  g_assert_null (answer.result);
  g_assert_nonnull (strstr (answer.error->message, path));
  g_clear_error (&answer.error);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (library)), ==, 0);
  run_until_gone (run);
  run_until_gone (library);
}

/* Deleting a run in a folder with other files keeps these, and the targets of symbolic links. */
static void
test_deleted_among_others (void)
{
  static const char *const files[] = { "work/run.ini", "work/run.db", "work/lock",
                                       "work/samples/step-000000001.png", "work/notes.txt",
                                       "work/my.preset", "disk/step-000000001.safetensors" };
  UrbariumRunLibrary *library = open_library ("deleted-others");
  g_autofree char *folder = run_fixture_path ("work");
  g_autofree char *samples = run_fixture_path ("work/samples");
  g_autofree char *checkpoints = run_fixture_path ("work/checkpoints");
  g_autofree char *disk = run_fixture_path ("disk");
  Answer answer = { 0 };
  UrbariumRun *run;
  g_assert_cmpint (g_mkdir_with_parents (samples, 0700), ==, 0);
  g_assert_cmpint (g_mkdir (disk, 0700), ==, 0);
  g_assert_cmpint (symlink (disk, checkpoints), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = run_fixture_path (files[i]);
      g_assert_true (g_file_set_contents (path, "", -1, NULL));
    }
  run = urbarium_run_library_add (library, folder, NULL);
  g_assert_nonnull (run);
  urbarium_run_library_delete_async (library, run, NULL, deleted_cb, &answer);
  test_until (is_answered, &answer);
  g_assert_no_error (answer.error);
  g_assert_null (urbarium_run_library_find (library, folder));
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = run_fixture_path (files[i]);
      g_assert_cmpint (g_file_test (path, G_FILE_TEST_EXISTS), ==, i >= 4);
    }
  g_assert_false (g_file_test (checkpoints, G_FILE_TEST_IS_SYMLINK));
  run_until_gone (library);
}

int
main (int argc, char **argv)
{
  int code;
  test_app_init (&argc, &argv);
  run_fixture_init ();
  g_test_add_func ("/run-library/started", test_started);
  g_test_add_func ("/run-library/refused", test_refused);
  g_test_add_func ("/run-library/queue", test_queue);
  g_test_add_func ("/run-library/moved", test_moved);
  g_test_add_func ("/run-library/taken-out", test_taken_out);
  g_test_add_func ("/run-library/found", test_found);
  g_test_add_func ("/run-library/chosen-folder", test_chosen_folder);
  g_test_add_func ("/run-library/young", test_young);
  g_test_add_func ("/run-library/deleted", test_deleted);
  g_test_add_func ("/run-library/deleted-among-others", test_deleted_among_others);
  code = g_test_run ();
  run_fixture_clear ();
  return code;
}
