/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/device-text.h"

#include <glib/gi18n.h>

#include "app/base/format.h"

char *
urbarium_device_text_dup_gpu_title (const UrbariumDevices *devices, const UrbariumGpu *gpu)
{
  const char *name = gpu->name != NULL ? gpu->name : _ ("GPU");
  int n_alike = 0;
  for (guint i = 0; i < devices->gpus->len; i++)
    {
      const UrbariumGpu *other = g_ptr_array_index (devices->gpus, i);
      n_alike += g_strcmp0 (other->name, gpu->name) == 0;
    }
  return gpu->device == NULL || n_alike == 1 ? g_strdup (name)
                                             : g_strdup_printf ("%s (%s)", name, gpu->device);
}

/* What a usable GPU can do: "70 GB of memory free · compute capability 9.0 · bf16, fp16 and TF32" */
static char *
dup_abilities (const UrbariumGpu *gpu, const char *memory)
{
  g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  if (memory != NULL)
    g_ptr_array_add (parts, g_strdup (memory));
  if (gpu->capability > 0)
    /* translators: the version of what a GPU can do, as its maker counts: 9.0 */
    g_ptr_array_add (parts, g_strdup_printf (_ ("compute capability %d.%d"), gpu->capability / 10, gpu->capability % 10));
  g_ptr_array_add (parts, g_strdup (gpu->has_bf16 ? _ ("bf16, fp16 and TF32") : "fp16"));
  g_ptr_array_add (parts, NULL);
  return g_strjoinv (" · ", (char **) parts->pdata);
}

char *
urbarium_device_text_dup_gpu (const UrbariumGpu *gpu)
{
  g_autofree char *free_bytes = urbarium_format_bytes (gpu->free_bytes);
  g_autofree char *bytes = urbarium_format_bytes (gpu->memory_bytes);
  g_autofree char *memory = NULL;
  if (gpu->free_bytes > 0)
    /* translators: an amount of a GPU's memory */
    memory = g_strdup_printf (_ ("%s of memory free"), free_bytes);
  else if (gpu->memory_bytes > 0)
    /* translators: an amount of a GPU's memory */
    memory = g_strdup_printf (_ ("%s of memory"), bytes);
  if (gpu->device != NULL)
    return dup_abilities (gpu, memory);
  if (gpu->reason == NULL)
    return g_strdup (_ ("Cannot be used"));
  if (memory == NULL)
    /* translators: why a GPU cannot be used */
    return g_strdup_printf (_ ("Cannot be used: %s"), gpu->reason);
  /* translators: how much memory a GPU has, then why it cannot be used */
  return g_strdup_printf (_ ("%s. Cannot be used: %s"), memory, gpu->reason);
}

char *
urbarium_device_text_dup_processor (const UrbariumDevices *devices)
{
  g_autofree char *free_bytes = urbarium_format_bytes (devices->available_bytes);
  g_autofree char *isa = devices->isa != NULL ? g_ascii_strup (devices->isa, -1) : NULL;
  g_autoptr(GString) text = g_string_new (NULL);
  /* translators: how many cores a processor has, and how much memory is free */
  g_string_printf (text, ngettext ("%d core, %s of memory free", "%d cores, %s of memory free", devices->n_cores),
                   devices->n_cores, free_bytes);
  if (isa != NULL)
    g_string_append_printf (text, " · %s", isa);
  if (devices->has_bf16)
    g_string_append (text, " · bf16");
  return g_string_free (g_steal_pointer (&text), FALSE);
}
