/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-session.c - see run-session.h.
 *
 * Progress goes to stderr, so that stdout is free for --json (the records of
 * docs/protocol.md, one a line) and for the profile.
 */
#include "cli/run-session.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "cli/cli.h"
#include "cli/preflight.h"
#include "run/supervisor/daemon.h"
#include "run/store/json-line.h"
#include "run/store/predecessors.h"
#include "run/store/run-db.h"
#include "run/supervisor/supervisor.h"

enum { BAR_US = 250 * 1000, LINE_US = 10 * 1000 * 1000 };

typedef struct
{
  const UrbCliSession *options; /* borrowed */
  UrbRunFolder        *folder;  /* borrowed */
  UrbSupervisor       *supervisor; /* owned */
  int                  report_fd; /* -1: nobody waits */
  UrbRunDb            *reader;  /* owned, nullable; for --json */
  gint64               cursor;  /* newest record printed */
  gint64               begin_us, shown_us;
  gint64               shown_images;
  gint64               first_step; /* -1: no step yet */
  gint64               last_step;
  char                *gpu;      /* owned, nullable; what the run's GPU does now */
} Session;

/* ------------------------------------------------------------------------ */
/* Options                                                                   */

void
urb_cli_session_add (UrbCliSession *self, GOptionContext *options)
{
  const GOptionEntry entries[] = {
    { "after", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->after,
      "Wait until the run in DIR has ended; may be given for several", "DIR" },
    { "queued", 0, 0, G_OPTION_ARG_NONE, &self->queued,
      "Wait for the end of the run's quiet hours, as a run with --after does", NULL },
    { "max-minutes", 0, 0, G_OPTION_ARG_DOUBLE, &self->max_minutes,
      "Stop with a checkpoint after M minutes (no limit)", "M" },
    { "checkpoint-on", 0, 0, G_OPTION_ARG_STRING_ARRAY, &self->checkpoint_on,
      "Save a checkpoint and go on when a scheduler warns with SIGUSR1, SIGUSR2, SIGALRM or SIGXCPU; "
      "may be given for several (SIGUSR1 in a Slurm job, else none)", "SIGNAL" },
    { "profile", 0, 0, G_OPTION_ARG_NONE, &self->profile,
      "Print the time of every instruction at the end", NULL },
    { "trace", 0, 0, G_OPTION_ARG_FILENAME, &self->trace,
      "Write what every rank did in some steps as a timeline for Perfetto or Chrome", "FILE" },
    { "detach", 0, 0, G_OPTION_ARG_NONE, &self->detach,
      "Return once the run is up, and go on in the background", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &self->json,
      "Print every record of the run as a line of JSON", NULL },
    { "quiet", 0, 0, G_OPTION_ARG_NONE, &self->quiet, "Print nothing but errors", NULL },
    G_OPTION_ENTRY_NULL
  };
  g_option_context_add_main_entries (options, entries, NULL);
}

void
urb_cli_session_clear (UrbCliSession *self)
{
  g_clear_pointer (&self->after, g_strfreev);
  g_clear_pointer (&self->checkpoint_on, g_strfreev);
  g_clear_pointer (&self->trace, g_free);
}

const char *
urb_cli_session_find_mistake (const UrbCliSession *self)
{
  guint signals;
  if (!isfinite (self->max_minutes) || self->max_minutes < 0)
    return "--max-minutes must be a number of minutes";
  return urb_supervisor_parse_signals ((const char *const *) self->checkpoint_on, &signals)
           ? NULL : "--checkpoint-on must be SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU or none";
}

static void
make_absolute (char **path)
{
  char *absolute = g_canonicalize_filename (*path, NULL);
  g_free (*path);
  *path = absolute;
}

void
urb_cli_session_make_absolute (UrbCliSession *self)
{
  for (char **after = self->after; after != NULL && *after != NULL; after++)
    make_absolute (after);
  if (self->trace != NULL)
    make_absolute (&self->trace);
}

gboolean
urb_cli_session_check_after (const UrbCliSession *self, const char *run, GError **error)
{
  g_autoptr(UrbPredecessors) before = urb_predecessors_new ((const char *const *) self->after, run, error);
  return before != NULL;
}

static const char *
get_last (char **folders)
{
  return folders[g_strv_length (folders) - 1];
}

static gboolean
may_talk (const UrbCliSession *self)
{
  return !self->quiet && !self->json && !self->detach;
}

/* ------------------------------------------------------------------------ */
/* Before the run begins                                                     */

/* Fails now rather than after hours of training.  The file keeps its contents until then.
 * @trace, @folder: absolute */
static gboolean
check_trace (const char *trace, const char *folder, GError **error)
{
  gboolean was_there = g_file_test (trace, G_FILE_TEST_EXISTS);
  g_autofree char *parent = g_path_get_dirname (trace);
  int fd;
  /* A new run makes its folder later. */
  if (strcmp (parent, folder) == 0 && !g_file_test (folder, G_FILE_TEST_EXISTS))
    return TRUE;
  fd = g_open (trace, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0)
    {
      int code = errno;
      g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (code),
                   "--trace: the file '%s' cannot be written: %s", trace, g_strerror (code));
      return FALSE;
    }
  close (fd);
  if (!was_there)
    g_unlink (trace);
  return TRUE;
}

int
urb_cli_session_check_run (const UrbCliSession *self, const char *folder, gint64 last_step,
                           gboolean waits, const UrbRunConfig *config)
{
  g_autofree char *path = g_canonicalize_filename (folder, NULL);
  const UrbCliPreflightRun run
    = { .folder = path, .last_step = last_step, .quiet = !may_talk (self) };
  g_autoptr(GError) error = NULL;
  if (self->trace != NULL && !check_trace (self->trace, path, &error))
    return urb_cli_fail (error);
  return waits ? URB_EXIT_OK : urb_cli_preflight_check (config, &run);
}

/* ------------------------------------------------------------------------ */
/* What the terminal shows                                                   */

/* Of what this session has to do: by steps, or by the time limit if that ends first. */
static double
get_fraction (Session *self, gint64 step, gint64 now_us)
{
  gint64 n = urb_supervisor_get_n_steps (self->supervisor) - self->first_step;
  double by_steps = n > 0 ? (double) (step - self->first_step) / (double) n : 1;
  double by_time = self->options->max_minutes > 0
                     ? (double) (now_us - self->begin_us) / (60e6 * self->options->max_minutes)
                     : 0;
  return CLAMP (MAX (by_steps, by_time), 0, 1);
}

/* ", GPU 97 % 412 W 61 °C", as far as it is known; of many, the last that told. */
static void
gpu_cb (const UrbGpu *gpu, gpointer user_data)
{
  Session *self = user_data;
  GString *text = g_string_new (NULL);
  if (!isnan (gpu->load.utilization_percent))
    g_string_append_printf (text, " %.0f %%", gpu->load.utilization_percent);
  if (!isnan (gpu->load.power_w))
    g_string_append_printf (text, " %.0f W", gpu->load.power_w);
  if (!isnan (gpu->load.temperature_c))
    g_string_append_printf (text, " %.0f °C", gpu->load.temperature_c);
  g_free (self->gpu);
  self->gpu = text->len > 0 ? g_strconcat (", GPU", text->str, NULL) : NULL;
  g_string_free (text, TRUE);
}

static void
show_step (Session *self, const UrbStepMetrics *metrics, gint64 now_us)
{
  double seconds = (double) (now_us - self->shown_us) * 1e-6;
  double images_per_s = (double) (metrics->images - self->shown_images) / MAX (seconds, 1e-6);
  double fraction = get_fraction (self, metrics->step, now_us);
  g_autofree char *text = NULL;
  text = g_strdup_printf ("%" G_GINT64_FORMAT "/%" G_GINT64_FORMAT " %.3g img/s D %.3f G %.3f%s",
                          metrics->step, urb_supervisor_get_n_steps (self->supervisor),
                          images_per_s, metrics->values[URB_METRIC_LOSS_D],
                          metrics->values[URB_METRIC_LOSS_G], self->gpu != NULL ? self->gpu : "");
  if (isatty (STDERR_FILENO))
    urb_cli_progress (fraction, text, NULL);
  else
    {
      double elapsed_s = (double) (now_us - self->begin_us) * 1e-6;
      gint64 left_s = fraction > 0 ? (gint64) (elapsed_s * (1 - fraction) / fraction) : 0;
      fprintf (stderr, "step %s  %d:%02d:%02d left\n", text, (int) (left_s / 3600),
               (int) (left_s / 60 % 60), (int) (left_s % 60));
    }
  self->shown_us = now_us;
  self->shown_images = metrics->images;
}

static void
step_cb (const UrbStepMetrics *metrics, gpointer user_data)
{
  Session *self = user_data;
  gint64 now_us = g_get_monotonic_time ();
  gint64 pause_us = isatty (STDERR_FILENO) ? BAR_US : LINE_US;
  self->last_step = metrics->step;
  if (self->first_step < 0)
    {
      /* Building the networks is not training: the clock starts here. */
      self->first_step = metrics->step - 1;
      self->shown_us = now_us - (gint64) (metrics->seconds * 1e6);
      self->shown_images = 0;
      if (metrics->step > 1)
        self->shown_images = metrics->images - metrics->images / metrics->step;
    }
  else if (now_us - self->shown_us >= pause_us && may_talk (self->options))
    show_step (self, metrics, now_us);
}

static void say (Session *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* On stderr, below the progress. */
static void
say (Session *self, const char *format, ...)
{
  va_list args;
  if (!may_talk (self->options))
    return;
  urb_cli_progress_done ();
  va_start (args, format);
  vfprintf (stderr, format, args);
  va_end (args);
}

static void
event_cb (const char *level, const char *text, gpointer user_data)
{
  /* The error that ends the run is printed with the exit code. */
  if (strcmp (level, "warning") == 0)
    say (user_data, "urbarium-engine: %s: %s\n", level, text);
}

/* The unit is that of `evaluate`: up to 1, cities are as close to real areas as those to each other. */
static void
score_cb (const UrbScores *scores, const UrbScoreSummary *summary, gpointer user_data)
{
  double score = scores->values[URB_SCORE_PLANS];
  if (isnan (score))
    say (user_data, "score unknown at step %" G_GINT64_FORMAT "\n", scores->step);
  else if (summary->best_step == scores->step)
    say (user_data, "score %.2f at step %" G_GINT64_FORMAT ", the best so far\n", score, scores->step);
  else if (summary->best_step >= 0)
    say (user_data, "score %.2f at step %" G_GINT64_FORMAT " (best: %.2f at step %" G_GINT64_FORMAT ")\n",
         score, scores->step, summary->best, summary->best_step);
  else
    say (user_data, "score %.2f at step %" G_GINT64_FORMAT "\n", score, scores->step);
}

static void
device_cb (const char *text, gpointer user_data)
{
  say (user_data, "Training on %s.\n", text);
}

static void
waiting_cb (const char *text, gpointer user_data)
{
  say (user_data, "%s (Ctrl+C: give up)\n", text);
}

static void
profile_cb (const char *text, gpointer user_data)
{
  urb_cli_progress_done ();
  fputs (text, stdout);
  fflush (stdout);
}

static void
trace_cb (const char *summary, gpointer user_data)
{
  say (user_data, "%s\n", summary);
}

/* ------------------------------------------------------------------------ */
/* --json and --detach                                                       */

static void
print_record (gint64 seq, const char *json, gpointer user_data)
{
  Session *self = user_data;
  puts (json);
  self->cursor = seq;
}

static void
committed_cb (gpointer user_data)
{
  enum { PAGE = 500 };
  Session *self = user_data;
  g_autoptr(GError) error = NULL;
  int n = PAGE;
  if (self->reader == NULL || self->options->detach)
    return;
  while (n == PAGE)
    n = urb_run_db_replay (self->reader, self->cursor, PAGE, print_record, self, &error);
  if (n < 0)
    fprintf (stderr, "urbarium-engine: %s\n", error->message);
  fflush (stdout);
}

static void
report (Session *self, const GError *error)
{
  if (self->report_fd >= 0)
    urb_daemon_report (self->report_fd, error);
  self->report_fd = -1;
}

static void
state_cb (UrbRunState state, gpointer user_data)
{
  Session *self = user_data;
  if (state == URB_RUN_RUNNING || state == URB_RUN_FINISHED || state == URB_RUN_STOPPED
      || state == URB_RUN_QUEUED)
    report (self, NULL);
  if (state == URB_RUN_QUEUED && self->options->after == NULL)
    say (self, "Waiting for the end of the quiet hours (Ctrl+C: give up).\n");
  else if (state == URB_RUN_QUEUED)
    say (self, "Waiting until '%s' has ended (Ctrl+C: give up).\n",
         get_last (self->options->after));
}

static const UrbSupervisorObserver observer = {
  .state = state_cb,
  .step = step_cb,
  .event = event_cb,
  .device = device_cb,
  .waiting = waiting_cb,
  .gpu = gpu_cb,
  .score = score_cb,
  .profile = profile_cb,
  .trace = trace_cb,
  .committed = committed_cb,
};

static int
wait_for_daemon (const UrbCliSession *self, UrbRunFolder *folder, int report_fd)
{
  g_autoptr(GError) error = NULL;
  gint64 pid;
  if (!urb_daemon_wait (urb_run_folder_get_path (folder), report_fd, &pid, &error))
    return urb_cli_fail (error);
  if (self->json)
    {
      JsonBuilder *line = urb_json_new ();
      g_autofree char *text = NULL;
      urb_json_add_string (line, "run", urb_run_folder_get_path (folder));
      urb_json_add_int (line, "pid", pid);
      text = urb_json_end (line);
      puts (text);
    }
  else if (!self->quiet && self->after != NULL)
    printf ("The run '%s' begins once '%s' has ended, in process %" G_GINT64_FORMAT
            ". Give it up with: kill -INT %" G_GINT64_FORMAT "\n",
            urb_run_folder_get_path (folder), get_last (self->after), pid, pid);
  else if (!self->quiet)
    printf ("The run '%s' trains in process %" G_GINT64_FORMAT
            ". Stop it, with a checkpoint: kill -INT %" G_GINT64_FORMAT "\n",
            urb_run_folder_get_path (folder), pid, pid);
  return URB_EXIT_OK;
}

/* ------------------------------------------------------------------------ */
/* Running                                                                   */

static void
tell_best (Session *self)
{
  const UrbScoreSummary *scores = urb_supervisor_get_score_summary (self->supervisor);
  if (scores->best_step >= 0)
    say (self, "The best score is %.2f, at step %" G_GINT64_FORMAT "; generate uses it.\n", scores->best,
         scores->best_step);
}

static int
tell_end (Session *self, UrbRunEnd end)
{
  const char *path = urb_run_folder_get_path (self->folder);
  gint64 newest = urb_run_folder_get_newest_checkpoint (path);
  gint64 step = urb_supervisor_get_step (self->supervisor);
  gint64 n_steps = urb_supervisor_get_n_steps (self->supervisor);

  if (end == URB_RUN_END_FINISHED)
    say (self, "All %" G_GINT64_FORMAT " steps are done: '%s' has the checkpoints and samples.\n",
         n_steps, path);
  else if (newest == step)
    say (self, "Stopped at step %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
               ". Go on with: urbarium-engine resume '%s'\n", step, n_steps, path);
  else if (newest >= 0) /* stopped at once */
    say (self, "Stopped at step %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
               "; the newest checkpoint is of step %" G_GINT64_FORMAT
               ". Go on from there with: urbarium-engine resume '%s'\n", step, n_steps, newest, path);
  else
    say (self, "Stopped at step %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
               "; there is no checkpoint. Begin again with: urbarium-engine resume '%s'\n", step,
         n_steps, path);
  tell_best (self);
  return end == URB_RUN_END_INTERRUPTED || end == URB_RUN_END_KILLED ? URB_EXIT_INTERRUPTED
                                                                     : URB_EXIT_OK;
}

static gboolean
open_reader (Session *self, GError **error)
{
  g_autofree char *path = urb_run_folder_dup_file (self->folder, "run.db");
  if (!self->options->json || self->options->detach)
    return TRUE;
  self->reader = urb_run_db_open_reader (path, error);
  self->cursor = self->reader != NULL ? urb_run_db_get_last_seq (self->reader) : 0;
  return self->reader != NULL;
}

static gboolean
supervise (Session *self, const UrbRunConfig *config, UrbRunEnd *end, GError **error)
{
  UrbSupervisorOptions options = {
    .after = (const char *const *) self->options->after,
    .keeps_quiet = self->options->after != NULL || self->options->queued,
    .max_minutes = self->options->max_minutes,
    .profile = self->options->profile,
    .trace = self->options->trace != NULL,
    .stays_paused = self->options->detach,
    .observer = &observer,
    .user_data = self,
  };
  urb_supervisor_parse_signals ((const char *const *) self->options->checkpoint_on, &options.checkpoint_on);
  self->supervisor = urb_supervisor_new (self->folder, config, &options, error);
  return self->supervisor != NULL && open_reader (self, error)
         && urb_supervisor_run (self->supervisor, end, error);
}

/* The run's folder keeps its own. */
static gboolean
fetch_trace (Session *self, GError **error)
{
  g_autofree char *path = urb_run_folder_dup_file (self->folder, URB_RUN_TRACE_NAME);
  g_autoptr(GFile) from = g_file_new_for_path (path), to = g_file_new_for_path (self->options->trace);

  if (g_file_query_exists (from, NULL))
    return g_file_equal (from, to)
           || g_file_copy (from, to, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, error);
  say (self, "There is no timeline in '%s': the run ended before the steps that are traced were "
             "done.\n", self->options->trace);
  return TRUE;
}

static int
supervise_to_end (Session *self, const UrbRunConfig *config)
{
  g_autoptr(GError) error = NULL;
  UrbRunEnd end;
  gboolean good;
  int code;
  signal (SIGPIPE, SIG_IGN);
  if (self->options->trace != NULL) /* an earlier session's would be taken for this one's */
    unlinkat (urb_run_folder_get_fd (self->folder), URB_RUN_TRACE_NAME, 0);
  good = supervise (self, config, &end, &error);
  report (self, error);
  committed_cb (self);
  code = good ? tell_end (self, end) : (int) urb_cli_fail (error);
  if (good && self->options->trace != NULL && !fetch_trace (self, &error))
    code = urb_cli_fail (error);
  urb_run_db_free (self->reader);
  urb_supervisor_free (self->supervisor);
  g_free (self->gpu);
  return code;
}

int
urb_cli_session_run (const UrbCliSession *options, UrbRunFolder *folder, const UrbRunConfig *config)
{
  Session self = {
    .options = options,
    .folder = folder,
    .report_fd = -1,
    .first_step = -1,
    .begin_us = g_get_monotonic_time (),
  };
  g_autoptr(GError) error = NULL;
  UrbDaemonRole role;
  if (options->detach && !urb_daemon_fork (urb_run_folder_get_path (folder), &role, &self.report_fd, &error))
    return urb_cli_fail (error);
  if (options->detach && role == URB_DAEMON_PARENT)
    return wait_for_daemon (options, folder, self.report_fd);
  if (options->detach && chdir ("/") != 0) /* so that the initial folder can be unmounted */
    g_debug ("cannot change to the root folder");
  return supervise_to_end (&self, config);
}
