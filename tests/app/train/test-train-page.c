/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-train-page.c - the list of runs and the pages it opens. With $URBARIUM_SCREENSHOTS it also
 * takes screenshots; $URBARIUM_TRAIN_RUNS may name a folder of longer runs to show there, and
 * $URBARIUM_TRAIN_DATASET a dataset.
 */
#include <string.h>

#include <glib/gstdio.h>

#include "app-test.h"
#include "app/train/run-row.h"
#include "app/train/run-settings.h"
#include "app/train/run-view.h"
#include "app/train/sample-grid.h"
#include "app/train/train-page.h"
#include "run-fixture.h"

static GtkWidget *
new_page (UrbariumRunLibrary *library)
{
  GtkWidget *page = g_object_new (URBARIUM_TYPE_TRAIN_PAGE, NULL);
  urbarium_train_page_set_library (URBARIUM_TRAIN_PAGE (page), library);
  return page;
}

static gboolean
has_loaded (gpointer library)
{
  gboolean loading;
  g_object_get (library, "loading", &loading, NULL);
  return !loading;
}

static UrbariumRunLibrary *
open_library (const char *folder)
{
  UrbariumRunLibrary *library = urbarium_run_library_new (folder);
  test_until (has_loaded, library);
  return library;
}

static const char *
visible_name (GtkWidget *page)
{
  GtkStack *stack = GTK_STACK (
    gtk_widget_get_template_child (page, URBARIUM_TYPE_TRAIN_PAGE, "stack"));
  return gtk_stack_get_visible_child_name (stack);
}

static void
count_cb (GtkWidget *page, GParamSpec *pspec, int *n)
{
  (*n)++;
}

/* The list of runs is hidden and shown, and notifies. */
static void
test_panel (GtkWidget *page)
{
  AdwFlap *flap = ADW_FLAP (test_find (page, ADW_TYPE_FLAP));
  int n = 0;
  gulong id = g_signal_connect (page, "notify::show-panel", G_CALLBACK (count_cb), &n);
  gboolean shown;
  g_object_get (page, "show-panel", &shown, NULL);
  g_assert_true (shown);
  g_object_set (page, "show-panel", FALSE, NULL);
  g_assert_false (adw_flap_get_reveal_flap (flap));
  g_assert_cmpint (n, ==, 1);
  adw_flap_set_reveal_flap (flap, TRUE);
  g_object_get (page, "show-panel", &shown, NULL);
  g_assert_true (shown);
  g_assert_cmpint (n, ==, 2);
  g_signal_handler_disconnect (page, id);
}

/* Initially: the settings, and no run. */
static void
test_empty (void)
{
  g_autofree char *folder = run_fixture_path ("none");
  UrbariumRunLibrary *library = open_library (folder);
  GtkWidget *page = new_page (library);
  GtkWindow *window = test_window_new (page, 1280, 740);
  g_assert_cmpstr (visible_name (page), ==, "settings");
  test_panel (page);
  test_screenshot (window, "train-empty");
  test_window_destroy (window);
  run_until_gone (library);
}

static void
take_run (UrbariumTrainPage *page, UrbariumRun *run, UrbariumRun **taken)
{
  g_set_object (taken, run);
}

static void
test_runs (void)
{
  g_autofree char *folder = run_fixture_path ("runs");
  g_autoptr(UrbariumRun) run = NULL;
  g_autoptr(UrbariumRun) shown = NULL;
  UrbariumRunLibrary *library;
  GtkWidget *page, *view, *row;
  GtkWindow *window;
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  run_fixture_engine ("train --quiet --dataset %s --run %s/one --preset tiny --batch 2 --steps 6 "
                      "--sample-every 3",
                      run_fixture_dataset (), folder);
  library = open_library (folder);
  page = new_page (library);
  window = test_window_new (page, 1280, 740);
  view = test_find (page, URBARIUM_TYPE_RUN_VIEW);
  row = test_find (page, URBARIUM_TYPE_RUN_ROW);
  g_assert_nonnull (row);
  run = g_object_ref (urbarium_run_row_get_run (URBARIUM_RUN_ROW (row)));

  urbarium_train_page_show_run (URBARIUM_TRAIN_PAGE (page), run);
  g_assert_cmpstr (visible_name (page), ==, "run");
  g_assert_true (urbarium_run_view_get_run (URBARIUM_RUN_VIEW (view)) == run);
  g_assert_true (gtk_list_box_row_is_selected (GTK_LIST_BOX_ROW (row)));
  run_until_loaded (run);

  g_signal_connect (page, "show-cities", G_CALLBACK (take_run), &shown);
  gtk_widget_activate_action (view, "view.show-cities", NULL);
  g_assert_true (shown == run);

  gtk_widget_activate_action (page, "train.new-run", NULL);
  g_assert_cmpstr (visible_name (page), ==, "settings");
  g_assert_null (urbarium_run_view_get_run (URBARIUM_RUN_VIEW (view)));
  g_assert_false (gtk_list_box_row_is_selected (GTK_LIST_BOX_ROW (row)));

  urbarium_train_page_show_run (URBARIUM_TRAIN_PAGE (page), run);
  urbarium_train_page_set_dataset (URBARIUM_TRAIN_PAGE (page), run_fixture_dataset ());
  g_assert_cmpstr (visible_name (page), ==, "settings");
  g_clear_object (&run);
  g_clear_object (&shown);
  test_window_destroy (window);
  run_until_gone (library);
}

static gboolean
shows_run (gpointer page)
{
  return g_str_equal (visible_name (page), "run");
}

/* A restored session has the same settings and run in view. */
static void
test_session (void)
{
  g_autofree char *folder = run_fixture_path ("runs");
  g_autofree char *path = g_build_filename (folder, "one", NULL);
  g_autofree char *kept = NULL;
  g_autofree char *again = NULL;
  UrbariumRunLibrary *library = open_library (folder);
  GtkWidget *page = new_page (library);
  GtkWindow *window = test_window_new (page, 1280, 740);
  UrbariumRun *run = urbarium_run_library_find (library, path);
  urbarium_train_page_show_run (URBARIUM_TRAIN_PAGE (page), run);
  run_until_loaded (run);
  gtk_widget_activate_action (page, "train.repeat", NULL);
  g_assert_cmpstr (visible_name (page), ==, "settings");
  urbarium_train_page_show_run (URBARIUM_TRAIN_PAGE (page), run);
  g_object_get (page, "session", &kept, NULL);
  g_assert_nonnull (strstr (kept, run_fixture_dataset ()));
  g_assert_nonnull (strstr (kept, "steps=6"));
  g_assert_nonnull (strstr (kept, path));
  test_window_destroy (window);
  run_until_gone (library);

  library = urbarium_run_library_new (folder);
  page = new_page (library);
  window = test_window_new (page, 1280, 740);
  g_object_set (page, "session", "no such thing", NULL);
  g_object_set (page, "session", kept, NULL);
  test_until (shows_run, page);
  g_object_get (page, "session", &again, NULL);
  g_assert_cmpstr (again, ==, kept);
  test_window_destroy (window);
  run_until_gone (library);
}

/* Deleting the run in view. */
static void
test_deleted (void)
{
  g_autofree char *folder = run_fixture_path ("deleted");
  g_autofree char *path = g_build_filename (folder, "one", NULL);
  g_autofree char *elsewhere = run_fixture_path ("elsewhere");
  UrbariumRunLibrary *library;
  GtkWidget *page;
  GtkWindow *window;
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  run_fixture_engine ("train --quiet --dataset %s --run %s --preset tiny --batch 2 --steps 2",
                      run_fixture_dataset (), path);
  library = open_library (folder);
  page = new_page (library);
  window = test_window_new (page, 1280, 740);
  urbarium_train_page_show_run (URBARIUM_TRAIN_PAGE (page),
                                urbarium_run_library_find (library, path));
  g_assert_cmpint (g_rename (path, elsewhere), ==, 0);
  while (g_strcmp0 (visible_name (page), "settings") != 0)
    g_main_context_iteration (NULL, TRUE);
  test_window_destroy (window);
  run_until_gone (library);
}

/* ------------------------------------------------------------------------ */
/* Screenshots */

static gboolean
is_ready (gpointer page)
{
  UrbariumRunView *view = URBARIUM_RUN_VIEW (test_find (page, URBARIUM_TYPE_RUN_VIEW));
  UrbariumRun *run = urbarium_run_view_get_run (view);
  UrbariumSampleGrid *grid = URBARIUM_SAMPLE_GRID (test_find (page, URBARIUM_TYPE_SAMPLE_GRID));
  return !run_bool (run, "loading")
         && (urbarium_sample_grid_get_step (grid) < 0 || urbarium_sample_grid_get_ready (grid));
}

static gboolean
can_train (gpointer page)
{
  GtkWidget *settings = test_find (page, URBARIUM_TYPE_RUN_SETTINGS);
  g_autofree char *problem = urbarium_run_settings_check (URBARIUM_RUN_SETTINGS (settings));
  return problem == NULL;
}

static void
show_details (GtkWidget *page, const char *name)
{
  GtkWidget *list = test_find (page, g_type_from_name ("UrbariumEventList"));
  gtk_stack_set_visible_child_name (
    GTK_STACK (gtk_widget_get_ancestor (list, GTK_TYPE_STACK)), name);
}

/* The curves of another run overlaid; and the checkpoints. */
static void
lay_over (GtkWidget *page)
{
  GtkWidget *list = test_find (page, g_type_from_name ("UrbariumCompareList"));
  GtkWidget *check = test_find (list, GTK_TYPE_CHECK_BUTTON);
  if (check != NULL)
    gtk_check_button_set_active (GTK_CHECK_BUTTON (check), TRUE);
  show_details (page, "checkpoints");
}

/* The workers of the newest active run, else of the newest run. */
static void
show_newest (GtkWidget *page, UrbariumRunLibrary *library)
{
  g_autoptr(UrbariumRun) run = g_list_model_get_item (G_LIST_MODEL (library), 0);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (library)); i++)
    {
      g_autoptr(UrbariumRun) other = g_list_model_get_item (G_LIST_MODEL (library), i);
      if (urbarium_run_get_state (run) != URB_RUN_RUNNING
          && urbarium_run_get_state (other) == URB_RUN_RUNNING)
        g_set_object (&run, other);
    }
  urbarium_train_page_show_run (URBARIUM_TRAIN_PAGE (page), run);
  test_until (is_ready, page);
  show_details (page, "workers");
}

static void
shoot (const char *folder, const char *dataset, const char *variant, int width, int height)
{
  UrbariumRunLibrary *library = open_library (folder);
  GtkWidget *page = new_page (library);
  GtkWindow *window = test_window_new (page, width, height);
  g_autofree char *settings = g_strdup_printf ("train-settings-%s-%d", variant, width);
  g_autofree char *view = g_strdup_printf ("train-run-%s-%d", variant, width);
  g_autofree char *compare = g_strdup_printf ("train-compare-%s-%d", variant, width);
  g_autofree char *live = g_strdup_printf ("train-newest-%s-%d", variant, width);
  g_autoptr(UrbariumRun) run = NULL;
  urbarium_train_page_set_dataset (URBARIUM_TRAIN_PAGE (page), dataset);
  test_until (can_train, page);
  test_frames (window, 30);
  test_screenshot (window, settings);
  run = g_list_model_get_item (G_LIST_MODEL (library),
                               g_list_model_get_n_items (G_LIST_MODEL (library)) - 1);
  urbarium_train_page_show_run (URBARIUM_TRAIN_PAGE (page), run);
  test_until (is_ready, page);
  test_frames (window, 20);
  test_screenshot (window, view);
  lay_over (page);
  test_frames (window, 20);
  test_screenshot (window, compare);
  show_newest (page, library);
  test_frames (window, 20);
  test_screenshot (window, live);
  g_clear_object (&run);
  test_window_destroy (window);
  run_until_gone (library);
}

static void
test_looks (void)
{
  const char *folder = g_getenv ("URBARIUM_TRAIN_RUNS");
  const char *dataset = g_getenv ("URBARIUM_TRAIN_DATASET");
  g_autofree char *own = run_fixture_path ("runs");
  g_autoptr(GtkCssProvider) css = gtk_css_provider_new ();
  AdwStyleManager *style = adw_style_manager_get_default ();
  if (g_getenv ("URBARIUM_SCREENSHOTS") == NULL)
    {
      g_test_skip ("URBARIUM_SCREENSHOTS is not set");
      return;
    }
  gtk_css_provider_load_from_resource (css, "/org/urbarium/Urbarium/style.css");
  gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                              GTK_STYLE_PROVIDER (css),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  if (folder == NULL)
    folder = own;
  if (dataset == NULL)
    dataset = run_fixture_dataset ();
  shoot (folder, dataset, "light", 1280, 740);
  shoot (folder, dataset, "light", 1920, 1000);
  shoot (folder, dataset, "light", 700, 740);
  gtk_widget_set_default_direction (GTK_TEXT_DIR_RTL);
  shoot (folder, dataset, "rtl", 1280, 740);
  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
  adw_style_manager_set_color_scheme (style, ADW_COLOR_SCHEME_FORCE_DARK);
  shoot (folder, dataset, "dark", 1280, 740);
  adw_style_manager_set_color_scheme (style, ADW_COLOR_SCHEME_DEFAULT);
}

int
main (int argc, char **argv)
{
  int status;
  test_app_init (&argc, &argv);
  run_fixture_init ();
  g_test_add_func ("/train-page/empty", test_empty);
  g_test_add_func ("/train-page/runs", test_runs);
  g_test_add_func ("/train-page/session", test_session);
  g_test_add_func ("/train-page/deleted", test_deleted);
  g_test_add_func ("/train-page/looks", test_looks);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
