/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libraries-private.h - what a backend keeps of cuDNN and cuBLASLt, and how one of several ways to
 * do the same is chosen.
 */
#pragma once

#include "kernels/cuda/conv-private.h"
#include "kernels/cuda/cudnn-graph.h"
#include "kernels/cuda/plan-book.h"

#include <cublasLt.h>

struct _UkCudaLibraries
{
  cudnnHandle_t    cudnn;
  cublasLtHandle_t blas;
  UkPlanBook      *book; /* owned */
  size_t           workspace_limit; /* bytes that a plan may ask for */
};

/* ------------------------------------------------------------------------ */
/* trial.c                                                                   */

/* Runs something once, on the backend's stream. */
typedef UkStatus (*UkTrialRun) (void *data);

/* How long a run takes on the GPU, ms; negative if it fails or cannot be recorded, or if a first
 * look says that it takes several times @best (0: none so far).  Waits for the GPU. */
double uk_trial_time (UkCudaBackend *backend, UkTrialRun run, void *data, double best);

/* ------------------------------------------------------------------------ */
/* cudnn-plan.c                                                              */

enum { UK_CUDNN_MAX_VARIANTS = 2 };

typedef struct
{
  UkCudnnGraph *graph; /* owned */
  UkCudnnPlan  *plan;  /* owned */
  int           variant;
} UkCudnnChosen;

/* The fastest of all plans for @variants, the same problem put in several ways; a way that is not
 * fused is followed by @epilogue (nullable).  The last variant is the one to fall back on where
 * nothing can be timed.  UK_UNSUPPORTED if there is no plan; another error, with its text, if
 * one may be missing only because something else is wrong. */
UkStatus uk_cudnn_choose (UkCudaBackend *backend, const UkCudnnProblem *variants, int n_variants,
                          UkCudaOp *epilogue, UkCudnnChosen *out);
void     uk_cudnn_chosen_clear (UkCudnnChosen *self);

/* A choice as text of a book, and back: false if it is none. */
void     uk_cudnn_choice_write (const UkCudnnChoice *choice, int variant, char *text);
bool     uk_cudnn_choice_read  (const char *text, UkCudnnChoice *choice, int *variant);

/* ------------------------------------------------------------------------ */
/* linear.c                                                                  */

typedef struct _UkLinear UkLinear;

/* UK_UNSUPPORTED if the convolution is no matrix product. */
UkStatus uk_linear_new  (UkCudaOp *op, const UkConvShape *shape, UkLinear **out);
void     uk_linear_free (UkLinear *self);

size_t   uk_linear_get_workspace_bytes (const UkLinear *self);
/* Whether run() does what follows the convolution, with a bias and without. */
bool     uk_linear_is_fused            (const UkLinear *self);
/* @bias: aligned to 16 bytes; NULL unless fused. */
UkStatus uk_linear_run                 (UkLinear *self, const UkConvMemory *memory,
                                        const float *bias, void *workspace);
