/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - the setters of a run's properties and workers, which notify of changes, and the getters.
 */
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/runs/run-error.h"
#include "app/runs/run-private.h"

static void
set_boolean (UrbariumRun *self, gboolean *field, gboolean value, const char *property)
{
  if (*field == value)
    return;
  *field = value;
  g_object_notify (G_OBJECT (self), property);
}

static void
set_int64 (UrbariumRun *self, gint64 *field, gint64 value, const char *property)
{
  if (*field == value)
    return;
  *field = value;
  g_object_notify (G_OBJECT (self), property);
}

static void
set_double (UrbariumRun *self, double *field, double value, const char *property)
{
  if (!(fabs (*field - value) > 0) && isnan (*field) == isnan (value))
    return;
  *field = value;
  g_object_notify (G_OBJECT (self), property);
}

void
urbarium_run_set_state (UrbariumRun *self, UrbRunState state, gboolean interrupted)
{
  if (self->has_state && self->state == state && self->interrupted == interrupted)
    return;
  g_object_freeze_notify (G_OBJECT (self));
  self->has_state = TRUE;
  self->state = state;
  self->interrupted = interrupted;
  g_object_notify (G_OBJECT (self), "state");
  g_object_notify (G_OBJECT (self), "state-text");
  g_object_thaw_notify (G_OBJECT (self));
}

void
urbarium_run_set_trouble (UrbariumRun *self, GError *trouble, gboolean gone)
{
  gboolean same = (trouble == NULL) == (self->trouble == NULL)
                  && (trouble == NULL || g_str_equal (trouble->message, self->trouble->message));
  g_clear_error (&self->trouble);
  self->trouble = trouble;
  self->gone = gone;
  if (same)
    return;
  g_object_notify (G_OBJECT (self), "trouble");
  g_object_notify (G_OBJECT (self), "state-text");
}

void
urbarium_run_set_live (UrbariumRun *self, gboolean live)
{
  set_boolean (self, &self->live, live, "live");
}

void
urbarium_run_set_silent (UrbariumRun *self, gboolean silent)
{
  set_boolean (self, &self->silent, silent, "state-text");
}

void
urbarium_run_set_loading (UrbariumRun *self, gboolean loading)
{
  set_boolean (self, &self->loading, loading, "loading");
}

void
urbarium_run_set_has_checkpoint (UrbariumRun *self, gboolean has_checkpoint)
{
  set_boolean (self, &self->has_checkpoint, has_checkpoint, "has-checkpoint");
}

void
urbarium_run_set_busy (UrbariumRun *self, UrbariumRunVerb verb)
{
  if (self->busy == verb)
    return;
  self->busy = verb;
  g_object_notify (G_OBJECT (self), "busy-with");
}

void
urbarium_run_set_progress (UrbariumRun *self, gint64 step, gint64 n_steps, gint64 images,
                           double images_per_s)
{
  double images_per_step = step > 0 ? (double) images / (double) step : 0;
  double seconds_left = -1;
  if (images_per_s > 0 && images_per_step > 0)
    seconds_left = (double) MAX (n_steps - step, 0) * images_per_step / images_per_s;
  g_object_freeze_notify (G_OBJECT (self));
  set_int64 (self, &self->step, step, "step");
  set_int64 (self, &self->n_steps, n_steps, "n-steps");
  set_int64 (self, &self->images, images, "images");
  set_double (self, &self->images_per_s, images_per_s, "images-per-s");
  if (images_per_s > 0)
    set_double (self, &self->last_images_per_s, images_per_s, "last-images-per-s");
  set_double (self, &self->seconds_left, seconds_left, "seconds-left");
  g_object_thaw_notify (G_OBJECT (self));
}

void
urbarium_run_set_figures (UrbariumRun *self, double images_per_s, double score)
{
  set_double (self, &self->last_images_per_s, images_per_s, "last-images-per-s");
  set_double (self, &self->score, score, "score");
}

void
urbarium_run_set_name (UrbariumRun *self, const char *name)
{
  if (name == NULL || g_strcmp0 (self->config.name, name) == 0)
    return;
  g_free (self->config.name);
  self->config.name = g_strdup (name);
  g_object_notify (G_OBJECT (self), "name");
}

void
urbarium_run_set_note (UrbariumRun *self, const char *note)
{
  const char *text = note != NULL && *note != '\0' ? note : NULL;
  if (note == NULL || g_strcmp0 (self->config.note, text) == 0)
    return;
  g_free (self->config.note);
  self->config.note = g_strdup (text);
  g_object_notify (G_OBJECT (self), "note");
}

static gboolean
is_same (GStrv a, GStrv b)
{
  return a == NULL || b == NULL ? a == b : g_strv_equal ((const char *const *) a, (const char *const *) b);
}

void
urbarium_run_set_waits_for (UrbariumRun *self, GStrv waits_for)
{
  g_auto(GStrv) before = g_steal_pointer (&self->waits_for);
  self->waits_for = waits_for;
  if (!is_same (before, waits_for))
    g_object_notify (G_OBJECT (self), "waits-for");
}

void
urbarium_run_set_queue_place (UrbariumRun *self, int place, gboolean can_be_earlier, gboolean can_be_later)
{
  if (self->queue_place == place && self->can_move[URB_QUEUE_EARLIER] == can_be_earlier
      && self->can_move[URB_QUEUE_LATER] == can_be_later)
    return;
  self->queue_place = place;
  self->can_move[URB_QUEUE_EARLIER] = can_be_earlier;
  self->can_move[URB_QUEUE_LATER] = can_be_later;
  g_object_notify (G_OBJECT (self), "queue-place");
}

gboolean
urbarium_run_can_move (UrbariumRun *self, UrbQueueMove move)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self), FALSE);
  return self->can_move[move] && self->busy == URBARIUM_VERB_IDLE;
}

gboolean
urbarium_run_is_in_order (UrbariumRun *self)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self), FALSE);
  return self->can_move[URB_QUEUE_EARLIER] || self->can_move[URB_QUEUE_LATER];
}

static char *
describe_device (const UrbRunConfig *config)
{
  int all = config->train.n_threads > 0 ? config->train.n_threads : (int) g_get_num_processors ();
  int n = MAX (all / MAX (config->train.n_ranks, 1), 1); /* per rank */
  if (urb_device_is_gpu (config->train.backend))
    /* translators: the engine's name of a GPU, such as cuda:1 */
    return g_strdup_printf (_ ("GPU (%s)"), urb_device_get_full (config->train.backend));
  /* translators: the device of a worker */
  return g_strdup_printf (ngettext ("Processor, %d thread", "Processor, %d threads", (gulong) n),
                          n);
}

gboolean
urbarium_run_set_config (UrbariumRun *self, const UrbRunConfig *config)
{
  g_autofree char *device = describe_device (config);
  gboolean renamed = g_strcmp0 (self->config.name, config->name) != 0;
  gboolean noted = g_strcmp0 (self->config.note, config->note) != 0;
  gboolean other = self->config.created != config->created;
  gboolean replaced = self->has_config && other;
  g_object_freeze_notify (G_OBJECT (self));
  urb_run_config_copy (&self->config, config);
  self->has_config = TRUE;
  if (renamed)
    g_object_notify (G_OBJECT (self), "name");
  if (noted)
    g_object_notify (G_OBJECT (self), "note");
  if (other)
    g_object_notify (G_OBJECT (self), "created");
  if (!self->live)
    set_int64 (self, &self->n_steps, config->train.n_steps, "n-steps");
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->workers)); i++)
    {
      g_autoptr(UrbariumRunWorker) worker
        = g_list_model_get_item (G_LIST_MODEL (self->workers), i);
      urbarium_run_worker_set_device (worker, device);
    }
  g_object_thaw_notify (G_OBJECT (self));
  return replaced;
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
      g_autoptr(UrbariumRunWorker) other = g_list_model_get_item (model, i);
      int other_rank = urbarium_run_worker_get_rank (other);
      if (other_rank == rank)
        return other; /* the list holds a reference */
      if (other_rank > rank)
        break;
    }
  worker = urbarium_run_worker_new (rank);
  urbarium_run_worker_set_device (worker, device);
  g_list_store_insert (self->workers, i, worker);
  return worker;
}

gint64
urbarium_run_get_workers_step (UrbariumRun *self)
{
  gsize n = urbarium_series_get_n (self->speed);
  double step = -1, y;
  if (n > 0 && !urb_strategy_is_asynchronous (self->config.train.strategy))
    urbarium_series_get (self->speed, n - 1, &step, &y);
  return (gint64) step;
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

void
urbarium_run_emit_failed (UrbariumRun *self, const char *what, const GError *error)
{
  g_autoptr(GError) translated = urbarium_run_error_translate (error, URBARIUM_RUN_ERROR_RUN);
  g_signal_emit_by_name (self, "failed", what, translated);
}

/* ------------------------------------------------------------------------ */
/* Getters                                                                   */

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

gboolean
urbarium_run_knows_energy (UrbariumRun *self)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self), FALSE);
  return self->knows_energy;
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

UrbariumSeries *
urbarium_run_get_images (UrbariumRun *self)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self), NULL);
  return self->images_seen;
}

UrbariumSeries *
urbarium_run_get_minutes (UrbariumRun *self)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self), NULL);
  return self->minutes;
}

UrbariumSeries *
urbarium_run_get_score (UrbariumRun *self, UrbScore score)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self) && (guint) score < URB_N_SCORES, NULL);
  return self->scores[score];
}

UrbariumSeries *
urbarium_run_get_score_limit (UrbariumRun *self)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self), NULL);
  return self->score_limit;
}

gint64
urbarium_run_get_best_step (UrbariumRun *self)
{
  double best = INFINITY;
  gint64 best_step = -1;
  g_return_val_if_fail (URBARIUM_IS_RUN (self), -1);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->checkpoints)); i++)
    {
      g_autoptr(UrbariumRunFile) file = g_list_model_get_item (G_LIST_MODEL (self->checkpoints), i);
      gint64 step = urbarium_run_file_get_step (file);
      gsize k = urbarium_series_find (self->scores[URB_SCORE_PLANS], (double) step);
      double x, y;
      if (k >= urbarium_series_get_n (self->scores[URB_SCORE_PLANS]))
        continue;
      urbarium_series_get (self->scores[URB_SCORE_PLANS], k, &x, &y);
      if (x != (double) step || !(y < best))
        continue;
      best = y;
      best_step = step;
    }
  return best_step;
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

gboolean
urbarium_run_is_gone (UrbariumRun *self)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self), FALSE);
  return self->gone;
}

const UrbRunConfig *
urbarium_run_get_config (UrbariumRun *self)
{
  g_return_val_if_fail (URBARIUM_IS_RUN (self), NULL);
  return self->has_config ? &self->config : NULL;
}

gboolean
urbarium_run_copy_config (UrbariumRun *self, UrbRunConfig *out)
{
  const UrbRunConfig *config = urbarium_run_get_config (self);
  g_autofree char *own = NULL;
  if (config == NULL)
    return FALSE;
  urb_run_config_copy (out, config);
  own = g_build_filename (urbarium_run_get_folder (self), config->train.preset, NULL);
  if (g_file_test (own, G_FILE_TEST_IS_REGULAR))
    {
      g_free (out->train.preset);
      out->train.preset = g_steal_pointer (&own);
    }
  return TRUE;
}
