/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-run-view.c - real runs, viewed live and afterwards.
 */
#include <string.h>

#include <glib/gstdio.h>

#include "app-test.h"
#include "app/runs/run-private.h"
#include "app/train/checkpoint-list.h"
#include "app/train/event-list.h"
#include "app/train/run-header.h"
#include "app/train/run-name.h"
#include "app/train/run-view.h"
#include "app/train/sample-grid.h"
#include "app/train/worker-table.h"
#include "made-up.h"
#include "run-fixture.h"

typedef struct
{
  UrbariumRunView *view; /* owned by the window */
  GtkWidget       *header, *sample_grid, *checkpoints, *workers;
  GtkWindow       *window;
} Scene;

static char *finished; /* owned; folder of a finished run */

static Scene
scene_new (UrbariumRun *run, UrbariumRunLibrary *library)
{
  Scene scene = { .view = g_object_new (URBARIUM_TYPE_RUN_VIEW, NULL) };
  GtkWidget *widget = GTK_WIDGET (scene.view);
  scene.header = test_find (widget, URBARIUM_TYPE_RUN_HEADER);
  scene.sample_grid = test_find (widget, URBARIUM_TYPE_SAMPLE_GRID);
  scene.checkpoints = test_find (widget, URBARIUM_TYPE_CHECKPOINT_LIST);
  scene.workers = test_find (widget, URBARIUM_TYPE_WORKER_TABLE);
  scene.window = test_window_new (widget, 1000, 740);
  urbarium_run_view_set_run (scene.view, run, library);
  return scene;
}

static gpointer
part (GtkWidget *widget, const char *name)
{
  GObject *object = gtk_widget_get_template_child (widget, G_OBJECT_TYPE (widget), name);
  g_assert_nonnull (object);
  return object;
}

static gboolean
sample_is_ready (gpointer scene)
{
  return urbarium_sample_grid_get_ready (URBARIUM_SAMPLE_GRID (((Scene *) scene)->sample_grid));
}

static gint64
sample_step (Scene *scene)
{
  return urbarium_sample_grid_get_step (URBARIUM_SAMPLE_GRID (scene->sample_grid));
}

static guint
count_rows (GtkWidget *list)
{
  guint n = 0;
  for (GtkWidget *row = gtk_widget_get_first_child (list); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    n++;
  return n;
}

static void
test_finished (void)
{
  UrbariumRun *run = urbarium_run_new (finished);
  Scene scene = scene_new (run, NULL);
  GtkAdjustment *slider = part (scene.sample_grid, "adjustment");
  run_until_loaded (run);
  test_until (sample_is_ready, &scene);

  g_assert_cmpint (sample_step (&scene), ==, 12);
  g_assert_cmpfloat (gtk_adjustment_get_upper (slider), ==, 4); /* steps 0, 3, 6, 9, 12 */

  /* A finished run can be extended and deleted, not paused. */
  g_assert_false (gtk_widget_get_visible (part (scene.header, "pause_button")));
  g_assert_false (gtk_widget_get_visible (part (scene.header, "stop_button")));
  g_assert_true (gtk_widget_get_visible (part (scene.header, "extend_button")));
  g_assert_true (gtk_widget_is_sensitive (part (scene.header, "extend_button")));
  g_assert_cmpuint (count_rows (part (scene.checkpoints, "list")), ==, 3);

  urbarium_run_view_set_run (scene.view, NULL, NULL);
  g_assert_cmpint (sample_step (&scene), ==, -1);
  g_assert_false (gtk_widget_get_visible (part (scene.sample_grid, "time_box")));
  urbarium_run_view_set_run (scene.view, run, NULL);
  test_until (sample_is_ready, &scene);
  test_window_destroy (scene.window);
  run_until_gone (run);
}

static gboolean
is_renamed (gpointer data)
{
  Scene *scene = data;
  GtkWidget *name = test_find (scene->header, URBARIUM_TYPE_RUN_NAME);
  return g_str_equal (gtk_label_get_text (part (name, "label")), "Night")
         && g_str_equal (urbarium_run_get_name (urbarium_run_view_get_run (scene->view)), "Night");
}

static void
test_rename (void)
{
  g_autofree char *path = run_fixture_path ("rename");
  UrbariumRun *run;
  Scene scene;
  GtkWidget *name;
  GtkEntry *entry;
  run_fixture_engine ("train --quiet --dataset %s --run %s --preset tiny --batch 2 --steps 2",
                      run_fixture_dataset (), path);
  run = urbarium_run_new (path);
  scene = scene_new (run, NULL);
  run_until_loaded (run);
  name = test_find (scene.header, URBARIUM_TYPE_RUN_NAME);
  entry = part (name, "entry");

  gtk_widget_activate_action (scene.header, "run.rename", NULL);
  gtk_editable_set_text (GTK_EDITABLE (entry), " Night ");
  g_signal_emit_by_name (entry, "activate");
  test_until (is_renamed, &scene);
  test_window_destroy (scene.window);
  run_until_gone (run);
}

/* Closing the window before the history or an image has been read. */
static void
test_closed_while_loading (void)
{
  UrbariumRun *run = urbarium_run_new (finished);
  Scene scene = scene_new (run, NULL);
  test_window_destroy (scene.window);
  scene = scene_new (run, NULL);
  run_until_loaded (run);
  test_window_destroy (scene.window);
  run_until_gone (run);
}

static gboolean
has_worker (gpointer scene)
{
  GtkStack *stack = part (((Scene *) scene)->workers, "stack");
  return g_str_equal (gtk_stack_get_visible_child_name (stack), "workers");
}

static gboolean
has_new_sample (gpointer scene)
{
  return sample_step (scene) > 0 && sample_is_ready (scene);
}

/* Pausing, resuming and stopping with the buttons. */
static void
test_live (void)
{
  g_autofree char *path = run_fixture_start ("live", 100000, "");
  UrbariumRun *run = urbarium_run_new (path);
  Scene scene = scene_new (run, NULL);
  run_until_step (run, 3);
  test_until (sample_is_ready, &scene);
  test_until (has_worker, &scene);
  g_assert_true (gtk_widget_get_visible (part (scene.header, "pause_button")));
  g_assert_false (gtk_widget_get_visible (part (scene.header, "resume_button")));

  gtk_widget_activate_action (scene.header, "run.sample", NULL);
  test_until (has_new_sample, &scene);
  g_signal_emit_by_name (part (scene.header, "pause_button"), "clicked");
  run_until_state (run, URB_RUN_PAUSED);
  g_assert_true (gtk_widget_get_visible (part (scene.header, "resume_button")));
  g_signal_emit_by_name (part (scene.header, "resume_button"), "clicked");
  run_until_state (run, URB_RUN_RUNNING);
  g_signal_emit_by_name (part (scene.header, "stop_button"), "clicked");
  run_until_state (run, URB_RUN_STOPPED);
  run_until_live (run, FALSE);
  g_assert_true (gtk_widget_is_sensitive (part (scene.header, "resume_button")));
  test_window_destroy (scene.window);
  run_until_gone (run);
}

/* The number of working ranks. */
static guint
count_alive (UrbariumRun *run)
{
  GListModel *workers = urbarium_run_get_workers (run);
  guint n = 0;
  for (guint i = 0; i < g_list_model_get_n_items (workers); i++)
    {
      g_autoptr(UrbariumRunWorker) worker = g_list_model_get_item (workers, i);
      gboolean alive;
      g_object_get (worker, "alive", &alive, NULL);
      n += alive;
    }
  return n;
}

static gboolean
has_three (gpointer run)
{
  return count_alive (run) == 3;
}

static gboolean
has_none (gpointer run)
{
  return count_alive (run) == 0;
}

/* Every rank has a row, although only one is a process; all end with it. */
static void
test_ranks (void)
{
  g_autofree char *path = run_fixture_start ("ranks", 100000, "--strategy ddp:3 --batch 6");
  UrbariumRun *run = urbarium_run_new (path);
  Scene scene = scene_new (run, NULL);
  run_until_step (run, 1);
  test_until (has_three, run);
  g_assert_nonnull (strstr (gtk_label_get_text (part (scene.header, "state_label")),
                            " · DDP, 3 copies"));
  g_signal_emit_by_name (part (scene.header, "pause_button"), "clicked");
  run_until_state (run, URB_RUN_PAUSED);
  test_until (has_none, run);
  g_signal_emit_by_name (part (scene.header, "stop_button"), "clicked");
  run_until_live (run, FALSE);
  test_window_destroy (scene.window);
  run_until_gone (run);
}

static void
answer (const char *response)
{
  AdwMessageDialog *dialog = made_up_find_dialog ();
  g_assert_nonnull (dialog);
  adw_message_dialog_response (dialog, response);
  gtk_window_destroy (GTK_WINDOW (dialog)); /* like its buttons */
}

static gboolean
is_empty (gpointer library)
{
  return g_list_model_get_n_items (library) == 0;
}

static gboolean
has_loaded (gpointer library)
{
  gboolean loading;
  g_object_get (library, "loading", &loading, NULL);
  return !loading;
}

/* Extending, rolling back and deleting, each with a question that can be cancelled. */
static void
test_questions (void)
{
  g_autofree char *folder = run_fixture_path ("questions");
  g_autofree char *path = g_build_filename (folder, "a", NULL);
  UrbariumRunLibrary *library;
  UrbariumRun *run;
  Scene scene;
  GtkWidget *spin;
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  run_fixture_engine ("train --quiet --dataset %s --run %s --preset tiny --batch 2 --steps 4 "
                      "--checkpoint-every 2",
                      run_fixture_dataset (), path);
  library = urbarium_run_library_new (folder);
  test_until (has_loaded, library);
  run = urbarium_run_library_find (library, path);
  scene = scene_new (run, library);
  run_until_loaded (run);

  gtk_widget_activate_action (scene.header, "run.extend", NULL);
  answer ("cancel");
  gtk_widget_activate_action (scene.header, "run.extend", NULL);
  spin = adw_message_dialog_get_extra_child (made_up_find_dialog ());
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin), 7);
  answer ("yes");
  run_until_step (run, 7);
  run_until_state (run, URB_RUN_FINISHED);
  run_until_live (run, FALSE);

  gtk_widget_activate_action (scene.checkpoints, "checkpoints.roll-back", "x",
                              G_GINT64_CONSTANT (4));
  answer ("cancel");
  g_assert_cmpint (run_int64 (run, "step"), ==, 7);
  gtk_widget_activate_action (scene.header, "run.delete", NULL);
  g_assert_nonnull (strstr (adw_message_dialog_get_body (made_up_find_dialog ()), path));
  answer ("cancel");
  gtk_widget_activate_action (scene.header, "run.delete", NULL);
  answer ("yes");
  test_until (is_empty, library);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  test_window_destroy (scene.window);
  run_until_gone (library);
}

static void
lost_cb (UrbariumRun *run, const char *what, const GError *error, char **text)
{
  g_free (*text);
  *text = g_strdup (error->message);
}

static void
lose (UrbariumRun *run, gboolean has_checkpoint)
{
  UrbariumRunPeek peek = { .exists = TRUE, .has_summary = TRUE, .has_checkpoint = has_checkpoint };
  peek.summary.step = 25;
  peek.summary.has_state = TRUE;
  peek.summary.state = URB_RUN_RUNNING;
  run->was_live = TRUE;
  urbarium_run_apply_peek (run, &peek);
}

static gboolean
is_told (gpointer data)
{
  g_autofree char *log = made_up_engine_log ();
  return g_str_has_prefix (log, "resume");
}

/* Without a checkpoint a run can only restart: this is shown, and confirmed before curves are
 * deleted. */
static void
test_lost (void)
{
  g_autofree char *engine = g_strdup (g_getenv ("URBARIUM_ENGINE"));
  UrbariumRun *run = made_up_run ("lost");
  Scene scene = scene_new (run, NULL);
  GtkWidget *button = part (scene.header, "resume_button");
  g_autofree char *text = NULL;
  g_autofree char *log = NULL;
  g_signal_connect (run, "failed", G_CALLBACK (lost_cb), &text);
  made_up_engine ("echo $1 >>$LOG");
  lose (run, TRUE);
  made_up_answer ("close");
  g_assert_nonnull (strstr (text, "since the last checkpoint"));
  g_assert_cmpstr (gtk_widget_get_tooltip_text (button), ==, "Continue from the newest checkpoint");
  lose (run, FALSE);
  made_up_answer ("close");
  g_assert_nonnull (strstr (text, "starts again at step 0"));
  g_assert_nonnull (strstr (gtk_widget_get_tooltip_text (button), "Start again at step 0"));

  gtk_widget_activate_action (scene.header, "run.resume", NULL);
  made_up_answer ("cancel");
  log = made_up_engine_log ();
  g_assert_cmpstr (log, ==, "");
  gtk_widget_activate_action (scene.header, "run.resume", NULL);
  made_up_answer ("yes");
  test_until (is_told, NULL);
  g_setenv ("URBARIUM_ENGINE", engine, TRUE);
  test_window_destroy (scene.window);
  run_until_gone (run);
}

int
main (int argc, char **argv)
{
  int status;
  test_app_init (&argc, &argv);
  run_fixture_init ();
  finished = run_fixture_path ("finished");
  run_fixture_engine ("train --quiet --dataset %s --run %s --preset tiny --batch 2 --steps 12 "
                      "--sample-every 3 --checkpoint-every 4",
                      run_fixture_dataset (), finished);
  g_test_add_func ("/run-view/finished", test_finished);
  g_test_add_func ("/run-view/rename", test_rename);
  g_test_add_func ("/run-view/closed-while-loading", test_closed_while_loading);
  g_test_add_func ("/run-view/live", test_live);
  g_test_add_func ("/run-view/ranks", test_ranks);
  g_test_add_func ("/run-view/questions", test_questions);
  g_test_add_func ("/run-view/lost", test_lost);
  status = g_test_run ();
  g_free (finished);
  run_fixture_clear ();
  return status;
}
