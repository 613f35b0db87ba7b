/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/run-settings-private.h"

#include "app/train/all-settings.h"
#include "app/train/host-list.h"
#include "app/train/hosts-window.h"
#include "app/train/race-window.h"
#include "app/train/sweep-window.h"

static void
several_started_cb (UrbariumRunSettings *self, GPtrArray *runs)
{
  g_signal_emit_by_name (self, "started-several", runs);
}

static void
several_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumRunSettings *self = URBARIUM_RUN_SETTINGS (widget);
  const UrbDatasetInfo *info = urbarium_dataset_group_get_info (self->dataset_group);
  g_auto(UrbRunConfig) config = { 0 };
  UrbariumSweepWindow *window;
  if (info == NULL || self->library == NULL)
    return;
  urbarium_run_settings_get_config (self, &config);
  window = urbarium_sweep_window_new (self->library, &config, urb_encoding_get_n_channels (info->encoding));
  g_signal_connect_object (window, "started", G_CALLBACK (several_started_cb), self, G_CONNECT_SWAPPED);
  gtk_window_set_transient_for (GTK_WINDOW (window), GTK_WINDOW (gtk_widget_get_root (widget)));
  gtk_window_present (GTK_WINDOW (window));
}

/* Without good settings, earlier comparisons can be seen. */
static void
race_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumRunSettings *self = URBARIUM_RUN_SETTINGS (widget);
  const UrbariumDevices *devices = urbarium_devices_group_get_devices (self->devices_group);
  g_autofree char *problem = urbarium_run_settings_check (self);
  g_autoptr(GPtrArray) queue = urbarium_run_settings_dup_queue (self);
  g_auto(UrbRunConfig) config = { 0 };
  UrbariumRaceWindow *window;
  urbarium_run_settings_get_config (self, &config);
  window = urbarium_race_window_new (NULL, problem == NULL ? &config : NULL,
                                     devices != NULL ? (const char *const *) devices->strategies : NULL, queue->len > 0);
  gtk_window_set_transient_for (GTK_WINDOW (window), GTK_WINDOW (gtk_widget_get_root (widget)));
  gtk_window_present (GTK_WINDOW (window));
}

static void
hosts_done_cb (UrbariumRunSettings *self, UrbariumHostsWindow *window)
{
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(GPtrArray) hosts = NULL;
  urb_run_config_copy (&config, urbarium_strategy_group_get_config (self->strategy_group));
  urbarium_hosts_window_apply (window, &config);
  urbarium_run_settings_forget_hosts (self); /* the file may have been written */
  urbarium_forecast_hosts_written (self->forecast);
  hosts = config.hosts != NULL ? urbarium_host_list_load (config.hosts, NULL) : NULL;
  urbarium_strategy_group_set_hosts (self->strategy_group, &config,
                                     hosts != NULL ? urbarium_host_list_count_slots (hosts) : 0);
}

static void
hosts_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumRunSettings *self = URBARIUM_RUN_SETTINGS (widget);
  g_auto(UrbRunConfig) config = { 0 };
  gboolean has_dataset = urbarium_dataset_group_get_info (self->dataset_group) != NULL;
  UrbariumHostsWindow *window;
  urb_run_config_copy (&config, urbarium_strategy_group_get_config (self->strategy_group));
  g_free (config.train.dataset);
  config.train.dataset = has_dataset ? g_strdup (urbarium_dataset_group_get_path (self->dataset_group)) : NULL;
  window = urbarium_hosts_window_new (config.hosts != NULL ? config.hosts : self->hosts_file, &config);
  g_signal_connect_object (window, "done", G_CALLBACK (hosts_done_cb), self, G_CONNECT_SWAPPED);
  gtk_window_set_transient_for (GTK_WINDOW (window), GTK_WINDOW (gtk_widget_get_root (widget)));
  gtk_window_present (GTK_WINDOW (window));
}

static void
all_changed_cb (UrbariumRunSettings *self, UrbariumAllSettings *window)
{
  urbarium_run_settings_show_config (self, urbarium_all_settings_get_config (window));
}

/* The processor and every GPU that can be used; NULL: not known yet. */
static GStrv
dup_device_names (UrbariumRunSettings *self)
{
  const UrbariumDevices *devices = urbarium_devices_group_get_devices (self->devices_group);
  g_autoptr(GStrvBuilder) names = g_strv_builder_new ();
  if (devices == NULL)
    return NULL;
  g_strv_builder_add (names, "cpu");
  for (guint i = 0; i < devices->gpus->len; i++)
    {
      const UrbariumGpu *gpu = g_ptr_array_index (devices->gpus, i);
      if (gpu->device != NULL)
        g_strv_builder_add (names, gpu->device);
    }
  return g_strv_builder_end (names);
}

static void
all_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumRunSettings *self = URBARIUM_RUN_SETTINGS (widget);
  const UrbDatasetInfo *info = urbarium_dataset_group_get_info (self->dataset_group);
  g_auto(UrbRunConfig) config = { 0 };
  g_auto(GStrv) devices = dup_device_names (self);
  const UrbPreset *preset = urbarium_model_group_get_preset (self->model_group);
  UrbariumAllSettings *window;
  urbarium_run_settings_get_config (self, &config);
  /* The page shows the preset's numbers, which are not set. */
  if (config.train.n_steps == preset->n_steps)
    config.train.n_steps = 0;
  if (config.train.batch == preset->batch)
    config.train.batch = 0;
  window = urbarium_all_settings_new (
    &config, info != NULL ? urb_encoding_get_n_channels (info->encoding) : 0,
    (const char *const *) devices);
  g_signal_connect_object (window, "changed", G_CALLBACK (all_changed_cb), self, G_CONNECT_SWAPPED);
  gtk_window_set_transient_for (GTK_WINDOW (window), GTK_WINDOW (gtk_widget_get_root (widget)));
  gtk_window_set_modal (GTK_WINDOW (window), TRUE);
  gtk_window_present (GTK_WINDOW (window));
}

void
urbarium_run_settings_install_windows (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "settings.several", NULL, several_action);
  gtk_widget_class_install_action (widget_class, "settings.race", NULL, race_action);
  gtk_widget_class_install_action (widget_class, "settings.all", NULL, all_action);
  gtk_widget_class_install_action (widget_class, "settings.hosts", NULL, hosts_action);
}
