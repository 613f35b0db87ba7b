/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv-private.h - convolutions below conv.c.
 *
 * As in reference/conv.c, plain and transposed convolutions relate a small and a large image, used in one
 * of three ways.  Weights are (small channels, kernel, kernel, large channels), stored as floats and packed with
 * the values' type.
 *
 * Legend: s channels of the small image, l channels of the large one.
 */
#pragma once

#include "kernels/cuda/cuda-private.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum
{
  UK_CONV_GATHER,  /* small[s] = sum_l w[s, l] * large[l] */
  UK_CONV_SCATTER, /* large[l] = sum_s w[s, l] * small[s] */
  UK_CONV_OUTER    /* w[s, l] = sum small[s] * large[l] */
} UkConvWay;

typedef struct
{
  UkConvWay way;
  UkShape   small, large;
  int       kernel, stride, pad;
} UkConvShape;

static inline UkConvShape
uk_conv_shape_of (const UkOpDesc *desc)
{
  return (UkConvShape) {
    .way = desc->kind == UK_OP_CONV_WGRAD                   ? UK_CONV_OUTER
           : (desc->kind == UK_OP_CONV) != desc->transposed ? UK_CONV_GATHER
                                                            : UK_CONV_SCATTER,
    .small = desc->transposed ? desc->x : desc->y,
    .large = desc->transposed ? desc->y : desc->x,
    .kernel = desc->kernel,
    .stride = desc->stride,
    .pad = desc->pad,
  };
}

static inline int64_t
uk_conv_n_weights (const UkConvShape *shape)
{
  return shape->small.c * shape->large.c * shape->kernel * shape->kernel;
}

/* Arguments of a run: two images and the packed weights (for OUTER, the output: their gradient). */
typedef struct
{
  void *small, *large, *w;
} UkConvMemory;

/* weights.cu.  @packed: (@count) of the values' type. */
UkStatus uk_cuda_weights_pack   (UkCudaOp *op, int64_t count, const float *stored, void *packed);
/* @packed: (@count) of @type.  Adds if @op accumulates. */
UkStatus uk_cuda_weights_unpack (UkCudaOp *op, int64_t count, const void *packed, UkDataType type, float *stored);

/* conv-direct.cu.  The weight gradient is in float.  can(): false if the shape exceeds a grid; the
 * others require true. */
bool     uk_cuda_conv_direct_can           (const UkConvShape *shape);
size_t   uk_cuda_conv_direct_scratch_bytes (const UkConvShape *shape);
UkStatus uk_cuda_conv_direct               (UkCudaOp *op, const UkConvShape *shape,
                                            const UkConvMemory *memory, void *scratch);

/* conv-tiled.cu: in sixteen bits only, from compute capability 8.0 on.  All of @memory is aligned to 16 bytes; the
 * weight gradient is in float.
 * can(): whether there is a kernel; the others require true.  fuses(): whether it adds a bias, and applies @act; else
 * @bias is NULL. */
bool     uk_cuda_conv_tiled_can           (const UkConvShape *shape);
bool     uk_cuda_conv_tiled_fuses         (const UkConvShape *shape, UkAct act);
size_t   uk_cuda_conv_tiled_scratch_bytes (const UkConvShape *shape);
UkStatus uk_cuda_conv_tiled               (UkCudaOp *op, const UkConvShape *shape, const UkConvMemory *memory,
                                           const float *bias, void *scratch);

/* conv-library.c, or conv-library-none.c: convolutions through NVIDIA's libraries. */
typedef struct _UkConvLibrary UkConvLibrary;

/* @epilogue: bias and activation as a separate operation; NULL if there is none.  UK_UNSUPPORTED if the
 * libraries cannot do it. */
UkStatus uk_conv_library_new  (UkCudaOp *op, const UkConvShape *shape, UkCudaOp *epilogue,
                               UkConvLibrary **out);
void     uk_conv_library_free (UkConvLibrary *self);

size_t   uk_conv_library_get_workspace_bytes (const UkConvLibrary *self);
/* Of the weight gradient: float, or that of values. */
UkDataType uk_conv_library_get_gradient_type (const UkConvLibrary *self);
/* Whether run() includes the epilogue, with or without a bias. */
bool     uk_conv_library_is_fused            (const UkConvLibrary *self);
/* "cuDNN engine 43, workspace 12.6 MB". */
void     uk_conv_library_describe            (const UkConvLibrary *self, char *text, size_t size);
/* Before run(): makes what it needs; UK_UNSUPPORTED if what the plan cache promised does not exist. */
UkStatus uk_conv_library_make                (UkConvLibrary *self);
/* All of @memory is aligned to 16 bytes, @workspace to UK_CUDA_ALIGN.  @bias: NULL unless fused. */
UkStatus uk_conv_library_run                 (UkConvLibrary *self, UkCudaOp *op,
                                              const UkConvMemory *memory, const float *bias,
                                              void *workspace);

#ifdef __cplusplus
}
#endif
