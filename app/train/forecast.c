/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings may change while the engine computes.  Every query has a cancellable; a new query
 * cancels the old one, whose result is dropped.
 */
#include "app/train/forecast.h"

#include "app/runs/run-error.h"
#include "app/train/run-text.h"
#include "base/compare.h"

enum { DELAY_MS = 150, BENCH_STEPS = 10, N_LAST = 51 };

struct _UrbariumForecast
{
  GObject             parent_instance;

  UrbariumRunLibrary *library; /* (nullable) owned */
  UrbTrainOptions     options;
  char               *hosts;   /* (nullable) owned: the hosts file of the ranks */
  char               *key;     /* (nullable) owned: the relevant options as text */
  UrbariumPlan       *plan;    /* (nullable) owned */
  char               *error;   /* (nullable) owned */
  GHashTable         *speeds;  /* key to measured images per second, double *, owned */
  char               *run_name; /* (nullable) owned */
  char               *measure_error; /* (nullable) owned */
  GHashTable         *disturbed; /* (element-type key) owned: measured while another run trained */
  GCancellable       *plan_cancellable, *measure_cancellable; /* (nullable) owned: pending */
  guint               timeout;
};

G_DEFINE_FINAL_TYPE (UrbariumForecast, urbarium_forecast, G_TYPE_OBJECT)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
emit_changed (UrbariumForecast *self)
{
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
stop (GCancellable **cancellable)
{
  if (*cancellable != NULL)
    g_cancellable_cancel (*cancellable);
  g_clear_object (cancellable);
}

/* What decides memory and speed: the networks, and everything about ranks.
 * @hosts: (nullable) */
static char *
make_key (const UrbTrainOptions *options, int batch, const char *hosts)
{
  const UrbRunConfig config = { .train = *options };
  GString *key = g_string_new (NULL);
  g_string_printf (key, "%s %s %s %d %d %d %d %d %d %d", options->preset, options->recipe,
                   urb_device_get_full (options->backend), batch, options->accumulate, options->n_d_steps,
                   options->n_channels == 1 ? 1 : 3, options->precision, options->n_threads, options->refine);
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    {
      const UrbSetting *setting = &urb_run_settings.rows[i];
      g_autofree char *text = NULL;
      if (setting->section != URB_SECTION_STRATEGY)
        continue;
      text = urb_setting_dup_text (setting, &config);
      g_string_append_printf (key, " %s", text);
    }
  if (hosts != NULL)
    g_string_append_printf (key, " %s", hosts);
  return g_string_free (key, FALSE);
}

/* (nullable): NULL without an error */
static char *
dup_message (const GError *error)
{
  g_autoptr(GError) translated =
    error == NULL ? NULL : urbarium_run_error_translate (error, URBARIUM_RUN_ERROR_SETTINGS);
  return translated == NULL ? NULL : g_strdup (translated->message);
}

static void
plan_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumForecast) self = data;
  g_autoptr(GError) error = NULL;
  g_autofree UrbariumPlan *plan = urbarium_engine_query_plan_finish (result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      || g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result))))
    return;
  g_clear_object (&self->plan_cancellable);
  g_free (self->plan);
  self->plan = g_steal_pointer (&plan);
  self->error = dup_message (error);
  emit_changed (self);
}

static gboolean
plan_timeout_cb (gpointer data)
{
  UrbariumForecast *self = data;
  self->timeout = 0;
  self->plan_cancellable = g_cancellable_new ();
  urbarium_engine_query_plan_async (&self->options, self->hosts, self->plan_cancellable, plan_cb,
                                    g_object_ref (self));
  return G_SOURCE_REMOVE;
}

void
urbarium_forecast_set_hosts (UrbariumForecast *self, const char *file)
{
  g_free (self->hosts);
  self->hosts = g_strdup (file);
}

/* Does not emit "changed". */
static void
forget (UrbariumForecast *self)
{
  stop (&self->plan_cancellable);
  stop (&self->measure_cancellable);
  g_clear_handle_id (&self->timeout, g_source_remove);
  g_clear_pointer (&self->error, g_free);
  g_clear_pointer (&self->measure_error, g_free);
  g_clear_pointer (&self->plan, g_free);
  g_clear_pointer (&self->key, g_free);
}

void
urbarium_forecast_hosts_written (UrbariumForecast *self)
{
  forget (self);
  emit_changed (self);
}

void
urbarium_forecast_set_options (UrbariumForecast *self, const UrbTrainOptions *options)
{
  g_autofree char *key = make_key (options, options->batch, self->hosts);
  if (g_strcmp0 (key, self->key) == 0)
    {
      if (options->rank_memory != self->options.rank_memory)
        {
          self->options.rank_memory = options->rank_memory;
          emit_changed (self);
        }
      return;
    }
  forget (self);
  self->key = g_steal_pointer (&key);
  urb_train_options_clear (&self->options);
  urb_train_options_copy (&self->options, options);
  self->timeout = g_timeout_add (DELAY_MS, plan_timeout_cb, self);
  emit_changed (self);
}

void
urbarium_forecast_set_library (UrbariumForecast *self, UrbariumRunLibrary *library)
{
  g_set_object (&self->library, library);
}

const UrbariumPlan *
urbarium_forecast_get_plan (UrbariumForecast *self)
{
  return self->plan;
}

gboolean
urbarium_forecast_is_on_gpu (UrbariumForecast *self)
{
  return self->key != NULL && urb_device_is_gpu (self->options.backend);
}

gint64
urbarium_forecast_get_rank_bytes (UrbariumForecast *self)
{
  return urb_train_options_get_rank_bytes (&self->options);
}

const char *
urbarium_forecast_get_error (UrbariumForecast *self)
{
  return self->error;
}

/* The current speed; of an ended run, the median of its last steps, if they have been read. */
static double
get_run_speed (UrbariumRun *run)
{
  UrbariumSeries *series = urbarium_run_get_speed (run);
  gsize n = urbarium_series_get_n (series), first = n > N_LAST ? n - N_LAST : 0;
  double images_per_s, last[N_LAST];
  g_object_get (run, "images-per-s", &images_per_s, NULL);
  if (images_per_s > 0 || n == 0)
    return images_per_s;
  for (gsize i = first; i < n; i++)
    {
      double x;
      urbarium_series_get (series, i, &x, &last[i - first]);
    }
  qsort (last, n - first, sizeof *last, urb_compare_doubles);
  return last[(n - first) / 2];
}

/* The speed of the newest known run with the same settings. */
static double
find_earlier (UrbariumForecast *self)
{
  GListModel *runs = G_LIST_MODEL (self->library);
  guint n = runs == NULL ? 0 : g_list_model_get_n_items (runs);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr(UrbariumRun) run = g_list_model_get_item (runs, i);
      const UrbRunConfig *config = urbarium_run_get_config (run);
      g_autofree char *key = NULL;
      double images_per_s;
      if (config == NULL)
        continue;
      key = make_key (&config->train, config->train.batch, config->hosts);
      images_per_s = get_run_speed (run);
      if (images_per_s > 0 && g_strcmp0 (key, self->key) == 0)
        {
          g_free (self->run_name);
          self->run_name = g_strdup (urbarium_run_get_name (run));
          return images_per_s;
        }
    }
  return 0;
}

double
urbarium_forecast_get_speed (UrbariumForecast *self, UrbariumSpeedSource *source,
                             const char **run_name)
{
  const double *measured = self->key == NULL ? NULL : g_hash_table_lookup (self->speeds, self->key);
  double speed = measured != NULL ? *measured : self->key == NULL ? 0 : find_earlier (self);
  if (measured != NULL)
    *source = g_hash_table_contains (self->disturbed, self->key) ? URBARIUM_SPEED_DISTURBED
                                                                 : URBARIUM_SPEED_MEASURED;
  else
    *source = speed > 0 ? URBARIUM_SPEED_EARLIER : URBARIUM_SPEED_UNKNOWN;
  if (run_name != NULL)
    *run_name = *source == URBARIUM_SPEED_EARLIER ? self->run_name : NULL;
  return speed;
}

/* A run that trains meanwhile disturbs the measurement. */
static void
note_speed (UrbariumForecast *self, const char *key, double speed)
{
  GListModel *runs = G_LIST_MODEL (self->library);
  guint n = runs == NULL ? 0 : g_list_model_get_n_items (runs);
  gboolean disturbed = FALSE;
  for (guint i = 0; i < n && !disturbed; i++)
    {
      g_autoptr(UrbariumRun) run = g_list_model_get_item (runs, i);
      disturbed = urbarium_run_text_is_active (run);
    }
  g_hash_table_replace (self->speeds, g_strdup (key), g_memdup2 (&speed, sizeof speed));
  if (disturbed)
    g_hash_table_add (self->disturbed, g_strdup (key));
  else
    g_hash_table_remove (self->disturbed, key);
}

void
urbarium_forecast_add_speed (UrbariumForecast *self, const UrbTrainOptions *options, double images_per_s)
{
  g_autofree char *key = make_key (options, options->batch, self->hosts);
  note_speed (self, key, images_per_s);
  emit_changed (self);
}

static void
measure_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumForecast) self = data;
  g_autoptr(GError) error = NULL;
  double speed = urbarium_engine_query_speed_finish (result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      || g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result))))
    return;
  g_clear_object (&self->measure_cancellable);
  if (speed > 0)
    note_speed (self, self->key, speed);
  self->measure_error = dup_message (error);
  emit_changed (self);
}

void
urbarium_forecast_measure (UrbariumForecast *self)
{
  if (self->key == NULL || self->measure_cancellable != NULL)
    return;
  g_clear_pointer (&self->measure_error, g_free);
  self->measure_cancellable = g_cancellable_new ();
  urbarium_engine_query_speed_async (&self->options, BENCH_STEPS, self->measure_cancellable,
                                     measure_cb, g_object_ref (self));
  emit_changed (self);
}

void
urbarium_forecast_cancel_measure (UrbariumForecast *self)
{
  if (self->measure_cancellable == NULL)
    return;
  stop (&self->measure_cancellable);
  emit_changed (self);
}

gboolean
urbarium_forecast_get_measuring (UrbariumForecast *self)
{
  return self->measure_cancellable != NULL;
}

const char *
urbarium_forecast_get_measure_error (UrbariumForecast *self)
{
  return self->measure_error;
}

static void
dispose (GObject *object)
{
  UrbariumForecast *self = URBARIUM_FORECAST (object);
  g_clear_handle_id (&self->timeout, g_source_remove);
  stop (&self->plan_cancellable);
  stop (&self->measure_cancellable);
  g_clear_object (&self->library);
  G_OBJECT_CLASS (urbarium_forecast_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumForecast *self = URBARIUM_FORECAST (object);
  urb_train_options_clear (&self->options);
  g_free (self->hosts);
  g_free (self->key);
  g_free (self->plan);
  g_free (self->error);
  g_free (self->run_name);
  g_free (self->measure_error);
  g_hash_table_unref (self->speeds);
  g_hash_table_unref (self->disturbed);
  G_OBJECT_CLASS (urbarium_forecast_parent_class)->finalize (object);
}

static void
urbarium_forecast_class_init (UrbariumForecastClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
urbarium_forecast_init (UrbariumForecast *self)
{
  self->disturbed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->speeds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

UrbariumForecast *
urbarium_forecast_new (void)
{
  return g_object_new (URBARIUM_TYPE_FORECAST, NULL);
}
