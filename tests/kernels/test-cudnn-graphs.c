/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-cudnn-graphs.c - checks which plans cuDNN has for the convolutions of all presets, for GPUs that need
 * not be present: cuDNN can create plans from a device's properties alone.
 *
 * Every convolution must have a plan that is precise enough, deterministic and within the workspace limit,
 * and the plan must be reproducible from its entry in the plan cache, and from its JSON.  Nothing is run.  Kernels compiled at
 * run time are missing, since that needs a driver: among them are most that add a bias and an activation, and
 * all that cuDNN 9.19 has for a float gradient of bfloat16 weights.  Where no plan is left for that, a rounded
 * gradient must have one.
 *
 * With --verbose it prints a table; with -m slow it covers several GPUs and batch sizes.
 */
#include "kernels/cuda/libraries-private.h"
#include "model/networks.h"

#include <string.h>

typedef struct
{
  const char *name;
  int         capability; /* 90 */
  int         n_multiprocessors;
  int         shared_memory_optin, threads_per_multiprocessor, blocks_per_multiprocessor;
  int         clock_khz, memory_clock_khz, l2_bytes;
  gint64      memory_bytes;
  gboolean    has_tensor_types; /* all precisions; else fp32 and fp16 */
} Gpu;

static const Gpu gpus[] = {
  { "NVIDIA H200", 90, 132, 232448, 2048, 32, 1980000, 3201000, 62914560,
    G_GINT64_CONSTANT (150754820096), TRUE },
  { "NVIDIA A100-SXM4-80GB", 80, 108, 166912, 2048, 32, 1410000, 1593000, 41943040,
    G_GINT64_CONSTANT (84987740160), TRUE },
  { "NVIDIA GeForce RTX 2080 Ti", 75, 68, 65536, 1024, 16, 1545000, 7000000, 5767168,
    G_GINT64_CONSTANT (11554717696), FALSE },
};

/* Only the first entry of both lists is used unless tests may be slow: a query takes 20 to 100 ms. */
static const gint64 batches[] = { 32, 1, 256 };

/* The same as in conv-library.c. */
static const gsize MAX_WORKSPACE_BYTES = (gsize) 1 << 30;

/* ------------------------------------------------------------------------ */
/* Devices                                                                   */

/* In cuDNN's own format. */
static char *
gpu_properties (const Gpu *gpu)
{
  return g_strdup_printf (
    "{\"maxGridSize\":[2147483647,65535,65535],\"maxBlockSize\":[1024,1024,64],"
    "\"regsPerBlock\":65536,\"multiProcessorCount\":%d,\"warpSize\":32,"
    "\"maxSharedMemoryPerBlock\":49152,\"maxSharedMemoryPerBlockOptin\":%d,"
    "\"reservedSharedMemoryPerBlock\":%d,\"maxRegistersPerSM\":65536,\"maxCtasPerSM\":%d,"
    "\"maxThreadsPerBlock\":1024,\"maxThreadsPerSM\":%d,\"pciDeviceId\":0,\"isTccDriver\":0,"
    "\"supportCoopLaunch\":1,\"smClockRateKHz\":%d,\"memClockRateKHz\":%d,\"l2CacheSize\":%d,"
    "\"deviceName\":\"%s\",\"deviceVer\":%d,\"driverVer\":13000,\"cudaDeviceId\":0,"
    "\"totalGlobalMem\":%" G_GINT64_FORMAT "}",
    gpu->n_multiprocessors, gpu->shared_memory_optin, gpu->capability >= 80 ? 1024 : 0,
    gpu->blocks_per_multiprocessor, gpu->threads_per_multiprocessor, gpu->clock_khz,
    gpu->memory_clock_khz, gpu->l2_bytes, gpu->name, gpu->capability * 10, gpu->memory_bytes);
}

/* False, with the test skipped, if this cuDNN version does not support it. */
static gboolean
open_gpu (const Gpu *gpu, UkCudnnDevice *out)
{
#if defined(__SANITIZE_ADDRESS__)
  (void) gpu;
  (void) gpu_properties;
  (void) out;
  g_test_skip ("cuDNN loads libraries and forgets them, which a sanitizer takes for leaks");
  return FALSE;
#elif CUDNN_VERSION >= 90800
  g_autofree char *text = gpu_properties (gpu);

  *out = (UkCudnnDevice) { 0 };
  g_assert_cmpint (cudnnBackendCreateDescriptor (CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR,
                                                 &out->properties),
                   ==, CUDNN_STATUS_SUCCESS);
  g_assert_cmpint (cudnnBackendSetAttribute (out->properties,
                                             CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
                                             CUDNN_TYPE_CHAR, (gint64) strlen (text), text),
                   ==, CUDNN_STATUS_SUCCESS);
  if (cudnnBackendFinalize (out->properties) == CUDNN_STATUS_SUCCESS)
    return TRUE;
  cudnnBackendDestroyDescriptor (out->properties);
  g_test_skip ("this cuDNN does not know that device");
  return FALSE;
#else
  (void) gpu;
  (void) gpu_properties;
  (void) out;
  g_test_skip ("this cuDNN makes no plans without a device");
  return FALSE;
#endif
}

/* ------------------------------------------------------------------------ */
/* Problems                                                                  */

static gboolean
is_known (GArray *descs, const UkOpDesc *desc)
{
  for (guint i = 0; i < descs->len; i++)
    {
      const UkOpDesc *other = &g_array_index (descs, UkOpDesc, i);

      if (memcmp (&other->x, &desc->x, sizeof desc->x) == 0
          && memcmp (&other->y, &desc->y, sizeof desc->y) == 0 && other->kernel == desc->kernel
          && other->stride == desc->stride && other->transposed == desc->transposed
          && other->act == desc->act)
        return TRUE;
    }
  return FALSE;
}

static void
add_net (GArray *descs, const UrbNet *net, gint64 n)
{
  for (int i = 0; i < urb_net_get_n_layers (net); i++)
    {
      UkOpDesc desc = urb_net_get_forward_desc (net, i, n);

      if (desc.kind == UK_OP_CONV && !is_known (descs, &desc))
        g_array_append_val (descs, desc);
    }
}

/* The distinct forward convolutions of all presets. */
static GArray *
find_convs (gint64 n)
{
  GArray *descs = g_array_new (FALSE, FALSE, sizeof (UkOpDesc));
  g_auto(GStrv) names = urb_preset_list ();

  for (guint i = 0; names[i] != NULL; i++)
    for (int n_channels = g_test_slow () ? 1 : 3; n_channels <= 3; n_channels += 2)
      {
        g_autoptr(GError) error = NULL;
        g_autoptr(UrbPreset) preset = urb_preset_load (names[i], &error);
        g_autoptr(UrbNet) g = NULL, d = NULL;

        g_assert_no_error (error);
        g = urb_preset_build_generator (preset, n_channels, FALSE, &error);
        g_assert_no_error (error);
        d = urb_preset_build_discriminator (preset, n_channels, FALSE, &error);
        g_assert_no_error (error);
        add_net (descs, g, n);
        add_net (descs, d, n);
      }
  g_assert_cmpuint (descs->len, >, 20);
  return descs;
}

static UkCudnnProblem
problem_of (UkOpDesc desc, UkOpKind kind, UkPrecision precision)
{
  UkConvShape shape;

  desc.kind = kind;
  shape = uk_conv_shape_of (&desc);
  return (UkCudnnProblem) {
    .pass = shape.way == UK_CONV_GATHER    ? UK_CUDNN_FORWARD
            : shape.way == UK_CONV_SCATTER ? UK_CUDNN_BACKWARD_DATA
                                           : UK_CUDNN_BACKWARD_FILTER,
    .image = shape.large,
    .response = shape.small,
    .kernel = shape.kernel,
    .stride = shape.stride,
    .pad = shape.pad,
    .type = uk_data_type_of (precision),
    .allows_tf32 = precision == UK_TF32,
    .act = desc.act,
    .slope = desc.slope,
  };
}

/* ------------------------------------------------------------------------ */
/* Plans                                                                     */

typedef struct
{
  bool  has_graph;
  int   n_choices, n_plans;
  gsize best_bytes;  /* working memory of the first plan */
  gsize least_bytes;
} Count;

/* A plan rebuilt from its cache entry is the same. */
static void
check_remembered (UkCudnnGraph *graph, const UkCudnnChoice *choice, gsize workspace_bytes)
{
  char text[UK_PLAN_CACHE_MAX_TEXT];
  UkCudnnChoice again;
  UkCudnnPlan *plan = NULL;
  gsize n_bytes;
  int variant;

  uk_cudnn_choice_write (choice, 1, workspace_bytes, text);
  g_assert_true (uk_cudnn_choice_read (text, &again, &variant, &n_bytes));
  g_assert_cmpint (variant, ==, 1);
  g_assert_cmpuint (n_bytes, ==, workspace_bytes);
  g_assert_cmpint (again.is_compiled, ==, choice->is_compiled);
  g_assert_cmpint (again.engine, ==, choice->engine);
  g_assert_cmpint (again.n_knobs, ==, choice->n_knobs);
  g_assert_cmpint (uk_cudnn_plan_new (graph, &again, &plan), ==, UK_OK);
  g_assert_cmpuint (uk_cudnn_plan_get_workspace_bytes (plan), ==, workspace_bytes);
  uk_cudnn_plan_free (plan);
}

/* Several threads make plans of one graph, and each plan can be made again from its JSON. */
typedef struct
{
  UkCudnnGraph  *graph;
  UkCudnnChoice *choice;
} Order;

static gpointer
make_plan (gpointer data)
{
  Order *order = data;
  UkCudnnPlan *plan = NULL, *again = NULL;
  char *json;

  if (uk_cudnn_plan_new (order->graph, order->choice, &plan) != UK_OK)
    return NULL;
  json = uk_cudnn_plan_dup_json (plan);
  g_assert_nonnull (json);
  g_assert_cmpint (uk_cudnn_plan_new_from_json (order->graph, json, &again), ==, UK_OK);
  g_assert_cmpuint (uk_cudnn_plan_get_workspace_bytes (again), ==, uk_cudnn_plan_get_workspace_bytes (plan));
  uk_cudnn_plan_free (again);
  json[strlen (json) / 2] = '\0';
  g_assert_cmpint (uk_cudnn_plan_new_from_json (order->graph, json, &again), ==, UK_UNSUPPORTED);
  free (json);
  return plan;
}

static void
test_threads (void)
{
  UkShape image = { 32, 64, 64, 64 }, response = { 32, 32, 32, 128 };
  UkCudnnProblem problem = { .image = image, .response = response, .kernel = 4, .stride = 2, .pad = 1,
                             .type = UK_DATA_BF16 };
  UkCudnnDevice device;
  UkCudnnGraph *graph = NULL;
  UkCudnnChoice choices[8];
  Order orders[G_N_ELEMENTS (choices)];
  GThread *threads[G_N_ELEMENTS (choices)];
  int n_choices, n_plans = 0;

  if (!open_gpu (&gpus[0], &device))
    return;
  g_assert_cmpint (uk_cudnn_graph_new (&device, &problem, &graph), ==, UK_OK);
  g_assert_cmpint (uk_cudnn_graph_get_choices (graph, 0, choices, G_N_ELEMENTS (choices), &n_choices), ==, UK_OK);
  for (int i = 0; i < n_choices; i++)
    {
      orders[i] = (Order) { graph, &choices[i] };
      threads[i] = g_thread_new ("plan", make_plan, &orders[i]);
    }
  for (int i = 0; i < n_choices; i++)
    {
      UkCudnnPlan *plan = g_thread_join (threads[i]);

      n_plans += plan != NULL;
      uk_cudnn_plan_free (plan);
    }
  g_assert_cmpint (n_plans, >, 1);
  uk_cudnn_graph_free (graph);
  cudnnBackendDestroyDescriptor (device.properties);
}

static Count
count_plans (const UkCudnnDevice *device, const UkCudnnProblem *problem)
{
  Count count = { .least_bytes = G_MAXSIZE };
  UkCudnnChoice choices[16];
  UkCudnnGraph *graph = NULL;
  UkStatus status;

  if (uk_cudnn_graph_new (device, problem, &graph) != UK_OK)
    return count;
  count.has_graph = true;
  status = uk_cudnn_graph_get_choices (graph, 0, choices, G_N_ELEMENTS (choices), &count.n_choices);
  g_assert_cmpint (status, ==, count.n_choices > 0 ? UK_OK : UK_UNSUPPORTED);
  for (int i = 0; i < count.n_choices; i++)
    {
      UkCudnnPlan *plan = NULL;
      gsize bytes;

      if (uk_cudnn_plan_new (graph, &choices[i], &plan) != UK_OK)
        continue;
      bytes = uk_cudnn_plan_get_workspace_bytes (plan);
      if (count.n_plans++ == 0)
        count.best_bytes = bytes;
      if (count.least_bytes > MAX_WORKSPACE_BYTES && bytes <= MAX_WORKSPACE_BYTES) /* others are not stored */
        check_remembered (graph, &choices[i], bytes);
      count.least_bytes = MIN (count.least_bytes, bytes);
      uk_cudnn_plan_free (plan);
    }
  uk_cudnn_graph_free (graph);
  return count;
}

static void
check_conv (const UkCudnnDevice *device, const UkOpDesc *desc, UkOpKind kind,
            UkPrecision precision)
{
  UkCudnnProblem problem = problem_of (*desc, kind, precision), fused = problem;
  Count count = count_plans (device, &problem), fused_count = { 0 };
  g_autofree char *what = g_strdup_printf (
    "%-10s %s %4dx%dx%dx%-4d -> %dx%dx%-4d k%d s%d%s", uk_op_info (kind)->name,
    uk_precision_name (precision), (int) desc->x.n, (int) desc->x.h, (int) desc->x.w,
    (int) desc->x.c, (int) desc->y.h, (int) desc->y.w, (int) desc->y.c, desc->kernel,
    desc->stride, desc->transposed ? " transposed" : "");

  /* Like conv-library.c. */
  if (count.n_plans == 0 && problem.type != UK_DATA_F32 && kind == UK_OP_CONV_WGRAD)
    {
      g_assert_true (count.has_graph);
      problem.is_gradient_rounded = true;
      count = count_plans (device, &problem);
    }
  fused.is_fused = kind == UK_OP_CONV && desc->act != UK_ACT_NONE && desc->act != UK_ACT_SOFTMAX;
  if (fused.is_fused && g_test_slow ())
    fused_count = count_plans (device, &fused);
  if (g_test_verbose ())
    g_test_message ("%-66s %2d of %2d plans, first %8.1f, least %8.1f MB, fused %d%s", what,
                    count.n_plans, count.n_choices, (double) count.best_bytes / 1e6,
                    (double) count.least_bytes / 1e6, fused_count.n_plans,
                    problem.is_gradient_rounded ? ", rounded" : "");
  if (count.n_plans == 0)
    g_error ("%s: there is no plan", what);
  if (count.least_bytes > MAX_WORKSPACE_BYTES)
    g_error ("%s: the smallest plan asks for %zu bytes", what, count.least_bytes);
}

static void
test_presets (gconstpointer data)
{
  static const UkOpKind kinds[] = { UK_OP_CONV, UK_OP_CONV_DGRAD, UK_OP_CONV_WGRAD };
  const Gpu *gpu = data;
  UkCudnnDevice device;

  if (gpu != &gpus[0] && !g_test_slow ())
    {
      g_test_skip ("it takes long; use -m slow");
      return;
    }
  if (!open_gpu (gpu, &device))
    return;
  for (guint b = 0; b < (g_test_slow () ? G_N_ELEMENTS (batches) : 1); b++)
    {
      g_autoptr(GArray) descs = find_convs (batches[b]);

      for (int precision = UK_FP32; precision < UK_N_PRECISIONS; precision++)
        for (guint i = 0; i < descs->len; i++)
          for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
            if (gpu->has_tensor_types || precision == UK_FP32 || precision == UK_FP16)
              check_conv (&device, &g_array_index (descs, UkOpDesc, i), kinds[k],
                          (UkPrecision) precision);
    }
  cudnnBackendDestroyDescriptor (device.properties);
}

/* ------------------------------------------------------------------------ */
/* Invalid choices                                                           */

/* Cache text that is invalid, or names something that the graph does not have. */
static void
test_hostile_choices (void)
{
  static const char *const not_choices[] = {
    "", " ", "0", "0 ", "x", "none", "0 0 0", "0 0 0 ", "2 0 0 1", "-1 0 0 1", "0 -1 0 1", "0 0 2 1",
    "0 0 -1 1", "0 0 0 -1", "0 0 0 1 2", "0 0 0 1 2=", "0 0 0 1 =3", "0 0 0 1 2=3=4", "0 0 0 1 2=x",
    "0 0 0 1  2=3", "0 0 0 99999999999999999999", "0 99999999999999999999 0 1", "0 0 0 1 44=1",
    "0 0 0 1 2=99999999999999", "1\t2",
  };
  static const char *const impossible[] = {
    "0 0 0 1073741824", "0 0 0 100000", "0 0 0 0 43=1073741824", "0 0 0 0 2=7 2=8 2=9",
    "0 0 0 67 2=1073741824", "0 0 0 67 12=1073741824 2=5", "1 0 0 999 0=0",
  };
  UkShape image = { 2, 16, 16, 16 }, response = { 2, 8, 8, 16 };
  UkCudnnProblem problem = { .image = image, .response = response, .kernel = 4, .stride = 2,
                             .pad = 1 };
  UkCudnnDevice device;
  UkCudnnGraph *graph = NULL;
  UkCudnnChoice choice;
  gsize n_bytes;
  int variant;

  for (guint i = 0; i < G_N_ELEMENTS (not_choices); i++)
    g_assert_false (uk_cudnn_choice_read (not_choices[i], &choice, &variant, &n_bytes));
  if (!open_gpu (&gpus[0], &device))
    return;
  g_assert_cmpint (uk_cudnn_graph_new (&device, &problem, &graph), ==, UK_OK);
  for (guint i = 0; i < G_N_ELEMENTS (impossible); i++)
    {
      UkCudnnPlan *plan = NULL;

      g_assert_true (uk_cudnn_choice_read (impossible[i], &choice, &variant, &n_bytes));
      g_assert_cmpint (uk_cudnn_plan_new (graph, &choice, &plan), ==, UK_UNSUPPORTED);
    }
  uk_cudnn_graph_free (graph);
  cudnnBackendDestroyDescriptor (device.properties);
}

/* With fp32 an engine with tensor cores is rejected even if the cache names it. */
static void
test_precision (void)
{
  UkShape image = { 32, 64, 64, 64 }, response = { 32, 32, 32, 128 };
  UkCudnnProblem problem = { .image = image, .response = response, .kernel = 4, .stride = 2,
                             .pad = 1, .allows_tf32 = true };
  UkCudnnDevice device;
  UkCudnnGraph *loose = NULL, *strict = NULL;
  UkCudnnChoice choices[8];
  UkCudnnPlan *plan = NULL;
  int n_choices, n_refused = 0;

  if (!open_gpu (&gpus[0], &device))
    return;
  g_assert_cmpint (uk_cudnn_graph_new (&device, &problem, &loose), ==, UK_OK);
  problem.allows_tf32 = false;
  g_assert_cmpint (uk_cudnn_graph_new (&device, &problem, &strict), ==, UK_OK);
  g_assert_cmpint (uk_cudnn_graph_get_choices (loose, 0, choices, G_N_ELEMENTS (choices), &n_choices),
                   ==, UK_OK);
  for (int i = 0; i < n_choices; i++)
    if (uk_cudnn_plan_new (strict, &choices[i], &plan) == UK_OK)
      uk_cudnn_plan_free (plan);
    else
      n_refused++;
  g_assert_cmpint (n_refused, >, 0);
  uk_cudnn_graph_free (strict);
  uk_cudnn_graph_free (loose);
  cudnnBackendDestroyDescriptor (device.properties);
}

/* In the usual notation. */
static void
test_version (void)
{
  char text[32];

  uk_cuda_get_cudnn_version (text, sizeof text);
  g_assert_true (g_regex_match_simple ("^9\\.\\d+\\.\\d+$", text, 0, 0));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cudnn-graphs/version", test_version);
  g_test_add_func ("/cudnn-graphs/hostile-choices", test_hostile_choices);
  g_test_add_func ("/cudnn-graphs/precision", test_precision);
  g_test_add_func ("/cudnn-graphs/threads", test_threads);
  for (guint i = 0; i < G_N_ELEMENTS (gpus); i++)
    {
      g_autofree char *path = g_strdup_printf ("/cudnn-graphs/presets/%d", gpus[i].capability);

      g_test_add_data_func (path, &gpus[i], test_presets);
    }
  return g_test_run ();
}
