/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-link.c - finds the supervisor of a run, listens to it, notices its end.
 *
 * The folder is watched for the supervisor's control.sock.  An open connection proves that the
 * supervisor lives: the kernel closes it when the process ends, however it ends.
 */
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/runs/run-error.h"
#include "app/runs/run-private.h"
#include "run/store/control-socket.h"

enum
{
  STATUS_S = 2,   /* between two status requests */
  SILENT_S = 15,  /* without a message: the supervisor hangs */
  TRY_AGAIN_MS = 100,
  MAX_TRIES = 20  /* the socket exists shortly before the supervisor listens */
};

/* ------------------------------------------------------------------------ */
/* Peeking                                                                   */

/* Returns: (transfer full) (nullable): why it failed */
static GError *
find_trouble (const UrbariumRunPeek *peek, gboolean gone, gboolean lost)
{
  gboolean failed = peek->has_summary && peek->summary.has_state && peek->summary.state == URB_RUN_FAILED;
  g_autoptr(GError) cause = NULL;
  if (gone)
    cause = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "");
  else if ((lost || failed) && peek->failure != NULL)
    cause = g_error_copy (peek->failure);
  else if (lost)
    return g_error_new_literal (
      URB_RUN_ERROR, URB_RUN_ERROR_OFFLINE,
      peek->has_checkpoint
        ? _ ("The supervisor process of this run ended unexpectedly. Only the steps since the last "
             "checkpoint are lost; resume continues from there.")
        : _ ("The supervisor process of this run ended unexpectedly, before the first checkpoint. "
             "Resume starts again at step 0."));
  return cause != NULL ? urbarium_run_error_translate (cause, URBARIUM_RUN_ERROR_ENDED) : NULL;
}

/* Nothing else reports the end of a run without a supervisor. */
static void
report_end (UrbariumRun *self)
{
  const char *title = self->gone ? _ ("The folder of the run is missing") : _ ("The run was interrupted");
  g_autoptr(UrbariumRunEvent) event
    = urbarium_run_event_new ("error", "supervisor-lost", self->trouble->message, self->step,
                              (double) g_get_real_time () / G_USEC_PER_SEC);
  g_list_store_append (self->events, event);
  g_signal_emit_by_name (self, "failed", title, self->trouble);
}

void
urbarium_run_apply_peek (UrbariumRun *self, const UrbariumRunPeek *peek)
{
  const UrbRunDbSummary *summary = &peek->summary;
  UrbRunState state = summary->state;
  gboolean lost = peek->has_summary && summary->has_state && !urb_run_state_has_ended (state);
  gboolean gone = !peek->exists && (self->was_live || self->gone);
  if (peek->has_config && urbarium_run_set_config (self, &peek->config))
    {
      urbarium_run_cancel_reading (self);
      urbarium_run_unsubscribe (self);
      urbarium_run_reset (self);
      urbarium_run_catch_up (self);
    }
  urbarium_run_set_has_checkpoint (self, peek->has_checkpoint);
  if (!gone) /* otherwise the last figures stay */
    urbarium_run_set_figures (self, peek->has_summary ? summary->images_per_s : 0,
                              peek->has_summary ? summary->score : NAN);
  if (self->live)
    return;
  if (!gone)
    urbarium_run_set_progress (self, peek->has_summary ? summary->step : 0,
                               self->config.train.n_steps, peek->has_summary ? summary->images : 0,
                               0);
  urbarium_run_set_trouble (self, find_trouble (peek, gone, lost), gone);
  if (gone)
    urbarium_run_set_state (self, URB_RUN_FAILED, FALSE);
  else
    urbarium_run_set_state (self, lost || !summary->has_state ? URB_RUN_STOPPED : state, lost);
  if ((lost || gone) && self->was_live)
    report_end (self);
  self->was_live = FALSE;
  urbarium_run_settle (self, URBARIUM_VERB_IDLE); /* no supervisor is left to wait for */
}

static void
peek_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_task_return_pointer (task, urbarium_run_peek_new (data),
                         (GDestroyNotify) urbarium_run_peek_free);
}

static void
peek_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr(UrbariumRun) self = user_data;
  g_autoptr(UrbariumRunPeek) peek = g_task_propagate_pointer (G_TASK (result), NULL);
  if (g_task_get_cancellable (G_TASK (result)) != self->peeking)
    return;
  g_clear_object (&self->peeking);
  if (peek != NULL)
    urbarium_run_apply_peek (self, peek);
}

void
urbarium_run_peek (UrbariumRun *self)
{
  g_autoptr(GTask) task = NULL;
  if (self->peeking != NULL)
    g_cancellable_cancel (self->peeking);
  g_clear_object (&self->peeking);
  self->peeking = g_cancellable_new ();
  task = g_task_new (NULL, self->peeking, peek_cb, g_object_ref (self));
  g_task_set_task_data (task, g_strdup (self->folder), g_free);
  g_task_run_in_thread (task, peek_thread);
}

/* ------------------------------------------------------------------------ */
/* Messages                                                                  */

static gboolean
status_cb (gpointer user_data)
{
  UrbariumRun *self = user_data;
  gint64 silence_us = g_get_monotonic_time () - self->last_word_us;
  /* Do not pile up requests for a supervisor that does not answer. */
  if (silence_us > SILENT_S * (gint64) G_USEC_PER_SEC)
    urbarium_run_set_silent (self, TRUE);
  else
    urbarium_run_ask_status (self);
  return G_SOURCE_CONTINUE;
}

static void
message_cb (UrbRunClient *client, JsonObject *message, gpointer user_data)
{
  g_autoptr(UrbariumRun) self = g_object_ref (user_data);
  const char *type = urb_json_get_string (message, "type", "");
  self->last_word_us = g_get_monotonic_time ();
  urbarium_run_set_silent (self, FALSE);
  if (strcmp (type, "hello") == 0)
    urbarium_run_apply_status (self, message);
  else if (strcmp (type, "heartbeat") == 0)
    urbarium_run_apply_heartbeat (self, message, 0);
  else if (strcmp (type, "live") == 0)
    {
      self->caught_up = self->subscribed;
      urbarium_run_ask_status (self);
    }
  else if (self->subscribed) /* else the record belongs to a cancelled subscription */
    {
      UrbRunRecord record;
      urbarium_record_read (&record, message);
      if (record.seq > self->last_seq)
        urbarium_run_apply (self, &record);
    }
}

/* ------------------------------------------------------------------------ */
/* Connecting and disconnecting                                              */

static void
detach (UrbariumRun *self)
{
  g_clear_handle_id (&self->status_id, g_source_remove);
  g_clear_pointer (&self->client, urb_run_client_free);
  self->n_subscribing = self->n_stale = 0;
  self->subscribed = FALSE;
  self->caught_up = FALSE;
  urbarium_run_forget_commands (self);
}

static void
closed_cb (UrbRunClient *client, gpointer user_data)
{
  g_autoptr(UrbariumRun) self = g_object_ref (user_data);
  detach (self);
  /* Its commands are void, except rolling back, for which it was stopped. */
  if (self->busy != URBARIUM_VERB_ROLL_BACK)
    urbarium_run_set_busy (self, URBARIUM_VERB_IDLE);
  self->was_live = TRUE;
  urbarium_run_set_silent (self, FALSE);
  urbarium_run_end_workers (self);
  urbarium_run_set_live (self, FALSE);
  urbarium_run_peek (self);
  urbarium_run_catch_up (self);
}

static const UrbRunClientOps client_ops = { .message = message_cb, .closed = closed_cb };

static gboolean
attach_cb (gpointer user_data)
{
  UrbariumRun *self = user_data;
  self->attach_id = 0;
  urbarium_run_attach (self);
  return G_SOURCE_REMOVE;
}

void
urbarium_run_attach (UrbariumRun *self)
{
  g_autofree char *socket = g_build_filename (self->folder, URB_CONTROL_SOCKET_NAME, NULL);
  if (self->client != NULL)
    return;
  self->client = urb_run_client_new (self->folder, &client_ops, self, NULL);
  if (self->client != NULL)
    {
      self->n_tries = 0;
      urbarium_run_set_trouble (self, NULL, FALSE);
      self->last_word_us = g_get_monotonic_time ();
      self->status_id = g_timeout_add_seconds (STATUS_S, status_cb, self);
      urbarium_run_set_live (self, TRUE);
      urbarium_run_peek (self); /* run.ini may have changed */
      urbarium_run_catch_up (self);
    }
  else if (g_file_test (socket, G_FILE_TEST_EXISTS) && self->n_tries++ < MAX_TRIES
           && self->attach_id == 0)
    self->attach_id = g_timeout_add (TRY_AGAIN_MS, attach_cb, self);
}

static void
changed_cb (GFileMonitor *monitor, GFile *file, GFile *other, GFileMonitorEvent event,
            gpointer user_data)
{
  UrbariumRun *self = user_data;
  g_autofree char *name = g_file_get_basename (other != NULL ? other : file);
  if (strcmp (name, URB_CONTROL_SOCKET_NAME) == 0 && event != G_FILE_MONITOR_EVENT_DELETED)
    {
      self->n_tries = 0;
      urbarium_run_attach (self);
    }
  else if (strcmp (name, "run.ini") == 0 && self->peeking == NULL)
    urbarium_run_peek (self);
}

void
urbarium_run_link_start (UrbariumRun *self)
{
  g_autoptr(GFile) folder = g_file_new_for_path (self->folder);
  self->monitor
    = g_file_monitor_directory (folder, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
  if (self->monitor != NULL)
    g_signal_connect_object (self->monitor, "changed", G_CALLBACK (changed_cb), self, 0);
  urbarium_run_attach (self);
}

void
urbarium_run_link_stop (UrbariumRun *self)
{
  if (self->monitor != NULL)
    g_file_monitor_cancel (self->monitor);
  g_clear_object (&self->monitor);
  if (self->peeking != NULL)
    g_cancellable_cancel (self->peeking);
  g_clear_object (&self->peeking);
  g_clear_handle_id (&self->attach_id, g_source_remove);
  detach (self);
}
