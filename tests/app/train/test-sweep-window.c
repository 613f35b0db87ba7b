/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-sweep-window.c - which runs the dialog offers, and that it starts them.
 */
#include <string.h>

#include "app-test.h"
#include "app/train/sweep-window.h"
#include "made-up.h"
#include "run-fixture.h"

typedef struct
{
  UrbariumRunLibrary *library;
  GtkWidget          *widget;
  GtkListBox         *list;
  GtkLabel           *summary, *names;
  GtkButton          *start;
  GPtrArray          *started; /* (nullable) owned */
} Scene;

static void
started_cb (Scene *scene, GPtrArray *runs)
{
  scene->started = g_ptr_array_ref (runs);
}

static void
scene_init (Scene *scene, const char *folder)
{
  g_autofree char *path = run_fixture_path (folder);
  g_auto(UrbRunConfig) config = { 0 };
  urb_run_config_init (&config);
  config.name = g_strdup ("Town");
  config.train.dataset = g_strdup (run_fixture_dataset ());
  config.train.batch = 2;
  config.train.n_steps = 4;
  config.train.n_threads = 4;
  config.score_every = 0;
  *scene = (Scene){ .library = urbarium_run_library_new (path) };
  scene->widget = GTK_WIDGET (urbarium_sweep_window_new (scene->library, &config, 3));
  scene->list = made_up_part (scene->widget, "list");
  scene->summary = made_up_part (scene->widget, "summary_label");
  scene->names = made_up_part (scene->widget, "names_label");
  scene->start = made_up_part (scene->widget, "start_button");
  g_signal_connect_swapped (scene->widget, "started", G_CALLBACK (started_cb), scene);
  gtk_window_present (GTK_WINDOW (scene->widget));
  test_frames (GTK_WINDOW (scene->widget), 2);
}

static void
scene_clear (Scene *scene)
{
  if (scene->started == NULL) /* else it has closed itself */
    test_window_destroy (GTK_WINDOW (scene->widget));
  g_clear_pointer (&scene->started, g_ptr_array_unref);
  run_until_gone (scene->library);
}

/* Of the @index-th row: a setting by its title, and its values. */
static void
set_row (Scene *scene, int index, const char *title, const char *values)
{
  GtkWidget *row = GTK_WIDGET (gtk_list_box_get_row_at_index (scene->list, index));
  GtkDropDown *setting = GTK_DROP_DOWN (test_find (row, GTK_TYPE_DROP_DOWN));
  GtkStringList *titles = GTK_STRING_LIST (gtk_drop_down_get_model (setting));
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (titles)); i++)
    if (g_str_equal (gtk_string_list_get_string (titles, i), title))
      gtk_drop_down_set_selected (setting, i);
  gtk_editable_set_text (GTK_EDITABLE (test_find (row, GTK_TYPE_ENTRY)), values);
}

static void
assert_offers (Scene *scene, const char *summary, const char *names, gboolean possible)
{
  g_assert_cmpstr (gtk_label_get_text (scene->summary), ==, summary);
  g_assert_cmpstr (gtk_label_get_text (scene->names), ==, names);
  g_assert_cmpint (gtk_widget_get_sensitive (GTK_WIDGET (scene->start)), ==, possible);
}

static void
test_offers (void)
{
  Scene scene;
  scene_init (&scene, "offers");
  assert_offers (&scene, "3 runs of 4 steps each", "seed-1\nseed-2\nseed-3", TRUE);
  g_assert_cmpstr (gtk_button_get_label (scene.start), ==, "_Start 3 runs");
  set_row (&scene, 0, "Seed", "7");
  assert_offers (&scene, "1 run of 4 steps", "seed-7", TRUE);
  set_row (&scene, 0, "Seed", "1, 2 3;4,5\t6 7 8");
  assert_offers (&scene, "8 runs of 4 steps each", "seed-1\nseed-2\nseed-3\nseed-4\nseed-5\nseed-6\nand 2 more", TRUE);
  set_row (&scene, 0, "Seed", "1, x");
  assert_offers (&scene, "seed needs a whole number, not “x”.", "", FALSE);
  set_row (&scene, 0, "Seed", "");
  assert_offers (&scene, "Enter values of “Seed”, with spaces or commas between them.", "", FALSE);
  set_row (&scene, 0, "Seed", "1, 1");
  assert_offers (&scene, "two runs would be “seed-1”.", "", FALSE);
  /* Decimal commas, and points. */
  set_row (&scene, 0, "Generator’s learning rate", "0,001 0,002");
  assert_offers (&scene, "2 runs of 4 steps each", "lr-g-0.001\nlr-g-0.002", TRUE);
  set_row (&scene, 0, "Generator’s learning rate", "0.001,0.002");
  assert_offers (&scene, "2 runs of 4 steps each", "lr-g-0.001\nlr-g-0.002", TRUE);
  set_row (&scene, 0, "Strategy", "single, ddp:2, ddp");
  assert_offers (&scene, "strategy needs a number of ranks, as in ddp:2.", "", FALSE);
  set_row (&scene, 0, "Strategy", "single, hogwild:2");
  assert_offers (&scene, "2 runs of 4 steps each", "strategy-single\nstrategy-hogwild:2", TRUE);
  /* Values that do not go together with those of the page. */
  set_row (&scene, 0, "Microbatches", "2, 3");
  g_assert_false (gtk_widget_get_sensitive (GTK_WIDGET (scene.start)));
  g_assert_true (g_str_has_prefix (gtk_label_get_text (scene.summary), "accumulate-3: "));
  scene_clear (&scene);
}

/* Every combination; a row can be removed. */
static void
test_rows (void)
{
  Scene scene;
  GtkListBoxRow *row;
  scene_init (&scene, "rows");
  gtk_widget_activate_action (scene.widget, "sweep.add", NULL);
  assert_offers (&scene, "Enter values of “Generator’s learning rate”, with spaces or commas between them.", "", FALSE);
  set_row (&scene, 0, "Seed", "1, 2");
  set_row (&scene, 1, "Batch size", "2, 4");
  assert_offers (&scene, "4 runs of 4 steps each",
                 "seed-1_batch-2\nseed-1_batch-4\nseed-2_batch-2\nseed-2_batch-4", TRUE);
  test_screenshot (GTK_WINDOW (scene.widget), "sweep");
  set_row (&scene, 1, "Seed", "3");
  assert_offers (&scene, "seed is there twice; write its values as one list.", "", FALSE);
  row = gtk_list_box_get_row_at_index (scene.list, 0);
  g_signal_emit_by_name (gtk_widget_get_last_child (gtk_list_box_row_get_child (row)), "clicked");
  g_assert_null (gtk_list_box_get_row_at_index (scene.list, 1));
  assert_offers (&scene, "1 run of 4 steps", "seed-3", TRUE);
  scene_clear (&scene);
}

static gboolean
is_started (gpointer scene)
{
  return ((Scene *) scene)->started != NULL;
}

/* The runs train at the same time, each with its value and its part of the threads: of no more runs than there are. */
static void
test_start (void)
{
  Scene scene;
  GtkSpinButton *at_once;
  scene_init (&scene, "start");
  at_once = made_up_part (scene.widget, "at_once_spin");
  gtk_adjustment_set_upper (gtk_spin_button_get_adjustment (at_once), 8);
  gtk_spin_button_set_value (at_once, 8);
  set_row (&scene, 0, "Seed", "5, 6");
  g_signal_emit_by_name (scene.start, "clicked");
  g_assert_false (gtk_widget_get_sensitive (GTK_WIDGET (scene.start)));
  test_until (is_started, &scene);
  g_assert_cmpuint (scene.started->len, ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *name = g_strdup_printf ("Town seed-%u", 5 + i);
      UrbariumRun *run = scene.started->pdata[i];
      run_until_state (run, URB_RUN_FINISHED);
      run_until_live (run, FALSE);
      g_assert_cmpstr (urbarium_run_get_name (run), ==, name);
      g_assert_cmpuint (urbarium_run_get_config (run)->train.seed, ==, 5 + i);
      g_assert_cmpint (urbarium_run_get_config (run)->train.n_threads, ==, 2);
    }
  g_assert_cmpfloat (run_double (scene.started->pdata[0], "last-images-per-s"), >, 0);
  scene_clear (&scene);
}

int
main (int argc, char **argv)
{
  int status;
  test_app_init (&argc, &argv);
  run_fixture_init ();
  g_test_add_func ("/sweep-window/offers", test_offers);
  g_test_add_func ("/sweep-window/rows", test_rows);
  g_test_add_func ("/sweep-window/start", test_start);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
