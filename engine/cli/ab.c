/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ab.c - see ab.h.  Read race() first.
 */
#include "cli/ab.h"

#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic-file.h"
#include "base/durable.h"
#include "base/json-build.h"
#include "city/evaluate.h"
#include "city/quality-race.h"
#include "city/race-file.h"
#include "cli/child-run.h"
#include "cli/cli.h"
#include "run/store/config-file.h"
#include "run/store/folder.h"
#include "run/supervisor/daemon.h"
#include "settings/preset.h"
#include "settings/recipe.h"

enum { TUNE_SEED = 9001, START_S = 5, EVALUATION_SEED = 1 };

/* The settings of both arms, in the comparison's folder, for --continue. */
static const char settings_name[] = "settings.ini";

static const double lr_factors[URB_RACE_N_FACTORS] = { 0.5, 1, 2 };

typedef struct
{
  const UrbCliAb *what;                         /* borrowed */
  const UrbRunConfig *common;                   /* borrowed; applied, not resolved */
  gboolean        json;
  UrbCliRunArgs   arms[URB_RACE_N_ARMS];        /* owned; --strategy … */
  UrbQualityRace *race;                         /* owned */
  UrbRaceProgress progress;                     /* owned */
  double          trained_s;                    /* by the trainings that have ended */
  gint64          saved;                        /* when the progress was written, monotonic time */
  GCancellable   *cancellable;                  /* borrowed; by Ctrl+C */
} Ab;

/* One training. */
typedef struct
{
  int     arm;
  guint64 seed;
  double  lr_factor, planned_s, seconds; /* seconds: it is stopped then */
  gint64  n_steps, checkpoint_every;
  UrbRaceStage stage;
} Attempt;

/* In names of folders and in messages, by UrbRaceStage. */
static const char *const stage_words[URB_RACE_N_STAGES] = { "speed", "tune", "race", "score" };

/* ------------------------------------------------------------------------ */
/* Options                                                                   */

void
urb_cli_ab_add (UrbCliAb *self, GOptionContext *options)
{
  const GOptionEntry entries[] = {
    { "ab", 0, 0, G_OPTION_ARG_STRING, &self->first,
      "Compare two ways to train by the time until cities are good: --ab hogwild:2 single", "A B" },
    { "dataset", 0, 0, G_OPTION_ARG_FILENAME, &self->dataset, "--ab, hogwild: what to learn from", "FILE" },
    { "out", 0, 0, G_OPTION_ARG_FILENAME, &self->out, "--ab: folder for runs and results", "DIR" },
    { "minutes", 0, 0, G_OPTION_ARG_DOUBLE, &self->minutes, "--ab: of each training (10)", "M" },
    { "seeds", 0, 0, G_OPTION_ARG_INT, &self->n_seeds, "--ab: trainings of each (3)", "N" },
    { "evaluations", 0, 0, G_OPTION_ARG_INT, &self->n_evaluations,
      "--ab: evaluations on the way (12)", "N" },
    { "count", 0, 0, G_OPTION_ARG_INT64, &self->count, "--ab: cities of an evaluation (256)", "N" },
    { "continue", 0, 0, G_OPTION_ARG_FILENAME, &self->again,
      "Go on with the comparison in DIR that was stopped or failed", "DIR" },
    { "detach", 0, 0, G_OPTION_ARG_NONE, &self->detach,
      "--ab: go on in the background; DIR/ab.ini has the state, DIR/log the messages", NULL },
    G_OPTION_ENTRY_NULL
  };

  g_option_context_add_main_entries (options, entries, NULL);
}

void
urb_cli_ab_clear (UrbCliAb *self)
{
  g_free (self->first);
  g_free (self->again);
  g_free (self->dataset);
  g_free (self->out);
}

/* Its folder has everything else. */
static const char *
find_mistake_in_continue (const UrbCliAb *self, const UrbCliRunArgs *settings, int argc)
{
  const UrbCliAb defaults = URB_CLI_AB_DEFAULTS;
  gboolean lone = self->first == NULL && self->dataset == NULL && self->out == NULL && argc == 1
                  && settings->config == NULL && !urb_cli_run_args_change_run (settings)
                  && fabs (self->minutes - defaults.minutes) <= 0 && self->n_seeds == defaults.n_seeds
                  && self->n_evaluations == defaults.n_evaluations && self->count == defaults.count;

  return lone ? NULL : "--continue goes on with the settings in its folder; leave out all but --detach and --json";
}

const char *
urb_cli_ab_find_mistake (const UrbCliAb *self, const UrbCliRunArgs *settings, int argc)
{
  if (self->again != NULL)
    return find_mistake_in_continue (self, settings, argc);
  if (argc != 2)
    return "--ab compares two, as in --ab hogwild:2 single";
  if (self->dataset == NULL || self->out == NULL)
    return "--ab needs --dataset FILE and --out DIR";
  if (urb_setting_args_given (settings->args, "strategy")
      || urb_setting_args_given (settings->args, "ranks"))
    return "--ab has the strategies itself; write options of one as in "
           "--ab 'hogwild:2 --full-lr' single";
  if (!isfinite (self->minutes) || self->minutes <= 0)
    return "--minutes must be a number of minutes";
  if (self->n_seeds < 1 || self->n_seeds > 1000 || self->n_evaluations < 3
      || self->n_evaluations > 10000 || self->count < 4 || self->count > 1000000)
    return "--seeds must be at least 1, --evaluations at least 3, --count at least 4";
  return NULL;
}

/* ------------------------------------------------------------------------ */
/* Progress                                                                  */

/* A write that fails is tried again by the next one; the results are written with care. */
static void
save_progress (Ab *self)
{
  g_autoptr(GError) error = NULL;

  self->saved = g_get_monotonic_time ();
  if (!urb_race_file_save (self->what->out, &self->progress, self->race, &error))
    g_debug ("%s", error->message);
}

static void
begin_stage (Ab *self, UrbRaceStage stage, int arm, guint64 seed)
{
  self->progress.stage = stage;
  self->progress.arm = arm;
  self->progress.seed = seed;
  save_progress (self);
}

static void
child_cb (UrbChildRun *child, UrbChildEvent event, gpointer user_data)
{
  Ab *self = user_data;

  self->progress.trained_s = self->trained_s + urb_child_run_get_state (child)->last.seconds;
  if (event == URB_CHILD_STEP && g_get_monotonic_time () - self->saved > 2 * G_USEC_PER_SEC)
    save_progress (self);
}

/* ------------------------------------------------------------------------ */
/* Training                                                                  */

/* The arm's options may name another preset or recipe, whose learning rates are multiplied, and learning
 * rates, which are not: hence they are applied before and after. */
static gboolean
make_config (const Ab *self, const Attempt *attempt, UrbRunConfig *config, GError **error)
{
  const UrbCliRunArgs *arm = &self->arms[attempt->arm];
  g_autoptr(UrbPreset) preset = NULL;

  urb_run_config_copy (config, self->common);
  g_free (config->train.dataset);
  config->train.dataset = g_strdup (self->what->dataset);
  if (!urb_cli_run_args_apply (arm, config, error))
    return FALSE;
  preset = urb_preset_load (config->train.preset, error);
  if (preset == NULL)
    return FALSE;
  urb_recipe_multiply_rates (&config->train, preset, attempt->lr_factor);
  if (!urb_cli_run_args_apply (arm, config, error))
    return FALSE;
  config->train.seed = attempt->seed;
  config->train.n_steps = config->sample_every = attempt->n_steps;
  config->checkpoint_every = attempt->checkpoint_every;
  config->keep_checkpoints = 0;
  return urb_cli_run_args_resolve (arm, config, NULL, NULL, error);
}

static char *
dup_folder (const Ab *self, const Attempt *attempt)
{
  g_autofree char *name
    = g_strdup_printf ("%c-%s-%" G_GUINT64_FORMAT "-lr-%g", 'a' + attempt->arm,
                       stage_words[attempt->stage], attempt->seed, attempt->lr_factor);

  return g_build_filename (self->what->out, name, NULL);
}

/* Returns: (transfer full): a run that ended well */
static UrbChildRun *
train (Ab *self, const Attempt *attempt, GError **error)
{
  const char *arm = self->race->arms[attempt->arm];
  g_autofree char *folder = dup_folder (self, attempt);
  g_autofree char *minutes = g_strdup_printf ("%.17g", attempt->seconds / 60);
  const char *const arguments[] = { "resume", folder, "--max-minutes", minutes, NULL };
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(UrbRunFolder) made = NULL;
  g_autoptr(UrbChildRun) child = NULL;
  const UrbChildState *state;

  if (g_cancellable_set_error_if_cancelled (self->cancellable, error)
      || !make_config (self, attempt, &config, error))
    return NULL;
  if (!self->json)
    fprintf (stderr, "%s: %s, seed %" G_GUINT64_FORMAT ", %g x the learning rates\n", arm,
             stage_words[attempt->stage], attempt->seed, attempt->lr_factor);
  begin_stage (self, attempt->stage, attempt->arm, attempt->stage == URB_RACE_TRAIN ? attempt->seed : 0);
  made = urb_run_folder_begin (folder, URB_RUN_FOLDER_REPLACE, &config, error);
  if (made == NULL)
    return NULL;
  g_clear_pointer (&made, urb_run_folder_free); /* the child locks it */
  child = urb_child_run_new (arm, arguments, child_cb, self, error);
  if (child == NULL)
    return NULL;
  urb_child_run_wait (child, self->cancellable);
  if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
    return NULL;
  self->trained_s += attempt->planned_s;
  self->progress.trained_s = self->trained_s;
  state = urb_child_run_get_state (child);
  if (state->code == URB_EXIT_OK && state->last.step > 0)
    return g_steal_pointer (&child);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "The run '%s' of %s failed: %s", folder, arm,
               state->complaint != NULL ? state->complaint : "it made no step in its time");
  return NULL;
}

/* ------------------------------------------------------------------------ */
/* Scoring                                                                   */

/* A generator that fell apart may give no score: that is a NaN, not an end. */
static gboolean
evaluate (Ab *self, const char *folder, gint64 step, double *score, GError **error)
{
  g_autofree char *name = urb_run_checkpoint_name (step);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  UrbEvaluateOptions options = { path, self->what->dataset, self->what->count, EVALUATION_SEED,
                                 { .n_threads = self->common->train.n_threads } };
  g_autoptr(UrbEvaluation) evaluation
    = urb_evaluate (&options, NULL, NULL, self->cancellable, error);

  if (evaluation == NULL)
    return FALSE;
  *score = evaluation->plans->score[URB_GROUP_GENERATED];
  return TRUE;
}

/* Dozens of scored checkpoints would fill the disk; the last of a training stays. */
static void
remove_checkpoint (const char *folder, gint64 step)
{
  g_autofree char *name = urb_run_checkpoint_name (step);
  g_autofree char *path = g_build_filename (folder, name, NULL);

  if (g_unlink (path) != 0)
    g_debug ("'%s' cannot be removed", path);
}

static gboolean
evaluate_all (Ab *self, const Attempt *attempt, UrbChildRun *child, GError **error)
{
  g_autofree char *folder = dup_folder (self, attempt);
  const UrbChildState *state = urb_child_run_get_state (child);
  UrbQualityCurve *curve = urb_quality_race_add (self->race, attempt->arm, attempt->seed);

  begin_stage (self, URB_RACE_SCORE, attempt->arm, attempt->seed);
  curve->images_per_s = state->images_per_s;
  for (guint i = 0; i < state->checkpoints->len; i++)
    {
      const UrbChildPoint *at = &g_array_index (state->checkpoints, UrbChildPoint, i);
      UrbQualityPoint point = { .seconds = at->seconds, .step = at->step, .images = at->images };

      if (at->step == 0)
        continue; /* before any training */
      if (!evaluate (self, folder, at->step, &point.score, error))
        return FALSE;
      if (i + 1 < state->checkpoints->len)
        remove_checkpoint (folder, at->step);
      g_array_append_val (curve->points, point);
      save_progress (self);
    }
  curve->complete = TRUE;
  save_progress (self);
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* The protocol                                                              */

/* It was done before the comparison was stopped. */
static void
skip (Ab *self, double planned_s)
{
  self->trained_s += planned_s;
  self->progress.trained_s = self->trained_s;
}

/* How many steps fit: from a short run, all of it as later. */
static gboolean
try_speed (Ab *self, int arm, GError **error)
{
  double seconds = urb_race_get_trial_s (self->what->minutes);
  Attempt attempt = { .arm = arm, .seed = TUNE_SEED, .lr_factor = 1, .planned_s = seconds,
                      .seconds = seconds, .n_steps = 1000000000, .checkpoint_every = 1000000000,
                      .stage = URB_RACE_SPEED };
  g_autoptr(UrbChildRun) child = NULL;
  const UrbChildPoint *last;

  if (self->progress.trials[arm].steps_per_s > 0)
    {
      skip (self, seconds);
      return TRUE;
    }
  child = train (self, &attempt, error);
  if (child == NULL)
    return FALSE;
  last = &urb_child_run_get_state (child)->last;
  self->progress.trials[arm].steps_per_s = (double) last->step / MAX (last->seconds, 1e-3);
  return TRUE;
}

static Attempt
plan_attempt (const Ab *self, int arm, guint64 seed, double lr_factor, double seconds,
              int n_evaluations, UrbRaceStage stage)
{
  gint64 n_between = MAX ((gint64) (self->progress.trials[arm].steps_per_s * seconds) / n_evaluations, 1);

  return (Attempt) { .arm = arm, .seed = seed, .lr_factor = lr_factor,
                     .n_steps = n_between * n_evaluations, .planned_s = seconds,
                     /* The speed of a trial is not exact, and the limit counts the start. */
                     .seconds = 1.1 * seconds + START_S, .checkpoint_every = n_between,
                     .stage = stage };
}

static gboolean
tune (Ab *self, int arm, GError **error)
{
  UrbRaceTrial *trial = &self->progress.trials[arm];
  double seconds = urb_race_get_tuning_s (self->what->minutes);

  skip (self, seconds * trial->n_tuned);
  if (trial->n_tuned == 0)
    trial->best_score = INFINITY;
  while (trial->n_tuned < URB_RACE_N_FACTORS)
    {
      double lr_factor = lr_factors[trial->n_tuned];
      Attempt attempt = plan_attempt (self, arm, TUNE_SEED, lr_factor, seconds, 1, URB_RACE_TUNE);
      g_autofree char *folder = dup_folder (self, &attempt);
      g_autoptr(UrbChildRun) child = train (self, &attempt, error);
      double score;

      if (child == NULL
          || !evaluate (self, folder, urb_child_run_get_state (child)->last.step, &score, error))
        return FALSE;
      if (!self->json)
        fprintf (stderr, "  score %.3g\n", score);
      trial->n_tuned++;
      if (score < trial->best_score)
        {
          trial->best_score = score;
          self->race->lr_factor[arm] = lr_factor;
        }
    }
  return TRUE;
}

static gboolean
race (Ab *self, GError **error)
{
  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    if (!try_speed (self, arm, error) || !tune (self, arm, error))
      return FALSE;
  for (int seed = 1; seed <= self->what->n_seeds; seed++)
    for (int turn = 0; turn < URB_RACE_N_ARMS; turn++)
      {
        int arm = (seed + turn) % URB_RACE_N_ARMS; /* who goes first, changes */
        Attempt attempt = plan_attempt (self, arm, (guint64) seed, self->race->lr_factor[arm],
                                        60 * self->what->minutes, self->what->n_evaluations,
                                        URB_RACE_TRAIN);
        g_autoptr(UrbChildRun) child = NULL;

        if (urb_quality_race_find (self->race, arm, attempt.seed) != NULL)
          {
            skip (self, attempt.planned_s);
            continue;
          }
        child = train (self, &attempt, error);
        if (child == NULL || !evaluate_all (self, &attempt, child, error))
          return FALSE;
      }
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Results                                                                   */

/* Never is infinity, hence null. */
static void
add_spread (JsonBuilder *json, const char *name, UrbSpread spread)
{
  urb_json_begin_object (json, name);
  urb_json_add_double (json, "median", spread.median);
  urb_json_add_double (json, "min", spread.min);
  urb_json_add_double (json, "max", spread.max);
  urb_json_end_object (json);
}

static void
print_json (const Ab *self, const UrbQualityVerdict *verdict, const char *sentence)
{
  JsonBuilder *json = urb_json_new ();

  urb_json_add_string (json, "answer", sentence);
  urb_json_add_string (json, "winner",
                       verdict->winner < 0 ? "" : self->race->arms[verdict->winner]);
  urb_json_add_double (json, "threshold", verdict->threshold);
  urb_json_add_int (json, "seeds", verdict->n_seeds);
  urb_json_add_double (json, "seconds_budget", self->race->budget_s);
  urb_json_begin_array (json, "arms");
  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    {
      urb_json_begin_object (json, NULL);
      urb_json_add_string (json, "arm", self->race->arms[arm]);
      urb_json_add_double (json, "lr_factor", self->race->lr_factor[arm]);
      add_spread (json, "seconds_to_threshold", verdict->seconds[arm]);
      add_spread (json, "best_score", verdict->best[arm]);
      add_spread (json, "images_per_second", verdict->images_per_s[arm]);
      urb_json_end_object (json);
    }
  urb_json_end_array (json);
  urb_cli_print_json (json);
}

static gboolean
write_results (const Ab *self, GError **error)
{
  g_autofree char *csv = urb_quality_race_dup_csv (self->race);
  g_autofree char *csv_path = g_build_filename (self->what->out, "ab.csv", NULL);
  g_autofree char *svg_path = g_build_filename (self->what->out, "ab.svg", NULL);
  g_autofree char *sentence = NULL;
  UrbQualityVerdict verdict;

  if (!urb_atomic_file_set_contents (csv_path, csv, strlen (csv), error))
    return FALSE;
  if (!urb_quality_race_judge (self->race, &verdict))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                   "%s gave no %d scores in a row; train longer (--minutes).", self->race->arms[1],
                   URB_RACE_SMOOTH);
      return FALSE;
    }
  if (!urb_quality_race_write_svg (self->race, &verdict, svg_path, error))
    return FALSE;
  sentence = urb_quality_race_dup_sentence (self->race, &verdict);
  if (self->json)
    print_json (self, &verdict, sentence);
  else
    printf ("%s\n%s and %s have the scores over time.\n", sentence, csv_path, svg_path);
  return TRUE;
}

/* ------------------------------------------------------------------------ */

/* @text: "hogwild:2 --full-lr" */
static gboolean
parse_arm (Ab *self, int arm, const char *text, GError **error)
{
  g_autoptr(GOptionContext) options = g_option_context_new (NULL);
  g_autofree char *line = g_strconcat ("train --strategy ", text, NULL);
  UrbCliRunArgs *args = &self->arms[arm];
  g_auto(GStrv) words = NULL;
  static const char *const own[] = { "dataset", "steps", "seed", "sample-every", "checkpoint-every",
                                     "keep-checkpoints" };
  UrbStrategy strategy;
  int n_ranks;

  g_option_context_set_help_enabled (options, FALSE);
  urb_cli_run_args_init (args, URB_SETTING_TRAIN);
  urb_cli_run_args_add (args, options);
  if (!g_shell_parse_argv (line, NULL, &words, error)
      || !g_option_context_parse_strv (options, &words, error)
      || !urb_strategy_parse (urb_setting_args_get (args->args, "strategy"), &strategy, &n_ranks,
                              error))
    return FALSE;
  self->race->is_single[arm] = strategy == URB_STRATEGY_SINGLE;
  if (words[0] != NULL && words[1] != NULL)
    return urb_options_fail (error, "--ab: “%s” in “%s” is no option of train", words[1], text);
  for (gsize i = 0; i < G_N_ELEMENTS (own); i++)
    if (urb_setting_args_given (args->args, own[i]))
      return urb_options_fail (error, "--ab: leave out --%s in “%s”; it is the same for both", own[i],
                               text);
  return args->config == NULL
         || urb_options_fail (error, "--ab: write --config outside “%s”; it is of both", text);
}

static gboolean
prepare (Ab *self, const char *second, GError **error)
{
  if (!parse_arm (self, 0, self->what->first, error) || !parse_arm (self, 1, second, error))
    return FALSE;
  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    {
      Attempt attempt = { .arm = arm, .lr_factor = 1, .n_steps = 1 };
      g_auto(UrbRunConfig) config = { 0 };

      if (!make_config (self, &attempt, &config, error))
        return FALSE;
    }
  return urb_durable_make_folders (self->what->out, 0700, error);
}

static void
ab_clear (Ab *self)
{
  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    urb_cli_run_args_clear (&self->arms[arm]);
  urb_quality_race_free (self->race);
  urb_race_progress_clear (&self->progress);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ab, ab_clear)

static gboolean
load (const char *folder, UrbRaceProgress *progress, UrbQualityRace **race, GError **error)
{
  *race = urb_race_file_load (folder, progress, error);
  if (*race == NULL)
    return FALSE;
  return urb_race_progress_can_continue (progress)
         || urb_options_fail (error, progress->state == URB_RACE_FINISHED
                                       ? "The comparison in “%s” has finished."
                                       : "The comparison in “%s” is of an older version; start it again by --ab.", folder);
}

/* With what has a score. */
static gboolean
take_up (Ab *self, GError **error)
{
  UrbQualityRace *race;
  UrbRaceProgress progress;
  gboolean good = load (self->what->out, &progress, &race, error);

  urb_quality_race_free (self->race);
  self->race = race;
  self->progress = progress;
  if (!good)
    return FALSE;
  urb_quality_race_remove_incomplete (self->race);
  self->progress.state = URB_RACE_RUNNING;
  g_clear_pointer (&self->progress.problem, g_free);
  return TRUE;
}

static gboolean
begin_anew (Ab *self, GError **error)
{
  static const char *const results[] = { "ab.csv", "ab.svg" };
  const UrbCliAb *what = self->what;
  g_autofree char *settings = g_build_filename (what->out, settings_name, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (results); i++) /* of an earlier comparison */
    {
      g_autofree char *path = g_build_filename (what->out, results[i], NULL);

      g_unlink (path);
    }
  self->progress = (UrbRaceProgress) { .planned_s = urb_race_get_planned_s (what->minutes, what->n_seeds), .n_seeds = what->n_seeds,
                                       .n_evaluations = what->n_evaluations, .count = what->count,
                                       .started = g_get_real_time () / G_USEC_PER_SEC,
                                       .dataset = g_canonicalize_filename (what->dataset, NULL) };
  return urb_run_config_write_file (settings, self->common, error);
}

/* Locks the folder, and begins the file. */
static gboolean
begin (Ab *self, GError **error)
{
  const char *folder = self->what->out;

  return urb_race_file_lock (folder, error)
         && (self->what->again != NULL ? take_up (self, error) : begin_anew (self, error))
         && urb_race_file_save (folder, &self->progress, self->race, error);
}

static int
race_to_end (Ab *self)
{
  g_autoptr(GError) error = NULL;

  self->cancellable = urb_cli_get_cancellable ();
  if (!self->json)
    fprintf (stderr, "This takes about %.3g minutes, and as long as scoring does.\n",
             fmax (self->progress.planned_s - self->progress.trained_s, 0) / 60);
  if (race (self, &error) && write_results (self, &error))
    self->progress.state = URB_RACE_FINISHED;
  else if (g_cancellable_is_cancelled (self->cancellable))
    self->progress.state = URB_RACE_STOPPED;
  else
    {
      self->progress.state = URB_RACE_FAILED;
      self->progress.problem = g_strdup (error->message);
    }
  save_progress (self);
  return error == NULL ? URB_EXIT_OK : urb_cli_fail (error);
}

static int
wait_for_daemon (const Ab *self, int report_fd)
{
  g_autoptr(GError) error = NULL;
  gint64 pid;

  if (!urb_daemon_wait (self->what->out, report_fd, &pid, &error))
    return urb_cli_fail (error);
  if (!self->json)
    printf ("The comparison runs in process %" G_GINT64_FORMAT ". Stop it with: kill -INT %" G_GINT64_FORMAT "\n",
            pid, pid);
  return URB_EXIT_OK;
}

int
urb_cli_ab_run (const UrbCliAb *what, const char *second, const UrbRunConfig *common, gboolean json)
{
  g_auto(Ab) self = {
    .what = what,
    .common = common,
    .json = json,
    .race = urb_quality_race_new (what->first, second),
  };
  g_autoptr(GError) error = NULL;
  UrbDaemonRole role = URB_DAEMON_CHILD;
  int report_fd = -1;
  gboolean good;

  self.race->budget_s = 60 * what->minutes;
  if (!prepare (&self, second, &error)
      || (what->detach && !urb_daemon_fork (what->out, &role, &report_fd, &error)))
    return urb_cli_fail (error);
  if (role == URB_DAEMON_PARENT)
    return wait_for_daemon (&self, report_fd);
  signal (SIGPIPE, SIG_IGN);
  good = begin (&self, &error);
  if (report_fd >= 0)
    urb_daemon_report (report_fd, error);
  if (!good)
    return urb_cli_fail (error);
  return race_to_end (&self);
}

int
urb_cli_ab_continue (const UrbCliAb *options, gboolean json)
{
  g_autofree char *settings = g_build_filename (options->again, settings_name, NULL);
  g_auto(UrbCliAb) what = URB_CLI_AB_DEFAULTS;
  g_auto(UrbRunConfig) common = { 0 };
  g_auto(UrbRaceProgress) progress = { 0 };
  g_autoptr(UrbQualityRace) race = NULL;
  g_autoptr(GError) error = NULL;

  if (!load (options->again, &progress, &race, &error) || !urb_run_config_read_file (settings, &common, &error))
    return urb_cli_fail (error);
  what.again = g_strdup (options->again);
  what.out = g_strdup (options->again);
  what.first = g_strdup (race->arms[0]);
  what.dataset = g_strdup (progress.dataset);
  what.minutes = race->budget_s / 60;
  what.n_seeds = progress.n_seeds;
  what.n_evaluations = progress.n_evaluations;
  what.count = progress.count;
  what.detach = options->detach;
  return urb_cli_ab_run (&what, race->arms[urb_quality_race_is_again (race) ? 0 : 1], &common, json);
}
