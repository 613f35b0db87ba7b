/* SPDX-License-Identifier: Apache-2.0 */
/*
 * several.c - see several.h.  Read start_next() and changed_cb() first.
 */
#include "cli/several.h"

#include <glib-unix.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic-file.h"
#include "base/durable.h"
#include "base/json-build.h"
#include "cli/child-run.h"
#include "cli/cli.h"
#include "cli/preflight.h"
#include "cli/sweep-past.h"
#include "run/supervisor/supervisor.h"

enum { LINE_US = 10 * 1000 * 1000 };

typedef struct
{
  const UrbSweepRun *what;   /* borrowed */
  char              *folder; /* owned */
  UrbRunConfig       config; /* resolved, if it is to be trained */
  GError            *error;  /* owned; NULL: the settings can be resolved */
  UrbSweepPast       past;   /* of its folder: before the sweep, and again once the child has ended */
  UrbChildRun       *child;  /* owned; NULL: not started */
  int                code;   /* exit code of the child; URB_EXIT_FAILURE if it could not be started */
  gint64             shown_us;
} Run;

typedef struct
{
  const UrbSweep      *sweep;     /* borrowed */
  const UrbCliSession *session;   /* borrowed */
  gboolean             force;
  Run                 *runs;      /* (n_runs), owned */
  guint                n_runs, n_running, next;
  guint                n_at_once;
  gint64               n_steps;   /* below 1: --steps was not given */
  gboolean             interrupted;
} Several;

/* Whether there is nothing for this sweep to train. */
static gboolean
is_left_alone (const Run *run)
{
  return run->past.state == URB_SWEEP_PAST_FINISHED || run->past.state == URB_SWEEP_PAST_RUNNING;
}

void
urb_cli_several_clear (UrbCliSeveral *self)
{
  g_clear_pointer (&self->lists, g_strfreev);
}

void
urb_cli_several_add (UrbCliSeveral *self, GOptionContext *options)
{
  const GOptionEntry entries[] = {
    { "several", 0, 0, G_OPTION_ARG_STRING_ARRAY, &self->lists,
      "One run per value of a setting: seed=1,2,3; may be given again, for every combination", "KEY=LIST" },
    { "at-once", 0, 0, G_OPTION_ARG_INT, &self->n_at_once,
      "Several runs: the most that train at a time (as many as cores)", "K" },
    G_OPTION_ENTRY_NULL
  };

  g_option_context_add_main_entries (options, entries, NULL);
}

/* ------------------------------------------------------------------------ */
/* The runs                                                                  */

/* The run has its settings already, except for this session's. */
static char **
dup_arguments (const Several *self, const Run *run)
{
  g_autoptr(GStrvBuilder) words = g_strv_builder_new ();
  g_autofree char *threads = g_strdup_printf ("%d", run->config.train.n_threads);
  g_autofree char *steps = g_strdup_printf ("%" G_GINT64_FORMAT, self->n_steps);
  g_autofree char *minutes = g_strdup_printf ("%.17g", self->session->max_minutes);

  g_strv_builder_add_many (words, "resume", run->folder, "--threads", threads, "--max-minutes", minutes,
                           NULL);
  if (self->n_steps > 0)
    g_strv_builder_add_many (words, "--steps", steps, NULL);
  for (char **after = self->session->after; after != NULL && *after != NULL; after++)
    g_strv_builder_add_many (words, "--after", *after, NULL);
  for (char **name = self->session->checkpoint_on; name != NULL && *name != NULL; name++)
    g_strv_builder_add_many (words, "--checkpoint-on", *name, NULL);
  return g_strv_builder_end (words);
}

static const char *
get_state (const Run *run)
{
  static const char *const names[] = {
    [URB_SWEEP_PAST_NONE] = "not started",
    [URB_SWEEP_PAST_STOPPED] = "stopped",
    [URB_SWEEP_PAST_RUNNING] = "running",
    [URB_SWEEP_PAST_FINISHED] = "finished",
  };

  return run->code == URB_EXIT_OK || run->code == URB_EXIT_INTERRUPTED ? names[run->past.state]
                                                                       : "failed";
}

static void
tell (Several *self, const Run *run, const char *what)
{
  if (!self->session->quiet && !self->session->json)
    fprintf (stderr, "%s: %s\n", run->what->name, what);
}

static void
tell_step (Several *self, Run *run)
{
  const UrbChildState *child = urb_child_run_get_state (run->child);
  gint64 now_us = g_get_monotonic_time ();
  g_autofree char *text = NULL;

  if (now_us - run->shown_us < LINE_US)
    return;
  run->shown_us = now_us;
  text = g_strdup_printf ("step %" G_GINT64_FORMAT "/%" G_GINT64_FORMAT " %.3g img/s D %.3f G %.3f",
                          child->last.step, child->n_steps, child->images_per_s, child->last.loss_d,
                          child->last.loss_g);
  tell (self, run, text);
}

static void start_next (Several *self);

static void
changed_cb (UrbChildRun *child, UrbChildEvent event, gpointer user_data)
{
  Several *self = user_data;
  Run *run = self->runs;

  while (run->child != child)
    run++;
  switch (event)
    {
    case URB_CHILD_READY:
      tell (self, run, "begins");
      run->shown_us = g_get_monotonic_time ();
      break;
    case URB_CHILD_STEP:
      tell_step (self, run);
      break;
    case URB_CHILD_ENDED:
      run->code = urb_child_run_get_state (child)->code;
      urb_sweep_past_read (&run->past, run->folder, self->n_steps);
      tell (self, run, get_state (run));
      self->n_running--;
      start_next (self);
      break;
    }
}

static gboolean
start (Several *self, Run *run, GError **error)
{
  g_auto(GStrv) arguments = dup_arguments (self, run);
  g_autoptr(UrbRunFolder) folder = NULL;

  if (run->past.state == URB_SWEEP_PAST_NONE)
    {
      folder = urb_run_folder_begin (run->folder, self->force ? URB_RUN_FOLDER_REPLACE
                                                              : URB_RUN_FOLDER_NEW,
                                     &run->config, error);
      if (folder == NULL)
        return FALSE;
      g_clear_pointer (&folder, urb_run_folder_free); /* the child locks it */
    }
  run->child = urb_child_run_new (run->what->name, (const char *const *) arguments, changed_cb, self,
                                  error);
  return run->child != NULL;
}

/* Until the most that may run at once do so, or none is left. */
static void
start_next (Several *self)
{
  while (!self->interrupted && self->n_running < self->n_at_once && self->next < self->n_runs)
    {
      Run *run = &self->runs[self->next++];

      if (is_left_alone (run))
        {
          tell (self, run, run->past.state == URB_SWEEP_PAST_FINISHED
                             ? "is finished already" : "is being trained by another process");
          continue;
        }
      if (run->error == NULL && start (self, run, &run->error))
        self->n_running++;
      else
        {
          run->code = urb_cli_get_exit (run->error);
          tell (self, run, run->error->message);
        }
    }
}

static void
send_to_all (Several *self, int number)
{
  for (guint i = 0; i < self->n_runs; i++)
    if (self->runs[i].child != NULL)
      urb_child_run_send_signal (self->runs[i].child, number);
}

static gboolean
interrupt_cb (gpointer user_data)
{
  Several *self = user_data;

  self->interrupted = TRUE;
  if (!self->session->quiet && !self->session->json)
    fprintf (stderr, "Stopping %u run%s; Ctrl+C again: at once.\n", self->n_running,
             self->n_running == 1 ? "" : "s");
  send_to_all (self, SIGINT);
  return G_SOURCE_CONTINUE;
}

/* A warning of a scheduler. */
static gboolean
warn (Several *self, int number)
{
  guint signals;

  if (self->interrupted)
    return G_SOURCE_CONTINUE;
  urb_supervisor_parse_signals ((const char *const *) self->session->checkpoint_on, &signals);
  if ((signals >> number & 1) == 0)
    return interrupt_cb (self);
  send_to_all (self, number);
  return G_SOURCE_CONTINUE;
}

static gboolean
usr1_cb (gpointer user_data)
{
  return warn (user_data, SIGUSR1);
}

static gboolean
usr2_cb (gpointer user_data)
{
  return warn (user_data, SIGUSR2);
}

static void
run_all (Several *self)
{
  guint sources[] = { g_unix_signal_add (SIGINT, interrupt_cb, self),
                      g_unix_signal_add (SIGTERM, interrupt_cb, self),
                      g_unix_signal_add (SIGUSR1, usr1_cb, self),
                      g_unix_signal_add (SIGUSR2, usr2_cb, self) };

  start_next (self);
  while (self->n_running > 0)
    g_main_context_iteration (NULL, TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    g_source_remove (sources[i]);
}

/* ------------------------------------------------------------------------ */
/* Results                                                                   */

/* Not finite, or nothing yet: an empty field. */
static void
append_csv_number (GString *csv, double value, gboolean known, char end)
{
  if (known && isfinite (value))
    g_string_append_printf (csv, "%.6g", value);
  g_string_append_c (csv, end);
}

static gboolean
write_csv (const Several *self, const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, URB_SWEEP_SUMMARY, NULL);
  g_autoptr(GString) csv = g_string_new ("run,");

  for (guint i = 0; i < self->sweep->keys->len; i++)
    g_string_append_printf (csv, "%s,", (const char *) self->sweep->keys->pdata[i]);
  g_string_append (csv, "state,step,images,loss_d,loss_g,images_per_s\n");
  for (guint i = 0; i < self->n_runs; i++)
    {
      const Run *run = &self->runs[i];
      const UrbChildPoint *last = &run->past.last;
      g_autofree char *fields = urb_sweep_dup_fields (run->what);

      g_string_append_printf (csv, "%s%s,%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",", fields,
                              get_state (run), last->step, last->images);
      append_csv_number (csv, last->loss_d, last->step > 0, ',');
      append_csv_number (csv, last->loss_g, last->step > 0, ',');
      append_csv_number (csv, run->past.images_per_s, run->past.images_per_s > 0, '\n');
    }
  return urb_atomic_file_set_contents (path, csv->str, csv->len, error);
}

static void
print_table (const Several *self)
{
  int width = (int) strlen ("run");

  for (guint i = 0; i < self->n_runs; i++)
    width = MAX (width, (int) g_utf8_strlen (self->runs[i].what->name, -1));
  printf ("%-*s  %-11s %9s %11s %9s %9s %9s\n", width, "run", "state", "step", "images", "loss D",
          "loss G", "images/s");
  for (guint i = 0; i < self->n_runs; i++)
    {
      const Run *run = &self->runs[i];
      const UrbChildPoint *last = &run->past.last;

      if (last->step == 0)
        printf ("%-*s  %s\n", width, run->what->name, get_state (run));
      else
        printf ("%-*s  %-11s %9" G_GINT64_FORMAT " %11" G_GINT64_FORMAT " %9.3f %9.3f %9.1f\n", width,
                run->what->name, get_state (run), last->step, last->images, last->loss_d, last->loss_g,
                run->past.images_per_s);
    }
}

static void
print_json (const Several *self)
{
  JsonBuilder *json = urb_json_new ();

  urb_json_begin_array (json, "runs");
  for (guint i = 0; i < self->n_runs; i++)
    {
      const Run *run = &self->runs[i];
      const UrbChildPoint *last = &run->past.last;

      urb_json_begin_object (json, NULL);
      urb_json_add_string (json, "run", run->folder);
      for (guint k = 0; k < self->sweep->keys->len; k++)
        urb_json_add_string (json, self->sweep->keys->pdata[k], run->what->values[k]);
      urb_json_add_string (json, "state", get_state (run));
      urb_json_add_int (json, "step", last->step);
      urb_json_add_int (json, "images", last->images);
      urb_json_add_double (json, "loss_d", last->loss_d);
      urb_json_add_double (json, "loss_g", last->loss_g);
      urb_json_add_double (json, "images_per_s", run->past.images_per_s);
      urb_json_end_object (json);
    }
  urb_json_end_array (json);
  urb_cli_print_json (json);
}

static int
get_exit_code (const Several *self)
{
  for (guint i = 0; i < self->n_runs; i++)
    if (self->runs[i].code != URB_EXIT_OK && self->runs[i].code != URB_EXIT_INTERRUPTED)
      return self->runs[i].code;
  return self->interrupted ? URB_EXIT_INTERRUPTED : URB_EXIT_OK;
}

/* ------------------------------------------------------------------------ */

static void
several_clear (Several *self)
{
  for (guint i = 0; i < self->n_runs; i++)
    {
      urb_child_run_free (self->runs[i].child);
      g_free (self->runs[i].folder);
      urb_run_config_clear (&self->runs[i].config);
      g_clear_error (&self->runs[i].error);
    }
  g_free (self->runs);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Several, several_clear)

static gboolean
check_folder (const Several *self, const char *folder, GError **error)
{
  g_autofree char *config = g_build_filename (folder, "run.ini", NULL);

  if (g_file_test (config, G_FILE_TEST_EXISTS))
    return urb_options_fail (error, "'%s' is a run; several need a folder to be runs in", folder);
  return self->force || urb_sweep_check_folder (self->sweep, folder, error);
}

/* What is there already, unless it is to be replaced, and what is to be trained.
 * Returns: FALSE with the error of the first if no run can be trained */
static gboolean
look_at_runs (Several *self, const UrbCliRunArgs *settings, const UrbRunConfig *common,
              const char *folder, GError **error)
{
  guint n_failed = 0;

  self->n_runs = self->sweep->runs->len;
  self->runs = g_new0 (Run, self->n_runs);
  for (guint i = 0; i < self->n_runs; i++)
    {
      Run *run = &self->runs[i];

      run->what = self->sweep->runs->pdata[i];
      run->folder = g_build_filename (folder, run->what->name, NULL);
      if (!self->force)
        urb_sweep_past_read (&run->past, run->folder, self->n_steps);
      if (!is_left_alone (run)
          && !(urb_sweep_make_config (self->sweep, run->what, common, self->n_at_once, &run->config, &run->error)
               && urb_cli_run_args_resolve (settings, &run->config, NULL, NULL, &run->error)))
        n_failed++;
    }
  if (n_failed < self->n_runs)
    return TRUE;
  g_propagate_error (error, g_error_copy (self->runs[0].error));
  return FALSE;
}

/* Of those that are still to be trained.  Returns: the exit code */
static int
check_memory (const Several *self, const char *folder)
{
  g_autoptr(GArray) configs = g_array_new (FALSE, TRUE, sizeof (UrbRunConfig)); /* borrowed */

  for (guint i = 0; i < self->n_runs; i++)
    if (!is_left_alone (&self->runs[i]) && self->runs[i].error == NULL)
      g_array_append_val (configs, self->runs[i].config);
  if (configs->len == 0)
    return URB_EXIT_OK;
  return urb_cli_preflight_check_many ((const UrbRunConfig *) (gpointer) configs->data, configs->len,
                                       self->n_at_once, folder);
}

int
urb_cli_several_run (const UrbCliSeveral *options, const UrbSweep *sweep,
                     const UrbCliSession *session, const UrbCliRunArgs *settings,
                     const UrbRunConfig *common, const char *folder, gboolean force)
{
  g_autoptr(GError) error = NULL;
  g_auto(Several) self = { .sweep = sweep, .session = session, .force = force };
  int code;

  if (!check_folder (&self, folder, &error))
    return urb_cli_fail (error);
  self.n_steps = urb_setting_args_given (settings->args, "steps") ? common->train.n_steps : -1;
  self.n_at_once = options->n_at_once > 0 ? (guint) options->n_at_once : g_get_num_processors ();
  if (!look_at_runs (&self, settings, common, folder, &error))
    return urb_cli_fail (error);
  /* While it waits for other runs, these use memory that will be free. */
  code = session->after == NULL ? check_memory (&self, folder) : URB_EXIT_OK;
  if (code != URB_EXIT_OK)
    return code;
  /* Also now, so that the folder tells which sweep it is of, should this process be killed. */
  if (!urb_durable_make_folders (folder, 0700, &error) || !write_csv (&self, folder, &error))
    return urb_cli_fail (error);
  run_all (&self);
  if (!write_csv (&self, folder, &error))
    return urb_cli_fail (error);
  if (session->json)
    print_json (&self);
  else if (!session->quiet)
    print_table (&self);
  return get_exit_code (&self);
}
