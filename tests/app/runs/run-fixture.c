/* SPDX-License-Identifier: Apache-2.0 */
#include "run-fixture.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "app-test.h"
#include "app/runs/run-record.h"
#include "run/store/run-db.h"

static char *base, *dataset; /* owned */

static void
delete_all (const char *path)
{
  g_autoptr(GDir) dir
    = g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open (path, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);
      delete_all (inner);
    }
  g_remove (path);
}

void
run_fixture_engine (const char *format, ...)
{
  g_autofree char *arguments = NULL;
  g_autofree char *line = NULL;
  g_autofree char *out = NULL;
  g_autofree char *err = NULL;
  g_autoptr(GError) error = NULL;
  int status;
  va_list args;
  va_start (args, format);
  arguments = g_strdup_vprintf (format, args);
  va_end (args);
  line = g_strdup_printf ("%s %s", g_getenv ("URBARIUM_ENGINE"), arguments);
  g_spawn_command_line_sync (line, &out, &err, &status, &error);
  g_assert_no_error (error);
  if (!g_spawn_check_wait_status (status, NULL))
    g_error ("%s: %s", line, err);
}

void
run_fixture_init_empty (void)
{
  base = g_dir_make_tmp ("urbarium-runs-XXXXXX", NULL);
}

void
run_fixture_init (void)
{
  g_autofree char *town = NULL;
  run_fixture_init_empty ();
  town = run_fixture_path ("town.gpkg");
  dataset = run_fixture_path ("areas.gpkg");
  run_fixture_engine ("sample --seed 7 --size-km 1 %s", town);
  run_fixture_engine ("curate %s --out %s --resolution 64 --top 24", town, dataset);
}

void
run_fixture_clear (void)
{
  delete_all (base);
  g_clear_pointer (&base, g_free);
  g_clear_pointer (&dataset, g_free);
}

const char *
run_fixture_base (void)
{
  return base;
}

const char *
run_fixture_dataset (void)
{
  return dataset;
}

char *
run_fixture_path (const char *name)
{
  return g_build_filename (base, name, NULL);
}

char *
run_fixture_start (const char *name, int n_steps, const char *options)
{
  char *path = run_fixture_path (name);
  run_fixture_engine ("train --detach --dataset %s --run %s --preset tiny --batch 2 --threads 1 "
                      "--steps %d %s",
                      dataset, path, n_steps, options);
  return path;
}

gint64
run_int64 (UrbariumRun *run, const char *property)
{
  gint64 value;
  g_object_get (run, property, &value, NULL);
  return value;
}

double
run_double (UrbariumRun *run, const char *property)
{
  double value;
  g_object_get (run, property, &value, NULL);
  return value;
}

gboolean
run_bool (UrbariumRun *run, const char *property)
{
  gboolean value;
  g_object_get (run, property, &value, NULL);
  return value;
}

/* ------------------------------------------------------------------------ */
/* Waiting                                                                   */

typedef struct
{
  UrbariumRun *run;
  gint64       value;
} Wanted;

static gboolean
has_state (gpointer data)
{
  Wanted *wanted = data;
  g_autofree char *text = NULL;
  g_object_get (wanted->run, "state-text", &text, NULL);
  return *text != '\0' && urbarium_run_get_state (wanted->run) == (UrbRunState) wanted->value;
}

static gboolean
is_live (gpointer data)
{
  Wanted *wanted = data;
  return urbarium_run_get_live (wanted->run) == (gboolean) wanted->value;
}

static gboolean
has_step (gpointer data)
{
  Wanted *wanted = data;
  return run_int64 (wanted->run, "step") >= wanted->value;
}

static gboolean
is_loaded (gpointer data)
{
  return !run_bool (data, "loading");
}

void
run_until_state (UrbariumRun *run, UrbRunState state)
{
  Wanted wanted = { run, state };
  test_until (has_state, &wanted);
}

void
run_until_live (UrbariumRun *run, gboolean live)
{
  Wanted wanted = { run, live };
  test_until (is_live, &wanted);
}

void
run_until_step (UrbariumRun *run, gint64 step)
{
  Wanted wanted = { run, step };
  test_until (has_step, &wanted);
}

void
run_until_loaded (UrbariumRun *run)
{
  test_until (is_loaded, run);
}

typedef struct
{
  UrbariumRun *run;
  const char  *name;
} WantedName;

static gboolean
has_name (gpointer data)
{
  WantedName *wanted = data;
  return strcmp (urbarium_run_get_name (wanted->run), wanted->name) == 0;
}

void
run_until_name (UrbariumRun *run, const char *name)
{
  WantedName wanted = { run, name };
  test_until (has_name, &wanted);
}

static void
count_event (gint64 seq, const char *json, gpointer user_data)
{
  *(guint *) user_data += strstr (json, "\"type\":\"event\"") != NULL;
}

gboolean
run_is_caught_up (gpointer data)
{
  UrbariumRun *run = data;
  g_autofree char *path = g_build_filename (urbarium_run_get_folder (run), "run.db", NULL);
  g_autoptr(UrbRunDb) db = urb_run_db_open_reader (path, NULL);
  guint n_events = 0;
  urb_run_db_replay (db, 0, G_MAXINT, count_event, &n_events, NULL);
  return g_list_model_get_n_items (urbarium_run_get_events (run)) >= n_events;
}

/* ------------------------------------------------------------------------ */
/* The main loop                                                             */

static gint64 awake_us, longest_us; /* since the last poll; maximum */
static gint64 awake_cpu_us, longest_cpu_us;

static gint64
get_cpu_us (void)
{
  struct timespec time;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * (gint64) G_USEC_PER_SEC + time.tv_nsec / 1000;
}

static int
poll_cb (GPollFD *fds, guint n_fds, int timeout)
{
  int n;
  if (awake_us > 0)
    {
      longest_us = MAX (longest_us, g_get_monotonic_time () - awake_us);
      longest_cpu_us = MAX (longest_cpu_us, get_cpu_us () - awake_cpu_us);
    }
  n = g_poll (fds, n_fds, timeout);
  awake_us = g_get_monotonic_time ();
  awake_cpu_us = get_cpu_us ();
  return n;
}

void
run_fixture_watch_loop (void)
{
  awake_us = longest_us = longest_cpu_us = 0;
  g_main_context_set_poll_func (NULL, poll_cb);
}

void
run_fixture_get_longest_ms (double *wall_ms, double *cpu_ms)
{
  *wall_ms = (double) longest_us * 1e-3;
  *cpu_ms = (double) longest_cpu_us * 1e-3;
}

static gboolean
is_gone (gpointer data)
{
  return *(gpointer *) data == NULL;
}

void
run_until_gone (gpointer object)
{
  gpointer weak = object;
  g_object_add_weak_pointer (G_OBJECT (object), &weak);
  g_object_unref (object);
  test_until (is_gone, &weak);
}

/* ------------------------------------------------------------------------ */
/* Comparing                                                                 */

typedef struct
{
  UrbariumRun *run;
  gsize        n_steps;
  guint        n_samples, n_checkpoints, n_events;
  gint64       seq;
} Comparison;

/* JSON has 15 digits of the 17 of run.db. */
static void
assert_near (double x, double y)
{
  if (isfinite (y))
    g_assert_cmpfloat_with_epsilon (x, y, 1e-12 * fabs (y) + 1e-300);
  else
    g_assert_false (isfinite (x));
}

static void
compare_line (gint64 seq, const char *json, gpointer user_data)
{
  Comparison *c = user_data;
  g_autoptr(JsonObject) line = urb_json_parse_line (json, strlen (json), NULL);
  UrbRunRecord record;
  urbarium_record_read (&record, line);
  c->seq = seq;
  if (record.type == URB_RUN_RECORD_STEP)
    {
      for (int i = 0; i < URB_N_METRICS; i++)
        {
          double x, y;
          urbarium_series_get (urbarium_run_get_metric (c->run, i), c->n_steps, &x, &y);
          g_assert_cmpfloat (x, ==, (double) record.step);
          assert_near (y, record.metrics.values[i]);
        }
      c->n_steps++;
    }
  else if (record.type == URB_RUN_RECORD_SAMPLE)
    {
      g_autoptr(UrbariumRunFile) sample
        = g_list_model_get_item (urbarium_run_get_samples (c->run), c->n_samples++);
      g_autofree char *path = NULL;
      g_assert_nonnull (sample);
      g_assert_cmpint (urbarium_run_file_get_step (sample), ==, record.step);
      g_object_get (sample, "path", &path, NULL);
      g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
    }
  else if (record.type == URB_RUN_RECORD_CHECKPOINT && record.kept)
    {
      g_autoptr(UrbariumRunFile) checkpoint
        = g_list_model_get_item (urbarium_run_get_checkpoints (c->run), c->n_checkpoints++);
      g_assert_nonnull (checkpoint);
      g_assert_cmpint (urbarium_run_file_get_step (checkpoint), ==, record.step);
    }
  else if (record.type == URB_RUN_RECORD_EVENT)
    {
      g_autoptr(GObject) event
        = g_list_model_get_item (urbarium_run_get_events (c->run), c->n_events++);
      g_autofree char *text = NULL, *subject = NULL;
      g_assert_nonnull (event);
      g_object_get (event, "text", &text, "subject", &subject, NULL);
      g_assert_cmpstr (text, ==, record.texts[2]);
      g_assert_cmpstr (subject, ==, record.texts[3]);
    }
}

void
run_assert_equals_db (UrbariumRun *run)
{
  g_autofree char *path = g_build_filename (urbarium_run_get_folder (run), "run.db", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunDb) db = urb_run_db_open_reader (path, &error);
  Comparison c = { .run = run };
  g_assert_no_error (error);
  while (urb_run_db_replay (db, c.seq, 1000, compare_line, &c, NULL) == 1000)
    ;
  for (int i = 0; i < URB_N_METRICS; i++)
    g_assert_cmpuint (urbarium_series_get_n (urbarium_run_get_metric (run, i)), ==, c.n_steps);
  g_assert_cmpuint (urbarium_series_get_n (urbarium_run_get_speed (run)), ==, c.n_steps);
  g_assert_cmpuint (g_list_model_get_n_items (urbarium_run_get_samples (run)), ==, c.n_samples);
  g_assert_cmpuint (g_list_model_get_n_items (urbarium_run_get_checkpoints (run)), ==,
                    c.n_checkpoints);
  g_assert_cmpuint (g_list_model_get_n_items (urbarium_run_get_events (run)), ==, c.n_events);
}
