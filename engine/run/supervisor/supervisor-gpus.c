/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor-gpus.c - monitors the GPUs that a run trains on: the workers name them, the driver
 * reports their state.
 *
 * Readings are only recorded; a lost GPU is handled by its worker.
 */
#include "run/supervisor/supervisor-private.h"

static void
read_cb (const UrbGpu *gpu, gpointer user_data)
{
  UrbSupervisor *self = user_data;
  urb_recorder_gpu (self->recorder, gpu);
  if (self->observer->gpu != NULL)
    self->observer->gpu (gpu, self->options.user_data);
}

/* Its state is unknown from here on, which is recorded, too. */
static void
lost_cb (const UrbGpu *gpu, const char *why, gpointer user_data)
{
  UrbSupervisor *self = user_data;
  UrbGpu unknown = *gpu;
  unknown.load = URB_GPU_LOAD_UNKNOWN;
  if (gpu->index >= 0)
    read_cb (&unknown, self);
  urb_supervisor_report (self, "warning", "gpu-lost", "The GPU %s (%s) does not respond any more: "
                                                      "%s",
                       gpu->index >= 0 ? gpu->name : "of this run", gpu->pci, why);
}

static const UrbGpuMonitorOps monitor_ops = { .read = read_cb, .lost = lost_cb };

static void
add_cb (JsonArray *array, guint index, JsonNode *node, gpointer user_data)
{
  UrbSupervisor *self = user_data;
  const char *pci = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_string (node) : NULL;
  if (pci == NULL)
    return;
  if (self->gpus == NULL)
    self->gpus = urb_gpu_monitor_new (self->options.gpu_interval_ms, &monitor_ops, self);
  urb_gpu_monitor_add (self->gpus, pci);
}

void
urb_supervisor_watch_gpus (UrbSupervisor *self, JsonObject *ready)
{
  JsonArray *gpus = urb_json_get_array (ready, "pci");
  if (gpus != NULL)
    json_array_foreach_element (gpus, add_cb, self);
}
