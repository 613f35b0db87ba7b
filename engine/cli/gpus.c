/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpus.c - see gpus.h.
 *
 * CUDA says what can be computed on, and how it is numbered; the driver's list, which needs no CUDA,
 * says what there is and how much of its memory is free.  They number otherwise, so that a GPU is
 * found in both by its PCI address.
 */
#include "cli/gpus.h"

#include <stdio.h>

#include "base/json-build.h"
#include "kernels/uk.h"
#include "run/supervisor/nvml.h"
#include "settings/device-name.h"

typedef struct
{
  int        index;  /* CUDA's; -1: it cannot be computed on */
  UkCudaInfo cuda;   /* where it can */
  char       name[256], pci[32];
  UrbGpuLoad load;
} Gpu;

struct _UrbCliGpus
{
  char   *driver; /* owned; its version, "" */
  char   *why;    /* owned, nullable: why none can be computed on */
  GArray *gpus;   /* owned; Gpu */
};

static void
add_usable (UrbCliGpus *self)
{
  const char *why = NULL;
  int n = uk_cuda_count (&why);
  for (int i = 0; i < n; i++)
    {
      Gpu gpu = { .index = i, .load = URB_GPU_LOAD_UNKNOWN };
      if (uk_cuda_info (i, &gpu.cuda) != UK_OK)
        continue;
      g_strlcpy (gpu.name, gpu.cuda.name, sizeof gpu.name);
      g_strlcpy (gpu.pci, gpu.cuda.pci, sizeof gpu.pci);
      gpu.load.memory_bytes = gpu.cuda.memory;
      g_array_append_val (self->gpus, gpu);
    }
  self->why = n == 0 ? g_strdup (why) : NULL;
}

static Gpu *
find (UrbCliGpus *self, const char *pci)
{
  for (guint i = 0; i < self->gpus->len; i++)
    if (g_ascii_strcasecmp (g_array_index (self->gpus, Gpu, i).pci, pci) == 0)
      return &g_array_index (self->gpus, Gpu, i);
  return NULL;
}

static void
add_known (UrbCliGpus *self)
{
  g_autoptr(UrbNvml) nvml = urb_nvml_open ();
  int n = nvml != NULL ? urb_nvml_get_n_gpus (nvml) : 0;
  self->driver = g_strdup (nvml != NULL ? urb_nvml_get_driver (nvml) : "");
  for (int i = 0; i < n; i++)
    {
      g_autofree char *why = NULL;
      Gpu *there, gpu = { .index = -1 };
      UrbGpu known;
      if (urb_nvml_read_nth (nvml, i, &known, &why) != URB_NVML_READ)
        continue;
      there = find (self, known.pci);
      if (there != NULL)
        {
          there->load = known.load;
          continue;
        }
      g_strlcpy (gpu.name, known.name, sizeof gpu.name);
      g_strlcpy (gpu.pci, known.pci, sizeof gpu.pci);
      gpu.load = known.load;
      g_array_append_val (self->gpus, gpu);
    }
}

UrbCliGpus *
urb_cli_gpus_new (void)
{
  UrbCliGpus *self = g_new0 (UrbCliGpus, 1);
  self->gpus = g_array_new (FALSE, FALSE, sizeof (Gpu));
  add_usable (self);
  add_known (self);
  return self;
}

void
urb_cli_gpus_free (UrbCliGpus *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->gpus);
  g_free (self->driver);
  g_free (self->why);
  g_free (self);
}

static gint64
get_available_bytes (const Gpu *gpu)
{
  return gpu->load.memory_used_bytes < 0 ? -1
                                         : MAX (gpu->load.memory_bytes
                                                  - gpu->load.memory_used_bytes, 0);
}

/* Why this one cannot be computed on; NULL: it can. */
static const char *
get_reason (const UrbCliGpus *self, const Gpu *gpu)
{
  if (gpu->index >= 0)
    return gpu->cuda.capability >= UK_CUDA_LEAST_CAPABILITY ? NULL
                                                            : "its compute capability is below 7.5";
  return self->why != NULL ? self->why : "CUDA does not show it";
}

static void
print_gpu (const UrbCliGpus *self, const Gpu *gpu, const char *label)
{
  const char *reason = get_reason (self, gpu);
  gint64 available = get_available_bytes (gpu);
  gboolean has_cudnn = gpu->cuda.cudnn[0] != '\0';
  printf ("%-11s %s at %s\n", label, gpu->name, gpu->pci);
  if (gpu->load.memory_bytes > 0)
    printf ("            %.1f GiB", (double) gpu->load.memory_bytes / 1073741824.0);
  if (gpu->load.memory_bytes > 0 && available >= 0)
    printf (", %.1f GiB of it available", (double) available / 1073741824.0);
  if (gpu->load.memory_bytes > 0)
    printf ("\n");
  if (reason != NULL)
    printf ("            cannot be used: %s\n", reason);
  else
    {
      printf ("            --device cuda:%d: compute capability %d.%d, %s\n", gpu->index,
              gpu->cuda.capability / 10, gpu->cuda.capability % 10,
              gpu->cuda.has_bf16 ? "bf16, tf32 and fp16 in hardware" : "fp16 in hardware, but neither bf16 nor tf32");
      printf ("            %s, %s%s\n", gpu->cuda.library,
              has_cudnn ? "cuDNN " : "without cuDNN: convolutions are slow", gpu->cuda.cudnn);
    }
}

void
urb_cli_gpus_print (UrbCliGpus *self)
{
  if (self->gpus->len == 0)
    printf ("GPUs        none: %s\n", self->why != NULL ? self->why : "CUDA shows none");
  for (guint i = 0; i < self->gpus->len; i++)
    print_gpu (self, &g_array_index (self->gpus, Gpu, i), i == 0 ? "GPUs" : "");
  if (*self->driver != '\0')
    printf ("            driver %s\n", self->driver);
}

static void
add_gpu (const UrbCliGpus *self, JsonBuilder *json, const Gpu *gpu)
{
  const char *reason = get_reason (self, gpu);
  gint64 available = get_available_bytes (gpu);
  urb_json_begin_object (json, NULL);
  urb_json_add_string (json, "name", gpu->name);
  urb_json_add_string (json, "pci", gpu->pci);
  if (gpu->load.memory_bytes > 0)
    urb_json_add_int (json, "memory_bytes", gpu->load.memory_bytes);
  if (available >= 0)
    urb_json_add_int (json, "memory_available_bytes", available);
  if (reason != NULL)
    urb_json_add_string (json, "reason", reason);
  else
    {
      g_autofree char *device = urb_device_dup_gpu (gpu->index);
      urb_json_add_string (json, "device", device);
      urb_json_add_int (json, "capability", gpu->cuda.capability);
      urb_json_add_int (json, "multiprocessors", gpu->cuda.n_multiprocessors);
      urb_json_add_bool (json, "bf16", gpu->cuda.has_bf16);
      urb_json_add_bool (json, "tf32", gpu->cuda.has_bf16);
      urb_json_add_string (json, "library", gpu->cuda.library);
      if (gpu->cuda.cudnn[0] != '\0')
        urb_json_add_string (json, "cudnn", gpu->cuda.cudnn);
    }
  urb_json_end_object (json);
}

void
urb_cli_gpus_add_json (UrbCliGpus *self, JsonBuilder *json)
{
  urb_json_begin_array (json, "gpus");
  for (guint i = 0; i < self->gpus->len; i++)
    add_gpu (self, json, &g_array_index (self->gpus, Gpu, i));
  urb_json_end_array (json);
  if (*self->driver != '\0')
    urb_json_add_string (json, "gpu_driver", self->driver);
  if (self->why != NULL)
    urb_json_add_string (json, "gpus_why", self->why);
}
