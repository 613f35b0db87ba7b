/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda-private.h - declarations shared by the files of the `cuda` backend.
 *
 *   module.c         the module's entry point
 *   backend.c        opening, memory, the table, captures (CUDA graphs)
 *   machine.c        properties of the GPU
 *   ranks.c          collectives between GPUs, with NCCL
 *   nccl-calls.c     NCCL, loaded on demand
 *   *.cu             one operation per file, forward and gradient
 *   conv.c           selects one of the following for a convolution
 *   conv-direct.cu   any convolution, slowly: the fallback
 *   conv-tiled.cu    convolutions of large images with few channels, by own kernels on tensor cores:
 *   conv-narrow.cu   few channels on one side
 *   conv-wgrad.cu    the weight gradients
 *   conv-library.c   convolutions through NVIDIA's libraries
 *   cudnn-graph.c    a convolution as a cuDNN graph
 *   cudnn-choice.c   a choice between its plans as text
 *   cudnn-plan.c     one plan for all operations with the same convolution
 *   cudnn-contest.c  finds the fastest one
 *   linear.c         convolutions that are matrix products, with cuBLASLt
 *   timing.c         timing on the GPU
 *   trial.c          the memory for it
 *   plan-cache.c     the fastest plans, cached in a file
 *   weights.cu       the types of weights
 *
 * Everything is enqueued on the backend's one compute stream, so that operations run in order and can be
 * captured.  run() and pack() must not allocate, wait or read back.
 *
 * Sums are added in an order that depends on shapes alone: no atomic additions of floats, and grids are
 * functions of shapes.
 */
#pragma once

#include "kernels/uk-ranks.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _UkCudaLibraries UkCudaLibraries; /* libraries-private.h: handles, and the plans */

typedef struct
{
  UkBackend        base;
  int              device;
  int              capability; /* compute capability, 90 for 9.0 */
  UkPrecision      precision;
  cudaStream_t     stream;       /* for everything … */
  cudaStream_t     async_stream; /* … except asynchronous copies */
  cudaEvent_t      marks[UK_N_MARKS];
  UkCudaLibraries *libraries; /* owned, (nullable) */
  char             error[512];
} UkCudaBackend;

typedef struct _UkCudaKernel UkCudaKernel;

/* A prepared operation. */
typedef struct
{
  UkOp                base;
  const UkCudaKernel *kernel;
  cudaStream_t        stream;   /* the backend's */
  UkDataType          type;     /* of values: float, bfloat16 or fp16 */
  void               *state;    /* (nullable) the kernel's own; release() frees it */
} UkCudaOp;

/* Implementation of one kind of operation. */
struct _UkCudaKernel
{
  /* (nullable) Sets base.scratch_bytes, what concerns packed weights, and state. */
  UkStatus (*prepare) (UkCudaOp *op);
  UkStatus (*pack)    (UkCudaOp *op, const void *w, void *packed); /* (nullable) */
  UkStatus (*run)     (UkCudaOp *op, void *const *args, void *scratch);
  void     (*release) (UkCudaOp *op);                              /* (nullable) */
  bool     (*describe) (const UkCudaOp *op, char *text, size_t size); /* (nullable) */
};

/* Alignment of scratch and memory. */
enum { UK_CUDA_ALIGN = 256 };

static inline size_t
uk_cuda_align (size_t n_bytes)
{
  return (n_bytes + UK_CUDA_ALIGN - 1) / UK_CUDA_ALIGN * UK_CUDA_ALIGN;
}

static inline UkCudaBackend *
uk_cuda_backend_of (const UkCudaOp *op)
{
  return (UkCudaBackend *) op->base.backend;
}

/* backend.c */
extern const UkBackendTable uk_cuda_table;

/* ranks.c */
extern const UkRanksTable uk_cuda_ranks;

/* machine.c: uk_cuda_count() and uk_cuda_info(). */
int      uk_cuda_count_devices   (const char **why);
UkStatus uk_cuda_describe_device (int device, UkCudaInfo *info);

/* backend.c: makes the backend's GPU this thread's current one. */
UkStatus uk_cuda_enter (UkBackend *self);
/* The status of a runtime call; on failure, stores "@what: CUDA's message" for explain() in @self. */
UkStatus uk_cuda_check (UkCudaBackend *self, cudaError_t error, const char *what);

/* *.cu: kernels shared by several kinds tell them apart themselves. */
extern const UkCudaKernel uk_cuda_load, uk_cuda_noise, uk_cuda_augment;
extern const UkCudaKernel uk_cuda_depthwise, uk_cuda_depthwise_dgrad, uk_cuda_depthwise_wgrad;
extern const UkCudaKernel uk_cuda_bias_act, uk_cuda_act_grad;
extern const UkCudaKernel uk_cuda_batch_norm, uk_cuda_batch_norm_grad, uk_cuda_batch_norm_infer,
  uk_cuda_batch_norm_local, uk_cuda_batch_norm_global, uk_cuda_batch_norm_grad_local,
  uk_cuda_batch_norm_grad_global;
extern const UkCudaKernel uk_cuda_resample, uk_cuda_add, uk_cuda_axpby, uk_cuda_fill, uk_cuda_concat;
extern const UkCudaKernel uk_cuda_shares;
extern const UkCudaKernel uk_cuda_squared_norm, uk_cuda_loss_bce, uk_cuda_loss_pair;
extern const UkCudaKernel uk_cuda_grad_squares, uk_cuda_grad_factor, uk_cuda_adam;

/* conv.c: all three kinds of convolution. */
extern const UkCudaKernel uk_cuda_conv, uk_cuda_conv_dgrad, uk_cuda_conv_wgrad;

/* conv-library.c */
UkStatus uk_cuda_libraries_open  (UkCudaBackend *self, const UkBackendConfig *config, UkCudaLibraries **out);
void     uk_cuda_libraries_close (UkCudaLibraries *self);
UkPlanCounts uk_cuda_libraries_count (const UkCudaLibraries *self);

/* cudnn-graph.c: "9.19.0"; or conv-library-none.c: "". */
void     uk_cuda_get_cudnn_version (char *text, size_t size);

#ifdef __cplusplus
}
#endif
