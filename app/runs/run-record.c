/* SPDX-License-Identifier: Apache-2.0 */
#include "app/runs/run-record.h"

#include <math.h>
#include <string.h>

static UrbRunRecordType
read_type (JsonObject *line)
{
  static const char *const names[] = {
    [URB_RUN_RECORD_SESSION] = "session", [URB_RUN_RECORD_STEP] = "step",
    [URB_RUN_RECORD_SAMPLE] = "sample",   [URB_RUN_RECORD_CHECKPOINT] = "checkpoint",
    [URB_RUN_RECORD_WORKER] = "worker",   [URB_RUN_RECORD_EVENT] = "event",
    [URB_RUN_RECORD_GPU] = "gpu",         [URB_RUN_RECORD_SCORE] = "score",
    [URB_RUN_RECORD_ENERGY] = "energy",
  };
  const char *type = urb_json_get_string (line, "type", "");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (type, names[i]) == 0)
      return (UrbRunRecordType) i;
  return URB_RUN_RECORD_OTHER;
}

static void
read_texts (UrbRunRecord *self, JsonObject *line, const char *const keys[3])
{
  for (int i = 0; i < 3 && keys[i] != NULL; i++)
    self->texts[i] = urb_json_get_string (line, keys[i], "");
}

static void
read_gpu (UrbRunRecord *self, JsonObject *line)
{
  static const char *const keys[3] = { "name", "pci" };
  read_texts (self, line, keys);
  self->device = urb_json_get_int (line, "device", 0);
  self->load = (UrbGpuLoad){
    .memory_used_bytes = urb_json_get_int (line, "memory_used_bytes", -1),
    .memory_bytes = urb_json_get_int (line, "memory_bytes", -1),
    .utilization_percent = urb_json_get_double (line, "utilization_percent", NAN),
    .power_w = urb_json_get_double (line, "power_w", NAN),
    .temperature_c = urb_json_get_double (line, "temperature_c", NAN),
  };
}

void
urbarium_record_read (UrbRunRecord *self, JsonObject *line)
{
  static const char *const file_keys[3] = { "file" };
  static const char *const worker_keys[3] = { "state", "text" };
  static const char *const event_keys[3] = { "level", "code", "text" };
  *self = (UrbRunRecord){
    .type = read_type (line),
    .seq = urb_json_get_int (line, "seq", -1),
    .time = urb_json_get_double (line, "time", 0),
    .step = urb_json_get_int (line, "step", 0),
  };
  switch (self->type)
    {
    case URB_RUN_RECORD_STEP:
      self->metrics.images = urb_json_get_int (line, "images", 0);
      self->metrics.seconds = urb_json_get_double (line, "seconds", 0);
      for (int i = 0; i < URB_N_METRICS; i++)
        self->metrics.values[i] = urb_json_get_double (line, urb_step_metric_names[i], NAN);
      break;
    case URB_RUN_RECORD_SAMPLE:
      read_texts (self, line, file_keys);
      break;
    case URB_RUN_RECORD_CHECKPOINT:
      self->n_bytes = urb_json_get_int (line, "bytes", 0);
      self->kept = urb_json_get_bool (line, "kept", TRUE);
      read_texts (self, line, file_keys);
      break;
    case URB_RUN_RECORD_WORKER:
      self->rank = urb_json_get_int (line, "rank", 0);
      self->pid = urb_json_get_int (line, "pid", 0);
      read_texts (self, line, worker_keys);
      break;
    case URB_RUN_RECORD_EVENT:
      read_texts (self, line, event_keys);
      urb_run_record_read_details (self, urb_json_get_object (line, "details"));
      break;
    case URB_RUN_RECORD_GPU:
      read_gpu (self, line);
      break;
    case URB_RUN_RECORD_ENERGY:
      self->joules = urb_json_get_double (line, "joules", 0);
      self->seconds = urb_json_get_double (line, "seconds", 0);
      break;
    case URB_RUN_RECORD_SCORE:
      self->scores.step = self->step;
      self->scores.seconds = urb_json_get_double (line, "seconds", 0);
      self->scores.flaws = (guint) urb_json_get_int (line, "flaws", 0);
      for (int i = 0; i < URB_N_SCORES; i++)
        self->scores.values[i] = urb_json_get_double (line, urb_score_names[i], NAN);
      break;
    case URB_RUN_RECORD_SESSION:
    case URB_RUN_RECORD_OTHER:
      break;
    }
}
