/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor-commands.c - commands and status for clients of a supervisor.
 *
 * A command sets the goal of the run and returns; reaching the goal is recorded as an event.
 */
#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>

#include "run/supervisor/supervisor-private.h"
#include "settings/note.h"

static gboolean
refuse (UrbSupervisor *self, const char *cmd, GError **error)
{
  g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_STATE, N_ ("The run cannot do '%s' while it is %s"),
               cmd, urb_run_state_name (self->state));
  return FALSE;
}

static gboolean
pause_run (UrbSupervisor *self, GError **error)
{
  if (self->state == URB_RUN_PAUSED || self->state == URB_RUN_PAUSING)
    return TRUE;
  if (!urb_supervisor_has_workers (self) || self->goal == GOAL_STOP)
    return refuse (self, "pause", error);
  self->goal = GOAL_PAUSE;
  urb_supervisor_set_state (self, URB_RUN_PAUSING);
  urb_supervisor_wind_down (self);
  return TRUE;
}

/* The schedules of a run that waits, if they end with it, are not under way yet. */
static void
set_n_steps (UrbSupervisor *self, UrbRunConfig *config, gint64 n_steps)
{
  UrbTrainOptions *train = &config->train;
  if (self->state == URB_RUN_QUEUED && self->step == 0 && train->schedule_steps == train->n_steps)
    train->schedule_steps = n_steps;
  train->n_steps = n_steps;
}

/* A number with which run.ini could not be read again is refused where it is asked for. */
static gboolean
check_n_steps (gint64 n_steps, GError **error)
{
  const UrbRunConfig given = { .train = { .n_steps = n_steps } };
  g_autoptr(GError) cause = NULL;
  if (urb_setting_check_given (&urb_run_settings, urb_settings_find (&urb_run_settings, "steps"), &given,
                               &cause))
    return TRUE;
  g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_STATE, "The number of steps %s", cause->message);
  return FALSE;
}

static gboolean
resume_run (UrbSupervisor *self, JsonObject *request, GError **error)
{
  gint64 n_steps = urb_json_get_int (request, "steps", self->config.train.n_steps);
  if (self->state == URB_RUN_RUNNING || self->state == URB_RUN_STARTING)
    return TRUE;
  if (self->state != URB_RUN_PAUSED && self->state != URB_RUN_QUEUED)
    return refuse (self, "resume", error);
  if (n_steps < self->step)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_STATE,
                   "The run is at step %" G_GINT64_FORMAT
                   " already; steps are counted from the beginning", self->step);
      return FALSE;
    }
  if (!check_n_steps (n_steps, error)
      || (self->state == URB_RUN_PAUSED && !urb_supervisor_rewind (self, error)))
    return FALSE;
  set_n_steps (self, &self->config, n_steps);
  self->n_restarts = 0;
  if (self->state == URB_RUN_QUEUED)
    urb_supervisor_leave_queue (self);
  else
    urb_supervisor_start_workers (self);
  return TRUE;
}

/* @note: "": none */
static void
set_note (UrbRunConfig *config, const char *note)
{
  g_free (config->note);
  config->note = *note != '\0' ? g_strdup (note) : NULL;
}

/* Changes only what was asked in run.ini: a worker may not have accepted other options yet. */
static gboolean
save (UrbSupervisor *self, const char *name, const char *note, gint64 n_steps, GError **error)
{
  g_auto(UrbRunConfig) config = { 0 };
  urb_run_config_init (&config);
  if (!urb_run_folder_load_config (urb_run_folder_get_path (self->folder), &config, error))
    return FALSE;
  if (name != NULL)
    {
      g_free (config.name);
      config.name = g_strdup (name);
    }
  if (note != NULL)
    set_note (&config, note);
  if (n_steps > 0)
    set_n_steps (self, &config, n_steps);
  return urb_run_folder_save_config (self->folder, &config, error);
}

/* The worker knows only its own total.  Once it is done, another one continues: see
 * on_worker_ended(). */
static gboolean
extend_run (UrbSupervisor *self, JsonObject *request, GError **error)
{
  gint64 n_steps = urb_json_get_int (request, "steps", 0);
  if (self->goal == GOAL_STOP)
    return refuse (self, "extend", error);
  if (n_steps < self->config.train.n_steps)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_STATE,
                   "The run has %" G_GINT64_FORMAT
                   " steps already; steps are counted from the beginning", self->config.train.n_steps);
      return FALSE;
    }
  if (!check_n_steps (n_steps, error) || !save (self, NULL, NULL, n_steps, error))
    return FALSE;
  set_n_steps (self, &self->config, n_steps);
  urb_supervisor_report (self, "info", "extended", "The run was extended to step %" G_GINT64_FORMAT,
                       n_steps);
  return TRUE;
}

static gboolean
rename_run (UrbSupervisor *self, JsonObject *request, GError **error)
{
  const char *name = urb_json_get_string (request, "name", "");
  if (!urb_run_check_name (name, error) || !save (self, name, NULL, 0, error))
    return FALSE;
  g_free (self->config.name);
  self->config.name = g_strdup (name);
  urb_supervisor_report (self, "info", "renamed", "The run was renamed to '%s'", name);
  return TRUE;
}

static gboolean
note_run (UrbSupervisor *self, JsonObject *request, GError **error)
{
  const char *note = urb_json_get_string (request, "note", "");
  if (!urb_note_check (note, error) || !save (self, NULL, note, 0, error))
    return FALSE;
  set_note (&self->config, note);
  urb_supervisor_report (self, "info", "noted", "The note of the run was changed");
  return TRUE;
}

static gboolean
queue_run (UrbSupervisor *self, JsonObject *request, GError **error)
{
  g_auto(GStrv) after = urb_json_dup_strings (request, "after");
  if (self->state != URB_RUN_QUEUED)
    return refuse (self, "queue", error);
  if (after == NULL)
    {
      g_set_error_literal (error, URB_RUN_ERROR, URB_RUN_ERROR_PROTOCOL, "The member 'after' is no array of folders");
      return FALSE;
    }
  return urb_supervisor_change_predecessors (self, (const char *const *) after, error);
}

static gboolean
command_cb (const char *cmd, JsonObject *request, JsonBuilder *reply, gpointer user_data,
            GError **error)
{
  UrbSupervisor *self = user_data;
  if (strcmp (cmd, "pause") == 0)
    return pause_run (self, error);
  if (strcmp (cmd, "resume") == 0)
    return resume_run (self, request, error);
  if (strcmp (cmd, "extend") == 0)
    return extend_run (self, request, error);
  if (strcmp (cmd, "rename") == 0)
    return rename_run (self, request, error);
  if (strcmp (cmd, "note") == 0)
    return note_run (self, request, error);
  if (strcmp (cmd, "queue") == 0)
    return queue_run (self, request, error);
  if (strcmp (cmd, "checkpoint") == 0 || strcmp (cmd, "sample") == 0 || strcmp (cmd, "trace") == 0)
    {
      if (!urb_supervisor_can_order (self))
        return refuse (self, cmd, error);
      if (strcmp (cmd, "trace") == 0)
        urb_supervisor_order_trace (self);
      else
        urb_supervisor_send_order (self, 0, cmd);
      return TRUE;
    }
  if (strcmp (cmd, "stop") == 0)
    {
      urb_supervisor_stop (self);
      return TRUE;
    }
  g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_PROTOCOL, "There is no command '%s'", cmd);
  return FALSE;
}

static char *
dup_worker_status (UrbWorkerSlot *slot)
{
  JsonBuilder *worker = urb_json_new ();
  urb_json_add_int (worker, "rank", slot->rank);
  urb_json_add_int (worker, "pid", urb_worker_process_get_pid (slot->worker));
  urb_json_add_string (worker, "doing", slot->doing);
  urb_json_add_double (worker, "seconds", slot->doing_s);
  urb_json_add_double (worker, "silence_s", urb_worker_process_get_silence_s (slot->worker));
  urb_json_add_int (worker, "memory_bytes", slot->memory_bytes);
  urb_json_add_double (worker, "cores_busy", slot->cores_busy);
  return urb_json_end (worker);
}

static void
add_worker_status (UrbSupervisor *self, JsonBuilder *json)
{
  g_autoptr(GString) array = g_string_new ("[");
  for (int i = 0; i < self->n_slots; i++)
    {
      g_autofree char *worker = NULL;
      if (self->slots[i].worker == NULL)
        continue;
      worker = dup_worker_status (&self->slots[i]);
      if (array->len > 1)
        g_string_append_c (array, ',');
      g_string_append (array, worker);
    }
  if (urb_supervisor_has_workers (self))
    urb_supervisor_add_ranks (self, array, NULL, ',');
  g_string_append_c (array, ']');
  if (array->len > 2)
    urb_json_add_raw (json, "workers", array->str);
}

static void
status_cb (JsonBuilder *json, gpointer user_data)
{
  UrbSupervisor *self = user_data;
  g_auto(GStrv) held = urb_predecessors_dup_held (self->before);
  guint n_held = g_strv_length (held);
  urb_json_add_string (json, "run", urb_run_folder_get_path (self->folder));
  urb_json_add_string (json, "name", self->config.name);
  urb_json_add_string (json, "note", self->config.note != NULL ? self->config.note : "");
  urb_json_add_int (json, "pid", getpid ());
  urb_json_add_string (json, "state", urb_run_state_name (self->state));
  if (n_held > 0)
    {
      urb_json_add_string (json, "after", held[n_held - 1]);
      urb_json_add_strings (json, "waits_for", (const char *const *) held);
    }
  urb_json_add_int (json, "step", self->step);
  urb_json_add_int (json, "n_steps", self->config.train.n_steps);
  urb_json_add_int (json, "images", self->images);
  urb_json_add_double (json, "images_per_s", self->images_per_s);
  urb_json_add_int (json, "checkpoint_step", self->checkpoint_step);
  if (self->device != NULL)
    urb_json_add_string (json, "device", self->device);
  add_worker_status (self, json);
}

const UrbControlOps urb_supervisor_control_ops = { .command = command_cb, .status = status_cb };
