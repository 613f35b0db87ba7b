/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/devices-group.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/ui-path.h"

struct _UrbariumDevicesGroup
{
  AdwPreferencesGroup parent_instance;

  UrbariumDevices *devices;     /* (nullable) owned */
  GCancellable    *cancellable; /* (nullable) owned: being asked */
  int              n_threads;   /* wanted; 0: all */

  AdwActionRow    *cpu_row, *no_gpu_row;
  GtkCheckButton  *cpu_check;
  GtkSpinButton   *threads_spin;
  GtkAdjustment   *threads;
};

G_DEFINE_FINAL_TYPE (UrbariumDevicesGroup, urbarium_devices_group, ADW_TYPE_PREFERENCES_GROUP)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
changed_cb (UrbariumDevicesGroup *self)
{
  gtk_widget_set_sensitive (GTK_WIDGET (self->threads_spin),
                            gtk_check_button_get_active (self->cpu_check));
  g_signal_emit (self, signals[CHANGED], 0);
}

/* Seen, with its memory and why it cannot be ticked. */
static void
add_gpu (UrbariumDevicesGroup *self, const UrbariumGpu *gpu)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *check = gtk_check_button_new ();
  g_autofree char *memory = urbarium_format_bytes (gpu->free_bytes);
  const char *reason = gpu->reason != NULL ? gpu->reason
                                           : _ ("This version computes on the processor");
  /* translators: how much memory a GPU has free, then why it cannot be used */
  g_autofree char *subtitle = gpu->free_bytes > 0
                                ? g_strdup_printf (_ ("%s free. %s"), memory, reason)
                                : g_strdup (reason);
  /* By itself: together with it, GTK would hear of the title first. */
  g_object_set (row, "use-markup", FALSE, NULL);
  g_object_set (row, "title", gpu->name != NULL ? gpu->name : _ ("GPU"), "subtitle", subtitle,
                "sensitive", FALSE, NULL);
  gtk_widget_set_valign (check, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (check), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  gpu->name != NULL ? gpu->name : _ ("GPU"), -1);
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), check);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self), row);
}

static void
show_devices (UrbariumDevicesGroup *self)
{
  const UrbariumDevices *devices = self->devices;
  g_autofree char *free_bytes = urbarium_format_bytes (devices->available_bytes);
  g_autofree char *subtitle = g_strdup_printf (
    /* translators: how many cores a processor has, and how much memory is free */
    ngettext ("%d core, %s of memory free", "%d cores, %s of memory free", devices->n_cores),
    devices->n_cores, free_bytes);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->cpu_row),
                                 devices->cpu_model != NULL ? devices->cpu_model
                                                            : _ ("Processor"));
  adw_action_row_set_subtitle (self->cpu_row, subtitle);
  gtk_adjustment_set_upper (self->threads, devices->n_cores);
  gtk_adjustment_set_value (self->threads,
                            self->n_threads > 0 ? self->n_threads : devices->n_cores);
  gtk_widget_set_visible (GTK_WIDGET (self->no_gpu_row), devices->gpus->len == 0);
  for (guint i = 0; i < devices->gpus->len; i++)
    add_gpu (self, g_ptr_array_index (devices->gpus, i));
}

/* Cancelled, the group may be gone. */
static void
devices_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  UrbariumDevicesGroup *self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbariumDevices) devices = urbarium_engine_query_devices_finish (result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      || g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result))))
    return;
  g_clear_object (&self->cancellable);
  if (devices == NULL)
    {
      adw_action_row_set_subtitle (self->cpu_row, error->message);
      return;
    }
  self->devices = g_steal_pointer (&devices);
  show_devices (self);
  g_signal_emit (self, signals[CHANGED], 0);
}

void
urbarium_devices_group_load (UrbariumDevicesGroup *self)
{
  if (self->devices != NULL || self->cancellable != NULL)
    return;
  self->cancellable = g_cancellable_new ();
  /* Not a reference: that would keep the group, and so the engine, until the answer. */
  urbarium_engine_query_devices_async (self->cancellable, devices_cb, self);
}

const UrbariumDevices *
urbarium_devices_group_get_devices (UrbariumDevicesGroup *self)
{
  return self->devices;
}

void
urbarium_devices_group_set_options (UrbariumDevicesGroup *self, const UrbTrainOptions *options)
{
  self->n_threads = options->n_threads;
  if (self->devices != NULL)
    gtk_adjustment_set_value (self->threads, self->n_threads > 0 ? self->n_threads
                                                                 : self->devices->n_cores);
}

/* All cores are written as 0: the run may be continued on another machine. */
void
urbarium_devices_group_apply (UrbariumDevicesGroup *self, UrbTrainOptions *options)
{
  int n = gtk_spin_button_get_value_as_int (self->threads_spin);
  if (self->devices == NULL)
    options->n_threads = self->n_threads;
  else
    options->n_threads = n >= self->devices->n_cores ? 0 : n;
}

char *
urbarium_devices_group_check (UrbariumDevicesGroup *self)
{
  if (gtk_check_button_get_active (self->cpu_check))
    return NULL;
  return g_strdup (_ ("Tick the hardware to train on."));
}

static void
dispose (GObject *object)
{
  UrbariumDevicesGroup *self = URBARIUM_DEVICES_GROUP (object);
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  G_OBJECT_CLASS (urbarium_devices_group_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumDevicesGroup *self = URBARIUM_DEVICES_GROUP (object);
  g_clear_pointer (&self->devices, urbarium_devices_free);
  G_OBJECT_CLASS (urbarium_devices_group_parent_class)->finalize (object);
}

static void
urbarium_devices_group_class_init (UrbariumDevicesGroupClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "devices-group.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, cpu_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, no_gpu_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, cpu_check);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, threads_spin);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, threads);
  gtk_widget_class_bind_template_callback (widget_class, changed_cb);
}

static void
urbarium_devices_group_init (UrbariumDevicesGroup *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
