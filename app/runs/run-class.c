/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-class.c - the class of UrbariumRun: its properties and its signal.
 */
#include <glib/gi18n.h>
#include <math.h>

#include "app/runs/run-error.h"
#include "app/runs/run-private.h"

G_DEFINE_FINAL_TYPE (UrbariumRun, urbarium_run, G_TYPE_OBJECT)

static const UrbariumField fields[] = {
  { "state", G_TYPE_INT, G_STRUCT_OFFSET (UrbariumRun, state) },
  { "live", G_TYPE_BOOLEAN, G_STRUCT_OFFSET (UrbariumRun, live) },
  { "loading", G_TYPE_BOOLEAN, G_STRUCT_OFFSET (UrbariumRun, loading) },
  { "has-checkpoint", G_TYPE_BOOLEAN, G_STRUCT_OFFSET (UrbariumRun, has_checkpoint) },
  { "step", G_TYPE_INT64, G_STRUCT_OFFSET (UrbariumRun, step) },
  { "n-steps", G_TYPE_INT64, G_STRUCT_OFFSET (UrbariumRun, n_steps) },
  { "images", G_TYPE_INT64, G_STRUCT_OFFSET (UrbariumRun, images) },
  { "images-per-s", G_TYPE_DOUBLE, G_STRUCT_OFFSET (UrbariumRun, images_per_s) },
  { "last-images-per-s", G_TYPE_DOUBLE, G_STRUCT_OFFSET (UrbariumRun, last_images_per_s) },
  { "score", G_TYPE_DOUBLE, G_STRUCT_OFFSET (UrbariumRun, score) },
  { "seconds-left", G_TYPE_DOUBLE, G_STRUCT_OFFSET (UrbariumRun, seconds_left) },
  { "queue-place", G_TYPE_INT, G_STRUCT_OFFSET (UrbariumRun, queue_place) },
  { "created", G_TYPE_INT64, G_STRUCT_OFFSET (UrbariumRun, config.created) },
};

enum
{
  PROP_NAME = G_N_ELEMENTS (fields) + 1,
  PROP_NOTE,
  PROP_STATE_TEXT,
  PROP_BUSY_WITH,
  PROP_TROUBLE,
  PROP_WAITS_FOR
};

static const char *
get_state_text (UrbariumRun *self)
{
  static const char *const texts[URB_RUN_N_STATES] = {
    [URB_RUN_QUEUED] = N_ ("Queued"),     [URB_RUN_STARTING] = N_ ("Starting"),
    [URB_RUN_RUNNING] = N_ ("Training"),  [URB_RUN_PAUSING] = N_ ("Pausing"),
    [URB_RUN_PAUSED] = N_ ("Paused"),     [URB_RUN_STOPPING] = N_ ("Stopping"),
    [URB_RUN_STOPPED] = N_ ("Stopped"),   [URB_RUN_FINISHED] = N_ ("Finished"),
    [URB_RUN_FAILED] = N_ ("Failed"),
  };
  if (!self->has_state)
    return "";
  if (self->silent)
    return _ ("Not answering");
  if (self->trouble != NULL && urbarium_run_error_get_short (self->trouble) != NULL)
    return urbarium_run_error_get_short (self->trouble);
  return self->interrupted ? _ ("Interrupted") : _ (texts[self->state]);
}

static void
urbarium_run_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumRun *self = URBARIUM_RUN (object);
  switch (id)
    {
    case PROP_NAME:
      g_value_set_string (value, urbarium_run_get_name (self));
      break;
    case PROP_NOTE:
      g_value_set_string (value, self->config.note);
      break;
    case PROP_STATE_TEXT:
      g_value_set_string (value, get_state_text (self));
      break;
    case PROP_BUSY_WITH:
      g_value_set_string (value, urbarium_run_verb_text (self->busy));
      break;
    case PROP_TROUBLE:
      g_value_set_string (value, self->trouble != NULL ? self->trouble->message : NULL);
      break;
    case PROP_WAITS_FOR:
      g_value_set_boxed (value, self->waits_for);
      break;
    default:
      urbarium_run_items_get_field (object, id, value, pspec);
    }
}

static void
urbarium_run_dispose (GObject *object)
{
  UrbariumRun *self = URBARIUM_RUN (object);
  if (self->reading != NULL)
    g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
  g_clear_handle_id (&self->apply_id, g_source_remove);
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
  g_object_unref (self->images_seen);
  g_object_unref (self->minutes);
  for (int i = 0; i < URB_N_SCORES; i++)
    g_object_unref (self->scores[i]);
  g_object_unref (self->score_limit);
  urb_run_config_clear (&self->config);
  g_free (self->folder);
  g_strfreev (self->waits_for);
  g_clear_error (&self->trouble);
  G_OBJECT_CLASS (urbarium_run_parent_class)->finalize (object);
}

static void
urbarium_run_class_init (UrbariumRunClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  urbarium_run_items_install_fields (object_class, fields, G_N_ELEMENTS (fields));
  object_class->get_property = urbarium_run_get_property;
  object_class->dispose = urbarium_run_dispose;
  object_class->finalize = urbarium_run_finalize;
  g_object_class_install_property (object_class, PROP_NAME,
                                   g_param_spec_string ("name", NULL, NULL, NULL, flags));
  g_object_class_install_property (object_class, PROP_NOTE,
                                   g_param_spec_string ("note", NULL, NULL, NULL, flags));
  g_object_class_install_property (object_class, PROP_STATE_TEXT,
                                   g_param_spec_string ("state-text", NULL, NULL, NULL, flags));
  g_object_class_install_property (object_class, PROP_BUSY_WITH,
                                   g_param_spec_string ("busy-with", NULL, NULL, NULL, flags));
  g_object_class_install_property (object_class, PROP_TROUBLE,
                                   g_param_spec_string ("trouble", NULL, NULL, NULL, flags));
  g_object_class_install_property (object_class, PROP_WAITS_FOR,
                                   g_param_spec_boxed ("waits-for", NULL, NULL, G_TYPE_STRV, flags));
  g_signal_new ("failed", URBARIUM_TYPE_RUN, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                2, G_TYPE_STRING, G_TYPE_ERROR);
}

static void
state_cb (UrbariumRun *self)
{
  urbarium_run_settle (self, URBARIUM_VERB_IDLE);
}

static void
urbarium_run_init (UrbariumRun *self)
{
  const char *const names[URB_N_METRICS] = {
    [URB_METRIC_LOSS_D] = _ ("Discriminator’s loss"),
    [URB_METRIC_LOSS_G] = _ ("Generator’s loss"),
    /* translators: the discriminator's logit for real cities */
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
  const char *const score_names[URB_N_SCORES] = {
    /* translators: how far the cities are from real areas, relative to what real areas differ by */
    [URB_SCORE_PLANS] = _ ("Score"),
    [URB_SCORE_PIXELS] = _ ("Score of the pixels"),
    [URB_SCORE_CONNECTIVITY] = _ ("Roads in one network"),
    [URB_SCORE_HALF_TONES] = _ ("Half-tones"),
    [URB_SCORE_RECTANGULARITY] = _ ("Right angles of buildings"),
    [URB_SCORE_HALL_WALLS] = _ ("Straight walls of halls"),
    [URB_SCORE_BLOCKS] = _ ("Blocks per area"),
    [URB_SCORE_PRECISION] = _ ("Cities like real areas"),
    [URB_SCORE_RECALL] = _ ("Real areas like some city"),
  };
  for (int i = 0; i < URB_N_METRICS; i++)
    self->metrics[i] = urbarium_series_new (names[i]);
  self->speed = urbarium_series_new (_ ("Images per second"));
  self->images_seen = urbarium_series_new (_ ("Images"));
  self->minutes = urbarium_series_new (_ ("Minutes"));
  for (int i = 0; i < URB_N_SCORES; i++)
    self->scores[i] = urbarium_series_new (score_names[i]);
  self->score_limit = urbarium_series_new (_ ("Real areas"));
  urb_run_config_init (&self->config);
  self->state = URB_RUN_STOPPED;
  self->seconds_left = -1;
  self->score = NAN;
  self->roll_back_to = -1;
  self->commands = g_ptr_array_new_with_free_func (g_free);
  self->new_events = g_ptr_array_new_with_free_func (g_object_unref);
  self->samples = g_list_store_new (URBARIUM_TYPE_RUN_FILE);
  self->checkpoints = g_list_store_new (URBARIUM_TYPE_RUN_FILE);
  self->events = g_list_store_new (URBARIUM_TYPE_RUN_EVENT);
  self->workers = g_list_store_new (URBARIUM_TYPE_RUN_WORKER);
  self->gpus = g_list_store_new (URBARIUM_TYPE_RUN_GPU);
  g_signal_connect (self, "notify::state", G_CALLBACK (state_cb), NULL);
}

UrbariumRun *
urbarium_run_new (const char *folder)
{
  UrbariumRun *self;
  g_return_val_if_fail (folder != NULL && g_path_is_absolute (folder), NULL);
  self = g_object_new (URBARIUM_TYPE_RUN, NULL);
  self->folder = g_strdup (folder);
  urbarium_run_link_start (self);
  urbarium_run_peek (self);
  return self;
}
