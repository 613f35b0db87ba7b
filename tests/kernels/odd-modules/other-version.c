/* SPDX-License-Identifier: Apache-2.0 */
/* other-version.c - an Urbarium GPU module of another version. */
#include "kernels/cuda/cuda-module.h"

const UkCudaModule *uk_cuda_module (void) __attribute__ ((visibility ("default")));

const UkCudaModule *
uk_cuda_module (void)
{
  static const UkCudaModule module = { .version = UK_CUDA_MODULE_VERSION + 1 };

  return &module;
}
