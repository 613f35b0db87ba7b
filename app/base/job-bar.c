/* SPDX-License-Identifier: Apache-2.0 */
#include "app/base/job-bar.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/ui-path.h"

enum { PULSE_INTERVAL_MS = 100 };

struct _UrbariumJobBar
{
  AdwBin          parent_instance;
  UrbariumJob    *job; /* owned; nullable */
  GtkLabel       *what, *left;
  GtkProgressBar *bar;
  GtkButton      *cancel;
  guint           pulse; /* source */
};

G_DEFINE_FINAL_TYPE (UrbariumJobBar, urbarium_job_bar, ADW_TYPE_BIN)

enum { PROP_JOB = 1 };

static gboolean
pulse_cb (gpointer data)
{
  UrbariumJobBar *self = data;
  gtk_progress_bar_pulse (self->bar);
  return G_SOURCE_CONTINUE;
}

static void
update (UrbariumJobBar *self)
{
  g_autofree char *title = NULL;
  g_autofree char *what = NULL;
  g_autofree char *left = NULL;
  gboolean running = FALSE;
  double fraction = -1, seconds_left = -1;
  if (self->job != NULL)
    g_object_get (self->job, "title", &title, "what", &what, "running", &running, "fraction",
                  &fraction, "seconds-left", &seconds_left, NULL);
  gtk_widget_set_visible (GTK_WIDGET (self), running);
  if (!running || fraction >= 0)
    g_clear_handle_id (&self->pulse, g_source_remove);
  else if (self->pulse == 0)
    self->pulse = g_timeout_add (PULSE_INTERVAL_MS, pulse_cb, self);
  if (!running)
    return;
  gtk_label_set_label (self->what, what != NULL && *what != '\0' ? what : title);
  if (fraction >= 0)
    gtk_progress_bar_set_fraction (self->bar, fraction);
  if (seconds_left >= 0)
    {
      g_autofree char *duration = urbarium_format_duration (seconds_left);
      /* translators: remaining time of a job: 3 min left */
      left = g_strdup_printf (_ ("%s left"), duration);
    }
  gtk_label_set_label (self->left, left == NULL ? "" : left);
  gtk_widget_set_sensitive (
    GTK_WIDGET (self->cancel),
    !g_cancellable_is_cancelled (urbarium_job_get_cancellable (self->job)));
}

void
urbarium_job_bar_set_job (UrbariumJobBar *self, UrbariumJob *job)
{
  g_return_if_fail (URBARIUM_IS_JOB_BAR (self));
  if (self->job == job)
    return;
  if (self->job != NULL)
    g_signal_handlers_disconnect_by_data (self->job, self);
  g_set_object (&self->job, job);
  if (job != NULL)
    g_signal_connect_swapped (job, "notify", G_CALLBACK (update), self);
  update (self);
  g_object_notify (G_OBJECT (self), "job");
}

static void
cancel_cb (UrbariumJobBar *self)
{
  if (self->job != NULL)
    urbarium_job_cancel (self->job);
  gtk_widget_set_sensitive (GTK_WIDGET (self->cancel), FALSE);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_JOB)
    g_value_set_object (value, URBARIUM_JOB_BAR (object)->job);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_JOB)
    urbarium_job_bar_set_job (URBARIUM_JOB_BAR (object), g_value_get_object (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
dispose (GObject *object)
{
  UrbariumJobBar *self = URBARIUM_JOB_BAR (object);
  g_clear_handle_id (&self->pulse, g_source_remove);
  if (self->job != NULL)
    g_signal_handlers_disconnect_by_data (self->job, self);
  g_clear_object (&self->job);
  G_OBJECT_CLASS (urbarium_job_bar_parent_class)->dispose (object);
}

static void
urbarium_job_bar_class_init (UrbariumJobBarClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  object_class->get_property = get_property;
  object_class->set_property = set_property;
  object_class->dispose = dispose;
  g_object_class_install_property (
    object_class, PROP_JOB,
    g_param_spec_object ("job", NULL, NULL, URBARIUM_TYPE_JOB,
                         G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY));
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "job-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumJobBar, what);
  gtk_widget_class_bind_template_child (widget_class, UrbariumJobBar, left);
  gtk_widget_class_bind_template_child (widget_class, UrbariumJobBar, bar);
  gtk_widget_class_bind_template_child (widget_class, UrbariumJobBar, cancel);
  gtk_widget_class_bind_template_callback (widget_class, cancel_cb);
}

static void
urbarium_job_bar_init (UrbariumJobBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
