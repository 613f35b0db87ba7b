/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-queue-order.c - `queue`: the order of runs that wait, and another one.
 */
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

#include "engine-run.h"
#include "run/store/client.h"
#include "small-dataset.h"

typedef struct
{
  char *folder;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  g_autofree char *runs = NULL;

  self->folder = g_dir_make_tmp ("urbarium-queue-XXXXXX", NULL);
  runs = g_build_filename (self->folder, "runs", NULL);
  g_assert_cmpint (g_mkdir (runs, 0700), ==, 0);
  small_dataset_write (self->folder);
}

static char *
dup_run_file (Fixture *self, const char *run, const char *name)
{
  return g_build_filename (self->folder, "runs", run, name, NULL);
}

/* Whether it has a supervisor. */
static gboolean
is_live (Fixture *self, const char *run)
{
  g_autofree char *socket = dup_run_file (self, run, "control.sock");

  return g_file_test (socket, G_FILE_TEST_EXISTS);
}

static void
stop (Fixture *self, const char *run)
{
  g_autofree char *path = dup_run_file (self, run, "lock");
  g_autofree char *pid = NULL;

  if (!is_live (self, run))
    return;
  g_assert_true (g_file_get_contents (path, &pid, NULL, NULL));
  g_assert_cmpint (kill (atoi (pid), SIGINT), ==, 0);
}

static void
wait_for_end (Fixture *self, const char *run)
{
  while (is_live (self, run))
    g_usleep (20000);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_assert_true (g_spawn_sync (NULL, (char *[]){ "rm", "-rf", self->folder, NULL }, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                               NULL, NULL, NULL, NULL));
  g_free (self->folder);
}

/* @after: names of runs, separated by spaces */
static void
start (Fixture *self, const char *run, const char *n_steps, const char *after)
{
  g_auto(GStrv) names = g_strsplit (after, " ", -1);
  g_autoptr(GString) command = g_string_new ("train --dataset @/areas.gpkg --preset @/mini.preset --threads 1 --detach --quiet");

  g_string_append_printf (command, " --steps %s --run @/runs/%s", n_steps, run);
  for (char **name = names; *name != NULL && **name != '\0'; name++)
    g_string_append_printf (command, " --after @/runs/%s", *name);
  engine_run_well_in (self->folder, command->str);
}

/* @names: of the runs that are listed, in their order */
static void
assert_queue (Fixture *self, const char *command, const char *names)
{
  g_auto(EngineResult) result = engine_run_in (self->folder, command);
  g_auto(GStrv) lines = g_strsplit (g_strchomp (result.out), "\n", -1);
  g_autoptr(GString) listed = g_string_new (NULL);

  g_assert_cmpint (result.code, ==, 0);
  for (char **line = lines; *line != NULL && **line != '\0'; line++)
    {
      g_autofree char *name = g_path_get_basename (*line);

      g_assert_cmpint (atoi (*line), ==, line - lines + 1);
      g_string_append_printf (listed, "%s ", name);
    }
  g_assert_cmpstr (listed->str, ==, names);
}

static void
assert_prints (Fixture *self, const char *command, const char *what)
{
  g_auto(EngineResult) result = engine_run_in (self->folder, command);

  g_assert_cmpint (result.code, ==, 0);
  g_assert_cmpstr (result.out, ==, what);
}

/* The names of the runs as JSON, and for how many each waits. */
static void
assert_json (Fixture *self, const char *command, const char *runs)
{
  g_auto(EngineResult) result = engine_run_in (self->folder, command);
  g_autoptr(JsonNode) root = json_from_string (result.out, NULL);
  JsonArray *array = json_node_get_array (root);
  g_autoptr(GString) listed = g_string_new (NULL);

  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonObject *run = json_array_get_object_element (array, i);

      g_assert_true (g_path_is_absolute (json_object_get_string_member (run, "run")));
      g_string_append_printf (listed, "%s%u ", json_object_get_string_member (run, "name"),
                              json_array_get_length (json_object_get_array_member (run, "after")));
    }
  g_assert_cmpstr (listed->str, ==, runs);
}

static void
assert_refused (Fixture *self, const char *command, int code, const char *says)
{
  g_auto(EngineResult) result = engine_run_in (self->folder, command);

  g_assert_cmpint (result.code, ==, code);
  g_assert_nonnull (strstr (result.err, says));
}

/* When it trained, in seconds since 1970. */
static void
read_times (Fixture *self, const char *run, double *begin, double *end)
{
  g_autofree char *path = dup_run_file (self, run, "run.db");
  sqlite3 *db = NULL;
  sqlite3_stmt *row = NULL;

  g_assert_cmpint (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY, NULL), ==, SQLITE_OK);
  sqlite3_busy_timeout (db, G_MAXINT32); /* its supervisor may still be closing it */
  g_assert_cmpint (sqlite3_prepare_v2 (db, "SELECT min(time), max(time) FROM event WHERE code = 'state' AND text <> 'queued'", -1,
                                       &row, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (row), ==, SQLITE_ROW);
  *begin = sqlite3_column_double (row, 0);
  *end = sqlite3_column_double (row, 1);
  sqlite3_finalize (row);
  sqlite3_close (db);
}

/* Each waits for all before it, as in the window.  They train one at a time, in the new order. */
static void
test_line (Fixture *self, gconstpointer data)
{
  static const char *const order[] = { "d", "b", "c" };
  double end = 0;

  start (self, "a", "1000000", "");
  start (self, "b", "2", "a");
  start (self, "c", "2", "a b");
  start (self, "d", "2", "a b c");
  assert_queue (self, "queue @/runs", "b c d ");
  assert_queue (self, "queue --earlier @/runs/d", "b d c ");
  assert_queue (self, "queue --later @/runs/b --quiet", "");
  assert_queue (self, "queue @/runs/c @/runs @/runs/a", "d b c ");
  assert_json (self, "queue @/runs --json", "d1 b2 c3 ");
  assert_refused (self, "queue --earlier @/runs/d", 1, "begins earlier than");
  assert_refused (self, "queue --later @/runs/c", 1, "begins later than");
  assert_refused (self, "queue --later @/runs/a", 1, "does not wait in this queue");
  assert_refused (self, "queue --later @/runs/a --earlier @/runs/b", 2, "exclude each other");
  assert_refused (self, "queue @/nowhere", 3, "nowhere");
  stop (self, "a");
  for (gsize i = 0; i < G_N_ELEMENTS (order); i++)
    {
      double begin, before = end;

      wait_for_end (self, order[i]);
      read_times (self, order[i], &begin, &end);
      g_assert_cmpfloat (begin, >=, before);
    }
  assert_prints (self, "queue @/runs", "No run waits.\n");
  assert_prints (self, "queue @/runs --json", "[]\n");
  assert_prints (self, "queue @/runs --quiet", "");
}

/* JSON is UTF-8, also in a locale that is not. */
static void
test_locale (Fixture *self, gconstpointer data)
{
  g_autofree char *before = g_strdup (g_getenv ("LC_ALL"));

  start (self, "a", "1000000", "");
  start (self, "süd", "2", "a");
  g_setenv ("LC_ALL", "C", TRUE);
  assert_json (self, "queue @/runs --json", "süd1 ");
  if (before != NULL)
    g_setenv ("LC_ALL", before, TRUE);
  else
    g_unsetenv ("LC_ALL");
  stop (self, "a");
  wait_for_end (self, "süd");
}

/* However a run is named, and whatever is wrong with its name. */
static void
test_names (Fixture *self, gconstpointer data)
{
  static const char *const runs[] = { "a", "b", "c", "d" };
  g_autofree char *inside = g_build_filename (self->folder, "runs", "d", NULL), *here = g_get_current_dir ();

  start (self, "a", "1000000", "");
  start (self, "b", "2", "a");
  start (self, "c", "2", "a b");
  start (self, "d", "2", "a b c");
  assert_queue (self, "queue --earlier @/runs/d/", "b d c ");
  g_assert_cmpint (g_chdir (inside), ==, 0);
  assert_queue (self, "queue --earlier .", "d b c ");
  g_assert_cmpint (g_chdir (here), ==, 0);
  assert_refused (self, "queue --later @/rums/c", 3, "rums");
  for (gsize i = G_N_ELEMENTS (runs); i-- > 0;)
    {
      stop (self, runs[i]);
      wait_for_end (self, runs[i]);
    }
}

static GSubprocess *
start_command (Fixture *self, const char *how, const char *run)
{
  g_autofree char *path = g_build_filename (self->folder, "runs", run, NULL);
  g_autoptr(GError) error = NULL;
  GSubprocess *process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDERR_SILENCE, &error, g_getenv ("URBARIUM_ENGINE"), "queue",
                                           "--quiet", how, path, NULL);

  g_assert_no_error (error);
  return process;
}

/* Several changes at once, and changes that are interrupted, leave an order in which all begin. */
static void
test_at_once (Fixture *self, gconstpointer data)
{
  static const char *const runs[] = { "b", "c", "d" };

  start (self, "a", "1000000", "");
  start (self, "b", "2", "a");
  start (self, "c", "2", "a b");
  start (self, "d", "2", "a b c");
  for (int i = 0; i < 12; i++)
    {
      g_autoptr(GSubprocess) first = start_command (self, "--later", runs[i % 3]);
      g_autoptr(GSubprocess) second = start_command (self, "--earlier", runs[(i + 1) % 3]);

      g_usleep ((gulong) i * 3000);
      g_subprocess_send_signal (second, SIGINT);
      g_assert_true (g_subprocess_wait (first, NULL, NULL));
      g_assert_true (g_subprocess_wait (second, NULL, NULL));
    }
  stop (self, "a");
  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    wait_for_end (self, runs[i]);
}

static void
wait_for (Fixture *self, const char *run, const char *other)
{
  g_autofree char *folder = g_build_filename (self->folder, "runs", run, NULL);
  g_autofree char *after = g_build_filename (self->folder, "runs", other, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunClient) client = urb_run_client_new (folder, NULL, NULL, &error);
  g_autoptr(JsonObject) reply = NULL;

  g_assert_no_error (error);
  reply = urb_run_client_call_texts (client, "queue", "after", (const char *const[]){ after, NULL }, 10000, &error);
  g_assert_no_error (error);
}

/* A change that was killed left two runs waiting for each other: the list tells it, and the next change mends it. */
static void
test_circle (Fixture *self, gconstpointer data)
{
  static const char *const runs[] = { "b", "c", "d" };
  g_auto(EngineResult) listed = { 0 }, moved = { 0 };

  start (self, "a", "1000000", "");
  start (self, "b", "2", "a");
  start (self, "c", "2", "b");
  start (self, "d", "2", "c");
  wait_for (self, "b", "c");
  listed = engine_run_in (self->folder, "queue @/runs");
  g_assert_nonnull (strstr (listed.err, "wait for each other"));
  moved = engine_run_in (self->folder, "queue --earlier @/runs/d");
  g_assert_cmpint (moved.code, ==, 0);
  g_assert_cmpstr (moved.err, ==, "");
  stop (self, "a");
  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    wait_for_end (self, runs[i]);
}

/* Two at a time stay two at a time. */
static void
test_pairs (Fixture *self, gconstpointer data)
{
  static const char *const runs[] = { "a", "b", "c", "d", "e" };

  start (self, "a", "1000000", "");
  start (self, "b", "2", "a");
  start (self, "c", "2", "a");
  start (self, "d", "2", "b");
  start (self, "e", "2", "c");
  assert_queue (self, "queue --earlier @/runs/e", "b e c d ");
  assert_queue (self, "queue --later @/runs/b", "c e b d ");
  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      stop (self, runs[i]);
      wait_for_end (self, runs[i]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/queue-order/line", Fixture, NULL, set_up, test_line, tear_down);
  g_test_add ("/queue-order/locale", Fixture, NULL, set_up, test_locale, tear_down);
  g_test_add ("/queue-order/names", Fixture, NULL, set_up, test_names, tear_down);
  g_test_add ("/queue-order/at-once", Fixture, NULL, set_up, test_at_once, tear_down);
  g_test_add ("/queue-order/circle", Fixture, NULL, set_up, test_circle, tear_down);
  g_test_add ("/queue-order/pairs", Fixture, NULL, set_up, test_pairs, tear_down);
  return g_test_run ();
}
