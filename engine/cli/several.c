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
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/atomic-file.h"
#include "base/durable.h"
#include "base/json-build.h"
#include "cli/child-run.h"
#include "cli/cli.h"
#include "cli/preflight.h"
#include "cli/sweep-past.h"

enum { LINE_US = 10 * 1000 * 1000 };

typedef struct
{
  const UrbSweepRun *what;  /* borrowed */
  UrbSweepPast       past;  /* when this sweep began, or began again */
  UrbChildRun       *child; /* owned; NULL: not started, or could not be */
  gint64             shown_us;
  gboolean           failed_to_start;
} Run;

typedef struct
{
  const UrbSweep *sweep; /* borrowed */
  Run        *runs;     /* (sweep->runs->len) owned */
  char      **options;  /* owned; those of the command line that all share */
  const UrbCliSession *session; /* borrowed */
  const char *folder, *name;
  gint64      n_steps; /* below 1: those of the preset, or as before */
  guint       n_at_once, n_threads; /* n_threads of each run */
  guint       next, n_running;
  gboolean    quiet, interrupted;
  GMainLoop  *loop;
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

GArray *
urb_cli_several_get_entries (UrbCliSeveral *self)
{
  const GOptionEntry entries[] = {
    { "several", 0, 0, G_OPTION_ARG_STRING_ARRAY, &self->lists,
      "One run per value of a setting: seed=1,2,3; may be given again, for every combination", "KEY=LIST" },
    { "at-once", 0, 0, G_OPTION_ARG_INT, &self->n_at_once,
      "Of several runs, so many at the same time (the cores)", "K" },
  };
  GArray *array = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));

  g_array_append_vals (array, entries, G_N_ELEMENTS (entries));
  return array;
}

/* ------------------------------------------------------------------------ */
/* The command line of a run                                                 */

/* That of this process without what is about all runs; behind it each run says
 * for itself what it does differently, and the last word counts. */
static char **
dup_common_options (int argc, char *const *argv)
{
  static const char *const mine[] = { "--several", "--at-once" };
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new ();

  g_strv_builder_add (builder, "train");
  for (int i = 1; i < argc; i++)
    {
      gboolean skipped = FALSE;

      for (gsize m = 0; m < G_N_ELEMENTS (mine); m++)
        {
          gsize length = strlen (mine[m]);

          if (strncmp (argv[i], mine[m], length) != 0
              || (argv[i][length] != '=' && argv[i][length] != '\0'))
            continue;
          skipped = TRUE;
          if (argv[i][length] == '\0')
            i++; /* its value is the next word */
          break;
        }
      if (!skipped)
        g_strv_builder_add (builder, argv[i]);
    }
  return g_strv_builder_end (builder);
}

static void
add_option (GPtrArray *argv, const char *option, char *value)
{
  g_ptr_array_add (argv, g_strdup_printf ("--%s", option));
  g_ptr_array_add (argv, value);
}

static char **
dup_arguments (Several *self, const UrbSweepRun *run)
{
  g_autoptr(GPtrArray) argv = g_ptr_array_new ();

  for (guint i = 0; self->options[i] != NULL; i++)
    g_ptr_array_add (argv, g_strdup (self->options[i]));
  for (guint i = 0; i < self->sweep->keys->len; i++)
    add_option (argv, self->sweep->keys->pdata[i], g_strdup (run->values[i]));
  add_option (argv, "run", g_build_filename (self->folder, run->name, NULL));
  add_option (argv, "threads", g_strdup_printf ("%u", self->n_threads));
  if (self->name != NULL)
    add_option (argv, "name", g_strdup_printf ("%s %s", self->name, run->name));
  g_ptr_array_add (argv, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&argv), FALSE);
}

/* A run that was stopped has its options; what is about this session is said again. */
static char **
dup_resume_arguments (Several *self, const UrbSweepRun *run)
{
  g_autoptr(GPtrArray) argv = g_ptr_array_new ();

  g_ptr_array_add (argv, g_strdup ("resume"));
  g_ptr_array_add (argv, g_build_filename (self->folder, run->name, NULL));
  add_option (argv, "threads", g_strdup_printf ("%u", self->n_threads));
  if (self->n_steps > 0)
    add_option (argv, "steps", g_strdup_printf ("%" G_GINT64_FORMAT, self->n_steps));
  if (self->session->max_minutes > 0)
    add_option (argv, "max-minutes", g_strdup_printf ("%g", self->session->max_minutes));
  for (char **after = self->session->after; after != NULL && *after != NULL; after++)
    add_option (argv, "after", g_strdup (*after));
  g_ptr_array_add (argv, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&argv), FALSE);
}

/* ------------------------------------------------------------------------ */
/* The runs                                                                  */

static const char *
get_state (const Run *run)
{
  static const char *const past_names[] = {
    [URB_SWEEP_PAST_NONE] = "not started",
    [URB_SWEEP_PAST_STOPPED] = "stopped",
    [URB_SWEEP_PAST_RUNNING] = "running",
    [URB_SWEEP_PAST_FINISHED] = "finished",
  };

  if (run->failed_to_start)
    return "failed";
  if (run->child == NULL)
    return past_names[run->past.state];
  switch (urb_child_run_get_code (run->child))
    {
    case URB_EXIT_OK:
      /* One that stopped at its time limit ended well, too. */
      return urb_child_run_get_last (run->child)->step >= urb_child_run_get_n_steps (run->child)
               ? "finished" : "stopped";
    case URB_EXIT_INTERRUPTED:
      return "stopped";
    default:
      return "failed";
    }
}

static void
tell (Several *self, const Run *run, const char *what)
{
  if (!self->quiet)
    fprintf (stderr, "%s: %s\n", run->what->name, what);
}

static void
tell_step (Several *self, Run *run)
{
  const UrbChildPoint *last = urb_child_run_get_last (run->child);
  gint64 now_us = g_get_monotonic_time ();

  if (self->quiet || now_us - run->shown_us < LINE_US)
    return;
  run->shown_us = now_us;
  fprintf (stderr, "%s: step %" G_GINT64_FORMAT "/%" G_GINT64_FORMAT " %.3g img/s D %.3f G %.3f\n",
           run->what->name, last->step, urb_child_run_get_n_steps (run->child),
           urb_child_run_get_images_per_s (run->child), last->loss_d, last->loss_g);
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
    case URB_CHILD_CHECKPOINT:
      break;
    case URB_CHILD_ENDED:
      tell (self, run, get_state (run));
      self->n_running--;
      start_next (self);
      break;
    }
}

/* Until so many run at once as may, or none is left. */
static void
start_next (Several *self)
{
  while (!self->interrupted && self->n_running < self->n_at_once
         && self->next < self->sweep->runs->len)
    {
      Run *run = &self->runs[self->next++];
      g_auto(GStrv) arguments = NULL;
      g_autoptr(GError) error = NULL;

      if (is_left_alone (run))
        {
          tell (self, run, run->past.state == URB_SWEEP_PAST_FINISHED
                             ? "is finished already" : "is being trained by another process");
          continue;
        }
      arguments = run->past.state == URB_SWEEP_PAST_STOPPED
                    ? dup_resume_arguments (self, run->what) : dup_arguments (self, run->what);
      run->child = urb_child_run_new (run->what->name, (const char *const *) arguments, changed_cb,
                                      self, &error);
      if (run->child != NULL)
        self->n_running++;
      else
        {
          run->failed_to_start = TRUE;
          tell (self, run, error->message);
        }
    }
  if (self->n_running == 0)
    g_main_loop_quit (self->loop);
}

static gboolean
interrupt_cb (gpointer user_data)
{
  Several *self = user_data;

  self->interrupted = TRUE;
  if (!self->quiet)
    fprintf (stderr, "Stopping %u run%s; Ctrl+C again: at once.\n", self->n_running,
             self->n_running == 1 ? "" : "s");
  for (guint i = 0; i < self->sweep->runs->len; i++)
    if (self->runs[i].child != NULL)
      urb_child_run_interrupt (self->runs[i].child);
  return G_SOURCE_CONTINUE;
}

/* ------------------------------------------------------------------------ */
/* Results                                                                   */

/* One that has not come to a step again is where it was. */
static gboolean
has_stepped (const Run *run)
{
  return run->child != NULL && urb_child_run_get_last (run->child)->step > 0;
}

static UrbChildPoint
get_result (const Run *run)
{
  return has_stepped (run) ? *urb_child_run_get_last (run->child) : run->past.last;
}

static double
get_speed (const Run *run)
{
  return has_stepped (run) ? urb_child_run_get_images_per_s (run->child) : run->past.images_per_s;
}

/* Not finite, or nothing yet: an empty field. */
static void
append_csv_number (GString *csv, double value, gboolean known, char end)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE] = "";

  if (known && isfinite (value))
    g_ascii_formatd (text, sizeof text, "%.6g", value);
  g_string_append_printf (csv, "%s%c", text, end);
}

static gboolean
write_csv (Several *self, GError **error)
{
  g_autofree char *path = g_build_filename (self->folder, URB_SWEEP_SUMMARY, NULL);
  g_autoptr(GString) csv = g_string_new ("run,");

  for (guint i = 0; i < self->sweep->keys->len; i++)
    g_string_append_printf (csv, "%s,", (const char *) self->sweep->keys->pdata[i]);
  g_string_append (csv, "state,step,images,loss_d,loss_g,images_per_s\n");
  for (guint i = 0; i < self->sweep->runs->len; i++)
    {
      const Run *run = &self->runs[i];
      UrbChildPoint last = get_result (run);
      g_autofree char *fields = urb_sweep_dup_fields (run->what);

      g_string_append_printf (csv, "%s%s,%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",", fields,
                              get_state (run), last.step, last.images);
      append_csv_number (csv, last.loss_d, last.step > 0, ',');
      append_csv_number (csv, last.loss_g, last.step > 0, ',');
      append_csv_number (csv, get_speed (run), get_speed (run) > 0, '\n');
    }
  return urb_atomic_file_set_contents (path, csv->str, csv->len, error);
}

static void
print_table (Several *self)
{
  int width = (int) strlen ("run");

  for (guint i = 0; i < self->sweep->runs->len; i++)
    width = MAX (width, (int) g_utf8_strlen (self->runs[i].what->name, -1));
  printf ("%-*s  %-11s %9s %11s %9s %9s %9s\n", width, "run", "state", "step", "images", "loss D",
          "loss G", "images/s");
  for (guint i = 0; i < self->sweep->runs->len; i++)
    {
      const Run *run = &self->runs[i];
      UrbChildPoint last = get_result (run);

      if (last.step == 0)
        printf ("%-*s  %s\n", width, run->what->name, get_state (run));
      else
        printf ("%-*s  %-11s %9" G_GINT64_FORMAT " %11" G_GINT64_FORMAT " %9.3f %9.3f %9.1f\n", width,
                run->what->name, get_state (run), last.step, last.images, last.loss_d, last.loss_g,
                get_speed (run));
    }
}

static void
print_json (Several *self)
{
  g_autoptr(JsonBuilder) json = json_builder_new ();
  g_autofree char *text = NULL;

  urb_json_begin_object (json, NULL);
  json_builder_set_member_name (json, "runs");
  json_builder_begin_array (json);
  for (guint i = 0; i < self->sweep->runs->len; i++)
    {
      const Run *run = &self->runs[i];
      UrbChildPoint last = get_result (run);
      g_autofree char *folder = g_build_filename (self->folder, run->what->name, NULL);

      urb_json_begin_object (json, NULL);
      urb_json_add_string (json, "run", folder);
      for (guint k = 0; k < self->sweep->keys->len; k++)
        urb_json_add_string (json, self->sweep->keys->pdata[k], run->what->values[k]);
      urb_json_add_string (json, "state", get_state (run));
      urb_json_add_int (json, "step", last.step);
      urb_json_add_int (json, "images", last.images);
      urb_json_add_double (json, "loss_d", last.loss_d);
      urb_json_add_double (json, "loss_g", last.loss_g);
      urb_json_add_double (json, "images_per_s", get_speed (run));
      urb_json_end_object (json);
    }
  json_builder_end_array (json);
  urb_json_end_object (json);
  text = urb_json_dup_text (json);
  printf ("%s\n", text);
}

static int
get_exit_code (Several *self)
{
  for (guint i = 0; i < self->sweep->runs->len; i++)
    {
      const Run *run = &self->runs[i];
      int code = run->child != NULL ? urb_child_run_get_code (run->child) : URB_EXIT_OK;

      if (run->failed_to_start)
        return URB_EXIT_FAILURE;
      if (code != URB_EXIT_OK && code != URB_EXIT_INTERRUPTED)
        return code;
    }
  return self->interrupted ? URB_EXIT_INTERRUPTED : URB_EXIT_OK;
}

/* ------------------------------------------------------------------------ */

static void
several_clear (Several *self)
{
  if (self->runs != NULL)
    for (guint i = 0; i < self->sweep->runs->len; i++)
      urb_child_run_free (self->runs[i].child);
  g_clear_pointer (&self->runs, g_free);
  g_clear_pointer (&self->options, g_strfreev);
  g_clear_pointer (&self->loop, g_main_loop_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Several, several_clear)

static gboolean
check_no_run (const char *folder, GError **error)
{
  g_autofree char *config = g_build_filename (folder, "run.ini", NULL);

  if (g_file_test (config, G_FILE_TEST_EXISTS))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                   "'%s' is a run; several need a folder to be runs in", folder);
      return FALSE;
    }
  return TRUE;
}

static gboolean
make_folder (const char *folder, GError **error)
{
  int code = urb_durable_make_folders (folder, 0700);
  if (code == 0)
    return TRUE;
  g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (code),
               "The folder '%s' cannot be made: %s", folder, g_strerror (code));
  return FALSE;
}

static void
run_all (Several *self)
{
  guint sources[] = { g_unix_signal_add (SIGINT, interrupt_cb, self),
                      g_unix_signal_add (SIGTERM, interrupt_cb, self) };

  start_next (self);
  if (self->n_running > 0)
    g_main_loop_run (self->loop);
  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    g_source_remove (sources[i]);
}

/* What is there already, unless it is to be replaced. */
static void
read_past (Several *self, gboolean replace)
{
  for (guint i = 0; i < self->sweep->runs->len && !replace; i++)
    {
      Run *run = &self->runs[i];
      g_autofree char *folder = g_build_filename (self->folder, run->what->name, NULL);

      urb_sweep_past_read (&run->past, folder, self->n_steps);
    }
}

/* Of those that are still to be trained.  Returns: the exit code */
static int
check_memory (Several *self, const UrbRunConfig *common)
{
  g_autoptr(GArray) configs = g_array_new (FALSE, TRUE, sizeof (UrbRunConfig));

  g_array_set_clear_func (configs, (GDestroyNotify) urb_run_config_clear);
  for (guint i = 0; i < self->sweep->runs->len; i++)
    {
      const Run *run = &self->runs[i];
      UrbRunConfig own = { 0 };

      if (is_left_alone (run))
        continue;
      urb_run_config_copy (&own, common);
      own.train.n_threads = (int) self->n_threads;
      for (guint k = 0; k < self->sweep->keys->len; k++)
        urb_setting_set_text (&urb_run_settings,
                              urb_settings_find (&urb_run_settings, self->sweep->keys->pdata[k]), &own,
                              run->what->values[k], NULL);
      g_array_append_val (configs, own);
    }
  return urb_cli_preflight_check_many ("train", (const UrbRunConfig *) (gpointer) configs->data,
                                       configs->len, self->n_at_once, self->folder);
}

int
urb_cli_several_run (const UrbCliSeveral *options, const UrbSweep *sweep,
                     const UrbCliSession *session, int argc, char *const *argv, const char *folder,
                     const char *name, const UrbRunConfig *common)
{
  gboolean json = session->json, quiet = session->quiet;
  g_auto(Several) self = { .sweep = sweep, .session = session, .folder = folder, .name = name,
                           .n_steps = options->n_steps, .quiet = quiet || json };
  g_autoptr(GError) error = NULL;
  guint n_cores = g_get_num_processors (), n_runs;
  int n_threads = common->train.n_threads, code;

  if ((!options->force && !urb_sweep_check_folder (sweep, folder, &error))
      || !check_no_run (folder, &error))
    return urb_cli_fail ("train", error);
  n_runs = self.sweep->runs->len;
  self.runs = g_new0 (Run, n_runs);
  for (guint i = 0; i < n_runs; i++)
    self.runs[i].what = self.sweep->runs->pdata[i];
  self.options = dup_common_options (argc, argv);
  self.n_at_once = MIN (options->n_at_once > 0 ? (guint) options->n_at_once : n_cores, n_runs);
  self.n_threads = MAX ((n_threads > 0 ? (guint) n_threads : n_cores) / self.n_at_once, 1);
  self.loop = g_main_loop_new (NULL, FALSE);
  read_past (&self, options->force);
  /* Who waits for others will find another memory than there is now. */
  code = session->after == NULL ? check_memory (&self, common) : URB_EXIT_OK;
  if (code != URB_EXIT_OK)
    return code;
  /* At once, so that the folder says which sweep it is of, should this process be killed. */
  if (!make_folder (folder, &error) || !write_csv (&self, &error))
    return urb_cli_fail ("train", error);
  run_all (&self);
  if (!write_csv (&self, &error))
    return urb_cli_fail ("train", error);
  if (json)
    print_json (&self);
  else if (!quiet)
    print_table (&self);
  return get_exit_code (&self);
}
