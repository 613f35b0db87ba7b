/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-hooks.c - what a run tells its hook, and hooks that fail, hang or never stop writing.
 */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "run/store/json-line.h"
#include "run/store/known-hooks.h"
#include "run/store/run-db.h"
#include "run/supervisor/hook-call.h"
#include "settings/hook.h"
#include "supervised.h"

/* For a run of 20 steps: it saves at 10 and 20, and draws at 0, 5, 10, 15 and 20. */
static void
prepare (Supervised *f, const char *hook, const char *events, int timeout_s)
{
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = supervised_make_options (f);

  supervised_fill_config (f->test, &config, "", 20);
  config.hook = urb_hook_is_url (hook) ? g_strdup (hook) : g_strconcat ("cd \"$URBARIUM_RUN\"; ", hook, NULL);
  config.hook_on = g_strdup (events);
  config.hook_timeout = timeout_s;
  options.hook_retry_ms = 1;
  g_assert_true (urb_known_hooks_add (config.hook, NULL));
  supervised_prepare (f, &config, &options);
}

static char *
read_file (RunTest *t, const char *name)
{
  g_autofree char *path = g_build_filename (t->run, name, NULL);
  char *text;

  return g_file_get_contents (path, &text, NULL, NULL) ? text : g_strdup ("");
}

static void
append_json (gint64 seq, const char *json, gpointer user_data)
{
  g_string_append_printf (user_data, "%s\n", json);
}

static int
count (const char *text, const char *part)
{
  int n = 0;

  for (const char *at = text; (at = strstr (at, part)) != NULL; at++)
    n++;
  return n;
}

/* Somebody else's run: its hook is not called, and the run says so. */
static void
test_stranger (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = supervised_make_options (f);
  g_autofree char *calls = g_build_filename (t->run, "calls", NULL), *log = g_build_filename (t->run, "hooks.log", NULL);
  g_autofree char *path = g_build_filename (t->run, "run.db", NULL);
  g_autoptr(UrbRunDb) db = NULL;
  g_autoptr(GString) seen = g_string_new (NULL);

  supervised_fill_config (f->test, &config, "", 20);
  config.hook = g_strdup ("echo called >> \"$URBARIUM_RUN/calls\"; echo a stranger");
  supervised_prepare (f, &config, &options);
  supervised_finish (f);
  supervised_assert_complete (t, 20);
  g_assert_false (g_file_test (calls, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (log, G_FILE_TEST_EXISTS));
  db = urb_run_db_open_reader (path, NULL);
  urb_run_db_replay (db, 0, 1000, append_json, seen, NULL);
  g_assert_nonnull (strstr (seen->str, "The hook of this run is not called, since it was not chosen on this machine"));
  g_assert_false (urb_known_hooks_has (config.hook));
  g_assert_false (urb_known_hooks_has ("echo"));
}

/* Each event once and in order, with its file and the state of the run. */
static void
test_command (RunTest *t, gconstpointer data)
{
  static const char *const expected[] = { "start 0", "sample 0", "sample 5", "sample 10", "checkpoint 10",
                                          "sample 15", "sample 20", "checkpoint 20", "end 20" };
  g_autoptr(Supervised) f = supervised_new (t);
  g_autofree char *calls = NULL, *log = NULL, *lines = NULL;
  g_auto(GStrv) events = NULL, bodies = NULL;
  guint at = 0;

  prepare (f, "echo \"$URBARIUM_EVENT $URBARIUM_STEP\" >> calls; cat >> bodies; test -z \"$URBARIUM_TOKEN\" || echo leak; "
              "test -z \"$URBARIUM_FILE\" || test -f \"$URBARIUM_FILE\" || echo missing; echo called; echo twice >&2", NULL, 30);
  g_setenv ("URBARIUM_TOKEN", "a secret", TRUE);
  supervised_finish (f);
  g_unsetenv ("URBARIUM_TOKEN");
  supervised_assert_complete (t, 20);
  calls = read_file (t, "calls");
  events = g_strsplit (calls, "\n", -1);
  g_assert_cmpstr (events[0], ==, "start 0");
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) /* a sample may come before its checkpoint or after it */
    g_assert_true (g_strv_contains ((const char *const *) events, expected[i]));
  at = g_strv_length (events) - 2;
  g_assert_cmpuint (at + 1, ==, G_N_ELEMENTS (expected));
  g_assert_cmpstr (events[at], ==, "end 20");
  lines = read_file (t, "bodies");
  bodies = g_strsplit (lines, "\n", -1);
  for (guint i = 0; i <= at; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(JsonObject) body = urb_json_parse_line (bodies[i], strlen (bodies[i]), &error);
      g_autofree char *event = NULL;

      g_assert_no_error (error);
      event = g_strdup_printf ("%s %d", urb_json_get_string (body, "event", ""), (int) urb_json_get_int (body, "step", -1));
      g_assert_cmpstr (event, ==, events[i]);
      g_assert_cmpstr (urb_json_get_string (body, "run", ""), ==, t->run);
      g_assert_cmpint (urb_json_get_int (body, "n_steps", 0), ==, 20);
      if (g_str_has_prefix (event, "checkpoint 20"))
        g_assert_cmpstr (urb_json_get_string (body, "file", ""), ==, "checkpoints/step-000000020.safetensors");
      if (i == at)
        {
          g_assert_cmpstr (urb_json_get_string (body, "state", ""), ==, "finished");
          g_assert_nonnull (urb_json_get_object (body, "metrics"));
        }
    }
  log = read_file (t, "hooks.log");
  g_assert_cmpint (count (log, "\ncalled\ntwice\n"), ==, (int) G_N_ELEMENTS (expected));
  g_assert_null (strstr (log, "leak"));
  g_assert_null (strstr (log, "missing"));
}

/* It is called three times for each event, and complained of once. */
static void
test_fails (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autofree char *log = NULL;

  prepare (f, "exit 3", "start,end", 30);
  supervised_finish (f);
  supervised_assert_complete (t, 20);
  supervised_assert_said (f, "warning: The hook failed for the event “start” of step 0");
  g_assert_cmpint (count (f->events->str, "The hook failed"), ==, 1);
  log = read_file (t, "hooks.log");
  g_assert_cmpint (count (log, " end, step 20, again\n"), ==, 2);
  g_assert_cmpint (count (log, "it exited with code 3"), >=, 4);
  g_assert_cmpint (count (log, "it exited with code 3"), <=, 6); /* fewer where the run ends meanwhile */
}

/* Fails first, and succeeds when it is called again. */
static void
test_recovers (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autofree char *log = NULL;

  prepare (f, "test -e mark || { touch mark; exit 1; }", "end", 30);
  supervised_finish (f);
  g_assert_null (strstr (f->events->str, "The hook"));
  log = read_file (t, "hooks.log");
  g_assert_nonnull (strstr (log, " end, step 20, again\n"));
}

/* The run does not wait for it while it trains, and at the end for twice its time; what it has started ends with it. */
static void
test_hangs (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autofree char *log = NULL;

  g_assert_cmpint (prctl (PR_SET_CHILD_SUBREAPER, 1), ==, 0);
  prepare (f, "sleep 1000 & sleep 1000", "start,sample,end", 1);
  supervised_finish (f);
  supervised_assert_complete (t, 20);
  supervised_assert_said (f, "was ended after");
  log = read_file (t, "hooks.log");
  g_assert_nonnull (strstr (log, "end, step 20"));
  g_assert_null (strstr (log, "sample, step 20")); /* it would take the time of the end */
  run_test_assert_no_process ();
}

/* It is cut off. */
static void
test_floods (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autofree char *log = NULL;

  prepare (f, "exec yes", "start", 30);
  supervised_finish (f);
  supervised_assert_complete (t, 20);
  log = read_file (t, "hooks.log");
  g_assert_nonnull (strstr (log, "it printed more, which is not kept"));
  g_assert_nonnull (strstr (log, "it was ended by signal 13"));
  g_assert_cmpuint (strlen (log), <, 4 * URB_HOOK_MAX_OUTPUT_BYTES);
}

/* A hook that is slow, but succeeds, hears of the end too. */
static void
test_slow (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autofree char *calls = NULL;

  prepare (f, "echo $URBARIUM_EVENT >> calls; test $URBARIUM_EVENT = end || sleep 0.7", NULL, 1);
  supervised_finish (f);
  supervised_assert_complete (t, 20);
  calls = read_file (t, "calls");
  g_assert_true (g_str_has_suffix (calls, "end\n"));
  g_assert_cmpint (count (calls, "\n"), <, 9);
}

/* The run that fails tells why. */
static void
test_failure (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = supervised_make_options (f);
  g_autofree char *body = NULL;

  supervised_fill_config (t, &config, "refuse=1", 20);
  config.hook = g_strdup ("cat > \"$URBARIUM_RUN/body\"");
  g_assert_true (urb_known_hooks_add (config.hook, NULL));
  supervised_prepare (f, &config, &options);
  g_assert_false (supervised_end (f));
  body = read_file (t, "body");
  g_assert_nonnull (strstr (body, "\"event\":\"failure\""));
  g_assert_nonnull (strstr (body, "These options do not go together"));
}

/* ------------------------------------------------------------------------ */
/* Addresses                                                                 */

typedef struct
{
  GMutex   lock;
  GString *requests; /* owned */
  int      n;
} Server;

/* Refuses the first request. */
static gboolean
serve_cb (GThreadedSocketService *service, GSocketConnection *connection, GObject *source, gpointer user_data)
{
  Server *server = user_data;
  g_autoptr(GDataInputStream) in = g_data_input_stream_new (g_io_stream_get_input_stream (G_IO_STREAM (connection)));
  GOutputStream *out = g_io_stream_get_output_stream (G_IO_STREAM (connection));
  g_autoptr(GString) request = g_string_new (NULL);
  gsize n_bytes = 0;
  g_autofree char *body = NULL, *answer = NULL;
  char *line;

  while ((line = g_data_input_stream_read_line (in, NULL, NULL, NULL)) != NULL && *g_strchomp (line) != '\0')
    {
      if (g_ascii_strncasecmp (line, "Content-Length:", 15) == 0)
        n_bytes = (gsize) g_ascii_strtoull (line + 15, NULL, 10);
      g_string_append_printf (request, "%s\n", line);
      g_free (line);
    }
  g_free (line);
  body = g_malloc0 (n_bytes + 1);
  g_input_stream_read_all (G_INPUT_STREAM (in), body, n_bytes, NULL, NULL, NULL);
  g_mutex_lock (&server->lock);
  server->n++;
  answer = g_strdup_printf ("HTTP/1.1 %s\r\nContent-Length: 6\r\nConnection: close\r\n\r\nanswer",
                            server->n == 1 ? "500 Not now" : "200 OK");
  g_string_append_printf (server->requests, "%s%s\n", request->str, body);
  g_mutex_unlock (&server->lock);
  g_output_stream_write_all (out, answer, strlen (answer), NULL, NULL, NULL);
  return TRUE;
}

static void
assert_unknown (const char *text, const char *secret)
{
  if (strstr (text, secret) != NULL)
    g_error ("the secret is in:\n%s", text);
}

static void
test_posts (RunTest *t, gconstpointer data)
{
  g_autofree char *curl = g_find_program_in_path ("curl"), *hook = NULL, *hook_log = NULL, *log = NULL;
  g_autoptr(GSocketService) service = g_threaded_socket_service_new (2);
  g_autoptr(Supervised) f = supervised_new (t);
  Server server = { .requests = g_string_new (NULL) };
  guint16 port;

  if (curl == NULL)
    {
      g_test_skip ("there is no curl");
      g_string_free (server.requests, TRUE);
      return;
    }
  port = g_socket_listener_add_any_inet_port (G_SOCKET_LISTENER (service), NULL, NULL);
  g_assert_cmpint (port, >, 0);
  g_signal_connect (service, "run", G_CALLBACK (serve_cb), &server);
  hook = g_strdup_printf ("http://127.0.0.1:%u/a?key=s3cret&quote=\"\\", port);
  prepare (f, hook, "end", 30);
  supervised_finish (f);
  g_socket_service_stop (service);
  g_mutex_lock (&server.lock);
  g_assert_cmpint (server.n, ==, 2);
  g_assert_true (g_str_has_prefix (server.requests->str, "POST /a?key=s3cret&quote="));
  g_assert_nonnull (strstr (server.requests->str, "Content-Type: application/json\n"));
  g_assert_cmpint (count (server.requests->str, "{\"event\":\"end\""), ==, 2);
  g_mutex_unlock (&server.lock);
  hook_log = read_file (t, "hooks.log");
  log = read_file (t, "log");
  g_assert_nonnull (strstr (hook_log, "answer"));
  assert_unknown (hook_log, "s3cret");
  assert_unknown (log, "s3cret");
  g_string_free (server.requests, TRUE);
}

/* Nobody listens: the run is not harmed, and the address is not told. */
static void
test_unreachable (RunTest *t, gconstpointer data)
{
  g_autofree char *curl = g_find_program_in_path ("curl"), *log = NULL, *hook_log = NULL;
  g_autoptr(Supervised) f = supervised_new (t);

  if (curl == NULL)
    {
      g_test_skip ("there is no curl");
      return;
    }
  prepare (f, "http://user:s3cret@127.0.0.1:1/", "end", 30);
  supervised_finish (f);
  supervised_assert_complete (t, 20);
  supervised_assert_said (f, "The hook failed for the event “end” of step 20, 3 times");
  hook_log = read_file (t, "hooks.log");
  log = read_file (t, "log");
  assert_unknown (hook_log, "s3cret");
  assert_unknown (log, "s3cret");
}

/* A new hook is told of without its text. */
static void
test_changed (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_auto(UrbRunConfig) before = { 0 }, after = { 0 };
  g_autofree char *change = NULL;

  urb_run_config_init (&before);
  urb_run_config_init (&after);
  after.hook = g_strdup ("https://s3cret");
  change = urb_setting_dup_change (urb_settings_find (&urb_run_settings, "hook"), &before, &after);
  g_assert_cmpstr (change, ==, "hook changed");
}

static void
test_events (RunTest *t, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  guint events;

  g_assert_true (urb_hook_parse_events ("best, end", &events, NULL));
  g_assert_cmpuint (events, ==, 1u << URB_HOOK_BEST | 1u << URB_HOOK_END);
  g_assert_true (urb_hook_parse_events (NULL, &events, NULL));
  g_assert_cmpuint (events, ==, (1u << URB_N_HOOK_EVENTS) - 1);
  g_assert_false (urb_hook_parse_events ("end,bests", &events, &error));
  g_assert_cmpstr (error->message, ==, "[run] hook-on has the event “bests”; the events are start, sample, checkpoint, best, "
                                       "end, failure.");
}

int
main (int argc, char **argv)
{
  int code = fake_job_main (argc, argv, &fake_job);

  if (code >= 0)
    return code;
  g_test_init (&argc, &argv, NULL);
  run_test_add ("/hooks/command", test_command);
  run_test_add ("/hooks/stranger", test_stranger);
  run_test_add ("/hooks/fails", test_fails);
  run_test_add ("/hooks/recovers", test_recovers);
  run_test_add ("/hooks/hangs", test_hangs);
  run_test_add ("/hooks/floods", test_floods);
  run_test_add ("/hooks/slow", test_slow);
  run_test_add ("/hooks/failure", test_failure);
  run_test_add ("/hooks/posts", test_posts);
  run_test_add ("/hooks/unreachable", test_unreachable);
  run_test_add ("/hooks/changed", test_changed);
  run_test_add ("/hooks/events", test_events);
  return run_test_run_with_own_data (); /* the hooks that the user chose */
}
