/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/run-settings-private.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/message.h"
#include "app/base/ui-path.h"
#include "app/plot/wrap-layout.h"
#include "app/train/host-list.h"
#include "app/train/two-up.h"
#include "settings/recipe.h"

G_DEFINE_FINAL_TYPE (UrbariumRunSettings, urbarium_run_settings, ADW_TYPE_BIN)

enum { STARTED, STARTED_SEVERAL, CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

GPtrArray *
urbarium_run_settings_dup_queue (UrbariumRunSettings *self)
{
  return self->library == NULL ? g_ptr_array_new () : urbarium_run_library_dup_queue (self->library);
}

/* Each GPU of a run has a rank. */
static void
leave_gpus (UrbTrainOptions *options)
{
  g_autofree char *all = g_steal_pointer (&options->backend);
  options->backend = urb_device_dup_first (all, urb_strategy_is_synchronous (options->strategy) ? (guint) options->n_ranks : 1);
}

void
urbarium_run_settings_get_config (UrbariumRunSettings *self, UrbRunConfig *config)
{
  UrbTrainOptions *train = &config->train;
  const char *dataset = urbarium_dataset_group_get_path (self->dataset_group);
  urb_run_config_copy (config, &self->base);
  g_free (train->dataset);
  g_free (train->preset);
  g_free (train->recipe);
  train->dataset = g_strdup (dataset);
  train->preset = g_strdup (urbarium_model_group_get_preset_source (self->model_group));
  train->recipe = g_strdup (urbarium_model_group_get_recipe (self->model_group));
  urbarium_training_group_apply (self->training_group, config);
  urbarium_devices_group_apply (self->devices_group, train);
  urbarium_strategy_group_apply (self->strategy_group, config);
  leave_gpus (train);
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    {
      const UrbSetting *row = &urb_run_settings.rows[i];
      if (row->strategies != 0 && !(row->strategies & 1u << train->strategy))
        urb_setting_reset (row, config);
    }
}

static void
preset_changed_cb (UrbariumRunSettings *self)
{
  urbarium_training_group_set_preset (self->training_group,
                                      urbarium_model_group_get_preset (self->model_group));
}

/* Proposes a precision for another device; keeps it for the same one. */
static void
update_device (UrbariumRunSettings *self)
{
  const UrbariumDevices *devices = urbarium_devices_group_get_devices (self->devices_group);
  const UrbariumGpu *gpu = urbarium_devices_group_get_gpu (self->devices_group);
  const char *device = gpu != NULL ? gpu->device : "cpu";
  if (devices == NULL)
    return;
  urbarium_training_group_set_device (self->training_group, devices, gpu);
  if (g_str_equal (device, self->device) || urb_device_has_gpu (self->device, device))
    return;
  urbarium_training_group_propose_precision (self->training_group);
  g_free (self->device);
  self->device = g_strdup (device);
}

/* Returns: FALSE, with nothing set, if there are no such networks */
static gboolean
set_all (UrbariumRunSettings *self, const UrbRunConfig *config)
{
  if (!urbarium_model_group_set_preset (self->model_group, config->train.preset))
    return FALSE;
  urb_run_config_copy (&self->base, config);
  urbarium_model_group_set_recipe (self->model_group, config->train.recipe);
  urbarium_devices_group_set_options (self->devices_group, &config->train);
  update_device (self); /* fill the list of precisions first */
  preset_changed_cb (self); /* steps and batch, where they are not set */
  urbarium_training_group_set_config (self->training_group, config);
  g_free (self->device);
  self->device = g_strdup (config->train.backend);
  update_device (self); /* the device in use may differ from the configured one */
  urbarium_strategy_group_set_config (self->strategy_group, config);
  urbarium_dataset_group_set_path (self->dataset_group, config->train.dataset);
  return TRUE;
}

gboolean
urbarium_run_settings_set_config (UrbariumRunSettings *self, const UrbRunConfig *config)
{
  if (!set_all (self, config))
    return FALSE;
  g_clear_pointer (&self->base.note, g_free); /* it is about that run */
  /* A run stores every value; what came from its recipe shall follow other choices. */
  urb_recipe_unresolve (&self->base, urbarium_model_group_get_preset (self->model_group));
  return TRUE;
}

gboolean
urbarium_run_settings_is_device_chosen (UrbariumRunSettings *self)
{
  return urbarium_devices_group_is_chosen (self->devices_group);
}

void
urbarium_run_settings_propose_device (UrbariumRunSettings *self)
{
  urbarium_devices_group_propose (self->devices_group);
}

/* What the button will do, if the settings are valid. */
static char *
dup_summary (UrbariumRunSettings *self, GPtrArray *queue)
{
  g_auto(UrbRunConfig) config = { 0 };
  UrbariumSpeedSource source;
  double speed = urbarium_forecast_get_speed (self->forecast, &source, NULL);
  g_autofree char *steps = NULL, *time = NULL;
  if (queue->len > 0)
    /* translators: the name of a run */
    return g_strdup_printf (_ ("Starts when “%s” has ended"),
                            urbarium_run_get_name (queue->pdata[queue->len - 1]));
  urbarium_run_settings_get_config (self, &config);
  steps = urbarium_format_count (config.train.n_steps);
  if (source == URBARIUM_SPEED_UNKNOWN)
    /* translators: a count of training steps */
    return g_strdup_printf (_ ("%s steps"), steps);
  time = urbarium_format_duration ((double) config.train.n_steps
                                   * (double) urb_train_options_count_images (&config.train) / speed);
  /* translators: a count of training steps, and a duration */
  return g_strdup_printf (_ ("%s steps, about %s"), steps, time);
}

static void
update (UrbariumRunSettings *self)
{
  g_autofree char *problem = urbarium_run_settings_check (self);
  g_autoptr(GPtrArray) queue = urbarium_run_settings_dup_queue (self);
  g_autofree char *summary = problem == NULL ? dup_summary (self, queue) : NULL;
  gboolean possible = problem == NULL && self->library != NULL && self->starting == NULL;
  gtk_label_set_text (self->message_label, problem != NULL ? problem : summary);
  /* No warning icon before a dataset is chosen. */
  gtk_widget_set_visible (GTK_WIDGET (self->message_icon),
                          problem != NULL
                            && urbarium_dataset_group_get_info (self->dataset_group) != NULL);
  gtk_button_set_label (self->train_button, queue->len > 0 ? _ ("_Add to queue") : _ ("_Train"));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "settings.train", possible);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "settings.several", possible);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "settings.try", problem == NULL || urbarium_trial_is_active (self->trial));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "settings.rates",
                                 problem == NULL && !urbarium_trial_is_active (self->trial)
                                   && !urb_strategy_is_asynchronous (urbarium_strategy_group_get_strategy (self->strategy_group)));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "settings.batch", urbarium_run_settings_can_find_batch (self));
  gtk_button_set_label (self->try_button, urbarium_trial_is_active (self->trial) ? _ ("_Stop trying") : _ ("Try _out"));
  gtk_widget_set_visible (GTK_WIDGET (self->train_spinner), self->starting != NULL || urbarium_trial_is_active (self->trial));
}

/* Proposes a unique name. */
static void
offer_name (UrbariumRunSettings *self)
{
  const char *path = urbarium_dataset_group_get_path (self->dataset_group);
  const char *preset = urbarium_model_group_get_preset (self->model_group)->name;
  g_autofree char *base = path == NULL ? NULL : g_filename_display_basename (path);
  char *dot = base == NULL ? NULL : g_strrstr (base, ".");
  g_autofree char *plain = NULL;
  char *name;
  if (dot != NULL && dot != base)
    *dot = '\0';
  plain = base == NULL ? g_strdup (preset) : g_strdup_printf ("%s, %s", base, preset);
  name = self->library != NULL ? urbarium_run_library_dup_free_name (self->library, plain) : g_strdup (plain);
  urbarium_training_group_offer_name (self->training_group, name);
  g_free (name);
}

void
urbarium_run_settings_forget_hosts (UrbariumRunSettings *self)
{
  g_clear_pointer (&self->used_file, g_free);
  g_clear_pointer (&self->hosts, g_ptr_array_unref);
  g_clear_error (&self->hosts_error);
}

/* Reads the hosts again if the settings name another file, or the file was written. */
static void
read_hosts (UrbariumRunSettings *self)
{
  const char *file = urbarium_strategy_group_get_config (self->strategy_group)->hosts;
  if (g_strcmp0 (file, self->used_file) == 0)
    return;
  urbarium_run_settings_forget_hosts (self);
  self->used_file = g_strdup (file);
  self->hosts = file != NULL ? urbarium_host_list_load (file, &self->hosts_error) : NULL;
  urbarium_strategy_group_set_n_slots (
    self->strategy_group, self->hosts != NULL ? urbarium_host_list_count_slots (self->hosts) : 0);
}

/* "3 hosts, 5 slots"
 * @used: (nullable): the hosts file of a run with these settings */
static void
show_hosts (UrbariumRunSettings *self, const char *used)
{
  int n_slots = self->hosts != NULL ? urbarium_host_list_count_slots (self->hosts) : 0;
  g_autofree char *hosts = NULL, *slots = NULL, *text = NULL;
  if (self->hosts_error != NULL)
    text = g_strdup_printf ("%s\n%s", _ ("The hosts file cannot be read"), self->hosts_error->message);
  if (self->hosts == NULL)
    {
      urbarium_devices_group_set_hosts (self->devices_group, text != NULL ? text : _ ("Only this machine"), text != NULL);
      return;
    }
  hosts = g_strdup_printf (ngettext ("%u host", "%u hosts", self->hosts->len), self->hosts->len);
  slots = g_strdup_printf (ngettext ("%d slot", "%d slots", n_slots), n_slots);
  text = g_strdup_printf ("%s, %s%s%s", hosts, slots, used == NULL ? "\n" : "",
                          used == NULL ? _ ("The selected strategy uses only this machine; choose one with copies or "
                                            "stages") : "");
  urbarium_devices_group_set_hosts (self->devices_group, text, used == NULL);
}

/* How many ranks of a run on several hosts are on this machine is not known here. */
static void
show_ranks (UrbariumRunSettings *self, const UrbRunConfig *config)
{
  UrbStrategy strategy = config->train.strategy;
  urbarium_devices_group_set_ranks (self->devices_group,
                                    config->hosts != NULL              ? 0
                                    : strategy == URB_STRATEGY_SINGLE ? 1 : config->train.n_ranks,
                                    urb_strategy_is_synchronous (strategy));
}

static void
settings_changed_cb (UrbariumRunSettings *self)
{
  g_auto(UrbRunConfig) config = { 0 };
  const UrbDatasetInfo *info = urbarium_dataset_group_get_info (self->dataset_group);
  const UrbPreset *preset = urbarium_model_group_get_preset (self->model_group);
  g_autofree char *mistake = NULL;
  offer_name (self);
  urbarium_strategy_group_set_networks (self->strategy_group, preset,
                                        urbarium_model_group_get_recipe (self->model_group));
  read_hosts (self);
  urbarium_run_settings_get_config (self, &config);
  show_hosts (self, config.hosts);
  show_ranks (self, &config);
  if (info != NULL)
    config.train.n_channels = urb_encoding_get_n_channels (info->encoding);
  urbarium_training_group_set_recipe (self->training_group, preset, config.train.recipe);
  mistake = urbarium_strategy_group_check (self->strategy_group, &config.train);
  /* No queries while another page is shown. */
  if (gtk_widget_get_mapped (GTK_WIDGET (self)) && mistake == NULL
      && config.train.batch % config.train.accumulate == 0)
    {
      urbarium_forecast_set_hosts (self->forecast, config.hosts);
      urbarium_forecast_set_options (self->forecast, &config.train);
      urbarium_devices_group_apply (self->devices_group, &config.train); /* also GPUs that this strategy does not use */
      urbarium_strategy_comparison_set_options (self->comparison, &config.train);
    }
  update (self);
  g_signal_emit (self, signals[CHANGED], 0);
}

void
urbarium_run_settings_show_config (UrbariumRunSettings *self, const UrbRunConfig *config)
{
  set_all (self, config);
  settings_changed_cb (self);
}

static void
devices_changed_cb (UrbariumRunSettings *self)
{
  const UrbariumDevices *devices = urbarium_devices_group_get_devices (self->devices_group);
  if (devices != NULL)
    {
      update_device (self);
      urbarium_strategy_group_set_devices (self->strategy_group, devices,
                                           urbarium_devices_group_get_gpu (self->devices_group));
    }
  settings_changed_cb (self);
}

static void
gpus_ticked_cb (UrbariumRunSettings *self, guint n_before)
{
  urbarium_strategy_group_spread (self->strategy_group, urbarium_devices_group_get_n_gpus (self->devices_group), n_before);
}

static void
forecast_changed_cb (UrbariumRunSettings *self)
{
  urbarium_model_group_set_plan (self->model_group, urbarium_forecast_get_plan (self->forecast));
  update (self);
}

static void
runs_changed_cb (UrbariumRunSettings *self, guint position, guint n_removed, guint n_added)
{
  for (guint i = position; i < position + n_added; i++)
    {
      g_autoptr(UrbariumRun) run = g_list_model_get_item (G_LIST_MODEL (self->library), i);
      g_signal_handlers_disconnect_by_func (run, update, self); /* it may just have moved */
      g_signal_handlers_disconnect_by_func (run, offer_name, self);
      g_signal_connect_object (run, "notify::name", G_CALLBACK (offer_name), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (run, "notify::state", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
    }
  offer_name (self);
  update (self);
}

static void
started_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumRunSettings) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbariumRun) run =
    urbarium_run_library_start_finish (URBARIUM_RUN_LIBRARY (source), result, &error);
  if (self->starting == NULL)
    return; /* the window was closed; the run continues */
  g_clear_object (&self->starting);
  update (self);
  if (run == NULL)
    {
      urbarium_message_error (GTK_WIDGET (self), _ ("The run did not start"), error);
      urbarium_dataset_group_refresh (self->dataset_group);
    }
  else
    {
      g_clear_pointer (&self->base.note, g_free); /* it is about this run */
      g_signal_emit (self, signals[STARTED], 0, run);
    }
}

static void
train_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumRunSettings *self = URBARIUM_RUN_SETTINGS (widget);
  g_autofree char *problem = urbarium_run_settings_check (self);
  g_autoptr(GPtrArray) queue = urbarium_run_settings_dup_queue (self);
  g_auto(UrbRunConfig) config = { 0 };
  if (problem != NULL || self->starting != NULL || self->library == NULL)
    return;
  urbarium_run_settings_get_config (self, &config);
  urbarium_forecast_cancel_measure (self->forecast);
  urbarium_strategy_comparison_cancel (self->comparison);
  self->starting = g_cancellable_new ();
  urbarium_run_library_start_async (self->library, &config, queue, self->starting, started_cb,
                                    g_object_ref (self));
  update (self);
}

/* Sets the settings named by @keys to their values in @values. */
static void
put (UrbariumRunSettings *self, const UrbRunConfig *values, const char *const *keys)
{
  g_auto(UrbRunConfig) config = { 0 };
  urbarium_run_settings_get_config (self, &config);
  for (guint i = 0; keys[i] != NULL; i++)
    urb_setting_copy (urb_settings_find (&urb_run_settings, keys[i]), &config, values);
  urbarium_training_group_set_config (self->training_group, &config);
}

static void
undo_found_cb (UrbariumRunSettings *self)
{
  if (self->found_keys != NULL)
    put (self, &self->before_found, (const char *const *) self->found_keys);
  g_clear_pointer (&self->found_keys, g_strfreev);
}

/* "Batch size: 64" */
static char *
dup_values (const UrbRunConfig *values, const char *const *keys)
{
  g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; keys[i] != NULL; i++)
    {
      const UrbSetting *setting = urb_settings_find (&urb_run_settings, keys[i]);
      g_autofree char *number = urbarium_format_value (urb_setting_get_number (setting, values));
      /* translators: a setting; its value */
      g_ptr_array_add (parts, g_strdup_printf (_ ("%s: %s"), _ (setting->title), number));
    }
  g_ptr_array_add (parts, NULL);
  return g_strjoinv (", ", (char **) parts->pdata);
}

static void
use_found_cb (UrbariumRunSettings *self, const UrbRunConfig *found, const char *const *keys)
{
  g_autofree char *text = dup_values (found, keys);
  urbarium_run_settings_get_config (self, &self->before_found);
  g_strfreev (self->found_keys);
  self->found_keys = g_strdupv ((char **) keys);
  put (self, found, keys);
  urbarium_message_toast_undo (GTK_WIDGET (self), text, G_CALLBACK (undo_found_cb), self);
}

/* The forecast is asked for the channels of the dataset. */
static void
measured_cb (UrbariumRunSettings *self, const UrbRunConfig *config, double images_per_s)
{
  const UrbDatasetInfo *info = urbarium_dataset_group_get_info (self->dataset_group);
  g_auto(UrbTrainOptions) options = { 0 };
  urb_train_options_copy (&options, &config->train);
  if (info != NULL)
    options.n_channels = urb_encoding_get_n_channels (info->encoding);
  urbarium_forecast_add_speed (self->forecast, &options, images_per_s);
}

static void
start_trial (UrbariumRunSettings *self, UrbariumTrialKind kind)
{
  g_auto(UrbRunConfig) config = { 0 };
  urbarium_run_settings_get_config (self, &config);
  urbarium_trial_start (self->trial, kind, &config);
}

static void
try_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumRunSettings *self = URBARIUM_RUN_SETTINGS (widget);
  if (urbarium_trial_is_active (self->trial))
    urbarium_trial_stop (self->trial);
  else
    start_trial (self, URBARIUM_TRIAL_RUN);
}

static void
rates_action (GtkWidget *widget, const char *name, GVariant *param)
{
  start_trial (URBARIUM_RUN_SETTINGS (widget), URBARIUM_TRIAL_RATES);
}

static void
batch_action (GtkWidget *widget, const char *name, GVariant *param)
{
  start_trial (URBARIUM_RUN_SETTINGS (widget), URBARIUM_TRIAL_BATCH);
}

static gboolean
drop_cb (UrbariumRunSettings *self, const GValue *value)
{
  return urbarium_dataset_group_drop (self->dataset_group, value);
}

static void
map_cb (UrbariumRunSettings *self)
{
  urbarium_devices_group_load (self->devices_group);
  settings_changed_cb (self);
}

void
urbarium_run_settings_set_library (UrbariumRunSettings *self, UrbariumRunLibrary *library)
{
  g_return_if_fail (self->library == NULL);
  self->library = g_object_ref (library);
  urbarium_forecast_set_library (self->forecast, library);
  urbarium_devices_group_set_library (self->devices_group, library);
  g_signal_connect_object (library, "items-changed", G_CALLBACK (runs_changed_cb), self,
                           G_CONNECT_SWAPPED);
  runs_changed_cb (self, 0, 0, g_list_model_get_n_items (G_LIST_MODEL (library)));
}

void
urbarium_run_settings_set_dataset (UrbariumRunSettings *self, const char *path)
{
  urbarium_dataset_group_set_path (self->dataset_group, path);
}

/* The window is closed, before or after dispose(), in which a trial cannot stop: it has a reference. */
static void
unroot (GtkWidget *widget)
{
  UrbariumRunSettings *self = URBARIUM_RUN_SETTINGS (widget);
  if (self->trial != NULL)
    urbarium_trial_stop (self->trial);
  GTK_WIDGET_CLASS (urbarium_run_settings_parent_class)->unroot (widget);
}

static void
dispose (GObject *object)
{
  UrbariumRunSettings *self = URBARIUM_RUN_SETTINGS (object);
  g_clear_object (&self->starting);
  g_clear_object (&self->library);
  g_clear_object (&self->forecast);
  g_clear_object (&self->comparison);
  g_clear_object (&self->trial);
  G_OBJECT_CLASS (urbarium_run_settings_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumRunSettings *self = URBARIUM_RUN_SETTINGS (object);
  g_free (self->device);
  g_free (self->hosts_file);
  urbarium_run_settings_forget_hosts (self);
  urb_run_config_clear (&self->base);
  urb_run_config_clear (&self->before_found);
  g_strfreev (self->found_keys);
  G_OBJECT_CLASS (urbarium_run_settings_parent_class)->finalize (object);
}

static void
urbarium_run_settings_class_init (UrbariumRunSettingsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  widget_class->unroot = unroot;
  signals[STARTED] = g_signal_new ("started", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 1, URBARIUM_TYPE_RUN);
  signals[STARTED_SEVERAL] = g_signal_new ("started-several", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                           NULL, NULL, G_TYPE_NONE, 1, G_TYPE_PTR_ARRAY);
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  g_type_ensure (URBARIUM_TYPE_DATASET_GROUP);
  g_type_ensure (URBARIUM_TYPE_MODEL_GROUP);
  g_type_ensure (URBARIUM_TYPE_TRAINING_GROUP);
  g_type_ensure (URBARIUM_TYPE_DEVICES_GROUP);
  g_type_ensure (URBARIUM_TYPE_STRATEGY_GROUP);
  g_type_ensure (URBARIUM_TYPE_TWO_UP);
  g_type_ensure (URBARIUM_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "run-settings.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunSettings, dataset_group);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunSettings, model_group);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunSettings, training_group);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunSettings, devices_group);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunSettings, strategy_group);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunSettings, message_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunSettings, message_icon);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunSettings, train_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunSettings, try_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunSettings, train_spinner);
  gtk_widget_class_bind_template_callback (widget_class, settings_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, preset_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, devices_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, gpus_ticked_cb);
  gtk_widget_class_bind_template_callback (widget_class, map_cb);
  gtk_widget_class_install_action (widget_class, "settings.train", NULL, train_action);
  gtk_widget_class_install_action (widget_class, "settings.try", NULL, try_action);
  gtk_widget_class_install_action (widget_class, "settings.rates", NULL, rates_action);
  gtk_widget_class_install_action (widget_class, "settings.batch", NULL, batch_action);
  urbarium_run_settings_install_windows (widget_class);
}

static void
urbarium_run_settings_init (UrbariumRunSettings *self)
{
  GtkDropTarget *drop = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);
  self->forecast = urbarium_forecast_new ();
  self->comparison = urbarium_strategy_comparison_new ();
  self->trial = urbarium_trial_new (GTK_WIDGET (self));
  self->device = g_strdup ("cpu");
  self->hosts_file = urbarium_host_list_dup_path ();
  urb_run_config_init (&self->base);
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (self->forecast, "changed", G_CALLBACK (forecast_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->trial, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->trial, "measured", G_CALLBACK (measured_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->trial, "use", G_CALLBACK (use_found_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (drop, "drop", G_CALLBACK (drop_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drop));
  urbarium_training_group_set_forecast (self->training_group, self->forecast);
  urbarium_strategy_group_set_forecast (self->strategy_group, self->forecast);
  urbarium_strategy_group_set_comparison (self->strategy_group, self->comparison);
  preset_changed_cb (self);
  settings_changed_cb (self);
}
