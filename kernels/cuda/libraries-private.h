/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libraries-private.h - a backend's state in cuDNN and cuBLASLt, and the choice between equivalent
 * implementations.
 */
#pragma once

#include "kernels/cuda/conv-private.h"
#include "kernels/cuda/cudnn-graph.h"
#include "kernels/cuda/plan-cache.h"

#include <cublasLt.h>

struct _UkCudaLibraries
{
  cudnnHandle_t    cudnn;
  cublasLtHandle_t blas;
  UkPlanCache     *cache; /* owned */
  size_t           workspace_limit; /* maximum for a plan, bytes */
};

/* ------------------------------------------------------------------------ */
/* timing.c                                                                   */

/* Enqueues the work to be timed, once, on the backend's stream. */
typedef UkStatus (*UkTimedRun) (void *data);

/* Time of a run on the GPU in ms; negative if it fails or cannot be captured, or if a first run takes
 * several times @best (0: none so far).  Waits for the GPU. */
double uk_time_on_gpu (UkCudaBackend *backend, UkTimedRun run, void *data, double best);

/* ------------------------------------------------------------------------ */
/* cudnn-plan.c                                                              */

enum { UK_CUDNN_MAX_VARIANTS = 2 };

typedef struct
{
  UkCudnnGraph *graph; /* owned */
  UkCudnnPlan  *plan;  /* owned */
  int           variant;
} UkCudnnChosen;

/* Chooses the fastest plan for @variants, equivalent formulations of one problem; the time of an unfused
 * one includes @epilogue (nullable).  The last variant is the fallback where nothing can be timed.
 * UK_UNSUPPORTED if there is no plan; another error, with its text, if other failures may be the reason. */
UkStatus uk_cudnn_choose (UkCudaBackend *backend, const UkCudnnProblem *variants, int n_variants,
                          UkCudaOp *epilogue, UkCudnnChosen *out);
void     uk_cudnn_chosen_clear (UkCudnnChosen *self);

/* A choice as text of the plan cache, and back; false if it is invalid. */
void     uk_cudnn_choice_write (const UkCudnnChoice *choice, int variant, char *text);
bool     uk_cudnn_choice_read  (const char *text, UkCudnnChoice *choice, int *variant);

/* ------------------------------------------------------------------------ */
/* linear.c                                                                  */

typedef struct _UkLinear UkLinear;

/* UK_UNSUPPORTED if the convolution is not a matrix product. */
UkStatus uk_linear_new  (UkCudaOp *op, const UkConvShape *shape, UkLinear **out);
void     uk_linear_free (UkLinear *self);

size_t   uk_linear_get_workspace_bytes (const UkLinear *self);
/* Whether run() includes the epilogue, with or without a bias. */
bool     uk_linear_is_fused            (const UkLinear *self);
/* @bias: aligned to 16 bytes; NULL unless fused. */
UkStatus uk_linear_run                 (UkLinear *self, const UkConvMemory *memory,
                                        const float *bias, void *workspace);
