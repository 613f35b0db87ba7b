/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-two-runs-window.c - the run beside it shows the same step, or the newest sample before it, and the same city.
 */
#include "app-test.h"
#include "app/train/grid-image.h"
#include "app/train/sample-grid.h"
#include "app/train/two-runs-window.h"
#include "dataset/sample-grid.h"
#include "made-up.h"
#include "run-fixture.h"

typedef struct
{
  UrbariumRunLibrary *library;
  UrbariumRun        *runs[3]; /* borrowed */
  GtkWindow          *window;
} Scene;

/* A grid of cities as a run draws it: houses, of which there are more at later steps. */
static void
draw (Scene *scene, int run, gint64 step)
{
  enum { SIZE = 64, N = 64 };
  g_autofree char *name = g_strdup_printf ("%d.png", (int) step);
  g_autofree char *path = g_build_filename (urbarium_run_get_folder (scene->runs[run]), name, NULL);
  g_autofree guint8 *levels = g_malloc0 (N * SIZE * SIZE * 3);
  g_autoptr(GError) error = NULL;
  for (int i = 0; i < N * SIZE * SIZE; i++)
    {
      int x = i % SIZE, y = i / SIZE % SIZE, period = 20 - (int) step / 5 - run;
      int class_ = x % period < 4 && y % period < 4 ? 0 : x == SIZE / 2 ? 1 : 2;
      levels[3 * i + class_] = 255;
    }
  g_assert_true (urb_sample_grid_write_png (path, levels, N, SIZE, 3, 8, 2, &error));
  g_assert_no_error (error);
  made_up_run_sample (scene->runs[run], step, name);
}

static void
scene_init (Scene *scene, const char *folder)
{
  static const char *const names[] = { "a", "b", "c", NULL };
  *scene = (Scene){ .library = made_up_library (folder, names) };
  for (int i = 0; i < 3; i++)
    {
      g_autofree char *path = g_build_filename (urbarium_run_library_get_folder (scene->library), names[i], NULL);
      scene->runs[i] = urbarium_run_library_find (scene->library, path);
      g_assert_nonnull (scene->runs[i]);
    }
  for (int i = 0; i <= 4; i++)
    draw (scene, 0, 10 * i);
  for (int i = 0; i <= 2; i++)
    draw (scene, 1, 15 * i);
  scene->window = GTK_WINDOW (urbarium_two_runs_window_new (scene->runs[0], scene->library));
  gtk_window_present (scene->window);
  test_frames (scene->window, 3);
}

static void
scene_clear (Scene *scene)
{
  test_window_destroy (scene->window);
  run_until_gone (scene->library);
}

static UrbariumSampleGrid *
grid (Scene *scene, const char *name)
{
  return made_up_part (GTK_WIDGET (scene->window), name);
}

static void
choose (Scene *scene, UrbariumRun *run)
{
  GtkDropDown *choice = made_up_part (GTK_WIDGET (scene->window), "choice");
  GListModel *model = gtk_drop_down_get_model (choice);
  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr(UrbariumRun) item = g_list_model_get_item (model, i);
      if (item == run)
        gtk_drop_down_set_selected (choice, i);
    }
  g_assert_true (gtk_drop_down_get_selected_item (choice) == run);
}

static gboolean
first_ready (gpointer data)
{
  return urbarium_sample_grid_get_ready (grid (data, "grid"));
}

static gboolean
both_ready (gpointer data)
{
  return first_ready (data) && urbarium_sample_grid_get_ready (grid (data, "other_grid"));
}

static void
assert_steps (Scene *scene, gint64 step, gint64 other)
{
  g_assert_cmpint (urbarium_sample_grid_get_step (grid (scene, "grid")), ==, step);
  g_assert_cmpint (urbarium_sample_grid_get_step (grid (scene, "other_grid")), ==, other);
}

static void
test_same_step (void)
{
  Scene scene;
  GtkAdjustment *slider;
  GtkDropDown *choice;
  scene_init (&scene, "same-step");
  choice = made_up_part (GTK_WIDGET (scene.window), "choice");
  g_assert_cmpuint (g_list_model_get_n_items (gtk_drop_down_get_model (choice)), ==, 2);
  choose (&scene, scene.runs[1]);
  assert_steps (&scene, 40, 30);
  g_assert_false (gtk_widget_get_visible (made_up_part (GTK_WIDGET (grid (&scene, "other_grid")), "time_box")));
  slider = made_up_part (GTK_WIDGET (grid (&scene, "grid")), "adjustment");
  gtk_adjustment_set_value (slider, 2);
  assert_steps (&scene, 20, 15);
  gtk_adjustment_set_value (slider, 0);
  assert_steps (&scene, 0, 0);
  gtk_adjustment_set_value (slider, 4);
  draw (&scene, 1, 40); /* while it is trained */
  assert_steps (&scene, 40, 40);
  test_until (both_ready, &scene);
  test_frames (scene.window, 3);
  test_screenshot (scene.window, "two-runs");
  gtk_window_set_default_size (scene.window, 400, 800);
  test_frames (scene.window, 5);
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (scene.window)), <=, 460);
  test_screenshot (scene.window, "two-runs-narrow");
  choose (&scene, scene.runs[2]);
  assert_steps (&scene, 40, -1);
  scene_clear (&scene);
}

static int
tile_of (Scene *scene, const char *name)
{
  int tile;
  g_object_get (test_find (GTK_WIDGET (grid (scene, name)), URBARIUM_TYPE_GRID_IMAGE), "tile", &tile, NULL);
  return tile;
}

static const char *
get_page (Scene *scene)
{
  return gtk_stack_get_visible_child_name (made_up_part (GTK_WIDGET (grid (scene, "other_grid")), "stack"));
}

/* A branch has no cities of the steps before it: none of a later step is shown beside them. */
static void
test_late_run (void)
{
  Scene scene;
  GtkAdjustment *slider;
  AdwStatusPage *page;
  scene_init (&scene, "late-run");
  draw (&scene, 2, 25);
  draw (&scene, 2, 35);
  choose (&scene, scene.runs[2]);
  assert_steps (&scene, 40, 35);
  slider = made_up_part (GTK_WIDGET (grid (&scene, "grid")), "adjustment");
  gtk_adjustment_set_value (slider, 2); /* step 20 */
  assert_steps (&scene, 20, -1);
  g_assert_cmpstr (get_page (&scene), ==, "empty");
  page = made_up_part (GTK_WIDGET (grid (&scene, "other_grid")), "empty_page");
  g_assert_cmpstr (adw_status_page_get_description (page), ==, "The first cities of this run are of step 25");
  test_until (first_ready, &scene);
  test_frames (scene.window, 3);
  g_assert_cmpstr (get_page (&scene), ==, "empty");
  g_object_set (test_find (GTK_WIDGET (grid (&scene, "grid")), URBARIUM_TYPE_GRID_IMAGE), "tile", 5, NULL);
  test_screenshot (scene.window, "two-runs-late");
  gtk_window_set_default_size (scene.window, 400, 800);
  test_frames (scene.window, 5);
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (scene.window)), <=, 460);
  test_screenshot (scene.window, "two-runs-late-narrow");
  draw (&scene, 2, 45); /* while it is trained */
  assert_steps (&scene, 20, -1);
  gtk_adjustment_set_value (slider, 3);
  assert_steps (&scene, 30, 25);
  test_until (both_ready, &scene);
  g_assert_cmpstr (get_page (&scene), ==, "sample");
  g_assert_cmpint (tile_of (&scene, "other_grid"), ==, 5);
  gtk_adjustment_set_value (slider, 1);
  assert_steps (&scene, 10, -1);
  g_assert_cmpint (tile_of (&scene, "grid"), ==, 5);
  scene_clear (&scene);
}

/* A city that is enlarged in one is enlarged in both. */
static void
test_same_city (void)
{
  Scene scene;
  scene_init (&scene, "same-city");
  choose (&scene, scene.runs[1]);
  test_until (both_ready, &scene);
  g_object_set (test_find (GTK_WIDGET (grid (&scene, "grid")), URBARIUM_TYPE_GRID_IMAGE), "tile", 5, NULL);
  g_assert_cmpint (tile_of (&scene, "other_grid"), ==, 5);
  gtk_widget_activate_action (GTK_WIDGET (grid (&scene, "other_grid")), "samples.back", NULL);
  g_assert_cmpint (tile_of (&scene, "grid"), ==, -1);
  scene_clear (&scene);
}

int
main (int argc, char **argv)
{
  int result;
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  g_test_add_func ("/app/two-runs-window/same-step", test_same_step);
  g_test_add_func ("/app/two-runs-window/late-run", test_late_run);
  g_test_add_func ("/app/two-runs-window/same-city", test_same_city);
  result = g_test_run ();
  run_fixture_clear ();
  return result;
}
