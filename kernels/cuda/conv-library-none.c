/* SPDX-License-Identifier: Apache-2.0 */
/* conv-library-none.c - for builds without cuDNN: conv-direct.cu runs every convolution. */
#include "kernels/cuda/conv-private.h"

UkStatus
uk_cuda_libraries_open (UkCudaBackend *self, const UkBackendConfig *config, UkCudaLibraries **out)
{
  *out = NULL;
  return UK_OK;
}

void
uk_cuda_libraries_close (UkCudaLibraries *self)
{
}

UkPlanCounts
uk_cuda_libraries_count (const UkCudaLibraries *self)
{
  return (UkPlanCounts) { 0 };
}

void
uk_cuda_get_cudnn_version (char *text, size_t size)
{
  if (size > 0)
    text[0] = '\0';
}

UkStatus
uk_conv_library_new (UkCudaOp *op, const UkConvShape *shape, UkCudaOp *epilogue,
                     UkConvLibrary **out)
{
  return UK_UNSUPPORTED;
}

void
uk_conv_library_free (UkConvLibrary *self)
{
}

size_t
uk_conv_library_get_workspace_bytes (const UkConvLibrary *self)
{
  return 0;
}

UkDataType
uk_conv_library_get_gradient_type (const UkConvLibrary *self)
{
  return UK_DATA_F32;
}

bool
uk_conv_library_is_fused (const UkConvLibrary *self)
{
  return false;
}

void
uk_conv_library_describe (const UkConvLibrary *self, char *text, size_t size)
{
  if (size > 0)
    text[0] = '\0';
}

UkStatus
uk_conv_library_make (UkConvLibrary *self)
{
  return UK_UNSUPPORTED;
}

UkStatus
uk_conv_library_run (UkConvLibrary *self, UkCudaOp *op, const UkConvMemory *memory,
                     const float *bias, void *workspace)
{
  return UK_UNSUPPORTED;
}
