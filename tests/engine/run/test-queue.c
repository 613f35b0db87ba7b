/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-queue.c - queued runs; and changing a run: its length, its name, the step
 * it continues from.
 */
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>

#include "base/machine.h"
#include "run/store/client.h"
#include "run/store/failure.h"
#include "run/store/interrupted.h"
#include "run/store/queue-order.h"
#include "settings/quiet-hours.h"
#include "supervised.h"

/* A run whose lock this test holds, as a supervisor would. */
typedef struct
{
  char         *path;   /* owned */
  UrbRunFolder *folder; /* owned, nullable */
} Other;

static void
other_init_as (Other *other, RunTest *t, const char *name)
{
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(GError) error = NULL;
  urb_run_config_init (&config);
  other->path = g_build_filename (t->base, name, NULL);
  other->folder = urb_run_folder_create (other->path, URB_RUN_FOLDER_NEW, &error);
  g_assert_no_error (error);
  g_assert_true (urb_run_folder_save_config (other->folder, &config, &error));
}

static void
other_init (Other *other, RunTest *t)
{
  other_init_as (other, t, "other");
}

static void
other_clear (Other *other)
{
  g_clear_pointer (&other->folder, urb_run_folder_free);
  g_free (other->path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Other, other_clear)

static gboolean
end_other_cb (gpointer user_data)
{
  Other *other = user_data;
  g_clear_pointer (&other->folder, urb_run_folder_free);
  return G_SOURCE_REMOVE;
}

static void
start_after (Supervised *f, const char *script, gint64 n_steps, const char *const *after)
{
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = supervised_make_options (f);
  options.stays_paused = TRUE;
  options.after = after;
  supervised_fill_config (f->test, &config, script, n_steps);
  supervised_prepare (f, &config, &options);
  g_assert_true (urb_run_folder_save_config (f->test->folder, &config, NULL));
}

/* @after: nullable */
static void
start (Supervised *f, const char *script, gint64 n_steps, const char *after)
{
  start_after (f, script, n_steps, (const char *const[]){ after, NULL });
}

/* Programs need not read the sentence. */
static void
assert_detail (RunTest *t, const char *code, const char *begin)
{
  g_autofree char *path = g_build_filename (t->run, "run.db", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunDb) db = urb_run_db_open_reader (path, &error);
  g_autofree char *details = NULL;

  g_assert_no_error (error);
  details = urb_run_db_dup_details (db, code);
  g_assert_nonnull (details);
  g_assert_true (g_str_has_prefix (details, begin));
}

static void
test_waits (RunTest *t, gconstpointer data)
{
  g_auto(Other) other = { 0 };
  g_autoptr(Supervised) f = supervised_new (t);
  other_init (&other, t);
  start (f, "", 12, other.path);
  g_timeout_add (300, end_other_cb, &other);
  supervised_finish (f);
  g_assert_null (other.folder);
  g_assert_cmpint (f->end, ==, URB_RUN_END_FINISHED);
  supervised_assert_said (f, "Waits until the run '");
  supervised_assert_said (f, "queued");
  assert_detail (t, "queued", "{\"run\":\"");
  assert_detail (t, "state", "{\"machine\":\"");
  supervised_assert_complete (t, 12);
}

/* The middle one of a queue of three is removed: the last one still waits for the first. */
static void
test_waits_for_all (RunTest *t, gconstpointer data)
{
  g_auto(Other) first = { 0 };
  g_auto(Other) middle = { 0 };
  g_autoptr(Supervised) f = supervised_new (t);
  other_init_as (&first, t, "first");
  other_init_as (&middle, t, "middle");
  start_after (f, "", 12, (const char *const[]){ first.path, middle.path, NULL });
  g_timeout_add (100, end_other_cb, &middle);
  g_timeout_add (1600, end_other_cb, &first); /* they are polled once a second */
  supervised_finish (f);
  g_assert_null (first.folder);
  supervised_assert_said (f, "/middle' has ended");
  supervised_assert_complete (t, 12);
}

static void
test_need_not_wait (RunTest *t, gconstpointer data)
{
  g_auto(Other) other = { 0 };
  g_autoptr(Supervised) f = supervised_new (t);
  other_init (&other, t);
  end_other_cb (&other);
  start (f, "", 5, other.path);
  supervised_finish (f);
  g_assert_null (strstr (f->events->str, "queued"));
  supervised_assert_complete (t, 5);
}

static gboolean
is_queued (RunTest *t)
{
  g_autoptr(UrbRunClient) client = urb_run_client_new (t->run, NULL, NULL, NULL);
  g_autoptr(JsonObject) status = client != NULL ? urb_run_client_call (client, "status", NULL, 0, 10000, NULL) : NULL;
  return g_strcmp0 (urb_json_get_string (status, "state", NULL), "queued") == 0;
}

static void
order (RunTest *t, const char *const *after, int error_code)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunClient) client = urb_run_client_new (t->run, NULL, NULL, &error);
  g_autoptr(JsonObject) reply = urb_run_client_call_texts (client, "queue", "after", after, 10000, &error);
  if (error_code < 0)
    g_assert_no_error (error);
  else
    g_assert_error (error, URB_RUN_ERROR, error_code);
}

static void
assert_waits_for (RunTest *t, const char *const *folders)
{
  g_autoptr(UrbRunClient) client = urb_run_client_new (t->run, NULL, NULL, NULL);
  g_autoptr(JsonObject) status = urb_run_client_call (client, "status", NULL, 0, 10000, NULL);
  g_auto(GStrv) known = urb_json_dup_strings (status, "waits_for");
  g_assert_nonnull (known);
  g_assert_true (g_strv_equal ((const char *const *) known, folders));
}

typedef struct
{
  RunTest *test;
  Other   *first, *second;
} Reordering;

/* It waits for the second run instead of the first one, which never ends. */
static gboolean
reorder_cb (gpointer user_data)
{
  Reordering *self = user_data;
  RunTest *t = self->test;
  g_autoptr(UrbRunClient) client = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(JsonObject) reply = NULL;
  if (!is_queued (t))
    return G_SOURCE_CONTINUE;
  assert_waits_for (t, (const char *const[]){ self->first->path, NULL });
  client = urb_run_client_new (t->run, NULL, NULL, NULL);
  reply = urb_run_client_call_text (client, "queue", "after", self->second->path, 10000, &error);
  g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_PROTOCOL); /* no array */
  order (t, (const char *const[]){ t->run, NULL }, URB_RUN_ERROR_FOLDER); /* itself */
  order (t, (const char *const[]){ t->base, NULL }, URB_RUN_ERROR_FOLDER); /* no run */
  assert_waits_for (t, (const char *const[]){ self->first->path, NULL });
  order (t, (const char *const[]){ self->second->path, NULL }, -1);
  assert_waits_for (t, (const char *const[]){ self->second->path, NULL });
  end_other_cb (self->second);
  return G_SOURCE_REMOVE;
}

static void
test_reordered (RunTest *t, gconstpointer data)
{
  g_auto(Other) first = { 0 };
  g_auto(Other) second = { 0 };
  g_autoptr(Supervised) f = supervised_new (t);
  Reordering reordering = { t, &first, &second };
  other_init_as (&first, t, "first");
  other_init_as (&second, t, "second");
  start (f, "", 12, first.path);
  g_timeout_add (20, reorder_cb, &reordering);
  supervised_finish (f);
  g_assert_nonnull (first.folder);
  supervised_assert_said (f, "/second' has ended");
  supervised_assert_complete (t, 12);
}

/* Names of the runs after it. */
static void
assert_sorted (UrbQueuePlace *places, guint n, const char *wanted)
{
  g_autoptr(GString) order = g_string_new (NULL);
  urb_queue_sort (places, n);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (order, "%s%u ", places[i].folder, places[i].turn);
  g_assert_cmpstr (order->str, ==, wanted);
}

static void
test_turns (RunTest *t, gconstpointer data)
{
  static const char *const a[] = { "a", NULL }, *const b[] = { "b", NULL }, *const ab[] = { "b", "a", NULL };
  UrbQueuePlace line[] = { { "c", ab, 1 }, { "b", a, 2 }, { "a", (const char *const[]){ "x", NULL }, 3 } };
  UrbQueuePlace pairs[] = { { "d", b, 4 }, { "c", a, 3 }, { "b", NULL, 2 }, { "a", NULL, 1 } };
  UrbQueuePlace circle[] = { { "a", b, 1 }, { "b", a, 2 } };
  assert_sorted (line, G_N_ELEMENTS (line), "a0 b1 c2 ");
  assert_sorted (pairs, G_N_ELEMENTS (pairs), "a0 b0 c1 d1 ");
  urb_queue_sort (circle, G_N_ELEMENTS (circle)); /* and ends */
  urb_queue_sort (NULL, 0);
}

static void
add_steps (UrbRunDb *db, int n)
{
  for (int step = 1; step <= n; step++)
    {
      UrbStepMetrics metrics = { .step = step };
      g_assert_true (urb_run_db_add_step (db, &metrics, NULL));
    }
}

/* For which runs it waits. */
static void
add_queued (RunTest *t, UrbRunDb *db, const char *before)
{
  g_autofree char *folder = g_build_filename (t->base, before, NULL);
  g_autofree char *details = g_strdup_printf ("{\"after\":[\"%s\"]}", folder);
  g_assert_true (urb_run_db_add_event (db, "info", "queued", 0, "", NULL));
  g_assert_true (urb_run_db_add_details (db, details, NULL));
}

/* A run that is over. @events: states and signals in their order; "300": so many steps; ">waited-1": it waits for that run
 * @machine: where */
static void
make_past_run (RunTest *t, const char *name, const char *const *events, const char *machine)
{
  g_auto(Other) other = { 0 };
  g_autofree char *path = NULL;
  g_autoptr(UrbRunDb) db = NULL;
  other_init_as (&other, t, name);
  path = urb_run_folder_dup_file (other.folder, "run.db");
  db = urb_run_db_open (path, NULL);
  for (int i = 0; events[i] != NULL; i++)
    {
      gboolean is_signal = g_str_has_prefix (events[i], "SIG");
      g_autofree char *details = is_signal ? g_strdup_printf ("{\"signal\":\"%s\"}", events[i])
                                           : g_strdup_printf ("{\"machine\":\"%s\"}", machine);
      if (g_ascii_isdigit (events[i][0]))
        {
          add_steps (db, atoi (events[i]));
          continue;
        }
      if (events[i][0] == '>')
        {
          add_queued (t, db, events[i] + 1);
          continue;
        }
      g_assert_true (urb_run_db_add_event (db, "info", is_signal ? "interrupted" : "state", 0, events[i], NULL));
      g_assert_true (urb_run_db_add_details (db, details, NULL));
    }
  g_assert_true (urb_run_db_commit (db, NULL));
}

static void
assert_interrupted (RunTest *t, double boot_time, const char *wanted)
{
  g_autoptr(GPtrArray) found = urb_run_list_interrupted (t->base, boot_time, NULL);
  g_autoptr(GString) names = g_string_new (NULL);
  for (guint i = 0; i < found->len; i++)
    {
      const UrbInterruptedRun *run = found->pdata[i];
      g_autofree char *name = g_path_get_basename (run->folder);
      g_string_append_printf (names, "%s%s%s ", name, run->was_queued ? "*" : "", run->left_out != NULL ? "-" : "");
      g_assert_true (urb_run_is_interrupted (run->folder, boot_time) == (run->left_out == NULL));
    }
  g_assert_cmpstr (names->str, ==, wanted);
}

/* What worked or waited when the machine stopped, or was ended by its shutdown, goes on; what people have stopped or
 * paused does not. */
static void
test_interrupted (RunTest *t, gconstpointer data)
{
  static const struct { const char *name, *events[8]; } runs[] = {
    { "waited-1", { "queued" } },
    { "worked-long", { "starting", "running", "300" } },
    { "ended-long", { "starting", "running", "300", "SIGTERM", "stopping", "stopped" } },
    { "paused-long", { "running", "pausing", "paused", "300", "SIGTERM", "stopped" } },
    { "waited-2", { "queued", "SIGTERM", "stopped" } },
    { "worked", { "starting", "running", "SIGTERM", "stopping", "stopped" } },
    { "by-hand", { "starting", "running", "SIGINT", "stopping", "stopped" } },
    { "by-window", { "running", "SIGTERM", "stopped", "running", "stopping", "stopped" } },
    { "being-stopped", { "running", "stopping" } },
    { "paused", { "running", "pausing", "paused", "SIGTERM", "stopped" } },
    { "finished", { "running", "finished" } },
    { "failed", { "running", "failed" } },
  };
  const double now = (double) g_get_real_time () / G_USEC_PER_SEC, hour = 3600;
  g_autofree char *live = g_build_filename (t->base, "waited-1", NULL), *here = urb_machine_dup_id ();
  g_autoptr(UrbRunFolder) held = NULL;
  g_autoptr(GPtrArray) all_held = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    make_past_run (t, runs[i].name, runs[i].events, here);
  assert_interrupted (t, now - hour, "");
  assert_interrupted (t, now + hour, "worked-long ended-long worked waited-1* waited-2* ");
  held = urb_run_folder_open (live, NULL); /* somebody resumed it */
  assert_interrupted (t, now + hour, "worked-long ended-long worked waited-2* ");
  all_held = urb_run_list_held (t->base);
  g_assert_cmpuint (all_held->len, ==, 1);
  g_assert_cmpstr (all_held->pdata[0], ==, live);
  g_assert_cmpfloat (urb_machine_get_boot_time (), >, 1e9);
  g_assert_cmpfloat (urb_machine_get_boot_time (), <, now);
}

/* The order in which they waited in the end, not the one in which they came. */
static void
test_interrupted_order (RunTest *t, gconstpointer data)
{
  static const char *const first[] = { "queued", ">third", NULL }, *const second[] = { "queued", ">first", NULL };
  static const char *const third[] = { "queued", NULL }, *const worked[] = { "queued", ">second", "running", NULL };
  const double later = (double) g_get_real_time () / G_USEC_PER_SEC + 3600;
  g_autofree char *here = urb_machine_dup_id ();
  make_past_run (t, "first", first, here);
  make_past_run (t, "second", second, here);
  make_past_run (t, "third", third, here);
  make_past_run (t, "worked", worked, here);
  assert_interrupted (t, later, "worked third* first* second* ");
}

/* A run of another machine, which may share this home, is left out; so is one of long ago. */
static void
test_left_out (RunTest *t, gconstpointer data)
{
  static const char *const events[] = { "starting", "running", NULL };
  const double now = (double) g_get_real_time () / G_USEC_PER_SEC, day = 24 * 3600;
  g_autofree char *here = urb_machine_dup_id (), *nowhere = g_build_filename (t->base, "nowhere", NULL);
  g_autoptr(GError) error = NULL;
  make_past_run (t, "here", events, here);
  assert_interrupted (t, now + 29 * day, "here ");
  assert_interrupted (t, now + 31 * day, "here- ");
  make_past_run (t, "there", events, "0123");
  assert_interrupted (t, now + day, "here there- ");
  g_assert_null (urb_run_list_interrupted (nowhere, now, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
}

/* What could not go on has failed, and says why. */
static void
test_cannot_go_on (RunTest *t, gconstpointer data)
{
  static const char *const events[] = { "starting", "running", NULL };
  const double later = (double) g_get_real_time () / G_USEC_PER_SEC + 3600;
  g_autofree char *here = urb_machine_dup_id (), *folder = g_build_filename (t->base, "past", NULL);
  g_autofree char *path = g_build_filename (folder, "run.db", NULL);
  g_autoptr(GError) cause = g_error_new_literal (G_FILE_ERROR, G_FILE_ERROR_NOENT, "The dataset is gone");
  g_autoptr(GError) failure = NULL;
  g_autoptr(UrbRunDb) db = NULL;
  make_past_run (t, "past", events, here);
  assert_interrupted (t, later, "past ");
  g_assert_true (urb_run_record_failure (folder, cause, NULL));
  assert_interrupted (t, later, "");
  db = urb_run_db_open_reader (path, NULL);
  failure = urb_run_find_failure (db, folder);
  g_assert_error (failure, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_cmpstr (failure->message, ==, "The dataset is gone");
}

static void
test_quiet_hours (RunTest *t, gconstpointer data)
{
  static const char *const wrong[] = { "", "8-18", "08:00-24:00", "08:60-09:00", "08:00-08:00", "08:00-18:00 ", "-1:00-05:00" };
  UrbQuietHours quiet;
  g_assert_true (urb_quiet_hours_parse ("8:00-18:00", &quiet, NULL));
  g_assert_false (urb_quiet_hours_contain (&quiet, 8 * 60 - 1));
  g_assert_true (urb_quiet_hours_contain (&quiet, 8 * 60));
  g_assert_true (urb_quiet_hours_contain (&quiet, 18 * 60 - 1));
  g_assert_false (urb_quiet_hours_contain (&quiet, 18 * 60));
  g_assert_true (urb_quiet_hours_parse ("22:30-06:00", &quiet, NULL));
  g_assert_true (urb_quiet_hours_contain (&quiet, 23 * 60));
  g_assert_true (urb_quiet_hours_contain (&quiet, 0));
  g_assert_false (urb_quiet_hours_contain (&quiet, 6 * 60));
  g_assert_true (urb_quiet_hours_parse ("none", &quiet, NULL));
  for (int minute = 0; minute < 24 * 60; minute++)
    g_assert_false (urb_quiet_hours_contain (&quiet, minute));
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr(GError) error = NULL;
      g_assert_false (urb_quiet_hours_parse (wrong[i], &quiet, &error));
      g_assert_nonnull (strstr (error->message, "no range of times"));
    }
}

static void
test_no_predecessor (RunTest *t, gconstpointer data)
{
  g_autofree char *nowhere = g_build_filename (t->base, "nowhere", NULL);
  g_autoptr(GError) error = NULL;
  g_assert_cmpint (urb_run_folder_open_lock (nowhere, &error), ==, -1);
  g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER);
  g_clear_error (&error);
  g_assert_cmpint (urb_run_folder_open_lock (t->base, &error), ==, -1);
  g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER);
}

/* ------------------------------------------------------------------------ */
/* Commands                                                                  */

typedef struct
{
  UrbRunClient *client; /* owned */
  const char   *wait_state;
  const char   *cmd;    /* sent in that state */
  gint64        steps;
  int           n_ok, n_refused;
  char         *state, *after, *name; /* owned; from the last status */
} Commander;

static void
reply_cb (JsonObject *reply, const GError *error, gpointer user_data)
{
  Commander *c = user_data;
  c->n_ok += error == NULL;
  c->n_refused += error != NULL;
}

static void
status_cb (JsonObject *reply, const GError *error, gpointer user_data)
{
  Commander *c = user_data;
  g_assert_no_error (error);
  g_free (c->state);
  g_free (c->after);
  g_free (c->name);
  c->state = g_strdup (urb_json_get_string (reply, "state", NULL));
  c->after = g_strdup (urb_json_get_string (reply, "after", NULL));
  c->name = g_strdup (urb_json_get_string (reply, "name", NULL));
}

static void
message_cb (UrbRunClient *client, JsonObject *message, gpointer user_data)
{
  Commander *c = user_data;
  if (c->cmd == NULL || strcmp (urb_json_get_string (message, "code", ""), "state") != 0
      || strcmp (urb_json_get_string (message, "text", ""), c->wait_state) != 0)
    return;
  urb_run_client_request (client, "status", NULL, 0, status_cb, c);
  urb_run_client_request (client, "pause", NULL, 0, c->steps == 0 ? reply_cb : NULL, c);
  urb_run_client_request_text (client, "rename", "name", "  ", reply_cb, c);
  urb_run_client_request_text (client, "rename", "name", "Anna’s town", reply_cb, c);
  urb_run_client_request (client, "status", NULL, 0, status_cb, c);
  urb_run_client_request (client, c->cmd, c->steps > 0 ? "steps" : NULL, c->steps, reply_cb, c);
  c->cmd = NULL;
}

static const UrbRunClientOps commander_ops = { .message = message_cb };

static void
commander_init (Commander *c, RunTest *t, const UrbRunClientOps *ops)
{
  g_autoptr(GError) error = NULL;
  c->client = urb_run_client_new (t->run, ops, c, &error);
  g_assert_no_error (error);
  urb_run_client_request (c->client, "subscribe", "since", 0, NULL, NULL);
}

static void
commander_clear (Commander *c)
{
  urb_run_client_free (c->client);
  g_free (c->state);
  g_free (c->after);
  g_free (c->name);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Commander, commander_clear)

static void
assert_name (RunTest *t, const char *name)
{
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(GError) error = NULL;
  urb_run_config_init (&config);
  urb_run_folder_load_config (t->run, &config, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (config.name, ==, name);
}

/* In run.ini. */
static void
assert_lengths (RunTest *t, gint64 n_steps, gint64 schedule_steps)
{
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(GError) error = NULL;
  urb_run_config_init (&config);
  urb_run_folder_load_config (t->run, &config, &error);
  g_assert_no_error (error);
  g_assert_cmpint (config.train.n_steps, ==, n_steps);
  g_assert_cmpint (config.train.schedule_steps, ==, schedule_steps);
}

/* "Start now": the other one never ends. */
static void
test_resumed (RunTest *t, gconstpointer data)
{
  g_auto(Other) other = { 0 };
  g_autoptr(Supervised) f = supervised_new (t);
  g_auto(Commander) c = { .wait_state = "queued", .cmd = "resume" };
  other_init (&other, t);
  start (f, "", 12, other.path);
  commander_init (&c, t, &commander_ops);
  supervised_finish (f);
  g_assert_cmpint (c.n_ok, ==, 2);
  g_assert_cmpint (c.n_refused, ==, 2); /* pause, a blank name */
  g_assert_cmpstr (c.state, ==, "queued");
  g_assert_cmpstr (c.after, ==, other.path);
  g_assert_cmpstr (c.name, ==, "Anna’s town");
  g_assert_nonnull (other.folder);
  supervised_assert_complete (t, 12);
  assert_name (t, "Anna’s town");
}

/* It waits for no run, but for the time; on the command it begins at once. */
static void
test_waits_quietly (RunTest *t, gconstpointer data)
{
  g_autoptr(GDateTime) now = g_date_time_new_now_local ();
  g_autoptr(GDateTime) before = g_date_time_add_hours (now, -2), after = g_date_time_add_hours (now, 2);
  g_autofree char *from = g_date_time_format (before, "%H:%M"), *to = g_date_time_format (after, "%H:%M");
  g_autoptr(Supervised) f = supervised_new (t);
  g_auto(Commander) c = { .wait_state = "queued", .cmd = "resume" };
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = supervised_make_options (f);
  options.keeps_quiet = TRUE;
  supervised_fill_config (t, &config, "", 12);
  config.quiet_hours = g_strdup_printf ("%s-%s", from, to);
  supervised_prepare (f, &config, &options);
  g_assert_true (urb_run_folder_save_config (t->folder, &config, NULL));
  commander_init (&c, t, &commander_ops);
  supervised_finish (f);
  g_assert_cmpint (c.n_ok, ==, 2);
  g_assert_cmpstr (c.state, ==, "queued");
  supervised_assert_said (f, "Waits for the end of the quiet hours, ");
  assert_detail (t, "queued", "{\"after\":[]}"); /* none from an earlier session */
  supervised_assert_complete (t, 12);
}

/* The schedules of a run that has not begun have its new length. */
static void
test_resumed_longer (RunTest *t, gconstpointer data)
{
  g_auto(Other) other = { 0 };
  g_autoptr(Supervised) f = supervised_new (t);
  g_auto(Commander) c = { .wait_state = "queued", .cmd = "resume", .steps = 20 };
  other_init (&other, t);
  start (f, "", 12, other.path);
  commander_init (&c, t, &commander_ops);
  supervised_finish (f);
  supervised_assert_complete (t, 20);
  assert_lengths (t, 20, 20);
}

static void
test_stopped (RunTest *t, gconstpointer data)
{
  g_auto(Other) other = { 0 };
  g_autoptr(Supervised) f = supervised_new (t);
  g_auto(Commander) c = { .wait_state = "queued", .cmd = "stop" };
  g_auto(History) h = { 0 };
  other_init (&other, t);
  start (f, "", 12, other.path);
  commander_init (&c, t, &commander_ops);
  supervised_finish (f);
  g_assert_cmpint (f->end, ==, URB_RUN_END_STOPPED);
  supervised_read_history (t, &h);
  g_assert_cmpuint (h.steps->len, ==, 0);
  g_assert_cmpint (h.n_sessions, ==, 0);
}

/* At the first step. */
static void
send_extend_cb (UrbRunClient *client, JsonObject *message, gpointer user_data)
{
  Commander *c = user_data;
  if (c->cmd == NULL || strcmp (urb_json_get_string (message, "type", ""), "step") != 0)
    return;
  c->cmd = NULL;
  urb_run_client_request (client, "extend", "steps", 10, reply_cb, c); /* less than it has */
  urb_run_client_request (client, "extend", "steps", G_GINT64_CONSTANT (5000000000), reply_cb, c);
  urb_run_client_request (client, "extend", "steps", 70, reply_cb, c);
  urb_run_client_request_text (client, "rename", "name", "Longer", reply_cb, c);
}

static const UrbRunClientOps extender_ops = { .message = send_extend_cb };

/* Extended while it runs: the worker is not told, but the run reaches the new length. */
static void
test_extended (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_auto(Commander) c = { .cmd = "extend" };
  g_auto(History) h = { 0 };
  start (f, "ms=20", 40, NULL);
  commander_init (&c, t, &extender_ops);
  supervised_finish (f);
  g_assert_cmpint (c.n_ok, ==, 2);
  g_assert_cmpint (c.n_refused, ==, 2);
  g_assert_cmpint (f->end, ==, URB_RUN_END_FINISHED);
  supervised_assert_said (f, "The run was extended to step 70");
  supervised_assert_complete (t, 70);
  supervised_read_history (t, &h);
  g_assert_cmpint (h.n_sessions, ==, 2);
  assert_name (t, "Longer");
  assert_lengths (t, 70, 40);
}

/* ------------------------------------------------------------------------ */
/* Ended runs                                                                */

static void
test_renamed (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(GError) error = NULL;
  g_autofree char *endless = g_strnfill (201, 'x');
  g_assert_true (supervised_run (f, "", 5));
  g_assert_false (urb_run_folder_rename (t->run, "late", &error));
  g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_BUSY); /* this test has it */
  g_clear_error (&error);
  g_clear_pointer (&t->folder, urb_run_folder_free);
  g_assert_false (urb_run_folder_rename (t->run, "two\nlines", NULL));
  g_assert_false (urb_run_folder_rename (t->run, endless, NULL));
  g_assert_false (urb_run_folder_rename (t->run, "", NULL));
  assert_name (t, "test");
  g_assert_true (urb_run_folder_rename (t->run, "Großstadt", &error));
  assert_name (t, "Großstadt");
}

static void
test_rolled_back (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) steps = NULL;
  g_assert_true (supervised_run (f, "", 42));
  g_assert_false (urb_run_folder_roll_back (t->folder, 20, &error)); /* pruned */
  g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "30, 40, 42"));
  g_clear_error (&error);
  g_assert_true (urb_run_folder_roll_back (t->folder, 30, &error));
  steps = urb_run_folder_list_checkpoints (t->run);
  g_assert_cmpuint (steps->len, ==, 1);
  g_assert_true (supervised_run (f, "", 36));
  supervised_assert_complete (t, 36);
}

int
main (int argc, char **argv)
{
  int code = fake_job_main (argc, argv, &fake_job);
  if (code >= 0)
    return code;
  g_test_init (&argc, &argv, NULL);
  run_test_add ("/queue/waits", test_waits);
  run_test_add ("/queue/waits-for-all", test_waits_for_all);
  run_test_add ("/queue/need-not-wait", test_need_not_wait);
  run_test_add ("/queue/no-predecessor", test_no_predecessor);
  run_test_add ("/queue/interrupted", test_interrupted);
  run_test_add ("/queue/interrupted-order", test_interrupted_order);
  run_test_add ("/queue/left-out", test_left_out);
  run_test_add ("/queue/reordered", test_reordered);
  run_test_add ("/queue/turns", test_turns);
  run_test_add ("/queue/cannot-go-on", test_cannot_go_on);
  run_test_add ("/queue/quiet-hours", test_quiet_hours);
  run_test_add ("/queue/waits-quietly", test_waits_quietly);
  run_test_add ("/queue/resumed", test_resumed);
  run_test_add ("/queue/resumed-longer", test_resumed_longer);
  run_test_add ("/queue/stopped", test_stopped);
  run_test_add ("/changed/extended", test_extended);
  run_test_add ("/changed/renamed", test_renamed);
  run_test_add ("/changed/rolled-back", test_rolled_back);
  return g_test_run ();
}
