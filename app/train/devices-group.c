/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/devices-group.h"

#include <glib/gi18n.h>

#include "app/base/message.h"
#include "app/base/ui-path.h"
#include "app/runs/device-name.h"
#include "app/train/device-text.h"

struct _UrbariumDevicesGroup
{
  AdwPreferencesGroup parent_instance;

  UrbariumDevices *devices;     /* (nullable) owned */
  GCancellable    *cancellable; /* (nullable) owned: a query is pending */
  GPtrArray       *gpu_checks;  /* (element-type GtkCheckButton) owned: parallel to devices->gpus */
  char            *wanted;      /* (nullable) owned: the device's name; NULL: not chosen */
  int              n_threads;   /* wanted; 0: all */
  gboolean         ticking;     /* by this group, not the user */

  AdwActionRow    *cpu_row, *no_gpu_row, *gone_row, *hosts_row;
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
  g_signal_emit (self, signals[CHANGED], 0);
}

/* ------------------------------------------------------------------------ */
/* Selection                                                                 */

const UrbariumGpu *
urbarium_devices_group_get_gpu (UrbariumDevicesGroup *self)
{
  for (guint i = 0; i < self->gpu_checks->len; i++)
    if (gtk_check_button_get_active (g_ptr_array_index (self->gpu_checks, i)))
      return g_ptr_array_index (self->devices->gpus, i);
  return NULL;
}

static const char *
get_device (UrbariumDevicesGroup *self)
{
  const UrbariumGpu *gpu = urbarium_devices_group_get_gpu (self);
  return gpu != NULL ? gpu->device : "cpu";
}

/* The button that becomes inactive emits first. */
static void
toggled_cb (UrbariumDevicesGroup *self, GtkCheckButton *check)
{
  if (!gtk_check_button_get_active (check))
    return;
  if (self->ticking)
    return;
  g_free (self->wanted);
  self->wanted = g_strdup (get_device (self));
  gtk_widget_set_visible (GTK_WIDGET (self->gone_row), FALSE);
  changed_cb (self);
}

/* (nullable): NULL without a usable GPU */
static const UrbariumGpu *
find_best (const UrbariumDevices *devices)
{
  const UrbariumGpu *best = NULL;
  for (guint i = 0; i < devices->gpus->len; i++)
    {
      const UrbariumGpu *gpu = g_ptr_array_index (devices->gpus, i);
      if (gpu->device != NULL && (best == NULL || gpu->free_bytes > best->free_bytes))
        best = gpu;
    }
  return best;
}

static void
tick (UrbariumDevicesGroup *self)
{
  const UrbariumGpu *gpu = self->wanted == NULL
                             ? find_best (self->devices)
                             : urbarium_devices_find_gpu (self->devices, self->wanted);
  gboolean gone = gpu == NULL && self->wanted != NULL && !g_str_equal (self->wanted, "cpu");
  /* translators: the engine's name of a GPU, such as cuda:1 */
  g_autofree char *text = g_strdup_printf (_ ("The settings use %s, which this machine does not "
                                              "offer. The processor is selected instead."),
                                           gone ? self->wanted : "");
  GtkCheckButton *check = self->cpu_check;
  guint i;
  if (gpu != NULL && g_ptr_array_find (self->devices->gpus, gpu, &i))
    check = g_ptr_array_index (self->gpu_checks, i);
  self->ticking = TRUE;
  gtk_check_button_set_active (check, TRUE);
  self->ticking = FALSE;
  adw_action_row_set_subtitle (self->gone_row, text);
  gtk_widget_set_visible (GTK_WIDGET (self->gone_row), gone);
}

/* ------------------------------------------------------------------------ */
/* Devices                                                                   */

static void
add_gpu (UrbariumDevicesGroup *self, const UrbariumGpu *gpu)
{
  GtkWidget *row = adw_action_row_new ();
  /* GTK 4.8 does not expose the group as radio buttons; nor, below, the row's insensitivity. */
  GtkWidget *check = g_object_new (GTK_TYPE_CHECK_BUTTON, "accessible-role",
                                   GTK_ACCESSIBLE_ROLE_RADIO, NULL);
  g_autofree char *title = urbarium_device_text_dup_gpu_title (self->devices, gpu);
  g_autofree char *subtitle = urbarium_device_text_dup_gpu (gpu);
  /* Set separately: in one call, the title would be set first. */
  g_object_set (row, "use-markup", FALSE, NULL);
  g_object_set (row, "title", title, "subtitle", subtitle, "sensitive", gpu->device != NULL, NULL);
  gtk_widget_set_sensitive (check, gpu->device != NULL);
  gtk_widget_set_valign (check, GTK_ALIGN_CENTER);
  gtk_check_button_set_group (GTK_CHECK_BUTTON (check), self->cpu_check);
  gtk_accessible_update_property (GTK_ACCESSIBLE (check), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  g_signal_connect_object (check, "toggled", G_CALLBACK (toggled_cb), self, G_CONNECT_SWAPPED);
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), check);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), check);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self), row);
  g_ptr_array_add (self->gpu_checks, g_object_ref (check));
}

static void
keep_hosts_last (UrbariumDevicesGroup *self)
{
  g_autoptr(GtkWidget) row = g_object_ref (GTK_WIDGET (self->hosts_row));
  adw_preferences_group_remove (ADW_PREFERENCES_GROUP (self), row);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self), row);
}

static void
show_devices (UrbariumDevicesGroup *self)
{
  const UrbariumDevices *devices = self->devices;
  g_autofree char *subtitle = urbarium_device_text_dup_processor (devices);
  g_autofree char *no_gpu =
    /* translators: why a machine has no usable GPU */
    devices->gpus_why == NULL ? g_strdup (_ ("None found"))
                              : g_strdup_printf (_ ("None found: %s"), devices->gpus_why);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->cpu_row),
                                 devices->cpu_model != NULL ? devices->cpu_model
                                                            : _ ("Processor"));
  adw_action_row_set_subtitle (self->cpu_row, subtitle);
  urbarium_message_mark (GTK_WIDGET (self->cpu_row), FALSE);
  gtk_adjustment_set_upper (self->threads, devices->n_cores);
  gtk_adjustment_set_value (self->threads,
                            self->n_threads > 0 ? self->n_threads : devices->n_cores);
  adw_action_row_set_subtitle (self->no_gpu_row, no_gpu);
  gtk_widget_set_visible (GTK_WIDGET (self->no_gpu_row), devices->gpus->len == 0);
  for (guint i = 0; i < devices->gpus->len; i++)
    add_gpu (self, g_ptr_array_index (devices->gpus, i));
  keep_hosts_last (self);
  tick (self);
}

/* If cancelled, the group may have been freed. */
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
      urbarium_message_mark (GTK_WIDGET (self->cpu_row), TRUE);
      gtk_widget_set_visible (GTK_WIDGET (self->no_gpu_row), FALSE);
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
  /* No reference: it would keep the group, and so the engine process, alive until the reply. */
  urbarium_engine_query_devices_async (self->cancellable, devices_cb, self);
}

const UrbariumDevices *
urbarium_devices_group_get_devices (UrbariumDevicesGroup *self)
{
  return self->devices;
}

void
urbarium_devices_group_set_hosts (UrbariumDevicesGroup *self, const char *text, gboolean is_problem)
{
  adw_action_row_set_subtitle (self->hosts_row, text);
  urbarium_message_mark (GTK_WIDGET (self->hosts_row), is_problem);
}

/* ------------------------------------------------------------------------ */
/* Options                                                                   */

gboolean
urbarium_devices_group_is_chosen (UrbariumDevicesGroup *self)
{
  return self->wanted != NULL && !gtk_widget_get_visible (GTK_WIDGET (self->gone_row));
}

void
urbarium_devices_group_set_options (UrbariumDevicesGroup *self, const UrbTrainOptions *options)
{
  g_free (self->wanted);
  self->wanted = g_strdup (urbarium_device_name_complete (options->backend));
  self->n_threads = options->n_threads;
  if (self->devices == NULL)
    return;
  gtk_adjustment_set_value (self->threads, self->n_threads > 0 ? self->n_threads
                                                               : self->devices->n_cores);
  tick (self);
}

void
urbarium_devices_group_propose (UrbariumDevicesGroup *self)
{
  g_clear_pointer (&self->wanted, g_free);
  if (self->devices == NULL)
    return;
  tick (self);
  changed_cb (self);
}

/* Writes all cores as 0, since the run may be resumed on another machine.  With a GPU, all cores
 * are used. */
void
urbarium_devices_group_apply (UrbariumDevicesGroup *self, UrbTrainOptions *options)
{
  int n = gtk_spin_button_get_value_as_int (self->threads_spin);
  g_free (options->backend);
  if (self->devices == NULL)
    {
      options->backend = g_strdup (self->wanted != NULL ? self->wanted : "cpu");
      options->n_threads = self->n_threads;
      return;
    }
  options->backend = g_strdup (get_device (self));
  options->n_threads = n >= self->devices->n_cores || urbarium_devices_group_get_gpu (self) != NULL
                         ? 0 : n;
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
  g_ptr_array_unref (self->gpu_checks);
  g_free (self->wanted);
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
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, gone_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, hosts_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, cpu_check);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, threads_spin);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, threads);
  gtk_widget_class_bind_template_callback (widget_class, changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, toggled_cb);
}

static void
urbarium_devices_group_init (UrbariumDevicesGroup *self)
{
  self->gpu_checks = g_ptr_array_new_with_free_func (g_object_unref);
  gtk_widget_init_template (GTK_WIDGET (self));
}
