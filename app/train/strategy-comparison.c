/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/strategy-comparison.h"

enum { DELAY_MS = 400 };

struct _UrbariumStrategyComparison
{
  GObject         parent_instance;

  UrbTrainOptions options;
  char           *key;      /* (nullable) owned: the options that matter, as text */
  UrbariumStrategies *result; /* (nullable) owned */
  char           *error;    /* (nullable) owned */
  GCancellable   *query, *measurement; /* (nullable) owned: pending */
  guint           timeout;
};

G_DEFINE_FINAL_TYPE (UrbariumStrategyComparison, urbarium_strategy_comparison, G_TYPE_OBJECT)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
emit_changed (UrbariumStrategyComparison *self)
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

static char *
make_key (const UrbTrainOptions *options)
{
  return g_strdup_printf ("%s %s %s %d %d %d %d %d %d %d %g", options->preset, options->recipe,
                          options->backend, options->batch, options->accumulate,
                          options->n_channels == 1 ? 1 : 3, options->precision, options->n_threads,
                          options->chunks, options->sync_batch_norm, options->rank_memory);
}

/* A result is kept if nothing newer was asked; one that was cancelled is dropped. */
static void
take_result (UrbariumStrategyComparison *self, GAsyncResult *result, GCancellable **pending)
{
  g_autoptr(GError) error = NULL;
  UrbariumStrategies *strategies = urbarium_engine_query_strategies_finish (result, &error);
  gboolean measured = pending == &self->measurement;
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      || g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result))))
    {
      g_clear_pointer (&strategies, urbarium_strategies_free);
      return;
    }
  g_clear_object (pending);
  if (strategies != NULL)
    {
      g_clear_pointer (&self->result, urbarium_strategies_free);
      self->result = strategies;
    }
  if (measured)
    self->error = error != NULL ? g_strdup (error->message) : NULL;
  emit_changed (self);
}

static void
query_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumStrategyComparison) self = data;
  take_result (self, result, &self->query);
}

static void
measurement_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumStrategyComparison) self = data;
  take_result (self, result, &self->measurement);
}

static gboolean
timeout_cb (gpointer data)
{
  UrbariumStrategyComparison *self = data;
  self->timeout = 0;
  self->query = g_cancellable_new ();
  urbarium_engine_query_strategies_async (&self->options, URBARIUM_STRATEGIES_ESTIMATE, self->query,
                                          query_cb, g_object_ref (self));
  return G_SOURCE_REMOVE;
}

void
urbarium_strategy_comparison_set_options (UrbariumStrategyComparison *self,
                                          const UrbTrainOptions *options)
{
  g_autofree char *key = make_key (options);
  if (g_strcmp0 (key, self->key) == 0)
    return;
  stop (&self->query);
  stop (&self->measurement);
  g_clear_handle_id (&self->timeout, g_source_remove);
  g_clear_pointer (&self->error, g_free);
  g_clear_pointer (&self->result, urbarium_strategies_free);
  g_free (self->key);
  self->key = g_steal_pointer (&key);
  urb_train_options_clear (&self->options);
  urb_train_options_copy (&self->options, options);
  self->timeout = g_timeout_add (DELAY_MS, timeout_cb, self);
  emit_changed (self);
}

const UrbariumStrategyForecast *
urbarium_strategy_comparison_get (UrbariumStrategyComparison *self, UrbStrategy strategy)
{
  const UrbariumStrategyForecast *forecast =
    self->result == NULL ? NULL : &self->result->of[strategy];
  return forecast != NULL && forecast->images_per_s > 0 ? forecast : NULL;
}

UrbStrategy
urbarium_strategy_comparison_get_best (UrbariumStrategyComparison *self)
{
  return self->result != NULL ? self->result->best : URB_STRATEGY_SINGLE;
}

void
urbarium_strategy_comparison_measure (UrbariumStrategyComparison *self)
{
  if (self->key == NULL || self->measurement != NULL)
    return;
  stop (&self->query);
  g_clear_handle_id (&self->timeout, g_source_remove);
  g_clear_pointer (&self->error, g_free);
  self->measurement = g_cancellable_new ();
  urbarium_engine_query_strategies_async (&self->options, URBARIUM_STRATEGIES_MEASURE,
                                          self->measurement, measurement_cb, g_object_ref (self));
  emit_changed (self);
}

void
urbarium_strategy_comparison_cancel (UrbariumStrategyComparison *self)
{
  if (self->measurement == NULL)
    return;
  stop (&self->measurement);
  emit_changed (self);
}

gboolean
urbarium_strategy_comparison_is_measuring (UrbariumStrategyComparison *self)
{
  return self->measurement != NULL;
}

const char *
urbarium_strategy_comparison_get_error (UrbariumStrategyComparison *self)
{
  return self->error;
}

static void
dispose (GObject *object)
{
  UrbariumStrategyComparison *self = URBARIUM_STRATEGY_COMPARISON (object);
  g_clear_handle_id (&self->timeout, g_source_remove);
  stop (&self->query);
  stop (&self->measurement);
  G_OBJECT_CLASS (urbarium_strategy_comparison_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumStrategyComparison *self = URBARIUM_STRATEGY_COMPARISON (object);
  urb_train_options_clear (&self->options);
  g_clear_pointer (&self->result, urbarium_strategies_free);
  g_free (self->key);
  g_free (self->error);
  G_OBJECT_CLASS (urbarium_strategy_comparison_parent_class)->finalize (object);
}

static void
urbarium_strategy_comparison_class_init (UrbariumStrategyComparisonClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
urbarium_strategy_comparison_init (UrbariumStrategyComparison *self)
{
}

UrbariumStrategyComparison *
urbarium_strategy_comparison_new (void)
{
  return g_object_new (URBARIUM_TYPE_STRATEGY_COMPARISON, NULL);
}
