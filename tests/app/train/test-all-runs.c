/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-all-runs.c - the curves of the runs that are selected in the table.
 */
#include <string.h>

#include "app-test.h"
#include "app/plot/plot-area.h"
#include "app/runs/run-private.h"
#include "app/train/all-runs.h"
#include "app/train/run-table.h"
#include "made-up.h"
#include "run-fixture.h"

enum { N_RUNS = 9 };

static const char *const names[N_RUNS + 1] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", NULL };

typedef struct
{
  UrbariumRunLibrary *library;
  GtkWidget          *page;
  UrbariumRunTable   *table;
  GtkStack           *stack;
  GtkWindow          *window;
} Scene;

static void
scene_init (Scene *scene, const char *folder, const char *const *runs)
{
  *scene = (Scene){ .library = made_up_library (folder, runs), .page = g_object_new (URBARIUM_TYPE_ALL_RUNS, NULL) };
  scene->table = made_up_part (scene->page, "table");
  scene->stack = made_up_part (scene->page, "stack");
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (scene->library)); i++)
    {
      g_autoptr(UrbariumRun) run = g_list_model_get_item (G_LIST_MODEL (scene->library), i);
      run->caught_up = TRUE; /* as if a supervisor had told all that follows */
      made_up_run_progress (run, 120 - i, 60 + 7 * i);
      for (int step = 1; step <= 30; step++)
        made_up_run_step (run, step * (i + 1));
      for (int step = 5; step <= 30; step += 5)
        made_up_run_score (run, step, 1 + (4 + 0.5 * i) / step);
    }
  urbarium_all_runs_set_library (URBARIUM_ALL_RUNS (scene->page), scene->library);
  scene->window = test_window_new (scene->page, 1000, 760);
  test_frames (scene->window, 3);
}

static void
scene_clear (Scene *scene)
{
  test_window_destroy (scene->window);
  run_until_gone (scene->library);
}

static guint
count_curves (Scene *scene)
{
  GtkWidget *area = test_find (scene->page, URBARIUM_TYPE_PLOT_AREA);
  g_autofree char *path = run_fixture_path ("curves.csv"), *text = NULL;
  g_auto(GStrv) lines = NULL, columns = NULL;
  g_autoptr(GError) error = NULL;
  urbarium_chart_export (urbarium_plot_area_get_chart (URBARIUM_PLOT_AREA (area)), path, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  columns = g_strsplit (lines[0], ",", -1);
  return g_strv_length (columns) - 1;
}

/* As many scores as there are colors at first, and the limit of real areas; then those of the selection. */
static void
test_selection (void)
{
  Scene scene;
  scene_init (&scene, "many", names);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (scene.stack), ==, "curves");
  g_assert_cmpuint (count_curves (&scene), ==, 7 + 1);
  test_screenshot (scene.window, "all-runs");
  urbarium_run_table_select_first (scene.table, 2);
  g_assert_cmpuint (count_curves (&scene), ==, 2 + 1);
  urbarium_run_table_select_first (scene.table, N_RUNS);
  g_assert_cmpuint (count_curves (&scene), ==, 7 + 1);
  g_assert_nonnull (made_up_find_text (scene.page, "The curves of the first 7 of 9 selected runs are shown."));
  urbarium_run_table_select_first (scene.table, 0);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (scene.stack), ==, "none");
  scene_clear (&scene);
}

static gboolean
has_two (gpointer scene)
{
  g_autoptr(GPtrArray) selected = NULL;
  urbarium_run_table_select_first (((Scene *) scene)->table, N_RUNS);
  selected = urbarium_run_table_dup_selected (((Scene *) scene)->table);
  return selected->len == 2;
}

/* By words; runs that are to be compared are shown in any case. */
static void
test_filter (void)
{
  Scene scene;
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func (g_object_unref), selected = NULL;
  GtkEditable *entry;
  scene_init (&scene, "filtered", (const char *[]){ "red-1", "red-2", "blue", NULL });
  entry = made_up_part (scene.page, "filter_entry");
  gtk_editable_set_text (entry, "RED");
  test_until (has_two, &scene);
  test_screenshot (scene.window, "filtered");
  for (guint i = 0; i < 3; i++)
    g_ptr_array_add (all, g_list_model_get_item (G_LIST_MODEL (scene.library), i));
  urbarium_all_runs_select (URBARIUM_ALL_RUNS (scene.page), all);
  selected = urbarium_run_table_dup_selected (scene.table);
  g_assert_cmpuint (selected->len, ==, 3);
  g_assert_cmpstr (gtk_editable_get_text (entry), ==, "");
  scene_clear (&scene);
}

/* A hidden page follows no run, and keeps its selection. */
static void
test_hidden (void)
{
  Scene scene;
  scene_init (&scene, "hidden", (const char *[]){ "a", "b", NULL });
  urbarium_run_table_select_first (scene.table, 1);
  gtk_widget_set_visible (scene.page, FALSE);
  g_assert_cmpuint (count_curves (&scene), ==, 0);
  gtk_widget_set_visible (scene.page, TRUE);
  test_frames (scene.window, 2);
  g_assert_cmpuint (count_curves (&scene), ==, 1 + 1);
  scene_clear (&scene);
}

static void
note_run (UrbariumRun **noted, UrbariumRun *run)
{
  *noted = run;
}

static void
test_open (void)
{
  Scene scene;
  UrbariumRun *noted = NULL;
  g_autoptr(UrbariumRun) first = NULL;
  scene_init (&scene, "open", (const char *[]){ "a", "b", NULL });
  first = g_list_model_get_item (G_LIST_MODEL (scene.library), 0);
  g_signal_connect_swapped (scene.page, "show-run", G_CALLBACK (note_run), &noted);
  g_signal_emit_by_name (scene.table, "activated", first);
  g_assert_true (noted == first);
  g_clear_object (&first);
  scene_clear (&scene);
}

int
main (int argc, char **argv)
{
  int status;
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  g_test_add_func ("/all-runs/selection", test_selection);
  g_test_add_func ("/all-runs/filter", test_filter);
  g_test_add_func ("/all-runs/hidden", test_hidden);
  g_test_add_func ("/all-runs/open", test_open);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
