/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor-state.c - the state of a run, its events, its end, and its way back to a checkpoint.
 */
#include "run/supervisor/supervisor-private.h"

/* ------------------------------------------------------------------------ */
/* Events and states                                                         */

void
urb_supervisor_report (UrbSupervisor *self, const char *level, const char *code, const char *format,
                     ...)
{
  g_autofree char *text = NULL;
  va_list args;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  urb_recorder_event (self->recorder, level, code, self->step, text);
}

void
urb_supervisor_report_subject (UrbSupervisor *self, const char *code, const char *name, const char *value, const char *text)
{
  JsonBuilder *details = urb_json_new ();
  g_autofree char *json = NULL;
  urb_json_add_string (details, name, value);
  json = urb_json_end (details);
  urb_recorder_event_with_details (self->recorder, "info", code, self->step, text, json);
}

void
urb_supervisor_set_state (UrbSupervisor *self, UrbRunState state)
{
  if (self->state == state)
    return;
  self->state = state;
  if (state != URB_RUN_RUNNING && state != URB_RUN_PAUSING && state != URB_RUN_STOPPING)
    {
      g_clear_pointer (&self->gpus, urb_gpu_monitor_free);
      urb_supervisor_leave_energy (self);
    }
  if (state == URB_RUN_PAUSED) /* which frees the memory */
    urb_supervisor_stop_scoring (self);
  urb_supervisor_report_subject (self, "state", "machine", self->machine, urb_run_state_name (state));
  urb_recorder_commit (self->recorder);
  if (self->observer->state != NULL)
    self->observer->state (state, self->options.user_data);
}

void
urb_supervisor_report_wait (UrbSupervisor *self, const char *code, const char *text)
{
  urb_supervisor_report (self, "info", code, "%s", text);
  if (self->observer->waiting != NULL)
    self->observer->waiting (text, self->options.user_data);
}

/* ------------------------------------------------------------------------ */
/* The end                                                                   */

void
urb_supervisor_finish (UrbSupervisor *self, UrbRunState state, UrbRunEnd end)
{
  if (self->is_lost && self->error == NULL && !urb_run_folder_check_place (self->folder, NULL, &self->error))
    state = URB_RUN_FAILED;
  self->end = end;
  urb_supervisor_set_state (self, state);
  g_main_loop_quit (self->loop);
}

/* The error as details, so that programs need not read the sentence. */
static void
report_failure (UrbSupervisor *self, const GError *error)
{
  JsonBuilder *details = urb_json_new ();
  g_autofree char *json = NULL;
  urb_json_add_error (details, "error", error);
  json = urb_json_end (details);
  urb_recorder_event_with_details (self->recorder, "error", "failed", self->step, error->message, json);
}

/* Takes @error.  Where the folder is no longer in its place, that is the cause. */
void
urb_supervisor_give_up (UrbSupervisor *self, GError *error)
{
  if (self->error == NULL && !urb_run_folder_check_place (self->folder, NULL, &self->error))
    self->is_lost = TRUE;
  if (self->error == NULL)
    self->error = g_steal_pointer (&error);
  g_clear_error (&error);
  report_failure (self, self->error);
  urb_supervisor_finish (self, URB_RUN_FAILED, URB_RUN_END_STOPPED);
}

void
urb_supervisor_watch_folder (UrbSupervisor *self)
{
  GError *error = NULL;
  gboolean moved;
  if (self->is_lost || self->state == URB_RUN_FAILED
      || urb_run_folder_check_place (self->folder, &moved, &error))
    return;
  self->is_lost = TRUE;
  if (!moved)
    {
      urb_supervisor_give_up (self, error);
      return;
    }
  report_failure (self, error);
  g_error_free (error);
  urb_supervisor_stop (self);
}

void
urb_supervisor_finish_stopped (UrbSupervisor *self)
{
  urb_supervisor_finish (self, URB_RUN_STOPPED,
                         self->interrupted ? URB_RUN_END_INTERRUPTED : URB_RUN_END_STOPPED);
}

/* ------------------------------------------------------------------------ */
/* Back to a checkpoint                                                      */

gboolean
urb_supervisor_rewind (UrbSupervisor *self, GError **error)
{
  g_autofree char *damaged = NULL;
  gint64 newest;
  if (!urb_run_folder_check_place (self->folder, NULL, error))
    return FALSE;
  urb_run_folder_sweep (self->folder);
  if (!urb_run_folder_find_checkpoint (self->folder, &newest, &damaged, error))
    return FALSE;
  self->checkpoint_step = newest;
  self->step = MAX (self->checkpoint_step, 0);
  self->images = 0;
  if (damaged != NULL)
    urb_supervisor_report (self, "warning", "checkpoint-damaged", "%s", damaged);
  urb_recorder_rewind (self->recorder, self->checkpoint_step);
  urb_run_folder_rewind_samples (self->folder, self->checkpoint_step);
  if (self->checkpoint_step >= 0)
    {
      g_autofree char *name = urb_run_checkpoint_name (self->checkpoint_step);
      /* After a kill between the checkpoint and its record; a duplicate is ignored. */
      urb_recorder_checkpoint (self->recorder, self->checkpoint_step, name, 0);
    }
  urb_supervisor_reload_scores (self);
  self->explosion = (UrbExplosion){ 0 };
  return TRUE;
}

gboolean
urb_supervisor_rewind_or_give_up (UrbSupervisor *self)
{
  GError *error = NULL;
  if (urb_supervisor_rewind (self, &error))
    return TRUE;
  urb_supervisor_give_up (self, error);
  return FALSE;
}
