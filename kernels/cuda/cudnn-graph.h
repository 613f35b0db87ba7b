/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cudnn-graph.h - a convolution as a cuDNN graph, and its execution plans.
 *
 * A problem becomes a graph; a graph has choices, each an engine of cuDNN with its knobs; a choice becomes
 * a plan, which can be run.  Nothing before running needs a GPU: a device may also be described by its
 * properties alone (cuDNN 9.8 and later), so that a machine without a GPU can query any GPU's plans.
 */
#pragma once

#include "kernels/uk.h"

#include <cudnn.h>

/* Exactly one of the two. */
typedef struct
{
  cudnnHandle_t            handle;     /* (nullable) borrowed */
  cudnnBackendDescriptor_t properties; /* (nullable) borrowed */
} UkCudnnDevice;

typedef enum
{
  UK_CUDNN_FORWARD,
  UK_CUDNN_BACKWARD_DATA,
  UK_CUDNN_BACKWARD_FILTER
} UkCudnnPass;

/* An ordinary convolution, in one of three directions.  Images are NHWC, the filter is
 * (response channels, kernel, kernel, image channels). */
typedef struct
{
  UkCudnnPass pass;
  UkShape     image;    /* the kernel is applied to this */
  UkShape     response; /* one pixel per application */
  int         kernel, stride, pad;
  UkDataType  type;     /* of images and filter; the bias is always float */
  bool        is_gradient_rounded; /* BACKWARD_FILTER's filter has that type, not float */
  bool        allows_tf32;
  bool        is_fused; /* a bias of the output's channels, then act; not BACKWARD_FILTER */
  UkAct       act;      /* not softmax */
  float       slope;
} UkCudnnProblem;

enum
{
  UK_CUDNN_MAX_KNOBS = CUDNN_KNOB_TYPE_COUNTS
};

typedef struct
{
  int64_t engine;
  bool    is_compiled; /* by each process, which is slow */
  int     n_knobs;
  struct
  {
    int64_t type, value;
  } knobs[UK_CUDNN_MAX_KNOBS];
} UkCudnnChoice;

typedef struct _UkCudnnGraph UkCudnnGraph;
typedef struct _UkCudnnPlan  UkCudnnPlan;

/* Arguments of run(): the image, the filter and the response, and for a fused problem the bias (the
 * convolution's own output is virtual and needs no memory).  Aligned to 16 bytes. */
typedef struct
{
  void *image, *filter, *response, *bias;
} UkCudnnMemory;

/* UK_UNSUPPORTED if cuDNN does not support the graph. */
UkStatus uk_cudnn_graph_new  (const UkCudnnDevice *device, const UkCudnnProblem *problem,
                              UkCudnnGraph **out);
void     uk_cudnn_graph_free (UkCudnnGraph *self);

/* The heuristics' proposals, best guess first, except those that are too imprecise or not deterministic, and
 * all but @max_compiled of those that need compilation.  @n_choices: (out): at most @max.  Fails only if there are none:
 * UK_UNSUPPORTED if cuDNN has none for the graph, another status if the query failed; see
 * cudnnGetLastErrorString(). */
UkStatus uk_cudnn_graph_get_choices (UkCudnnGraph *self, int max_compiled,
                                     UkCudnnChoice *choices, int max, int *n_choices);

/* @choice may be invalid: UK_UNSUPPORTED if it does not fit the graph.  @graph must outlive the plan.
 * Threads may make plans of one graph at the same time. */
UkStatus uk_cudnn_plan_new  (UkCudnnGraph *graph, const UkCudnnChoice *choice, UkCudnnPlan **out);
/* From dup_json() of a plan of the same graph, GPU and version of cuDNN: saves its compilation.
 * UK_UNSUPPORTED if cuDNN rejects it. */
UkStatus uk_cudnn_plan_new_from_json (UkCudnnGraph *graph, const char *json, UkCudnnPlan **out);
/* malloc()ed; NULL if cuDNN has none for the plan. */
char    *uk_cudnn_plan_dup_json      (const UkCudnnPlan *self);
void     uk_cudnn_plan_free (UkCudnnPlan *self);

size_t   uk_cudnn_plan_get_workspace_bytes (const UkCudnnPlan *self);
/* Enqueues it on the stream of the device's handle. */
UkStatus uk_cudnn_plan_run  (UkCudnnPlan *self, const UkCudnnMemory *memory, void *workspace);
