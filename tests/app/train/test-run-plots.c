/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-run-plots.c - the curves drawn, read from the plot's export.
 */
#include <string.h>

#include "app-test.h"
#include "app/plot/plot-area.h"
#include "app/runs/run-private.h"
#include "app/train/compare-list.h"
#include "app/train/run-label.h"
#include "app/train/run-plots.h"
#include "made-up.h"
#include "run-fixture.h"

typedef struct
{
  GtkWidget        *widget;
  UrbariumRunPlots *plots; /* the same object */
  UrbariumPlot     *plot;
  GtkDropDown      *metric;
  GtkWindow        *window;
} Scene;

static void
scene_init (Scene *scene)
{
  *scene = (Scene){ .widget = g_object_new (URBARIUM_TYPE_RUN_PLOTS, NULL) };
  scene->plots = URBARIUM_RUN_PLOTS (scene->widget);
  scene->plot = made_up_part (scene->widget, "plot");
  scene->metric = made_up_part (scene->widget, "metric_drop");
  scene->window = test_window_new (scene->widget, 700, 400);
}

/* (transfer full): the lines of the CSV file, starting with the names of the curves */
static char **
export (Scene *scene)
{
  g_autofree char *path = run_fixture_path ("curves.csv");
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;
  GtkWidget *area = test_find (GTK_WIDGET (scene->plot), URBARIUM_TYPE_PLOT_AREA);
  urbarium_chart_export (urbarium_plot_area_get_chart (URBARIUM_PLOT_AREA (area)), path, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return g_strsplit (text, "\n", -1);
}

static gboolean
has_curve (Scene *scene, const char *name)
{
  g_auto(GStrv) lines = export (scene);
  g_test_message ("%s", lines[0]);
  return strstr (lines[0], name) != NULL;
}

/* Each pair, or one alone, and its unit. */
static void
test_metrics (void)
{
  static const char *const expected[][3] = {
    { "Generator’s loss", "Discriminator’s loss", "Loss" },
    { "Judgement of real cities", "Judgement of generated cities", "Judgement, logit" },
    { "R1 penalty", "R2 penalty", "Squared gradient" },
    { "Generator’s gradient", "Discriminator’s gradient", "Gradient norm" },
    { "Generator’s learning rate", "Discriminator’s learning rate", "Learning rate" },
    { "Images per second", "Images per second", "Images per second" },
    { "Score", "Real areas", "Distance to real areas" },
    { "Score of the pixels", "Real areas", "Distance to real areas" },
    { "Roads in one network", "Real areas", "Distance to real areas" },
    { "Half-tones", "Real areas", "Distance to real areas" },
    { "Right angles of buildings", "Real areas", "Distance to real areas" },
    { "Straight walls of halls", "Real areas", "Distance to real areas" },
    { "Blocks per area", "Real areas", "Distance to real areas" },
    { "Cities like real areas", "Cities like real areas", "Share" },
    { "Real areas like some city", "Real areas like some city", "Share" },
  };
  Scene scene;
  UrbariumRun *run = made_up_run ("a");
  made_up_run_step (run, 1);
  made_up_run_step (run, 2);
  made_up_run_score (run, 1, 2.5);
  made_up_run_score (run, 2, 1.5);
  scene_init (&scene);
  urbarium_run_plots_set_run (scene.plots, run, NULL);
  g_assert_cmpuint (g_list_model_get_n_items (gtk_drop_down_get_model (scene.metric)), ==,
                    G_N_ELEMENTS (expected));
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_autofree char *unit = NULL;
      g_auto(GStrv) lines = NULL, columns = NULL;
      gtk_drop_down_set_selected (scene.metric, i);
      lines = export (&scene);
      columns = g_strsplit (lines[0], ",", -1);
      g_assert_cmpuint (g_strv_length (columns), ==, g_str_equal (expected[i][0], expected[i][1]) ? 2 : 3);
      g_assert_nonnull (strstr (lines[0], expected[i][0]));
      g_assert_nonnull (strstr (lines[0], expected[i][1]));
      g_object_get (scene.plot, "y-label", &unit, NULL);
      g_assert_cmpstr (unit, ==, expected[i][2]);
      test_frames (scene.window, 1);
    }
  test_screenshot (scene.window, "score");
  test_window_destroy (scene.window);
  run_until_gone (run);
}

/* Live: new points are drawn; a rewind removes them. */
static void
test_steps (void)
{
  Scene scene;
  UrbariumRun *run = made_up_run ("a");
  g_auto(GStrv) lines = NULL;
  scene_init (&scene);
  urbarium_run_plots_set_run (scene.plots, run, NULL);
  for (int i = 1; i <= 5; i++)
    made_up_run_step (run, i);
  made_up_run_event (run, "info", "rewound", "", 3);
  made_up_run_step (run, 4);
  lines = export (&scene);
  g_assert_cmpuint (g_strv_length (lines), ==, 1 + 4 + 1);
  g_assert_true (g_str_has_prefix (lines[4], "4,"));
  test_frames (scene.window, 2);
  test_window_destroy (scene.window);
  run_until_gone (run);
}

/* Over images and time: a step has 16 images and takes half a second. */
static void
test_axis (void)
{
  static const struct { const char *label, *starts; } axes[] = {
    { "Step", "4," }, { "Real images seen", "64," }, { "Minutes of training", "0.0333" },
  };
  Scene scene;
  UrbariumRun *run = made_up_run ("a");
  GtkDropDown *axis;
  scene_init (&scene);
  axis = made_up_part (scene.widget, "axis_drop");
  urbarium_run_plots_set_run (scene.plots, run, NULL);
  urbarium_run_plots_set_mark (scene.plots, 3);
  for (int i = 1; i <= 4; i++)
    made_up_run_step (run, i);
  for (guint i = 0; i < G_N_ELEMENTS (axes); i++)
    {
      g_autofree char *label = NULL;
      g_auto(GStrv) lines = NULL;
      gtk_drop_down_set_selected (axis, i);
      g_object_get (scene.plot, "x-label", &label, NULL);
      g_assert_cmpstr (label, ==, axes[i].label);
      lines = export (&scene);
      g_assert_true (g_str_has_prefix (lines[4], axes[i].starts));
    }
  test_frames (scene.window, 2);
  test_screenshot (scene.window, "minutes");
  test_window_destroy (scene.window);
  run_until_gone (run);
}

static void
test_none (void)
{
  Scene scene;
  UrbariumRun *run = made_up_run ("a");
  made_up_run_step (run, 1);
  scene_init (&scene);
  g_assert_false (has_curve (&scene, "Generator’s loss"));
  urbarium_run_plots_set_mark (scene.plots, 1);
  urbarium_run_plots_set_run (scene.plots, run, NULL);
  g_assert_true (has_curve (&scene, "Generator’s loss"));
  test_frames (scene.window, 2);
  urbarium_run_plots_set_mark (scene.plots, -1);
  urbarium_run_plots_set_run (scene.plots, NULL, NULL);
  gtk_drop_down_set_selected (scene.metric, 5);
  g_assert_false (has_curve (&scene, "Images per second"));
  test_frames (scene.window, 2);
  run_until_gone (run);
  test_window_destroy (scene.window);
}

/* From none to nearly flat, in even-looking steps. */
static void
test_smoothing (void)
{
  Scene scene;
  GtkAdjustment *slider;
  double before = -1;
  scene_init (&scene);
  slider = made_up_part (scene.widget, "smoothing");
  for (int i = 0; i <= 10; i++)
    {
      double smoothing;
      gtk_adjustment_set_value (slider, i * 0.1);
      g_object_get (scene.plot, "smoothing", &smoothing, NULL);
      g_assert_cmpfloat (smoothing, >, before);
      g_assert_true (i > 0 || smoothing <= 0);
      before = smoothing;
    }
  g_assert_cmpfloat_with_epsilon (before, 0.999, 1e-9);
  test_window_destroy (scene.window);
}

/* Curves of another run with its name, while it is checked. */
static void
test_compare (void)
{
  Scene scene;
  UrbariumRunLibrary *library = made_up_library ("runs", (const char *[]){ "a", "b", NULL });
  g_autoptr(UrbariumRun) a = g_list_model_get_item (G_LIST_MODEL (library), 0);
  g_autoptr(UrbariumRun) b = g_list_model_get_item (G_LIST_MODEL (library), 1);
  GtkMenuButton *button;
  GtkWidget *check;
  scene_init (&scene);
  button = made_up_part (scene.widget, "compare_button");
  urbarium_run_plots_set_run (scene.plots, a, library);
  g_assert_cmpstr (gtk_menu_button_get_label (button), ==, "Compare");
  check = test_find (made_up_part (scene.widget, "compare_list"), GTK_TYPE_CHECK_BUTTON);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (check), TRUE);
  g_assert_cmpstr (gtk_menu_button_get_label (button), ==, "Compare (1)");
  g_assert_true (has_curve (&scene, "b: Generator’s loss"));
  g_assert_true (has_curve (&scene, "b: Discriminator’s loss"));
  gtk_drop_down_set_selected (scene.metric, 5);
  g_assert_true (has_curve (&scene, "b: Images per second"));
  test_frames (scene.window, 2);

  urbarium_run_plots_set_run (scene.plots, b, library); /* a run is not compared with itself */
  g_assert_cmpstr (gtk_menu_button_get_label (button), ==, "Compare");
  g_assert_false (has_curve (&scene, "b: Images per second"));
  check = test_find (made_up_part (scene.widget, "compare_list"), GTK_TYPE_CHECK_BUTTON);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (check), TRUE);
  g_assert_true (has_curve (&scene, "a: Images per second"));
  gtk_check_button_set_active (GTK_CHECK_BUTTON (check), FALSE);
  g_assert_false (has_curve (&scene, "a: Images per second"));
  g_assert_cmpstr (gtk_menu_button_get_label (button), ==, "Compare");
  test_window_destroy (scene.window);
  g_clear_object (&a);
  g_clear_object (&b);
  run_until_gone (library);
}

static void
assert_labels (UrbariumRun *const *runs, const char *const *labels, guint n)
{
  g_autoptr(GPtrArray) all = g_ptr_array_new ();
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (all, runs[i]);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *label = urbarium_run_dup_label (runs[i], all);
      g_assert_cmpstr (label, ==, labels[i]);
    }
}

/* Runs are named by what differs: words of their names, or else settings. */
static void
test_labels (void)
{
  static const char *const cases[][4] = {
    { "Delft rate 0.1 hinge", "Delft rate 0.02 hinge", "0.1", "0.02" },
    { "Delft", "Monaco", "Delft", "Monaco" },
    { "Delft", "Delft 2", "Delft", "Delft 2" },
    { "Delfts-old", "Delft-old", "Delfts", "Delft" },
    { "Zürich Süd", "Zürich Öst", "Süd", "Öst" },
  };
  UrbariumRun *same[2];
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      UrbariumRun *runs[] = { made_up_run (cases[i][0]), made_up_run (cases[i][1]) };
      assert_labels (runs, cases[i] + 2, 2);
      run_until_gone (runs[0]);
      run_until_gone (runs[1]);
    }
  for (int i = 0; i < 2; i++)
    {
      same[i] = made_up_run ("Delft");
      same[i]->has_config = TRUE;
      same[i]->config.train.seed = (guint64) i + 1;
    }
  assert_labels (same, (const char *const[]){ "Delft, Seed 1", "Delft, Seed 2" }, 2);
  run_until_gone (same[0]);
  run_until_gone (same[1]);
}

int
main (int argc, char **argv)
{
  int status;
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  g_test_add_func ("/run-plots/metrics", test_metrics);
  g_test_add_func ("/run-plots/steps", test_steps);
  g_test_add_func ("/run-plots/axis", test_axis);
  g_test_add_func ("/run-plots/none", test_none);
  g_test_add_func ("/run-plots/smoothing", test_smoothing);
  g_test_add_func ("/run-plots/compare", test_compare);
  g_test_add_func ("/run-plots/labels", test_labels);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
