/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-link.c - finds the supervisor of a run, listens to it, notices its end.
 *
 * A supervisor shows itself by control.sock, for which the folder is watched.
 * Connected to it we know that it lives: the kernel ends the connection with
 * the process, however that ends.
 */
#include <glib/gi18n.h>
#include <string.h>

#include "app/runs/run-private.h"
#include "run/control-socket.h"

enum
{
  STATUS_S = 2,   /* between two questions how it goes */
  SILENT_S = 15,  /* without a word: it hangs */
  TRY_AGAIN_MS = 100,
  MAX_TRIES = 20  /* a socket is there a moment before somebody listens */
};

/* ------------------------------------------------------------------------ */
/* Peeking                                                                   */

static gboolean
is_ended (UrbRunState state)
{
  return state == URB_RUN_STOPPED || state == URB_RUN_FINISHED || state == URB_RUN_FAILED;
}

static void
tell_lost (UrbariumRun *self)
{
  const char *text
    = self->has_checkpoint
        ? _ ("The process that supervised this run has ended unexpectedly. Nothing "
             "but the steps since the last checkpoint is lost; resume goes on there.")
        : _ ("The process that supervised this run has ended unexpectedly. No checkpoint had "
             "been saved yet: resume begins anew.");
  g_autoptr(GError) error = g_error_new_literal (URB_RUN_ERROR, URB_RUN_ERROR_OFFLINE, text);
  g_autoptr(UrbariumRunEvent) event = urbarium_run_event_new (
    "error", "supervisor-lost", text, self->step, (double) g_get_real_time () / G_USEC_PER_SEC);
  g_list_store_append (self->events, event);
  urbarium_run_emit_failed (self, _ ("The run was interrupted"), error);
}

void
urbarium_run_apply_peek (UrbariumRun *self, const UrbariumRunPeek *peek)
{
  const UrbRunDbSummary *summary = &peek->summary;
  gboolean lost = peek->has_summary && summary->has_state && !is_ended (summary->state);
  if (peek->has_config)
    urbarium_run_set_config (self, &peek->config);
  urbarium_run_set_has_checkpoint (self, peek->has_checkpoint);
  if (self->live)
    return;
  urbarium_run_set_progress (self, peek->has_summary ? summary->step : 0,
                             self->config.train.n_steps, peek->has_summary ? summary->images : 0,
                             0);
  urbarium_run_set_state (self, lost || !summary->has_state ? URB_RUN_STOPPED : summary->state,
                          lost);
  if (lost && self->was_live)
    tell_lost (self);
  self->was_live = FALSE;
  urbarium_run_settle (self, URBARIUM_VERB_IDLE); /* nobody is there to wait for */
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
/* What it says                                                              */

static void
take_workers (UrbariumRun *self, JsonObject *status, gint64 step)
{
  JsonNode *node = json_object_get_member (status, "workers");
  JsonArray *workers
    = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  double now = (double) g_get_real_time () / G_USEC_PER_SEC;
  for (guint i = 0; workers != NULL && i < json_array_get_length (workers); i++)
    {
      JsonNode *item = json_array_get_element (workers, i);
      JsonObject *worker = JSON_NODE_HOLDS_OBJECT (item) ? json_node_get_object (item) : NULL;
      if (worker != NULL)
        urbarium_run_worker_beat (
          urbarium_run_ensure_worker (self, (int) urb_json_get_int (worker, "rank", 0)), worker,
          urb_json_get_int (worker, "step", step), now - urb_json_get_double (worker, "silence_s", 0));
    }
}

static void
take_status (UrbariumRun *self, JsonObject *status)
{
  gint64 step = urb_json_get_int (status, "step", self->step);
  UrbRunState state;
  urbarium_run_set_name (self, urb_json_get_string (status, "name", NULL));
  urbarium_run_set_progress (self, step, urb_json_get_int (status, "n_steps", self->n_steps),
                             urb_json_get_int (status, "images", self->images),
                             urb_json_get_double (status, "images_per_s", 0));
  if (urb_run_state_from_name (urb_json_get_string (status, "state", NULL), &state))
    urbarium_run_set_state (self, state, FALSE);
  take_workers (self, status, step);
}

static void
status_reply_cb (JsonObject *reply, const GError *error, gpointer user_data)
{
  UrbariumRun *self = user_data;
  if (reply == NULL)
    return;
  self->last_word_us = g_get_monotonic_time ();
  urbarium_run_set_silent (self, FALSE);
  take_status (self, reply);
}

void
urbarium_run_ask_status (UrbariumRun *self)
{
  if (self->client != NULL)
    urb_run_client_request (self->client, "status", NULL, 0, status_reply_cb, self);
}

static gboolean
status_cb (gpointer user_data)
{
  UrbariumRun *self = user_data;
  gint64 silence_us = g_get_monotonic_time () - self->last_word_us;
  /* No heap of questions for one that does not answer. */
  if (silence_us > SILENT_S * (gint64) G_USEC_PER_SEC)
    urbarium_run_set_silent (self, TRUE);
  else
    urbarium_run_ask_status (self);
  return G_SOURCE_CONTINUE;
}

static void
take_line (UrbariumRun *self, JsonObject *line)
{
  UrbariumRecord record = { 0 };
  if (!self->subscribed)
    return; /* of a subscription that was ended */
  urbarium_record_read (&record, line);
  if (record.seq > self->last_seq)
    urbarium_run_take (self, &record);
  urbarium_record_clear (&record);
}

static void
message_cb (UrbRunClient *client, JsonObject *message, gpointer user_data)
{
  UrbariumRun *self = g_object_ref (user_data);
  const char *type = urb_json_get_string (message, "type", "");
  self->last_word_us = g_get_monotonic_time ();
  urbarium_run_set_silent (self, FALSE);
  if (strcmp (type, "hello") == 0)
    take_status (self, message);
  else if (strcmp (type, "heartbeat") == 0)
    urbarium_run_worker_beat (
      urbarium_run_ensure_worker (self, (int) urb_json_get_int (message, "rank", 0)), message,
      urb_json_get_int (message, "step", 0),
      (double) g_get_real_time () / G_USEC_PER_SEC - urb_json_get_double (message, "silence_s", 0));
  else if (strcmp (type, "live") == 0)
    {
      self->caught_up = self->subscribed;
      urbarium_run_ask_status (self);
    }
  else
    take_line (self, message);
  g_object_unref (self);
}

/* ------------------------------------------------------------------------ */
/* Subscribing                                                               */

static void
subscribe_reply_cb (JsonObject *reply, const GError *error, gpointer user_data)
{
  UrbariumRun *self = user_data;
  self->n_subscribing--;
  /* Only from here on: what came before belongs to an older subscription. */
  if (self->n_stale > 0)
    self->n_stale--;
  else if (reply != NULL)
    self->subscribed = TRUE;
}

void
urbarium_run_subscribe (UrbariumRun *self)
{
  if (self->client == NULL || self->subscribed || self->n_subscribing > self->n_stale)
    return;
  self->n_subscribing++;
  urb_run_client_request (self->client, "subscribe", "since", self->last_seq, subscribe_reply_cb,
                          self);
}

void
urbarium_run_unsubscribe (UrbariumRun *self)
{
  if (self->client != NULL)
    urb_run_client_request (self->client, "unsubscribe", NULL, 0, NULL, NULL);
  self->n_stale = self->n_subscribing;
  self->subscribed = FALSE;
  self->caught_up = FALSE;
}

/* ------------------------------------------------------------------------ */
/* Coming and going                                                          */

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
  UrbariumRun *self = g_object_ref (user_data);
  detach (self);
  /* What was asked of it is over; but to be rolled back is why it was stopped. */
  if (self->busy != URBARIUM_VERB_ROLL_BACK)
    urbarium_run_set_busy (self, URBARIUM_VERB_IDLE);
  self->was_live = TRUE;
  urbarium_run_set_silent (self, FALSE);
  urbarium_run_end_workers (self);
  urbarium_run_set_live (self, FALSE);
  urbarium_run_peek (self);
  urbarium_run_catch_up (self);
  g_object_unref (self);
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
      self->last_word_us = g_get_monotonic_time ();
      self->status_id = g_timeout_add_seconds (STATUS_S, status_cb, self);
      urbarium_run_set_live (self, TRUE);
      urbarium_run_peek (self); /* run.ini may be another one now */
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
    g_signal_connect (self->monitor, "changed", G_CALLBACK (changed_cb), self);
  urbarium_run_attach (self);
}

void
urbarium_run_link_stop (UrbariumRun *self)
{
  if (self->monitor != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->monitor, self);
      g_file_monitor_cancel (self->monitor);
    }
  g_clear_object (&self->monitor);
  if (self->peeking != NULL)
    g_cancellable_cancel (self->peeking);
  g_clear_object (&self->peeking);
  g_clear_handle_id (&self->attach_id, g_source_remove);
  detach (self);
}
