/* SPDX-License-Identifier: Apache-2.0 */
/* module.c - the entry point of urbarium-cuda.so. */
#include "kernels/cuda/cuda-module.h"
#include "kernels/cuda/cuda-private.h"

const UkCudaModule *uk_cuda_module (void) __attribute__ ((visibility ("default")));

const UkCudaModule *
uk_cuda_module (void)
{
  static const UkCudaModule module = { UK_CUDA_MODULE_VERSION, &uk_cuda_table, uk_cuda_count_devices,
                                       uk_cuda_describe_device };

  return &module;
}
