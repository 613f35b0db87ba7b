/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ab.c - see ab.h.  Read race() first.
 */
#include "cli/ab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

#include "base/atomic-file.h"
#include "base/durable.h"
#include "base/json-build.h"
#include "city/evaluate.h"
#include "city/quality-race.h"
#include "cli/child-run.h"
#include "cli/cli.h"
#include "settings/recipe.h"

enum { N_FACTORS = 3, TUNE_SEED = 9001, MIN_TRIAL_S = 5, MAX_TRIAL_S = 15, START_S = 5,
       EVALUATION_SEED = 1 };

static const double lr_factors[N_FACTORS] = { 0.5, 1, 2 };

typedef struct
{
  const UrbCliAb *what;
  char          **arm_options[URB_RACE_N_ARMS]; /* owned; --strategy … */
  UrbQualityRace *race;                         /* owned */
  double          lr_g, lr_d;                   /* the recipe's */
  double          steps_per_s[URB_RACE_N_ARMS];
  GCancellable   *cancellable; /* borrowed; by Ctrl+C */
  GMainLoop      *loop;        /* owned */
  UrbChildRun    *child;       /* borrowed; the one that trains */
} Ab;

/* One training. */
typedef struct
{
  int     arm;
  guint64 seed;
  double  lr_factor, seconds; /* it is stopped then */
  gint64  n_steps, checkpoint_every;
  const char *stage;
} Attempt;

/* ------------------------------------------------------------------------ */
/* Training                                                                  */

static void
add (GPtrArray *argv, const char *option, char *value)
{
  g_ptr_array_add (argv, g_strdup (option));
  g_ptr_array_add (argv, value);
}

static void
add_all (GPtrArray *argv, char **words)
{
  for (; *words != NULL; words++)
    g_ptr_array_add (argv, g_strdup (*words));
}

static char *
format_number (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup (g_ascii_dtostr (text, sizeof text, value));
}

/* Learning rates before the arm's options: those may name others. */
static char **
dup_arguments (const Ab *self, const Attempt *attempt, const char *folder)
{
  g_autoptr(GPtrArray) argv = g_ptr_array_new ();

  g_ptr_array_add (argv, g_strdup ("train"));
  add_all (argv, self->what->options);
  add (argv, "--dataset", g_strdup (self->what->dataset));
  add (argv, "--run", g_strdup (folder));
  add (argv, "--lr-g", format_number (self->lr_g * attempt->lr_factor));
  add (argv, "--lr-d", format_number (self->lr_d * attempt->lr_factor));
  add_all (argv, self->arm_options[attempt->arm]);
  add (argv, "--seed", g_strdup_printf ("%" G_GUINT64_FORMAT, attempt->seed));
  add (argv, "--steps", g_strdup_printf ("%" G_GINT64_FORMAT, attempt->n_steps));
  add (argv, "--max-minutes", format_number (attempt->seconds / 60));
  add (argv, "--checkpoint-every", g_strdup_printf ("%" G_GINT64_FORMAT, attempt->checkpoint_every));
  add (argv, "--sample-every", g_strdup_printf ("%" G_GINT64_FORMAT, attempt->n_steps));
  add (argv, "--keep-checkpoints", g_strdup ("0"));
  g_ptr_array_add (argv, g_strdup ("--force"));
  g_ptr_array_add (argv, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&argv), FALSE);
}

static void
changed_cb (UrbChildRun *child, UrbChildEvent event, gpointer user_data)
{
  Ab *self = user_data;

  if (event == URB_CHILD_ENDED)
    g_main_loop_quit (self->loop);
}

/* It then stops cleanly, which ends the main loop. */
static gboolean
cancelled_cb (GCancellable *cancellable, gpointer user_data)
{
  Ab *self = user_data;

  urb_child_run_interrupt (self->child);
  return G_SOURCE_REMOVE;
}

static void
wait_for (Ab *self, UrbChildRun *child)
{
  g_autoptr(GSource) interrupt = g_cancellable_source_new (self->cancellable);

  self->child = child;
  g_source_set_callback (interrupt, G_SOURCE_FUNC (cancelled_cb), self, NULL);
  g_source_attach (interrupt, NULL);
  g_main_loop_run (self->loop);
  g_source_destroy (interrupt);
  self->child = NULL;
}

static char *
dup_folder (const Ab *self, const Attempt *attempt)
{
  g_autofree char *name
    = g_strdup_printf ("%c-%s-%" G_GUINT64_FORMAT "-lr-%g", 'a' + attempt->arm, attempt->stage,
                       attempt->seed, attempt->lr_factor);

  return g_build_filename (self->what->out, name, NULL);
}

/* Returns: (transfer full): a run that ended well */
static UrbChildRun *
train (Ab *self, const Attempt *attempt, GError **error)
{
  g_autofree char *folder = dup_folder (self, attempt);
  g_auto(GStrv) arguments = dup_arguments (self, attempt, folder);
  g_autoptr(UrbChildRun) child = NULL;

  if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
    return NULL;
  if (!self->what->json)
    fprintf (stderr, "%s: %s, seed %" G_GUINT64_FORMAT ", %g x the learning rates\n",
             self->race->arms[attempt->arm], attempt->stage, attempt->seed, attempt->lr_factor);
  child = urb_child_run_new (self->race->arms[attempt->arm], (const char *const *) arguments,
                             changed_cb, self, error);
  if (child == NULL)
    return NULL;
  wait_for (self, child);
  if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
    return NULL;
  if (urb_child_run_get_code (child) == URB_EXIT_OK && urb_child_run_get_last (child)->step > 0)
    return g_steal_pointer (&child);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "The run '%s' of %s failed: %s", folder,
               self->race->arms[attempt->arm],
               urb_child_run_get_complaint (child) != NULL ? urb_child_run_get_complaint (child)
                                                           : "it made no step in its time");
  return NULL;
}

/* ------------------------------------------------------------------------ */
/* Scoring                                                                   */

/* A generator that fell apart may give no score: that is a NaN, not an end. */
static gboolean
evaluate (Ab *self, const char *folder, gint64 step, double *score, GError **error)
{
  g_autofree char *name = g_strdup_printf ("step-%09" G_GINT64_FORMAT ".safetensors", step);
  g_autofree char *path = g_build_filename (folder, "checkpoints", name, NULL);
  UrbEvaluateOptions options = { path, self->what->dataset, self->what->count, EVALUATION_SEED,
                                 { .n_threads = self->what->train->n_threads } };
  g_autoptr(UrbEvaluation) evaluation
    = urb_evaluate (&options, NULL, NULL, self->cancellable, error);

  if (evaluation == NULL)
    return FALSE;
  *score = evaluation->score[URB_GROUP_GENERATED];
  return TRUE;
}

/* The score of the last checkpoint. */
static gboolean
evaluate_end (Ab *self, const Attempt *attempt, UrbChildRun *child, double *score, GError **error)
{
  g_autofree char *folder = dup_folder (self, attempt);

  return evaluate (self, folder, urb_child_run_get_last (child)->step, score, error);
}

static gboolean
evaluate_all (Ab *self, const Attempt *attempt, UrbChildRun *child, GError **error)
{
  g_autofree char *folder = dup_folder (self, attempt);
  GArray *checkpoints = urb_child_run_get_checkpoints (child);
  UrbQualityCurve *curve = urb_quality_race_add (self->race, attempt->arm, attempt->seed);

  curve->images_per_s = urb_child_run_get_images_per_s (child);
  for (guint i = 0; i < checkpoints->len; i++)
    {
      const UrbChildPoint *at = &g_array_index (checkpoints, UrbChildPoint, i);
      UrbQualityPoint point = { .seconds = at->seconds, .step = at->step, .images = at->images };

      if (at->step == 0)
        continue; /* before any training */
      if (!evaluate (self, folder, at->step, &point.score, error))
        return FALSE;
      g_array_append_val (curve->points, point);
    }
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* The protocol                                                              */

static double
get_trial_seconds (const UrbCliAb *what)
{
  return CLAMP (6 * what->minutes, MIN_TRIAL_S, MAX_TRIAL_S);
}

/* How many steps fit: from a short run, all of it as later. */
static gboolean
try_speed (Ab *self, int arm, GError **error)
{
  double seconds = get_trial_seconds (self->what);
  Attempt attempt = { .arm = arm, .seed = TUNE_SEED, .lr_factor = 1, .seconds = seconds,
                      .n_steps = 1000000000, .checkpoint_every = 1000000000, .stage = "speed" };
  g_autoptr(UrbChildRun) child = train (self, &attempt, error);
  const UrbChildPoint *last;

  if (child == NULL)
    return FALSE;
  last = urb_child_run_get_last (child);
  self->steps_per_s[arm] = (double) last->step / MAX (last->seconds, 1e-3);
  return TRUE;
}

static Attempt
plan_attempt (const Ab *self, int arm, guint64 seed, double lr_factor, double seconds,
              int n_evaluations, const char *stage)
{
  gint64 n_between = MAX ((gint64) (self->steps_per_s[arm] * seconds) / n_evaluations, 1);

  return (Attempt) { .arm = arm, .seed = seed, .lr_factor = lr_factor,
                     .n_steps = n_between * n_evaluations,
                     /* The speed of a trial is not exact, and the limit counts the start. */
                     .seconds = 1.1 * seconds + START_S, .checkpoint_every = n_between,
                     .stage = stage };
}

static gboolean
tune (Ab *self, int arm, GError **error)
{
  double best = INFINITY;

  for (int i = 0; i < N_FACTORS; i++)
    {
      Attempt attempt = plan_attempt (self, arm, TUNE_SEED, lr_factors[i], 20 * self->what->minutes,
                                      1, "tune");
      g_autoptr(UrbChildRun) child = train (self, &attempt, error);
      double score;

      if (child == NULL || !evaluate_end (self, &attempt, child, &score, error))
        return FALSE;
      if (!self->what->json)
        fprintf (stderr, "  score %.3g\n", score);
      if (score < best)
        {
          best = score;
          self->race->lr_factor[arm] = lr_factors[i];
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
                                        60 * self->what->minutes, self->what->n_evaluations, "race");
        g_autoptr(UrbChildRun) child = train (self, &attempt, error);

        if (child == NULL || !evaluate_all (self, &attempt, child, error))
          return FALSE;
      }
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Results                                                                   */

/* JSON has no infinity: never is null. */
static void
build_spread (JsonBuilder *json, const char *name, UrbSpread spread)
{
  const struct { const char *name; double value; } values[] = {
    { "median", spread.median }, { "min", spread.min }, { "max", spread.max },
  };

  urb_json_begin_object (json, name);
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      json_builder_set_member_name (json, values[i].name);
      if (isfinite (values[i].value))
        json_builder_add_double_value (json, values[i].value);
      else
        json_builder_add_null_value (json);
    }
  urb_json_end_object (json);
}

static void
print_json (const Ab *self, const UrbQualityVerdict *verdict, const char *sentence)
{
  g_autoptr(JsonBuilder) json = json_builder_new ();
  g_autofree char *text = NULL;

  urb_json_begin_object (json, NULL);
  urb_json_add_string (json, "answer", sentence);
  urb_json_add_string (json, "winner",
                       verdict->winner < 0 ? "" : self->race->arms[verdict->winner]);
  urb_json_add_double (json, "threshold", verdict->threshold);
  urb_json_add_int (json, "seeds", verdict->n_seeds);
  urb_json_add_double (json, "seconds_budget", self->race->budget_s);
  json_builder_set_member_name (json, "arms");
  json_builder_begin_array (json);
  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    {
      urb_json_begin_object (json, NULL);
      urb_json_add_string (json, "arm", self->race->arms[arm]);
      urb_json_add_double (json, "lr_factor", self->race->lr_factor[arm]);
      build_spread (json, "seconds_to_threshold", verdict->seconds[arm]);
      build_spread (json, "best_score", verdict->best[arm]);
      build_spread (json, "images_per_second", verdict->images_per_s[arm]);
      urb_json_end_object (json);
    }
  json_builder_end_array (json);
  urb_json_end_object (json);
  text = urb_json_dup_text (json);
  printf ("%s\n", text);
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
  if (self->what->json)
    print_json (self, &verdict, sentence);
  else
    printf ("%s\n%s and %s have the scores over time.\n", sentence, csv_path, svg_path);
  return TRUE;
}

/* ------------------------------------------------------------------------ */

static gboolean
split_arm (Ab *self, int arm, GError **error)
{
  g_auto(GStrv) words = NULL;
  UrbStrategy strategy;
  int n_ranks = 1;

  if (!g_shell_parse_argv (self->what->arms[arm], NULL, &words, error)
      || !urb_strategy_parse (words[0], &strategy, &n_ranks, error))
    return FALSE;
  self->race->is_single[arm] = strategy == URB_STRATEGY_SINGLE;
  self->arm_options[arm] = g_new0 (char *, g_strv_length (words) + 2);
  self->arm_options[arm][0] = g_strdup ("--strategy");
  for (guint i = 0; words[i] != NULL; i++)
    self->arm_options[arm][i + 1] = g_strdup (words[i]);
  return TRUE;
}

static gboolean
prepare (Ab *self, GError **error)
{
  g_auto(UrbTrainOptions) used = { 0 };
  g_autoptr(UrbPreset) preset = urb_preset_load (self->what->train->preset, error);
  g_autoptr(UrbDataset) dataset = NULL;
  int code;

  if (preset == NULL || !split_arm (self, 0, error) || !split_arm (self, 1, error))
    return FALSE;
  dataset = urb_dataset_open (self->what->dataset, error);
  if (dataset == NULL)
    return FALSE;
  urb_train_options_copy (&used, self->what->train);
  if (!urb_recipe_resolve (&used, preset,
                           urb_encoding_get_n_channels (urb_dataset_get_info (dataset)->encoding),
                           error))
    return FALSE;
  self->lr_g = used.lr_g;
  self->lr_d = used.lr_d;
  code = urb_durable_make_folders (self->what->out, 0700);
  if (code == 0)
    return TRUE;
  g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (code),
               "The folder '%s' cannot be made: %s", self->what->out, g_strerror (code));
  return FALSE;
}

static void
ab_clear (Ab *self)
{
  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    g_strfreev (self->arm_options[arm]);
  g_clear_pointer (&self->race, urb_quality_race_free);
  g_clear_pointer (&self->loop, g_main_loop_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ab, ab_clear)

int
urb_cli_ab_run (const UrbCliAb *what)
{
  g_auto(Ab) self = {
    .what = what,
    .race = urb_quality_race_new (what->arms[0], what->arms[1]),
    .cancellable = urb_cli_get_cancellable (),
    .loop = g_main_loop_new (NULL, FALSE),
  };
  g_autoptr(GError) error = NULL;
  gboolean good;

  self.race->budget_s = 60 * what->minutes;
  good = prepare (&self, &error);
  if (good && !what->json)
    fprintf (stderr, "This takes about %.0f minutes, and as long as scoring does.\n",
             2 * (get_trial_seconds (what) / 60
                  + N_FACTORS * what->minutes / 3 + what->n_seeds * what->minutes));
  good = good && race (&self, &error) && write_results (&self, &error);
  return good ? URB_EXIT_OK : urb_cli_fail ("bench", error);
}
