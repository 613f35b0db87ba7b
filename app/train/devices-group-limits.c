/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devices-group-limits.c - what each rank gets of the devices: its GPU, threads and memory.
 */
#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/train/devices-group-private.h"

/* Where a ticked GPU is among those of the run: its first rank. */
static int
get_place (UrbariumDevicesGroup *self, const UrbariumGpu *gpu)
{
  g_autofree char *device = urbarium_devices_group_dup_device (self);
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

void
urbarium_devices_group_show_ranks (UrbariumDevicesGroup *self)
{
  gboolean several = self->n_ticked > 1 && self->n_ranks > 0;
  for (guint i = 0; i < self->gpu_checks->len; i++)
    {
      GtkLabel *label = g_ptr_array_index (self->rank_labels, i);
      gboolean shown = several && urbarium_devices_group_is_ticked (self, i);
      g_autofree char *text = shown ? dup_ranks (self, get_place (self, self->devices->gpus->pdata[i])) : NULL;
      gtk_label_set_text (label, text != NULL ? text : "");
      gtk_widget_set_visible (GTK_WIDGET (label), shown);
    }
  adw_preferences_group_set_description (
    ADW_PREFERENCES_GROUP (self),
    self->devices == NULL || urbarium_devices_group_count_usable (self->devices) < 2 ? NULL
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
      if (urbarium_devices_group_is_ticked (self, i) && n_free > 0)
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
                                 self->n_ranks > 1 ? _ ("Memory limit of each rank") : _ ("Memory limit"));
  adw_action_row_set_subtitle (self->memory_row, text != NULL ? text : "");
}

void
urbarium_devices_group_show_all (UrbariumDevicesGroup *self)
{
  self->n_ticked = urbarium_devices_group_count_ticked (self);
  urbarium_devices_group_show_ranks (self);
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
  urbarium_devices_group_show_all (self);
}

gboolean
urbarium_devices_group_take_threads (UrbariumDevicesGroup *self)
{
  int n = gtk_spin_button_get_value_as_int (self->threads_spin);
  if (self->showing || self->devices == NULL)
    return FALSE;
  self->n_threads = n >= get_most_threads (self) ? 0 : n * MAX (self->n_ranks, 1);
  return TRUE;
}

gboolean
urbarium_devices_group_take_memory (UrbariumDevicesGroup *self)
{
  if (self->showing)
    return FALSE;
  self->rank_memory = gtk_spin_button_get_value (self->memory_spin);
  return TRUE;
}
