/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake-nvml.c - the part of libnvidia-ml.so.1 that we use, with GPUs from the file $FAKE_NVML.
 *
 * Each call re-reads the file, so that a test can change a GPU's state:
 *
 *   driver 580.95.05
 *   gpu 0000:17:00.0 NVIDIA H200     the lines below belong to this one
 *   memory 5000000000 80000000000    used, total
 *   utilization 97
 *   power 412345                     milliwatts
 *   temperature 61
 *
 * A value without a line is not supported, which is an error of its own; "!" sets another error: "gpu! 15" is
 * a GPU that is lost, "init! 9" a machine without a driver.  If the file contains "hang", no call ever
 * returns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define EXPORT __attribute__ ((visibility ("default")))

enum { SUCCESS = 0, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, LOST = 15 };
enum { MAX_GPUS = 8, TEXT_BYTES = 96, MAX_VALUES = 2 };

typedef enum { MEMORY, UTILIZATION, POWER, TEMPERATURE, N_VALUES } Value;

typedef struct
{
  char               pci[32], name[TEXT_BYTES];
  int                error; /* of all its values */
  unsigned long long values[N_VALUES][MAX_VALUES];
  int                errors[N_VALUES];
} Gpu;

typedef struct
{
  char driver[TEXT_BYTES];
  int  init_error;
  Gpu  gpus[MAX_GPUS];
  int  n_gpus;
} Machine;

typedef struct
{
  unsigned long long total, free, used;
} Memory;

typedef struct
{
  unsigned int gpu, memory;
} Utilization;

typedef struct
{
  char         legacy_id[16];
  unsigned int domain, bus, device, device_id, subsystem_id;
  char         id[32];
} PciInfo;

/* Prototypes as in nvml.h. */
EXPORT int nvmlInit_v2 (void);
EXPORT int nvmlShutdown (void);
EXPORT int nvmlSystemGetDriverVersion (char *version, unsigned int n_bytes);
EXPORT int nvmlDeviceGetCount_v2 (unsigned int *n);
EXPORT int nvmlDeviceGetHandleByIndex_v2 (unsigned int i, void **device);
EXPORT int nvmlDeviceGetHandleByPciBusId_v2 (const char *pci, void **device);
EXPORT int nvmlDeviceGetIndex (void *device, unsigned int *index);
EXPORT int nvmlDeviceGetPciInfo_v3 (void *device, PciInfo *info);
EXPORT int nvmlDeviceGetName (void *device, char *name, unsigned int n_bytes);
EXPORT int nvmlDeviceGetMemoryInfo (void *device, Memory *memory);
EXPORT int nvmlDeviceGetUtilizationRates (void *device, Utilization *utilization);
EXPORT int nvmlDeviceGetPowerUsage (void *device, unsigned int *power_mw);
EXPORT int nvmlDeviceGetTemperature (void *device, int sensor, unsigned int *celsius);
EXPORT const char *nvmlErrorString (int result);

/* ------------------------------------------------------------------------ */
/* The file                                                                  */

static void
add_gpu (Machine *machine, const char *line)
{
  Gpu *gpu = &machine->gpus[machine->n_gpus];
  if (machine->n_gpus == MAX_GPUS || sscanf (line, "gpu %31s %95[^\n]", gpu->pci, gpu->name) != 2)
    abort ();
  machine->n_gpus++;
  for (int i = 0; i < N_VALUES; i++)
    gpu->errors[i] = NOT_SUPPORTED;
}

static void
set_value (Machine *machine, const char *line)
{
  static const char *const names[N_VALUES] = { "memory", "utilization", "power", "temperature" };
  Gpu *gpu = &machine->gpus[machine->n_gpus - 1];
  char word[32];
  if (machine->n_gpus == 0 || sscanf (line, "%31s", word) != 1)
    return;
  if (sscanf (line, "gpu! %d", &gpu->error) == 1)
    return;
  for (int i = 0; i < N_VALUES; i++)
    if (strncmp (word, names[i], strlen (names[i])) == 0)
      {
        const char *rest = line + strlen (word);
        gpu->errors[i] = strchr (word, '!') != NULL ? atoi (rest) : SUCCESS;
        sscanf (rest, "%llu %llu", &gpu->values[i][0], &gpu->values[i][1]);
      }
}

static void
read_machine (Machine *machine)
{
  const char *path = getenv ("FAKE_NVML");
  FILE *file = path != NULL ? fopen (path, "r") : NULL;
  char line[256];
  memset (machine, 0, sizeof *machine);
  if (file == NULL)
    {
      machine->init_error = NOT_FOUND;
      return;
    }
  while (fgets (line, sizeof line, file) != NULL)
    if (strncmp (line, "hang", 4) == 0)
      for (;;)
        sleep (1);
    else if (strncmp (line, "gpu ", 4) == 0)
      add_gpu (machine, line);
    else if (sscanf (line, "driver %95s", machine->driver) != 1
             && sscanf (line, "init! %d", &machine->init_error) != 1)
      set_value (machine, line);
  fclose (file);
}

/* Returns the error for all queries of @device; @gpu: (out). */
static int
find (void *device, Gpu *gpu)
{
  Machine machine;
  size_t i = (size_t) device;
  read_machine (&machine);
  if (i < 1 || i > (size_t) machine.n_gpus)
    return INVALID_ARGUMENT;
  *gpu = machine.gpus[i - 1];
  return gpu->error;
}

static int
find_value (void *device, Value value, unsigned long long values[MAX_VALUES])
{
  Gpu gpu;
  int error = find (device, &gpu);
  if (error != SUCCESS)
    return error;
  memcpy (values, gpu.values[value], sizeof gpu.values[value]);
  return gpu.errors[value];
}

/* ------------------------------------------------------------------------ */
/* The library                                                               */

int
nvmlInit_v2 (void)
{
  Machine machine;
  read_machine (&machine);
  return machine.init_error;
}

int
nvmlShutdown (void)
{
  return SUCCESS;
}

int
nvmlSystemGetDriverVersion (char *version, unsigned int n_bytes)
{
  Machine machine;
  read_machine (&machine);
  snprintf (version, n_bytes, "%s", machine.driver);
  return SUCCESS;
}

int
nvmlDeviceGetCount_v2 (unsigned int *n)
{
  Machine machine;
  read_machine (&machine);
  *n = (unsigned int) machine.n_gpus;
  return SUCCESS;
}

int
nvmlDeviceGetHandleByIndex_v2 (unsigned int i, void **device)
{
  Gpu gpu;
  *device = (void *) (size_t) (i + 1);
  return find (*device, &gpu);
}

int
nvmlDeviceGetHandleByPciBusId_v2 (const char *pci, void **device)
{
  Machine machine;
  read_machine (&machine);
  for (int i = 0; i < machine.n_gpus; i++)
    if (strcasecmp (machine.gpus[i].pci, pci) == 0)
      {
        *device = (void *) (size_t) (i + 1);
        return machine.gpus[i].error;
      }
  return NOT_FOUND;
}

int
nvmlDeviceGetIndex (void *device, unsigned int *index)
{
  Gpu gpu;
  *index = (unsigned int) ((size_t) device - 1);
  return find (device, &gpu);
}

int
nvmlDeviceGetPciInfo_v3 (void *device, PciInfo *info)
{
  Gpu gpu;
  int error = find (device, &gpu);
  memset (info, 0, sizeof *info);
  if (error == SUCCESS
      && sscanf (gpu.pci, "%x:%x:%x", &info->domain, &info->bus, &info->device) != 3)
    abort ();
  return error;
}

int
nvmlDeviceGetName (void *device, char *name, unsigned int n_bytes)
{
  Gpu gpu;
  int error = find (device, &gpu);
  if (error == SUCCESS)
    snprintf (name, n_bytes, "%s", gpu.name);
  return error;
}

int
nvmlDeviceGetMemoryInfo (void *device, Memory *memory)
{
  unsigned long long values[MAX_VALUES] = { 0 };
  int error = find_value (device, MEMORY, values);
  *memory = (Memory){ values[1], values[1] - values[0], values[0] };
  return error;
}

int
nvmlDeviceGetUtilizationRates (void *device, Utilization *utilization)
{
  unsigned long long values[MAX_VALUES] = { 0 };
  int error = find_value (device, UTILIZATION, values);
  *utilization = (Utilization){ (unsigned int) values[0], 50 };
  return error;
}

int
nvmlDeviceGetPowerUsage (void *device, unsigned int *power_mw)
{
  unsigned long long values[MAX_VALUES] = { 0 };
  int error = find_value (device, POWER, values);
  *power_mw = (unsigned int) values[0];
  return error;
}

int
nvmlDeviceGetTemperature (void *device, int sensor, unsigned int *celsius)
{
  unsigned long long values[MAX_VALUES] = { 0 };
  int error = find_value (device, TEMPERATURE, values);
  *celsius = (unsigned int) values[0];
  return sensor == 0 ? error : INVALID_ARGUMENT;
}

const char *
nvmlErrorString (int result)
{
  return result == LOST ? "GPU is lost" : "Unknown Error";
}
