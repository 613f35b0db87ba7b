/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-control.c - clients that watch and control a run, connect late, leave
 * early, never read, or send garbage.  They share the supervisor's main loop.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "run/store/client.h"
#include "run/store/control-socket.h"
#include "supervised.h"

/* The messages a client received, and how it reacts. */
typedef struct Watcher Watcher;
struct Watcher
{
  UrbRunClient *client; /* owned */
  Supervised      *fixture;
  void        (*react) (Watcher *watcher, JsonObject *message);
  GArray       *steps;  /* owned; gint64, after rollbacks */
  gint64        seq;
  int           n_records, n_live, n_heartbeats, phase;
  gboolean      closed;
};

static void
watcher_message (UrbRunClient *client, JsonObject *message, gpointer user_data)
{
  Watcher *w = user_data;
  const char *type = urb_json_get_string (message, "type", "");
  gint64 seq = urb_json_get_int (message, "seq", -1);
  gint64 step = urb_json_get_int (message, "step", -1);
  w->n_live += strcmp (type, "live") == 0;
  w->n_heartbeats += strcmp (type, "heartbeat") == 0;
  if (seq >= 0 && strcmp (type, "live") != 0)
    {
      g_assert_cmpint (seq, >, w->seq);
      w->seq = seq;
      w->n_records++;
    }
  if (strcmp (type, "step") == 0)
    g_array_append_val (w->steps, step);
  if (strcmp (urb_json_get_string (message, "code", ""), "rewound") == 0)
    while (w->steps->len > 0 && g_array_index (w->steps, gint64, w->steps->len - 1) > step)
      g_array_set_size (w->steps, w->steps->len - 1);
  if (w->react != NULL)
    w->react (w, message);
}

static void
watcher_closed (UrbRunClient *client, gpointer user_data)
{
  ((Watcher *) user_data)->closed = TRUE;
}

static const UrbRunClientOps watcher_ops = { .message = watcher_message, .closed = watcher_closed };

static Watcher *
watcher_new (Supervised *f, void (*react) (Watcher *, JsonObject *))
{
  Watcher *w = g_new0 (Watcher, 1);
  g_autoptr(GError) error = NULL;
  w->fixture = f;
  w->react = react;
  w->steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  w->client = urb_run_client_new (f->test->run, &watcher_ops, w, &error);
  g_assert_no_error (error);
  return w;
}

static void
watcher_free (Watcher *w)
{
  urb_run_client_free (w->client);
  g_array_unref (w->steps);
  g_free (w);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Watcher, watcher_free)

/* Delivers what the supervisor sent before it ended. */
static void
watcher_settle (Watcher *w)
{
  while (!w->closed)
    g_main_context_iteration (NULL, TRUE);
}

static void
watcher_assert_steps (Watcher *w, gint64 n)
{
  g_assert_cmpuint (w->steps->len, ==, (guint) n);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpint (g_array_index (w->steps, gint64, i), ==, i + 1);
}

static void
assert_ok (JsonObject *reply, const GError *error, gpointer user_data)
{
  g_assert_no_error (error);
  if (user_data != NULL)
    (*(int *) user_data)++;
}

static gboolean
is_state (JsonObject *message, const char *state)
{
  return strcmp (urb_json_get_string (message, "code", ""), "state") == 0
         && strcmp (urb_json_get_string (message, "text", ""), state) == 0;
}

static void
start (Supervised *f, const char *script, gint64 n_steps)
{
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = supervised_make_options (f);
  options.stays_paused = TRUE;
  supervised_fill_config (f->test, &config, script, n_steps);
  supervised_prepare (f, &config, &options);
}

static void
pause_and_resume (Watcher *w, JsonObject *message)
{
  gint64 step = urb_json_get_int (message, "step", -1);
  if (w->phase == 0 && step >= 15)
    {
      w->phase = 1;
      urb_run_client_request (w->client, "pause", NULL, 0, assert_ok, NULL);
    }
  if (w->phase == 1 && is_state (message, "paused"))
    {
      w->phase = 2;
      urb_run_client_request (w->client, "resume", "steps", 50, assert_ok, NULL);
    }
}

/* Subscribed from the start, through a pause, a crash and an extension. */
static void
test_pause (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(Watcher) w = NULL;
  start (f, "ms=2,kill=37", 40);
  w = watcher_new (f, pause_and_resume);
  urb_run_client_request (w->client, "subscribe", "since", 0, assert_ok, NULL);
  supervised_finish (f);
  watcher_settle (w);
  g_assert_cmpint (w->phase, ==, 2);
  g_assert_cmpint (f->end, ==, URB_RUN_END_FINISHED);
  watcher_assert_steps (w, 50);
  supervised_assert_complete (t, 50);
}

static void
steer (Watcher *w, JsonObject *message)
{
  gint64 step = urb_json_get_int (message, "step", -1);
  if (w->phase == 0 && step == 13)
    {
      w->phase = 1;
      urb_run_client_request (w->client, "checkpoint", NULL, 0, assert_ok, &w->phase);
      urb_run_client_request (w->client, "sample", NULL, 0, assert_ok, &w->phase);
    }
  /* Periodic samples are at multiples of the interval. */
  if (w->phase >= 3 && strcmp (urb_json_get_string (message, "type", ""), "checkpoint") == 0
      && step % 10 != 0 && w->phase < 10)
    {
      w->phase += 10;
      urb_run_client_request (w->client, "stop", NULL, 0, assert_ok, &w->phase);
    }
}

static void
test_commands (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(Watcher) w = NULL;
  start (f, "ms=3", 100000);
  w = watcher_new (f, steer);
  urb_run_client_request (w->client, "subscribe", "since", 0, assert_ok, NULL);
  supervised_finish (f);
  watcher_settle (w);
  g_assert_cmpint (w->phase, ==, 14);
  g_assert_cmpint (f->end, ==, URB_RUN_END_STOPPED);
  supervised_assert_complete (t, (gint64) w->steps->len);
}

/* Clients that connect and disconnect at any time see each record once. */
static gboolean
attach_cb (gpointer user_data)
{
  GPtrArray *watchers = user_data;
  Watcher *first = g_ptr_array_index (watchers, 0);
  Watcher *w;
  /* One disconnects in the middle; a new one continues from there. */
  Watcher *last = g_ptr_array_index (watchers, watchers->len - 1);
  if (watchers->len >= 6)
    return G_SOURCE_REMOVE;
  w = watcher_new (first->fixture, NULL);
  if (watchers->len % 2 == 0)
    {
      w->seq = last->seq;
      g_array_append_vals (w->steps, last->steps->data, last->steps->len);
      g_clear_pointer (&last->client, urb_run_client_free);
      last->closed = TRUE;
    }
  urb_run_client_request (w->client, "subscribe", "since", w->seq, assert_ok, NULL);
  g_ptr_array_add (watchers, w);
  return G_SOURCE_CONTINUE;
}

static void
test_subscribers (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(GPtrArray) watchers = g_ptr_array_new_with_free_func ((GDestroyNotify) watcher_free);
  Watcher *w;
  int n_complete = 0;
  start (f, "ms=3,kill=77", 400);
  w = watcher_new (f, NULL);
  urb_run_client_request (w->client, "subscribe", "since", 0, assert_ok, NULL);
  g_ptr_array_add (watchers, w);
  g_timeout_add (200, attach_cb, watchers);
  supervised_finish (f);
  for (guint i = 0; i < watchers->len; i++)
    {
      w = g_ptr_array_index (watchers, i);
      if (w->client == NULL)
        continue;
      watcher_settle (w);
      g_assert_cmpint (w->n_live, ==, 1);
      watcher_assert_steps (w, 400);
      n_complete++;
    }
  g_assert_cmpint (n_complete, >=, 3);
  w = g_ptr_array_index (watchers, 0);
  g_assert_cmpint (w->n_heartbeats, >, 0);
}

typedef struct
{
  guint    seen; /* a bit each */
  gboolean told; /* in a status */
} Ranks;

static void
assert_rank (JsonObject *worker, Ranks *ranks)
{
  gint64 rank = urb_json_get_int (worker, "rank", -1);
  g_assert_cmpint (rank, >=, 0);
  g_assert_cmpint (rank, <=, 2);
  ranks->seen |= 1u << rank;
  g_assert_cmpint (json_object_has_member (worker, "cores_busy"), ==, rank == 0);
  if (rank == 0)
    return;
  g_assert_cmpint (urb_json_get_int (worker, "step", -1), ==, 100 + rank);
  g_assert_cmpstr (urb_json_get_string (worker, "doing", ""), ==, rank == 1 ? "step" : "idle");
  g_assert_cmpint (urb_json_get_int (worker, "pid", 0), >, 1);
  /* A waiting rank is not reported as silent. */
  g_assert_cmpint (urb_json_get_double (worker, "silence_s", -1) > 0, ==, rank == 1);
}

static void
take_ranks (JsonObject *reply, const GError *error, gpointer user_data)
{
  Ranks *ranks = user_data;
  JsonArray *workers = json_object_get_array_member (reply, "workers");
  ranks->seen = 0;
  for (guint i = 0; i < json_array_get_length (workers); i++)
    assert_rank (json_array_get_object_element (workers, i), ranks);
  g_assert_cmpuint (ranks->seen, ==, 7);
  ranks->told = TRUE;
}

static Ranks ranks_told;

static void
react_to_ranks (Watcher *w, JsonObject *message)
{
  if (strcmp (urb_json_get_string (message, "type", ""), "heartbeat") != 0)
    return;
  assert_rank (message, &ranks_told);
  if (ranks_told.seen == 7 && w->phase++ == 0)
    urb_run_client_request (w->client, "status", NULL, 0, take_ranks, &ranks_told);
}

/* Ranks that are not child processes of the supervisor are reported like those that are; ranks that
 * have not started are not. */
static void
test_ranks (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(Watcher) w = NULL;
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = supervised_make_options (f);
  ranks_told = (Ranks) { 0 };
  supervised_fill_config (t, &config, "ms=5,others=2", 500);
  config.train.strategy = URB_STRATEGY_DDP;
  config.train.n_ranks = 4;
  supervised_prepare (f, &config, &options);
  w = watcher_new (f, react_to_ranks);
  urb_run_client_request (w->client, "subscribe", "since", 0, assert_ok, NULL);
  supervised_finish (f);
  g_assert_true (ranks_told.told);
}

/* A client that never reads costs the supervisor no memory, and blocks no one. */
static void
test_slow_client (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(Watcher) w = NULL;
  static const char subscribe[] = "{\"cmd\":\"subscribe\",\"since\":0}\n";
  g_autofree char *asks = NULL;
  int lazy, greedy;
  char byte;
  gssize n;
  GString *many = g_string_new (NULL);
  start (f, "", 4000);
  lazy = urb_control_socket_connect (t->run, URB_CONTROL_SOCKET_NAME, NULL);
  greedy = urb_control_socket_connect (t->run, URB_CONTROL_SOCKET_NAME, NULL);
  g_assert_cmpint (write (lazy, subscribe, sizeof subscribe - 1), >, 0);
  for (int i = 0; i < 5000; i++)
    g_string_append (many, "{\"cmd\":\"status\"}\n");
  asks = g_string_free (many, FALSE);
  g_assert_cmpint (send (greedy, asks, strlen (asks), MSG_DONTWAIT), >, 0);
  w = watcher_new (f, NULL);
  urb_run_client_request (w->client, "subscribe", "since", 0, assert_ok, NULL);
  supervised_finish (f);
  watcher_settle (w);
  watcher_assert_steps (w, 4000);
  /* The client that did not read was disconnected, and misses the last answers. */
  do
    n = recv (greedy, &byte, 1, MSG_DONTWAIT);
  while (n == 1);
  g_assert_true (n == 0 || errno == ECONNRESET);
  close (lazy);
  close (greedy);
}

/* ------------------------------------------------------------------------ */
/* Lines that violate the protocol */

typedef struct
{
  int      fd;
  GString *heard; /* owned */
} Raw;

static gboolean
hear_cb (gpointer user_data)
{
  Raw *raw = user_data;
  char bytes[4096];
  gssize n = recv (raw->fd, bytes, sizeof bytes, MSG_DONTWAIT);
  if (n > 0)
    g_string_append_len (raw->heard, bytes, n);
  return G_SOURCE_CONTINUE;
}

enum { N_PLACES = 32, N_FOLLOWERS = 24, N_CROWD = 40 };

/* Connects, and lets the supervisor take note.  Sends @line, unless that is NULL. */
static int
join_crowd (RunTest *t, const char *line)
{
  int fd = urb_control_socket_connect (t->run, URB_CONTROL_SOCKET_NAME, NULL);
  g_assert_cmpint (fd, >=, 0);
  if (line != NULL)
    g_assert_cmpint (write (fd, line, strlen (line)), >, 0);
  for (int i = 0; i < 5; i++)
    g_main_context_iteration (NULL, FALSE);
  return fd;
}

/* All that arrived. (transfer full) */
static char *
hear (int fd)
{
  char *heard = g_malloc0 (65536);
  gssize n = recv (fd, heard, 65535, MSG_DONTWAIT);
  g_assert_cmpint (n, >, 0);
  return heard;
}

static void
call_stop (gpointer user_data)
{
  RunTest *t = user_data;
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunClient) client = urb_run_client_new (t->run, NULL, NULL, &error);
  g_autoptr(JsonObject) reply = NULL;
  g_assert_no_error (error);
  reply = urb_run_client_call (client, "stop", NULL, 0, 10000, &error);
  g_assert_no_error (error);
  g_assert_nonnull (reply);
}

static gboolean
call_stop_cb (gpointer user_data)
{
  call_stop (user_data);
  return G_SOURCE_REMOVE;
}

/* More clients than there are places: the others are told, and cost nothing.  Once those are idle, they
 * make room for a command. */
static void
test_crowd (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  int crowd[N_CROWD];
  start (f, "ms=3", 1000000);
  for (int i = 0; i < N_CROWD; i++)
    crowd[i] = join_crowd (t, NULL);
  for (int i = 0; i < N_CROWD; i++)
    {
      g_autofree char *heard = hear (crowd[i]);
      g_assert_true (g_str_has_prefix (heard, i < N_PLACES ? "{\"type\":\"hello\""
                                                           : "{\"type\":\"refused\",\"error\":{"));
      g_assert_true (i < N_PLACES || strstr (heard, "too many clients: 32 are connected") != NULL);
    }
  g_timeout_add (1500, call_stop_cb, t);
  supervised_finish (f);
  g_assert_cmpint (f->end, ==, URB_RUN_END_STOPPED);
  for (int i = 0; i < N_CROWD; i++)
    close (crowd[i]);
}

/* Whoever is turned away at once learns why from the client library, too. */
static void
test_refused (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(UrbRunClient) client = NULL;
  g_autoptr(GError) error = NULL;
  int crowd[N_PLACES];
  start (f, "ms=3", 20);
  for (int i = 0; i < N_PLACES; i++)
    crowd[i] = join_crowd (t, NULL);
  client = urb_run_client_new (t->run, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (urb_run_client_call (client, "status", NULL, 0, 10000, &error));
  g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_STATE);
  supervised_finish (f);
  for (int i = 0; i < N_PLACES; i++)
    close (crowd[i]);
}

typedef struct
{
  RunTest *test;
  int      crowd[N_PLACES];
} Crowd;

static gboolean
look_at_crowd_cb (gpointer user_data)
{
  Crowd *self = user_data;
  for (int i = 0; i < N_PLACES; i++)
    {
      char byte;
      gssize n = recv (self->crowd[i], &byte, 1, MSG_DONTWAIT);
      g_assert_true (i < N_FOLLOWERS ? n != 0 : n == 0);
    }
  call_stop (self->test);
  return G_SOURCE_REMOVE;
}

/* Subscribers are never idle, even if nothing is sent to them, and leave places for commands. */
static void
test_followers (RunTest *t, gconstpointer data)
{
  static const char subscribe[] = "{\"id\":1,\"cmd\":\"subscribe\",\"since\":1000000}\n";
  g_autoptr(Supervised) f = supervised_new (t);
  UrbSupervisorOptions options = supervised_make_options (f);
  g_auto(UrbRunConfig) config = { 0 };
  Crowd self = { .test = t };
  options.max_idle_s = 0.5;
  supervised_fill_config (t, &config, "ms=3", 1000000);
  supervised_prepare (f, &config, &options);
  for (int i = 0; i < N_PLACES; i++)
    {
      g_autofree char *heard = NULL;
      self.crowd[i] = join_crowd (t, i < N_PLACES - 1 ? subscribe : NULL);
      heard = hear (self.crowd[i]);
      g_assert_true (i == N_PLACES - 1
                     || strstr (heard, i < N_FOLLOWERS ? "\"ok\":true" : "too many clients: 24 follow it") != NULL);
    }
  g_timeout_add (3000, look_at_crowd_cb, &self);
  supervised_finish (f);
  for (int i = 0; i < N_PLACES; i++)
    close (self.crowd[i]);
}

static void
test_malformed (RunTest *t, gconstpointer data)
{
  static const char lines[] =
    "this is not JSON\n[1,2]\n{}\n{\"id\":1,\"cmd\":\"fly\"}\n{\"id\":2,\"cmd\":7}\n"
    "{\"id\":3,\"cmd\":\"subscribe\",\"since\":-1}\n{\"id\":\"x\",\"cmd\":\"resume\",\"steps\":{}}"
    "\n"
    "{\"id\":4,\"cmd\":\"resume\",\"steps\":1e99}\n\xff\xfe\n{\"id\":5,\"cmd\":\"status\"}\n";
  g_autoptr(Supervised) f = supervised_new (t);
  g_autofree char *endless = g_strnfill (1 << 18, 'x');
  Raw raw = { .heard = g_string_new (NULL) };
  int n_refused = 0, flood;
  guint id;
  start (f, "ms=3", 200);
  raw.fd = urb_control_socket_connect (t->run, URB_CONTROL_SOCKET_NAME, NULL);
  flood = urb_control_socket_connect (t->run, URB_CONTROL_SOCKET_NAME, NULL);
  g_assert_cmpint (write (raw.fd, lines, sizeof lines - 1), ==, sizeof lines - 1);
  g_assert_cmpint (send (flood, endless, strlen (endless), MSG_DONTWAIT), >, 0);
  id = g_timeout_add (20, hear_cb, &raw);
  supervised_finish (f);
  hear_cb (&raw);
  g_source_remove (id);
  for (const char *p = raw.heard->str; (p = strstr (p, "\"ok\":false")) != NULL; p++)
    n_refused++;
  g_assert_cmpint (n_refused, ==, 7);
  g_assert_true (g_str_has_prefix (raw.heard->str, "{\"type\":\"hello\",\"protocol\":1,"));
  g_assert_nonnull (strstr (raw.heard->str, "{\"type\":\"reply\",\"id\":5,\"ok\":true,"));
  g_assert_nonnull (strstr (raw.heard->str, "There is no command 'fly'"));
  supervised_assert_complete (t, 200);
  close (raw.fd);
  close (flood);
  g_string_free (raw.heard, TRUE);
}

/* The folder's path is too long for a socket's address. */
static void
test_long_path (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(Watcher) w = NULL;
  GStatBuf info;
  g_autofree char *socket = NULL;
  for (int i = 0; i < 4; i++)
    {
      g_autofree char *name = g_strnfill (60, 'a' + (char) i);
      char *longer = g_build_filename (t->run, name, NULL);
      g_assert_cmpint (g_mkdir_with_parents (t->run, 0700), ==, 0);
      g_free (t->run);
      t->run = longer;
    }
  g_assert_cmpuint (strlen (t->run), >, 200);
  start (f, "ms=1", 50);
  socket = g_build_filename (t->run, "control.sock", NULL);
  g_assert_cmpint (g_stat (socket, &info), ==, 0);
  g_assert_cmpint (info.st_mode & 0777, ==, 0600);
  w = watcher_new (f, NULL);
  urb_run_client_request (w->client, "subscribe", "since", 0, assert_ok, NULL);
  supervised_finish (f);
  watcher_settle (w);
  watcher_assert_steps (w, 50);
  supervised_assert_complete (t, 50);
}

/* A supervisor that is stopped does not reply. */
static void
test_silent (RunTest *t, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunClient) client = NULL;
  int folder, listening;
  g_assert_cmpint (g_mkdir (t->run, 0700), ==, 0);
  folder = open (t->run, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  listening = urb_control_socket_listen (folder, URB_CONTROL_SOCKET_NAME, &error);
  g_assert_no_error (error);
  client = urb_run_client_new (t->run, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (urb_run_client_call_text (client, "note", "note", "wider", 20, &error));
  g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_OFFLINE);
  close (listening);
  close (folder);
}

static void
test_offline (RunTest *t, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(Supervised) f = supervised_new (t);
  g_assert_null (urb_run_client_new (t->run, NULL, NULL, &error));
  g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_OFFLINE);
  g_clear_error (&error);
  g_assert_true (supervised_run (f, "", 3));
  g_assert_null (urb_run_client_new (t->run, NULL, NULL, &error));
  g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_OFFLINE);
}

/* A diverged run is paused, and can be stopped. */
static void
stop_when_paused (Watcher *w, JsonObject *message)
{
  if (is_state (message, "paused"))
    urb_run_client_request (w->client, "stop", NULL, 0, assert_ok, &w->phase);
}

static void
test_diverged_stays (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(Watcher) w = NULL;
  start (f, "diverge=15", 40);
  w = watcher_new (f, stop_when_paused);
  urb_run_client_request (w->client, "subscribe", "since", 0, assert_ok, NULL);
  supervised_finish (f);
  watcher_settle (w);
  g_assert_cmpint (w->phase, ==, 1);
  supervised_assert_said (f, "The training diverged. The loss of step 15 is not a number");
  supervised_assert_complete (t, 10);
}

int
main (int argc, char **argv)
{
  int code = fake_job_main (argc, argv, &fake_job);
  if (code >= 0)
    return code;
  g_test_init (&argc, &argv, NULL);
  run_test_add ("/control/diverged-stays", test_diverged_stays);
  run_test_add ("/control/pause", test_pause);
  run_test_add ("/control/commands", test_commands);
  run_test_add ("/control/subscribers", test_subscribers);
  run_test_add ("/control/ranks", test_ranks);
  run_test_add ("/control/slow-client", test_slow_client);
  run_test_add ("/control/malformed", test_malformed);
  run_test_add ("/control/crowd", test_crowd);
  run_test_add ("/control/refused", test_refused);
  run_test_add ("/control/followers", test_followers);
  run_test_add ("/control/long-path", test_long_path);
  run_test_add ("/control/offline", test_offline);
  run_test_add ("/control/silent", test_silent);
  return g_test_run ();
}
