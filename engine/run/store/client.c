/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.c - see client.h.
 *
 * Replies come in order, but are matched by the number of the request.
 */
#include "run/store/client.h"

#include <glib/gi18n.h>
#include <string.h>

#include "run/store/channel.h"
#include "run/store/control-socket.h"

enum { MAX_LINE_BYTES = 4 * 1024 * 1024 };

struct _UrbRunClient
{
  UrbChannel            *channel; /* owned */
  GHashTable            *waiting; /* owned; gint64 id -> Waiting */
  gint64                 last_id;
  gboolean               closed;
  GError                *refusal; /* owned, nullable; instead of a greeting */
  const UrbRunClientOps *ops;       /* borrowed, nullable */
  gpointer               user_data; /* borrowed */
};

typedef struct
{
  UrbRunClientReplyFunc func;
  gpointer              user_data; /* borrowed */
} Waiting;

static void
answer (Waiting *waiting, JsonObject *reply)
{
  g_autoptr(GError) error = NULL;
  if (waiting->func == NULL)
    return;
  if (urb_json_get_bool (reply, "ok", FALSE))
    {
      waiting->func (reply, NULL, waiting->user_data);
      return;
    }
  error = urb_json_get_error (reply, "error");
  if (error == NULL)
    error = g_error_new_literal (URB_RUN_ERROR, URB_RUN_ERROR_PROTOCOL,
                                 N_ ("The run refused the request without a reason"));
  waiting->func (NULL, error, waiting->user_data);
}

static void
line_cb (UrbChannel *channel, const char *line, gsize length, gpointer user_data)
{
  UrbRunClient *self = user_data;
  g_autoptr(JsonObject) message = urb_json_parse_line (line, length, NULL);
  gint64 id = urb_json_get_int (message, "id", -1);
  gpointer key, waiting;
  if (message == NULL)
    return;
  if (strcmp (urb_json_get_string (message, "type", ""), "reply") == 0)
    {
      if (!g_hash_table_steal_extended (self->waiting, &id, &key, &waiting))
        return;
      answer (waiting, message);
      g_free (key);
      g_free (waiting);
    }
  else if (strcmp (urb_json_get_string (message, "type", ""), "refused") == 0)
    {
      g_clear_error (&self->refusal);
      self->refusal = urb_json_get_error (message, "error");
    }
  else if (self->ops != NULL && self->ops->message != NULL)
    self->ops->message (self, message, self->user_data);
}

static void
refuse_all (UrbRunClient *self)
{
  g_autoptr(GHashTable) waiting = g_steal_pointer (&self->waiting);
  g_autoptr(GError) error = self->refusal != NULL
                              ? g_error_copy (self->refusal)
                              : g_error_new_literal (URB_RUN_ERROR, URB_RUN_ERROR_OFFLINE,
                                                     N_ ("The run ended before it replied"));
  GHashTableIter iter;
  gpointer value;
  self->waiting = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  g_hash_table_iter_init (&iter, waiting);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (((Waiting *) value)->func != NULL)
      ((Waiting *) value)->func (NULL, error, ((Waiting *) value)->user_data);
}

static void
closed_cb (UrbChannel *channel, gboolean too_long, gpointer user_data)
{
  UrbRunClient *self = user_data;
  self->closed = TRUE;
  refuse_all (self);
  if (self->ops != NULL && self->ops->closed != NULL)
    self->ops->closed (self, self->user_data);
}

static const UrbChannelOps channel_ops = { .line = line_cb, .closed = closed_cb };

UrbRunClient *
urb_run_client_new (const char *folder, const UrbRunClientOps *ops, gpointer user_data,
                    GError **error)
{
  UrbRunClient *self;
  int fd;
  g_return_val_if_fail (folder != NULL, NULL);
  fd = urb_control_socket_connect (folder, URB_CONTROL_SOCKET_NAME, error);
  if (fd < 0)
    return NULL;
  self = g_new0 (UrbRunClient, 1);
  self->ops = ops;
  self->user_data = user_data;
  self->waiting = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->channel = urb_channel_new (fd, MAX_LINE_BYTES, &channel_ops, self);
  return self;
}

void
urb_run_client_free (UrbRunClient *self)
{
  if (self == NULL)
    return;
  urb_channel_free (self->channel);
  g_hash_table_unref (self->waiting);
  g_clear_error (&self->refusal);
  g_free (self);
}

/* { "id": …, "cmd": …: what every request begins with */
static JsonBuilder *
begin_request (UrbRunClient *self, const char *cmd)
{
  JsonBuilder *line = urb_json_new ();
  urb_json_add_int (line, "id", ++self->last_id);
  urb_json_add_string (line, "cmd", cmd);
  return line;
}

/* Takes @line. */
static void
send_request (UrbRunClient *self, JsonBuilder *line, UrbRunClientReplyFunc func, gpointer user_data)
{
  g_autofree char *text = urb_json_end (line);
  gint64 *id = g_new (gint64, 1);
  Waiting *waiting = g_new (Waiting, 1);
  *id = self->last_id;
  *waiting = (Waiting){ func, user_data };
  g_hash_table_insert (self->waiting, id, waiting);
  if (self->closed)
    refuse_all (self);
  else
    urb_channel_send (self->channel, text);
}

static JsonBuilder *
begin_with_number (UrbRunClient *self, const char *cmd, const char *key, gint64 value)
{
  JsonBuilder *line = begin_request (self, cmd);
  if (key != NULL)
    urb_json_add_int (line, key, value);
  return line;
}

static JsonBuilder *
begin_with_text (UrbRunClient *self, const char *cmd, const char *key, const char *value)
{
  JsonBuilder *line = begin_request (self, cmd);
  urb_json_add_string (line, key, value);
  return line;
}

void
urb_run_client_request (UrbRunClient *self, const char *cmd, const char *key, gint64 value,
                        UrbRunClientReplyFunc func, gpointer user_data)
{
  send_request (self, begin_with_number (self, cmd, key, value), func, user_data);
}

void
urb_run_client_request_text (UrbRunClient *self, const char *cmd, const char *key,
                             const char *value, UrbRunClientReplyFunc func, gpointer user_data)
{
  send_request (self, begin_with_text (self, cmd, key, value), func, user_data);
}

/* ------------------------------------------------------------------------ */

typedef struct
{
  gboolean    done;
  JsonObject *reply; /* owned */
  GError     *error; /* owned */
} Call;

static void
call_reply_cb (JsonObject *reply, const GError *error, gpointer user_data)
{
  Call *call = user_data;
  call->done = TRUE;
  call->reply = reply != NULL ? json_object_ref (reply) : NULL;
  call->error = error != NULL ? g_error_copy (error) : NULL;
}

static gboolean
call_timeout_cb (gpointer user_data)
{
  Call *call = user_data;
  call->done = TRUE;
  return G_SOURCE_CONTINUE;
}

/* Sends @line, which it takes, and waits. */
static JsonObject *
send_and_wait (UrbRunClient *self, JsonBuilder *line, int timeout_ms, GError **error)
{
  GMainContext *context = g_main_context_get_thread_default ();
  g_autoptr(GSource) timeout = g_timeout_source_new ((guint) timeout_ms);
  Call call = { 0 };
  gint64 id = self->last_id;
  g_source_set_callback (timeout, call_timeout_cb, &call, NULL);
  g_source_attach (timeout, context);
  send_request (self, line, call_reply_cb, &call);
  while (!call.done)
    g_main_context_iteration (context, TRUE);
  g_source_destroy (timeout);
  g_hash_table_remove (self->waiting, &id); /* ignores a late reply */
  if (call.error != NULL)
    g_propagate_error (error, call.error);
  else if (call.reply == NULL)
    g_set_error_literal (error, URB_RUN_ERROR, URB_RUN_ERROR_OFFLINE, N_ ("The run does not reply"));
  return call.reply;
}

JsonObject *
urb_run_client_call (UrbRunClient *self, const char *cmd, const char *key, gint64 value,
                     int timeout_ms, GError **error)
{
  return send_and_wait (self, begin_with_number (self, cmd, key, value), timeout_ms, error);
}

JsonObject *
urb_run_client_call_text (UrbRunClient *self, const char *cmd, const char *key, const char *value,
                          int timeout_ms, GError **error)
{
  return send_and_wait (self, begin_with_text (self, cmd, key, value), timeout_ms, error);
}

JsonObject *
urb_run_client_call_texts (UrbRunClient *self, const char *cmd, const char *key, const char *const *values,
                           int timeout_ms, GError **error)
{
  JsonBuilder *line = begin_request (self, cmd);
  urb_json_add_strings (line, key, values);
  return send_and_wait (self, line, timeout_ms, error);
}
