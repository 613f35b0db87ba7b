/* SPDX-License-Identifier: Apache-2.0 */
/* machine.c - finds and describes GPUs. */
#include "kernels/cuda/cuda-private.h"

#include <stdio.h>

int
uk_cuda_count_devices (const char **why)
{
  int n = 0;
  cudaError_t error = cudaGetDeviceCount (&n);

  if (error == cudaSuccess && n > 0)
    return n;
  cudaGetLastError ();
  if (why != NULL)
    *why = error == cudaErrorInsufficientDriver ? "there is no NVIDIA driver, or it is too old"
           : error == cudaSuccess || error == cudaErrorNoDevice ? "there is no NVIDIA GPU"
                                                                : cudaGetErrorString (error);
  return 0;
}

static int
get (int device, enum cudaDeviceAttr attribute)
{
  int value = 0;

  cudaDeviceGetAttribute (&value, attribute, device);
  return value;
}

UkStatus
uk_cuda_describe_device (int device, UkCudaInfo *info)
{
  struct cudaDeviceProp properties;
  int runtime = 0;

  if (device < 0 || device >= uk_cuda_count_devices (NULL))
    return UK_UNSUPPORTED;
  if (cudaGetDeviceProperties (&properties, device) != cudaSuccess)
    return UK_DEVICE_ERROR;
  cudaRuntimeGetVersion (&runtime);
  *info = (UkCudaInfo) {
    .capability = 10 * get (device, cudaDevAttrComputeCapabilityMajor)
                  + get (device, cudaDevAttrComputeCapabilityMinor),
    .n_multiprocessors = get (device, cudaDevAttrMultiProcessorCount),
    .memory = (int64_t) properties.totalGlobalMem,
  };
  cudaDeviceGetPCIBusId (info->pci, (int) sizeof info->pci, device);
  info->has_bf16 = info->capability >= 80;
  snprintf (info->name, sizeof info->name, "%s", properties.name);
  uk_cuda_get_cudnn_version (info->cudnn, sizeof info->cudnn);
  snprintf (info->library, sizeof info->library, "CUDA %d.%d", runtime / 1000, runtime % 1000 / 10);
  return UK_OK;
}
