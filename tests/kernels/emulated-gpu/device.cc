/* SPDX-License-Identifier: Apache-2.0 */
/* device.cc - the emulated GPUs, their properties, and errors. */
#include "emulated-private.h"

#include <algorithm>
#include <stdio.h>
#include <stdlib.h>

enum { MULTIPROCESSORS = 132, SHARED_BYTES = 48 * 1024, L2_BYTES = 50 * 1024 * 1024 };

std::mutex uk_emulated_mutex;

static thread_local int current_device;
static thread_local cudaError_t last_error;

/* ------------------------------------------------------------------------ */
/* Settings                                                                  */

static const struct
{
  const char *variable;
  long        otherwise;
} settings[UK_EMULATED_N_SETTINGS] = {
  { "UK_EMULATED_BACKWARD", 0 },
  { "UK_EMULATED_DEFERRED", 0 },
  { "UK_EMULATED_GUARDED", 0 },
  { "UK_EMULATED_MEMORY", 2048 },
  { "UK_EMULATED_DEVICES", 1 },
  { "UK_EMULATED_CAPABILITY", 90 },
};

static UkEmulatedState
read_environment (void)
{
  UkEmulatedState state = {};

  for (int i = 0; i < UK_EMULATED_N_SETTINGS; i++)
    {
      const char *text = getenv (settings[i].variable);
      state.settings[i] = text != NULL ? strtol (text, NULL, 10) : settings[i].otherwise;
    }
  state.n_launches_left = -1;
  return state;
}

UkEmulatedState uk_emulated = read_environment ();

void
uk_emulated_set (UkEmulatedSetting setting, long value)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  uk_emulated_finish_all ();
  uk_emulated.settings[setting] = value;
  uk_emulated_protect (uk_emulated.settings[UK_EMULATED_GUARDED] != 0);
}

size_t
uk_emulated_memory (void)
{
  return (size_t) uk_emulated.settings[UK_EMULATED_MEMORY] << 20;
}

void
uk_emulated_fail_launch (long n_launches, cudaError_t error)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  uk_emulated.n_launches_left = error == cudaSuccess ? -1 : n_launches;
  uk_emulated.launch_error = error;
  uk_emulated.failure = cudaSuccess;
}

UkEmulatedCounts
uk_emulated_counts (void)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  UkEmulatedCounts counts = {};

  uk_emulated_count_memory (&counts);
  uk_emulated_count_streams (&counts);
  return counts;
}

/* ------------------------------------------------------------------------ */
/* Errors                                                                    */

static const struct
{
  cudaError_t error;
  const char *name, *text;
} errors[] = {
#define ERROR(name, number, text) { name, #name, text },
  UK_EMULATED_ERRORS (ERROR)
#undef ERROR
};

const char *
cudaGetErrorName (cudaError_t error)
{
  for (const auto &known : errors)
    if (known.error == error)
      return known.name;
  return "unrecognized error code";
}

const char *
cudaGetErrorString (cudaError_t error)
{
  for (const auto &known : errors)
    if (known.error == error)
      return known.text;
  return "unrecognized error code";
}

cudaError_t
uk_emulated_return (cudaError_t error)
{
  if (uk_emulated.failure != cudaSuccess)
    error = uk_emulated.failure;
  if (error != cudaSuccess)
    last_error = error;
  return error;
}

cudaError_t
cudaPeekAtLastError (void)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  return uk_emulated.failure != cudaSuccess ? uk_emulated.failure : last_error;
}

cudaError_t
cudaGetLastError (void)
{
  cudaError_t error = cudaPeekAtLastError ();

  last_error = cudaSuccess;
  return error;
}

/* ------------------------------------------------------------------------ */
/* Devices                                                                   */

int
uk_emulated_device (void)
{
  return current_device;
}

static int
get_n_devices (void)
{
  return (int) std::min (uk_emulated.settings[UK_EMULATED_DEVICES],
                         (long) UK_EMULATED_MAX_DEVICES);
}

static cudaError_t
check_device (int device)
{
  if (get_n_devices () == 0)
    return cudaErrorNoDevice;
  return device >= 0 && device < get_n_devices () ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t
cudaDriverGetVersion (int *version)
{
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t
cudaRuntimeGetVersion (int *version)
{
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t
cudaGetDeviceCount (int *count)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  *count = get_n_devices ();
  return uk_emulated_return (*count == 0 ? cudaErrorNoDevice : cudaSuccess);
}

cudaError_t
cudaGetDevice (int *device)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  *device = current_device;
  return uk_emulated_return (check_device (current_device));
}

cudaError_t
cudaSetDevice (int device)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaError_t error = check_device (device);

  if (error == cudaSuccess)
    current_device = device;
  return uk_emulated_return (error);
}

cudaError_t
cudaGetDeviceProperties (struct cudaDeviceProp *properties, int device)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaError_t error = check_device (device);

  if (error != cudaSuccess)
    return uk_emulated_return (error);
  memset (properties, 0, sizeof *properties);
  snprintf (properties->name, sizeof properties->name, "Emulated GPU");
  properties->uuid.bytes[0] = (char) (device + 1);
  properties->totalGlobalMem = uk_emulated_memory ();
  properties->sharedMemPerBlock = SHARED_BYTES;
  properties->regsPerBlock = 64 * 1024;
  properties->warpSize = warpSize;
  properties->maxThreadsPerBlock = 1024;
  properties->major = (int) uk_emulated.settings[UK_EMULATED_CAPABILITY] / 10;
  properties->minor = (int) uk_emulated.settings[UK_EMULATED_CAPABILITY] % 10;
  properties->multiProcessorCount = MULTIPROCESSORS;
  properties->pciBusID = device + 1;
  properties->memoryBusWidth = 64;
  properties->l2CacheSize = L2_BYTES;
  properties->maxThreadsPerMultiProcessor = 2048;
  return uk_emulated_return (cudaSuccess);
}

cudaError_t
cudaDeviceGetAttribute (int *value, enum cudaDeviceAttr attribute, int device)
{
  struct cudaDeviceProp properties;
  cudaError_t error = cudaGetDeviceProperties (&properties, device);

  if (error != cudaSuccess)
    return error;
  switch (attribute)
    {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = properties.maxThreadsPerBlock;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = (int) properties.sharedMemPerBlock;
      break;
    case cudaDevAttrWarpSize:
      *value = properties.warpSize;
      break;
    case cudaDevAttrClockRate:
    case cudaDevAttrMemoryClockRate:
      *value = 1000 * 1000; /* kHz */
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = properties.multiProcessorCount;
      break;
    case cudaDevAttrPciBusId:
      *value = properties.pciBusID;
      break;
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrPciDomainId:
      *value = 0;
      break;
    case cudaDevAttrGlobalMemoryBusWidth:
      *value = properties.memoryBusWidth;
      break;
    case cudaDevAttrL2CacheSize:
      *value = properties.l2CacheSize;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = properties.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = properties.minor;
      break;
    default:
      return uk_emulated_return (cudaErrorInvalidValue);
    }
  return cudaSuccess;
}

cudaError_t
cudaDeviceGetPCIBusId (char *id, int size, int device)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaError_t error = check_device (device);

  if (error == cudaSuccess && size < 13)
    error = cudaErrorInvalidValue;
  if (error == cudaSuccess)
    snprintf (id, (size_t) size, "0000:%02x:00.0", (unsigned) (device + 1) & 0xff);
  return uk_emulated_return (error);
}

cudaError_t
cudaDeviceCanAccessPeer (int *can, int device, int peer)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaError_t error = check_device (device);

  if (error == cudaSuccess)
    error = check_device (peer);
  if (error == cudaSuccess)
    *can = device != peer;
  return uk_emulated_return (error);
}

cudaError_t
cudaDeviceEnablePeerAccess (int peer, unsigned flags)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaError_t error = check_device (peer);

  if (error == cudaSuccess && (peer == current_device || flags != 0))
    error = cudaErrorInvalidValue;
  return uk_emulated_return (error);
}
