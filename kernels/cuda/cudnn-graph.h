/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cudnn-graph.h - a convolution as a cuDNN graph, and what can run it.
 *
 * A problem becomes a graph; a graph has choices, each an engine of cuDNN's with its knobs; a
 * choice becomes a plan, which runs.  Up to the plan nothing needs a GPU: a device may also be
 * described by its properties alone (cuDNN 9.8 and later), so that what cuDNN would do on any GPU
 * can be asked on a machine without one.
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

/* An ordinary convolution, read in one of three directions.  Images are NHWC, the filter is
 * (response channels, kernel, kernel, image channels). */
typedef struct
{
  UkCudnnPass pass;
  UkShape     image;    /* what the kernel is set down on */
  UkShape     response; /* where it is set down */
  int         kernel, stride, pad;
  bool        is_bf16;  /* images and filter; the bias is float always */
  bool        is_gradient_bf16; /* BACKWARD_FILTER's filter */
  bool        allows_tf32;
  bool        is_fused; /* a bias of the output's channels, then act; not BACKWARD_FILTER */
  UkAct       act;      /* not softmax */
  float       slope;
} UkCudnnProblem;

enum
{
  UK_CUDNN_MAX_KNOBS = CUDNN_KNOB_TYPE_COUNTS,
  UK_CUDNN_MAX_CHOICES = 32
};

typedef struct
{
  int64_t engine;
  bool    is_compiled; /* by each process anew, which takes it a while */
  int     n_knobs;
  struct
  {
    int64_t type, value;
  } knobs[UK_CUDNN_MAX_KNOBS];
} UkCudnnChoice;

typedef struct _UkCudnnGraph UkCudnnGraph;
typedef struct _UkCudnnPlan  UkCudnnPlan;

/* What run() reads and writes: the image, the filter and the response, and for a fused problem the
 * bias (all of them then; of its own output the plain convolution needs no memory).  Aligned to 16
 * bytes. */
typedef struct
{
  void *image, *filter, *response, *bias;
} UkCudnnMemory;

/* UK_UNSUPPORTED if cuDNN knows no such graph. */
UkStatus uk_cudnn_graph_new  (const UkCudnnDevice *device, const UkCudnnProblem *problem,
                              UkCudnnGraph **out);
void     uk_cudnn_graph_free (UkCudnnGraph *self);

/* What the heuristics propose, the best guess first, without what is not precise enough or does
 * not give the same bits twice, and with few of those that have to be compiled.  @n_choices: (out):
 * how many, at most @max.  An error only where that is none: UK_UNSUPPORTED if cuDNN has nothing for
 * such a graph, another one if it could not be asked; cudnnGetLastErrorString() has its words. */
UkStatus uk_cudnn_graph_get_choices (UkCudnnGraph *self, UkCudnnChoice *choices, int max,
                                     int *n_choices);

/* @choice may come from anywhere: what does not fit the graph is UK_UNSUPPORTED.  @graph must
 * outlive the plan. */
UkStatus uk_cudnn_plan_new  (UkCudnnGraph *graph, const UkCudnnChoice *choice, UkCudnnPlan **out);
void     uk_cudnn_plan_free (UkCudnnPlan *self);

size_t   uk_cudnn_plan_get_workspace_bytes (const UkCudnnPlan *self);
/* Enqueues it on the stream of the device's handle. */
UkStatus uk_cudnn_plan_run  (UkCudnnPlan *self, const UkCudnnMemory *memory, void *workspace);
