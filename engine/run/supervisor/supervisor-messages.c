/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor-messages.c - messages from workers.
 */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "run/store/config-file.h"
#include "run/supervisor/supervisor-private.h"

/* What differs from the session before, and whether it was changed for this one or in the file.  The
 * number of steps has events of its own. */
static void
report_changes (UrbSupervisor *self)
{
  g_autofree char *text = urb_recorder_dup_config (self->recorder);
  g_auto(UrbRunConfig) before = { 0 }, stored = { 0 };
  if (text == NULL || !urb_run_config_from_text (&before, text, NULL)
      || !urb_run_folder_load_config (urb_run_folder_get_path (self->folder), &stored, NULL))
    return;
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    {
      const UrbSetting *row = &urb_run_settings.rows[i];
      g_autofree char *change = row->group != NULL ? urb_setting_dup_change (row, &before, &self->config) : NULL;
      g_autofree char *in_file = row->group != NULL ? urb_setting_dup_change (row, &before, &stored) : NULL;
      gboolean by_file = g_strcmp0 (change, in_file) == 0;
      if (change != NULL && !(by_file && strcmp (row->key, "steps") == 0))
        urb_supervisor_report (self, "info", "setting", "%s %s", change,
                               by_file ? "in " URB_RUN_CONFIG : "by resume");
    }
}

/* What the worker was started with is now the run's configuration.  Its name and number of steps may
 * have changed since then, so the file is not simply renamed. */
static gboolean
accept_config (UrbSupervisor *self, GError **error)
{
  g_autofree char *pending = urb_run_folder_dup_file (self->folder, URB_RUN_PENDING_CONFIG);
  if (!g_file_test (pending, G_FILE_TEST_EXISTS))
    return TRUE;
  if (!urb_run_folder_save_config (self->folder, &self->config, error))
    return FALSE;
  g_unlink (pending);
  return TRUE;
}

/* Only if it changes. */
static void
report_device (UrbSupervisor *self, const char *text)
{
  g_autofree char *sentence = g_strdup_printf ("Trains on %s", text);
  if (text == NULL || g_strcmp0 (text, self->device) == 0)
    return;
  g_free (self->device);
  self->device = g_strdup (text);
  urb_supervisor_report_subject (self, "device", "device", text, sentence);
  if (self->observer->device != NULL)
    self->observer->device (text, self->options.user_data);
}

static void
on_first_ready (UrbSupervisor *self, JsonObject *message)
{
  g_autofree char *config = NULL;
  GError *error = NULL;
  report_changes (self);
  if (!accept_config (self, &error))
    {
      urb_supervisor_give_up (self, error);
      return;
    }
  config = urb_run_config_to_text (&self->config);
  urb_recorder_session (self->recorder, config, self->step, self->config.train.n_steps);
  report_device (self, urb_json_get_string (message, "device", NULL));
  if (self->state == URB_RUN_STARTING)
    urb_supervisor_set_state (self, URB_RUN_RUNNING);
  urb_supervisor_start_others (self);
  if (!self->has_started)
    urb_supervisor_call_hook (self, URB_HOOK_START, self->step, NULL, NULL);
  self->has_started = TRUE;
}

static void
measure_speed (UrbSupervisor *self, const UrbStepMetrics *metrics)
{
  gint64 n_images = metrics->images - self->images;
  int n_working = 0;
  double now;
  if (self->images <= 0 || n_images <= 0 || metrics->seconds <= 0)
    return;
  for (int i = 0; i < self->n_slots; i++)
    n_working += self->slots[i].worker != NULL;
  now = (double) n_images / metrics->seconds * MAX (n_working, 1);
  self->images_per_s += (self->images_per_s > 0 ? 0.1 : 1) * (now - self->images_per_s);
}

static void
record_step (UrbSupervisor *self, const UrbStepMetrics *metrics)
{
  measure_speed (self, metrics);
  self->images = metrics->images;
  self->step = metrics->step;
  urb_recorder_step (self->recorder, metrics);
  urb_supervisor_watch_step (self, metrics);
  if (self->observer->step != NULL)
    self->observer->step (metrics, self->options.user_data);
}

void
urb_supervisor_record_steps (UrbSupervisor *self, gboolean all)
{
  UrbStepMetrics metrics;
  if (self->order == NULL)
    return;
  if (all)
    urb_step_order_release (self->order);
  while (urb_step_order_pop (self->order, &metrics))
    record_step (self, &metrics);
}

static void
on_step (UrbWorkerSlot *slot, JsonObject *message)
{
  UrbSupervisor *self = slot->supervisor;
  UrbStepMetrics metrics = { 0 };
  metrics.step = urb_json_get_int (message, "step", 0);
  metrics.images = urb_json_get_int (message, "images", 0);
  metrics.seconds = urb_json_get_double (message, "seconds", 0);
  for (int i = 0; i < URB_N_METRICS; i++)
    metrics.values[i] = urb_json_get_double (message, urb_step_metric_names[i], NAN);
  if (slot->n_steps++ > 0)
    slot->slowest_step_s = MAX (slot->slowest_step_s, metrics.seconds);
  slot->step = metrics.step;
  slot->n_deaths = self->n_deaths = 0;
  if (self->order == NULL)
    {
      record_step (self, &metrics);
      return;
    }
  urb_step_order_push (self->order, slot->rank, &metrics);
  urb_supervisor_record_steps (self, FALSE);
}

static void
on_checkpoint (UrbSupervisor *self, JsonObject *message)
{
  g_autoptr(GArray) deleted = NULL;
  g_autoptr(GArray) needed = NULL;
  self->checkpoint_step = urb_json_get_int (message, "step", 0);
  self->n_restarts = 0;
  urb_recorder_checkpoint (self->recorder, self->checkpoint_step,
                           urb_json_get_string (message, "file", ""),
                           urb_json_get_int (message, "bytes", 0));
  if (self->is_lost) /* and what its path leads to is another's */
    return;
  urb_supervisor_call_hook (self, URB_HOOK_CHECKPOINT, self->checkpoint_step, urb_json_get_string (message, "file", ""),
                            NULL);
  urb_supervisor_score (self, self->checkpoint_step);
  needed = urb_supervisor_list_needed (self);
  deleted = urb_run_folder_prune_checkpoints (self->folder, self->config.keep_checkpoints, needed);
  for (guint i = 0; i < deleted->len; i++)
    urb_recorder_drop_checkpoint (self->recorder, g_array_index (deleted, gint64, i));
}

static void
on_sample (UrbSupervisor *self, JsonObject *message)
{
  g_autoptr(GArray) deleted = NULL;
  gint64 step = urb_json_get_int (message, "step", 0);
  const char *file = urb_json_get_string (message, "file", "");
  urb_recorder_sample (self->recorder, step, file);
  if (self->is_lost)
    return;
  urb_supervisor_call_hook (self, URB_HOOK_SAMPLE, step, file, NULL);
  deleted = urb_run_folder_thin_samples (self->folder);
  for (guint i = 0; i < deleted->len; i++)
    urb_recorder_drop_sample (self->recorder, g_array_index (deleted, gint64, i));
}

static void
on_heartbeat (UrbWorkerSlot *slot, JsonObject *message)
{
  JsonBuilder *line = urb_json_new ();
  g_autoptr(GString) lines = NULL;
  g_autofree char *text = NULL;
  g_free (slot->doing);
  slot->doing = g_strdup (urb_json_get_string (message, "doing", "nothing"));
  slot->doing_s = urb_json_get_double (message, "seconds", 0);
  slot->memory_bytes = urb_json_get_int (message, "memory_bytes", 0);
  slot->cores_busy = urb_json_get_double (message, "cores_busy", 0);
  urb_json_add_string (line, "type", "heartbeat");
  urb_json_add_int (line, "rank", slot->rank);
  urb_json_add_int (line, "pid", urb_worker_process_get_pid (slot->worker));
  urb_json_add_int (line, "step", urb_json_get_int (message, "step", 0));
  urb_json_add_string (line, "doing", slot->doing);
  urb_json_add_double (line, "seconds", slot->doing_s);
  urb_json_add_int (line, "memory_bytes", slot->memory_bytes);
  urb_json_add_double (line, "cores_busy", slot->cores_busy);
  text = urb_json_end (line);
  lines = g_string_new (text);
  if (slot->rank == 0)
    urb_supervisor_add_ranks (slot->supervisor, lines, "heartbeat", '\n');
  urb_control_broadcast (slot->supervisor->control, lines->str);
}

/* Everything before is on the disk when the worker continues.  If that fails, the worker waits for
 * the run's end: a checkpoint would be newer than the history. */
static void
on_sync (UrbWorkerSlot *slot)
{
  UrbSupervisor *self = slot->supervisor;
  for (int i = 0; i < self->n_slots; i++)
    if (&self->slots[i] != slot && self->slots[i].worker != NULL)
      urb_worker_process_drain (self->slots[i].worker);
  urb_supervisor_record_steps (self, TRUE);
  if (urb_recorder_sync (self->recorder))
    urb_supervisor_send_order (self, slot->rank, "synced");
}

/* Messages that only rank 0 may send. */
static void
handle_message_of_first (UrbWorkerSlot *slot, const char *type, JsonObject *message)
{
  UrbSupervisor *self = slot->supervisor;
  const char *text = urb_json_get_string (message, "text", "");
  if (strcmp (type, "checkpoint") == 0)
    on_checkpoint (self, message);
  else if (strcmp (type, "sample") == 0)
    on_sample (self, message);
  else if (strcmp (type, "profile") == 0 && self->observer->profile != NULL)
    self->observer->profile (text, self->options.user_data);
  else if (strcmp (type, "asynchrony") == 0)
    {
      JsonNode *node = json_object_get_member (message, "details");
      g_autofree char *details = node != NULL ? json_to_string (node, FALSE) : NULL;
      urb_recorder_event_with_details (self->recorder, "info", "asynchrony", self->step, text,
                                       details);
    }
  else if (strcmp (type, "diversity") == 0)
    urb_supervisor_watch_diversity (self, message);
  else if (strcmp (type, "waiting") == 0)
    urb_supervisor_report_wait (self, "waiting", text);
  else if (strcmp (type, "weights") == 0)
    urb_supervisor_watch_weights (self, message);
  else if (strcmp (type, "trace") == 0)
    urb_supervisor_report_trace (self, text);
}

void
urb_supervisor_handle_message (UrbWorkerSlot *slot, JsonObject *message)
{
  UrbSupervisor *self = slot->supervisor;
  const char *type = urb_json_get_string (message, "type", "");
  if (strcmp (type, "heartbeat") == 0)
    on_heartbeat (slot, message);
  else if (strcmp (type, "step") == 0)
    on_step (slot, message);
  else if (strcmp (type, "warning") == 0 && strcmp (urb_json_get_string (message, "code", ""), "trace-failed") == 0)
    urb_supervisor_report_no_trace (self, urb_json_get_string (message, "text", ""));
  else if (strcmp (type, "warning") == 0)
    urb_supervisor_report (self, "warning", urb_json_get_string (message, "code", "warning"), "%s",
                         urb_json_get_string (message, "text", ""));
  else if (strcmp (type, "overflow") == 0)
    urb_supervisor_report (self, "info", "overflow", "%s", urb_json_get_string (message, "text", ""));
  else if (strcmp (type, "trace-part") == 0)
    urb_supervisor_take_trace_part (self);
  else if (strcmp (type, "error") == 0)
    {
      g_clear_error (&slot->error);
      slot->error = urb_json_get_error (message, "error");
    }
  else if (strcmp (type, "ended") == 0)
    slot->finished = TRUE;
  else if (strcmp (type, "sync") == 0)
    on_sync (slot);
  else if (strcmp (type, "cpu-limit") == 0)
    urb_supervisor_spend_cpu (self);
  else if (strcmp (type, "ready") == 0)
    {
      if (slot->rank == 0)
        on_first_ready (self, message);
      if (self->error == NULL)
        {
          urb_supervisor_watch_gpus (self, message);
          urb_supervisor_watch_energy (self);
        }
    }
  else if (slot->rank == 0)
    handle_message_of_first (slot, type, message);
}
