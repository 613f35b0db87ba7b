/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-supervisor.c - a supervisor with a worker that does as it is told:
 * finishes, dies, hangs, diverges; and clients that watch and steer it.
 *
 * The supervisor and its clients share this process's main loop; the worker is
 * a process of its own, this program again (fake-job.h).
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "fake-job.h"
#include "run-test.h"
#include "run/client.h"
#include "run/control-socket.h"
#include "run/run-db.h"
#include "run/supervisor.h"

static const char *worker_argv[] = { "/proc/self/exe", "worker", NULL };

typedef struct
{
  RunTest       *test;
  UrbSupervisor *supervisor; /* owned */
  UrbRunEnd      end;
  GError        *error;      /* owned */
  GString       *events;     /* owned; one a line */
  GString       *profile;    /* owned */
  int            worker_pid;
} Fixture;

/* ------------------------------------------------------------------------ */
/* A run, and what is left of it                                             */

static void
event_cb (const char *level, const char *text, gpointer user_data)
{
  Fixture *f = user_data;
  g_string_append_printf (f->events, "%s: %s\n", level, text);
}

static void
profile_cb (const char *text, gpointer user_data)
{
  g_string_append (((Fixture *) user_data)->profile, text);
}

static const UrbSupervisorObserver observer = { .event = event_cb, .profile = profile_cb };

static void
fill_config (RunTest *t, UrbRunConfig *config, const char *script, gint64 n_steps)
{
  urb_run_config_init (config);
  config->name = g_strdup ("test");
  config->checkpoint_every = 10;
  config->sample_every = 5;
  config->train.n_steps = n_steps;
  g_free (config->train.preset);
  config->train.preset = g_strdup (script);
  config->train.dataset = g_strdup (t->base);
}

static UrbSupervisorOptions
make_options (Fixture *f)
{
  return (UrbSupervisorOptions){
    .worker_argv = worker_argv, .observer = &observer, .user_data = f, .max_restarts = 3,
    .max_silence_s = 30, .max_step_s = 30,
  };
}

static Fixture *
fixture_new (RunTest *t)
{
  Fixture *f = g_new0 (Fixture, 1);
  f->test = t;
  f->events = g_string_new (NULL);
  f->profile = g_string_new (NULL);
  return f;
}

static void
fixture_free (Fixture *f)
{
  urb_supervisor_free (f->supervisor);
  g_clear_error (&f->error);
  g_string_free (f->events, TRUE);
  g_string_free (f->profile, TRUE);
  g_free (f);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Fixture, fixture_free)

static void
prepare (Fixture *f, const UrbRunConfig *config, const UrbSupervisorOptions *options)
{
  g_autoptr(GError) error = NULL;
  if (f->test->folder == NULL)
    f->test->folder = urb_run_folder_create (f->test->run, URB_RUN_FOLDER_NEW, &error);
  g_assert_no_error (error);
  g_clear_pointer (&f->supervisor, urb_supervisor_free);
  f->supervisor = urb_supervisor_new (f->test->folder, config, options, &error);
  g_assert_no_error (error);
}

static void
finish (Fixture *f)
{
  g_assert_true (urb_supervisor_run (f->supervisor, &f->end, &f->error));
  g_clear_pointer (&f->supervisor, urb_supervisor_free);
}

static gboolean
run (Fixture *f, const char *script, gint64 n_steps)
{
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = make_options (f);
  gboolean good;
  fill_config (f->test, &config, script, n_steps);
  prepare (f, &config, &options);
  g_clear_error (&f->error);
  good = urb_supervisor_run (f->supervisor, &f->end, &f->error);
  g_clear_pointer (&f->supervisor, urb_supervisor_free);
  return good;
}

typedef struct
{
  gint64  seq;
  GArray *steps; /* owned; gint64 */
  int     n_samples, n_checkpoints, n_sessions;
} History;

static void
history_clear (History *h)
{
  g_array_unref (h->steps);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (History, history_clear)

static void
read_record (gint64 seq, const char *json, gpointer user_data)
{
  History *h = user_data;
  g_autoptr(JsonObject) record = urb_json_parse_line (json, strlen (json), NULL);
  const char *type = urb_json_get_string (record, "type", "");
  gint64 step = urb_json_get_int (record, "step", -1);
  h->seq = seq;
  if (strcmp (type, "step") == 0)
    g_array_append_val (h->steps, step);
  h->n_samples += strcmp (type, "sample") == 0;
  h->n_checkpoints += strcmp (type, "checkpoint") == 0;
  h->n_sessions += strcmp (type, "session") == 0;
}

static void
read_history (RunTest *t, History *h)
{
  g_autofree char *path = g_build_filename (t->run, "run.db", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunDb) db = urb_run_db_open_reader (path, &error);
  g_assert_no_error (error);
  *h = (History){ .steps = g_array_new (FALSE, FALSE, sizeof (gint64)) };
  while (urb_run_db_replay (db, h->seq, 100, read_record, h, NULL) == 100)
    ;
}

/* Each step once, the right weights, no worker, no socket, no torn file. */
static void
assert_complete (RunTest *t, gint64 n_steps)
{
  g_auto(History) h = { 0 };
  g_autofree char *name = urb_run_checkpoint_name (n_steps);
  g_autofree char *path = g_build_filename (t->run, name, NULL);
  g_autofree char *socket = g_build_filename (t->run, "control.sock", NULL);
  read_history (t, &h);
  g_assert_cmpuint (h.steps->len, ==, (guint) n_steps);
  for (gint64 i = 0; i < n_steps; i++)
    g_assert_cmpint (g_array_index (h.steps, gint64, i), ==, i + 1);
  g_assert_cmpuint (fake_job_read_state (path), ==, fake_job_state_at (n_steps));
  g_assert_false (g_file_test (socket, G_FILE_TEST_EXISTS));
}

static void
assert_said (Fixture *f, const char *text)
{
  if (strstr (f->events->str, text) == NULL)
    g_error ("nobody said '%s':\n%s", text, f->events->str);
}

/* ------------------------------------------------------------------------ */
/* Runs                                                                      */

static void
test_finishes (RunTest *t, gconstpointer data)
{
  g_autoptr(Fixture) f = fixture_new (t);
  g_auto(History) h = { 0 };
  g_autoptr(GArray) checkpoints = NULL;
  g_assert_true (run (f, "", 42));
  g_assert_cmpint (f->end, ==, URB_RUN_END_FINISHED);
  assert_complete (t, 42);
  read_history (t, &h);
  g_assert_cmpint (h.n_samples, ==, 1 + 8 + 1); /* untrained, every 5 steps, the last */
  g_assert_cmpint (h.n_checkpoints, ==, 5);
  g_assert_cmpint (h.n_sessions, ==, 1);
  checkpoints = urb_run_folder_list_checkpoints (t->run);
  g_assert_cmpuint (checkpoints->len, ==, 3);
  g_assert_cmpint (g_array_index (checkpoints, gint64, 0), ==, 30);
  g_assert_cmpint (g_array_index (checkpoints, gint64, 2), ==, 42);
}

static void
test_extended (RunTest *t, gconstpointer data)
{
  g_autoptr(Fixture) f = fixture_new (t);
  g_assert_true (run (f, "", 10));
  assert_complete (t, 10);
  g_assert_true (run (f, "", 25));
  g_assert_cmpint (f->end, ==, URB_RUN_END_FINISHED);
  assert_complete (t, 25);
}

/* Each way of dying is told, and the run goes on to the same result. */
static void
test_survives (RunTest *t, gconstpointer data)
{
  static const struct { const char *script, *says; } deaths[] = {
    { "kill=17", "was killed by signal 9, probably out of memory" },
    { "abort=17", "was killed by signal 6 (Aborted)" },
    { "exit=17", "exited with code 3" },
    { "kill=3", "The run goes on from the beginning" },
    { "full=20", "No space left on device" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (deaths); i++)
    {
      g_autoptr(Fixture) f = fixture_new (t);
      g_assert_true (run (f, deaths[i].script, 32));
      g_assert_cmpint (f->end, ==, URB_RUN_END_FINISHED);
      assert_said (f, deaths[i].says);
      if (strstr (deaths[i].script, "full") == NULL)
        assert_said (f, "Worker rank 0 (process ");
      assert_complete (t, 32);
      g_clear_pointer (&t->folder, urb_run_folder_free);
      run_test_delete (t->run);
      run_test_delete (t->base);
      g_assert_cmpint (g_mkdir (t->base, 0700), ==, 0);
    }
}

static void
test_gives_up (RunTest *t, gconstpointer data)
{
  g_autoptr(Fixture) f = fixture_new (t);
  g_autoptr(GArray) checkpoints = NULL;
  g_assert_false (run (f, "kill-always=15", 32));
  g_assert_error (f->error, URB_RUN_ERROR, URB_RUN_ERROR_WORKER);
  g_assert_nonnull (strstr (f->error->message, "restarted 3 times"));
  g_assert_nonnull (strstr (f->error->message, "killed by signal 9"));
  checkpoints = urb_run_folder_list_checkpoints (t->run);
  g_assert_cmpuint (checkpoints->len, ==, 1);
  /* And what went well is still there. */
  g_assert_true (run (f, "", 32));
  assert_complete (t, 32);
}

static void
test_device_error (RunTest *t, gconstpointer data)
{
  g_autoptr(Fixture) f = fixture_new (t);
  g_assert_false (run (f, "device=5", 32));
  g_assert_error (f->error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DEVICE);
  g_assert_nonnull (strstr (f->error->message, "the device is on fire"));
}

static void
test_refused (RunTest *t, gconstpointer data)
{
  g_autoptr(Fixture) f = fixture_new (t);
  g_assert_false (run (f, "refuse=1", 32));
  g_assert_error (f->error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
  g_assert_null (strstr (f->events->str, "restart"));
}

static void
test_diverged (RunTest *t, gconstpointer data)
{
  g_autoptr(Fixture) f = fixture_new (t);
  g_assert_false (run (f, "diverge=27", 32));
  g_assert_error (f->error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED);
  g_assert_nonnull (strstr (f->error->message, "diverged at step 27"));
  g_assert_nonnull (strstr (f->error->message, "the checkpoint of step 20"));
  g_assert_true (run (f, "", 32));
  assert_complete (t, 32);
}

static void
run_with_limits (RunTest *t, const char *script, const char *says)
{
  g_autoptr(Fixture) f = fixture_new (t);
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = make_options (f);
  options.max_silence_s = 2.5;
  options.max_step_s = 1.5;
  fill_config (t, &config, script, 22);
  prepare (f, &config, &options);
  finish (f);
  assert_said (f, says);
  assert_complete (t, 22);
}

static void
test_hangs (RunTest *t, gconstpointer data)
{
  run_with_limits (t, "hang=12", "because it has been busy with 'step' at step 12 for");
}

static void
test_freezes (RunTest *t, gconstpointer data)
{
  run_with_limits (t, "freeze=12", "because it has been silent for");
}

static void
test_time_limit (RunTest *t, gconstpointer data)
{
  g_autoptr(Fixture) f = fixture_new (t);
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = make_options (f);
  g_autofree char *sample = NULL;
  g_autoptr(GArray) checkpoints = NULL;
  gint64 step;
  options.max_minutes = 0.5 / 60;
  options.profile = TRUE;
  fill_config (t, &config, "ms=5", 100000);
  prepare (f, &config, &options);
  finish (f);
  g_assert_cmpint (f->end, ==, URB_RUN_END_STOPPED);
  /* It ends with a checkpoint, a wall and the profile. */
  checkpoints = urb_run_folder_list_checkpoints (t->run);
  step = g_array_index (checkpoints, gint64, checkpoints->len - 1);
  assert_complete (t, step);
  {
    g_autofree char *name = urb_run_sample_name (step);
    sample = g_build_filename (t->run, name, NULL);
  }
  g_assert_true (g_file_test (sample, G_FILE_TEST_EXISTS));
  g_assert_nonnull (strstr (f->profile->str, "g_usleep"));
}

/* A checkpoint that rots on the disk is set aside for the one before it. */
static void
test_damaged_checkpoint (RunTest *t, gconstpointer data)
{
  g_autoptr(Fixture) f = fixture_new (t);
  g_autofree char *path = g_build_filename (t->run, "checkpoints/step-000000030.safetensors", NULL);
  g_assert_true (run (f, "", 30));
  g_assert_cmpint (truncate (path, 1000), ==, 0);
  g_assert_true (run (f, "", 40));
  assert_said (f, "it was set aside");
  assert_complete (t, 40);
}

static gboolean
send_signal_cb (gpointer data)
{
  kill (getpid (), GPOINTER_TO_INT (data));
  return G_SOURCE_REMOVE;
}

static void
test_interrupted (RunTest *t, gconstpointer data)
{
  g_autoptr(Fixture) f = fixture_new (t);
  g_autoptr(GArray) checkpoints = NULL;
  g_timeout_add (400, send_signal_cb, GINT_TO_POINTER (SIGINT));
  g_assert_true (run (f, "ms=5", 100000));
  g_assert_cmpint (f->end, ==, URB_RUN_END_INTERRUPTED);
  checkpoints = urb_run_folder_list_checkpoints (t->run);
  assert_complete (t, g_array_index (checkpoints, gint64, checkpoints->len - 1));
}

/* The second Ctrl+C does not wait for a step that takes forever. */
static void
test_interrupted_twice (RunTest *t, gconstpointer data)
{
  g_autoptr(Fixture) f = fixture_new (t);
  g_timeout_add (400, send_signal_cb, GINT_TO_POINTER (SIGINT));
  g_timeout_add (800, send_signal_cb, GINT_TO_POINTER (SIGINT));
  g_assert_true (run (f, "hang=12", 32));
  g_assert_cmpint (f->end, ==, URB_RUN_END_KILLED);
  g_assert_true (run (f, "", 32));
  assert_complete (t, 32);
}

/* ------------------------------------------------------------------------ */
/* Clients                                                                   */

/* What a client saw, and what it does about it. */
typedef struct Watcher Watcher;
struct Watcher
{
  UrbRunClient *client; /* owned */
  Fixture      *fixture;
  void        (*react) (Watcher *watcher, JsonObject *message);
  GArray       *steps;  /* owned; gint64, after rewinds */
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
watcher_new (Fixture *f, void (*react) (Watcher *, JsonObject *))
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

/* Delivers what the ended supervisor has sent. */
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
start (Fixture *f, const char *script, gint64 n_steps)
{
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = make_options (f);
  options.stays_paused = TRUE;
  fill_config (f->test, &config, script, n_steps);
  prepare (f, &config, &options);
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
  g_autoptr(Fixture) f = fixture_new (t);
  g_autoptr(Watcher) w = NULL;
  start (f, "ms=2,kill=37", 40);
  w = watcher_new (f, pause_and_resume);
  urb_run_client_request (w->client, "subscribe", "since", 0, assert_ok, NULL);
  finish (f);
  watcher_settle (w);
  g_assert_cmpint (w->phase, ==, 2);
  g_assert_cmpint (f->end, ==, URB_RUN_END_FINISHED);
  watcher_assert_steps (w, 50);
  assert_complete (t, 50);
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
  /* Periodic ones are at round steps. */
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
  g_autoptr(Fixture) f = fixture_new (t);
  g_autoptr(Watcher) w = NULL;
  start (f, "ms=3", 100000);
  w = watcher_new (f, steer);
  urb_run_client_request (w->client, "subscribe", "since", 0, assert_ok, NULL);
  finish (f);
  watcher_settle (w);
  g_assert_cmpint (w->phase, ==, 14);
  g_assert_cmpint (f->end, ==, URB_RUN_END_STOPPED);
  assert_complete (t, (gint64) w->steps->len);
}

/* Clients that come and go anywhere see each record once. */
static gboolean
attach_cb (gpointer user_data)
{
  GPtrArray *watchers = user_data;
  Watcher *first = g_ptr_array_index (watchers, 0);
  Watcher *w;
  /* One goes in the middle; a new one takes over where it was. */
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
  g_autoptr(Fixture) f = fixture_new (t);
  g_autoptr(GPtrArray) watchers = g_ptr_array_new_with_free_func ((GDestroyNotify) watcher_free);
  Watcher *w;
  int n_complete = 0;
  start (f, "ms=3,kill=77", 400);
  w = watcher_new (f, NULL);
  urb_run_client_request (w->client, "subscribe", "since", 0, assert_ok, NULL);
  g_ptr_array_add (watchers, w);
  g_timeout_add (200, attach_cb, watchers);
  finish (f);
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

/* One that never reads costs the supervisor no memory, and stops nobody. */
static void
test_slow_client (RunTest *t, gconstpointer data)
{
  g_autoptr(Fixture) f = fixture_new (t);
  g_autoptr(Watcher) w = NULL;
  static const char subscribe[] = "{\"cmd\":\"subscribe\",\"since\":0}\n";
  g_autofree char *asks = NULL;
  int lazy, greedy;
  char byte;
  gssize n;
  GString *many = g_string_new (NULL);
  start (f, "", 4000);
  lazy = urb_control_socket_connect (t->run, NULL);
  greedy = urb_control_socket_connect (t->run, NULL);
  g_assert_cmpint (write (lazy, subscribe, sizeof subscribe - 1), >, 0);
  for (int i = 0; i < 5000; i++)
    g_string_append (many, "{\"cmd\":\"status\"}\n");
  asks = g_string_free (many, FALSE);
  g_assert_cmpint (send (greedy, asks, strlen (asks), MSG_DONTWAIT), >, 0);
  w = watcher_new (f, NULL);
  urb_run_client_request (w->client, "subscribe", "since", 0, assert_ok, NULL);
  finish (f);
  watcher_settle (w);
  watcher_assert_steps (w, 4000);
  /* The greedy one was cut off: it finds an end without the last answers. */
  do
    n = recv (greedy, &byte, 1, MSG_DONTWAIT);
  while (n == 1);
  g_assert_true (n == 0 || errno == ECONNRESET);
  close (lazy);
  close (greedy);
}

/* ------------------------------------------------------------------------ */
/* Lines that are not of the protocol                                        */

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

static void
test_malformed (RunTest *t, gconstpointer data)
{
  static const char lines[] =
    "this is not JSON\n[1,2]\n{}\n{\"id\":1,\"cmd\":\"fly\"}\n{\"id\":2,\"cmd\":7}\n"
    "{\"id\":3,\"cmd\":\"subscribe\",\"since\":-1}\n{\"id\":\"x\",\"cmd\":\"resume\",\"steps\":{}}\n"
    "{\"id\":4,\"cmd\":\"resume\",\"steps\":1e99}\n\xff\xfe\n{\"id\":5,\"cmd\":\"status\"}\n";
  g_autoptr(Fixture) f = fixture_new (t);
  g_autofree char *endless = g_strnfill (1 << 18, 'x');
  Raw raw = { .heard = g_string_new (NULL) };
  int n_refused = 0, flood;
  guint id;
  start (f, "ms=3", 200);
  raw.fd = urb_control_socket_connect (t->run, NULL);
  flood = urb_control_socket_connect (t->run, NULL);
  g_assert_cmpint (write (raw.fd, lines, sizeof lines - 1), ==, sizeof lines - 1);
  g_assert_cmpint (send (flood, endless, strlen (endless), MSG_DONTWAIT), >, 0);
  id = g_timeout_add (20, hear_cb, &raw);
  finish (f);
  hear_cb (&raw);
  g_source_remove (id);
  for (const char *p = raw.heard->str; (p = strstr (p, "\"ok\":false")) != NULL; p++)
    n_refused++;
  g_assert_cmpint (n_refused, ==, 7);
  g_assert_true (g_str_has_prefix (raw.heard->str, "{\"type\":\"hello\",\"protocol\":1,"));
  g_assert_nonnull (strstr (raw.heard->str, "{\"type\":\"reply\",\"id\":5,\"ok\":true,"));
  g_assert_nonnull (strstr (raw.heard->str, "There is no command 'fly'"));
  assert_complete (t, 200);
  close (raw.fd);
  close (flood);
  g_string_free (raw.heard, TRUE);
}

/* The folder's path is longer than a socket's address can hold. */
static void
test_long_path (RunTest *t, gconstpointer data)
{
  g_autoptr(Fixture) f = fixture_new (t);
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
  finish (f);
  watcher_settle (w);
  watcher_assert_steps (w, 50);
  assert_complete (t, 50);
}

static void
test_offline (RunTest *t, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(Fixture) f = fixture_new (t);
  g_assert_null (urb_run_client_new (t->run, NULL, NULL, &error));
  g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_OFFLINE);
  g_clear_error (&error);
  g_assert_true (run (f, "", 3));
  g_assert_null (urb_run_client_new (t->run, NULL, NULL, &error));
  g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_OFFLINE);
}

/* A paused, diverged run stays and can be stopped. */
static void
stop_when_paused (Watcher *w, JsonObject *message)
{
  if (is_state (message, "paused"))
    urb_run_client_request (w->client, "stop", NULL, 0, assert_ok, &w->phase);
}

static void
test_diverged_stays (RunTest *t, gconstpointer data)
{
  g_autoptr(Fixture) f = fixture_new (t);
  g_autoptr(Watcher) w = NULL;
  start (f, "diverge=15", 40);
  w = watcher_new (f, stop_when_paused);
  urb_run_client_request (w->client, "subscribe", "since", 0, assert_ok, NULL);
  finish (f);
  watcher_settle (w);
  g_assert_cmpint (w->phase, ==, 1);
  assert_said (f, "The training diverged at step 15");
  assert_complete (t, 10);
}

int
main (int argc, char **argv)
{
  int code = fake_job_main (argc, argv, &fake_job);
  if (code >= 0)
    return code;
  g_test_init (&argc, &argv, NULL);
  run_test_add ("/supervisor/finishes", test_finishes);
  run_test_add ("/supervisor/extended", test_extended);
  run_test_add ("/supervisor/survives", test_survives);
  run_test_add ("/supervisor/gives-up", test_gives_up);
  run_test_add ("/supervisor/device-error", test_device_error);
  run_test_add ("/supervisor/refused", test_refused);
  run_test_add ("/supervisor/diverged", test_diverged);
  run_test_add ("/supervisor/diverged-stays", test_diverged_stays);
  run_test_add ("/supervisor/hangs", test_hangs);
  run_test_add ("/supervisor/freezes", test_freezes);
  run_test_add ("/supervisor/time-limit", test_time_limit);
  run_test_add ("/supervisor/damaged-checkpoint", test_damaged_checkpoint);
  run_test_add ("/supervisor/interrupted", test_interrupted);
  run_test_add ("/supervisor/interrupted-twice", test_interrupted_twice);
  run_test_add ("/control/pause", test_pause);
  run_test_add ("/control/commands", test_commands);
  run_test_add ("/control/subscribers", test_subscribers);
  run_test_add ("/control/slow-client", test_slow_client);
  run_test_add ("/control/malformed", test_malformed);
  run_test_add ("/control/long-path", test_long_path);
  run_test_add ("/control/offline", test_offline);
  return g_test_run ();
}
