/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv-library.c - convolutions through NVIDIA's libraries: as a matrix product in cuBLASLt where possible,
 * else with a plan of cuDNN.
 *
 * A fused plan always adds a bias, so without one it gets zeros.  An unaligned bias is copied.  Both are
 * stored behind the workspace.
 */
#include "kernels/cuda/libraries-private.h"
#include "kernels/uk-half.h"

#include <stdio.h>
#include <stdlib.h>

enum { ALIGN_BYTES = 16 };

/* A plan may ask for a sixteenth of the GPU's memory, but no more than this. */
static const size_t MAX_WORKSPACE_BYTES = (size_t) 1 << 30;

struct _UkConvLibrary
{
  UkLinear      *linear; /* borrowed; if NULL, cuDNN is used: */
  UkCudnnShared *cudnn;  /* borrowed */
  size_t         bias_at; /* offset in the workspace, bytes */
  size_t         bias_bytes; /* 0 unless fused */
};

/* ------------------------------------------------------------------------ */
/* Opening                                                                   */

static UkStatus
fail (UkCudaBackend *backend, const char *what, const char *why)
{
  snprintf (backend->error, sizeof backend->error, "%s: %s", what, why);
  return UK_DEVICE_ERROR;
}

/* The cache's device text: everything that a choice depends on apart from the problem. */
static UkStatus
open_cache (UkCudaBackend *backend, UkCudaLibraries *self, const char *cache)
{
  struct cudaDeviceProp properties;
  char device[UK_PLAN_CACHE_MAX_TEXT];
  int driver = 0;
  UkStatus status = uk_cuda_check (backend,
                                   cudaGetDeviceProperties (&properties, backend->device),
                                   "querying the GPU's properties");

  if (status == UK_OK)
    status = uk_cuda_check (backend, cudaDriverGetVersion (&driver), "querying the driver's version");
  if (status != UK_OK)
    return status;
  self->workspace_limit = properties.totalGlobalMem / 16 < MAX_WORKSPACE_BYTES
                            ? properties.totalGlobalMem / 16
                            : MAX_WORKSPACE_BYTES;
  snprintf (device, sizeof device, "%.128s %d.%d %d SM driver %d cuDNN %zu cuBLAS %zu",
            properties.name, properties.major, properties.minor, properties.multiProcessorCount,
            driver, cudnnGetVersion (), cublasLtGetVersion ());
  return uk_plan_cache_open (cache, device, &self->cache);
}

UkStatus
uk_cuda_libraries_open (UkCudaBackend *backend, const UkBackendConfig *config, UkCudaLibraries **out)
{
  UkCudaLibraries *self = calloc (1, sizeof *self);
  cublasStatus_t blas_status;
  cudnnStatus_t cudnn_status;
  UkStatus status = UK_OK;

  if (self == NULL)
    return UK_NO_MEMORY;
  cudnn_status = cudnnCreate (&self->cudnn);
  if (cudnn_status == CUDNN_STATUS_SUCCESS)
    cudnn_status = cudnnSetStream (self->cudnn, backend->stream);
  if (cudnn_status != CUDNN_STATUS_SUCCESS)
    status = fail (backend, "cuDNN", cudnnGetErrorString (cudnn_status));
  blas_status = status == UK_OK ? cublasLtCreate (&self->blas) : CUBLAS_STATUS_SUCCESS;
  if (blas_status != CUBLAS_STATUS_SUCCESS)
    status = fail (backend, "cuBLAS", cublasLtGetStatusString (blas_status));
  if (status == UK_OK)
    status = open_cache (backend, self, config != NULL ? config->cache : NULL);
  self->max_compiled = config != NULL ? config->max_compiled : 0;
  if (status != UK_OK)
    uk_cuda_libraries_close (self);
  else
    *out = self;
  return status;
}

void
uk_cuda_libraries_close (UkCudaLibraries *self)
{
  if (self == NULL)
    return;
  uk_cudnn_shared_free (self->plans);
  uk_linear_free (self->products);
  uk_plan_cache_close (self->cache);
  if (self->blas != NULL)
    cublasLtDestroy (self->blas);
  if (self->cudnn != NULL)
    cudnnDestroy (self->cudnn);
  free (self);
}

UkPlanCounts
uk_cuda_libraries_count (const UkCudaLibraries *self)
{
  return self->counts;
}

/* ------------------------------------------------------------------------ */
/* Preparing                                                                 */

static UkCudnnProblem
problem_of (const UkCudaOp *op, const UkConvShape *shape)
{
  static const UkCudnnPass passes[] = {
    [UK_CONV_GATHER] = UK_CUDNN_FORWARD,
    [UK_CONV_SCATTER] = UK_CUDNN_BACKWARD_DATA,
    [UK_CONV_OUTER] = UK_CUDNN_BACKWARD_FILTER,
  };

  return (UkCudnnProblem) {
    .pass = passes[shape->way],
    .image = shape->large,
    .response = shape->small,
    .kernel = shape->kernel,
    .stride = shape->stride,
    .pad = shape->pad,
    .type = op->type,
    .allows_tf32 = uk_cuda_backend_of (op)->precision == UK_TF32,
    .act = op->base.desc.act,
    .slope = op->base.desc.slope,
  };
}

/* A bias alone is not fused: most convolutions without an activation have none, and would add zeros. */
static bool
can_fuse (const UkCudaOp *op)
{
  UkAct act = op->base.desc.act;

  return op->base.desc.kind == UK_OP_CONV && act != UK_ACT_NONE && act != UK_ACT_SOFTMAX;
}

/* A convolution and its bias and activation may be one kernel.  The gradient of 16-bit weights is summed in
 * float, and stored so or rounded once: which is for the contest to say. */
static UkStatus
choose (UkConvLibrary *self, UkCudaOp *op, const UkConvShape *shape, UkCudaOp *epilogue)
{
  UkCudnnProblem variants[UK_CUDNN_MAX_VARIANTS] = { problem_of (op, shape), problem_of (op, shape) };
  bool fuses = can_fuse (op), may_round = shape->way == UK_CONV_OUTER && uk_is_half (op->type);

  variants[0].is_fused = fuses;
  variants[1].is_gradient_rounded = may_round;
  return uk_cudnn_shared_find (uk_cuda_backend_of (op), variants, fuses || may_round ? 2 : 1,
                               fuses ? epilogue : NULL, &self->cudnn);
}

UkStatus
uk_conv_library_new (UkCudaOp *op, const UkConvShape *shape, UkCudaOp *epilogue,
                     UkConvLibrary **out)
{
  UkConvLibrary *self;
  size_t workspace;
  UkStatus status;

  if (uk_cuda_backend_of (op)->libraries == NULL)
    return UK_UNSUPPORTED;
  self = calloc (1, sizeof *self);
  if (self == NULL)
    return UK_NO_MEMORY;
  status = uk_linear_find (op, shape, &self->linear);
  if (status == UK_UNSUPPORTED)
    status = choose (self, op, shape, epilogue);
  if (status != UK_OK)
    {
      uk_conv_library_free (self);
      return status;
    }
  workspace = self->linear != NULL ? uk_linear_get_workspace_bytes (self->linear)
                                   : uk_cudnn_shared_get_workspace_bytes (self->cudnn);
  self->bias_at = uk_cuda_align (workspace);
  if (uk_conv_library_is_fused (self))
    self->bias_bytes = (size_t) op->base.desc.y.c * sizeof (float);
  *out = self;
  return UK_OK;
}

void
uk_conv_library_free (UkConvLibrary *self)
{
  free (self);
}

size_t
uk_conv_library_get_workspace_bytes (const UkConvLibrary *self)
{
  return self->bias_at + self->bias_bytes;
}

UkDataType
uk_conv_library_get_gradient_type (const UkConvLibrary *self)
{
  const UkCudnnProblem *problem = self->linear == NULL ? uk_cudnn_shared_get_problem (self->cudnn) : NULL;

  return problem != NULL && problem->is_gradient_rounded ? problem->type : UK_DATA_F32;
}

bool
uk_conv_library_is_fused (const UkConvLibrary *self)
{
  return self->linear != NULL ? uk_linear_is_fused (self->linear)
                              : uk_cudnn_shared_get_problem (self->cudnn)->is_fused;
}

void
uk_conv_library_describe (const UkConvLibrary *self, char *text, size_t size)
{
  if (self->linear != NULL)
    snprintf (text, size, "cuBLASLt%s", uk_linear_is_fused (self->linear) ? ", with bias and activation" : "");
  else
    uk_cudnn_shared_describe (self->cudnn, text, size);
}

UkStatus
uk_conv_library_make (UkConvLibrary *self)
{
  return self->linear != NULL ? UK_OK : uk_cudnn_shared_make (self->cudnn);
}

/* ------------------------------------------------------------------------ */
/* Running                                                                   */

/* The bias as the libraries need it; @room is for zeros or an aligned copy. */
static UkStatus
find_bias (const UkConvLibrary *self, UkCudaOp *op, const float *bias, void *room, void **out)
{
  cudaError_t error = cudaSuccess;

  *out = room;
  if (bias == NULL)
    error = cudaMemsetAsync (room, 0, self->bias_bytes, op->stream);
  else if ((uintptr_t) bias % ALIGN_BYTES != 0)
    error = cudaMemcpyAsync (room, bias, self->bias_bytes, cudaMemcpyDeviceToDevice, op->stream);
  else
    *out = (void *) bias;
  return uk_cuda_check (uk_cuda_backend_of (op), error, "preparing a convolution's bias");
}

static UkStatus
run_cudnn (UkConvLibrary *self, UkCudaOp *op, const UkConvMemory *memory, const float *bias,
           char *workspace)
{
  UkCudnnMemory pointers = { .image = memory->large, .filter = memory->w,
                             .response = memory->small };
  UkStatus status = UK_OK;

  if (self->bias_bytes > 0)
    status = find_bias (self, op, bias, workspace + self->bias_at, &pointers.bias);
  if (status != UK_OK)
    return status;
  if (uk_cudnn_shared_run (self->cudnn, &pointers, workspace) == UK_OK)
    return UK_OK;
  cudnnGetLastErrorString (uk_cuda_backend_of (op)->error,
                           sizeof uk_cuda_backend_of (op)->error);
  return UK_DEVICE_ERROR;
}

UkStatus
uk_conv_library_run (UkConvLibrary *self, UkCudaOp *op, const UkConvMemory *memory,
                     const float *bias, void *workspace)
{
  void *aligned_bias = NULL;
  UkStatus status = UK_OK;

  if (self->linear == NULL)
    return run_cudnn (self, op, memory, bias, workspace);
  if (bias != NULL)
    status = find_bias (self, op, bias, (char *) workspace + self->bias_at, &aligned_bias);
  if (status != UK_OK)
    return status;
  if (uk_linear_run (self->linear, memory, aligned_bias, workspace) == UK_OK)
    return UK_OK;
  return fail (uk_cuda_backend_of (op), "cuBLAS", "a matrix product could not be launched");
}
