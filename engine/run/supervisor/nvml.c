/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvml.c - see nvml.h.
 *
 * The declarations are our own, of the interface in NVIDIA's "NVML API Reference Guide", which is
 * stable: a function that changes gets a new name (…_v2).
 */
#include "run/supervisor/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#define LIBRARY "libnvidia-ml.so.1"

enum { SUCCESS = 0, GPU_IS_LOST = 15 }; /* of nvmlReturn_t */
enum { TEMPERATURE_GPU = 0 };           /* of nvmlTemperatureSensors_t */
enum { DRIVER_BYTES = 80 };

typedef struct _Device *Device; /* opaque: nvmlDevice_t */

typedef struct
{
  unsigned long long total, free, used; /* bytes */
} Memory; /* nvmlMemory_t */

typedef struct
{
  unsigned int gpu, memory; /* percent of the time */
} Utilization; /* nvmlUtilization_t */

typedef struct
{
  char         legacy_id[16];
  unsigned int domain, bus, device, device_id, subsystem_id;
  char         id[32];
} PciInfo; /* nvmlPciInfo_t */

typedef struct
{
  int         (*init)            (void);
  int         (*shutdown)        (void);
  int         (*get_driver)      (char *version, unsigned int n_bytes);
  int         (*get_count)       (unsigned int *n);
  int         (*get_nth)         (unsigned int i, Device *device);
  int         (*get_by_pci)      (const char *pci, Device *device);
  int         (*get_index)       (Device device, unsigned int *index);
  int         (*get_pci)         (Device device, PciInfo *info);
  int         (*get_name)        (Device device, char *name, unsigned int n_bytes);
  int         (*get_memory)      (Device device, Memory *memory);
  int         (*get_utilization) (Device device, Utilization *utilization);
  int         (*get_power)       (Device device, unsigned int *power_mw);
  int         (*get_temperature) (Device device, int sensor, unsigned int *celsius);
  const char *(*get_text)        (int result);
} Functions;

struct _UrbNvml
{
  void     *library; /* owned */
  Functions nvml;
  char      driver[DRIVER_BYTES];
};

/* Returns: whether all of them exist; otherwise the driver is too old */
static gboolean
find_functions (void *library, Functions *functions)
{
  static const struct { const char *name; gsize offset; } table[] = {
    { "nvmlInit_v2", offsetof (Functions, init) },
    { "nvmlShutdown", offsetof (Functions, shutdown) },
    { "nvmlSystemGetDriverVersion", offsetof (Functions, get_driver) },
    { "nvmlDeviceGetCount_v2", offsetof (Functions, get_count) },
    { "nvmlDeviceGetHandleByIndex_v2", offsetof (Functions, get_nth) },
    { "nvmlDeviceGetHandleByPciBusId_v2", offsetof (Functions, get_by_pci) },
    { "nvmlDeviceGetIndex", offsetof (Functions, get_index) },
    { "nvmlDeviceGetPciInfo_v3", offsetof (Functions, get_pci) },
    { "nvmlDeviceGetName", offsetof (Functions, get_name) },
    { "nvmlDeviceGetMemoryInfo", offsetof (Functions, get_memory) },
    { "nvmlDeviceGetUtilizationRates", offsetof (Functions, get_utilization) },
    { "nvmlDeviceGetPowerUsage", offsetof (Functions, get_power) },
    { "nvmlDeviceGetTemperature", offsetof (Functions, get_temperature) },
    { "nvmlErrorString", offsetof (Functions, get_text) },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (table); i++)
    {
      void *function = dlsym (library, table[i].name);
      if (function == NULL)
        return FALSE;
      memcpy ((char *) functions + table[i].offset, &function, sizeof function);
    }
  return TRUE;
}

UrbNvml *
urb_nvml_open (void)
{
  UrbNvml *self;
  Functions functions;
  void *library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    return NULL;
  if (!find_functions (library, &functions) || functions.init () != SUCCESS)
    {
      dlclose (library);
      return NULL;
    }
  self = g_new0 (UrbNvml, 1);
  self->library = library;
  self->nvml = functions;
  if (self->nvml.get_driver (self->driver, sizeof self->driver) != SUCCESS)
    self->driver[0] = '\0';
  return self;
}

void
urb_nvml_close (UrbNvml *self)
{
  if (self == NULL)
    return;
  self->nvml.shutdown ();
  dlclose (self->library);
  g_free (self);
}

const char *
urb_nvml_get_driver (UrbNvml *self)
{
  return self->driver;
}

int
urb_nvml_get_n_gpus (UrbNvml *self)
{
  unsigned int n = 0;
  return self->nvml.get_count (&n) == SUCCESS ? (int) MIN (n, (unsigned int) G_MAXINT16) : 0;
}

/* ------------------------------------------------------------------------ */
/* One GPU                                                                   */

/* Any call may answer that the GPU is lost. */
typedef struct
{
  UrbNvml *nvml;
  Device   device;
  gboolean lost;
} Question;

/* Returns: whether the call succeeded */
static gboolean
succeeded (Question *question, int result)
{
  question->lost = question->lost || result == GPU_IS_LOST;
  return result == SUCCESS;
}

static void
read_identity (Question *question, UrbGpu *gpu)
{
  const Functions *nvml = &question->nvml->nvml;
  unsigned int index;
  PciInfo info;
  if (succeeded (question, nvml->get_index (question->device, &index)))
    gpu->index = (int) MIN (index, (unsigned int) G_MAXINT16);
  if (succeeded (question, nvml->get_pci (question->device, &info)))
    g_snprintf (gpu->pci, sizeof gpu->pci, "%04x:%02x:%02x.0", info.domain, info.bus, info.device);
  if (!succeeded (question, nvml->get_name (question->device, gpu->name, sizeof gpu->name)))
    g_strlcpy (gpu->name, "GPU", sizeof gpu->name);
  /* It is shown in a terminal and a window, and stored in a database. */
  for (char *c = gpu->name; *c != '\0'; c++)
    if (!g_ascii_isprint (*c))
      *c = '?';
}

static void
read_load (Question *question, UrbGpuLoad *load)
{
  const Functions *nvml = &question->nvml->nvml;
  Device device = question->device;
  Memory memory;
  Utilization utilization;
  unsigned int value;
  *load = URB_GPU_LOAD_UNKNOWN;
  if (succeeded (question, nvml->get_memory (device, &memory)))
    {
      load->memory_used_bytes = (gint64) MIN (memory.used, (unsigned long long) G_MAXINT64);
      load->memory_bytes = (gint64) MIN (memory.total, (unsigned long long) G_MAXINT64);
    }
  if (succeeded (question, nvml->get_utilization (device, &utilization)))
    load->utilization_percent = utilization.gpu;
  if (succeeded (question, nvml->get_power (device, &value)))
    load->power_w = value * 1e-3;
  if (succeeded (question, nvml->get_temperature (device, TEMPERATURE_GPU, &value)))
    load->temperature_c = value;
}

/* @found: the driver's result for @device; @pci: its address if known */
static UrbNvmlResult
read_device (UrbNvml *self, int found, Device device, const char *pci, UrbGpu *gpu, char **why)
{
  Question question = { .nvml = self, .device = device };
  UrbGpu read = { .index = 0 };
  *why = NULL;
  if (succeeded (&question, found))
    {
      g_strlcpy (read.pci, pci, sizeof read.pci);
      read_identity (&question, &read);
      read_load (&question, &read.load);
    }
  if (question.lost)
    {
      *why = g_strdup (self->nvml.get_text (GPU_IS_LOST));
      return URB_NVML_LOST;
    }
  if (found != SUCCESS)
    return URB_NVML_ABSENT;
  *gpu = read;
  return URB_NVML_READ;
}

UrbNvmlResult
urb_nvml_read (UrbNvml *self, const char *pci, UrbGpu *gpu, char **why)
{
  Device device = NULL;
  int found = self->nvml.get_by_pci (pci, &device);
  return read_device (self, found, device, pci, gpu, why);
}

UrbNvmlResult
urb_nvml_read_nth (UrbNvml *self, int i, UrbGpu *gpu, char **why)
{
  Device device = NULL;
  int found = self->nvml.get_nth ((unsigned int) i, &device);
  return read_device (self, found, device, "", gpu, why);
}
