/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - the object: its properties and its lists.
 */
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/runs/device-name.h"
#include "app/runs/run-error.h"
#include "app/runs/run-private.h"

G_DEFINE_FINAL_TYPE (UrbariumRun, urbarium_run, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_FOLDER,
  PROP_NAME,
  PROP_STATE,
  PROP_STATE_TEXT,
  PROP_QUEUED,
  PROP_LIVE,
  PROP_LOADING,
  PROP_HAS_CHECKPOINT,
  PROP_STEP,
  PROP_N_STEPS,
  PROP_IMAGES,
  PROP_IMAGES_PER_S,
  PROP_SECONDS_LEFT,
  PROP_PRESET,
  PROP_DATASET,
  PROP_CREATED,
  PROP_BUSY_WITH,
  N_PROPS
};

static GParamSpec *props[N_PROPS];
static guint failed_signal;

static void
notify (UrbariumRun *self, guint prop)
{
  g_object_notify_by_pspec (G_OBJECT (self), props[prop]);
}

/* ------------------------------------------------------------------------ */
/* State                                                                     */

static const char *
get_state_text (UrbariumRun *self)
{
  if (!self->has_state)
    return "";
  if (self->silent)
    return _ ("Not answering");
  if (self->interrupted)
    return _ ("Interrupted");
  switch (self->state)
    {
    case URB_RUN_QUEUED:
      return _ ("Queued");
    case URB_RUN_STARTING:
      return _ ("Starting");
    case URB_RUN_RUNNING:
      return _ ("Training");
    case URB_RUN_PAUSING:
      return _ ("Pausing");
    case URB_RUN_PAUSED:
      return _ ("Paused");
    case URB_RUN_STOPPING:
      return _ ("Stopping");
    case URB_RUN_STOPPED:
      return _ ("Stopped");
    case URB_RUN_FINISHED:
      return _ ("Finished");
    case URB_RUN_FAILED:
      return _ ("Failed");
    case URB_RUN_N_STATES:
      break;
    }
  g_assert_not_reached ();
}

void
urbarium_run_set_state (UrbariumRun *self, UrbRunState state, gboolean interrupted)
{
  gboolean was_queued = self->has_state && self->state == URB_RUN_QUEUED;
  if (self->has_state && self->state == state && self->interrupted == interrupted)
    return;
  g_object_freeze_notify (G_OBJECT (self));
  self->has_state = TRUE;
  self->state = state;
  self->interrupted = interrupted;
  notify (self, PROP_STATE);
  notify (self, PROP_STATE_TEXT);
  if (was_queued != (state == URB_RUN_QUEUED))
    notify (self, PROP_QUEUED);
  g_object_thaw_notify (G_OBJECT (self));
  urbarium_run_settle (self, URBARIUM_VERB_IDLE);
}

void
urbarium_run_set_live (UrbariumRun *self, gboolean live)
{
  if (self->live == live)
    return;
  self->live = live;
  notify (self, PROP_LIVE);
}

void
urbarium_run_set_silent (UrbariumRun *self, gboolean silent)
{
  if (self->silent == silent)
    return;
  self->silent = silent;
  notify (self, PROP_STATE_TEXT);
}

void
urbarium_run_set_loading (UrbariumRun *self, gboolean loading)
{
  if (self->loading == loading)
    return;
  self->loading = loading;
  notify (self, PROP_LOADING);
}

void
urbarium_run_set_has_checkpoint (UrbariumRun *self, gboolean has_checkpoint)
{
  if (self->has_checkpoint == has_checkpoint)
    return;
  self->has_checkpoint = has_checkpoint;
  notify (self, PROP_HAS_CHECKPOINT);
}

void
urbarium_run_set_busy (UrbariumRun *self, UrbariumRunVerb verb)
{
  if (self->busy == verb)
    return;
  self->busy = verb;
  notify (self, PROP_BUSY_WITH);
}

static double
compute_seconds_left (UrbariumRun *self)
{
  double images_per_step = self->step > 0 ? (double) self->images / (double) self->step : 0;
  if (self->images_per_s <= 0 || images_per_step <= 0)
    return -1;
  return (double) MAX (self->n_steps - self->step, 0) * images_per_step / self->images_per_s;
}

static void
set_int64 (UrbariumRun *self, gint64 *field, gint64 value, guint prop)
{
  if (*field == value)
    return;
  *field = value;
  notify (self, prop);
}

void
urbarium_run_set_progress (UrbariumRun *self, gint64 step, gint64 n_steps, gint64 images,
                           double images_per_s)
{
  double seconds_left;
  g_object_freeze_notify (G_OBJECT (self));
  set_int64 (self, &self->step, step, PROP_STEP);
  set_int64 (self, &self->n_steps, n_steps, PROP_N_STEPS);
  set_int64 (self, &self->images, images, PROP_IMAGES);
  if (fabs (self->images_per_s - images_per_s) > 0)
    {
      self->images_per_s = images_per_s;
      notify (self, PROP_IMAGES_PER_S);
    }
  seconds_left = compute_seconds_left (self);
  if (fabs (self->seconds_left - seconds_left) > 0)
    {
      self->seconds_left = seconds_left;
      notify (self, PROP_SECONDS_LEFT);
    }
  g_object_thaw_notify (G_OBJECT (self));
}

/* ------------------------------------------------------------------------ */
/* Configuration                                                             */

static void
set_text (UrbariumRun *self, char **field, const char *value, guint prop)
{
  if (g_strcmp0 (*field, value) == 0)
    return;
  g_free (*field);
  *field = g_strdup (value);
  notify (self, prop);
}

void
urbarium_run_set_name (UrbariumRun *self, const char *name)
{
  if (name != NULL)
    set_text (self, &self->config.name, name, PROP_NAME);
}

static char *
describe_device (const UrbRunConfig *config)
{
  int all = config->train.n_threads > 0 ? config->train.n_threads : (int) g_get_num_processors ();
  int n = MAX (all / MAX (config->train.n_ranks, 1), 1); /* each has its share */
  if (urbarium_device_name_is_gpu (config->train.backend))
    /* translators: the engine's name of a GPU, such as cuda:1 */
    return g_strdup_printf (_ ("GPU (%s)"), urbarium_device_name_complete (config->train.backend));
  /* translators: what a worker computes with */
  return g_strdup_printf (ngettext ("Processor, %d thread", "Processor, %d threads", (gulong) n),
                          n);
}

void
urbarium_run_set_config (UrbariumRun *self, const UrbRunConfig *config)
{
  UrbRunConfig old = self->config;
  g_autofree char *device = describe_device (config);
  gboolean another = self->has_config && old.created != config->created;
  g_object_freeze_notify (G_OBJECT (self));
  self->config = *config;
  self->config.name = g_strdup (config->name);
  self->config.engine = g_strdup (config->engine);
  urb_train_options_copy (&self->config.train, &config->train);
  self->has_config = TRUE;
  if (g_strcmp0 (old.name, config->name) != 0)
    notify (self, PROP_NAME);
  if (g_strcmp0 (old.train.preset, config->train.preset) != 0)
    notify (self, PROP_PRESET);
  if (g_strcmp0 (old.train.dataset, config->train.dataset) != 0)
    notify (self, PROP_DATASET);
  if (old.created != config->created)
    notify (self, PROP_CREATED);
  urb_run_config_clear (&old);
  if (!self->live)
    set_int64 (self, &self->n_steps, config->train.n_steps, PROP_N_STEPS);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->workers)); i++)
    {
      g_autoptr(UrbariumRunWorker) worker
        = g_list_model_get_item (G_LIST_MODEL (self->workers), i);
      urbarium_run_worker_set_device (worker, device);
    }
  g_object_thaw_notify (G_OBJECT (self));
  if (!another)
    return;
  urbarium_run_cancel_reading (self);
  urbarium_run_unsubscribe (self);
  urbarium_run_forget (self);
  urbarium_run_catch_up (self);
}

/* ------------------------------------------------------------------------ */
/* Workers                                                                   */

UrbariumRunWorker *
urbarium_run_ensure_worker (UrbariumRun *self, int rank)
{
  GListModel *model = G_LIST_MODEL (self->workers);
  g_autofree char *device = describe_device (&self->config);
  g_autoptr(UrbariumRunWorker) worker = NULL;
  guint n = g_list_model_get_n_items (model), i;
  for (i = 0; i < n; i++)
    {
      UrbariumRunWorker *other = g_list_model_get_item (model, i);
      int other_rank = urbarium_run_worker_get_rank (other);
      g_object_unref (other);
      if (other_rank == rank)
        return other; /* the list holds it */
      if (other_rank > rank)
        break;
    }
  worker = urbarium_run_worker_new (rank);
  urbarium_run_worker_set_device (worker, device);
  g_list_store_insert (self->workers, i, worker);
  return worker; /* so it does here */
}

void
urbarium_run_end_workers (UrbariumRun *self)
{
  GListModel *model = G_LIST_MODEL (self->workers);
  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr(UrbariumRunWorker) worker = g_list_model_get_item (model, i);
      gboolean alive;
      g_object_get (worker, "alive", &alive, NULL);
      if (alive)
        urbarium_run_worker_ended (worker, urbarium_run_get_workers_step (self),
                                   _ ("ended with its supervisor"));
    }
  g_list_store_remove_all (self->gpus);
}

/* ------------------------------------------------------------------------ */
/* The object                                                                */

static void
urbarium_run_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumRun *self = URBARIUM_RUN (object);
  switch (id)
    {
    case PROP_FOLDER:
      g_value_set_string (value, self->folder);
      break;
    case PROP_NAME:
      g_value_set_string (value, urbarium_run_get_name (self));
      break;
    case PROP_STATE:
      g_value_set_int (value, (int) self->state);
      break;
    case PROP_STATE_TEXT:
      g_value_set_string (value, get_state_text (self));
      break;
    case PROP_QUEUED:
      g_value_set_boolean (value, self->has_state && self->state == URB_RUN_QUEUED);
      break;
    case PROP_LIVE:
      g_value_set_boolean (value, self->live);
      break;
    case PROP_LOADING:
      g_value_set_boolean (value, self->loading);
      break;
    case PROP_HAS_CHECKPOINT:
      g_value_set_boolean (value, self->has_checkpoint);
      break;
    case PROP_STEP:
      g_value_set_int64 (value, self->step);
      break;
    case PROP_N_STEPS:
      g_value_set_int64 (value, self->n_steps);
      break;
    case PROP_IMAGES:
      g_value_set_int64 (value, self->images);
      break;
    case PROP_IMAGES_PER_S:
      g_value_set_double (value, self->images_per_s);
      break;
    case PROP_SECONDS_LEFT:
      g_value_set_double (value, self->seconds_left);
      break;
    case PROP_PRESET:
      g_value_set_string (value, self->has_config ? self->config.train.preset : NULL);
      break;
    case PROP_DATASET:
      g_value_set_string (value, self->has_config ? self->config.train.dataset : NULL);
      break;
    case PROP_CREATED:
      g_value_set_int64 (value, self->config.created);
      break;
    case PROP_BUSY_WITH:
      g_value_set_string (value, urbarium_run_verb_text (self->busy));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
urbarium_run_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  UrbariumRun *self = URBARIUM_RUN (object);
  if (id == PROP_FOLDER)
    self->folder = g_value_dup_string (value);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
urbarium_run_dispose (GObject *object)
{
  UrbariumRun *self = URBARIUM_RUN (object);
  if (self->reading != NULL)
    g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
  g_clear_handle_id (&self->take_id, g_source_remove);
  urbarium_run_link_stop (self);
  G_OBJECT_CLASS (urbarium_run_parent_class)->dispose (object);
}

static void
urbarium_run_finalize (GObject *object)
{
  UrbariumRun *self = URBARIUM_RUN (object);
  g_clear_pointer (&self->page, g_array_unref);
  g_ptr_array_unref (self->new_events);
  g_ptr_array_unref (self->commands);
  g_object_unref (self->samples);
  g_object_unref (self->checkpoints);
  g_object_unref (self->events);
  g_object_unref (self->workers);
  g_object_unref (self->gpus);
  for (int i = 0; i < URB_N_METRICS; i++)
    g_object_unref (self->metrics[i]);
  g_object_unref (self->speed);
  urb_run_config_clear (&self->config);
  g_free (self->folder);
  G_OBJECT_CLASS (urbarium_run_parent_class)->finalize (object);
}

static void
install_properties (GObjectClass *object_class)
{
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  props[PROP_FOLDER]
    = g_param_spec_string ("folder", NULL, NULL, NULL,
                           G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  props[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, flags);
  props[PROP_STATE]
    = g_param_spec_int ("state", NULL, NULL, 0, URB_RUN_N_STATES - 1, URB_RUN_STOPPED, flags);
  props[PROP_STATE_TEXT] = g_param_spec_string ("state-text", NULL, NULL, NULL, flags);
  props[PROP_QUEUED] = g_param_spec_boolean ("queued", NULL, NULL, FALSE, flags);
  props[PROP_LIVE] = g_param_spec_boolean ("live", NULL, NULL, FALSE, flags);
  props[PROP_LOADING] = g_param_spec_boolean ("loading", NULL, NULL, FALSE, flags);
  props[PROP_HAS_CHECKPOINT]
    = g_param_spec_boolean ("has-checkpoint", NULL, NULL, FALSE, flags);
  props[PROP_STEP] = g_param_spec_int64 ("step", NULL, NULL, 0, G_MAXINT64, 0, flags);
  props[PROP_N_STEPS] = g_param_spec_int64 ("n-steps", NULL, NULL, 0, G_MAXINT64, 0, flags);
  props[PROP_IMAGES] = g_param_spec_int64 ("images", NULL, NULL, 0, G_MAXINT64, 0, flags);
  props[PROP_IMAGES_PER_S]
    = g_param_spec_double ("images-per-s", NULL, NULL, 0, G_MAXDOUBLE, 0, flags);
  props[PROP_SECONDS_LEFT]
    = g_param_spec_double ("seconds-left", NULL, NULL, -1, G_MAXDOUBLE, -1, flags);
  props[PROP_PRESET] = g_param_spec_string ("preset", NULL, NULL, NULL, flags);
  props[PROP_DATASET] = g_param_spec_string ("dataset", NULL, NULL, NULL, flags);
  props[PROP_CREATED] = g_param_spec_int64 ("created", NULL, NULL, 0, G_MAXINT64, 0, flags);
  props[PROP_BUSY_WITH] = g_param_spec_string ("busy-with", NULL, NULL, NULL, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
urbarium_run_class_init (UrbariumRunClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->get_property = urbarium_run_get_property;
  object_class->set_property = urbarium_run_set_property;
  object_class->dispose = urbarium_run_dispose;
  object_class->finalize = urbarium_run_finalize;
  install_properties (object_class);
  failed_signal = g_signal_new ("failed", URBARIUM_TYPE_RUN, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_ERROR);
}

static void
make_series (UrbariumRun *self)
{
  const char *const names[URB_N_METRICS] = {
    [URB_METRIC_LOSS_D] = _ ("Discriminator’s loss"),
    [URB_METRIC_LOSS_G] = _ ("Generator’s loss"),
    /* translators: how sure the discriminator is that a real city is real */
    [URB_METRIC_LOGIT_REAL] = _ ("Judgement of real cities"),
    [URB_METRIC_LOGIT_FAKE] = _ ("Judgement of generated cities"),
    /* translators: R1 and R2 are names of gradient penalties */
    [URB_METRIC_R1] = _ ("R1 penalty"),
    [URB_METRIC_R2] = _ ("R2 penalty"),
    [URB_METRIC_GRAD_NORM_D] = _ ("Discriminator’s gradient"),
    [URB_METRIC_GRAD_NORM_G] = _ ("Generator’s gradient"),
    [URB_METRIC_LR_D] = _ ("Discriminator’s learning rate"),
    [URB_METRIC_LR_G] = _ ("Generator’s learning rate"),
  };
  for (int i = 0; i < URB_N_METRICS; i++)
    self->metrics[i] = urbarium_series_new (names[i]);
  self->speed = urbarium_series_new (_ ("Images per second"));
}

static void
urbarium_run_init (UrbariumRun *self)
{
  urb_run_config_init (&self->config);
  self->state = URB_RUN_STOPPED;
  self->seconds_left = -1;
  self->roll_back_to = -1;
  self->commands = g_ptr_array_new_with_free_func (g_free);
  self->new_events = g_ptr_array_new_with_free_func (g_object_unref);
  self->samples = g_list_store_new (URBARIUM_TYPE_RUN_SAMPLE);
  self->checkpoints = g_list_store_new (URBARIUM_TYPE_RUN_CHECKPOINT);
  self->events = g_list_store_new (URBARIUM_TYPE_RUN_EVENT);
  self->workers = g_list_store_new (URBARIUM_TYPE_RUN_WORKER);
  self->gpus = g_list_store_new (URBARIUM_TYPE_RUN_GPU);
  make_series (self);
}

UrbariumRun *
urbarium_run_new (const char *folder)
{
  UrbariumRun *self;
  g_return_val_if_fail (folder != NULL && g_path_is_absolute (folder), NULL);
  self = g_object_new (URBARIUM_TYPE_RUN, "folder", folder, NULL);
  urbarium_run_link_start (self);
  urbarium_run_peek (self);
  return self;
}

void
urbarium_run_emit_failed (UrbariumRun *self, const char *what, const GError *error)
{
  g_autoptr(GError) told = urbarium_run_error_translate (error, URBARIUM_RUN_ERROR_RUN);
  g_signal_emit (self, failed_signal, 0, what, told);
}

GListModel *
urbarium_run_get_samples (UrbariumRun *self)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self), NULL);
  return G_LIST_MODEL (self->samples);
}

GListModel *
urbarium_run_get_checkpoints (UrbariumRun *self)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self), NULL);
  return G_LIST_MODEL (self->checkpoints);
}

GListModel *
urbarium_run_get_gpus (UrbariumRun *self)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self), NULL);
  return G_LIST_MODEL (self->gpus);
}

GListModel *
urbarium_run_get_events (UrbariumRun *self)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self), NULL);
  return G_LIST_MODEL (self->events);
}

GListModel *
urbarium_run_get_workers (UrbariumRun *self)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self), NULL);
  return G_LIST_MODEL (self->workers);
}

UrbariumSeries *
urbarium_run_get_metric (UrbariumRun *self, UrbStepMetric metric)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self) && (guint) metric < URB_N_METRICS, NULL);
  return self->metrics[metric];
}

UrbariumSeries *
urbarium_run_get_speed (UrbariumRun *self)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self), NULL);
  return self->speed;
}

const char *
urbarium_run_get_folder (UrbariumRun *self)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self), NULL);
  return self->folder;
}

const char *
urbarium_run_get_name (UrbariumRun *self)
{
  const char *slash;
  g_return_val_if_fail (URBARIUM_IS_RUN (self), NULL);
  if (self->config.name != NULL && *self->config.name != '\0')
    return self->config.name;
  slash = strrchr (self->folder, '/');
  return slash != NULL ? slash + 1 : self->folder;
}

gboolean
urbarium_run_get_live (UrbariumRun *self)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self), FALSE);
  return self->live;
}

UrbRunState
urbarium_run_get_state (UrbariumRun *self)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self), URB_RUN_STOPPED);
  return self->state;
}

gboolean
urbarium_run_is_interrupted (UrbariumRun *self)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self), FALSE);
  return self->interrupted;
}

const UrbRunConfig *
urbarium_run_get_config (UrbariumRun *self)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self), NULL);
  return self->has_config ? &self->config : NULL;
}
