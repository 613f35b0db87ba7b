/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor-hooks.c - what a run tells its hook.
 */
#include "run/store/known-hooks.h"
#include "run/supervisor/supervisor-private.h"

enum { RETRY_MS = 1000 };

static void
hook_cb (const char *level, const char *text, gpointer user_data)
{
  urb_supervisor_report (user_data, level, "hook", "%s", text);
}

gboolean
urb_supervisor_open_hooks (UrbSupervisor *self, GError **error)
{
  int retry_ms = self->options.hook_retry_ms > 0 ? self->options.hook_retry_ms : RETRY_MS;
  if (!urb_hook_is_given (self->config.hook))
    return TRUE;
  if (!urb_known_hooks_has (self->config.hook))
    {
      urb_supervisor_report (self, "warning", "hook-unknown",
                             "The hook of this run is not called, since it was not chosen on this machine; choose it "
                             "again to allow it");
      return TRUE;
    }
  self->hooks = urb_hooks_new (self->folder, &self->config, retry_ms, hook_cb, self, error);
  return self->hooks != NULL;
}

static void
add_metrics (UrbSupervisor *self, JsonBuilder *json)
{
  UrbStepMetrics metrics;
  if (urb_recorder_get_metrics (self->recorder, self->step, &metrics, 1) == 0)
    return;
  urb_json_begin_object (json, "metrics");
  for (int i = 0; i < URB_N_METRICS; i++)
    urb_json_add_double (json, urb_step_metric_names[i], metrics.values[i]);
  urb_json_end_object (json);
}

static void
add_score (UrbSupervisor *self, JsonBuilder *json)
{
  const UrbScoreSummary *scores = &self->scoring.summary;
  if (scores->best_step < 0)
    return;
  urb_json_begin_object (json, "best");
  urb_json_add_int (json, "step", scores->best_step);
  urb_json_add_double (json, "score", scores->best);
  urb_json_end_object (json);
}

void
urb_supervisor_call_hook (UrbSupervisor *self, UrbHookEvent event, gint64 step, const char *file, const char *text)
{
  JsonBuilder *json;
  g_autofree char *line = NULL;
  if (!urb_hooks_want (self->hooks, event))
    return;
  json = urb_json_new ();
  urb_json_add_string (json, "event", urb_hook_event_names[event]);
  urb_json_add_string (json, "run", urb_run_folder_get_path (self->folder));
  urb_json_add_string (json, "name", self->config.name);
  urb_json_add_string (json, "engine", URBARIUM_VERSION);
  urb_json_add_double (json, "time", (double) g_get_real_time () * 1e-6);
  urb_json_add_string (json, "state", urb_run_state_name (self->state));
  urb_json_add_int (json, "step", step);
  urb_json_add_int (json, "n_steps", self->config.train.n_steps);
  urb_json_add_int (json, "images", self->images);
  urb_json_add_double (json, "images_per_s", self->images_per_s);
  if (file != NULL)
    urb_json_add_string (json, "file", file);
  if (text != NULL)
    urb_json_add_string (json, "text", text);
  add_metrics (self, json);
  add_score (self, json);
  line = urb_json_end (json);
  urb_hooks_call (self->hooks, event, step, file, line);
}

void
urb_supervisor_finish_hooks (UrbSupervisor *self)
{
  gboolean has_failed = self->error != NULL;
  if (self->hooks == NULL)
    return;
  urb_supervisor_call_hook (self, has_failed ? URB_HOOK_FAILURE : URB_HOOK_END, self->step, NULL,
                            has_failed ? self->error->message : NULL);
  urb_hooks_finish (self->hooks);
}
