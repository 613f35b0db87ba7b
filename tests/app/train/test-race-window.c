/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-race-window.c - starts a real comparison, finds it again, stops it, continues it; refused settings; earlier
 * comparisons, which are deleted.
 */
#include "app-test.h"
#include "app/train/race-window.h"
#include "made-up-race.h"
#include "made-up.h"
#include "run-fixture.h"

static const char *const strategies[] = { "single", "hogwild", "ddp", "mesh", NULL };

typedef struct
{
  char      *folder;
  GtkWindow *window;
  const char *dataset;
  int        batch;
} Scene;

static void
open_window (Scene *scene)
{
  g_auto(UrbRunConfig) config = { 0 };
  urb_run_config_init (&config);
  config.train.dataset = g_strdup (scene->dataset);
  config.train.batch = scene->batch;
  config.train.n_threads = 1;
  scene->window = GTK_WINDOW (urbarium_race_window_new (scene->folder, &config, strategies, FALSE));
  gtk_window_present (scene->window);
  test_frames (scene->window, 3);
}

static void
scene_init (Scene *scene, const char *name, int batch)
{
  *scene = (Scene){ .folder = run_fixture_path (name), .dataset = run_fixture_dataset (), .batch = batch };
  open_window (scene);
}

static void
scene_clear (Scene *scene)
{
  test_window_destroy (scene->window);
  g_free (scene->folder);
}

static gpointer
part (Scene *scene, const char *name)
{
  return made_up_part (GTK_WIDGET (scene->window), name);
}

static const char *
get_page (Scene *scene)
{
  return gtk_stack_get_visible_child_name (part (scene, "stack"));
}

static const char *
get_title (Scene *scene, const char *row)
{
  GtkStringObject *item = adw_combo_row_get_selected_item (part (scene, row));
  return gtk_string_object_get_string (item);
}

static gboolean
shows_race (gpointer scene)
{
  return g_str_equal (get_page (scene), "race");
}

static gboolean
has_stopped (gpointer scene)
{
  return !gtk_widget_get_visible (part (scene, "stop_button"));
}

static void
test_offers (void)
{
  Scene scene;
  scene_init (&scene, "offers", 8);
  g_assert_cmpstr (get_page (&scene), ==, "new");
  g_assert_cmpstr (get_title (&scene, "first_row"), ==, "Asynchronous processes (Hogwild)");
  g_assert_cmpstr (get_title (&scene, "second_row"), ==, "One process");
  g_assert_cmpuint (g_list_model_get_n_items (adw_combo_row_get_model (part (&scene, "first_row"))), ==, 3);
  g_assert_true (gtk_widget_get_visible (part (&scene, "first_ranks_row")));
  g_assert_false (gtk_widget_get_visible (part (&scene, "second_ranks_row")));
  g_assert_false (gtk_widget_get_visible (part (&scene, "earlier_group")));
  g_assert_cmpstr (gtk_label_get_text (part (&scene, "summary_label")), ==,
                   "About 1 h 20 min of training, and then the scoring of cities. Let the computer do nothing else "
                   "meanwhile.");
  gtk_spin_button_set_value (part (&scene, "minutes_spin"), 20);
  gtk_spin_button_set_value (part (&scene, "seeds_spin"), 1);
  g_assert_true (g_str_has_prefix (gtk_label_get_text (part (&scene, "summary_label")), "About 1 h 20 min of"));
  test_screenshot (scene.window, "race-new");
  scene_clear (&scene);
}

/* Three ranks cannot divide eight samples equally. */
static void
test_batch (void)
{
  Scene scene;
  scene_init (&scene, "batch", 8);
  adw_combo_row_set_selected (part (&scene, "second_row"), 2);
  g_assert_true (gtk_widget_get_sensitive (part (&scene, "start_button")));
  gtk_spin_button_set_value (part (&scene, "second_ranks"), 3);
  g_assert_false (gtk_widget_get_sensitive (part (&scene, "start_button")));
  g_assert_cmpstr (gtk_label_get_text (part (&scene, "summary_label")), ==,
                   "A batch of 8 cannot be split equally among 3 copies.");
  gtk_spin_button_set_value (part (&scene, "second_ranks"), 4);
  g_assert_true (gtk_widget_get_sensitive (part (&scene, "start_button")));
  scene_clear (&scene);
}

static gboolean
has_dialog (gpointer data)
{
  return made_up_find_dialog () != NULL;
}

/* What the engine refuses, with its reason. */
static void
test_refused (void)
{
  Scene scene = { .folder = run_fixture_path ("refused"), .dataset = "/nowhere/areas.gpkg", .batch = 8 };
  open_window (&scene);
  g_signal_emit_by_name (part (&scene, "start_button"), "clicked");
  g_assert_false (gtk_widget_get_sensitive (part (&scene, "start_button")));
  test_until (has_dialog, NULL);
  g_assert_cmpstr (get_page (&scene), ==, "new");
  g_assert_true (gtk_widget_get_sensitive (part (&scene, "start_button")));
  g_assert_nonnull (strstr (adw_message_dialog_get_body (made_up_find_dialog ()), "/nowhere/areas.gpkg"));
  gtk_window_destroy (GTK_WINDOW (made_up_find_dialog ()));
  scene_clear (&scene);
}

static gboolean
goes_on (gpointer scene)
{
  return !has_stopped (scene);
}

/* It goes on without the window, which shows it again when it is opened. */
static void
test_start (void)
{
  Scene scene;
  scene_init (&scene, "start", 2);
  g_signal_emit_by_name (part (&scene, "start_button"), "clicked");
  test_until (shows_race, &scene);
  g_assert_true (gtk_widget_get_visible (part (&scene, "stop_button")));
  test_window_destroy (scene.window);
  open_window (&scene);
  g_assert_cmpstr (get_page (&scene), ==, "race");
  g_assert_true (gtk_widget_get_visible (part (&scene, "stop_button")));
  g_signal_emit_by_name (part (&scene, "stop_button"), "clicked");
  test_until (has_stopped, &scene);
  g_assert_true (gtk_widget_get_visible (part (&scene, "delete_button")));
  test_frames (scene.window, 3);
  test_screenshot (scene.window, "race-stopped");
  g_signal_emit_by_name (part (&scene, "continue_button"), "clicked");
  g_assert_false (gtk_widget_get_sensitive (part (&scene, "continue_button")));
  test_until (goes_on, &scene);
  g_assert_false (gtk_widget_get_visible (part (&scene, "delete_button")));
  g_signal_emit_by_name (part (&scene, "stop_button"), "clicked");
  test_until (has_stopped, &scene);
  g_signal_emit_by_name (part (&scene, "back_button"), "clicked");
  g_assert_cmpstr (get_page (&scene), ==, "new");
  g_assert_true (gtk_widget_get_visible (part (&scene, "earlier_group")));
  scene_clear (&scene);
}

static gboolean
is_single (gpointer scene)
{
  return gtk_list_box_get_row_at_index (part (scene, "earlier_list"), 1) == NULL;
}

static gboolean
has_no_list (gpointer scene)
{
  return !gtk_widget_get_visible (part (scene, "earlier_group"));
}

/* From the list, and from the view of one; both ask. */
static void
check_deleting (Scene *scene, const char *first, const char *second)
{
  GtkWidget *row = GTK_WIDGET (gtk_list_box_get_row_at_index (part (scene, "earlier_list"), 0));
  GtkWidget *button = test_find (row, GTK_TYPE_BUTTON);
  g_signal_emit_by_name (button, "clicked");
  made_up_answer ("cancel");
  g_assert_true (g_file_test (second, G_FILE_TEST_EXISTS));
  g_signal_emit_by_name (button, "clicked");
  made_up_answer ("accept");
  test_until (is_single, scene);
  g_assert_false (g_file_test (second, G_FILE_TEST_EXISTS));
  g_signal_emit_by_name (gtk_list_box_get_row_at_index (part (scene, "earlier_list"), 0), "activate");
  g_assert_cmpstr (get_page (scene), ==, "race");
  g_assert_false (gtk_widget_get_visible (part (scene, "continue_button")));
  test_frames (scene->window, 3);
  test_screenshot (scene->window, "race-window");
  g_signal_emit_by_name (part (scene, "delete_button"), "clicked");
  made_up_answer ("accept");
  test_until (has_no_list, scene);
  g_assert_false (g_file_test (first, G_FILE_TEST_EXISTS));
  g_assert_cmpstr (get_page (scene), ==, "new");
}

static void
test_earlier (void)
{
  Scene scene = { .folder = run_fixture_path ("earlier"), .dataset = "", .batch = 8 };
  g_autofree char *first = g_build_filename (scene.folder, "first", NULL);
  g_autofree char *second = g_build_filename (scene.folder, "second", NULL);
  g_autofree char *other = g_build_filename (scene.folder, "other", NULL);
  GtkListBoxRow *row;
  made_up_race (first, URB_RACE_FINISHED, 3);
  made_up_race (second, URB_RACE_FAILED, 0);
  g_assert_cmpint (g_mkdir_with_parents (other, 0700), ==, 0); /* no comparison */
  open_window (&scene);
  g_assert_cmpstr (get_page (&scene), ==, "new");
  row = gtk_list_box_get_row_at_index (part (&scene, "earlier_list"), 1);
  g_assert_cmpstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)), ==, "Hogwild, 2 processes – One process");
  g_assert_true (g_str_has_prefix (adw_action_row_get_subtitle (ADW_ACTION_ROW (row)), "Hogwild, 2 processes: best here · "));
  g_assert_null (gtk_list_box_get_row_at_index (part (&scene, "earlier_list"), 2));
  test_screenshot (scene.window, "race-earlier");
  check_deleting (&scene, first, second);
  scene_clear (&scene);
}

int
main (int argc, char **argv)
{
  int result;
  test_app_init (&argc, &argv);
  run_fixture_init ();
  g_test_add_func ("/app/race-window/offers", test_offers);
  g_test_add_func ("/app/race-window/batch", test_batch);
  g_test_add_func ("/app/race-window/refused", test_refused);
  g_test_add_func ("/app/race-window/start", test_start);
  g_test_add_func ("/app/race-window/earlier", test_earlier);
  result = g_test_run ();
  run_fixture_clear ();
  return result;
}
