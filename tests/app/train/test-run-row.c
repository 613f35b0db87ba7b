/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-run-row.c - a run's name, state and progress in the list.
 */
#include "app-test.h"
#include "app/train/run-row.h"
#include "controllers.h"
#include "made-up.h"
#include "run-fixture.h"

typedef struct
{
  GtkWidget          *row, *dot;
  GtkLabel           *name, *state, *speed;
  GtkProgressBar     *progress;
  UrbariumRun        *run;
  UrbariumRunLibrary *library;
  GtkWindow          *window;
} Scene;

/* In a list. @run, @library: (transfer full) */
static void
scene_init (Scene *scene, UrbariumRun *run, UrbariumRunLibrary *library)
{
  GtkWidget *list = gtk_list_box_new ();
  *scene = (Scene){ .row = urbarium_run_row_new (run, library), .run = run, .library = library };
  scene->dot = made_up_part (scene->row, "dot");
  scene->name = made_up_part (scene->row, "name_label");
  scene->state = made_up_part (scene->row, "state_label");
  scene->speed = made_up_part (scene->row, "speed_label");
  scene->progress = made_up_part (scene->row, "progress");
  gtk_list_box_append (GTK_LIST_BOX (list), scene->row);
  scene->window = test_window_new (list, 260, 200);
}

static void
scene_clear (Scene *scene)
{
  g_object_add_weak_pointer (G_OBJECT (scene->row), (gpointer *) &scene->row);
  test_window_destroy (scene->window);
  g_assert_null (scene->row);
  run_until_gone (scene->library);
  run_until_gone (scene->run);
}

static void
assert_shows (Scene *scene, const char *state, const char *dot, gboolean progress)
{
  g_autofree char *name = g_strdup_printf ("%s, %s", gtk_label_get_text (scene->name), state);
  g_assert_cmpstr (gtk_label_get_text (scene->state), ==, state);
  g_assert_true (gtk_widget_has_css_class (scene->dot, dot));
  g_assert_true (gtk_widget_has_css_class (scene->dot, "run-dot"));
  g_assert_cmpint (gtk_widget_get_visible (GTK_WIDGET (scene->progress)), ==, progress);
  gtk_test_accessible_assert_property (scene->row, GTK_ACCESSIBLE_PROPERTY_LABEL, name);
}

/* The state is shown as text too, not only as a color, and is in the accessible name. */
static void
test_states (void)
{
  Scene scene;
  scene_init (&scene, made_up_run ("Delft"), made_up_library ("none", (const char *[]){ NULL }));
  g_assert_true (urbarium_run_row_get_run (URBARIUM_RUN_ROW (scene.row)) == scene.run);
  g_assert_cmpstr (gtk_label_get_text (scene.name), ==, "Delft");
  assert_shows (&scene, "Stopped", "stopped", FALSE);
  made_up_run_stands (scene.run, TRUE, URB_RUN_STARTING);
  assert_shows (&scene, "Starting", "working", TRUE);
  made_up_run_stands (scene.run, TRUE, URB_RUN_RUNNING);
  assert_shows (&scene, "Training", "working", TRUE);
  made_up_run_stands (scene.run, TRUE, URB_RUN_PAUSED);
  assert_shows (&scene, "Paused", "resting", FALSE);
  made_up_run_stands (scene.run, TRUE, URB_RUN_STOPPING);
  assert_shows (&scene, "Stopping", "working", TRUE);
  made_up_run_stands (scene.run, FALSE, URB_RUN_FAILED);
  assert_shows (&scene, "Failed", "failed", FALSE);
  made_up_run_stands (scene.run, FALSE, URB_RUN_FINISHED);
  assert_shows (&scene, "Finished", "finished", FALSE);
  scene_clear (&scene);
}

static gboolean
has_speed (gpointer scene)
{
  return *gtk_label_get_text (((Scene *) scene)->speed) != '\0';
}

/* Updated with a delay: there are many steps per second. */
static void
test_progress (void)
{
  Scene scene;
  scene_init (&scene, made_up_run ("Delft"), made_up_library ("none", (const char *[]){ NULL }));
  made_up_run_stands (scene.run, TRUE, URB_RUN_RUNNING);
  g_assert_false (has_speed (&scene));
  made_up_run_progress (scene.run, 249, 200);
  made_up_run_progress (scene.run, 250, 210);
  g_assert_false (has_speed (&scene));
  test_until (has_speed, &scene);
  g_assert_cmpstr (gtk_label_get_text (scene.speed), ==, "210 images/s");
  g_assert_cmpfloat (gtk_progress_bar_get_fraction (scene.progress), ==, 0.25);

  /* An inactive run shows no speed. */
  made_up_run_stands (scene.run, TRUE, URB_RUN_PAUSED);
  g_assert_false (has_speed (&scene));
  made_up_run_progress (scene.run, 260, 3); /* the row is destroyed before the update */
  scene_clear (&scene);
}

static void
test_name (void)
{
  Scene scene;
  scene_init (&scene, made_up_run ("Delft"), made_up_library ("none", (const char *[]){ NULL }));
  made_up_run_rename (scene.run, "<b>Rotterdam & the rest of the Low Countries by night</b>");
  assert_shows (&scene, "Stopped", "stopped", FALSE);
  g_assert_cmpstr (gtk_label_get_text (scene.name), ==,
                   "<b>Rotterdam & the rest of the Low Countries by night</b>");
  g_assert_cmpstr (gtk_widget_get_tooltip_text (GTK_WIDGET (scene.name)), ==,
                   gtk_label_get_text (scene.name));
  test_frames (scene.window, 2);
  g_assert_true (pango_layout_is_ellipsized (gtk_label_get_layout (scene.name)));
  scene_clear (&scene);
}

/* Runs of a queue of two, the first and the third one; the second one trains. */
static UrbariumRunLibrary *
make_queue (const char *folder)
{
  UrbariumRunLibrary *library = made_up_library (folder, (const char *[]){ "a", "b", "c", NULL });
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr(UrbariumRun) run = g_list_model_get_item (G_LIST_MODEL (library), i);
      made_up_run_stands (run, TRUE, i == 1 ? URB_RUN_RUNNING : URB_RUN_QUEUED);
    }
  return library;
}

/* The place in the queue is that of the runs that it waits for, which may be told later. */
static void
test_queue (void)
{
  UrbariumRunLibrary *library = make_queue ("queue");
  g_autoptr(UrbariumRun) first = g_list_model_get_item (G_LIST_MODEL (library), 0);
  const char *after_last[] = { NULL, NULL };
  Scene scene;
  scene_init (&scene, g_list_model_get_item (G_LIST_MODEL (library), 2), library);
  after_last[0] = urbarium_run_get_folder (scene.run);
  assert_shows (&scene, "Waiting, number 2 in the queue", "waiting", FALSE);
  made_up_run_waits_for (first, after_last);
  assert_shows (&scene, "Waiting, number 1 in the queue", "waiting", FALSE);
  made_up_run_waits_for (first, (const char *[]){ NULL });
  assert_shows (&scene, "Waiting, number 2 in the queue", "waiting", FALSE);
  made_up_run_stands (first, TRUE, URB_RUN_STARTING);
  assert_shows (&scene, "Waiting, number 1 in the queue", "waiting", FALSE);
  made_up_run_stands (scene.run, TRUE, URB_RUN_STARTING);
  assert_shows (&scene, "Starting", "working", TRUE);
  g_clear_object (&first);
  scene_clear (&scene);
}

static gboolean
is_idle (gpointer run)
{
  g_autofree char *busy = NULL;
  g_object_get (run, "busy-with", &busy, NULL);
  return busy == NULL;
}

/* By keys, with the engine's command, while there is something to change. */
static void
test_move (void)
{
  UrbariumRunLibrary *library = make_queue ("move");
  g_autoptr(UrbariumRun) last = g_list_model_get_item (G_LIST_MODEL (library), 2);
  g_autofree char *log = NULL, *wanted = NULL;
  const char *folder, *after_first[] = { NULL, NULL };
  Scene scene;
  scene_init (&scene, g_list_model_get_item (G_LIST_MODEL (library), 0), library);
  made_up_engine ("echo \"$@\" >> \"$LOG\"");
  folder = urbarium_run_get_folder (scene.run);
  after_first[0] = folder;
  g_assert_false (test_shortcut (scene.row, "<Alt>Down")); /* they begin together */
  made_up_run_waits_for (last, after_first);
  g_assert_false (test_shortcut (scene.row, "<Alt>Up"));
  g_assert_true (test_shortcut (scene.row, "<Alt>Down"));
  g_assert_false (test_shortcut (scene.row, "<Alt>Down")); /* not before the answer */
  test_until (is_idle, scene.run);
  log = made_up_engine_log ();
  wanted = g_strdup_printf ("queue --quiet --later %s %s\n", folder, urbarium_run_library_get_folder (library));
  g_assert_cmpstr (log, ==, wanted);
  g_clear_object (&last);
  scene_clear (&scene);
}

int
main (int argc, char **argv)
{
  int status;
  g_setenv ("GTK_A11Y", "test", TRUE);
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  g_test_add_func ("/run-row/states", test_states);
  g_test_add_func ("/run-row/progress", test_progress);
  g_test_add_func ("/run-row/name", test_name);
  g_test_add_func ("/run-row/queue", test_queue);
  g_test_add_func ("/run-row/move", test_move);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
