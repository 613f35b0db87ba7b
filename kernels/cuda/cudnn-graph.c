/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cudnn-graph.c - see cudnn-graph.h.
 *
 * In cuDNN's backend API everything is a descriptor whose attributes are set one by one before it is
 * finalized.  Each call in a long sequence is only valid if all before it succeeded: a Builder remembers
 * the first failure and skips the rest.
 */
#include "kernels/cuda/cudnn-graph.h"

#include "kernels/cuda/cuda-private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  MAX_PARTS = 16 + UK_CUDNN_MAX_KNOBS,
  MAX_CONFIGS = 64, /* per mode of the heuristics */
  ALIGN_BYTES = 16
};

typedef cudnnBackendDescriptor_t Descriptor;

/* Tensor ids within a graph. */
typedef enum { IMAGE = 1, FILTER, RESPONSE, BIAS, BARE, BIASED } TensorId;

typedef struct
{
  cudnnStatus_t status; /* of the first failed call */
  Descriptor    parts[MAX_PARTS];
  int           n_parts;
} Builder;

struct _UkCudnnGraph
{
  UkCudnnDevice  device;
  UkCudnnProblem problem;
  Builder        builder;
  Descriptor     graph; /* one of the builder's parts */
};

struct _UkCudnnPlan
{
  const UkCudnnGraph *graph; /* borrowed */
  Builder             builder; /* owns the plan and its parts */
  Descriptor          plan;
  int64_t             workspace_bytes;
};

/* ------------------------------------------------------------------------ */
/* Descriptors                                                               */

static Descriptor
add_part (Builder *self, cudnnBackendDescriptorType_t type)
{
  Descriptor part = NULL;

  if (self->status == CUDNN_STATUS_SUCCESS && self->n_parts == MAX_PARTS)
    self->status = CUDNN_STATUS_INTERNAL_ERROR;
  if (self->status == CUDNN_STATUS_SUCCESS)
    self->status = cudnnBackendCreateDescriptor (type, &part);
  if (self->status != CUDNN_STATUS_SUCCESS)
    return NULL;
  self->parts[self->n_parts++] = part;
  return part;
}

static void
set (Builder *self, Descriptor part, cudnnBackendAttributeName_t name,
     cudnnBackendAttributeType_t type, int64_t count, const void *values)
{
  if (self->status == CUDNN_STATUS_SUCCESS)
    self->status = cudnnBackendSetAttribute (part, name, type, count, values);
}

static void
set_int (Builder *self, Descriptor part, cudnnBackendAttributeName_t name, int64_t value)
{
  set (self, part, name, CUDNN_TYPE_INT64, 1, &value);
}

static void
set_part (Builder *self, Descriptor part, cudnnBackendAttributeName_t name, Descriptor value)
{
  set (self, part, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
}

static void
finalize (Builder *self, Descriptor part)
{
  if (self->status == CUDNN_STATUS_SUCCESS)
    self->status = cudnnBackendFinalize (part);
}

/* In reverse order of creation, since later parts refer to earlier ones. */
static void
clear_parts (Builder *self)
{
  while (self->n_parts > 0)
    cudnnBackendDestroyDescriptor (self->parts[--self->n_parts]);
}

static UkStatus
status_of (cudnnStatus_t status)
{
  if (status == CUDNN_STATUS_SUCCESS)
    return UK_OK;
  if (status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED
      || status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED)
    return UK_NO_MEMORY;
  /* cuDNN itself or the GPU fails.  Any other failure means that the graph or plan is not supported,
   * whatever the status. */
  return status / 1000 == CUDNN_STATUS_NOT_INITIALIZED / 1000
             || status / 1000 == CUDNN_STATUS_EXECUTION_FAILED / 1000
           ? UK_DEVICE_ERROR
           : UK_UNSUPPORTED;
}

/* ------------------------------------------------------------------------ */
/* The graph                                                                 */

/* Channels innermost; cuDNN lists dimensions in the order n, c, h, w nevertheless. */
static Descriptor
add_tensor (Builder *self, TensorId id, UkShape shape, cudnnDataType_t type, bool is_virtual)
{
  Descriptor tensor = add_part (self, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  int64_t dims[4] = { shape.n, shape.c, shape.h, shape.w };
  int64_t strides[4] = { shape.h * shape.w * shape.c, 1, shape.w * shape.c, shape.c };

  set (self, tensor, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  set (self, tensor, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, dims);
  set (self, tensor, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides);
  set_int (self, tensor, CUDNN_ATTR_TENSOR_UNIQUE_ID, id);
  set_int (self, tensor, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, ALIGN_BYTES);
  set (self, tensor, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &is_virtual);
  finalize (self, tensor);
  return tensor;
}

static Descriptor
add_geometry (Builder *self, const UkCudnnProblem *problem)
{
  Descriptor conv = add_part (self, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  int64_t pads[2] = { problem->pad, problem->pad };
  int64_t strides[2] = { problem->stride, problem->stride };
  const int64_t dilations[2] = { 1, 1 };
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;

  set_int (self, conv, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, 2);
  set (self, conv, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  set (self, conv, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
  set (self, conv, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 2, pads);
  set (self, conv, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, 2, pads);
  set (self, conv, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, 2, strides);
  set (self, conv, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, 2, dilations);
  finalize (self, conv);
  return conv;
}

/* The names of the same attributes in the three operations. */
typedef struct
{
  cudnnBackendDescriptorType_t type;
  cudnnBackendAttributeName_t  alpha, beta, geometry, image, filter, response;
} ConvNames;

static const ConvNames conv_names[] = {
  [UK_CUDNN_FORWARD] = {
    .type = CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
    .alpha = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
    .beta = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
    .geometry = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
    .image = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
    .filter = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
    .response = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
  },
  [UK_CUDNN_BACKWARD_DATA] = {
    .type = CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
    .alpha = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
    .beta = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
    .geometry = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
    .image = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
    .filter = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
    .response = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
  },
  [UK_CUDNN_BACKWARD_FILTER] = {
    .type = CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
    .alpha = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
    .beta = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
    .geometry = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
    .image = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
    .filter = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
    .response = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
  },
};

static Descriptor
add_conv (Builder *self, UkCudnnPass pass, Descriptor geometry, Descriptor image,
          Descriptor filter, Descriptor response)
{
  const ConvNames *names = &conv_names[pass];
  Descriptor conv = add_part (self, names->type);
  float one = 1, zero = 0;

  set (self, conv, names->alpha, CUDNN_TYPE_FLOAT, 1, &one);
  set (self, conv, names->beta, CUDNN_TYPE_FLOAT, 1, &zero);
  set_part (self, conv, names->geometry, geometry);
  set_part (self, conv, names->image, image);
  set_part (self, conv, names->filter, filter);
  set_part (self, conv, names->response, response);
  finalize (self, conv);
  return conv;
}

/* y = mode (x), or mode (x, b). */
static Descriptor
add_pointwise (Builder *self, cudnnPointwiseMode_t mode, double slope, Descriptor x, Descriptor b,
               Descriptor y)
{
  Descriptor how = add_part (self, CUDNN_BACKEND_POINTWISE_DESCRIPTOR), op;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;

  set (self, how, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &mode);
  set (self, how, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &type);
  if (slope != 0)
    set (self, how, CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, CUDNN_TYPE_DOUBLE, 1, &slope);
  finalize (self, how);

  op = add_part (self, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  set_part (self, op, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how);
  set_part (self, op, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
  if (b != NULL)
    set_part (self, op, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b);
  set_part (self, op, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
  finalize (self, op);
  return op;
}

static void
build (UkCudnnGraph *self)
{
  const UkCudnnProblem *problem = &self->problem;
  Builder *b = &self->builder;
  cudnnPointwiseMode_t mode = problem->act == UK_ACT_TANH      ? CUDNN_POINTWISE_TANH_FWD
                              : problem->act == UK_ACT_SIGMOID ? CUDNN_POINTWISE_SIGMOID_FWD
                                                               : CUDNN_POINTWISE_RELU_FWD;
  bool forward = problem->pass == UK_CUDNN_FORWARD, fused = problem->is_fused;
  cudnnDataType_t type = problem->type == UK_DATA_BF16  ? CUDNN_DATA_BFLOAT16
                         : problem->type == UK_DATA_F16 ? CUDNN_DATA_HALF
                                                        : CUDNN_DATA_FLOAT;
  UkShape out = forward ? problem->response : problem->image;
  UkShape filter_shape = { problem->response.c, problem->kernel, problem->kernel,
                           problem->image.c };
  cudnnDataType_t filter_type = problem->pass == UK_CUDNN_BACKWARD_FILTER
                                    && !problem->is_gradient_rounded
                                  ? CUDNN_DATA_FLOAT
                                  : type;
  Descriptor image = add_tensor (b, IMAGE, problem->image, type, false);
  Descriptor filter = add_tensor (b, FILTER, filter_shape, filter_type, false);
  Descriptor response = add_tensor (b, RESPONSE, problem->response, type, false);
  Descriptor geometry = add_geometry (b, problem), bare = NULL, ops[3];

  if (fused)
    bare = add_tensor (b, BARE, out, CUDNN_DATA_FLOAT, true);
  ops[0] = add_conv (b, problem->pass, geometry, fused && !forward ? bare : image, filter,
                     fused && forward ? bare : response);
  if (fused)
    {
      UkShape vector = { 1, 1, 1, out.c };
      Descriptor bias = add_tensor (b, BIAS, vector, CUDNN_DATA_FLOAT, false);
      Descriptor biased = add_tensor (b, BIASED, out, CUDNN_DATA_FLOAT, true);

      ops[1] = add_pointwise (b, CUDNN_POINTWISE_ADD, 0, bare, bias, biased);
      ops[2] = add_pointwise (b, mode, problem->act == UK_ACT_LEAKY_RELU ? problem->slope : 0, biased,
                              NULL, forward ? response : image);
    }
  self->graph = add_part (b, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  set (b, self->graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
       fused ? 3 : 1, ops);
  if (self->device.handle != NULL)
    set (b, self->graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1,
         &self->device.handle);
  finalize (b, self->graph);
}

UkStatus
uk_cudnn_graph_new (const UkCudnnDevice *device, const UkCudnnProblem *problem, UkCudnnGraph **out)
{
  UkCudnnGraph *self = calloc (1, sizeof *self);
  UkStatus status;

  if (self == NULL)
    return UK_NO_MEMORY;
  self->device = *device;
  self->problem = *problem;
  build (self);
  status = status_of (self->builder.status);
  if (status != UK_OK)
    uk_cudnn_graph_free (self);
  else
    *out = self;
  return status;
}

void
uk_cudnn_graph_free (UkCudnnGraph *self)
{
  if (self == NULL)
    return;
  clear_parts (&self->builder);
  free (self);
}

/* ------------------------------------------------------------------------ */
/* Choices                                                                   */

/* Without it, cuDNN would ask the driver for a device. */
#if CUDNN_VERSION >= 90800
static void
set_device (Builder *self, const UkCudnnDevice *device, Descriptor part,
            cudnnBackendAttributeName_t name)
{
  if (device->properties != NULL)
    set_part (self, part, name, device->properties);
}
#endif

/* Sums must be fp32 and in a fixed order, and products as precise as requested.  Winograd and FFT add
 * errors of their own, many times larger. */
static bool
is_note_allowed (const UkCudnnProblem *problem, cudnnBackendNumericalNote_t note)
{
  switch (note)
    {
    case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:
      return problem->type != UK_DATA_F32 || problem->allows_tf32;
    case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS:
    case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
    case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
    case CUDNN_NUMERICAL_NOTE_FFT:
    case CUDNN_NUMERICAL_NOTE_WINOGRAD:
    case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4:
    case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6:
    case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13:
      return false;
    default:
      return true;
    }
}

/* Engine 17 for weight gradients of 3 x 3 has no note, but errors as Winograd's: with cuDNN 9.19 on an H200, 2.6 times
 * what test-backends allows in fp32.  Other versions are not known to be better. */
static bool
is_imprecise_without_note (const UkCudnnProblem *problem, Descriptor engine)
{
  int64_t index = 0, count;

  return problem->pass == UK_CUDNN_BACKWARD_FILTER && problem->kernel == 3 && problem->type == UK_DATA_F32
         && !problem->allows_tf32
         && cudnnBackendGetAttribute (engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &count, &index)
              == CUDNN_STATUS_SUCCESS
         && index == 17;
}

static bool
is_engine_allowed (const UkCudnnProblem *problem, Descriptor engine)
{
  cudnnBackendNumericalNote_t notes[CUDNN_NUMERICAL_NOTE_TYPE_COUNT];
  int64_t n_notes = 0;

  if (is_imprecise_without_note (problem, engine))
    return false;
  if (cudnnBackendGetAttribute (engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                CUDNN_TYPE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT,
                                &n_notes, notes) != CUDNN_STATUS_SUCCESS
      || n_notes > CUDNN_NUMERICAL_NOTE_TYPE_COUNT)
    return false;
  for (int64_t i = 0; i < n_notes; i++)
    if (!is_note_allowed (problem, notes[i]))
      return false;
  return true;
}

static bool
is_engine_compiled (Descriptor engine)
{
  cudnnBackendBehaviorNote_t notes[CUDNN_BEHAVIOR_NOTE_TYPE_COUNT];
  int64_t n_notes = 0;

  if (cudnnBackendGetAttribute (engine, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE,
                                CUDNN_BEHAVIOR_NOTE_TYPE_COUNT, &n_notes, notes)
      != CUDNN_STATUS_SUCCESS)
    return false;
  for (int64_t i = 0; i < n_notes && i < CUDNN_BEHAVIOR_NOTE_TYPE_COUNT; i++)
    if (notes[i] == CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION)
      return true;
  return false;
}

/* Descriptors to be filled by cudnnBackendGetAttribute().  @n_parts: (out): number filled; 0 on failure.
 * The caller destroys all @max of them. */
static cudnnStatus_t
get_parts (Descriptor from, cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t type,
           Descriptor *parts, int max, int *n_parts)
{
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
  int64_t count = 0;

  *n_parts = 0;
  for (int i = 0; i < max && status == CUDNN_STATUS_SUCCESS; i++)
    {
      parts[i] = NULL;
      status = cudnnBackendCreateDescriptor (type, &parts[i]);
    }
  if (status == CUDNN_STATUS_SUCCESS)
    status = cudnnBackendGetAttribute (from, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, max, &count, parts);
  if (status == CUDNN_STATUS_SUCCESS)
    *n_parts = (int) (count < max ? count : max);
  return status;
}

static void
free_parts (Descriptor *parts, int count)
{
  for (int i = 0; i < count; i++)
    if (parts[i] != NULL)
      cudnnBackendDestroyDescriptor (parts[i]);
}

static bool
read_knob (Descriptor knob, UkCudnnChoice *choice)
{
  cudnnBackendKnobType_t type;
  int64_t value, count;

  if (cudnnBackendGetAttribute (knob, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1,
                                &count, &type) != CUDNN_STATUS_SUCCESS
      || cudnnBackendGetAttribute (knob, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1,
                                   &count, &value) != CUDNN_STATUS_SUCCESS)
    return false;
  choice->knobs[choice->n_knobs].type = type;
  choice->knobs[choice->n_knobs].value = value;
  choice->n_knobs++;
  return true;
}

/* Reads an engine configuration; false if its engine is not allowed. */
static bool
read_config (const UkCudnnProblem *problem, Descriptor config, UkCudnnChoice *choice)
{
  Descriptor engine[1] = { NULL }, knobs[UK_CUDNN_MAX_KNOBS] = { NULL };
  int n_engines, n_knobs = 0;
  int64_t count;
  bool ok = get_parts (config, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR,
                       engine, 1, &n_engines) == CUDNN_STATUS_SUCCESS
            && n_engines == 1 && is_engine_allowed (problem, engine[0])
            && cudnnBackendGetAttribute (engine[0], CUDNN_ATTR_ENGINE_GLOBAL_INDEX,
                                         CUDNN_TYPE_INT64, 1, &count, &choice->engine)
                 == CUDNN_STATUS_SUCCESS;

  choice->n_knobs = 0;
  choice->is_compiled = ok && is_engine_compiled (engine[0]);
  if (ok)
    get_parts (config, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, knobs,
               UK_CUDNN_MAX_KNOBS, &n_knobs);
  for (int i = 0; ok && i < n_knobs; i++)
    ok = read_knob (knobs[i], choice);
  free_parts (knobs, UK_CUDNN_MAX_KNOBS);
  free_parts (engine, 1);
  return ok;
}

/* Whether the candidate @choices[@n_choices] is worth adding. */
static bool
is_wanted (const UkCudnnChoice *choices, int n_choices, int max_compiled)
{
  const UkCudnnChoice *last = &choices[n_choices];
  int n_compiled = 0;

  for (int i = 0; i < n_choices; i++)
    {
      if (choices[i].engine == last->engine && choices[i].n_knobs == last->n_knobs
          && memcmp (choices[i].knobs, last->knobs, (size_t) last->n_knobs * sizeof last->knobs[0]) == 0)
        return false;
      n_compiled += choices[i].is_compiled;
    }
  return !last->is_compiled || n_compiled < max_compiled;
}

/* Appends the proposals of one mode of the heuristics to the @n_choices (inout) existing ones. */
static UkStatus
ask_heuristics (const UkCudnnGraph *graph, cudnnBackendHeurMode_t mode, int max_compiled,
                UkCudnnChoice *choices, int max, int *n_choices)
{
  Builder builder = { 0 };
  Descriptor heuristics = add_part (&builder, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  Descriptor configs[MAX_CONFIGS] = { NULL };
  int n_configs = 0;

  set_part (&builder, heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph->graph);
  set (&builder, heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
#if CUDNN_VERSION >= 90800
  set_device (&builder, &graph->device, heuristics, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP);
#endif
  finalize (&builder, heuristics);
  if (builder.status == CUDNN_STATUS_SUCCESS)
    builder.status = get_parts (heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, configs, MAX_CONFIGS, &n_configs);
  for (int i = 0; i < n_configs && *n_choices < max; i++)
    if (read_config (&graph->problem, configs[i], &choices[*n_choices])
        && is_wanted (choices, *n_choices, max_compiled))
      (*n_choices)++;
  free_parts (configs, MAX_CONFIGS);
  clear_parts (&builder);
  return status_of (builder.status);
}

UkStatus
uk_cudnn_graph_get_choices (UkCudnnGraph *self, int max_compiled, UkCudnnChoice *choices, int max,
                            int *n_choices)
{
  UkStatus best, last;

  *n_choices = 0;
  /* A quarter of the places is reserved for the fallback mode. */
  best = ask_heuristics (self, CUDNN_HEUR_MODE_A, max_compiled, choices, max - max / 4, n_choices);
  last = ask_heuristics (self, CUDNN_HEUR_MODE_FALLBACK, max_compiled, choices, max, n_choices);
  if (*n_choices > 0)
    return UK_OK;
  return best != UK_OK && best != UK_UNSUPPORTED   ? best
         : last != UK_OK && last != UK_UNSUPPORTED ? last : UK_UNSUPPORTED;
}

/* ------------------------------------------------------------------------ */
/* Plans                                                                     */

static void
set_knobs (Builder *self, Descriptor config, const UkCudnnChoice *choice)
{
  Descriptor knobs[UK_CUDNN_MAX_KNOBS];

  for (int i = 0; i < choice->n_knobs; i++)
    {
      cudnnBackendKnobType_t type = (cudnnBackendKnobType_t) choice->knobs[i].type;

      knobs[i] = add_part (self, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
      set (self, knobs[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &type);
      set_int (self, knobs[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, choice->knobs[i].value);
      finalize (self, knobs[i]);
    }
  if (choice->n_knobs > 0)
    set (self, config, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR,
         choice->n_knobs, knobs);
  finalize (self, config);
}

static void
set_engine (UkCudnnPlan *self, const UkCudnnChoice *choice)
{
  const UkCudnnDevice *device = &self->graph->device;
  Builder *b = &self->builder;
  Descriptor engine = add_part (b, CUDNN_BACKEND_ENGINE_DESCRIPTOR), config;

  set_part (b, engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, self->graph->graph);
  set_int (b, engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, choice->engine);
#if CUDNN_VERSION >= 90800
  set_device (b, device, engine, CUDNN_ATTR_ENGINE_DEVICEPROP);
#else
  (void) device;
#endif
  finalize (b, engine);
  if (b->status == CUDNN_STATUS_SUCCESS && !is_engine_allowed (&self->graph->problem, engine))
    b->status = CUDNN_STATUS_NOT_SUPPORTED;
  config = add_part (b, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  set_part (b, config, CUDNN_ATTR_ENGINECFG_ENGINE, engine);
  set_knobs (b, config, choice);
  self->plan = add_part (b, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  set_part (b, self->plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
}

static void
set_json (UkCudnnPlan *self, const char *json)
{
  Builder *b = &self->builder;

  self->plan = add_part (b, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  set (b, self->plan, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
       (int64_t) strlen (json), json);
}

static void
finish_plan (UkCudnnPlan *self)
{
  const UkCudnnDevice *device = &self->graph->device;
  Builder *b = &self->builder;
  int64_t count;

  if (device->handle != NULL)
    set (b, self->plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &device->handle);
#if CUDNN_VERSION >= 90800
  set_device (b, device, self->plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP);
#endif
  finalize (b, self->plan);
  if (b->status == CUDNN_STATUS_SUCCESS)
    b->status = cudnnBackendGetAttribute (self->plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                          CUDNN_TYPE_INT64, 1, &count, &self->workspace_bytes);
}

/* From @json unless it is NULL, else from @choice. */
static UkStatus
make_plan (UkCudnnGraph *graph, const char *json, const UkCudnnChoice *choice, UkCudnnPlan **out)
{
  UkCudnnPlan *self = calloc (1, sizeof *self);
  UkStatus status;

  if (self == NULL)
    return UK_NO_MEMORY;
  self->graph = graph;
  if (json != NULL)
    set_json (self, json);
  else
    set_engine (self, choice);
  finish_plan (self);
  status = status_of (self->builder.status);
  if (status == UK_OK && self->workspace_bytes < 0)
    status = UK_UNSUPPORTED;
  if (status != UK_OK)
    uk_cudnn_plan_free (self);
  else
    *out = self;
  return status;
}

UkStatus
uk_cudnn_plan_new (UkCudnnGraph *graph, const UkCudnnChoice *choice, UkCudnnPlan **out)
{
  return make_plan (graph, NULL, choice, out);
}

UkStatus
uk_cudnn_plan_new_from_json (UkCudnnGraph *graph, const char *json, UkCudnnPlan **out)
{
  return make_plan (graph, json, NULL, out);
}

char *
uk_cudnn_plan_dup_json (const UkCudnnPlan *self)
{
  int64_t size = 0, length = 0;
  char *json;

  if (cudnnBackendGetAttribute (self->plan, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
                                CUDNN_TYPE_CHAR, 0, &size, NULL) != CUDNN_STATUS_SUCCESS
      || size <= 0)
    return NULL;
  json = calloc (1, (size_t) size + 1);
  if (json != NULL
      && cudnnBackendGetAttribute (self->plan, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
                                   CUDNN_TYPE_CHAR, size, &length, json) == CUDNN_STATUS_SUCCESS
      && json[0] != '\0')
    return json;
  free (json);
  return NULL;
}

void
uk_cudnn_plan_free (UkCudnnPlan *self)
{
  if (self == NULL)
    return;
  clear_parts (&self->builder);
  free (self);
}

size_t
uk_cudnn_plan_get_workspace_bytes (const UkCudnnPlan *self)
{
  return (size_t) self->workspace_bytes;
}

UkStatus
uk_cudnn_plan_run (UkCudnnPlan *self, const UkCudnnMemory *memory, void *workspace)
{
  const int64_t ids[] = { IMAGE, FILTER, RESPONSE, BIAS };
  void *pointers[] = { memory->image, memory->filter, memory->response, memory->bias };
  int64_t count = self->graph->problem.is_fused ? 4 : 3;
  Builder builder = { 0 };
  Descriptor pack = add_part (&builder, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);

  set (&builder, pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, ids);
  set (&builder, pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count, pointers);
  set (&builder, pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
  finalize (&builder, pack);
  if (builder.status == CUDNN_STATUS_SUCCESS)
    builder.status = cudnnBackendExecute (self->graph->device.handle, self->plan, pack);
  clear_parts (&builder);
  return builder.status == CUDNN_STATUS_SUCCESS ? UK_OK : UK_DEVICE_ERROR;
}

/* ------------------------------------------------------------------------ */

/* The version at run time, which may differ from the build's. */
void
uk_cuda_get_cudnn_version (char *text, size_t size)
{
  size_t version = cudnnGetVersion (); /* 91900 */

  snprintf (text, size, "%zu.%zu.%zu", version / 10000, version / 100 % 100, version % 100);
}
