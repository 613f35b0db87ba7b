/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/engine-query.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/base/engine-program.h"
#include "run/store/json-line.h"

static void
gpu_free (gpointer data)
{
  UrbariumGpu *self = data;
  g_free (self->name);
  g_free (self->pci);
  g_free (self->device);
  g_free (self->reason);
  g_free (self);
}

void
urbarium_devices_free (UrbariumDevices *self)
{
  g_free (self->cpu_model);
  g_free (self->isa);
  g_ptr_array_unref (self->gpus);
  g_free (self->gpus_why);
  g_strfreev (self->strategies);
  g_clear_pointer (&self->strategies_why, g_hash_table_unref);
  g_free (self);
}

const UrbariumGpu *
urbarium_devices_find_gpu (const UrbariumDevices *self, const char *name)
{
  for (guint i = 0; i < self->gpus->len; i++)
    {
      const UrbariumGpu *gpu = g_ptr_array_index (self->gpus, i);
      if (gpu->device != NULL && g_str_equal (gpu->device, name))
        return gpu;
    }
  return NULL;
}

static gint64
get_int (JsonObject *object, const char *name)
{
  return urb_json_get_int (object, name, 0);
}

static char *
dup_string (JsonObject *object, const char *name)
{
  return g_strdup (urb_json_get_string (object, name, NULL));
}

/* The output is checked like any other input: the engine may be of another version. */
static JsonObject *
finish (GAsyncResult *result, GError **error)
{
  g_autofree char *text = urbarium_engine_program_run_finish (result, error);
  JsonObject *object = text == NULL ? NULL : urb_json_parse_line (text, strlen (text), NULL);
  if (text != NULL && object == NULL)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                         _ ("urbarium-engine sent an unexpected reply. Its version may differ "
                            "from this window’s; reinstall both."));
  return object;
}

void
urbarium_engine_query_devices_async (GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data)
{
  const char *const args[] = { "devices", "--json", NULL };
  urbarium_engine_program_run_async (args, NULL, cancellable, callback, user_data);
}

static void
add_gpu (JsonArray *array, guint index, JsonNode *node, gpointer data)
{
  UrbariumDevices *self = data;
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  UrbariumGpu *gpu;
  if (object == NULL)
    return;
  gpu = g_new0 (UrbariumGpu, 1);
  gpu->name = dup_string (object, "name");
  gpu->device = dup_string (object, "device");
  gpu->pci = dup_string (object, "pci");
  gpu->reason = dup_string (object, "reason");
  gpu->capability = (int) CLAMP (get_int (object, "capability"), 0, 1000);
  gpu->has_bf16 = urb_json_get_bool (object, "bf16", FALSE);
  gpu->memory_bytes = get_int (object, "memory_bytes");
  gpu->free_bytes = get_int (object, "memory_available_bytes");
  g_ptr_array_add (self->gpus, gpu);
}

static void
add_strategy (JsonArray *array, guint index, JsonNode *node, gpointer data)
{
  const char *name = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_string (node) : NULL;
  if (name != NULL)
    g_strv_builder_add (data, name);
}

static void
add_why (JsonObject *object, const char *name, JsonNode *node, gpointer data)
{
  const char *why = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_string (node) : NULL;
  if (why != NULL)
    g_hash_table_insert (data, g_strdup (name), g_strdup (why));
}

static void
read_strategies (UrbariumDevices *self, JsonObject *object)
{
  JsonArray *array = urb_json_get_array (object, "strategies");
  JsonObject *why = urb_json_get_object (object, "strategies_why");
  g_autoptr(GStrvBuilder) names = g_strv_builder_new ();
  if (array == NULL)
    return;
  json_array_foreach_element (array, add_strategy, names);
  self->strategies = g_strv_builder_end (names);
  self->strategies_why = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  if (why != NULL)
    json_object_foreach_member (why, add_why, self->strategies_why);
}

static UrbariumDevices *
read_devices (JsonObject *object)
{
  UrbariumDevices *self = g_new0 (UrbariumDevices, 1);
  JsonObject *cpu = urb_json_get_object (object, "cpu");
  JsonArray *array = urb_json_get_array (object, "gpus");
  self->cpu_model = dup_string (cpu, "model");
  self->isa = dup_string (cpu, "isa");
  self->n_cores = MAX ((int) get_int (cpu, "cores"), 1);
  self->has_bf16 = urb_json_get_bool (cpu, "bf16", FALSE);
  self->memory_bytes = get_int (object, "memory_bytes");
  self->available_bytes = get_int (object, "memory_available_bytes");
  self->gpus = g_ptr_array_new_with_free_func (gpu_free);
  if (array != NULL)
    json_array_foreach_element (array, add_gpu, self);
  self->gpus_why = dup_string (object, "gpus_why");
  read_strategies (self, object);
  return self;
}

UrbariumDevices *
urbarium_engine_query_devices_finish (GAsyncResult *result, GError **error)
{
  g_autoptr(JsonObject) object = finish (result, error);
  return object != NULL ? read_devices (object) : NULL;
}

static void
host_answer_free (gpointer data)
{
  UrbariumHostAnswer *self = data;
  g_free (self->details);
  g_clear_pointer (&self->devices, urbarium_devices_free);
  g_free (self);
}

void
urbarium_engine_query_hosts_async (const GPtrArray *hosts, const char *dataset, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data)
{
  g_autofree char *text = urb_hosts_to_text (hosts);
  const char *const args[] = { "devices", "--json", "--hosts", "-", dataset != NULL ? "--dataset" : NULL, dataset,
                               NULL };
  urbarium_engine_program_run_async (args, text, cancellable, callback, user_data);
}

static void
add_host (JsonArray *array, guint index, JsonNode *node, gpointer data)
{
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  JsonObject *devices = urb_json_get_object (object, "devices");
  UrbariumHostAnswer *answer = g_new0 (UrbariumHostAnswer, 1);
  answer->problem = urb_host_problem_find (urb_json_get_string (object, "problem", NULL));
  answer->details = dup_string (object, "details");
  answer->lacks_dataset = g_str_equal (urb_json_get_string (object, "dataset", ""), "missing");
  answer->devices = devices != NULL ? read_devices (devices) : NULL;
  g_ptr_array_add (data, answer);
}

GPtrArray *
urbarium_engine_query_hosts_finish (GAsyncResult *result, GError **error)
{
  g_autoptr(JsonObject) object = finish (result, error);
  JsonArray *array = urb_json_get_array (object, "hosts");
  g_autoptr(GPtrArray) answers = g_ptr_array_new_with_free_func (host_answer_free);
  if (object == NULL)
    return NULL;
  if (array != NULL)
    json_array_foreach_element (array, add_host, answers);
  return g_steal_pointer (&answers);
}

/* @args: (array zero-terminated=1)
 * @hosts: (nullable) */
static void
run (const char *const *args, const UrbTrainOptions *options, const char *hosts, GCancellable *cancellable,
     GAsyncReadyCallback callback, gpointer user_data)
{
  g_auto(UrbRunConfig) config = { 0 };
  g_autofree char *text = NULL;
  urb_run_config_init (&config);
  urb_train_options_clear (&config.train);
  urb_train_options_copy (&config.train, options);
  config.hosts = g_strdup (hosts);
  text = urb_run_config_to_text (&config);
  urbarium_engine_program_run_async (args, text, cancellable, callback, user_data);
}

void
urbarium_engine_query_plan_async (const UrbTrainOptions *options, const char *hosts, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data)
{
  static const char *const args[] = { "plan", "--json", "--config", "-", NULL };
  run (args, options, hosts, cancellable, callback, user_data);
}

/* What does not fit into @out ends in an ellipsis. */
static void
copy_layers (const char *layers, char *out, gsize n_bytes)
{
  gsize n_chars = (n_bytes - 1) / 4; /* of up to four bytes */
  g_utf8_strncpy (out, layers, n_chars);
  if (g_utf8_strlen (layers, -1) > (glong) n_chars)
    strcpy (g_utf8_offset_to_pointer (out, (glong) n_chars - 1), "…");
}

static void
read_ranks (UrbariumPlan *self, JsonArray *ranks)
{
  static const char *const names[] = { "weights", "optimizer", "work", "other" };
  self->n_ranks = ranks == NULL ? 0 : (int) json_array_get_length (ranks);
  for (int r = 0; r < MIN (self->n_ranks, URBARIUM_PLAN_RANKS); r++)
    {
      JsonNode *node = json_array_get_element (ranks, (guint) r);
      if (!JSON_NODE_HOLDS_OBJECT (node))
        continue;
      for (int i = 0; i < URBARIUM_N_MEMORIES; i++)
        self->ranks[r][i] = MAX (get_int (json_node_get_object (node), names[i]), 0);
      copy_layers (urb_json_get_string (json_node_get_object (node), "layers", ""), self->layers[r],
                   sizeof self->layers[r]);
    }
}

UrbariumPlan *
urbarium_engine_query_plan_finish (GAsyncResult *result, GError **error)
{
  g_autoptr(JsonObject) object = finish (result, error);
  JsonObject *memory;
  UrbariumPlan *self;
  if (object == NULL)
    return NULL;
  /* Of all ranks, if reported. */
  memory = urb_json_get_object (urb_json_get_object (object, "preflight"), "memory");
  self = g_new0 (UrbariumPlan, 1);
  self->size_px = (int) get_int (object, "size_px");
  self->n_channels = (int) get_int (object, "channels");
  self->batch = (int) get_int (object, "batch");
  self->n_params_g = get_int (object, "parameters_g");
  self->n_params_refiner = get_int (object, "parameters_refiner");
  self->n_params_d = get_int (object, "parameters_d");
  self->bytes_shared = get_int (urb_json_get_object (object, "preflight"), "bytes_shared");
  read_ranks (self, urb_json_get_array (urb_json_get_object (object, "preflight"), "rank_memory"));
  self->bytes_rank = get_int (urb_json_get_object (urb_json_get_object (object, "preflight"), "rank-memory"), "needed");
  self->bytes_total = get_int (object, "bytes_total");
  if (get_int (memory, "needed") > 0)
    self->bytes_total = get_int (memory, "needed");
  self->bytes_available
    = urb_json_get_int (memory, "available", get_int (object, "bytes_available"));
  return self;
}

void
urbarium_engine_query_speed_async (const UrbTrainOptions *options, int n_steps,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  g_autofree char *steps = g_strdup_printf ("%d", n_steps);
  const char *const args[] = { "bench", "--json", "--config", "-", "--steps", steps, NULL };
  run (args, options, NULL, cancellable, callback, user_data);
}

double
urbarium_engine_query_speed_finish (GAsyncResult *result, GError **error)
{
  g_autoptr(JsonObject) object = finish (result, error);
  return urb_json_get_double (object, "images_per_second", 0);
}

void
urbarium_engine_query_layers_async (const UrbTrainOptions *options, int n_steps, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data)
{
  g_autofree char *steps = g_strdup_printf ("%d", n_steps);
  const char *const args[] = { "bench", "--json", "--profile", "--config", "-", "--steps", steps, NULL };
  run (args, options, NULL, cancellable, callback, user_data);
}

GHashTable *
urbarium_engine_query_layers_finish (GAsyncResult *result, GError **error)
{
  g_autoptr(JsonObject) object = finish (result, error);
  JsonArray *array = object == NULL ? NULL : urb_json_get_array (object, "layers");
  double total = urb_json_get_double (object, "profiled_seconds", 0);
  GHashTable *shares;
  if (object == NULL)
    return NULL;
  shares = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; array != NULL && total > 0 && i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      JsonObject *layer = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
      double share = urb_json_get_double (layer, "seconds", 0) / total;
      g_hash_table_replace (shares, g_strdup_printf ("%s.%d", urb_json_get_string (layer, "net", ""),
                                                     (int) get_int (layer, "layer")),
                            g_memdup2 (&share, sizeof share));
    }
  return shares;
}

void
urbarium_strategies_free (UrbariumStrategies *self)
{
  g_free (self);
}

void
urbarium_engine_query_strategies_async (const UrbTrainOptions *options, UrbariumStrategiesHow how,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data)
{
  const char *const args[] = { "plan", "--json", "--config", "-", "--recommend",
                               how == URBARIUM_STRATEGIES_ESTIMATE ? "--estimate" : NULL, NULL };
  g_auto(UrbTrainOptions) any = { 0 };
  g_autoptr(GArray) gpus = NULL;
  urb_train_options_copy (&any, options);
  /* The engine sets them; here, they go with the GPUs. */
  gpus = urb_device_parse_gpus (any.backend, NULL);
  any.n_ranks = gpus != NULL ? (int) MAX (gpus->len, 1) : 1;
  any.strategy = any.n_ranks > 1 ? URB_STRATEGY_DDP : URB_STRATEGY_SINGLE;
  run (args, &any, NULL, cancellable, callback, user_data);
}

static void
add_candidate (JsonArray *array, guint index, JsonNode *node, gpointer data)
{
  UrbariumStrategies *self = data;
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  JsonObject *forecast = urb_json_get_object (object, "forecast");
  double speed = urb_json_get_double (forecast, "images_per_second", 0);
  UrbMesh mesh = { 1, 1, 1 };
  UrbStrategy strategy;
  int n_ranks = 1;
  urb_mesh_parse (urb_json_get_string (object, "mesh", NULL), &mesh, NULL);
  if (object == NULL
      || !urb_strategy_parse (urb_json_get_string (object, "strategy", ""), &strategy, &n_ranks, NULL))
    return;
  if (speed > self->of[strategy].images_per_s)
    self->of[strategy] = (UrbariumStrategyForecast) {
      .images_per_s = speed, .bytes_most = get_int (object, "bytes_most"),
      .n_ranks = (int) get_int (object, "ranks"), .accumulate = (int) get_int (object, "accumulate"),
      .mesh = mesh, .measured = urb_json_get_bool (forecast, "measured", FALSE) };
  if (urb_json_get_bool (object, "recommended", FALSE))
    self->best = strategy;
}

UrbariumStrategies *
urbarium_engine_query_strategies_finish (GAsyncResult *result, GError **error)
{
  g_autoptr(JsonObject) object = finish (result, error);
  JsonArray *array = object == NULL ? NULL : urb_json_get_array (object, "candidates");
  UrbariumStrategies *self;
  if (object == NULL)
    return NULL;
  self = g_new0 (UrbariumStrategies, 1);
  if (array != NULL)
    json_array_foreach_element (array, add_candidate, self);
  return self;
}
