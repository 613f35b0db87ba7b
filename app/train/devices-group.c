/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/devices-group.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/base/format.h"
#include "app/base/message.h"
#include "app/base/ui-path.h"
#include "app/train/device-load.h"
#include "app/train/device-text.h"

struct _UrbariumDevicesGroup
{
  AdwPreferencesGroup parent_instance;

  UrbariumDevices *devices;     /* (nullable) owned */
  GCancellable    *cancellable; /* (nullable) owned: a query is pending */
  GPtrArray       *gpu_checks;  /* (element-type GtkCheckButton) owned: parallel to devices->gpus */
  GPtrArray       *rank_labels; /* (element-type GtkLabel) owned: likewise */
  UrbariumRunLibrary *library;  /* (nullable) owned: of the runs that use devices */
  GPtrArray       *loads;       /* (element-type UrbariumDeviceLoad) owned: of the processor, and of GPUs */
  char            *wanted;      /* (nullable) owned: the device's name; NULL: not chosen */
  int              n_threads;   /* wanted, of all ranks; 0: all */
  double           rank_memory; /* GB; 0: any */
  int              n_ranks;     /* on this machine; 0: not known */
  gboolean         is_spread;   /* ranks take the GPUs in turn, rather than share the first */
  guint            n_ticked;    /* GPUs */
  gboolean         showing;     /* by this group, not the user */

  AdwActionRow    *cpu_row, *no_gpu_row, *gone_row, *threads_row, *memory_row, *hosts_row;
  GtkCheckButton  *cpu_check;
  GtkSpinButton   *threads_spin, *memory_spin;
  GtkAdjustment   *threads;
};

G_DEFINE_FINAL_TYPE (UrbariumDevicesGroup, urbarium_devices_group, ADW_TYPE_PREFERENCES_GROUP)

enum { CHANGED, TICKED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
emit_changed (UrbariumDevicesGroup *self)
{
  g_signal_emit (self, signals[CHANGED], 0);
}

/* ------------------------------------------------------------------------ */
/* Selection                                                                 */

static gboolean
is_ticked (UrbariumDevicesGroup *self, guint i)
{
  return gtk_check_button_get_active (g_ptr_array_index (self->gpu_checks, i));
}

const UrbariumGpu *
urbarium_devices_group_get_gpu (UrbariumDevicesGroup *self)
{
  const UrbariumGpu *first = NULL;
  for (guint i = 0; i < self->gpu_checks->len; i++)
    {
      const UrbariumGpu *gpu = g_ptr_array_index (self->devices->gpus, i);
      if (is_ticked (self, i) && !gpu->has_bf16)
        return gpu;
      if (is_ticked (self, i) && first == NULL)
        first = gpu;
    }
  return first;
}

static guint
count_ticked (UrbariumDevicesGroup *self)
{
  guint n = 0;
  for (guint i = 0; i < self->gpu_checks->len; i++)
    n += is_ticked (self, i) ? 1 : 0;
  return n;
}

/* "cpu", "cuda:1", or "cuda:0,1": by rising number */
static char *
dup_ticked (UrbariumDevicesGroup *self)
{
  g_autoptr(GString) name = g_string_new (NULL);
  for (guint i = 0; i < self->gpu_checks->len; i++)
    {
      const UrbariumGpu *gpu = g_ptr_array_index (self->devices->gpus, i);
      const char *number = gpu->device != NULL ? strchr (gpu->device, ':') : NULL;
      if (!is_ticked (self, i))
        continue;
      if (name->len == 0 || number == NULL)
        g_string_assign (name, gpu->device);
      else
        g_string_append_printf (name, ",%s", number + 1);
    }
  return g_strdup (name->len > 0 ? name->str : "cpu");
}

/* What is ticked; until the user ticks, in the order of the settings. */
static char *
dup_device (UrbariumDevicesGroup *self)
{
  g_autoptr(GArray) numbers = self->wanted != NULL ? urb_device_parse_gpus (self->wanted, NULL) : NULL;
  gboolean is_list = numbers != NULL && numbers->len > 0;
  return is_list && !gtk_widget_get_visible (GTK_WIDGET (self->gone_row)) ? g_strdup (self->wanted) : dup_ticked (self);
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

static guint
count_usable (const UrbariumDevices *devices)
{
  guint n = 0;
  for (guint i = 0; i < devices->gpus->len; i++)
    n += ((const UrbariumGpu *) g_ptr_array_index (devices->gpus, i))->device != NULL ? 1 : 0;
  return n;
}

/* All GPUs for which there are ranks. */
static void
add_all (UrbariumDevicesGroup *self, GPtrArray *found)
{
  guint n = self->is_spread ? (guint) MAX (self->n_ranks, 1) : 1;
  for (guint i = 0; i < self->devices->gpus->len && found->len < n; i++)
    {
      UrbariumGpu *gpu = g_ptr_array_index (self->devices->gpus, i);
      if (gpu->device != NULL)
        g_ptr_array_add (found, gpu);
    }
}

/* Returns: (transfer container): what is wanted; empty: the CPU
 * @gone: (out): whether some of it is missing */
static GPtrArray *
find_wanted (UrbariumDevicesGroup *self, gboolean *gone)
{
  g_autoptr(GPtrArray) found = g_ptr_array_new ();
  g_autoptr(GArray) numbers = self->wanted != NULL ? urb_device_parse_gpus (self->wanted, NULL) : NULL;
  const UrbariumGpu *best = self->wanted == NULL ? find_best (self->devices) : NULL;
  if (best != NULL)
    g_ptr_array_add (found, (gpointer) best);
  if (g_strcmp0 (self->wanted, "cuda") == 0)
    add_all (self, found);
  for (guint i = 0; numbers != NULL && i < numbers->len; i++)
    {
      g_autofree char *name = urb_device_dup_gpu (g_array_index (numbers, int, i));
      const UrbariumGpu *gpu = urbarium_devices_find_gpu (self->devices, name);
      if (gpu != NULL)
        g_ptr_array_add (found, (gpointer) gpu);
    }
  *gone = self->wanted != NULL && !g_str_equal (self->wanted, "cpu")
          && (found->len == 0 || (numbers != NULL && found->len < numbers->len));
  if (*gone)
    g_ptr_array_set_size (found, 0);
  return g_steal_pointer (&found);
}

/* ------------------------------------------------------------------------ */
/* Ranks                                                                     */

/* Where a ticked GPU is among those of the run: its first rank. */
static int
get_place (UrbariumDevicesGroup *self, const UrbariumGpu *gpu)
{
  g_autofree char *device = dup_device (self);
  g_autoptr(GArray) numbers = urb_device_parse_gpus (device, NULL);
  int place = 0;
  for (guint i = 0; numbers != NULL && i < numbers->len; i++)
    {
      g_autofree char *name = urb_device_dup_gpu (g_array_index (numbers, int, i));
      if (g_strcmp0 (name, gpu->device) == 0)
        place = (int) i;
    }
  return place;
}

/* The ranks of the GPU that is the @place-th of the run, from 0. (transfer full) */
static char *
dup_ranks (UrbariumDevicesGroup *self, int place)
{
  int n_gpus = (int) self->n_ticked, n_ranks = self->is_spread ? self->n_ranks : 1;
  int n = (n_ranks - place + n_gpus - 1) / n_gpus;
  if (n <= 0)
    /* translators: a GPU that is ticked, but has no part in the run */
    return g_strdup (_ ("Not used"));
  if (n == 1)
    /* translators: the number of a rank, which a GPU computes */
    return g_strdup_printf (_ ("Rank %d"), place);
  if (n == 2)
    /* translators: the numbers of two ranks, which a GPU computes */
    return g_strdup_printf (_ ("Ranks %d and %d"), place, place + n_gpus);
  /* translators: how many ranks a GPU computes */
  return g_strdup_printf (ngettext ("%d rank", "%d ranks", n), n);
}

static void
show_ranks (UrbariumDevicesGroup *self)
{
  gboolean several = self->n_ticked > 1 && self->n_ranks > 0;
  for (guint i = 0; i < self->gpu_checks->len; i++)
    {
      GtkLabel *label = g_ptr_array_index (self->rank_labels, i);
      gboolean shown = several && is_ticked (self, i);
      g_autofree char *text = shown ? dup_ranks (self, get_place (self, self->devices->gpus->pdata[i])) : NULL;
      gtk_label_set_text (label, text != NULL ? text : "");
      gtk_widget_set_visible (GTK_WIDGET (label), shown);
    }
  adw_preferences_group_set_description (
    ADW_PREFERENCES_GROUP (self),
    self->devices == NULL || count_usable (self->devices) < 2 ? NULL
    : self->n_ticked > 1 ? _ ("The ranks of the strategy take the ticked GPUs in turn")
                         : _ ("Tick several GPUs to train on them together"));
}

static int
get_most_threads (UrbariumDevicesGroup *self)
{
  return MAX (self->devices->n_cores / MAX (self->n_ranks, 1), 1);
}

/* Threads of a rank, of which the settings have the sum. */
static void
show_threads (UrbariumDevicesGroup *self)
{
  int n_ranks = MAX (self->n_ranks, 1), most = get_most_threads (self);
  g_autofree char *cores = g_strdup_printf (ngettext ("%d core", "%d cores", self->devices->n_cores), self->devices->n_cores);
  /* translators: "8 cores", and how many ranks share them */
  g_autofree char *shared = g_strdup_printf (ngettext ("%s for %d rank", "%s for %d ranks", n_ranks), cores, n_ranks);
  self->showing = TRUE;
  gtk_adjustment_set_upper (self->threads, most);
  gtk_adjustment_set_value (self->threads, self->n_threads > 0 ? MAX (self->n_threads / n_ranks, 1) : most);
  self->showing = FALSE;
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->threads_row),
                                 n_ranks > 1 ? _ ("Threads of each rank") : _ ("Threads"));
  adw_action_row_set_subtitle (self->threads_row,
                               self->n_ticked > 0 ? _ ("A GPU computes") : n_ranks > 1 ? shared : cores);
}

/* The least that is known to be free on a ticked GPU, or what this machine has; 0: unknown. */
static gint64
get_free_bytes (UrbariumDevicesGroup *self)
{
  gint64 least = 0;
  for (guint i = 0; i < self->gpu_checks->len; i++)
    {
      gint64 n_free = ((const UrbariumGpu *) g_ptr_array_index (self->devices->gpus, i))->free_bytes;
      if (is_ticked (self, i) && n_free > 0)
        least = least > 0 ? MIN (least, n_free) : n_free;
    }
  return self->n_ticked > 0 ? least : self->devices->available_bytes;
}

static void
show_memory (UrbariumDevicesGroup *self)
{
  gint64 n_free = get_free_bytes (self);
  g_autofree char *bytes = urbarium_format_bytes (n_free), *text = NULL;
  if (n_free > 0 && self->n_ticked > 1)
    /* translators: an amount of memory */
    text = g_strdup_printf (_ ("%s are free on each GPU"), bytes);
  else if (n_free > 0 && self->n_ticked == 1)
    /* translators: an amount of memory */
    text = g_strdup_printf (_ ("%s are free on the GPU"), bytes);
  else if (n_free > 0)
    /* translators: an amount of memory */
    text = g_strdup_printf (_ ("%s are free"), bytes);
  self->showing = TRUE;
  gtk_spin_button_set_value (self->memory_spin, self->rank_memory);
  self->showing = FALSE;
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->memory_row),
                                 self->n_ranks > 1 ? _ ("Most memory of each rank") : _ ("Most memory"));
  adw_action_row_set_subtitle (self->memory_row, text != NULL ? text : "");
}

/* Everything that depends on the selection and on the ranks. */
static void
show_all (UrbariumDevicesGroup *self)
{
  self->n_ticked = count_ticked (self);
  show_ranks (self);
  if (self->devices == NULL)
    return;
  show_threads (self);
  show_memory (self);
}

guint
urbarium_devices_group_get_n_gpus (UrbariumDevicesGroup *self)
{
  return self->n_ticked;
}

void
urbarium_devices_group_set_ranks (UrbariumDevicesGroup *self, int n_ranks, gboolean is_spread)
{
  if (n_ranks == self->n_ranks && is_spread == self->is_spread)
    return;
  /* Each rank keeps its threads. */
  if (self->n_threads > 0 && self->devices != NULL)
    self->n_threads = gtk_spin_button_get_value_as_int (self->threads_spin) * MAX (n_ranks, 1);
  self->n_ranks = n_ranks;
  self->is_spread = is_spread;
  show_all (self);
}

static void
threads_cb (UrbariumDevicesGroup *self)
{
  int n = gtk_spin_button_get_value_as_int (self->threads_spin);
  if (self->showing || self->devices == NULL)
    return;
  self->n_threads = n >= get_most_threads (self) ? 0 : n * MAX (self->n_ranks, 1);
  emit_changed (self);
}

static void
memory_cb (UrbariumDevicesGroup *self)
{
  if (self->showing)
    return;
  self->rank_memory = gtk_spin_button_get_value (self->memory_spin);
  emit_changed (self);
}

/* All digits, without groups: read back, they are the same number. (transfer full) */
static char *
dup_digits (double value)
{
  g_autofree char *text = g_strdup_printf ("%.15g", value);
  return g_strtod (text, NULL) == value ? g_steal_pointer (&text) : g_strdup_printf ("%.17g", value);
}

/* (transfer full) */
static char *
dup_memory (const char *number)
{
  /* translators: an amount of memory */
  return g_strdup_printf (_ ("%s GB"), number);
}

/* Shows 0 as words. */
static gboolean
memory_output_cb (GtkSpinButton *spin, gpointer data)
{
  double value = gtk_spin_button_get_value (spin);
  g_autofree char *number = dup_digits (value);
  g_autofree char *text = value > 0 ? dup_memory (number) : g_strdup (_ ("No limit"));
  if (g_strcmp0 (gtk_editable_get_text (GTK_EDITABLE (spin)), text) != 0)
    gtk_editable_set_text (GTK_EDITABLE (spin), text);
  return TRUE;
}

/* A number, with its unit or without; nothing, or the words for 0. */
static int
memory_input_cb (GtkSpinButton *spin, double *value, gpointer data)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (spin))));
  char *end;
  double number = g_strtod (text, &end);
  g_autofree char *digits = g_strndup (text, (gsize) (end - text)), *with_unit = dup_memory (digits);
  gboolean is_number = end > text && (*end == '\0' || g_str_equal (text, with_unit));
  gboolean is_none = *text == '\0' || g_str_equal (text, _ ("No limit"));
  if (!is_none && (!is_number || !isfinite (number) || number < 0))
    return GTK_INPUT_ERROR; /* the old value is shown again */
  *value = is_none ? 0 : number;
  return TRUE;
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
  show_all (self);
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
    gtk_check_button_set_active (self->cpu_check, count_ticked (self) == 0);
  self->showing = FALSE;
}

/* In a group of radio buttons, the one that becomes inactive emits first. */
static void
toggled_cb (UrbariumDevicesGroup *self, GtkCheckButton *check)
{
  guint n_before = self->n_ticked;
  gboolean is_radio = self->devices == NULL || count_usable (self->devices) < 2;
  if (self->showing || (is_radio && !gtk_check_button_get_active (check)))
    return;
  if (check == self->cpu_check && !gtk_check_button_get_active (check))
    return; /* a GPU was ticked, which tells */
  keep_apart (self, check);
  g_free (self->wanted);
  self->wanted = dup_ticked (self);
  gtk_widget_set_visible (GTK_WIDGET (self->gone_row), FALSE);
  show_all (self);
  g_signal_emit (self, signals[TICKED], 0, n_before);
  emit_changed (self);
}

static void
tick (UrbariumDevicesGroup *self)
{
  gboolean gone;
  g_autoptr(GPtrArray) wanted = find_wanted (self, &gone);
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
  gboolean is_radio = count_usable (self->devices) < 2;
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
  options->backend = dup_device (self);
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
  gtk_widget_class_bind_template_callback (widget_class, memory_output_cb);
  gtk_widget_class_bind_template_callback (widget_class, memory_input_cb);
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
  adw_action_row_add_suffix (self->cpu_row, new_load (self, NULL));
  show_ranks (self);
}
