/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devices-group-choice.c - which devices are ticked, and which of them the settings want.
 */
#include <string.h>

#include "app/train/devices-group-private.h"

gboolean
urbarium_devices_group_is_ticked (UrbariumDevicesGroup *self, guint i)
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
      if (urbarium_devices_group_is_ticked (self, i) && !gpu->has_bf16)
        return gpu;
      if (urbarium_devices_group_is_ticked (self, i) && first == NULL)
        first = gpu;
    }
  return first;
}

guint
urbarium_devices_group_count_ticked (UrbariumDevicesGroup *self)
{
  guint n = 0;
  for (guint i = 0; i < self->gpu_checks->len; i++)
    n += urbarium_devices_group_is_ticked (self, i) ? 1 : 0;
  return n;
}

char *
urbarium_devices_group_dup_ticked (UrbariumDevicesGroup *self)
{
  g_autoptr(GString) name = g_string_new (NULL);
  for (guint i = 0; i < self->gpu_checks->len; i++)
    {
      const UrbariumGpu *gpu = g_ptr_array_index (self->devices->gpus, i);
      const char *number = gpu->device != NULL ? strchr (gpu->device, ':') : NULL;
      if (!urbarium_devices_group_is_ticked (self, i))
        continue;
      if (name->len == 0 || number == NULL)
        g_string_assign (name, gpu->device);
      else
        g_string_append_printf (name, ",%s", number + 1);
    }
  return g_strdup (name->len > 0 ? name->str : "cpu");
}

char *
urbarium_devices_group_dup_device (UrbariumDevicesGroup *self)
{
  g_autoptr(GArray) numbers = self->wanted != NULL ? urb_device_parse_gpus (self->wanted, NULL) : NULL;
  gboolean is_list = numbers != NULL && numbers->len > 0;
  if (is_list && !gtk_widget_get_visible (GTK_WIDGET (self->gone_row)))
    return g_strdup (self->wanted);
  return urbarium_devices_group_dup_ticked (self);
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

guint
urbarium_devices_group_count_usable (const UrbariumDevices *devices)
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

GPtrArray *
urbarium_devices_group_find_wanted (UrbariumDevicesGroup *self, gboolean *gone)
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
