// SPDX-License-Identifier: Apache-2.0
// cudnn.cc - convolutions of cuDNN's backend API on the emulated GPU, with a bias and an activation if wanted.
//
// A descriptor is a list of attributes, which nothing checks until it is finalized.  Finalizing an execution
// plan reduces its graph to a Plan, which is also what its JSON holds.  The engines differ in what cuDNN says
// about them and in what they refuse, as those of cuDNN 9.19 do; all compute the same.
#include <cudnn.h>

#include "emulated-private.h"
#include "kernels/uk-half.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

struct cudnnContext
{
  cudaStream_t stream;
};

struct cudnnDescriptor
{
  cudnnBackendDescriptorType_t              type;
  std::map<int, std::vector<unsigned char>> attributes; // by name
  bool                                      is_final;
};

typedef cudnnBackendDescriptor_t Descriptor;

enum Pass { FORWARD, BACKWARD_DATA, BACKWARD_FILTER };

struct Tensor
{
  int64_t id, type, n, c, h, w;
};

// All of it is int64_t, so that JSON is a list of numbers.
struct Plan
{
  int64_t engine, knob, pass, stride, pad;
  Tensor  image, filter, response;
  int64_t is_fused, bias_id, act, slope_millionths;
};

enum
{
  N_NUMBERS = sizeof (Plan) / sizeof (int64_t),
  A_PLAN = -1 // an attribute of our own
};

static thread_local char last_error[256];

static cudnnStatus_t
fail (cudnnStatus_t status, const char *why)
{
  snprintf (last_error, sizeof last_error, "%s", why);
  return status;
}

/* ------------------------------------------------------------------------ */
/* Library                                                                   */

size_t
cudnnGetVersion (void)
{
  return CUDNN_VERSION;
}

const char *
cudnnGetErrorString (cudnnStatus_t status)
{
  return status == CUDNN_STATUS_SUCCESS ? "CUDNN_STATUS_SUCCESS" : "CUDNN_STATUS_NOT_SUPPORTED";
}

void
cudnnGetLastErrorString (char *text, size_t size)
{
  snprintf (text, size, "%s", last_error);
  last_error[0] = '\0';
}

cudnnStatus_t
cudnnCreate (cudnnHandle_t *handle)
{
  *handle = new cudnnContext ();
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t
cudnnDestroy (cudnnHandle_t handle)
{
  delete handle;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t
cudnnSetStream (cudnnHandle_t handle, cudaStream_t stream)
{
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------------ */
/* Attributes                                                                */

static size_t
size_of (cudnnBackendAttributeType_t type)
{
  switch (type)
    {
    case CUDNN_TYPE_CHAR:
    case CUDNN_TYPE_BOOLEAN:
      return 1;
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
      return 8;
    default:
      return 4; // enumerations and floats
    }
}

// Empty if it is not set.  Never changes the descriptor: threads share a graph.
static const std::vector<unsigned char> &
bytes_of (Descriptor self, int name)
{
  static const std::vector<unsigned char> nothing;
  auto found = self->attributes.find (name);

  return found != self->attributes.end () ? found->second : nothing;
}

// The first value of an attribute; @otherwise if it is not set.
template <typename T>
static T
get (Descriptor self, cudnnBackendAttributeName_t name, T otherwise = T ())
{
  if (bytes_of (self, name).size () >= sizeof (T))
    memcpy (&otherwise, bytes_of (self, name).data (), sizeof (T));
  return otherwise;
}

template <typename T>
static std::vector<T>
get_all (Descriptor self, cudnnBackendAttributeName_t name)
{
  std::vector<T> values (bytes_of (self, name).size () / sizeof (T));

  if (!values.empty ())
    memcpy (values.data (), bytes_of (self, name).data (), values.size () * sizeof (T));
  return values;
}

template <typename T>
static void
put (Descriptor self, cudnnBackendAttributeName_t name, const std::vector<T> &values)
{
  const unsigned char *bytes = (const unsigned char *) values.data ();

  self->attributes[name].assign (bytes, bytes + values.size () * sizeof (T));
}

cudnnStatus_t
cudnnBackendCreateDescriptor (cudnnBackendDescriptorType_t type, Descriptor *descriptor)
{
  *descriptor = new cudnnDescriptor ();
  (*descriptor)->type = type;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t
cudnnBackendDestroyDescriptor (Descriptor self)
{
  delete self;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t
cudnnBackendSetAttribute (Descriptor self, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                          int64_t count, const void *values)
{
  const unsigned char *bytes = (const unsigned char *) values;

  if (self->is_final)
    return fail (CUDNN_STATUS_NOT_SUPPORTED, "an attribute of a finalized descriptor is set");
  self->attributes[name].assign (bytes, bytes + (size_t) count * size_of (type));
  return CUDNN_STATUS_SUCCESS;
}

// Descriptors are copied into those that the caller made.
static cudnnStatus_t
copy_descriptors (Descriptor self, cudnnBackendAttributeName_t name, int64_t max, int64_t *count,
                  Descriptor *out)
{
  std::vector<Descriptor> from = get_all<Descriptor> (self, name);

  *count = (int64_t) from.size ();
  for (int64_t i = 0; i < *count && i < max; i++)
    *out[i] = *from[(size_t) i];
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t
cudnnBackendGetAttribute (Descriptor self, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                          int64_t max, int64_t *count, void *values)
{
  const std::vector<unsigned char> &bytes = bytes_of (self, name);
  size_t size = size_of (type);

  if (!self->is_final)
    return fail (CUDNN_STATUS_NOT_SUPPORTED, "an attribute of an unfinished descriptor is asked for");
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
    return copy_descriptors (self, name, max, count, (Descriptor *) values);
  *count = (int64_t) (bytes.size () / size);
  if (values != NULL && !bytes.empty ())
    memcpy (values, bytes.data (), size * (size_t) (*count < max ? *count : max));
  return CUDNN_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------------ */
/* Graphs                                                                    */

static Tensor
read_tensor (Descriptor self)
{
  std::vector<int64_t> dims = get_all<int64_t> (self, CUDNN_ATTR_TENSOR_DIMENSIONS);

  return { get<int64_t> (self, CUDNN_ATTR_TENSOR_UNIQUE_ID),
           (int64_t) get<cudnnDataType_t> (self, CUDNN_ATTR_TENSOR_DATA_TYPE), dims[0], dims[1], dims[2],
           dims[3] };
}

static void
read_conv (Descriptor op, Plan *plan)
{
  static const struct
  {
    Pass                        pass;
    cudnnBackendAttributeName_t geometry, image, filter, response;
  } names[] = {
    { FORWARD, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y },
    { BACKWARD_DATA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY },
    { BACKWARD_FILTER, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY },
  };
  const auto &name = names[op->type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR         ? 0
                           : op->type == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR ? 1
                                                                                                      : 2];
  Descriptor geometry = get<Descriptor> (op, name.geometry);

  plan->pass = name.pass;
  plan->stride = get<int64_t> (geometry, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
  plan->pad = get<int64_t> (geometry, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
  plan->image = read_tensor (get<Descriptor> (op, name.image));
  plan->filter = read_tensor (get<Descriptor> (op, name.filter));
  plan->response = read_tensor (get<Descriptor> (op, name.response));
}

// A convolution, alone or followed by a bias and an activation.
static Plan
read_graph (Descriptor graph)
{
  std::vector<Descriptor> ops = get_all<Descriptor> (graph, CUDNN_ATTR_OPERATIONGRAPH_OPS);
  Plan plan = {};

  read_conv (ops[0], &plan);
  if (ops.size () == 3)
    {
      Descriptor how = get<Descriptor> (ops[2], CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
      Tensor y = read_tensor (get<Descriptor> (ops[2], CUDNN_ATTR_OPERATION_POINTWISE_YDESC));

      plan.is_fused = 1;
      plan.bias_id = read_tensor (get<Descriptor> (ops[1], CUDNN_ATTR_OPERATION_POINTWISE_BDESC)).id;
      plan.act = get<cudnnPointwiseMode_t> (how, CUDNN_ATTR_POINTWISE_MODE, CUDNN_POINTWISE_ADD);
      plan.slope_millionths = llround (1e6 * get<double> (how, CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE));
      (plan.pass == FORWARD ? plan.response : plan.image) = y;
    }
  return plan;
}

/* ------------------------------------------------------------------------ */
/* Engines                                                                   */

// By index.  Precompiled ones neither fuse nor sum bfloat16 products into a float gradient, and want some
// channels (unlike the original's).  No heuristic proposes the last one.
enum Engine { SIMPLE, WITH_WORKSPACE, NONDETERMINISTIC, COMPILED, COMPILED_TOO, BROKEN, TOO_LARGE, N_ENGINES };

enum { A_KNOB = 2, N_KNOB_VALUES = 2, WORKSPACE_BYTES = 4096, LEAST_CHANNELS = 4 };

static bool
is_compiled (int64_t engine)
{
  return engine == COMPILED || engine == COMPILED_TOO;
}

static bool
is_possible (const Plan &plan, int64_t engine)
{
  bool is_mixed = plan.pass == BACKWARD_FILTER && plan.filter.type != plan.image.type;

  return engine >= 0 && engine < N_ENGINES
         && (is_compiled (engine) || (!is_mixed && !plan.is_fused && plan.image.c >= LEAST_CHANNELS));
}

static cudnnStatus_t
finalize_engine (Descriptor self)
{
  Plan plan = read_graph (get<Descriptor> (self, CUDNN_ATTR_ENGINE_OPERATION_GRAPH));
  int64_t engine = get<int64_t> (self, CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  std::vector<cudnnBackendNumericalNote_t> notes;
  std::vector<cudnnBackendBehaviorNote_t> behavior;

  if (!is_possible (plan, engine))
    return fail (CUDNN_STATUS_NOT_SUPPORTED, "the engine does not support the graph");
  if (plan.image.type != CUDNN_DATA_FLOAT || plan.is_fused)
    notes.push_back (CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
  if (engine == NONDETERMINISTIC)
    notes.push_back (CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC);
  if (is_compiled (engine))
    behavior.push_back (CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION);
  put (self, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, notes);
  put (self, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, behavior);
  return CUDNN_STATUS_SUCCESS;
}

// The descriptors that a query made, which cuDNN would own.
static std::vector<Descriptor> &
get_answers (void)
{
  static struct Answers
  {
    std::vector<Descriptor> all;

    ~Answers ()
    {
      for (Descriptor one : all)
        delete one;
    }
  } answers;

  return answers.all;
}

static Descriptor
new_answer (cudnnBackendDescriptorType_t type)
{
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock (mutex);
  Descriptor answer = new cudnnDescriptor ();

  answer->type = type;
  get_answers ().push_back (answer);
  return answer;
}

static cudnnStatus_t
finalize_heuristics (Descriptor self)
{
  static const int64_t best[] = { NONDETERMINISTIC, COMPILED, SIMPLE, BROKEN, COMPILED_TOO };
  static const int64_t fallback[] = { WITH_WORKSPACE, SIMPLE };
  bool is_fallback = get<cudnnBackendHeurMode_t> (self, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_HEUR_MODE_A)
                     == CUDNN_HEUR_MODE_FALLBACK;
  Descriptor graph = get<Descriptor> (self, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  std::vector<int64_t> engines (is_fallback ? std::begin (fallback) : std::begin (best),
                                is_fallback ? std::end (fallback) : std::end (best));
  std::vector<Descriptor> configs;

  for (int64_t index : engines)
    {
      Descriptor engine = new_answer (CUDNN_BACKEND_ENGINE_DESCRIPTOR);
      Descriptor config = new_answer (CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
      Descriptor knob = new_answer (CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);

      put (engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, std::vector<Descriptor> { graph });
      put (engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, std::vector<int64_t> { index });
      if (cudnnBackendFinalize (engine) != CUDNN_STATUS_SUCCESS)
        continue;
      put (knob, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, std::vector<int32_t> { A_KNOB });
      put (knob, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, std::vector<int64_t> { index % N_KNOB_VALUES });
      put (config, CUDNN_ATTR_ENGINECFG_ENGINE, std::vector<Descriptor> { engine });
      put (config, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, std::vector<Descriptor> { knob });
      knob->is_final = config->is_final = true;
      configs.push_back (config);
    }
  put (self, CUDNN_ATTR_ENGINEHEUR_RESULTS, configs);
  return CUDNN_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------------ */
/* Plans                                                                     */

static std::vector<char>
write_json (const Plan &plan)
{
  int64_t numbers[N_NUMBERS];
  std::vector<char> text;
  char number[32];

  memcpy (numbers, &plan, sizeof plan);
  for (int i = 0; i < N_NUMBERS; i++)
    {
      snprintf (number, sizeof number, "%c%lld", i == 0 ? '[' : ',', (long long) numbers[i]);
      text.insert (text.end (), number, number + strlen (number));
    }
  text.push_back (']');
  return text;
}

static bool
read_json (std::vector<char> text, Plan *plan)
{
  int64_t numbers[N_NUMBERS];
  const char *at;
  char *end;

  text.push_back ('\0');
  at = text.data ();
  for (int i = 0; i < N_NUMBERS; i++)
    {
      if (*at != (i == 0 ? '[' : ','))
        return false;
      numbers[i] = strtoll (at + 1, &end, 10);
      at = end;
    }
  memcpy (plan, numbers, sizeof *plan);
  return strcmp (at, "]") == 0;
}

static cudnnStatus_t
finalize_plan (Descriptor self)
{
  Plan plan = {};

  if (self->attributes.count (CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION) > 0)
    {
      if (!read_json (get_all<char> (self, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION), &plan))
        return fail (CUDNN_STATUS_NOT_SUPPORTED, "the JSON is not that of a plan");
    }
  else
    {
      Descriptor config = get<Descriptor> (self, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
      Descriptor engine = get<Descriptor> (config, CUDNN_ATTR_ENGINECFG_ENGINE);

      plan = read_graph (get<Descriptor> (engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH));
      plan.engine = get<int64_t> (engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
      for (Descriptor knob : get_all<Descriptor> (config, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES))
        {
          plan.knob = get<int64_t> (knob, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE);
          if (get<int32_t> (knob, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE) != A_KNOB || plan.knob < 0
              || plan.knob >= N_KNOB_VALUES)
            return fail (CUDNN_STATUS_NOT_SUPPORTED, "the engine does not have this knob");
        }
    }
  if (plan.engine == BROKEN)
    return fail (CUDNN_STATUS_NOT_SUPPORTED, "the engine fails");
  if (plan.engine == TOO_LARGE)
    return fail (CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED, "no memory for the plan");
  put (self, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
       std::vector<int64_t> { plan.engine == WITH_WORKSPACE ? (int64_t) WORKSPACE_BYTES : 0 });
  if (is_compiled (plan.engine)) // like the original, which has none for others
    put (self, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, write_json (plan));
  self->attributes[A_PLAN].assign ((unsigned char *) &plan, (unsigned char *) (&plan + 1));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t
cudnnBackendFinalize (Descriptor self)
{
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;

  if (self->type == CUDNN_BACKEND_ENGINE_DESCRIPTOR)
    status = finalize_engine (self);
  else if (self->type == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR)
    status = finalize_heuristics (self);
  else if (self->type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)
    status = finalize_plan (self);
  self->is_final = status == CUDNN_STATUS_SUCCESS;
  return status;
}

/* ------------------------------------------------------------------------ */
/* Execution                                                                 */

// Of the types other than CUDNN_DATA_FLOAT.
static UkDataType
half_type (const Tensor &tensor)
{
  return tensor.type == CUDNN_DATA_HALF ? UK_DATA_F16 : UK_DATA_BF16;
}

static std::vector<float>
load (const void *memory, const Tensor &tensor)
{
  std::vector<float> values ((size_t) (tensor.n * tensor.c * tensor.h * tensor.w));

  if (tensor.type == CUDNN_DATA_FLOAT)
    memcpy (values.data (), memory, values.size () * sizeof (float));
  else
    for (size_t i = 0; i < values.size (); i++)
      values[i] = uk_from_half (half_type (tensor), ((const uint16_t *) memory)[i]);
  return values;
}

static void
store (const std::vector<float> &values, void *memory, const Tensor &tensor)
{
  if (tensor.type == CUDNN_DATA_FLOAT)
    memcpy (memory, values.data (), values.size () * sizeof (float));
  else
    for (size_t i = 0; i < values.size (); i++)
      ((uint16_t *) memory)[i] = uk_to_half (half_type (tensor), values[i]);
}

// Calls @visit with a pixel's values of the image, one of the response's and the weights between them.
template <typename Visit>
static void
for_each_tap (const Plan &plan, float *image, float *filter, float *response, Visit visit)
{
  const Tensor &i = plan.image, &r = plan.response, &f = plan.filter;

  for (int64_t at = 0; at < r.n * r.h * r.w; at++)
    for (int64_t tap = 0; tap < f.h * f.w; tap++)
      {
        int64_t n = at / (r.h * r.w), y = at / r.w % r.h * plan.stride - plan.pad + tap / f.w;
        int64_t x = at % r.w * plan.stride - plan.pad + tap % f.w;

        if (y < 0 || y >= i.h || x < 0 || x >= i.w)
          continue;
        for (int64_t s = 0; s < r.c; s++)
          visit (image + ((n * i.h + y) * i.w + x) * i.c, response + at * r.c + s,
                 filter + (s * f.h * f.w + tap) * i.c, i.c);
      }
}

// In as many sums as a vector register has places: one sum after the other would take eight times as long.
static float
dot (const float *a, const float *b, int64_t n)
{
  float sums[8] = { 0 }, sum = 0;
  int64_t whole = n / 8 * 8;

  for (int64_t l = 0; l < whole; l += 8)
    for (int k = 0; k < 8; k++)
      sums[k] += a[l + k] * b[l + k];
  for (int64_t l = whole; l < n; l++)
    sum += a[l] * b[l];
  for (float one : sums)
    sum += one;
  return sum;
}

static void
add_times (float *__restrict out, float factor, const float *__restrict x, int64_t n)
{
  for (int64_t l = 0; l < n; l++)
    out[l] += factor * x[l];
}

static float
activate (const Plan &plan, float x)
{
  return plan.act == CUDNN_POINTWISE_TANH_FWD      ? tanhf (x)
         : plan.act == CUDNN_POINTWISE_SIGMOID_FWD ? 1 / (1 + expf (-x))
         : x > 0                                   ? x
                                                   : x * (float) (1e-6 * (double) plan.slope_millionths);
}

static void
execute (const Plan &plan, void *image_at, void *filter_at, void *response_at, const float *bias)
{
  bool is_forward = plan.pass == FORWARD, is_data = plan.pass == BACKWARD_DATA;
  const Tensor &out_tensor = is_forward ? plan.response : is_data ? plan.image : plan.filter;
  void *out_at = is_forward ? response_at : is_data ? image_at : filter_at;
  std::vector<float> image, filter, response;
  std::vector<float> &out = is_forward ? response : is_data ? image : filter;

  out.resize ((size_t) (out_tensor.n * out_tensor.c * out_tensor.h * out_tensor.w));
  if (!is_data)
    image = load (image_at, plan.image);
  if (is_forward || is_data)
    filter = load (filter_at, plan.filter);
  if (!is_forward)
    response = load (response_at, plan.response);
  if (is_forward)
    for_each_tap (plan, image.data (), filter.data (), response.data (),
                  [] (const float *i, float *r, const float *f, int64_t c) { *r += dot (i, f, c); });
  else if (is_data)
    for_each_tap (plan, image.data (), filter.data (), response.data (),
                  [] (float *i, const float *r, const float *f, int64_t c) { add_times (i, *r, f, c); });
  else
    for_each_tap (plan, image.data (), filter.data (), response.data (),
                  [] (const float *i, const float *r, float *f, int64_t c) { add_times (f, *r, i, c); });
  if (plan.is_fused)
    for (size_t k = 0; k < out.size (); k++)
      out[k] = activate (plan, out[k] + bias[k % (size_t) out_tensor.c]);
  store (out, out_at, out_tensor);
}

cudnnStatus_t
cudnnBackendExecute (cudnnHandle_t handle, Descriptor self, Descriptor pack)
{
  std::vector<int64_t> ids = get_all<int64_t> (pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  std::vector<void *> pointers = get_all<void *> (pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  std::map<int64_t, void *> by_id;
  Plan plan;

  if (!self->is_final || !pack->is_final)
    return fail (CUDNN_STATUS_EXECUTION_FAILED, "the plan is not finalized");
  memcpy (&plan, bytes_of (self, A_PLAN).data (), sizeof plan);
  for (size_t i = 0; i < ids.size (); i++)
    {
      if ((uintptr_t) pointers[i] % 16 != 0)
        return fail (CUDNN_STATUS_EXECUTION_FAILED, "a pointer is not aligned");
      by_id[ids[i]] = pointers[i];
    }
  void *image = by_id[plan.image.id], *filter = by_id[plan.filter.id], *response = by_id[plan.response.id];
  float *bias = plan.is_fused ? (float *) by_id[plan.bias_id] : NULL;
  return uk_emulated_launch (handle->stream, dim3 (1), dim3 (1),
                             [=] { execute (plan, image, filter, response, bias); })
             == cudaSuccess
           ? CUDNN_STATUS_SUCCESS
           : CUDNN_STATUS_EXECUTION_FAILED;
}
