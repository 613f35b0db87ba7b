/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpus.c - see gpus.h.
 *
 * The driver's list, without CUDA: what is seen need not be what CUDA may use, or in its order.  So
 * each is named by its PCI address, too.
 */
#include "cli/gpus.h"

#include <stdio.h>

#include "base/json-build.h"
#include "run/nvml.h"

struct _UrbCliGpus
{
  char   *driver; /* owned; its version */
  GArray *gpus;   /* owned; UrbGpu */
};

UrbCliGpus *
urb_cli_gpus_new (void)
{
  UrbCliGpus *self = g_new0 (UrbCliGpus, 1);
  g_autoptr(UrbNvml) nvml = urb_nvml_open ();
  int n = nvml != NULL ? urb_nvml_get_n_gpus (nvml) : 0;
  self->driver = g_strdup (nvml != NULL ? urb_nvml_get_driver (nvml) : "");
  self->gpus = g_array_new (FALSE, FALSE, sizeof (UrbGpu));
  for (int i = 0; i < n; i++)
    {
      g_autofree char *why = NULL;
      UrbGpu gpu;
      if (urb_nvml_read_nth (nvml, i, &gpu, &why) == URB_NVML_READ)
        g_array_append_val (self->gpus, gpu);
    }
  return self;
}

void
urb_cli_gpus_free (UrbCliGpus *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->gpus);
  g_free (self->driver);
  g_free (self);
}

static gint64
get_available_bytes (const UrbGpu *gpu)
{
  return MAX (gpu->load.memory_bytes - gpu->load.memory_used_bytes, 0);
}

static void
print_gpu (const UrbGpu *gpu, const char *label)
{
  printf ("%-11s %d: %s at %s\n", label, gpu->index, gpu->name, gpu->pci);
  if (gpu->load.memory_bytes > 0)
    printf ("            %.1f GiB, %.1f GiB of it available\n",
            (double) gpu->load.memory_bytes / 1073741824.0,
            (double) get_available_bytes (gpu) / 1073741824.0);
}

void
urb_cli_gpus_print (UrbCliGpus *self, const char *why_not)
{
  if (self->gpus->len == 0)
    {
      printf ("GPUs        none%s%s\n", why_not != NULL ? ": " : "",
              why_not != NULL ? why_not : "");
      return;
    }
  for (guint i = 0; i < self->gpus->len; i++)
    print_gpu (&g_array_index (self->gpus, UrbGpu, i), i == 0 ? "GPUs" : "");
  printf ("            driver %s%s%s\n", self->driver, why_not != NULL ? "; " : "",
          why_not != NULL ? why_not : "");
}

static void
add_gpu (JsonBuilder *json, const UrbGpu *gpu, const char *why_not)
{
  urb_json_build_begin_object (json, NULL);
  urb_json_build_int (json, "index", gpu->index);
  urb_json_build_string (json, "name", gpu->name);
  urb_json_build_string (json, "pci", gpu->pci);
  if (gpu->load.memory_bytes > 0)
    {
      urb_json_build_int (json, "memory_bytes", gpu->load.memory_bytes);
      urb_json_build_int (json, "memory_available_bytes", get_available_bytes (gpu));
    }
  if (why_not != NULL)
    urb_json_build_string (json, "reason", why_not);
  urb_json_build_end_object (json);
}

void
urb_cli_gpus_add_json (UrbCliGpus *self, JsonBuilder *json, const char *why_not)
{
  urb_json_build_begin_array (json, "gpus");
  for (guint i = 0; i < self->gpus->len; i++)
    add_gpu (json, &g_array_index (self->gpus, UrbGpu, i), why_not);
  urb_json_build_end_array (json);
  if (*self->driver != '\0')
    urb_json_build_string (json, "gpu_driver", self->driver);
  if (why_not != NULL)
    urb_json_build_string (json, "gpus_why", why_not);
}
