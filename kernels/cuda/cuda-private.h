/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda-private.h - what the files of the `cuda` backend share.
 *
 *   module.c         the door of the module that this is
 *   backend.c        opening, memory, the table, recordings (CUDA graphs)
 *   machine.c        what the GPU is
 *   ranks.c          what several GPUs exchange, by NCCL
 *   nccl-calls.c     NCCL, loaded when it is wanted
 *   *.cu             one operation per file, forward and gradient
 *   conv.c           which of the following a convolution takes
 *   conv-direct.cu   any convolution, slowly: what no library will do
 *   conv-library.c   what NVIDIA's libraries make of one
 *   cudnn-graph.c    a convolution as a cuDNN graph
 *   cudnn-plan.c     the fastest plan for it
 *   linear.c         what is a matrix product, with cuBLASLt
 *   trial.c          how long something takes on the GPU
 *   plan-book.c      what was fastest, remembered in a file
 *   weights.cu       the orders of weights
 *
 * Everything is enqueued on the backend's one compute stream, so that instructions run in
 * turn and can be recorded.  Nothing in run() or pack() may allocate, wait or read back.
 *
 * Sums are added in an order that depends on shapes alone: no atomic additions of floats, and
 * grids are functions of shapes.
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
  UkPrecision      precision;
  cudaStream_t     stream;    /* everything runs on it … */
  cudaStream_t     beside;    /* … but copies that go beside it */
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
  bool                is_bf16;  /* values are bfloat16, else float */
  void               *state;    /* (nullable) the kernel's own; release() frees it */
} UkCudaOp;

/* How one kind of operation is done. */
struct _UkCudaKernel
{
  /* (nullable) Sets base.scratch_bytes, packed_bytes, pack_key and state. */
  UkStatus (*prepare) (UkCudaOp *op);
  UkStatus (*pack)    (UkCudaOp *op, const void *w, void *packed); /* (nullable) */
  UkStatus (*run)     (UkCudaOp *op, void *const *args, void *scratch);
  void     (*release) (UkCudaOp *op);                              /* (nullable) */
};

/* Scratch and memory are aligned so. */
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

/* backend.c: makes its GPU this thread's; every thread has one, the first until it says otherwise. */
UkStatus uk_cuda_enter (UkBackend *self);
/* What a call of the runtime returned, as a status; text for explain() is kept in @self. */
UkStatus uk_cuda_check (UkCudaBackend *self, cudaError_t error, const char *what);

/* load-noise.cu … resample.cu: one row per kind. */
extern const UkCudaKernel uk_cuda_load, uk_cuda_noise;
extern const UkCudaKernel uk_cuda_augment, uk_cuda_augment_grad;
extern const UkCudaKernel uk_cuda_depthwise, uk_cuda_depthwise_dgrad, uk_cuda_depthwise_wgrad;
extern const UkCudaKernel uk_cuda_bias_act, uk_cuda_act_grad;
extern const UkCudaKernel uk_cuda_batch_norm, uk_cuda_batch_norm_grad, uk_cuda_batch_norm_infer,
  uk_cuda_batch_norm_recompute, uk_cuda_batch_norm_local, uk_cuda_batch_norm_global,
  uk_cuda_batch_norm_grad_local, uk_cuda_batch_norm_grad_global;
extern const UkCudaKernel uk_cuda_upsample, uk_cuda_downsample;
extern const UkCudaKernel uk_cuda_add, uk_cuda_axpby, uk_cuda_fill;
extern const UkCudaKernel uk_cuda_squared_norm;
extern const UkCudaKernel uk_cuda_loss_bce, uk_cuda_loss_pair_d, uk_cuda_loss_pair_g;
extern const UkCudaKernel uk_cuda_grad_norm, uk_cuda_adam;

/* conv.c: all three kinds of convolution. */
extern const UkCudaKernel uk_cuda_conv, uk_cuda_conv_dgrad, uk_cuda_conv_wgrad;

/* conv-library.c.  @cache: (nullable) an existing folder, for the plans' file. */
UkStatus uk_cuda_libraries_open  (UkCudaBackend *self, const char *cache, UkCudaLibraries **out);
void     uk_cuda_libraries_close (UkCudaLibraries *self);

/* cudnn-graph.c: "9.19.0"; or conv-library-none.c: "". */
void     uk_cuda_get_cudnn_version (char *text, size_t size);

#ifdef __cplusplus
}
#endif
