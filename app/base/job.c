/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job.c - the worker thread stores its progress under a lock, and the main loop picks up the
 * latest.  At most one source is pending, so that frequent reports cannot flood the main loop.
 */
#include "app/base/job.h"

#include "app/base/engine-texts.h"

enum { UPDATE_INTERVAL_MS = 33 };

struct _UrbariumJob
{
  GObject          parent_instance;
  char            *title;       /* owned */
  GCancellable    *cancellable; /* owned */
  UrbariumJobFunc  func;
  GDestroyNotify   free_result;
  gboolean         running;
  gboolean         outlives;    /* its window */
  GApplication    *held;        /* owned, nullable; held while an outliving job runs */
  gint64           started_us;
  double           fraction, seconds_left;
  char            *what; /* owned */

  GMutex           lock; /* protects the fields below */
  double           new_fraction;
  char            *new_what; /* owned; nullable */
  guint            update;   /* source */
};

G_DEFINE_FINAL_TYPE (UrbariumJob, urbarium_job, G_TYPE_OBJECT)

enum
{
  PROP_TITLE = 1,
  PROP_WHAT,
  PROP_FRACTION,
  PROP_RUNNING,
  PROP_SECONDS_LEFT,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumJob *self = URBARIUM_JOB (object);
  switch (id)
    {
    case PROP_TITLE: g_value_set_string (value, self->title); break;
    case PROP_WHAT: g_value_set_string (value, self->what); break;
    case PROP_FRACTION: g_value_set_double (value, self->fraction); break;
    case PROP_RUNNING: g_value_set_boolean (value, self->running); break;
    case PROP_SECONDS_LEFT: g_value_set_double (value, self->seconds_left); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
finalize (GObject *object)
{
  UrbariumJob *self = URBARIUM_JOB (object);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->held);
  g_free (self->title);
  g_free (self->what);
  g_free (self->new_what);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (urbarium_job_parent_class)->finalize (object);
}

static void
urbarium_job_class_init (UrbariumJobClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  props[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, flags);
  props[PROP_WHAT] = g_param_spec_string ("what", NULL, NULL, NULL, flags);
  props[PROP_FRACTION] = g_param_spec_double ("fraction", NULL, NULL, -1, 1, -1, flags);
  props[PROP_RUNNING] = g_param_spec_boolean ("running", NULL, NULL, FALSE, flags);
  props[PROP_SECONDS_LEFT]
    = g_param_spec_double ("seconds-left", NULL, NULL, -1, G_MAXDOUBLE, -1, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
urbarium_job_init (UrbariumJob *self)
{
  g_mutex_init (&self->lock);
  self->cancellable = g_cancellable_new ();
  self->fraction = self->new_fraction = self->seconds_left = -1;
}

UrbariumJob *
urbarium_job_new (const char *title)
{
  UrbariumJob *self = g_object_new (URBARIUM_TYPE_JOB, NULL);
  self->title = g_strdup (title);
  return self;
}

static gboolean
update_cb (gpointer data)
{
  UrbariumJob *self = data;
  double seconds = (double) (g_get_monotonic_time () - self->started_us) / G_USEC_PER_SEC;
  g_autofree char *what = NULL;
  g_mutex_lock (&self->lock);
  self->update = 0;
  self->fraction = self->new_fraction;
  what = g_steal_pointer (&self->new_what);
  g_mutex_unlock (&self->lock);
  self->seconds_left = -1; /* too early for an estimate */
  if (seconds >= 1 && self->fraction >= 0.02)
    self->seconds_left = seconds * (1 - self->fraction) / self->fraction;
  g_object_freeze_notify (G_OBJECT (self));
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_FRACTION]);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_SECONDS_LEFT]);
  if (what != NULL && g_strcmp0 (what, self->what) != 0)
    {
      g_free (self->what);
      self->what = g_steal_pointer (&what);
      g_object_notify_by_pspec (G_OBJECT (self), props[PROP_WHAT]);
    }
  g_object_thaw_notify (G_OBJECT (self));
  return G_SOURCE_REMOVE;
}

void
urbarium_job_progress (double fraction, const char *what, gpointer job)
{
  UrbariumJob *self = job;
  g_mutex_lock (&self->lock);
  self->new_fraction = CLAMP (fraction, -1, 1);
  if (what != NULL)
    {
      g_free (self->new_what);
      self->new_what = g_strdup (what);
    }
  if (self->update == 0)
    self->update = g_timeout_add_full (G_PRIORITY_DEFAULT, UPDATE_INTERVAL_MS, update_cb,
                                       g_object_ref (self), g_object_unref);
  g_mutex_unlock (&self->lock);
}

static void
thread_func (GTask *task, gpointer source, gpointer input, GCancellable *cancellable)
{
  UrbariumJob *self = source;
  GError *error = NULL;
  gpointer result = self->func (input, self, cancellable, &error);
  if (error != NULL)
    {
      if (result != NULL && self->free_result != NULL)
        self->free_result (result);
      g_task_return_error (task, error);
    }
  else
    g_task_return_pointer (task, result, self->free_result);
}

void
urbarium_job_outlive_window (UrbariumJob *self)
{
  g_return_if_fail (URBARIUM_IS_JOB (self) && !self->running);
  self->outlives = TRUE;
}

void
urbarium_job_begin (UrbariumJob *self)
{
  g_return_if_fail (URBARIUM_IS_JOB (self) && !self->running && self->func == NULL);
  self->started_us = g_get_monotonic_time ();
  self->running = TRUE;
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_RUNNING]);
  if (self->outlives && g_set_object (&self->held, g_application_get_default ()))
    g_application_hold (self->held);
}

void
urbarium_job_end (UrbariumJob *self)
{
  g_return_if_fail (URBARIUM_IS_JOB (self) && self->running);
  g_mutex_lock (&self->lock);
  if (self->update != 0)
    g_source_remove (self->update);
  self->update = 0;
  g_mutex_unlock (&self->lock);
  self->running = FALSE;
  if (self->held != NULL)
    g_application_release (self->held);
  g_clear_object (&self->held);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_RUNNING]);
}

void
urbarium_job_run (UrbariumJob *self, UrbariumJobFunc func, gpointer input,
                  GDestroyNotify free_input, GDestroyNotify free_result,
                  GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = NULL;
  g_return_if_fail (URBARIUM_IS_JOB (self) && self->func == NULL);
  if (!self->running)
    urbarium_job_begin (self);
  task = g_task_new (self, self->cancellable, callback, user_data);
  g_task_set_source_tag (task, urbarium_job_run);
  g_task_set_task_data (task, input, free_input);
  self->func = func;
  self->free_result = free_result;
  g_task_run_in_thread (task, thread_func);
}

gpointer
urbarium_job_finish (UrbariumJob *self, GAsyncResult *result, GError **error)
{
  gpointer output;
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);
  urbarium_job_end (self);
  output = g_task_propagate_pointer (G_TASK (result), error);
  if (output == NULL && error != NULL)
    urbarium_engine_texts_translate_error (*error);
  return output;
}

void
urbarium_job_cancel (UrbariumJob *self)
{
  g_return_if_fail (URBARIUM_IS_JOB (self));
  g_cancellable_cancel (self->cancellable);
}

GCancellable *
urbarium_job_get_cancellable (UrbariumJob *self)
{
  return self->cancellable;
}

gboolean
urbarium_job_get_running (UrbariumJob *self)
{
  return self->running;
}
