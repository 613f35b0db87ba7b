/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-run-settings.c - runs train with the settings shown; invalid settings are explained.
 */
#include <string.h>

#include <glib/gstdio.h>

#include "app-test.h"
#include "app/train/all-settings.h"
#include "app/train/dataset-group.h"
#include "app/train/devices-group.h"
#include "app/train/host-list.h"
#include "app/train/hosts-window.h"
#include "app/train/model-group.h"
#include "app/train/run-settings.h"
#include "app/train/strategy.h"
#include "app/train/training-group.h"
#include "app/runs/run-private.h"
#include "made-up.h"
#include "run-fixture.h"

typedef struct
{
  UrbariumRunSettings *settings; /* owned by the window */
  GtkWidget           *dataset, *model, *training, *devices;
  GtkWindow           *window;
} Form;

static Form
form_new (UrbariumRunLibrary *library)
{
  Form form = { .settings = g_object_new (URBARIUM_TYPE_RUN_SETTINGS, NULL) };
  GtkWidget *widget = GTK_WIDGET (form.settings), *overlay = adw_toast_overlay_new ();
  form.dataset = test_find (widget, URBARIUM_TYPE_DATASET_GROUP);
  form.model = test_find (widget, URBARIUM_TYPE_MODEL_GROUP);
  form.training = test_find (widget, URBARIUM_TYPE_TRAINING_GROUP);
  form.devices = test_find (widget, URBARIUM_TYPE_DEVICES_GROUP);
  if (library != NULL)
    urbarium_run_settings_set_library (form.settings, library);
  adw_toast_overlay_set_child (ADW_TOAST_OVERLAY (overlay), widget);
  form.window = test_window_new (overlay, 1000, 700);
  return form;
}

static gpointer
part (GtkWidget *group, const char *name)
{
  GObject *object = gtk_widget_get_template_child (group, G_OBJECT_TYPE (group), name);
  g_assert_nonnull (object);
  return object;
}

static void
set_spin (Form *form, const char *name, double value)
{
  gtk_spin_button_set_value (part (form->training, name), value);
}

static gboolean
is_read (gpointer data)
{
  Form *form = data;
  g_autofree char *problem =
    urbarium_dataset_group_check (URBARIUM_DATASET_GROUP (form->dataset));
  return problem == NULL || strstr (problem, "…") == NULL;
}

static gboolean
has_devices (gpointer data)
{
  Form *form = data;
  return urbarium_devices_group_get_devices (URBARIUM_DEVICES_GROUP (form->devices)) != NULL;
}

static gboolean
is_ready (gpointer data)
{
  Form *form = data;
  g_autofree char *problem = urbarium_run_settings_check (form->settings);
  return problem == NULL && has_devices (data);
}

static void
assert_problem (Form *form, const char *words)
{
  g_autofree char *problem = urbarium_run_settings_check (form->settings);
  g_test_message ("%s", problem);
  g_assert_nonnull (problem);
  g_assert_nonnull (strstr (problem, words));
  g_assert_cmpstr (gtk_label_get_text (part (GTK_WIDGET (form->settings), "message_label")), ==,
                   problem);
  g_assert_false (
    gtk_widget_is_sensitive (part (GTK_WIDGET (form->settings), "train_button")));
}

/* The preset's defaults if nothing was changed. */
static void
test_defaults (void)
{
  Form form = form_new (NULL);
  g_auto(UrbRunConfig) config = { 0 };
  g_auto(UrbRunConfig) fresh = { 0 };
  g_autofree char *text = NULL;
  g_autofree char *expected = NULL;
  urbarium_run_settings_set_dataset (form.settings, run_fixture_dataset ());
  test_until (has_devices, &form);
  urb_run_config_init (&config);
  urb_run_config_init (&fresh);
  urbarium_run_settings_get_config (form.settings, &config);
  fresh.name = g_strdup ("areas, tiny");
  fresh.train.dataset = g_strdup (run_fixture_dataset ());
  fresh.train.batch = 16;
  fresh.train.n_steps = 36000;
  text = urb_run_config_to_text (&config);
  expected = urb_run_config_to_text (&fresh);
  g_assert_cmpstr (text, ==, expected);
  test_window_destroy (form.window);
}

static void
test_exact (void)
{
  Form form = form_new (NULL);
  g_auto(UrbRunConfig) config = { 0 };
  const UrbTrainOptions *train = &config.train;
  const UrbariumDevices *devices;
  test_until (has_devices, &form);
  urbarium_run_settings_set_dataset (form.settings, run_fixture_dataset ());
  urbarium_model_group_set_preset (URBARIUM_MODEL_GROUP (form.model), "small");
  urbarium_model_group_set_recipe (URBARIUM_MODEL_GROUP (form.model), "dcgan");
  gtk_editable_set_text (part (form.training, "name_row"), "  Delft by night ");
  set_spin (&form, "batch", 24);
  set_spin (&form, "accumulate", 3);
  set_spin (&form, "steps", 777);
  set_spin (&form, "seed", 9007199254740991.0);
  set_spin (&form, "sample-every", 50);
  set_spin (&form, "checkpoint-every", 70);
  set_spin (&form, "keep-checkpoints", 0);
  gtk_editable_set_text (part (form.training, "lr_g_row"), "0.002");
  gtk_editable_set_text (part (form.training, "lr_d_row"), "3e-4");
  gtk_spin_button_set_value (part (form.devices, "threads_spin"), 1);
  urb_run_config_init (&config);
  urbarium_run_settings_get_config (form.settings, &config);
  g_assert_cmpstr (config.name, ==, "Delft by night");
  g_assert_cmpint (config.sample_every, ==, 50);
  g_assert_cmpint (config.checkpoint_every, ==, 70);
  g_assert_cmpint (config.keep_checkpoints, ==, 0);
  g_assert_cmpstr (train->dataset, ==, run_fixture_dataset ());
  g_assert_cmpstr (train->preset, ==, "small");
  g_assert_cmpstr (train->recipe, ==, "dcgan");
  g_assert_cmpint (train->batch, ==, 24);
  g_assert_cmpint (train->accumulate, ==, 3);
  g_assert_cmpint (train->n_steps, ==, 777);
  g_assert_cmpuint (train->seed, ==, 9007199254740991);
  g_assert_cmpfloat (train->lr_g, ==, 0.002);
  g_assert_cmpfloat (train->lr_d, ==, 3e-4);
  devices = urbarium_devices_group_get_devices (URBARIUM_DEVICES_GROUP (form.devices));
  g_assert_cmpint (train->n_threads, ==, devices->n_cores == 1 ? 0 : 1);
  test_window_destroy (form.window);
}

static void
test_problems (void)
{
  Form form = form_new (NULL);
  g_autofree char *no_dataset = run_fixture_path ("no-dataset.gpkg");
  assert_problem (&form, "Choose a dataset");

  g_assert_true (g_file_set_contents (no_dataset, "hello", -1, NULL));
  urbarium_run_settings_set_dataset (form.settings, no_dataset);
  test_until (is_read, &form);
  assert_problem (&form, "cannot be used");

  /* The second dataset replaces the first while it is read. */
  urbarium_run_settings_set_dataset (form.settings, no_dataset);
  urbarium_run_settings_set_dataset (form.settings, run_fixture_dataset ());
  test_until (is_read, &form);

  urbarium_model_group_set_preset (URBARIUM_MODEL_GROUP (form.model), "small");
  assert_problem (&form, "128 pixels");
  urbarium_model_group_set_preset (URBARIUM_MODEL_GROUP (form.model), "tiny");
  test_until (is_ready, &form);

  gtk_editable_set_text (part (form.training, "name_row"), " ");
  assert_problem (&form, "name");
  gtk_editable_set_text (part (form.training, "name_row"), "a");
  gtk_editable_set_text (part (form.training, "lr_g_row"), "fast");
  assert_problem (&form, "learning rate");
  gtk_editable_set_text (part (form.training, "lr_g_row"), "");
  test_until (is_ready, &form);
  g_remove (no_dataset);
  test_window_destroy (form.window);
}

static gboolean
is_refused (gpointer data)
{
  g_autofree char *problem =
    urbarium_dataset_group_check (URBARIUM_DATASET_GROUP (((Form *) data)->dataset));
  return problem != NULL;
}

static void
copy_file (const char *from, const char *to)
{
  g_autofree char *contents = NULL;
  gsize n;
  g_assert_true (g_file_get_contents (from, &contents, &n, NULL));
  g_assert_true (g_file_set_contents (to, contents, (gssize) n, NULL));
}

/* The file is deleted and restored while another page is shown, and then while this one is. */
static void
test_gone (void)
{
  g_autofree char *runs = run_fixture_path ("gone");
  UrbariumRunLibrary *library = urbarium_run_library_new (runs);
  Form form = form_new (library);
  g_autofree char *path = run_fixture_path ("gone.gpkg");
  copy_file (run_fixture_dataset (), path);
  urbarium_run_settings_set_dataset (form.settings, path);
  test_until (is_read, &form);
  g_assert_true (gtk_widget_get_visible (part (form.dataset, "figures_row")));

  gtk_widget_set_visible (GTK_WIDGET (form.settings), FALSE);
  g_remove (path);
  gtk_widget_set_visible (GTK_WIDGET (form.settings), TRUE);
  test_frames (form.window, 2); /* GTK does not unmap a widget that is hidden and shown within a frame */
  test_until (is_refused, &form);
  assert_problem (&form, "save it again on the Areas page");
  g_assert_false (gtk_widget_get_visible (part (form.dataset, "figures_row")));
  g_assert_nonnull (strstr (adw_action_row_get_subtitle (part (form.dataset, "file_row")),
                            run_fixture_base ()));

  gtk_widget_set_visible (GTK_WIDGET (form.settings), FALSE);
  copy_file (run_fixture_dataset (), path);
  gtk_widget_set_visible (GTK_WIDGET (form.settings), TRUE);
  test_frames (form.window, 2); /* GTK does not unmap a widget that is hidden and shown within a frame */
  test_until (is_ready, &form);

  g_remove (path);
  g_signal_emit_by_name (part (GTK_WIDGET (form.settings), "train_button"), "clicked");
  test_until (is_refused, &form);
  assert_problem (&form, "save it again on the Areas page");
  made_up_answer ("close");
  test_window_destroy (form.window);
  run_until_gone (library);
}

/* Training is possible, but a note says that realism cannot be measured. */
static void
test_untested (void)
{
  Form form = form_new (NULL);
  g_autofree char *town = run_fixture_path ("town.gpkg");
  g_autofree char *path = run_fixture_path ("untested.gpkg");
  GtkWidget *label = part (form.dataset, "untested_label");
  run_fixture_engine ("curate %s --out %s --resolution 64 --top 24 --test-share 0", town, path);
  urbarium_run_settings_set_dataset (form.settings, path);
  test_until (is_ready, &form);
  g_assert_true (gtk_widget_get_mapped (label));
  test_screenshot (form.window, "untested");
  urbarium_run_settings_set_dataset (form.settings, run_fixture_dataset ());
  test_until (is_ready, &form);
  g_assert_false (gtk_widget_get_mapped (label));
  test_window_destroy (form.window);
}

static gboolean
has_estimate (gpointer data)
{
  Form *form = data;
  const char *text = adw_action_row_get_subtitle (part (form->training, "steps_row"));
  return strstr (text, "images/s") != NULL;
}

/* Also closes the window during a measurement. */
static void
test_measure (void)
{
  Form form = form_new (NULL);
  urbarium_run_settings_set_dataset (form.settings, run_fixture_dataset ());
  test_until (is_ready, &form);
  g_assert_false (has_estimate (&form));
  set_spin (&form, "batch", 2);
  g_signal_emit_by_name (part (form.training, "measure_button"), "clicked");
  test_until (has_estimate, &form);
  set_spin (&form, "batch", 4);
  g_assert_false (has_estimate (&form));
  g_signal_emit_by_name (part (form.training, "measure_button"), "clicked");
  test_window_destroy (form.window);
}

/* An existing name is not proposed again. */
static void
test_name (void)
{
  const char *const names[] = { "areas, tiny", "b", NULL };
  UrbariumRunLibrary *library = made_up_library ("names", names);
  Form form = form_new (library);
  GtkEditable *row = part (form.training, "name_row");
  g_autoptr(UrbariumRun) other = g_list_model_get_item (G_LIST_MODEL (library), 1);
  urbarium_run_settings_set_dataset (form.settings, run_fixture_dataset ());
  g_assert_cmpstr (gtk_editable_get_text (row), ==, "areas, tiny 2");
  urbarium_run_set_name (other, "areas, tiny 2");
  g_assert_cmpstr (gtk_editable_get_text (row), ==, "areas, tiny 3");
  gtk_editable_set_text (row, "areas, tiny");
  urbarium_run_set_name (other, "b");
  g_assert_cmpstr (gtk_editable_get_text (row), ==, "areas, tiny"); /* as entered */
  g_clear_object (&other);
  test_window_destroy (form.window);
  run_until_gone (library);
}

/* A run's settings that have no row on the page are kept, and a preset file is offered. */
static void
test_all_kept (void)
{
  g_autofree char *path = run_fixture_path ("own.preset");
  g_autofree char *text = NULL, *kept = NULL;
  g_auto(UrbRunConfig) config = { 0 }, now = { 0 };
  g_autoptr(UrbPreset) tiny = urb_preset_load ("tiny", NULL);
  Form form = form_new (NULL);
  g_assert_true (g_file_set_contents (path, tiny->text, -1, NULL));
  urb_run_config_init (&config);
  g_free (config.train.preset);
  config.train.preset = g_strdup (path);
  config.train.strategy = URB_STRATEGY_HOGWILD;
  config.train.n_ranks = 2;
  config.train.staleness = 3;
  config.train.local_moments = TRUE;
  config.train.adam_epsilon = 1e-5;
  config.train.gamma = 3;
  config.train.augment = 0.125;
  config.train.clip_norm = 2;
  config.train.lr_final = 0.5;
  config.train.batch = 8;
  config.train.n_steps = 50;
  config.train.schedule_steps = 50; /* as a run stores it; it follows the steps again */
  g_assert_true (urbarium_run_settings_set_config (form.settings, &config));
  urb_run_config_init (&now);
  urbarium_run_settings_get_config (form.settings, &now);
  g_clear_pointer (&now.name, g_free);
  config.train.schedule_steps = 0;
  text = urb_run_config_to_text (&config);
  kept = urb_run_config_to_text (&now);
  g_assert_cmpstr (kept, ==, text);
  test_window_destroy (form.window);
}

static UrbariumAllSettings *
open_all (Form *form)
{
  UrbariumAllSettings *window;
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (form->settings), "settings.all", NULL));
  window = test_find_window (URBARIUM_TYPE_ALL_SETTINGS);
  g_assert_nonnull (window);
  return window;
}

static GtkEntry *
find_entry (UrbariumAllSettings *window, const char *key)
{
  return GTK_ENTRY (test_find (made_up_find_named (GTK_WIDGET (window), key), GTK_TYPE_ENTRY));
}

/* A value that is the preset's counts as unset in All settings, and the page shows what is set
 * there. */
static void
test_all_opened (void)
{
  Form form = form_new (NULL);
  UrbariumAllSettings *window;
  g_autoptr(UrbPreset) tiny = urb_preset_load ("tiny", NULL);
  g_auto(UrbRunConfig) config = { 0 };
  test_until (has_devices, &form);
  window = open_all (&form);
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    {
      const UrbSetting *row = &urb_run_settings.rows[i];
      g_test_message ("%s", row->key);
      g_assert_false (urb_setting_is_set (row, urbarium_all_settings_get_config (window)));
    }
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (find_entry (window, "batch"))), ==, "");
  g_assert_cmpstr (gtk_entry_get_placeholder_text (find_entry (window, "batch")), ==,
                   "16 (the preset's)");
  gtk_editable_set_text (GTK_EDITABLE (find_entry (window, "batch")), "8");
  urbarium_run_settings_get_config (form.settings, &config);
  g_assert_cmpint (config.train.batch, ==, 8);
  g_assert_cmpint (config.train.n_steps, ==, tiny->n_steps);
  gtk_editable_set_text (GTK_EDITABLE (find_entry (window, "batch")), ""); /* the preset's again */
  urbarium_run_settings_get_config (form.settings, &config);
  g_assert_cmpint (config.train.batch, ==, 16);
  gtk_window_destroy (GTK_WINDOW (window));
  test_window_destroy (form.window);
}

static void
select_all (UrbariumAllSettings *window, const char *key, guint item)
{
  adw_combo_row_set_selected (ADW_COMBO_ROW (made_up_find_named (GTK_WIDGET (window), key)), item);
}

/* What only All settings offers is checked before the run starts, too. */
static void
test_all_checked (void)
{
  Form form = form_new (NULL);
  UrbariumAllSettings *window;
  urbarium_run_settings_set_dataset (form.settings, run_fixture_dataset ());
  test_until (is_ready, &form);
  window = open_all (&form);
  select_all (window, "channels", 1);
  test_until (is_read, &form);
  assert_problem (&form, "1 in All settings, but 3 in the dataset");
  select_all (window, "channels", 0);
  test_until (is_ready, &form);
  gtk_editable_set_text (GTK_EDITABLE (find_entry (window, "gamma")), "2");
  test_until (is_ready, &form);
  select_all (window, "recipe", 1);
  test_until (is_read, &form);
  assert_problem (&form, "gradient penalty");
  gtk_editable_set_text (GTK_EDITABLE (find_entry (window, "gamma")), "");
  test_until (is_ready, &form);
  select_all (window, "strategy", URB_STRATEGY_DDP);
  select_all (window, "communicator", 3);
  test_until (is_read, &form);
  assert_problem (&form, "nccl connects GPUs");
  gtk_window_destroy (GTK_WINDOW (window));
  test_window_destroy (form.window);
}

/* Logs the command line, and the settings that come through standard input. */
#define LOG_SETTINGS(keys) \
  "echo \"$@\" >> \"$LOG\"\n" \
  "case \"$*\" in *--config*) grep -E '^(" keys ")=' | tr '\\n' ' ' >> \"$LOG\" ;; esac\n"

/* Four cores, all strategies but one, and no memory needed. */
static const char four_cores[]
  = LOG_SETTINGS ("channels|batch|accumulate|strategy|ranks|stale-lr|hosts")
    "case \"$1\" in\n"
    "devices) echo '{\"cpu\": {\"cores\": 4}, \"strategies\": [\"single\", \"hogwild\", "
    "\"dp\", \"ddp\"], \"strategies_why\": {\"streams\": \"There are no <streams>\"}}' ;;\n"
    "plan) echo '{\"bytes_total\": 1000, \"bytes_available\": 2000}' ;;\n"
    "esac\n";

static gboolean
is_asked (gpointer words)
{
  g_autofree char *log = made_up_engine_log ();
  return strstr (log, words) != NULL;
}

static gboolean
tick_cb (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

static void
set_strategy (Form *form, UrbStrategy strategy, int n_ranks, int batch)
{
  g_auto(UrbRunConfig) config = { 0 };
  urb_run_config_init (&config);
  config.train.dataset = g_strdup (run_fixture_dataset ());
  config.train.batch = batch;
  config.train.n_steps = 10;
  config.train.strategy = strategy;
  config.train.n_ranks = n_ranks;
  if (strategy == URB_STRATEGY_MESH)
    config.train.mesh = g_strdup_printf ("data=%d", n_ranks);
  config.train.stale_lr = FALSE;
  g_assert_true (urbarium_run_settings_set_config (form->settings, &config));
}

static gboolean
can_find_batch (Form *form)
{
  GtkWidget *button = gtk_widget_get_ancestor (made_up_find_text (GTK_WIDGET (form->settings), "Find batch"), GTK_TYPE_BUTTON);
  return gtk_widget_is_sensitive (button);
}

/* The selected strategy is planned, trained and restored from a run's settings; a batch that cannot
 * be split is reported without asking the engine. */
static void
test_strategy (void)
{
  g_autofree char *engine = g_strdup (g_getenv ("URBARIUM_ENGINE"));
  g_auto(UrbRunConfig) config = { 0 }, other = { 0 };
  guint timer = g_timeout_add (10, tick_cb, NULL); /* a file does not wake the main loop */
  Form form;
  made_up_engine (four_cores);
  form = form_new (NULL);
  set_strategy (&form, URB_STRATEGY_HOGWILD, 3, 16);
  test_until (is_ready, &form);
  test_until (is_asked, (gpointer) "strategy=hogwild ranks=3 stale-lr=false");
  g_assert_nonnull (made_up_find_text (GTK_WIDGET (form.settings),
                                       "The same inside one process: starts faster, but a crash "
                                       "ends all threads\nThere are no <streams>"));
  urb_run_config_init (&config);
  urbarium_run_settings_get_config (form.settings, &config);
  g_assert_cmpint (config.train.strategy, ==, URB_STRATEGY_HOGWILD);
  g_assert_cmpint (config.train.n_ranks, ==, 3);
  g_assert_false (config.train.stale_lr);

  set_strategy (&form, URB_STRATEGY_DDP, 3, 16);
  test_until (is_read, &form);
  assert_problem (&form, "A batch of 16 cannot be split equally among 3 copies.");
  g_assert_true (can_find_batch (&form));
  set_spin (&form, "batch", 15);
  test_until (is_ready, &form);
  test_until (is_asked, (gpointer) "channels=3 batch=15 accumulate=1 strategy=ddp ranks=3");
  g_assert_false (is_asked ((gpointer) "channels=3 batch=16 accumulate=1 strategy=ddp ranks=3"));
  urb_run_config_init (&other);
  urbarium_run_settings_get_config (form.settings, &other);
  g_assert_cmpint (other.train.strategy, ==, URB_STRATEGY_DDP);
  g_assert_true (other.train.stale_lr); /* not used there */
  g_source_remove (timer);
  test_window_destroy (form.window);
  g_setenv ("URBARIUM_ENGINE", engine, TRUE);
}

/* Tried out by an engine that says how long each part took. */
static const char tries_out[]
  = LOG_SETTINGS ("batch|steps")
    "case \"$*\" in\n"
    "devices*) echo '{\"cpu\": {\"cores\": 4}}' ;;\n"
    "plan*) echo '{\"bytes_total\": 1000, \"bytes_available\": 2000}' ;;\n"
    "'train --config - --dry-run --json') echo '{\"works\": true, \"images_per_second\": 160, \"seconds_per_step\": 0.1, "
    "\"seconds\": {\"start\": 0.25, \"steps\": 12, \"score\": 1.5}}' ;;\n"
    "esac\n";

static gboolean
has_dialog (gpointer data)
{
  return made_up_find_dialog () != NULL;
}

static void
test_try_out (void)
{
  g_autofree char *engine = g_strdup (g_getenv ("URBARIUM_ENGINE"));
  guint timer = g_timeout_add (10, tick_cb, NULL); /* a file does not wake the main loop */
  GtkWidget *button;
  Form form;
  made_up_engine (tries_out);
  form = form_new (NULL);
  button = part (GTK_WIDGET (form.settings), "try_button");
  g_assert_false (gtk_widget_is_sensitive (button)); /* no dataset */
  set_strategy (&form, URB_STRATEGY_SINGLE, 1, 16);
  test_until (is_ready, &form);
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (button)), ==, "Try _out");
  g_signal_emit_by_name (button, "clicked");
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (button)), ==, "_Stop trying");
  test_until (has_dialog, NULL);
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (button)), ==, "Try _out");
  g_assert_cmpstr (adw_message_dialog_get_heading (made_up_find_dialog ()), ==, "Tried out");
  g_assert_true (g_str_has_prefix (adw_message_dialog_get_body (made_up_find_dialog ()),
                                   "These settings work here; nothing was kept.\n\nStart: 0.25 s\nA few steps: 12 s\n"
                                   "Score of a few cities: 1.50 s\n\nAt 160 images/s, the "));
  test_frames (GTK_WINDOW (made_up_find_dialog ()), 2);
  test_screenshot (GTK_WINDOW (made_up_find_dialog ()), "tried-out");
  made_up_answer ("close");
  g_assert_true (made_up_find_text (form.training, "About 1 s, at 160 images/s measured here") != NULL);
  g_signal_emit_by_name (button, "clicked");
  g_signal_emit_by_name (button, "clicked"); /* stops it */
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (button)), ==, "Try _out");

  made_up_engine ("echo 'urbarium-engine train: The disk is full.' >&2; exit 4");
  g_signal_emit_by_name (button, "clicked");
  test_until (has_dialog, NULL);
  g_assert_cmpstr (adw_message_dialog_get_heading (made_up_find_dialog ()), ==, "These settings do not work here");
  g_assert_cmpstr (adw_message_dialog_get_body (made_up_find_dialog ()), ==, "The disk is full.");
  made_up_answer ("close");
  g_source_remove (timer);
  test_window_destroy (form.window);
  g_setenv ("URBARIUM_ENGINE", engine, TRUE);
}

#define ANSWERS_DEVICES \
  "case \"$*\" in\n" \
  "devices*) echo '{\"cpu\": {\"cores\": 4}, \"strategies\": [\"single\", \"hogwild\"]}' ;;\n" \
  "plan*) echo '{\"bytes_total\": 1000, \"bytes_available\": 2000}' ;;\n" \
  "train*) "

static void
assert_rates (Form *form, double lr_g, double lr_d)
{
  g_auto(UrbRunConfig) config = { 0 };
  urb_run_config_init (&config);
  urbarium_run_settings_get_config (form->settings, &config);
  g_assert_cmpfloat (config.train.lr_g, ==, lr_g);
  g_assert_cmpfloat (config.train.lr_d, ==, lr_d);
}

/* In the toast. */
static void
press_undo (Form *form)
{
  GtkWidget *label = made_up_find_text (GTK_WIDGET (form->window), "Undo");
  g_assert_nonnull (label);
  g_signal_emit_by_name (gtk_widget_get_ancestor (label, GTK_TYPE_BUTTON), "clicked");
}

/* What is unknown is left out; and asynchronous strategies have other rates. */
static void
test_rates (void)
{
  g_autofree char *engine = g_strdup (g_getenv ("URBARIUM_ENGINE"));
  guint timer = g_timeout_add (10, tick_cb, NULL); /* a file does not wake the main loop */
  GtkWidget *button;
  Form form;
  made_up_engine (ANSWERS_DEVICES "[ \"$*\" = 'train --config - --find-rates --json' ] && "
                  "echo '{\"generator\": {\"steepest\": 0.031, \"lowest\": 0.25, \"explodes\": 0.5, \"proposed\": 0.025}, "
                  "\"discriminator\": {\"steepest\": 0.001, \"lowest\": null, \"proposed\": 0.0005}}' ;;\nesac\n");
  form = form_new (NULL);
  button = gtk_widget_get_ancestor (made_up_find_text (GTK_WIDGET (form.settings), "Find rates"), GTK_TYPE_BUTTON);
  set_strategy (&form, URB_STRATEGY_HOGWILD, 2, 16);
  test_until (is_ready, &form);
  g_assert_false (gtk_widget_is_sensitive (button));
  set_strategy (&form, URB_STRATEGY_SINGLE, 1, 16);
  test_until (is_ready, &form);
  g_assert_true (gtk_widget_is_sensitive (button));
  g_signal_emit_by_name (button, "clicked");
  g_assert_false (gtk_widget_is_sensitive (button));
  test_until (has_dialog, NULL);
  g_assert_cmpstr (adw_message_dialog_get_heading (made_up_find_dialog ()), ==, "Learning rates");
  g_assert_cmpstr (adw_message_dialog_get_body (made_up_find_dialog ()), ==,
                   "Generator\nThe loss falls fastest at 0.031\nIt is lowest at 0.25\nIt explodes at 0.5\nProposed: 0.025\n\n"
                   "Discriminator\nThe loss falls fastest at 0.001\nProposed: 0.0005\n\n"
                   "Each network was tested against the other one as it is, on one batch. "
                   "When both train together, use lower rates.");
  made_up_answer ("rates");
  assert_rates (&form, 0.025, 0.0005);
  press_undo (&form);
  assert_rates (&form, 0, 0); /* the recipe's */
  made_up_engine (ANSWERS_DEVICES "echo '{\"error\": {\"domain\": \"urb-train-error-quark\", \"code\": 4, "
                  "\"text\": \"as with --overfit\"}}' >&2; exit 1 ;;\nesac\n");
  g_signal_emit_by_name (button, "clicked");
  test_until (has_dialog, NULL);
  g_assert_cmpstr (adw_message_dialog_get_body (made_up_find_dialog ()), ==,
                   "The loss of a network falls at no rate. Look at the networks and their settings.");
  made_up_answer ("close");
  g_source_remove (timer);
  test_window_destroy (form.window);
  g_setenv ("URBARIUM_ENGINE", engine, TRUE);
}

static void
assert_batch (Form *form, int batch)
{
  g_auto(UrbRunConfig) config = { 0 };
  urb_run_config_init (&config);
  urbarium_run_settings_get_config (form->settings, &config);
  g_assert_cmpint (config.train.batch, ==, batch);
}

/* An engine that finds them. @more: of its answer */
#define FINDS_BATCHES(more) \
  ANSWERS_DEVICES "[ \"$*\" = 'train --config - --find-batch --json' ] && " \
  "echo '{\"fastest\": 64, \"largest\": 960, " more ", \"trials\": [" \
  "{\"batch\": 32, \"bytes\": 1000000, \"images_per_second\": 5.3}, 7, " \
  "{\"batch\": 64, \"bytes\": 2000000, \"images_per_second\": 120}, " \
  "{\"batch\": 960, \"bytes\": 9000000, \"images_per_second\": null}]}' ;;\nesac\n"

/* Why no larger batch is proposed: the dataset has no more areas, or a larger one failed. */
static void
test_batch_bound (void)
{
  static const struct { const char *engine, *said; } cases[] = {
    { FINDS_BATCHES ("\"training_areas\": 970"),
      "960 is the largest that is useful: the dataset has 970 areas for training. Another batch" },
    { FINDS_BATCHES ("\"failure\": \"No <memory>\""), "960 is the largest that worked. Another batch may need other learning rates.\n\n"
                                                        "A larger batch failed: No <memory>" },
  };
  g_autofree char *engine = g_strdup (g_getenv ("URBARIUM_ENGINE"));
  guint timer = g_timeout_add (10, tick_cb, NULL); /* a file does not wake the main loop */
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Form form;
      made_up_engine (cases[i].engine);
      form = form_new (NULL);
      set_strategy (&form, URB_STRATEGY_HOGWILD, 2, 16);
      test_until (is_ready, &form);
      gtk_widget_activate_action (GTK_WIDGET (form.settings), "settings.batch", NULL);
      test_until (has_dialog, NULL);
      g_assert_nonnull (strstr (adw_message_dialog_get_body (made_up_find_dialog ()), cases[i].said));
      made_up_answer ("close");
      test_window_destroy (form.window);
    }
  g_source_remove (timer);
  g_setenv ("URBARIUM_ENGINE", engine, TRUE);
}

/* The fastest batch, or the largest that fits. */
static void
test_batch (void)
{
  g_autofree char *engine = g_strdup (g_getenv ("URBARIUM_ENGINE"));
  guint timer = g_timeout_add (10, tick_cb, NULL); /* a file does not wake the main loop */
  GtkWidget *button;
  Form form;
  made_up_engine (FINDS_BATCHES ("\"out_of_time\": true"));
  form = form_new (NULL);
  button = gtk_widget_get_ancestor (made_up_find_text (GTK_WIDGET (form.settings), "Find batch"), GTK_TYPE_BUTTON);
  set_strategy (&form, URB_STRATEGY_HOGWILD, 2, 16);
  test_until (is_ready, &form);
  g_signal_emit_by_name (button, "clicked");
  g_assert_false (gtk_widget_is_sensitive (button));
  test_until (has_dialog, NULL);
  g_assert_cmpstr (adw_message_dialog_get_heading (made_up_find_dialog ()), ==, "Batch size");
  g_assert_true (g_regex_match_simple ("^32: 5[.]3 images/s, 1[.]0.MB of memory\n64: 120 images/s, 2[.]0.MB of memory\n\n"
                                       "64 takes least time per image[.] Larger ones would have taken too long to "
                                       "measure[.] 960 is the largest that fits[.] Another batch may need other learning "
                                       "rates[.]$", adw_message_dialog_get_body (made_up_find_dialog ()), 0, 0));
  test_frames (GTK_WINDOW (made_up_find_dialog ()), 2);
  test_screenshot (GTK_WINDOW (made_up_find_dialog ()), "batch-found");
  made_up_answer ("close");
  assert_batch (&form, 16);
  g_signal_emit_by_name (button, "clicked");
  test_until (has_dialog, NULL);
  made_up_answer ("largest");
  assert_batch (&form, 960);
  press_undo (&form);
  assert_batch (&form, 16);
  g_signal_emit_by_name (button, "clicked");
  test_until (has_dialog, NULL);
  made_up_answer ("fastest");
  assert_batch (&form, 64);
  test_frames (form.window, 2);
  test_screenshot (form.window, "batch-used");
  g_source_remove (timer);
  test_window_destroy (form.window);
  g_setenv ("URBARIUM_ENGINE", engine, TRUE);
}

/* It may leave a window after it was disposed. */
static void
test_disposed (void)
{
  GtkWindow *window = GTK_WINDOW (gtk_window_new ());
  GtkWidget *widget = g_object_ref_sink (g_object_new (URBARIUM_TYPE_RUN_SETTINGS, NULL));
  g_object_run_dispose (G_OBJECT (widget));
  gtk_window_set_child (window, widget);
  gtk_window_set_child (window, NULL);
  g_object_unref (widget);
  gtk_window_destroy (window);
}

/* The window is closed while rates are sought. */
static void
test_rates_closed (void)
{
  g_autofree char *engine = g_strdup (g_getenv ("URBARIUM_ENGINE"));
  guint timer = g_timeout_add (10, tick_cb, NULL); /* a file does not wake the main loop */
  Form form;
  made_up_engine (ANSWERS_DEVICES "echo $$ > \"$LOG\"; exec sleep 50 ;;\nesac\n");
  form = form_new (NULL);
  set_strategy (&form, URB_STRATEGY_SINGLE, 1, 16);
  test_until (is_ready, &form);
  gtk_widget_activate_action (GTK_WIDGET (form.settings), "settings.rates", NULL);
  test_until (made_up_engine_runs, NULL);
  test_window_destroy (form.window);
  test_until (made_up_engine_ended, NULL);
  g_assert_null (made_up_find_dialog ());
  g_source_remove (timer);
  g_setenv ("URBARIUM_ENGINE", engine, TRUE);
}

static AdwActionRow *
get_hosts_row (Form *form)
{
  return part (form->devices, "hosts_row");
}

static void
assert_hosts (Form *form, const char *text, const char *file, int n_ranks)
{
  g_auto(UrbRunConfig) config = { 0 };
  g_assert_cmpstr (adw_action_row_get_subtitle (get_hosts_row (form)), ==, text);
  urb_run_config_init (&config);
  urbarium_run_settings_get_config (form->settings, &config);
  g_assert_cmpstr (config.hosts, ==, file);
  g_assert_cmpint (config.train.n_ranks, ==, n_ranks);
}

/* Opens the dialog from its row, and closes it.  @use: whether to train on the hosts */
static void
visit_hosts (Form *form, gboolean use)
{
  GtkWidget *window;
  gtk_widget_activate (GTK_WIDGET (get_hosts_row (form)));
  window = test_find_window (URBARIUM_TYPE_HOSTS_WINDOW);
  g_assert_nonnull (window);
  gtk_switch_set_active (part (window, "use_switch"), use);
  gtk_window_close (GTK_WINDOW (window));
}

static void
set_hosts (Form *form, const char *file, int n_ranks)
{
  g_auto(UrbRunConfig) config = { 0 };
  urb_run_config_init (&config);
  urbarium_run_settings_get_config (form->settings, &config);
  g_free (config.hosts);
  config.hosts = g_strdup (file);
  config.train.n_ranks = n_ranks;
  g_assert_true (urbarium_run_settings_set_config (form->settings, &config));
}

/* The saved list is used by strategies that have processes, which get a rank for each slot, even more than
 * this machine has cores.  The plan knows that ranks are elsewhere. */
static void
test_hosts (void)
{
  g_autofree char *engine = g_strdup (g_getenv ("URBARIUM_ENGINE")), *file = urbarium_host_list_dup_path ();
  g_autofree char *folder = g_path_get_dirname (file), *asked = g_strdup_printf ("hosts=%s", file);
  guint timer = g_timeout_add (10, tick_cb, NULL); /* a file does not wake the main loop */
  Form form;
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (file, "here slots=3\nthere slots=4\n", -1, NULL));
  made_up_engine (four_cores);
  form = form_new (NULL);
  set_strategy (&form, URB_STRATEGY_DDP, 3, 21);
  test_until (is_ready, &form);
  assert_hosts (&form, "Only this machine", NULL, 3);
  visit_hosts (&form, TRUE);
  assert_hosts (&form, "2 hosts, 7 slots", file, 7);
  test_until (is_asked, asked);
  set_hosts (&form, file, 3); /* fewer ranks, which stay */
  visit_hosts (&form, TRUE);
  assert_hosts (&form, "2 hosts, 7 slots", file, 3);
  set_strategy (&form, URB_STRATEGY_SINGLE, 1, 21); /* as of a run without hosts */
  assert_hosts (&form, "Only this machine", NULL, 1);
  visit_hosts (&form, TRUE);
  assert_hosts (&form, "2 hosts, 7 slots\nThe selected strategy uses only this machine; choose one with copies or "
                       "stages", NULL, 1);
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (get_hosts_row (&form)), "problem"));
  visit_hosts (&form, FALSE);
  assert_hosts (&form, "Only this machine", NULL, 1);
  g_assert_false (gtk_widget_has_css_class (GTK_WIDGET (get_hosts_row (&form)), "problem"));
  g_source_remove (timer);
  test_window_destroy (form.window);
  g_setenv ("URBARIUM_ENGINE", engine, TRUE);
}

static gboolean
is_refused_damaged (gpointer data)
{
  g_autofree char *problem = urbarium_run_settings_check (((Form *) data)->settings);
  return problem != NULL && strstr (problem, "damaged") != NULL;
}

/* The engine refuses a list with a mistake.  After it was mended, it is asked again, though neither the name of the
 * file nor the number of ranks is another. */
static void
test_mended_hosts (void)
{
  g_autofree char *engine = g_strdup (g_getenv ("URBARIUM_ENGINE")), *file = run_fixture_path ("mended-hosts");
  g_autofree char *script = g_strdup_printf (
    "[ \"$1\" != plan ] || ! grep -q slots=O '%s' || { echo 'urbarium-engine plan: damaged' >&2; exit 2; }\n%s", file,
    four_cores);
  guint timer = g_timeout_add (10, tick_cb, NULL); /* a file does not wake the main loop */
  Form form;
  made_up_engine (script);
  form = form_new (NULL);
  g_assert_true (g_file_set_contents (file, "here slots=O\n", -1, NULL));
  set_strategy (&form, URB_STRATEGY_DDP, 3, 21);
  set_hosts (&form, file, 3);
  test_until (is_refused_damaged, &form);
  g_assert_true (g_file_set_contents (file, "here slots=3\n", -1, NULL));
  visit_hosts (&form, TRUE);
  test_until (is_ready, &form);
  assert_hosts (&form, "1 host, 3 slots", file, 3);
  g_source_remove (timer);
  test_window_destroy (form.window);
  g_setenv ("URBARIUM_ENGINE", engine, TRUE);
}

/* A run's own hosts file, as of a cluster, is not there, has a mistake, and is mended. */
static void
test_own_hosts (void)
{
  g_autofree char *engine = g_strdup (g_getenv ("URBARIUM_ENGINE")), *file = run_fixture_path ("own-hosts");
  g_autofree char *text = NULL;
  g_autofree char *missing = g_strdup_printf ("The hosts file cannot be read\nCannot read '%s': No such file or directory",
                                              file);
  Form form;
  made_up_engine (four_cores);
  form = form_new (NULL);
  set_strategy (&form, URB_STRATEGY_DDP, 3, 21);
  test_until (is_ready, &form);
  set_hosts (&form, file, 3);
  assert_hosts (&form, missing, file, 3);
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (get_hosts_row (&form)), "problem"));
  g_assert_true (g_file_set_contents (file, "here slots=O\n", -1, NULL));
  set_hosts (&form, NULL, 3);
  set_hosts (&form, file, 3);
  assert_hosts (&form, "The hosts file cannot be read\nLine 1: “slots=O” needs a number from 1 to 4096.", file, 3);
  visit_hosts (&form, TRUE); /* only looked at */
  assert_hosts (&form, "The hosts file cannot be read\nLine 1: “slots=O” needs a number from 1 to 4096.", file, 3);
  g_assert_true (g_file_set_contents (file, "here slots=3 # mine\nthere slots=4\n", -1, NULL));
  visit_hosts (&form, TRUE);
  assert_hosts (&form, "2 hosts, 7 slots", file, 7);
  g_assert_true (g_file_get_contents (file, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "here slots=3 # mine\nthere slots=4\n");
  test_window_destroy (form.window);
  g_setenv ("URBARIUM_ENGINE", engine, TRUE);
}

/* One GPU with two million bytes; $needed: the memory of a run. */
static const char one_gpu[]
  = LOG_SETTINGS ("backend|precision")
    "case \"$1\" in\n"
    "devices) echo '{\"cpu\": {\"cores\": 4, \"bf16\": true}, \"gpus\": [{\"name\": \"Fast\", "
    "\"device\": \"cuda:0\", \"bf16\": true}]}' ;;\n"
    "plan) echo '{\"bytes_available\": 7000000, \"preflight\": {\"memory\": {\"needed\": "
    "'$needed', \"available\": 2000000}}}' ;;\n"
    "esac\n";

static void
made_up_gpu (const char *needed)
{
  g_autofree char *script = g_strdup_printf ("needed=%s\n%s", needed, one_gpu);
  made_up_engine (script);
}

/* A stored run on as many GPUs as it has ranks. */
static void
set_devices (Form *form, const char *device, int n_ranks, UkPrecision precision)
{
  g_auto(UrbRunConfig) config = { 0 };
  urb_run_config_init (&config);
  g_free (config.train.backend);
  config.train.dataset = g_strdup (run_fixture_dataset ());
  config.train.backend = g_strdup (device);
  config.train.precision = precision;
  config.train.strategy = n_ranks > 1 ? URB_STRATEGY_DDP : URB_STRATEGY_SINGLE;
  config.train.n_ranks = n_ranks;
  config.train.batch = 16;
  config.train.n_steps = 10;
  g_assert_true (urbarium_run_settings_set_config (form->settings, &config));
}

static void
set_device (Form *form, const char *device, UkPrecision precision)
{
  set_devices (form, device, 1, precision);
}

static void
assert_device (Form *form, const char *device, UkPrecision precision)
{
  g_auto(UrbRunConfig) config = { 0 };
  urb_run_config_init (&config);
  urbarium_run_settings_get_config (form->settings, &config);
  g_assert_cmpstr (config.train.backend, ==, device);
  g_assert_cmpint (config.train.precision, ==, precision);
}

static void
tick (Form *form, const char *title)
{
  GtkWidget *label = made_up_find_text (form->devices, title);
  gtk_widget_activate (gtk_widget_get_ancestor (label, ADW_TYPE_ACTION_ROW));
}

static gboolean
fits_gpu (gpointer data)
{
  g_autofree char *needed = g_format_size (1000000), *free_bytes = g_format_size (2000000);
  g_autofree char *text = g_strdup_printf ("Both networks and every step on one device\nFits: needs "
                                           "%s of %s of free GPU memory",
                                           needed, free_bytes);
  return made_up_find_text (GTK_WIDGET (((Form *) data)->settings), text) != NULL;
}

static gboolean
is_refused_memory (gpointer data)
{
  g_autofree char *problem = urbarium_run_settings_check (((Form *) data)->settings);
  return problem != NULL && strstr (problem, "of the GPU’s memory, and") != NULL;
}

/* Proposed and planned with its default precision; a chosen precision stays on its device. */
static void
test_gpu (void)
{
  g_autofree char *engine = g_strdup (g_getenv ("URBARIUM_ENGINE"));
  guint timer = g_timeout_add (10, tick_cb, NULL); /* a file does not wake the main loop */
  Form form;
  made_up_gpu ("1000000");
  form = form_new (NULL);
  test_until (has_devices, &form);
  assert_device (&form, "cuda:0", UK_TF32);
  g_assert_false (urbarium_run_settings_is_device_chosen (form.settings));
  test_until (is_asked, (gpointer) "backend=cuda:0 precision=tf32");
  adw_combo_row_set_selected (part (form.training, "precision_row"), 2);
  assert_device (&form, "cuda:0", UK_BF16);
  tick (&form, "Processor");
  assert_device (&form, "cpu", UK_FP32);
  g_assert_true (urbarium_run_settings_is_device_chosen (form.settings));
  test_until (is_asked, (gpointer) "backend=cpu precision=fp32");
  tick (&form, "Fast");
  assert_device (&form, "cuda:0", UK_TF32);

  set_device (&form, "cpu", UK_BF16);
  assert_device (&form, "cpu", UK_BF16);
  set_device (&form, "cuda", UK_BF16);
  assert_device (&form, "cuda:0", UK_BF16);
  urbarium_run_settings_propose_device (form.settings);
  assert_device (&form, "cuda:0", UK_BF16);
  set_device (&form, "cuda:1", UK_TF32); /* missing */
  assert_device (&form, "cpu", UK_FP32);
  urbarium_run_settings_propose_device (form.settings);
  assert_device (&form, "cuda:0", UK_TF32);
  test_until (fits_gpu, &form);
  test_window_destroy (form.window);

  made_up_gpu ("3000000"); /* more than available, and set before the devices are known */
  form = form_new (NULL);
  set_device (&form, "cuda:0", UK_BF16);
  test_until (has_devices, &form);
  assert_device (&form, "cuda:0", UK_BF16);
  test_until (is_refused_memory, &form);
  assert_problem (&form, "smaller networks or the processor");
  g_assert_true (can_find_batch (&form));
  set_device (&form, "cuda:1", UK_BF16);
  assert_device (&form, "cpu", UK_FP32);
  g_source_remove (timer);
  test_window_destroy (form.window);
  g_setenv ("URBARIUM_ENGINE", engine, TRUE);
}

/* Two alike, and a plan in which a rank needs three million bytes. */
static const char two_gpus[]
  = LOG_SETTINGS ("backend|strategy|ranks")
    "case \"$1\" in\n"
    "devices) echo '{\"cpu\": {\"cores\": 4}, \"strategies\": [\"single\", \"streams\", \"dp\", \"ddp\", \"layers\"], "
    "\"gpus\": [{\"name\": \"Fast\", \"device\": \"cuda:0\", \"bf16\": true, \"memory_available_bytes\": 2000000}, "
    "{\"name\": \"Fast\", \"device\": \"cuda:1\", \"bf16\": true, \"memory_available_bytes\": 9000000}]}' ;;\n"
    "plan) echo '{\"bytes_available\": 9000000, \"preflight\": {\"memory\": {\"needed\": 3000000, "
    "\"available\": 9000000}, \"rank-memory\": {\"needed\": 3000000}}}' ;;\n"
    "esac\n";

static void
assert_gpus (Form *form, const char *device, UrbStrategy strategy, int n_ranks)
{
  g_auto(UrbRunConfig) config = { 0 };
  urb_run_config_init (&config);
  urbarium_run_settings_get_config (form->settings, &config);
  g_assert_cmpstr (config.train.backend, ==, device);
  g_assert_cmpint (config.train.strategy, ==, strategy);
  g_assert_cmpint (config.train.n_ranks, ==, n_ranks);
}

static void
tick_strategy (Form *form, const char *title)
{
  GtkWidget *label = made_up_find_text (GTK_WIDGET (form->settings), title);
  gtk_widget_activate (gtk_widget_get_ancestor (label, ADW_TYPE_ACTION_ROW));
}

static gboolean
is_refused_rank (gpointer data)
{
  g_autofree char *problem = urbarium_run_settings_check (((Form *) data)->settings);
  return problem != NULL && strstr (problem, "A rank needs ") != NULL;
}

/* To tick a second GPU is enough to train on both.  The forecast knows the GPUs, and all strategies are compared
 * for those that are ticked, even while the selected one uses the first. */
static void
test_several_gpus (void)
{
  g_autofree char *engine = g_strdup (g_getenv ("URBARIUM_ENGINE"));
  guint timer = g_timeout_add (10, tick_cb, NULL); /* a file does not wake the main loop */
  Form form;
  made_up_engine (two_gpus);
  form = form_new (NULL);
  set_device (&form, "cuda:1", UK_TF32);
  test_until (is_ready, &form);
  tick (&form, "Fast (cuda:0)");
  assert_gpus (&form, "cuda:0,1", URB_STRATEGY_DDP, 2);
  assert_device (&form, "cuda:0,1", UK_TF32);
  g_assert_nonnull (made_up_find_text (form.devices, "Rank 1"));
  test_until (is_asked, (gpointer) "backend=cuda:0,1 strategy=ddp ranks=2");
  tick (&form, "Fast (cuda:1)");
  assert_gpus (&form, "cuda:0", URB_STRATEGY_SINGLE, 1);
  tick (&form, "Fast (cuda:1)");
  assert_gpus (&form, "cuda:0,1", URB_STRATEGY_DDP, 2);
  tick_strategy (&form, "Asynchronous threads");
  assert_gpus (&form, "cuda:0", URB_STRATEGY_STREAMS, 2);
  g_assert_nonnull (made_up_find_text (form.devices, "Not used"));
  tick_strategy (&form, "Layers in turn (naive model parallel)"); /* another strategy with ranks stays */
  tick (&form, "Processor");
  tick (&form, "Fast (cuda:0)");
  tick (&form, "Fast (cuda:1)");
  assert_gpus (&form, "cuda:0,1", URB_STRATEGY_LAYERS, 2);
  g_source_remove (timer);
  test_window_destroy (form.window);
  g_setenv ("URBARIUM_ENGINE", engine, TRUE);
}

/* A stored run on several GPUs keeps its precision, whether the devices are known before or after it is set. */
static void
test_stored_gpus (void)
{
  g_autofree char *engine = g_strdup (g_getenv ("URBARIUM_ENGINE"));
  Form form;
  made_up_engine (two_gpus);
  form = form_new (NULL);
  set_devices (&form, "cuda:0,1", 2, UK_BF16);
  test_until (has_devices, &form);
  assert_device (&form, "cuda:0,1", UK_BF16);
  set_devices (&form, "cuda:1,0", 2, UK_FP32);
  assert_device (&form, "cuda:1,0", UK_FP32);
  set_devices (&form, "cuda", 2, UK_BF16);
  assert_device (&form, "cuda:0,1", UK_BF16);
  tick (&form, "Fast (cuda:0)");
  assert_device (&form, "cuda:1", UK_BF16);
  set_devices (&form, "cuda:1,2", 2, UK_BF16); /* one is missing */
  assert_device (&form, "cpu", UK_FP32);
  test_window_destroy (form.window);
  g_setenv ("URBARIUM_ENGINE", engine, TRUE);
}

/* The most memory of a rank is a limit of the run that is planned. */
static void
test_rank_memory (void)
{
  g_autofree char *engine = g_strdup (g_getenv ("URBARIUM_ENGINE"));
  guint timer = g_timeout_add (10, tick_cb, NULL); /* a file does not wake the main loop */
  g_auto(UrbRunConfig) config = { 0 };
  Form form;
  made_up_engine (two_gpus);
  form = form_new (NULL);
  urb_run_config_init (&config);
  config.train.dataset = g_strdup (run_fixture_dataset ());
  config.train.batch = 16;
  config.train.n_steps = 10;
  config.train.rank_memory = 0.002;
  g_assert_true (urbarium_run_settings_set_config (form.settings, &config));
  test_until (is_refused_rank, &form);
  assert_problem (&form, "smaller networks or more memory");
  gtk_spin_button_set_value (part (form.devices, "memory_spin"), 1);
  test_until (is_ready, &form);
  urbarium_run_settings_get_config (form.settings, &config);
  g_assert_cmpfloat (config.train.rank_memory, ==, 1);
  g_source_remove (timer);
  test_window_destroy (form.window);
  g_setenv ("URBARIUM_ENGINE", engine, TRUE);
}

static void
started_cb (UrbariumRunSettings *settings, UrbariumRun *run, UrbariumRun **started)
{
  g_set_object (started, run);
}

static gboolean
is_started (gpointer data)
{
  return *(UrbariumRun **) data != NULL;
}

/* The first run trains, the second is queued. */
static void
test_train (void)
{
  g_autofree char *folder = run_fixture_path ("started");
  UrbariumRunLibrary *library = urbarium_run_library_new (folder);
  Form form = form_new (library);
  GtkWidget *button = part (GTK_WIDGET (form.settings), "train_button");
  UrbariumRun *first = NULL, *second = NULL;
  urbarium_run_settings_set_dataset (form.settings, run_fixture_dataset ());
  set_spin (&form, "batch", 2);
  set_spin (&form, "steps", 100000);
  test_until (is_ready, &form);
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (button)), ==, "_Train");
  g_signal_connect (form.settings, "started", G_CALLBACK (started_cb), &first);
  g_signal_emit_by_name (button, "clicked");
  test_until (is_started, &first);
  g_signal_handlers_disconnect_by_data (form.settings, &first);
  run_until_state (first, URB_RUN_RUNNING);

  set_spin (&form, "steps", 4);
  test_until (is_ready, &form);
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (button)), ==, "_Add to queue");
  g_signal_connect (form.settings, "started", G_CALLBACK (started_cb), &second);
  g_signal_emit_by_name (button, "clicked");
  test_until (is_started, &second);
  run_until_state (second, URB_RUN_QUEUED);
  urbarium_run_stop (first);
  run_until_state (second, URB_RUN_FINISHED);
  run_until_live (first, FALSE);
  run_until_live (second, FALSE);
  g_clear_object (&first);
  g_clear_object (&second);
  test_window_destroy (form.window);
  run_until_gone (library);
}

/* With the real engine, which plans and trains with the chosen settings. */
static void
test_train_together (void)
{
  g_autofree char *folder = run_fixture_path ("together");
  UrbariumRunLibrary *library = urbarium_run_library_new (folder);
  Form form = form_new (library);
  GtkWidget *button = part (GTK_WIDGET (form.settings), "train_button");
  test_until (has_devices, &form);
  for (int i = 1; i < URB_N_STRATEGIES; i++)
    {
      UrbariumRun *run = NULL;
      const UrbRunConfig *config;
      g_test_message ("%s", urb_strategy_names[i]);
      set_strategy (&form, i, 2, 4);
      set_spin (&form, "steps", 2);
      test_until (is_ready, &form);
      g_signal_connect (form.settings, "started", G_CALLBACK (started_cb), &run);
      g_signal_emit_by_name (button, "clicked");
      test_until (is_started, &run);
      g_signal_handlers_disconnect_by_data (form.settings, &run);
      run_until_state (run, URB_RUN_FINISHED);
      run_until_live (run, FALSE);
      config = urbarium_run_get_config (run);
      g_assert_cmpint (config->train.strategy, ==, i);
      g_assert_cmpint (config->train.n_ranks, ==, MIN ((int) g_get_num_processors (), 2));
      g_clear_object (&run);
    }
  test_window_destroy (form.window);
  run_until_gone (library);
}

int
main (int argc, char **argv)
{
  int status;
  test_app_init (&argc, &argv);
  run_fixture_init ();
  g_test_add_func ("/run-settings/defaults", test_defaults);
  g_test_add_func ("/run-settings/exact", test_exact);
  g_test_add_func ("/run-settings/problems", test_problems);
  g_test_add_func ("/run-settings/gone", test_gone);
  g_test_add_func ("/run-settings/untested", test_untested);
  g_test_add_func ("/run-settings/measure", test_measure);
  g_test_add_func ("/run-settings/name", test_name);
  g_test_add_func ("/run-settings/all-kept", test_all_kept);
  g_test_add_func ("/run-settings/all-opened", test_all_opened);
  g_test_add_func ("/run-settings/all-checked", test_all_checked);
  g_test_add_func ("/run-settings/strategy", test_strategy);
  g_test_add_func ("/run-settings/try-out", test_try_out);
  g_test_add_func ("/run-settings/batch", test_batch);
  g_test_add_func ("/run-settings/batch-bound", test_batch_bound);
  g_test_add_func ("/run-settings/disposed", test_disposed);
  g_test_add_func ("/run-settings/rates", test_rates);
  g_test_add_func ("/run-settings/rates-closed", test_rates_closed);
  g_test_add_func ("/run-settings/hosts", test_hosts);
  g_test_add_func ("/run-settings/mended-hosts", test_mended_hosts);
  g_test_add_func ("/run-settings/own-hosts", test_own_hosts);
  g_test_add_func ("/run-settings/gpu", test_gpu);
  g_test_add_func ("/run-settings/several-gpus", test_several_gpus);
  g_test_add_func ("/run-settings/stored-gpus", test_stored_gpus);
  g_test_add_func ("/run-settings/rank-memory", test_rank_memory);
  g_test_add_func ("/run-settings/train", test_train);
  g_test_add_func ("/run-settings/train-together", test_train_together);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
