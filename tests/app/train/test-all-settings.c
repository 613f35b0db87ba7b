/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-all-settings.c - every row of the table has a row in the window, which shows it and sets it.
 */
#include "app-test.h"

#include "app/train/all-settings.h"

static UrbariumAllSettings *
open_window (const UrbRunConfig *config)
{
  UrbariumAllSettings *window = urbarium_all_settings_new (config, 3);
  gtk_window_present (GTK_WINDOW (window));
  return window;
}

static GtkWidget *
find_named (GtkWidget *widget, const char *name)
{
  GtkWidget *found = NULL;
  if (g_strcmp0 (gtk_widget_get_name (widget), name) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_named (child, name);
  return found;
}

static GtkWidget *
find_row (UrbariumAllSettings *window, const char *key)
{
  GtkWidget *row = find_named (GTK_WIDGET (window), key);
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
      g_assert_true (g_str_has_prefix (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)),
                                       setting->title));
      g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (row)), !=, "");
      g_assert_true (gtk_widget_get_sensitive (row) == (setting->strategies == 0));
    }
  g_assert_true (adw_preferences_window_get_search_enabled (ADW_PREFERENCES_WINDOW (window)));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* What is not set is empty, and says what is used instead. */
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
  g_assert_cmpstr (gtk_entry_get_placeholder_text (find_entry (window, "threads")), ==, "all");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (find_entry (window, "beta2"))), ==, "0.875");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (find_entry (window, "gamma"))), ==,
                   "12345.678"); /* all digits, and none grouped: it can be edited */
  /* Help of the option --full-lr describes the switch that is off. */
  g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (find_row (window, "stale-lr"))), ==,
                   "hogwild, streams: Gradients are slightly stale when they arrive; smaller steps "
                   "keep the training stable");
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

/* The settings of a strategy come alive with it, and go back to their defaults with another one. */
static void
test_strategy (void)
{
  g_auto(UrbRunConfig) config = { 0 };
  const UrbRunConfig *now;
  UrbariumAllSettings *window;
  urb_run_config_init (&config);
  window = open_window (&config);
  now = urbarium_all_settings_get_config (window);
  adw_combo_row_set_selected (ADW_COMBO_ROW (find_row (window, "strategy")), URB_STRATEGY_HOGWILD);
  g_assert_cmpint (now->train.strategy, ==, URB_STRATEGY_HOGWILD);
  g_assert_cmpint (now->train.n_ranks, ==, 2);
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

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/train/all-settings/rows", test_rows);
  g_test_add_func ("/app/train/all-settings/defaults", test_defaults);
  g_test_add_func ("/app/train/all-settings/change", test_change);
  g_test_add_func ("/app/train/all-settings/strategy", test_strategy);
  g_test_add_func ("/app/train/all-settings/reset", test_reset);
  return g_test_run ();
}
