/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervised.c - see supervised.h.
 */
#include "supervised.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "run/store/json-line.h"
#include "run/store/run-db.h"

static const char *worker_argv[] = { "/proc/self/exe", "worker", NULL };

static void
measure_pause (Supervised *f)
{
  gint64 now_us = g_get_monotonic_time ();
  if (strstr (f->events->str, "info: running\n") != NULL && strstr (f->events->str, "warning: ") == NULL)
    f->longest_pause_us = MAX (f->longest_pause_us, now_us - f->looked_us);
  f->looked_us = now_us;
}

static void
event_cb (const char *level, const char *text, gpointer user_data)
{
  Supervised *f = user_data;
  measure_pause (f);
  g_string_append_printf (f->events, "%s: %s\n", level, text);
}

static void
profile_cb (const char *text, gpointer user_data)
{
  g_string_append (((Supervised *) user_data)->profile, text);
}

static void
step_cb (const UrbStepMetrics *metrics, gpointer user_data)
{
  Supervised *f = user_data;
  measure_pause (f);
  if (f->interrupt_step == 0 || metrics->step < f->interrupt_step)
    return;
  f->interrupt_step = 0;
  kill (getpid (), SIGINT);
}

static void
gpu_cb (const UrbGpu *gpu, gpointer user_data)
{
  Supervised *f = user_data;
  f->n_gpus++;
  if (f->gpu != NULL)
    f->gpu (f, gpu);
}

static const UrbSupervisorObserver observer = { .event = event_cb, .step = step_cb,
                                                .profile = profile_cb, .gpu = gpu_cb };

void
supervised_fill_config (RunTest *t, UrbRunConfig *config, const char *script, gint64 n_steps)
{
  urb_run_config_init (config);
  config->name = g_strdup ("test");
  config->checkpoint_every = 10;
  config->sample_every = 5;
  config->train.n_steps = config->train.schedule_steps = n_steps;
  g_free (config->train.preset);
  config->train.preset = g_strdup (script);
  config->train.dataset = g_strdup (t->base);
}

UrbSupervisorOptions
supervised_make_options (Supervised *f)
{
  return (UrbSupervisorOptions){
    .worker_argv = worker_argv, .observer = &observer, .user_data = f, .max_restarts = 3,
    .max_silence_s = 30, .max_step_s = 30,
  };
}

Supervised *
supervised_new (RunTest *t)
{
  Supervised *f = g_new0 (Supervised, 1);
  f->test = t;
  f->events = g_string_new (NULL);
  f->profile = g_string_new (NULL);
  return f;
}

void
supervised_free (Supervised *f)
{
  urb_supervisor_free (f->supervisor);
  g_clear_error (&f->error);
  g_string_free (f->events, TRUE);
  g_string_free (f->profile, TRUE);
  g_free (f);
}

void
supervised_prepare (Supervised *f, const UrbRunConfig *config, const UrbSupervisorOptions *options)
{
  g_autoptr(GError) error = NULL;
  if (f->test->folder == NULL)
    f->test->folder = urb_run_folder_create (f->test->run, URB_RUN_FOLDER_NEW, &error);
  g_assert_no_error (error);
  g_clear_pointer (&f->supervisor, urb_supervisor_free);
  f->supervisor = urb_supervisor_new (f->test->folder, config, options, &error);
  g_assert_no_error (error);
}

static gboolean
interrupt_hung_cb (gpointer user_data)
{
  Supervised *f = user_data;
  g_autofree char *mark = g_build_filename (f->test->base, "hang", NULL);
  if (!g_file_test (mark, G_FILE_TEST_EXISTS))
    return G_SOURCE_CONTINUE;
  kill (getpid (), SIGINT);
  return f->n_interrupts++ == 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

void
supervised_interrupt_hung (Supervised *f)
{
  g_timeout_add (200, interrupt_hung_cb, f); /* two signals at once would count as one */
}

gboolean
supervised_end (Supervised *f)
{
  gboolean good;
  g_clear_error (&f->error);
  good = urb_supervisor_run (f->supervisor, &f->end, &f->error);
  g_clear_pointer (&f->supervisor, urb_supervisor_free);
  if (!good)
    g_test_message ("%s%s", f->events->str, f->error->message);
  return good;
}

void
supervised_finish (Supervised *f)
{
  g_assert_true (supervised_end (f));
}

gboolean
supervised_run (Supervised *f, const char *script, gint64 n_steps)
{
  g_auto(UrbRunConfig) config = { 0 };
  UrbSupervisorOptions options = supervised_make_options (f);
  supervised_fill_config (f->test, &config, script, n_steps);
  supervised_prepare (f, &config, &options);
  return supervised_end (f);
}

void
history_clear (History *h)
{
  g_array_unref (h->steps);
}

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

void
supervised_read_history (RunTest *t, History *h)
{
  g_autofree char *path = g_build_filename (t->run, "run.db", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunDb) db = urb_run_db_open_reader (path, &error);
  g_assert_no_error (error);
  *h = (History){ .steps = g_array_new (FALSE, FALSE, sizeof (gint64)) };
  while (urb_run_db_replay (db, h->seq, 100, read_record, h, NULL) == 100)
    ;
}

/* Each step once, the right weights, no worker, no socket, no temporary file. */
void
supervised_assert_complete (RunTest *t, gint64 n_steps)
{
  g_auto(History) h = { 0 };
  g_autofree char *name = urb_run_checkpoint_name (n_steps);
  g_autofree char *path = g_build_filename (t->run, name, NULL);
  g_autofree char *socket = g_build_filename (t->run, "control.sock", NULL);
  supervised_read_history (t, &h);
  for (gint64 i = 0; i < MIN ((gint64) h.steps->len, n_steps); i++)
    g_assert_cmpint (g_array_index (h.steps, gint64, i), ==, i + 1);
  g_assert_cmpuint (h.steps->len, ==, (guint) n_steps);
  g_assert_cmpuint (fake_job_read_state (path), ==, fake_job_state_at (n_steps));
  g_assert_false (g_file_test (socket, G_FILE_TEST_EXISTS));
}

void
supervised_assert_said (Supervised *f, const char *text)
{
  if (strstr (f->events->str, text) == NULL)
    g_error ("nobody said '%s':\n%s", text, f->events->str);
}
