/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.c - listens on control.sock, answers requests, sends records to subscribers.
 *
 * No record may be lost or sent twice, and a slow client must not grow a queue.  So a subscriber is
 * a cursor into run.db: every record, new or old, is read from behind the cursor, and only while
 * the client's output queue is short.  The database is read through a connection of its own, which
 * sees committed records only: nothing that was sent is taken back.
 *
 * Clients are many by mistake: scripts that connect and forget.  Whoever is idle makes room for whoever
 * comes, and some places are left to those that only give commands.
 */
#include "run/store/control.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <glib-unix.h>

#include "run/store/channel.h"
#include "run/store/control-socket.h"
#include "run/store/run-db.h"

enum
{
  MAX_CLIENTS = 32,
  MAX_SUBSCRIBERS = 24,
  MAX_IDLE_S = 60,
  LOOK_MS = 1000, /* for idle clients */
  YIELD_S = 1,    /* idle for so long, a client makes room for a new one */
  STUCK_S = 10,   /* a subscriber that has not read for so long makes room for another */
  MAX_PENDING_BYTES = 256 * 1024, /* of replies; a client that never reads is dropped */
  FEED_BELOW_BYTES = 32 * 1024,
  PAGE_RECORDS = 100
};

struct _UrbControl
{
  UrbRunFolder        *folder; /* borrowed */
  UrbRunDb            *db;     /* owned; reader */
  GPtrArray           *clients; /* owned; Client */
  int                  listen_fd;
  guint                listen_id, idle_id;
  double               max_idle_s;
  const UrbControlOps *ops;       /* borrowed */
  gpointer             user_data; /* borrowed */
};

typedef struct
{
  UrbControl *control; /* borrowed */
  UrbChannel *channel; /* owned */
  gint64      cursor;  /* newest record sent; -1: not subscribed */
  gint64      active_us; /* when it last asked, or had read all that was sent */
  gboolean    live;    /* it was sent "live", after all old records */
} Client;

static void
client_free (gpointer data)
{
  Client *client = data;
  urb_channel_free (client->channel);
  g_free (client);
}

static void
drop (Client *client)
{
  g_ptr_array_remove_fast (client->control->clients, client);
}

/* Takes @line. */
static void
send_line (Client *client, JsonBuilder *line)
{
  g_autofree char *text = urb_json_end (line);
  urb_channel_send (client->channel, text);
}

/* ------------------------------------------------------------------------ */
/* Feeding subscribers                                                       */

static void
feed_record (gint64 seq, const char *json, gpointer user_data)
{
  Client *client = user_data;
  urb_channel_send (client->channel, json);
  client->cursor = seq;
}

static void
feed (Client *client)
{
  g_autoptr(GError) error = NULL;
  int n = PAGE_RECORDS;
  if (client->cursor < 0 || !urb_channel_can_send (client->channel))
    return;
  while (n == PAGE_RECORDS && urb_channel_get_pending (client->channel) < FEED_BELOW_BYTES)
    n = urb_run_db_replay (client->control->db, client->cursor, PAGE_RECORDS, feed_record, client,
                           &error);
  if (n < 0)
    g_message ("cannot send records to a client: %s", error->message);
  else if (n < PAGE_RECORDS && !client->live)
    {
      JsonBuilder *line = urb_json_new ();
      urb_json_add_string (line, "type", "live");
      urb_json_add_int (line, "seq", client->cursor);
      send_line (client, line);
      client->live = TRUE;
    }
}

void
urb_control_notify (UrbControl *self)
{
  for (guint i = 0; i < self->clients->len; i++)
    feed (g_ptr_array_index (self->clients, i));
}

void
urb_control_broadcast (UrbControl *self, const char *line)
{
  for (guint i = 0; i < self->clients->len; i++)
    {
      Client *client = g_ptr_array_index (self->clients, i);
      if (client->live && urb_channel_get_pending (client->channel) == 0)
        urb_channel_send (client->channel, line);
    }
}

void
urb_control_flush (UrbControl *self, int timeout_ms)
{
  gint64 until = g_get_monotonic_time () + timeout_ms * (gint64) 1000;
  for (guint i = 0; i < self->clients->len; i++)
    {
      Client *client = g_ptr_array_index (self->clients, i);
      gint64 before, left_ms;
      do
        {
          left_ms = (until - g_get_monotonic_time ()) / 1000;
          before = client->cursor;
          urb_channel_flush (client->channel, (int) MAX (left_ms, 0));
          feed (client);
        }
      while (left_ms > 0
             && (client->cursor != before || urb_channel_get_pending (client->channel) > 0));
    }
}

/* ------------------------------------------------------------------------ */
/* Places                                                                    */

static gboolean
is_subscribed (const Client *client)
{
  return client->cursor >= 0;
}

/* Of the clients that have done nothing for @min_s, the one that did so for longest; of subscribers only
 * those count that do not read.  (nullable) */
static Client *
find_idle (UrbControl *self, gboolean subscribed, double min_s)
{
  gint64 before_us = g_get_monotonic_time () - (gint64) (min_s * G_USEC_PER_SEC);
  Client *idle = NULL;
  for (guint i = 0; i < self->clients->len; i++)
    {
      Client *client = g_ptr_array_index (self->clients, i);
      if (is_subscribed (client) != subscribed || client->active_us > before_us
          || (subscribed && urb_channel_get_pending (client->channel) == 0))
        continue;
      if (idle == NULL || client->active_us < idle->active_us)
        idle = client;
    }
  return idle;
}

static void
drop_if_any (Client *client)
{
  if (client != NULL)
    drop (client);
}

static gboolean
idle_cb (gpointer user_data)
{
  UrbControl *self = user_data;
  Client *idle;
  while ((idle = find_idle (self, FALSE, self->max_idle_s)) != NULL)
    drop (idle);
  return G_SOURCE_CONTINUE;
}

void
urb_control_set_max_idle (UrbControl *self, double idle_s)
{
  self->max_idle_s = idle_s;
}

static int
count_subscribers (UrbControl *self)
{
  int n = 0;
  for (guint i = 0; i < self->clients->len; i++)
    n += is_subscribed (g_ptr_array_index (self->clients, i));
  return n;
}

/* @n: places of all, or of subscribers */
static GError *
refusal_new (int n, const char *what)
{
  return g_error_new (URB_RUN_ERROR, URB_RUN_ERROR_STATE,
                      "The run has too many clients: %d %s. Close one, or try again in a minute", n, what);
}

/* ------------------------------------------------------------------------ */
/* Requests                                                                  */

static JsonBuilder *
reply_new (JsonObject *request, gboolean ok)
{
  JsonBuilder *reply = urb_json_new ();
  urb_json_add_string (reply, "type", "reply");
  if (request != NULL && json_object_has_member (request, "id"))
    urb_json_add_int (reply, "id", urb_json_get_int (request, "id", 0));
  urb_json_add_bool (reply, "ok", ok);
  return reply;
}

static gboolean
subscribe (Client *client, JsonObject *request, GError **error)
{
  gint64 since = urb_json_get_int (request, "since", 0);
  if (since < 0)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_PROTOCOL, "'since' must not be negative");
      return FALSE;
    }
  if (!is_subscribed (client) && count_subscribers (client->control) >= MAX_SUBSCRIBERS)
    drop_if_any (find_idle (client->control, TRUE, STUCK_S));
  if (!is_subscribed (client) && count_subscribers (client->control) >= MAX_SUBSCRIBERS)
    {
      g_propagate_error (error, refusal_new (MAX_SUBSCRIBERS, "follow it"));
      return FALSE;
    }
  client->cursor = since;
  client->live = FALSE;
  return TRUE;
}

static gboolean
execute (Client *client, JsonObject *request, JsonBuilder *reply, GError **error)
{
  UrbControl *self = client->control;
  const char *cmd = urb_json_get_string (request, "cmd", NULL);
  if (cmd == NULL)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_PROTOCOL, "The request has no 'cmd'");
      return FALSE;
    }
  if (strcmp (cmd, "subscribe") == 0)
    return subscribe (client, request, error);
  if (strcmp (cmd, "unsubscribe") == 0)
    {
      client->cursor = -1;
      client->live = FALSE;
      return TRUE;
    }
  if (strcmp (cmd, "status") == 0)
    {
      self->ops->status (reply, self->user_data);
      return TRUE;
    }
  return self->ops->command (cmd, request, reply, self->user_data, error);
}

static void
line_cb (UrbChannel *channel, const char *line, gsize length, gpointer user_data)
{
  Client *client = user_data;
  g_autoptr(GError) error = NULL;
  g_autoptr(JsonObject) request = urb_json_parse_line (line, length, &error);
  JsonBuilder *reply = request != NULL ? reply_new (request, TRUE) : NULL;
  client->active_us = g_get_monotonic_time ();
  if (request != NULL && execute (client, request, reply, &error))
    {
      send_line (client, reply);
      feed (client);
    }
  else
    {
      g_clear_object (&reply);
      reply = reply_new (request, FALSE);
      urb_json_add_error (reply, "error", error);
      send_line (client, reply);
    }
  if (urb_channel_get_pending (client->channel) > MAX_PENDING_BYTES)
    drop (client);
}

static void
closed_cb (UrbChannel *channel, gboolean too_long, gpointer user_data)
{
  drop (user_data);
}

static void
drained_cb (UrbChannel *channel, gpointer user_data)
{
  Client *client = user_data;
  if (is_subscribed (client))
    client->active_us = g_get_monotonic_time ();
  feed (client);
}

static const UrbChannelOps channel_ops = {
  .line = line_cb,
  .closed = closed_cb,
  .drained = drained_cb,
};

/* ------------------------------------------------------------------------ */
/* Listening                                                                 */

/* Instead of the greeting.  Takes @fd. */
static void
turn_away (int fd)
{
  JsonBuilder *line = urb_json_new ();
  g_autoptr(GError) why = refusal_new (MAX_CLIENTS, "are connected");
  g_autofree char *text = NULL, *with_newline = NULL;
  urb_json_add_string (line, "type", "refused");
  urb_json_add_error (line, "error", why);
  text = urb_json_end (line);
  with_newline = g_strconcat (text, "\n", NULL);
  if (send (fd, with_newline, strlen (with_newline), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
    g_debug ("a client was turned away without a word");
  close (fd);
}

static gboolean
accept_cb (int listen_fd, GIOCondition condition, gpointer user_data)
{
  UrbControl *self = user_data;
  int fd = urb_control_socket_accept (listen_fd);
  JsonBuilder *hello;
  Client *client;
  if (fd < 0)
    return G_SOURCE_CONTINUE;
  if (!urb_control_socket_is_own_peer (fd))
    {
      close (fd);
      return G_SOURCE_CONTINUE;
    }
  if (self->clients->len >= MAX_CLIENTS)
    drop_if_any (find_idle (self, FALSE, YIELD_S));
  if (self->clients->len >= MAX_CLIENTS)
    {
      turn_away (fd);
      return G_SOURCE_CONTINUE;
    }
  client = g_new0 (Client, 1);
  client->control = self;
  client->cursor = -1;
  client->active_us = g_get_monotonic_time ();
  client->channel = urb_channel_new (fd, URB_LINE_MAX_BYTES, &channel_ops, client);
  g_ptr_array_add (self->clients, client);
  hello = urb_json_new ();
  urb_json_add_string (hello, "type", "hello");
  urb_json_add_int (hello, "protocol", URB_CONTROL_PROTOCOL);
  urb_json_add_string (hello, "engine", URBARIUM_VERSION);
  self->ops->status (hello, self->user_data);
  send_line (client, hello);
  return G_SOURCE_CONTINUE;
}

UrbControl *
urb_control_new (UrbRunFolder *folder, const UrbControlOps *ops, gpointer user_data, GError **error)
{
  g_autoptr(UrbControl) self = g_new0 (UrbControl, 1);
  g_autofree char *db = urb_run_folder_dup_file (folder, "run.db");
  self->folder = folder;
  self->ops = ops;
  self->user_data = user_data;
  self->listen_fd = -1;
  self->clients = g_ptr_array_new_with_free_func (client_free);
  self->db = urb_run_db_open_reader (db, error);
  if (self->db == NULL)
    return NULL;
  self->listen_fd = urb_control_socket_listen (urb_run_folder_get_fd (folder),
                                               URB_CONTROL_SOCKET_NAME, error);
  if (self->listen_fd < 0)
    return NULL;
  self->listen_id = g_unix_fd_add (self->listen_fd, G_IO_IN, accept_cb, self);
  self->max_idle_s = MAX_IDLE_S;
  self->idle_id = g_timeout_add (LOOK_MS, idle_cb, self);
  return g_steal_pointer (&self);
}

void
urb_control_free (UrbControl *self)
{
  if (self == NULL)
    return;
  g_clear_handle_id (&self->listen_id, g_source_remove);
  g_clear_handle_id (&self->idle_id, g_source_remove);
  if (self->listen_fd >= 0)
    {
      unlinkat (urb_run_folder_get_fd (self->folder), URB_CONTROL_SOCKET_NAME, 0);
      close (self->listen_fd);
    }
  g_ptr_array_unref (self->clients);
  urb_run_db_free (self->db);
  g_free (self);
}
