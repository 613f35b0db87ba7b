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

typedef struct _UkCudnnShared UkCudnnShared;
typedef struct _UkLinear      UkLinear;

struct _UkCudaLibraries
{
  cudnnHandle_t    cudnn;
  cublasLtHandle_t blas;
  UkPlanCache     *cache; /* owned */
  size_t           workspace_limit; /* maximum for a plan, bytes */
  int              max_compiled; /* candidates per problem that cuDNN compiles at run time */
  UkCudnnShared   *plans;    /* owned; one for each problem */
  UkLinear        *products; /* owned; likewise */
  UkPlanCounts     counts;
};

/* ------------------------------------------------------------------------ */
/* timing.c                                                                   */

/* Enqueues the work to be timed, once, on the backend's stream. */
typedef UkStatus (*UkTimedRun) (void *data);

/* Time of a run on the GPU in ms; negative if it fails or cannot be captured, or if a first run takes
 * several times @best (0: none so far).  Waits for the GPU. */
double uk_time_on_gpu (UkCudaBackend *backend, UkTimedRun run, void *data, double best);

/* ------------------------------------------------------------------------ */
/* in-threads.c                                                               */

/* Calls @run with 0 to @n - 1, each once, in any order, from several threads at once, of which the caller is one;
 * in each, the backend's GPU is the current one.  Returns when all have returned. */
void uk_in_threads (UkCudaBackend *backend, int n, void (*run) (int i, void *data), void *data);

/* ------------------------------------------------------------------------ */
/* trial.c                                                                    */

enum { UK_TRIAL_MAX_BUFFERS = 5 };

typedef struct
{
  size_t     n_bytes;
  UkDataType type;
} UkTrialBuffer;

typedef struct
{
  char  *block; /* owned */
  size_t set_bytes, at[UK_TRIAL_MAX_BUFFERS];
  int    n_sets, set;
} UkTrial;

/* Fills everything with random values.  False if there is no memory. */
bool  uk_trial_open  (UkTrial *self, UkCudaBackend *backend, const UkTrialBuffer *buffers, int n_buffers);
void  uk_trial_close (UkTrial *self);
/* Goes on to the next set of buffers. */
void  uk_trial_turn  (UkTrial *self);
/* Aligned to UK_CUDA_ALIGN. */
void *uk_trial_get   (const UkTrial *self, int buffer);

/* ------------------------------------------------------------------------ */
/* cudnn-contest.c                                                            */

enum { UK_CUDNN_MAX_VARIANTS = 2 };

typedef struct
{
  UkCudnnChoice choice;
  int           variant;
  UkCudnnGraph *graph;    /* owned */
  UkCudnnPlan  *plan;     /* owned */
  bool          is_timed; /* against all others; else only a guess */
} UkCudnnWinner;

/* The fastest plan for @variants, equivalent formulations of one problem; the time of an unfused one includes
 * @epilogue (nullable).  The last variant is the fallback where nothing can be timed.  UK_UNSUPPORTED if there
 * is no plan; another error, with its text, if other failures may be the reason. */
UkStatus uk_cudnn_contest (UkCudaBackend *backend, const UkCudnnProblem *variants, int n_variants,
                           UkCudaOp *epilogue, UkCudnnWinner *out);

/* ------------------------------------------------------------------------ */
/* cudnn-choice.c                                                             */

/* The plan cache's text for a choice and its workspace, and back; false if it is invalid. */
void     uk_cudnn_choice_write (const UkCudnnChoice *choice, int variant, size_t workspace_bytes, char *text);
bool     uk_cudnn_choice_read  (const char *text, UkCudnnChoice *choice, int *variant,
                                size_t *workspace_bytes);

/* ------------------------------------------------------------------------ */
/* cudnn-plan.c                                                              */

/* The plan for @variants, as above, which all operations with that problem share; the backend owns it.  Unless it
 * had to be timed, it is made when the first of all plans runs: reading its entry of the cache costs nothing. */
UkStatus uk_cudnn_shared_find (UkCudaBackend *backend, const UkCudnnProblem *variants, int n_variants,
                               UkCudaOp *epilogue, UkCudnnShared **out);
void     uk_cudnn_shared_free (UkCudnnShared *list);

const UkCudnnProblem *uk_cudnn_shared_get_problem (const UkCudnnShared *self); /* the chosen variant */
size_t   uk_cudnn_shared_get_workspace_bytes (const UkCudnnShared *self);
void     uk_cudnn_shared_describe (const UkCudnnShared *self, char *text, size_t size);
/* Makes all of the backend's plans if this one is needed.  UK_UNSUPPORTED if its entry in the cache was wrong, which
 * is then forgotten. */
UkStatus uk_cudnn_shared_make (UkCudnnShared *self);
UkStatus uk_cudnn_shared_run  (UkCudnnShared *self, const UkCudnnMemory *memory, void *workspace);

/* ------------------------------------------------------------------------ */
/* linear.c                                                                  */

/* Shared like a cuDNN plan, and owned by the backend.  UK_UNSUPPORTED if the convolution is not a matrix
 * product. */
UkStatus uk_linear_find (UkCudaOp *op, const UkConvShape *shape, UkLinear **out);
void     uk_linear_free (UkLinear *list);

size_t   uk_linear_get_workspace_bytes (const UkLinear *self);
/* Whether run() includes the epilogue, with or without a bias. */
bool     uk_linear_is_fused            (const UkLinear *self);
/* @bias: aligned to 16 bytes; NULL unless fused. */
UkStatus uk_linear_run                 (UkLinear *self, const UkConvMemory *memory,
                                        const float *bias, void *workspace);
