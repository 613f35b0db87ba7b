/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-status.c - requests to the supervisor: its status, and a subscription to new records.
 */
#include "app/runs/run-private.h"

void
urbarium_run_apply_heartbeat (UrbariumRun *self, JsonObject *line, gint64 step)
{
  double now = (double) g_get_real_time () / G_USEC_PER_SEC;
  UrbariumRunWorker *worker
    = urbarium_run_ensure_worker (self, (int) urb_json_get_int (line, "rank", 0));
  urbarium_run_worker_beat (worker, line, urb_json_get_int (line, "step", step),
                            now - urb_json_get_double (line, "silence_s", 0));
}

void
urbarium_run_apply_status (UrbariumRun *self, JsonObject *status)
{
  gint64 step = urb_json_get_int (status, "step", self->step);
  JsonArray *workers = urb_json_get_array (status, "workers");
  UrbRunState state;
  urbarium_run_set_name (self, urb_json_get_string (status, "name", NULL));
  urbarium_run_set_note (self, urb_json_get_string (status, "note", NULL));
  urbarium_run_set_progress (self, step, urb_json_get_int (status, "n_steps", self->n_steps),
                             urb_json_get_int (status, "images", self->images),
                             urb_json_get_double (status, "images_per_s", 0));
  urbarium_run_set_waits_for (self, urb_json_dup_strings (status, "waits_for"));
  if (urb_run_state_from_name (urb_json_get_string (status, "state", NULL), &state))
    urbarium_run_set_state (self, state, FALSE);
  for (guint i = 0; workers != NULL && i < json_array_get_length (workers); i++)
    {
      JsonNode *worker = json_array_get_element (workers, i);
      if (JSON_NODE_HOLDS_OBJECT (worker))
        urbarium_run_apply_heartbeat (self, json_node_get_object (worker), step);
    }
}

static void
status_reply_cb (JsonObject *reply, const GError *error, gpointer user_data)
{
  UrbariumRun *self = user_data;
  if (reply == NULL)
    return;
  self->last_word_us = g_get_monotonic_time ();
  urbarium_run_set_silent (self, FALSE);
  urbarium_run_apply_status (self, reply);
}

void
urbarium_run_ask_status (UrbariumRun *self)
{
  if (self->client != NULL)
    urb_run_client_request (self->client, "status", NULL, 0, status_reply_cb, self);
}

static void
subscribe_reply_cb (JsonObject *reply, const GError *error, gpointer user_data)
{
  UrbariumRun *self = user_data;
  self->n_subscribing--;
  /* Replies to cancelled subscriptions come first. */
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
