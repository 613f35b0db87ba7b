/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-training-group.c - settings are written to and read from a configuration; invalid ones are
 * marked and explained; the estimated duration and its source.
 */
#include <string.h>

#include "app-test.h"
#include "app/train/training-group.h"
#include "made-up.h"
#include "run-fixture.h"

typedef struct
{
  GtkWidget             *widget;
  UrbariumTrainingGroup *group; /* the same object */
  GtkWindow             *window;
  int                    n_changed;
} Scene;

static void
changed_cb (Scene *scene)
{
  scene->n_changed++;
}

static void
scene_init (Scene *scene)
{
  *scene = (Scene){ .widget = g_object_new (URBARIUM_TYPE_TRAINING_GROUP, NULL) };
  scene->group = URBARIUM_TRAINING_GROUP (scene->widget);
  g_signal_connect_swapped (scene->widget, "changed", G_CALLBACK (changed_cb), scene);
  scene->window = test_window_new (scene->widget, 500, 700);
}

static gpointer
part (Scene *scene, const char *name)
{
  return made_up_part (scene->widget, name);
}

static void
set_text (Scene *scene, const char *row, const char *text)
{
  gtk_editable_set_text (part (scene, row), text);
}

static void
set_spin (Scene *scene, const char *name, double value)
{
  gtk_spin_button_set_value (part (scene, name), value);
}

static void
assert_spin (Scene *scene, const char *name, double value)
{
  g_assert_cmpfloat (gtk_spin_button_get_value (part (scene, name)), ==, value);
}

static char *
check (Scene *scene)
{
  g_auto(UrbRunConfig) config = { 0 };
  urb_run_config_init (&config);
  urbarium_training_group_apply (scene->group, &config);
  return urbarium_training_group_check (scene->group, &config.train);
}

static void
test_preset (void)
{
  Scene scene;
  g_autoptr(UrbPreset) preset = urb_preset_load ("small", NULL);
  const char *title;
  scene_init (&scene);
  preset->batch = 7;
  preset->n_steps = 4321;
  urbarium_training_group_set_preset (scene.group, preset);
  assert_spin (&scene, "batch", 7);
  assert_spin (&scene, "steps", 4321);

  preset->lr = 0.00125;
  urbarium_training_group_set_recipe (scene.group, preset, "r3");
  title = adw_preferences_row_get_title (part (&scene, "lr_g_row"));
  g_assert_cmpstr (title, ==, "Generator’s learning rate (recipe: 0.00125)");
  urbarium_training_group_set_recipe (scene.group, preset, "dcgan"); /* has its own rates */
  title = adw_preferences_row_get_title (part (&scene, "lr_d_row"));
  g_assert_cmpstr (title, ==, "Discriminator’s learning rate (recipe: 0.0002)");
  urbarium_training_group_set_recipe (scene.group, preset, "alchemy");
  g_assert_cmpstr (adw_preferences_row_get_title (part (&scene, "lr_d_row")), ==, title);
  test_window_destroy (scene.window);
}

/* Proposed until the user enters a name, and again once that is deleted. */
static void
test_name (void)
{
  Scene scene;
  g_autofree char *problem = NULL;
  scene_init (&scene);
  problem = check (&scene);
  g_assert_cmpstr (problem, ==, "Enter a name for the run.");
  urbarium_training_group_offer_name (scene.group, "delft, tiny");
  g_assert_null (check (&scene));
  urbarium_training_group_offer_name (scene.group, "delft, small");
  g_assert_cmpstr (gtk_editable_get_text (part (&scene, "name_row")), ==, "delft, small");
  set_text (&scene, "name_row", "By night");
  urbarium_training_group_offer_name (scene.group, "delft, tiny");
  g_assert_cmpstr (gtk_editable_get_text (part (&scene, "name_row")), ==, "By night");
  set_text (&scene, "name_row", " \t");
  g_assert_true (gtk_widget_has_css_class (part (&scene, "name_row"), "error"));
  set_text (&scene, "name_row", "");
  urbarium_training_group_offer_name (scene.group, "delft, tiny");
  g_assert_cmpstr (gtk_editable_get_text (part (&scene, "name_row")), ==, "delft, tiny");
  g_assert_false (gtk_widget_has_css_class (part (&scene, "name_row"), "error"));
  test_window_destroy (scene.window);
}

/* Another group restores everything except the name. */
static void
test_round_trip (void)
{
  UrbariumDevices devices = { .has_bf16 = TRUE };
  Scene scene, other;
  g_auto(UrbRunConfig) config = { 0 };
  g_auto(UrbRunConfig) again = { 0 };
  g_autofree char *text = NULL;
  g_autofree char *text_again = NULL;
  urb_run_config_init (&config);
  urb_run_config_init (&again);
  scene_init (&scene);
  set_text (&scene, "name_row", "  Delft by night ");
  set_spin (&scene, "batch", 24);
  set_spin (&scene, "accumulate", 3);
  set_spin (&scene, "steps", 4294967295.0);
  set_spin (&scene, "seed", 9007199254740991.0);
  set_spin (&scene, "sample-every", 50);
  set_spin (&scene, "checkpoint-every", 70);
  set_spin (&scene, "keep-checkpoints", 0);
  urbarium_training_group_set_device (scene.group, &devices, NULL);
  adw_combo_row_set_selected (part (&scene, "precision_row"), 1);
  set_text (&scene, "lr_g_row", " 0.002");
  set_text (&scene, "lr_d_row", "3e-4");
  g_assert_null (check (&scene));
  urbarium_training_group_apply (scene.group, &config);
  g_assert_cmpstr (config.name, ==, "Delft by night");
  g_assert_cmpint (config.sample_every, ==, 50);
  g_assert_cmpint (config.checkpoint_every, ==, 70);
  g_assert_cmpint (config.keep_checkpoints, ==, 0);
  g_assert_cmpint (config.train.batch, ==, 24);
  g_assert_cmpint (config.train.accumulate, ==, 3);
  g_assert_cmpint (config.train.n_steps, ==, 4294967295);
  g_assert_cmpuint (config.train.seed, ==, 9007199254740991);
  g_assert_cmpint (config.train.precision, ==, UK_BF16);
  g_assert_cmpfloat (config.train.lr_g, ==, 0.002);
  g_assert_cmpfloat (config.train.lr_d, ==, 3e-4);

  scene_init (&other);
  urbarium_training_group_set_config (other.group, &config);
  g_assert_cmpstr (gtk_editable_get_text (part (&other, "name_row")), ==, "");
  set_text (&other, "name_row", "Delft by night");
  urbarium_training_group_apply (other.group, &again);
  text = urb_run_config_to_text (&config);
  text_again = urb_run_config_to_text (&again);
  g_assert_cmpstr (text_again, ==, text);
  test_window_destroy (other.window);
  test_window_destroy (scene.window);
}

/* 0 is shown as a word, which is parsed as 0. */
static void
test_automatic (void)
{
  static const char *const names[] = { "sample-every", "checkpoint-every" };
  Scene scene;
  GtkWidget *advanced;
  scene_init (&scene);
  advanced = test_find (scene.widget, ADW_TYPE_EXPANDER_ROW);
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (advanced), TRUE);
  test_frames (scene.window, 2);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      GtkSpinButton *spin = part (&scene, names[i]);
      g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, "Automatic");
      gtk_editable_set_text (GTK_EDITABLE (spin), "120");
      gtk_spin_button_update (spin);
      assert_spin (&scene, names[i], 120);
      gtk_editable_set_text (GTK_EDITABLE (spin), "Automatic");
      gtk_spin_button_update (spin);
      assert_spin (&scene, names[i], 0);
      gtk_spin_button_spin (spin, GTK_SPIN_STEP_FORWARD, 50);
      g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, "50");
      gtk_spin_button_spin (spin, GTK_SPIN_STEP_BACKWARD, 50);
      g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (spin)), ==, "Automatic");
    }
  test_window_destroy (scene.window);
}

static void
test_problems (void)
{
  static const char *const bad[] = { "fast", "2", "0", "-0.1", "0.1 and more", "nan", "inf" };
  static const char *const good[] = { "", " ", "1", "1e-9", "0.5" };
  static const char *const rows[] = { "lr_g_row", "lr_d_row" };
  Scene scene;
  scene_init (&scene);
  set_text (&scene, "name_row", "a");
  for (guint i = 0; i < 2 * G_N_ELEMENTS (bad); i++)
    {
      g_autofree char *problem = NULL;
      set_text (&scene, rows[i % 2], bad[i / 2]);
      problem = check (&scene);
      g_test_message ("%s: %s", bad[i / 2], problem);
      g_assert_nonnull (strstr (problem, "learning rate"));
      g_assert_true (gtk_widget_has_css_class (part (&scene, rows[i % 2]), "error"));
      set_text (&scene, rows[i % 2], "");
    }
  for (guint i = 0; i < 2 * G_N_ELEMENTS (good); i++)
    {
      set_text (&scene, rows[i % 2], good[i / 2]);
      g_assert_null (check (&scene));
      g_assert_false (gtk_widget_has_css_class (part (&scene, rows[i % 2]), "error"));
    }
  set_spin (&scene, "batch", 16);
  scene.n_changed = 0;
  set_spin (&scene, "accumulate", 5);
  g_assert_cmpint (scene.n_changed, ==, 1);
  {
    g_autofree char *problem = check (&scene);
    g_assert_cmpstr (problem, ==, "A batch of 16 cannot be split into 5 equal microbatches.");
  }
  set_spin (&scene, "batch", 15);
  g_assert_null (check (&scene));
  test_window_destroy (scene.window);
}

static void
assert_precisions (Scene *scene, const char *titles, UkPrecision precision, const char *word)
{
  AdwComboRow *row = part (scene, "precision_row");
  GListModel *model = adw_combo_row_get_model (row);
  g_autoptr(GString) text = g_string_new (NULL);
  g_auto(UrbRunConfig) config = { 0 };
  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr(GtkStringObject) item = g_list_model_get_item (model, i);
      g_string_append_printf (text, "%s%s", i > 0 ? "|" : "", gtk_string_object_get_string (item));
    }
  urb_run_config_init (&config);
  urbarium_training_group_apply (scene->group, &config);
  g_assert_cmpstr (text->str, ==, titles);
  g_assert_cmpint (config.train.precision, ==, precision);
  g_assert_nonnull (strstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (row)), word));
}

static void
choose_precision (Scene *scene, guint i)
{
  adw_combo_row_set_selected (part (scene, "precision_row"), i);
}

#define ON_A_PROCESSOR "32 bit|16 bit (bfloat16)"
#define ON_AN_OLD_PROCESSOR "32 bit"
#define ON_A_GPU "32 bit|32 bit, rounded (TF32)|16 bit (bfloat16)|16 bit (fp16)"
#define ON_AN_OLD_GPU "32 bit|16 bit (fp16)"

/* The available precisions, and their descriptions on this device. */
static void
test_precision (void)
{
  static const UrbariumGpu new = { .has_bf16 = TRUE }, old = { .has_bf16 = FALSE };
  UrbariumDevices devices = { .has_bf16 = FALSE };
  Scene scene;
  scene_init (&scene);
  assert_precisions (&scene, ON_AN_OLD_PROCESSOR, UK_FP32, "fast on every processor");
  devices.has_bf16 = TRUE;
  urbarium_training_group_set_device (scene.group, &devices, NULL);
  choose_precision (&scene, 1);
  g_assert_cmpint (scene.n_changed, ==, 1);
  assert_precisions (&scene, ON_A_PROCESSOR, UK_BF16, "faster");
  urbarium_training_group_propose_precision (scene.group);
  assert_precisions (&scene, ON_A_PROCESSOR, UK_FP32, "Exact");

  urbarium_training_group_set_device (scene.group, &devices, &new);
  assert_precisions (&scene, ON_A_GPU, UK_FP32, "slowest on this GPU");
  urbarium_training_group_propose_precision (scene.group);
  assert_precisions (&scene, ON_A_GPU, UK_TF32, "hardly less exact");
  choose_precision (&scene, 3);
  assert_precisions (&scene, ON_A_GPU, UK_FP16, "more digits");
  choose_precision (&scene, 2);
  assert_precisions (&scene, ON_A_GPU, UK_BF16, "half the memory");
  g_assert_cmpint (scene.n_changed, ==, 3);

  urbarium_training_group_set_device (scene.group, &devices, &old);
  assert_precisions (&scene, ON_AN_OLD_GPU, UK_FP32, "slowest on this GPU");
  urbarium_training_group_propose_precision (scene.group);
  assert_precisions (&scene, ON_AN_OLD_GPU, UK_FP32, "slowest on this GPU");
  choose_precision (&scene, 1);
  assert_precisions (&scene, ON_AN_OLD_GPU, UK_FP16, "half the memory");
  urbarium_training_group_set_device (scene.group, &devices, &new);
  choose_precision (&scene, 1);
  urbarium_training_group_set_device (scene.group, &devices, NULL);
  assert_precisions (&scene, ON_A_PROCESSOR, UK_FP32, "Exact");
  test_window_destroy (scene.window);
}

/* A precision set before the device is known is kept until then. */
static void
test_precision_unknown (void)
{
  static const UrbariumGpu gpu = { .has_bf16 = TRUE };
  UrbariumDevices devices = { .has_bf16 = FALSE };
  g_auto(UrbRunConfig) config = { 0 };
  Scene scene;
  urb_run_config_init (&config);
  config.train.precision = UK_TF32;
  scene_init (&scene);
  urbarium_training_group_set_config (scene.group, &config);
  assert_precisions (&scene, "32 bit|32 bit, rounded (TF32)", UK_TF32, "Needs a GPU");
  urbarium_training_group_set_device (scene.group, &devices, &gpu);
  assert_precisions (&scene, ON_A_GPU, UK_TF32, "hardly less exact");
  test_window_destroy (scene.window);
}

/* ------------------------------------------------------------------------ */
/* Duration */

static const char *
estimate (Scene *scene)
{
  return adw_action_row_get_subtitle (part (scene, "steps_row"));
}

static gboolean
is_measuring (gpointer scene)
{
  return gtk_widget_get_visible (part (scene, "measure_spinner"));
}

static gboolean
is_measured (gpointer scene)
{
  return !is_measuring (scene);
}

static void
measure (Scene *scene)
{
  GtkButton *button = part (scene, "measure_button");
  g_signal_emit_by_name (button, "clicked");
  g_assert_true (is_measuring (scene));
  g_assert_cmpstr (gtk_button_get_label (button), ==, "_Cancel");
  g_assert_cmpstr (estimate (scene), ==, "Measuring the speed on random tiles…");
}

static void
test_estimate (void)
{
  Scene scene;
  UrbariumForecast *forecast = urbarium_forecast_new ();
  g_auto(UrbTrainOptions) options = { 0 };
  urb_train_options_init (&options);
  scene_init (&scene);
  urbarium_training_group_set_forecast (scene.group, forecast);
  urbarium_forecast_set_options (forecast, &options);
  g_assert_cmpstr (estimate (&scene), ==, "The duration is not known yet");

  made_up_engine ("echo 'urbarium-engine: No <memory> is left.' >&2; exit 1");
  measure (&scene);
  test_until (is_measured, &scene);
  g_assert_nonnull (made_up_find_text (
    scene.widget, "The speed could not be measured. No <memory> is left."));
  g_assert_true (gtk_widget_has_css_class (part (&scene, "steps_row"), "problem"));

  made_up_engine ("exec sleep 25");
  measure (&scene);
  g_signal_emit_by_name (part (&scene, "measure_button"), "clicked"); /* cancels */
  g_assert_false (is_measuring (&scene));
  g_assert_cmpstr (estimate (&scene), ==, "The duration is not known yet");
  g_assert_cmpstr (gtk_button_get_label (part (&scene, "measure_button")), ==, "_Measure");

  made_up_engine ("echo '{\"images_per_second\": 200}'");
  set_spin (&scene, "batch", 16);
  set_spin (&scene, "steps", 12000);
  measure (&scene);
  test_until (is_measured, &scene);
  g_assert_cmpstr (estimate (&scene), ==, "About 16 min, at 200 images/s measured here");
  g_assert_false (gtk_widget_has_css_class (part (&scene, "steps_row"), "problem"));
  set_spin (&scene, "steps", 100);
  g_assert_cmpstr (estimate (&scene), ==, "About 8 s, at 200 images/s measured here");
  options.batch = 3; /* the speed of other settings is unknown */
  urbarium_forecast_set_options (forecast, &options);
  g_assert_cmpstr (estimate (&scene), ==, "The duration is not known yet");
  test_window_destroy (scene.window);
  test_assert_last_unref (forecast);
}

int
main (int argc, char **argv)
{
  int status;
  test_app_init (&argc, &argv);
  run_fixture_init_empty ();
  g_test_add_func ("/training-group/preset", test_preset);
  g_test_add_func ("/training-group/name", test_name);
  g_test_add_func ("/training-group/round-trip", test_round_trip);
  g_test_add_func ("/training-group/automatic", test_automatic);
  g_test_add_func ("/training-group/problems", test_problems);
  g_test_add_func ("/training-group/precision", test_precision);
  g_test_add_func ("/training-group/precision-unknown", test_precision_unknown);
  g_test_add_func ("/training-group/estimate", test_estimate);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
