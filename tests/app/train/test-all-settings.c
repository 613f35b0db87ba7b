/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-all-settings.c - every row of the table has a row in the window, which shows it and sets it.
 */
#include <string.h>

#include "app-test.h"

#include "app/train/all-settings.h"
#include "made-up.h"
#include "run/store/known-hooks.h"

static UrbariumAllSettings *
open_window (const UrbRunConfig *config)
{
  UrbariumAllSettings *window = urbarium_all_settings_new (config, 3, NULL);
  gtk_window_present (GTK_WINDOW (window));
  return window;
}

static GtkWidget *
find_row (UrbariumAllSettings *window, const char *key)
{
  GtkWidget *row = made_up_find_named (GTK_WIDGET (window), key);
  if (row == NULL)
    g_error ("no row for %s", key);
  return row;
}

static GtkEntry *
find_entry (UrbariumAllSettings *window, const char *key)
{
  return GTK_ENTRY (test_find (find_row (window, key), GTK_TYPE_ENTRY));
}

static void
type (UrbariumAllSettings *window, const char *key, const char *text)
{
  gtk_editable_set_text (GTK_EDITABLE (find_entry (window, key)), text);
}

/* Whether the row and its entry show that the value is invalid, with @words. */
static void
assert_problem (UrbariumAllSettings *window, const char *key, const char *words)
{
  GtkWidget *row = find_row (window, key);
  GtkAccessible *entry = GTK_ACCESSIBLE (find_entry (window, key));
  const char *subtitle = adw_action_row_get_subtitle (ADW_ACTION_ROW (row));

  g_test_message ("%s: %s", key, subtitle);
  g_assert_true (gtk_widget_has_css_class (row, "problem") == (words != NULL));
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (entry), "error") == (words != NULL));
  if (words != NULL)
    {
      g_assert_nonnull (strstr (subtitle, words));
      gtk_test_accessible_assert_property (entry, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, subtitle);
      gtk_test_accessible_assert_state (entry, GTK_ACCESSIBLE_STATE_INVALID,
                                        GTK_ACCESSIBLE_INVALID_TRUE);
    }
}

static void
count_cb (int *n)
{
  ++*n;
}

static void
test_rows (void)
{
  g_auto(UrbRunConfig) config = { 0 };
  UrbariumAllSettings *window;
  urb_run_config_init (&config);
  window = open_window (&config);
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    {
      const UrbSetting *setting = &urb_run_settings.rows[i];
      GtkWidget *row = find_row (window, setting->key);
      const char *subtitle;
      g_assert_true (g_str_has_prefix (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)),
                                       setting->title));
      subtitle = adw_action_row_get_subtitle (ADW_ACTION_ROW (row));
      g_test_message ("%s", subtitle);
      g_assert_cmpstr (subtitle, !=, "");
      /* Not ellipsized, and about a new run in this window. */
      g_assert_cmpint (adw_action_row_get_subtitle_lines (ADW_ACTION_ROW (row)), ==, 0);
      g_assert_null (strstr (subtitle, "resumed"));
      g_assert_null (strstr (subtitle, "--"));
      g_assert_null (strstr (subtitle, "docs/"));
      g_assert_true (gtk_widget_get_sensitive (row)
                     == (setting->strategies == 0 || (setting->strategies & 1u << config.train.strategy) != 0));
    }
  g_assert_true (adw_preferences_window_get_search_enabled (ADW_PREFERENCES_WINDOW (window)));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Unset entries are empty, with the default as placeholder. */
static void
test_defaults (void)
{
  g_auto(UrbRunConfig) config = { 0 };
  UrbariumAllSettings *window;
  urb_run_config_init (&config);
  config.train.beta2 = 0.875;
  config.train.gamma = 12345.678;
  window = open_window (&config);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (find_entry (window, "lr-g"))), ==, "");
  g_assert_cmpstr (gtk_entry_get_placeholder_text (find_entry (window, "lr-g")), ==,
                   "0.001 (the recipe's)");
  g_assert_cmpstr (gtk_entry_get_placeholder_text (find_entry (window, "batch")), ==,
                   "16 (the preset's)");
  g_assert_cmpstr (gtk_entry_get_placeholder_text (find_entry (window, "threads")), ==, "one per processor");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (find_entry (window, "beta2"))), ==, "0.875");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (find_entry (window, "gamma"))), ==,
                   "12345.678"); /* all digits, ungrouped, so that it can be edited */
  g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (find_row (window, "staleness"))), ==,
                   "Maximum lead over the slowest rank, in steps; 0: any\nstaleness · hogwild, "
                   "streams");
  /* Help of the option --full-lr describes the switch that is off. */
  g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (find_row (window, "stale-lr"))), ==,
                   "Gradients are slightly stale when they arrive; smaller steps keep the training "
                   "stable\nstale-lr · hogwild, streams");
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The row says why its value is invalid, and has a button to clear it. */
static void
test_problem (void)
{
  g_auto(UrbRunConfig) config = { 0 };
  UrbariumAllSettings *window;
  GtkWidget *button;
  urb_run_config_init (&config);
  window = open_window (&config);
  button = test_find (find_row (window, "lr-g"), GTK_TYPE_BUTTON);
  assert_problem (window, "lr-g", NULL);
  type (window, "lr-g", "3");
  assert_problem (window, "lr-g", "1, and is 3.");
  g_assert_true (gtk_widget_get_sensitive (button));
  g_assert_cmpfloat (gtk_widget_get_opacity (button), ==, 1);
  type (window, "batch", "8"); /* a change of another row does not affect it */
  assert_problem (window, "lr-g", "1, and is 3.");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (find_entry (window, "lr-g"))), ==, "3");
  type (window, "lr-g", "fast");
  assert_problem (window, "lr-g", "fast");
  g_signal_emit_by_name (button, "clicked");
  assert_problem (window, "lr-g", NULL);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (find_entry (window, "lr-g"))), ==, "");
  g_assert_false (gtk_widget_get_sensitive (button));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Devices, presets and files must exist. */
static void
test_exists (void)
{
  static const char *const devices[] = { "cpu", "cuda:1", NULL };
  g_auto(UrbRunConfig) config = { 0 };
  g_autofree char *file = g_build_filename (g_get_tmp_dir (), "no such file", NULL);
  UrbariumAllSettings *window;
  const UrbRunConfig *now;
  urb_run_config_init (&config);
  window = open_window (&config); /* devices are not known */
  now = urbarium_all_settings_get_config (window);
  type (window, "device", "foo");
  assert_problem (window, "device", "“foo”");
  g_assert_cmpstr (now->train.backend, ==, "cpu");
  type (window, "device", "cuda:7");
  assert_problem (window, "device", NULL);
  g_assert_cmpstr (now->train.backend, ==, "cuda:7");
  type (window, "preset", "nowhere");
  assert_problem (window, "preset", "nowhere");
  type (window, "dataset", file);
  assert_problem (window, "dataset", file);
  type (window, "dataset", "areas.gpkg");
  assert_problem (window, "dataset", "full path");
  g_assert_null (now->train.dataset);
  type (window, "dataset", g_test_get_filename (G_TEST_DIST, "meson.build", NULL));
  assert_problem (window, "dataset", NULL);
  g_assert_nonnull (now->train.dataset);
  gtk_window_destroy (GTK_WINDOW (window));

  window = urbarium_all_settings_new (&config, 3, devices);
  type (window, "device", "cuda:7");
  assert_problem (window, "device", "cpu, cuda:1");
  type (window, "device", "cuda:1");
  assert_problem (window, "device", NULL);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Networks have 1 or 3 channels, or as many as the dataset. */
static void
test_channels (void)
{
  g_auto(UrbRunConfig) config = { 0 };
  UrbariumAllSettings *window;
  const UrbRunConfig *now;
  AdwComboRow *row;
  GtkStringList *list;
  urb_run_config_init (&config);
  window = open_window (&config);
  now = urbarium_all_settings_get_config (window);
  row = ADW_COMBO_ROW (find_row (window, "channels"));
  list = GTK_STRING_LIST (adw_combo_row_get_model (row));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (list)), ==, 3);
  g_assert_cmpstr (gtk_string_list_get_string (list, 0), ==, "3 (the dataset's)");
  g_assert_cmpuint (adw_combo_row_get_selected (row), ==, 0);
  adw_combo_row_set_selected (row, 1);
  g_assert_cmpint (now->train.n_channels, ==, 1);
  adw_combo_row_set_selected (row, 2);
  g_assert_cmpint (now->train.n_channels, ==, 3);
  adw_combo_row_set_selected (row, 0);
  g_assert_cmpint (now->train.n_channels, ==, 0);
  row = ADW_COMBO_ROW (find_row (window, "lr-schedule"));
  list = GTK_STRING_LIST (adw_combo_row_get_model (row));
  g_assert_cmpstr (gtk_string_list_get_string (list, 0), ==, "cosine (the recipe's)");
  g_assert_cmpstr (gtk_string_list_get_string (list, 4), ==, "step");
  adw_combo_row_set_selected (row, 4);
  g_assert_cmpint (now->train.lr_schedule, ==, URB_LR_SCHEDULE_STEP);
  adw_combo_row_set_selected (row, 0);
  g_assert_cmpint (now->train.lr_schedule, ==, URB_LR_SCHEDULE_OF_RECIPE);
  gtk_window_destroy (GTK_WINDOW (window));
}

static GtkToggleButton *
find_search_button (GtkWidget *widget)
{
  GtkToggleButton *found = NULL;
  if (GTK_IS_TOGGLE_BUTTON (widget)
      && g_strcmp0 (gtk_button_get_icon_name (GTK_BUTTON (widget)), "edit-find-symbolic") == 0)
    return GTK_TOGGLE_BUTTON (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_search_button (child);
  return found;
}

/* That of the window: in some versions of libadwaita the list of a combo row has one, too. */
static GtkWidget *
find_search_entry (GtkWidget *window)
{
  g_autoptr(GPtrArray) entries = test_list (window, GTK_TYPE_SEARCH_ENTRY);
  for (guint i = 0; i < entries->len; i++)
    if (gtk_widget_get_mapped (entries->pdata[i]))
      return entries->pdata[i];
  g_assert_not_reached ();
}

static void
search (UrbariumAllSettings *window, const char *words, const char *title)
{
  GtkWidget *entry;
  gtk_toggle_button_set_active (find_search_button (GTK_WIDGET (window)), TRUE);
  test_frames (GTK_WINDOW (window), 2);
  entry = find_search_entry (GTK_WIDGET (window));
  gtk_editable_set_text (GTK_EDITABLE (entry), words);
  g_signal_emit_by_name (entry, "search-changed");
  test_frames (GTK_WINDOW (window), 2);
  test_screenshot (GTK_WINDOW (window), words);
  g_assert_nonnull (made_up_find_text (GTK_WIDGET (window), title));
  g_assert_null (made_up_find_text (GTK_WIDGET (window), "Networks"));
}

/* By its title, and by its name in files and on the command line. */
static void
test_search (void)
{
  g_auto(UrbRunConfig) config = { 0 };
  UrbariumAllSettings *window;
  urb_run_config_init (&config);
  window = open_window (&config);
  search (window, "warm-up", "Warm-up (steps)");
  search (window, "lr-g", "Generator’s learning rate");
  search (window, "bucket-mib", "Gradient buckets (MiB)");
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Also beside the longest help. */
static void
test_values_whole (void)
{
  g_auto(UrbRunConfig) config = { 0 };
  UrbariumAllSettings *window;
  urb_run_config_init (&config);
  window = open_window (&config);
  test_frames (GTK_WINDOW (window), 2);
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    {
      const UrbSetting *setting = &urb_run_settings.rows[i];
      g_autofree char *value = urb_setting_dup_text (setting, &config);
      GtkWidget *label;
      if (setting->choices == NULL || setting->source != URB_SOURCE_CONSTANT)
        continue;
      label = made_up_find_text (find_row (window, setting->key), value);
      g_assert_nonnull (label);
      g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (label))));
    }
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_change (void)
{
  g_auto(UrbRunConfig) config = { 0 };
  const UrbRunConfig *now;
  UrbariumAllSettings *window;
  int n = 0;
  urb_run_config_init (&config);
  window = open_window (&config);
  now = urbarium_all_settings_get_config (window);
  g_signal_connect_swapped (window, "changed", G_CALLBACK (count_cb), &n);
  gtk_editable_set_text (GTK_EDITABLE (find_entry (window, "adam-epsilon")), "0.001");
  g_assert_cmpfloat (now->train.adam_epsilon, ==, 0.001);
  g_assert_cmpint (n, >=, 1);
  gtk_editable_set_text (GTK_EDITABLE (find_entry (window, "lr-d")), "0,25");
  g_assert_cmpfloat (now->train.lr_d, ==, 0.25);
  /* Out of range: marked, and the last good value stays. */
  n = 0;
  gtk_editable_set_text (GTK_EDITABLE (find_entry (window, "batch")), "8");
  gtk_editable_insert_text (GTK_EDITABLE (find_entry (window, "batch")), "x", 1, &(int) { 1 });
  g_assert_cmpint (now->train.batch, ==, 8);
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (find_entry (window, "batch")), "error"));
  gtk_editable_set_text (GTK_EDITABLE (find_entry (window, "batch")), "");
  g_assert_cmpint (now->train.batch, ==, 0);
  g_assert_false (gtk_widget_has_css_class (GTK_WIDGET (find_entry (window, "batch")), "error"));
  /* The placeholder follows the preset. */
  gtk_editable_set_text (GTK_EDITABLE (find_entry (window, "preset")), "nowhere");
  g_assert_cmpstr (now->train.preset, ==, "tiny");
  gtk_editable_set_text (GTK_EDITABLE (find_entry (window, "preset")), "dcgan-32m");
  g_assert_cmpstr (now->train.preset, ==, "dcgan-32m");
  g_assert_cmpstr (gtk_entry_get_placeholder_text (find_entry (window, "batch")), !=,
                   "16 (the preset's)");
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The settings of a strategy are enabled with it, and reset when another one is chosen. */
static void
test_strategy (void)
{
  g_auto(UrbRunConfig) config = { 0 };
  const UrbRunConfig *now;
  UrbariumAllSettings *window;
  urb_run_config_init (&config);
  window = open_window (&config);
  now = urbarium_all_settings_get_config (window);
  g_assert_false (gtk_widget_get_sensitive (find_row (window, "ranks")));
  adw_combo_row_set_selected (ADW_COMBO_ROW (find_row (window, "strategy")), URB_STRATEGY_HOGWILD);
  g_assert_cmpint (now->train.strategy, ==, URB_STRATEGY_HOGWILD);
  g_assert_cmpint (now->train.n_ranks, ==, 2);
  g_assert_true (gtk_widget_get_sensitive (find_row (window, "ranks")));
  type (window, "ranks", "4");
  g_assert_cmpint (now->train.n_ranks, ==, 4);
  g_assert_true (gtk_widget_get_sensitive (find_row (window, "staleness")));
  g_assert_false (gtk_widget_get_sensitive (find_row (window, "bucket-mib")));
  gtk_editable_set_text (GTK_EDITABLE (find_entry (window, "staleness")), "4");
  gtk_switch_set_active (GTK_SWITCH (test_find (find_row (window, "stale-lr"), GTK_TYPE_SWITCH)),
                         FALSE);
  g_assert_cmpint (now->train.staleness, ==, 4);
  g_assert_false (now->train.stale_lr);
  adw_combo_row_set_selected (ADW_COMBO_ROW (find_row (window, "strategy")), URB_STRATEGY_DDP);
  g_assert_cmpint (now->train.staleness, ==, 0);
  g_assert_true (now->train.stale_lr);
  g_assert_true (gtk_widget_get_sensitive (find_row (window, "bucket-mib")));
  g_assert_false (gtk_widget_get_sensitive (find_row (window, "staleness")));
  /* A row that does not apply to the strategy shows no problem. */
  type (window, "bucket-mib", "0");
  assert_problem (window, "bucket-mib", "and is 0");
  adw_combo_row_set_selected (ADW_COMBO_ROW (find_row (window, "strategy")), URB_STRATEGY_SINGLE);
  assert_problem (window, "bucket-mib", NULL);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (find_entry (window, "bucket-mib"))), ==, "");
  g_assert_cmpint (now->train.n_ranks, ==, 1);
  g_assert_false (gtk_widget_get_sensitive (find_row (window, "ranks")));
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_reset (void)
{
  g_auto(UrbRunConfig) config = { 0 };
  UrbariumAllSettings *window;
  GtkWidget *row, *button;
  urb_run_config_init (&config);
  config.train.gamma = 3;
  window = open_window (&config);
  row = find_row (window, "gamma");
  button = test_find (row, GTK_TYPE_BUTTON);
  g_assert_true (gtk_widget_get_sensitive (button));
  g_signal_emit_by_name (button, "clicked");
  g_assert_cmpfloat (urbarium_all_settings_get_config (window)->train.gamma, ==, -1);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (find_entry (window, "gamma"))), ==, "");
  g_assert_false (gtk_widget_get_sensitive (button));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Only the hook that the user typed is called later, not the one of a run that is repeated. */
static void
test_hook (void)
{
  g_auto(UrbRunConfig) config = { 0 };
  UrbariumAllSettings *window;
  urb_run_config_init (&config);
  config.hook = g_strdup ("a stranger's command");
  window = open_window (&config);
  type (window, "batch", "8");
  gtk_window_close (GTK_WINDOW (window));
  g_assert_false (urb_known_hooks_has ("a stranger's command"));
  window = open_window (&config);
  type (window, "hook", "my own");
  type (window, "hook", "my own command");
  gtk_window_close (GTK_WINDOW (window));
  g_assert_true (urb_known_hooks_has ("my own command"));
  g_assert_false (urb_known_hooks_has ("my own"));
}

static void
test_screenshots (void)
{
  static const AdwColorScheme schemes[] = { ADW_COLOR_SCHEME_FORCE_DARK,
                                            ADW_COLOR_SCHEME_FORCE_LIGHT };
  static const char *const names[] = { "all-settings-dark", "all-settings-light" };
  g_auto(UrbRunConfig) config = { 0 };
  UrbariumAllSettings *window;
  GtkAdjustment *scroll;
  if (g_getenv ("URBARIUM_SCREENSHOTS") == NULL)
    {
      g_test_skip ("URBARIUM_SCREENSHOTS is not set");
      return;
    }
  urb_run_config_init (&config);
  config.train.gamma = 3;
  window = urbarium_all_settings_new (&config, 3, NULL);
  gtk_window_set_default_size (GTK_WINDOW (window), 1280, 800);
  gtk_window_present (GTK_WINDOW (window));
  type (window, "lr-g", "3");
  type (window, "device", "foo");
  test_frames (GTK_WINDOW (window), 5);
  scroll = gtk_scrolled_window_get_vadjustment (
    GTK_SCROLLED_WINDOW (gtk_widget_get_ancestor (find_row (window, "seed"),
                                                  GTK_TYPE_SCROLLED_WINDOW)));
  for (int i = 0; i < 2; i++)
    for (int page = 0; page < 4; page++)
      {
        g_autofree char *name = g_strdup_printf ("%s-%d", names[i], page + 1);
        adw_style_manager_set_color_scheme (adw_style_manager_get_default (), schemes[i]);
        gtk_adjustment_set_value (scroll, 700 * page);
        test_frames (GTK_WINDOW (window), 5);
        test_screenshot (GTK_WINDOW (window), name);
      }
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char **argv)
{
  g_setenv ("GTK_A11Y", "test", TRUE); /* what a screen reader is told */
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/train/all-settings/rows", test_rows);
  g_test_add_func ("/app/train/all-settings/defaults", test_defaults);
  g_test_add_func ("/app/train/all-settings/problem", test_problem);
  g_test_add_func ("/app/train/all-settings/exists", test_exists);
  g_test_add_func ("/app/train/all-settings/channels", test_channels);
  g_test_add_func ("/app/train/all-settings/search", test_search);
  g_test_add_func ("/app/train/all-settings/values-whole", test_values_whole);
  g_test_add_func ("/app/train/all-settings/change", test_change);
  g_test_add_func ("/app/train/all-settings/strategy", test_strategy);
  g_test_add_func ("/app/train/all-settings/reset", test_reset);
  g_test_add_func ("/all-settings/hook", test_hook);
  g_test_add_func ("/app/train/all-settings/screenshots", test_screenshots);
  return g_test_run ();
}
