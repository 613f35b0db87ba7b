/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-checkpoint-list.c - newest first; rolling back and branching are confirmed first.
 */
#include <string.h>

#include "app-test.h"
#include "app/train/checkpoint-list.h"
#include "made-up.h"
#include "run-fixture.h"

typedef struct
{
  GtkWidget   *widget, *list;
  UrbariumRun *run;
  UrbariumRunLibrary *library;
  GtkWindow   *window;
} Scene;

static void
scene_init (Scene *scene)
{
  *scene = (Scene){ .widget = g_object_new (URBARIUM_TYPE_CHECKPOINT_LIST, NULL),
                    .run = made_up_run ("a"),
                    .library = urbarium_run_library_new (run_fixture_base ()) };
  scene->list = made_up_part (scene->widget, "list");
  made_up_run_checkpoint (scene->run, 1000, 300000000);
  made_up_run_checkpoint (scene->run, 2000, 310000000);
  urbarium_checkpoint_list_set_run (URBARIUM_CHECKPOINT_LIST (scene->widget), scene->run, scene->library);
  scene->window = test_window_new (scene->widget, 500, 300);
}

static void
scene_clear (Scene *scene)
{
  test_window_destroy (scene->window);
  run_until_gone (scene->run);
  run_until_gone (scene->library);
}

static GtkWidget *
row_at (Scene *scene, int index)
{
  return GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (scene->list), index));
}

static const char *
title_at (Scene *scene, int index)
{
  return adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row_at (scene, index)));
}

static GtkWidget *
find_action (GtkWidget *widget, const char *action)
{
  if (GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (widget)), action) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_action (child, action);
      if (found != NULL)
        return found;
    }
  return NULL;
}

/* It rolls back. */
static GtkWidget *
button_at (Scene *scene, int index)
{
  return find_action (row_at (scene, index), "checkpoints.roll-back");
}

static void
test_rows (void)
{
  Scene scene;
  g_autofree char *size = g_format_size (310000000);
  scene_init (&scene);
  g_assert_cmpstr (title_at (&scene, 0), ==, "Step 2\u202f000");
  g_assert_cmpstr (title_at (&scene, 1), ==, "Step 1\u202f000");
  g_assert_true (g_str_has_suffix (
    adw_action_row_get_subtitle (ADW_ACTION_ROW (row_at (&scene, 0))), size));
  made_up_run_checkpoint (scene.run, 3000, 310000000);
  g_assert_cmpstr (title_at (&scene, 0), ==, "Step 3\u202f000");
  made_up_run_event (scene.run, "info", "checkpoint-deleted", "", 1000); /* old checkpoints are deleted */
  g_assert_cmpstr (title_at (&scene, 1), ==, "Step 2\u202f000");
  g_assert_null (row_at (&scene, 2));
  made_up_run_event (scene.run, "info", "rewound", "", 2000);
  g_assert_cmpstr (title_at (&scene, 0), ==, "Step 2\u202f000");
  g_assert_null (row_at (&scene, 1));
  scene_clear (&scene);
}

static gboolean
is_best (Scene *scene, int index)
{
  return strstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (row_at (scene, index))), "best score") != NULL;
}

/* The best of the existing checkpoints is named, wherever it goes. */
static void
test_best (void)
{
  Scene scene;
  scene_init (&scene);
  g_assert_false (is_best (&scene, 0) || is_best (&scene, 1));
  made_up_run_score (scene.run, 1000, 1.2);
  g_assert_true (is_best (&scene, 1) && !is_best (&scene, 0));
  made_up_run_score (scene.run, 2000, 1.1);
  g_assert_true (is_best (&scene, 0) && !is_best (&scene, 1));
  made_up_run_checkpoint (scene.run, 3000, 310000000);
  made_up_run_score (scene.run, 3000, 1.3);
  g_assert_true (is_best (&scene, 1) && !is_best (&scene, 0));
  test_screenshot (scene.window, "best");
  scene_clear (&scene);
}

static void
test_empty (void)
{
  Scene scene;
  GtkStack *stack;
  UrbariumRun *fresh = made_up_run ("b");
  scene_init (&scene);
  stack = made_up_part (scene.widget, "stack");
  g_assert_cmpstr (gtk_stack_get_visible_child_name (stack), ==, "checkpoints");
  urbarium_checkpoint_list_set_run (URBARIUM_CHECKPOINT_LIST (scene.widget), fresh, NULL);
  g_assert_nonnull (made_up_find_text (scene.widget, "No checkpoint has been saved yet"));
  made_up_run_checkpoint (fresh, 7, 1);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (stack), ==, "checkpoints");
  g_assert_cmpstr (title_at (&scene, 0), ==, "Step 7");

  urbarium_checkpoint_list_set_run (URBARIUM_CHECKPOINT_LIST (scene.widget), NULL, NULL);
  g_assert_null (row_at (&scene, 0));
  made_up_run_checkpoint (fresh, 8, 1); /* no longer observed */
  made_up_run_stands (fresh, TRUE, URB_RUN_STARTING);
  gtk_widget_activate_action (scene.widget, "checkpoints.roll-back", "x", G_GINT64_CONSTANT (7));
  g_assert_null (made_up_find_dialog ());
  run_until_gone (fresh);
  scene_clear (&scene);
}

/* Not while a process starts or stops. */
static void
test_sensitive (void)
{
  static const struct
  {
    gboolean    live;
    UrbRunState state;
    gboolean    can;
  } cases[] = {
    { FALSE, URB_RUN_FINISHED, TRUE }, { TRUE, URB_RUN_STARTING, FALSE },
    { TRUE, URB_RUN_RUNNING, TRUE },   { TRUE, URB_RUN_PAUSING, FALSE },
    { TRUE, URB_RUN_PAUSED, TRUE },    { TRUE, URB_RUN_STOPPING, FALSE },
    { FALSE, URB_RUN_STOPPED, TRUE },  { TRUE, URB_RUN_QUEUED, FALSE },
    { FALSE, URB_RUN_FAILED, TRUE },
  };
  Scene scene;
  scene_init (&scene);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s", urb_run_state_name (cases[i].state));
      made_up_run_stands (scene.run, cases[i].live, cases[i].state);
      g_assert_cmpint (gtk_widget_is_sensitive (button_at (&scene, 0)), ==, cases[i].can);
      g_assert_cmpint (gtk_widget_is_sensitive (button_at (&scene, 1)), ==, cases[i].can);
    }
  scene_clear (&scene);
}

static gboolean
is_idle (gpointer run)
{
  g_autofree char *busy = NULL;
  g_object_get (run, "busy-with", &busy, NULL);
  return busy == NULL;
}

/* Rolls this run back to the row's checkpoint, only if confirmed. */
static void
test_roll_back (void)
{
  Scene scene;
  g_autofree char *log = NULL;
  scene_init (&scene);
  made_up_engine ("echo \"$@\" >> \"$LOG\"");
  g_signal_emit_by_name (button_at (&scene, 1), "clicked");
  g_assert_cmpstr (adw_message_dialog_get_heading (made_up_find_dialog ()), ==,
                   "Roll back to step 1\u202f000?");
  g_assert_cmpstr (adw_message_dialog_get_default_response (made_up_find_dialog ()), ==, "cancel");
  made_up_answer ("cancel");
  g_assert_true (is_idle (scene.run));
  g_signal_emit_by_name (button_at (&scene, 1), "clicked");
  made_up_answer ("yes");
  g_assert_false (is_idle (scene.run));
  test_until (is_idle, scene.run);
  log = made_up_engine_log ();
  g_assert_cmpstr (log, ==, "resume --detach --from-step 1000 /nowhere/a\n");
  scene_clear (&scene);
}

static int
count_runs (gpointer library)
{
  return (int) g_list_model_get_n_items (G_LIST_MODEL (library));
}

static gboolean
has_run (gpointer library)
{
  return count_runs (library) == 1;
}

/* Branches into a new folder of the library, with as many steps as are asked for. */
static void
test_branch (void)
{
  Scene scene;
  g_autofree char *log = NULL, *wanted = NULL;
  GtkWidget *spin;
  scene_init (&scene);
  made_up_engine ("echo \"$@\" >> \"$LOG\"");
  g_signal_emit_by_name (find_action (row_at (&scene, 1), "checkpoints.branch"), "clicked");
  g_assert_cmpstr (adw_message_dialog_get_heading (made_up_find_dialog ()), ==, "Branch from step 1\u202f000");
  made_up_answer ("cancel");
  g_signal_emit_by_name (find_action (row_at (&scene, 1), "checkpoints.branch"), "clicked");
  spin = test_find (GTK_WIDGET (made_up_find_dialog ()), GTK_TYPE_SPIN_BUTTON);
  g_assert_cmpfloat (gtk_spin_button_get_value (GTK_SPIN_BUTTON (spin)), >, 1000);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin), 2500);
  made_up_answer ("yes");
  test_until (has_run, scene.library);
  log = made_up_engine_log ();
  wanted = g_strdup_printf ("resume --detach --branch %s/a-from-step-1-000 --from-step 1000 --steps 2500 /nowhere/a\n",
                            urbarium_run_library_get_folder (scene.library));
  g_assert_cmpstr (log, ==, wanted);
  g_assert_true (is_idle (scene.run));
  scene_clear (&scene);
}

int
main (int argc, char **argv)
{
  int status;
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  g_test_add_func ("/checkpoint-list/rows", test_rows);
  g_test_add_func ("/checkpoint-list/best", test_best);
  g_test_add_func ("/checkpoint-list/empty", test_empty);
  g_test_add_func ("/checkpoint-list/sensitive", test_sensitive);
  g_test_add_func ("/checkpoint-list/roll-back", test_roll_back);
  g_test_add_func ("/checkpoint-list/branch", test_branch);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
