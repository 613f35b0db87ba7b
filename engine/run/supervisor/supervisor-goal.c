/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor-goal.c - when a run begins and when it stops: the queue, the time limit, the stop.
 */
#include "run/supervisor/supervisor-private.h"
#include "settings/quiet-hours.h"

enum { QUEUE_MS = 1000 };

void
urb_supervisor_stop (UrbSupervisor *self)
{
  if (self->goal == GOAL_STOP)
    return;
  self->goal = GOAL_STOP;
  if (self->scoring.is_last) /* only its score is missing */
    {
      urb_supervisor_finish (self, URB_RUN_FINISHED, URB_RUN_END_FINISHED);
      return;
    }
  if (urb_supervisor_has_workers (self))
    {
      urb_supervisor_set_state (self, URB_RUN_STOPPING);
      urb_supervisor_wind_down (self);
      return;
    }
  /* Paused, queued, or waiting to be restarted: nothing to save. */
  g_clear_handle_id (&self->restart_id, g_source_remove);
  g_clear_handle_id (&self->queue_id, g_source_remove);
  urb_supervisor_finish_stopped (self);
}

static gboolean
limit_cb (gpointer user_data)
{
  UrbSupervisor *self = user_data;
  self->limit_id = 0;
  urb_supervisor_report (self, "info", "time-limit", "The time limit of %g minute%s is reached",
                       self->options.max_minutes, self->options.max_minutes == 1 ? "" : "s");
  urb_supervisor_stop (self);
  return G_SOURCE_REMOVE;
}

void
urb_supervisor_forget_predecessors (UrbSupervisor *self)
{
  g_clear_handle_id (&self->queue_id, g_source_remove);
  g_clear_pointer (&self->before, urb_predecessors_free);
}

void
urb_supervisor_leave_queue (UrbSupervisor *self)
{
  urb_supervisor_forget_predecessors (self);
  if (self->options.max_minutes > 0)
    self->limit_id = g_timeout_add (
      (guint) MIN (self->options.max_minutes * 60000, (double) G_MAXUINT), limit_cb, self);
  urb_supervisor_start_workers (self);
}

gboolean
urb_supervisor_is_quiet (UrbSupervisor *self)
{
  g_autoptr(GDateTime) now = g_date_time_new_now_local ();
  UrbQuietHours quiet;
  return self->options.keeps_quiet && urb_quiet_hours_parse (self->config.quiet_hours, &quiet, NULL)
         && urb_quiet_hours_contain (&quiet, g_date_time_get_hour (now) * 60 + g_date_time_get_minute (now));
}

static void
tell_quiet (UrbSupervisor *self)
{
  if (!self->has_told_quiet)
    urb_supervisor_report (self, "info", "quiet-hours", "Waits for the end of the quiet hours, %s", self->config.quiet_hours);
  self->has_told_quiet = TRUE;
}

static gboolean
queue_cb (gpointer user_data)
{
  UrbSupervisor *self = user_data;
  if (urb_predecessors_get_last (self->before) != NULL)
    return G_SOURCE_CONTINUE;
  if (urb_supervisor_is_quiet (self))
    {
      tell_quiet (self);
      return G_SOURCE_CONTINUE;
    }
  self->queue_id = 0;
  urb_supervisor_leave_queue (self);
  return G_SOURCE_REMOVE;
}

/* With all of them, so that the runs of a machine that stops can queue in their order again.  @last: (nullable) */
static void
tell_predecessors (UrbSupervisor *self, const char *last)
{
  g_autofree char *text = NULL, *json = NULL;
  g_auto(GStrv) held = urb_predecessors_dup_held (self->before);
  JsonBuilder *details = urb_json_new ();
  if (last != NULL)
    urb_json_add_string (details, "run", last);
  urb_json_add_strings (details, "after", (const char *const *) held);
  json = urb_json_end (details);
  text = last != NULL ? g_strdup_printf ("Waits until the run '%s' has ended", last)
                      : g_strdup ("Waits for no other run");
  urb_recorder_event_with_details (self->recorder, "info", "queued", self->step, text, json);
}

gboolean
urb_supervisor_change_predecessors (UrbSupervisor *self, const char *const *after, GError **error)
{
  UrbPredecessors *before = urb_predecessors_new (after, urb_run_folder_get_path (self->folder), error);
  if (before == NULL)
    return FALSE;
  urb_predecessors_free (self->before);
  self->before = before;
  tell_predecessors (self, urb_predecessors_get_last (before));
  urb_recorder_commit (self->recorder);
  return TRUE;
}

void
urb_supervisor_enter_queue (UrbSupervisor *self, const char *last)
{
  tell_predecessors (self, last); /* also if there are none, since there may have been some in an earlier session */
  if (last == NULL)
    tell_quiet (self);
  urb_supervisor_set_state (self, URB_RUN_QUEUED);
  self->queue_id = g_timeout_add (QUEUE_MS, queue_cb, self);
}
