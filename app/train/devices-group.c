/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devices-group.c - see devices-group-private.h.
 */
#include "app/train/devices-group-private.h"

#include <glib/gi18n.h>

#include "app/base/message.h"
#include "app/base/ui-path.h"
#include "app/train/device-load.h"
#include "app/train/device-text.h"
#include "app/train/memory-spin.h"

G_DEFINE_FINAL_TYPE (UrbariumDevicesGroup, urbarium_devices_group, ADW_TYPE_PREFERENCES_GROUP)

enum { CHANGED, TICKED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
emit_changed (UrbariumDevicesGroup *self)
{
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
threads_cb (UrbariumDevicesGroup *self)
{
  if (urbarium_devices_group_take_threads (self))
    emit_changed (self);
}

static void
memory_cb (UrbariumDevicesGroup *self)
{
  if (urbarium_devices_group_take_memory (self))
    emit_changed (self);
}

/* ------------------------------------------------------------------------ */
/* Ticks                                                                     */

static void
set_ticks (UrbariumDevicesGroup *self, GPtrArray *gpus)
{
  self->showing = TRUE;
  for (guint i = 0; i < self->gpu_checks->len; i++)
    gtk_check_button_set_active (g_ptr_array_index (self->gpu_checks, i),
                                 g_ptr_array_find (gpus, g_ptr_array_index (self->devices->gpus, i), NULL));
  gtk_check_button_set_active (self->cpu_check, gpus->len == 0);
  self->showing = FALSE;
  urbarium_devices_group_show_all (self);
}

/* The processor computes alone; it does if no GPU is ticked. */
static void
keep_apart (UrbariumDevicesGroup *self, GtkCheckButton *check)
{
  gboolean cpu = check == self->cpu_check;
  self->showing = TRUE;
  for (guint i = 0; cpu && i < self->gpu_checks->len; i++)
    gtk_check_button_set_active (g_ptr_array_index (self->gpu_checks, i), FALSE);
  if (!cpu)
    gtk_check_button_set_active (self->cpu_check, urbarium_devices_group_count_ticked (self) == 0);
  self->showing = FALSE;
}

/* In a group of radio buttons, the one that becomes inactive emits first. */
static void
toggled_cb (UrbariumDevicesGroup *self, GtkCheckButton *check)
{
  guint n_before = self->n_ticked;
  gboolean is_radio = self->devices == NULL || urbarium_devices_group_count_usable (self->devices) < 2;
  if (self->showing || (is_radio && !gtk_check_button_get_active (check)))
    return;
  if (check == self->cpu_check && !gtk_check_button_get_active (check))
    return; /* a GPU was ticked, which tells */
  keep_apart (self, check);
  g_free (self->wanted);
  self->wanted = urbarium_devices_group_dup_ticked (self);
  gtk_widget_set_visible (GTK_WIDGET (self->gone_row), FALSE);
  urbarium_devices_group_show_all (self);
  g_signal_emit (self, signals[TICKED], 0, n_before);
  emit_changed (self);
}

static void
tick (UrbariumDevicesGroup *self)
{
  gboolean gone;
  g_autoptr(GPtrArray) wanted = urbarium_devices_group_find_wanted (self, &gone);
  /* translators: the engine's name of a GPU, such as cuda:1 */
  g_autofree char *text = g_strdup_printf (_ ("The settings use %s, which this machine does not "
                                              "offer. The processor is selected instead."),
                                           gone ? self->wanted : "");
  adw_action_row_set_subtitle (self->gone_row, text);
  gtk_widget_set_visible (GTK_WIDGET (self->gone_row), gone);
  set_ticks (self, wanted);
}

/* ------------------------------------------------------------------------ */
/* Devices                                                                   */

static GtkWidget *
new_check (UrbariumDevicesGroup *self, const char *title, gboolean is_usable)
{
  gboolean is_radio = urbarium_devices_group_count_usable (self->devices) < 2;
  /* GTK 4.8 does not expose the group as radio buttons; nor, below, the row's insensitivity. */
  GtkWidget *check = g_object_new (GTK_TYPE_CHECK_BUTTON, "accessible-role",
                                   is_radio ? GTK_ACCESSIBLE_ROLE_RADIO : GTK_ACCESSIBLE_ROLE_CHECKBOX, NULL);
  gtk_widget_set_sensitive (check, is_usable);
  gtk_widget_set_valign (check, GTK_ALIGN_CENTER);
  if (is_radio)
    gtk_check_button_set_group (GTK_CHECK_BUTTON (check), self->cpu_check);
  gtk_accessible_update_property (GTK_ACCESSIBLE (check), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  g_signal_connect_object (check, "toggled", G_CALLBACK (toggled_cb), self, G_CONNECT_SWAPPED);
  return check;
}

/* @pci: (nullable): NULL: the processor
 * Returns: (transfer none) */
static GtkWidget *
new_load (UrbariumDevicesGroup *self, const char *pci)
{
  UrbariumDeviceLoad *load = g_object_new (URBARIUM_TYPE_DEVICE_LOAD, NULL);
  urbarium_device_load_set_gpu (load, pci);
  urbarium_device_load_set_library (load, self->library);
  g_ptr_array_add (self->loads, g_object_ref_sink (load));
  return GTK_WIDGET (load);
}

/* The ranks of a GPU, above its curve. */
static GtkWidget *
new_suffix (UrbariumDevicesGroup *self, const UrbariumGpu *gpu, GtkWidget *ranks)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (ranks, "dim-label");
  gtk_box_append (GTK_BOX (box), ranks);
  if (gpu->pci != NULL)
    gtk_box_append (GTK_BOX (box), new_load (self, gpu->pci));
  return box;
}

static void
add_gpu (UrbariumDevicesGroup *self, const UrbariumGpu *gpu)
{
  GtkWidget *row = adw_action_row_new (), *ranks = gtk_label_new (NULL);
  g_autofree char *title = urbarium_device_text_dup_gpu_title (self->devices, gpu);
  g_autofree char *subtitle = urbarium_device_text_dup_gpu (gpu);
  GtkWidget *check = new_check (self, title, gpu->device != NULL);
  /* Set separately: in one call, the title would be set first. */
  g_object_set (row, "use-markup", FALSE, NULL);
  g_object_set (row, "title", title, "subtitle", subtitle, "sensitive", gpu->device != NULL, NULL);
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), check);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), new_suffix (self, gpu, ranks));
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), check);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self), row);
  g_ptr_array_add (self->gpu_checks, g_object_ref (check));
  g_ptr_array_add (self->rank_labels, g_object_ref (ranks));
}

static void
keep_last (UrbariumDevicesGroup *self, AdwActionRow *last)
{
  g_autoptr(GtkWidget) row = g_object_ref (GTK_WIDGET (last));
  adw_preferences_group_remove (ADW_PREFERENCES_GROUP (self), row);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self), row);
}

/* The usual reasons of the engine are translated; others tell of a machine that has to be repaired. */
static char *
dup_no_gpu (const char *why)
{
  static const char *const reasons[] = { N_ ("there is no NVIDIA driver, or it is too old"),
                                         N_ ("there is no NVIDIA GPU") };
  if (why == NULL)
    return g_strdup (_ ("None found"));
  for (gsize i = 0; i < G_N_ELEMENTS (reasons); i++)
    if (g_str_equal (why, reasons[i]))
      why = _ (reasons[i]);
  /* translators: why a machine has no usable GPU */
  return g_strdup_printf (_ ("None found: %s"), why);
}

static void
show_devices (UrbariumDevicesGroup *self)
{
  const UrbariumDevices *devices = self->devices;
  g_autofree char *subtitle = urbarium_device_text_dup_processor (devices);
  g_autofree char *no_gpu = dup_no_gpu (devices->gpus_why);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->cpu_row),
                                 devices->cpu_model != NULL ? devices->cpu_model
                                                            : _ ("Processor"));
  adw_action_row_set_subtitle (self->cpu_row, subtitle);
  urbarium_message_mark (GTK_WIDGET (self->cpu_row), FALSE);
  adw_action_row_set_subtitle (self->no_gpu_row, no_gpu);
  gtk_widget_set_visible (GTK_WIDGET (self->no_gpu_row), devices->gpus->len == 0);
  for (guint i = 0; i < devices->gpus->len; i++)
    add_gpu (self, g_ptr_array_index (devices->gpus, i));
  keep_last (self, self->threads_row);
  keep_last (self, self->memory_row);
  keep_last (self, self->hosts_row);
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

void
urbarium_devices_group_set_library (UrbariumDevicesGroup *self, UrbariumRunLibrary *library)
{
  g_set_object (&self->library, library);
  for (guint i = 0; i < self->loads->len; i++)
    urbarium_device_load_set_library (self->loads->pdata[i], library);
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
  self->wanted = g_strdup (options->backend);
  self->n_threads = options->n_threads;
  self->rank_memory = options->rank_memory;
  self->n_ranks = options->n_ranks;
  self->is_spread = urb_strategy_is_synchronous (options->strategy);
  if (self->devices != NULL)
    tick (self);
}

void
urbarium_devices_group_propose (UrbariumDevicesGroup *self)
{
  g_clear_pointer (&self->wanted, g_free);
  if (self->devices == NULL)
    return;
  tick (self);
  emit_changed (self);
}

/* Writes all cores as 0, since the run may be resumed on another machine.  With a GPU, all cores
 * are used. */
void
urbarium_devices_group_apply (UrbariumDevicesGroup *self, UrbTrainOptions *options)
{
  g_free (options->backend);
  options->rank_memory = self->rank_memory;
  if (self->devices == NULL)
    {
      options->backend = g_strdup (self->wanted != NULL ? self->wanted : "cpu");
      options->n_threads = self->n_threads;
      return;
    }
  options->backend = urbarium_devices_group_dup_device (self);
  options->n_threads = self->n_ticked > 0 || self->n_threads >= self->devices->n_cores ? 0 : self->n_threads;
}

static void
dispose (GObject *object)
{
  UrbariumDevicesGroup *self = URBARIUM_DEVICES_GROUP (object);
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->library);
  G_OBJECT_CLASS (urbarium_devices_group_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumDevicesGroup *self = URBARIUM_DEVICES_GROUP (object);
  g_clear_pointer (&self->devices, urbarium_devices_free);
  g_ptr_array_unref (self->gpu_checks);
  g_ptr_array_unref (self->rank_labels);
  g_ptr_array_unref (self->loads);
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
  signals[TICKED] = g_signal_new ("ticked", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "devices-group.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, cpu_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, no_gpu_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, gone_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, threads_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, memory_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, hosts_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, cpu_check);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, threads_spin);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, memory_spin);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDevicesGroup, threads);
  gtk_widget_class_bind_template_callback (widget_class, threads_cb);
  gtk_widget_class_bind_template_callback (widget_class, memory_cb);
  gtk_widget_class_bind_template_callback (widget_class, toggled_cb);
}

static void
urbarium_devices_group_init (UrbariumDevicesGroup *self)
{
  self->gpu_checks = g_ptr_array_new_with_free_func (g_object_unref);
  self->rank_labels = g_ptr_array_new_with_free_func (g_object_unref);
  self->loads = g_ptr_array_new_with_free_func (g_object_unref);
  self->n_ranks = 1;
  gtk_widget_init_template (GTK_WIDGET (self));
  urbarium_memory_spin_set_up (self->memory_spin);
  adw_action_row_add_suffix (self->cpu_row, new_load (self, NULL));
  urbarium_devices_group_show_ranks (self);
}
