/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor-score.c - scores the checkpoints of a run, and keeps the best.
 *
 * A process of its own draws cities from a checkpoint and measures them, so that the training does not
 * change by a bit, and no failure there harms it.  It stays, since it has measured the real areas, and
 * ends with the training.
 */
#include <math.h>
#include <string.h>

#include "run/supervisor/supervisor-private.h"

/* Used where the configuration gives no interval: scores take at most 2 % of a processor's time. */
enum { AUTO_SCORE_S = 240, AUTO_SCORE_SHARE = 50 };

enum { TIMEOUT_S = 1200, MAX_FAILURES = 3 };

/* (nullable): NULL: it cannot score */
static const char *const *
get_argv (UrbSupervisor *self)
{
  static const char *const own_argv[] = { "/proc/self/exe", "score", NULL };
  if (self->options.scorer_argv != NULL || self->options.worker_argv != NULL)
    return self->options.scorer_argv;
  return own_argv;
}

void
urb_supervisor_stop_scoring (UrbSupervisor *self)
{
  UrbScoring *scoring = &self->scoring;
  g_clear_pointer (&scoring->process, urb_worker_process_free);
  g_clear_handle_id (&scoring->timeout_id, g_source_remove);
  g_clear_handle_id (&scoring->end_id, g_source_remove);
  scoring->step = scoring->next_step = -1;
  scoring->is_last = FALSE;
}

static void
summarize (UrbSupervisor *self)
{
  g_autoptr(GArray) steps = urb_run_folder_list_checkpoints (urb_run_folder_get_path (self->folder));
  urb_recorder_summarize_scores (self->recorder, steps, &self->scoring.summary);
}

void
urb_supervisor_reload_scores (UrbSupervisor *self)
{
  UrbScoring *scoring = &self->scoring;
  urb_supervisor_stop_scoring (self);
  scoring->last_step = -1;
  summarize (self);
  urb_run_folder_mark (self->folder, URB_RUN_BEST, scoring->summary.best_step);
  scoring->begin_us = g_get_monotonic_time ();
}

/* ------------------------------------------------------------------------ */
/* Results                                                                   */

static void
report_flaws (UrbSupervisor *self, const UrbScores *scores)
{
  guint over;
  guint begun = urb_flaw_watch_update (&self->scoring.flaws, scores->flaws,
                                       scores->step * urb_train_options_count_images (&self->config.train), &over);
  for (int f = 0; f < URB_N_FLAWS; f++)
    if ((begun >> f & 1) != 0)
      urb_supervisor_report (self, "warning", urb_flaw_get_code ((UrbFlaw) f), "%s", urb_flaw_get_text ((UrbFlaw) f));
    else if ((over >> f & 1) != 0)
      urb_supervisor_report (self, "info", urb_flaw_get_code ((UrbFlaw) f), "%s", urb_flaw_get_over_text ((UrbFlaw) f));
}

static void
stop_if_impatient (UrbSupervisor *self)
{
  const UrbScoreSummary *summary = &self->scoring.summary;
  if (self->config.patience == 0 || summary->n_since_best < self->config.patience
      || self->goal != GOAL_RUN || !urb_supervisor_has_workers (self))
    return;
  urb_supervisor_report (self, "info", "patience",
                         "The last %d scores were no better than that of step %" G_GINT64_FORMAT
                         " (--patience): the run stops", summary->n_since_best, summary->best_step);
  urb_supervisor_stop (self);
}

/* With the figures as details, so that programs need not read the sentence. */
static void
report_score (UrbSupervisor *self, const UrbScores *scores)
{
  gboolean is_best = self->scoring.summary.best_step == scores->step;
  JsonBuilder *details = urb_json_new ();
  g_autofree char *json = NULL;
  g_autofree char *text
    = g_strdup_printf ("The cities of step %" G_GINT64_FORMAT " score %.2f (lower is better; 1: like real areas)%s",
                       scores->step, scores->values[URB_SCORE_PLANS], is_best ? ", the best so far" : "");
  urb_json_add_int (details, "step", scores->step);
  urb_json_add_double (details, "score", scores->values[URB_SCORE_PLANS]);
  urb_json_add_bool (details, "best", is_best);
  json = urb_json_end (details);
  urb_recorder_event_with_details (self->recorder, "info", "score", self->step, text, json);
}

static void
record_scores (UrbSupervisor *self, const UrbScores *scores)
{
  UrbScoreSummary *summary = &self->scoring.summary;
  gint64 before = summary->best_step;
  urb_recorder_score (self->recorder, scores);
  summarize (self);
  if (summary->best_step != before)
    urb_run_folder_mark (self->folder, URB_RUN_BEST, summary->best_step);
  report_score (self, scores);
  if (self->observer->score != NULL)
    self->observer->score (scores, summary, self->options.user_data);
  if (summary->best_step == scores->step)
    {
      g_autofree char *file = urb_run_checkpoint_name (scores->step);
      urb_supervisor_call_hook (self, URB_HOOK_BEST, scores->step, file, NULL);
    }
  report_flaws (self, scores);
  stop_if_impatient (self);
}

/* ------------------------------------------------------------------------ */
/* The process                                                               */

static void start (UrbSupervisor *self, gint64 step);
static gboolean is_due (UrbSupervisor *self, gint64 step, gboolean is_last);

static gboolean
end_cb (gpointer user_data)
{
  UrbSupervisor *self = user_data;
  self->scoring.end_id = 0;
  urb_supervisor_end_work (self);
  return G_SOURCE_REMOVE;
}

/* After an answer, or without one.  The process may be about to be freed: its callbacks return
 * first. */
static void
go_on (UrbSupervisor *self)
{
  UrbScoring *scoring = &self->scoring;
  gint64 next = scoring->next_step;
  g_clear_handle_id (&scoring->timeout_id, g_source_remove);
  scoring->step = scoring->next_step = -1;
  if (next >= 0 && is_due (self, next, scoring->is_last))
    start (self, next);
  if (scoring->step < 0 && scoring->is_last)
    scoring->end_id = g_idle_add (end_cb, self);
}

static void
fail (UrbSupervisor *self, const char *why)
{
  UrbScoring *scoring = &self->scoring;
  scoring->n_failures++;
  urb_supervisor_report (self, "warning", "score-failed",
                         "The cities cannot be scored%s: %s. The training goes on",
                         scoring->n_failures < MAX_FAILURES ? "" : " and are not any more", why);
}

static void
message_cb (UrbWorkerProcess *process, JsonObject *message, gpointer user_data)
{
  UrbSupervisor *self = user_data;
  UrbScoring *scoring = &self->scoring;
  const char *type = urb_json_get_string (message, "type", "");
  UrbScores scores = { .step = scoring->step };
  if (scoring->step < 0 || urb_json_get_int (message, "step", -1) != scoring->step)
    return; /* of a checkpoint that the run went back from */
  if (strcmp (type, "score") == 0)
    {
      scores.seconds = urb_json_get_double (message, "seconds", 0);
      scoring->cost_s = urb_json_get_double (message, "processor_seconds", 0);
      scores.flaws = (guint) urb_json_get_int (message, "flaws", 0);
      for (int i = 0; i < URB_N_SCORES; i++)
        scores.values[i] = urb_json_get_double (message, urb_score_names[i], NAN);
      scoring->n_failures = 0;
      record_scores (self, &scores);
    }
  else
    fail (self, urb_json_get_string (message, "text", "for an unknown reason"));
  go_on (self);
}

static void
ended_cb (UrbWorkerProcess *process, gboolean success, const char *how, gpointer user_data)
{
  UrbSupervisor *self = user_data;
  UrbScoring *scoring = &self->scoring;
  g_autofree char *why = g_strdup_printf ("the process that measures them %s", how);
  g_clear_pointer (&scoring->process, urb_worker_process_free);
  if (scoring->step < 0)
    return;
  fail (self, why);
  go_on (self);
}

static gboolean
timeout_cb (gpointer user_data)
{
  UrbSupervisor *self = user_data;
  self->scoring.timeout_id = 0;
  if (self->scoring.process != NULL)
    urb_worker_process_kill (self->scoring.process, "took too long");
  return G_SOURCE_REMOVE;
}

static gboolean
ensure_process (UrbSupervisor *self)
{
  static const UrbWorkerProcessOps ops = { .message = message_cb, .ended = ended_cb };
  const UrbWorkerSpawn spawn = {
    .argv = get_argv (self), .rank = -1, .log_fd = urb_recorder_get_log_fd (self->recorder),
  };
  g_autoptr(GError) error = NULL;
  if (self->scoring.process == NULL)
    self->scoring.process = urb_worker_process_spawn (&spawn, &ops, self, &error);
  if (self->scoring.process == NULL)
    fail (self, error->message);
  return self->scoring.process != NULL;
}

static void
start (UrbSupervisor *self, gint64 step)
{
  UrbScoring *scoring = &self->scoring;
  g_autofree char *name = urb_run_checkpoint_name (step);
  g_autofree char *path = urb_run_folder_dup_file (self->folder, name);
  JsonBuilder *line;
  scoring->begin_us = g_get_monotonic_time ();
  if (!ensure_process (self))
    return;
  scoring->step = scoring->last_step = step;
  line = urb_json_new ();
  urb_json_add_string (line, "cmd", "score");
  urb_json_add_int (line, "step", step);
  urb_json_add_string (line, "checkpoint", path);
  urb_json_add_string (line, "dataset", self->config.train.dataset);
  urb_worker_process_send (scoring->process, urb_json_end (line));
  scoring->timeout_id = g_timeout_add_seconds (TIMEOUT_S, timeout_cb, self);
}

/* ------------------------------------------------------------------------ */
/* When                                                                      */

gint64
urb_score_find_interval (double cost_s)
{
  return (gint64) (fmax (AUTO_SCORE_S, AUTO_SCORE_SHARE * cost_s) * G_USEC_PER_SEC);
}

static gboolean
is_due (UrbSupervisor *self, gint64 step, gboolean is_last)
{
  const UrbScoring *scoring = &self->scoring;
  gint64 every = self->config.score_every;
  gint64 last = MAX (scoring->last_step, scoring->summary.last_step);
  if (!self->config.score || get_argv (self) == NULL || self->config.train.dataset == NULL || step <= last
      || scoring->n_failures >= MAX_FAILURES)
    return FALSE;
  if (every > 0)
    return is_last || step / every > MAX (last, 0) / every;
  return (is_last && last > 0) || g_get_monotonic_time () - scoring->begin_us >= urb_score_find_interval (scoring->cost_s);
}

void
urb_supervisor_score (UrbSupervisor *self, gint64 step)
{
  if (!is_due (self, step, FALSE))
    return;
  if (self->scoring.step >= 0)
    self->scoring.next_step = step;
  else
    start (self, step);
}

gboolean
urb_supervisor_score_last (UrbSupervisor *self)
{
  UrbScoring *scoring = &self->scoring;
  gint64 step = self->checkpoint_step;
  if (scoring->step < 0 && is_due (self, step, TRUE))
    start (self, step);
  else if (scoring->step >= 0 && scoring->step != step && is_due (self, step, TRUE))
    scoring->next_step = step;
  scoring->is_last = scoring->step >= 0;
  if (scoring->is_last)
    {
      g_autofree char *text = g_strdup_printf ("All steps are done; the cities of step %" G_GINT64_FORMAT
                                               " are being scored", step);
      urb_supervisor_report_wait (self, "scoring", text);
    }
  return scoring->is_last;
}

GArray *
urb_supervisor_list_needed (UrbSupervisor *self)
{
  const gint64 steps[] = { self->scoring.summary.best_step, self->scoring.step, self->scoring.next_step,
                           urb_run_folder_get_mark (urb_run_folder_get_path (self->folder), URB_RUN_GOOD) };
  GArray *needed = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_array_append_vals (needed, steps, G_N_ELEMENTS (steps));
  return needed;
}

const UrbScoreSummary *
urb_supervisor_get_score_summary (UrbSupervisor *self)
{
  return &self->scoring.summary;
}
