/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate.c - urbarium-engine evaluate: compares generated cities with real areas.
 */
#include <stdio.h>

#include "base/json-build.h"
#include "city/evaluate-blind.h"
#include "city/evaluate.h"
#include "cli/cli.h"
#include "cli/sampler-options.h"

typedef struct
{
  char    *dataset, *images, *report, *blind, *score; /* owned */
  gint64   count, seed;
  int      n_pairs;
  gboolean json, values, progress;
  UrbCliSamplerOptions sampler;
} Options;

static void
options_clear (Options *self)
{
  g_free (self->dataset);
  g_free (self->images);
  g_free (self->report);
  g_free (self->blind);
  g_free (self->score);
  urb_cli_sampler_options_clear (&self->sampler);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static int
run (const Options *given, const char *checkpoint)
{
  UrbEvaluateOptions options = { .checkpoint = checkpoint, .dataset = given->dataset,
                                 .images = given->images, .count = given->count,
                                 .seed = (guint64) given->seed };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbEvaluation) evaluation = NULL;
  g_autofree char *text = NULL;

  if (urb_cli_sampler_options_apply (&given->sampler, &options.on, &error))
    evaluation = urb_evaluate (&options,
                               given->progress ? urb_cli_progress_lines : urb_cli_progress, NULL,
                               urb_cli_get_cancellable (), &error);
  if (evaluation == NULL)
    return urb_cli_fail (error);
  if (given->report != NULL && !urb_evaluation_write_report (evaluation, given->report, &error))
    return urb_cli_fail (error);
  urb_cli_progress_done ();
  text = !given->json ? urb_evaluation_to_text (evaluation)
                      : urb_evaluation_to_json (evaluation, given->values ? URB_EVALUATION_VALUES
                                                                          : URB_EVALUATION_SUMMARY);
  fputs (text, stdout);
  if (given->json)
    putchar ('\n');
  return URB_EXIT_OK;
}

static int
write_blind (const Options *given, const char *checkpoint)
{
  UrbBlindOptions options = { .checkpoint = checkpoint, .dataset = given->dataset,
                              .folder = given->blind, .n_pairs = (guint) given->n_pairs,
                              .seed = (guint64) given->seed };
  g_autoptr(GError) error = NULL;
  guint n_pairs;

  if (!urb_cli_sampler_options_apply (&given->sampler, &options.on, &error)
      || !urb_blind_write (&options, &n_pairs,
                           given->progress ? urb_cli_progress_lines : urb_cli_progress, NULL,
                           urb_cli_get_cancellable (), &error))
    return urb_cli_fail (error);
  urb_cli_progress_done ();
  printf ("%u pairs in %s: show " URB_BLIND_SHEET ", but not " URB_BLIND_KEY "; fill in " URB_BLIND_ANSWERS
          ".\nThen: urbarium-engine evaluate --score %s\n", n_pairs, given->blind, given->blind);
  return URB_EXIT_OK;
}

static void
print_score (const UrbBlindScore *score, gboolean as_json)
{
  static const char *const sentences[] = {
    [URB_BLIND_UNDECIDED] = "Guessing explains this: no difference was shown between generated and real "
                            "plans. More pairs\nwould show a smaller one.",
    [URB_BLIND_TOLD] = "This is more than guessing explains: the generated plans can be told from real ones.",
    [URB_BLIND_MISTAKEN] = "This is less than guessing explains: the generated plans were taken for the "
                           "real ones.",
  };
  JsonBuilder *json;

  if (!as_json)
    {
      printf ("%u of %u pairs were answered correctly (%.0f %%; with 95 %% confidence %.0f to %.0f %%; "
              "p = %.2g).\n%s\n", score->n_right, score->n, 100.0 * score->n_right / score->n,
              100 * score->low, 100 * score->high, score->p, sentences[score->verdict]);
      return;
    }
  json = json_builder_new ();
  urb_json_begin_object (json, NULL);
  urb_json_add_int (json, "pairs", score->n);
  urb_json_add_int (json, "right", score->n_right);
  urb_json_add_double (json, "p", score->p);
  urb_json_add_double (json, "low", score->low);
  urb_json_add_double (json, "high", score->high);
  urb_json_add_string (json, "verdict", urb_blind_verdict_names[score->verdict]);
  urb_cli_print_json (json);
}

static int
score_blind (const Options *given)
{
  g_autofree char *key_path = g_build_filename (given->score, URB_BLIND_KEY, NULL);
  g_autofree char *answers_path = g_build_filename (given->score, URB_BLIND_ANSWERS, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) key = urb_blind_read_answers (key_path, &error);
  g_autoptr(GArray) answers = key != NULL ? urb_blind_read_answers (answers_path, &error) : NULL;
  UrbBlindScore score;

  if (answers != NULL && (answers->len != key->len || key->len == 0))
    g_set_error (&error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
                 "'%s' has %u answers, but '%s' has %u pairs.", answers_path, answers->len, key_path,
                 key->len);
  if (error != NULL)
    return urb_cli_fail (error);
  score = urb_blind_score_answers (answers, key);
  print_score (&score, given->json);
  return URB_EXIT_OK;
}

/* Returns: FALSE after printing what is wrong */
static gboolean
check (const Options *options, int argc)
{
  if (options->score != NULL && (argc != 1 || options->blind != NULL || options->images != NULL))
    urb_cli_fail_usage ("--score takes no run, --blind or --images: it reads what --blind has written");
  else if (options->images != NULL && (argc != 1 || options->dataset == NULL || options->blind != NULL))
    urb_cli_fail_usage ("--images takes a --dataset to compare with, no run and no --blind");
  else if (options->images != NULL && (options->sampler.device != NULL || options->sampler.precision != NULL))
    urb_cli_fail_usage ("--images generates nothing, so it takes no --device and no --precision");
  else if (options->score == NULL && options->images == NULL && argc != 2)
    urb_cli_fail_usage ("specify a run folder or a checkpoint");
  else if (options->blind != NULL && (options->json || options->report != NULL))
    urb_cli_fail_usage ("--blind writes a test, and does not evaluate: give it without --json and --report");
  else if (options->n_pairs != 0
           && (options->n_pairs < URB_BLIND_MIN_PAIRS || options->n_pairs > URB_BLIND_MAX_PAIRS))
    urb_cli_fail_usage ("--pairs must be %d to %d", URB_BLIND_MIN_PAIRS, URB_BLIND_MAX_PAIRS);
  else if (options->n_pairs != 0 && options->blind == NULL)
    urb_cli_fail_usage ("--pairs requires --blind");
  else if (options->count != 0 && (options->count < 4 || options->count > 1000000))
    urb_cli_fail_usage ("--count must be 4 to 1000000");
  else if (options->values && !options->json)
    urb_cli_fail_usage ("--values requires --json");
  else
    return TRUE;
  return FALSE;
}

int
urb_cli_evaluate (int argc, char **argv)
{
  g_auto(Options) options = { .seed = 1 };
  const GOptionEntry entries[] = {
    { "dataset", 'd', 0, G_OPTION_ARG_FILENAME, &options.dataset,
      "Compare with the test areas of this dataset (that of the checkpoint)", "FILE" },
    { "images", 'i', 0, G_OPTION_ARG_FILENAME, &options.images,
      "Judge the PNG images in this folder, one per area, instead of a run", "FOLDER" },
    { "count", 'n', 0, G_OPTION_ARG_INT64, &options.count, "Number of cities to generate (256), or of images to use (all)",
      "N" },
    { "seed", 's', 0, G_OPTION_ARG_INT64, &options.seed, "The same seed gives the same result (1)",
      "S" },
    { "report", 'r', 0, G_OPTION_ARG_FILENAME, &options.report,
      "Also write tables, distributions and sample grids to this folder", "FOLDER" },
    { "blind", 0, 0, G_OPTION_ARG_FILENAME, &options.blind,
      "Write a blind test to this folder instead: pairs of a real and a generated plan", "FOLDER" },
    { "pairs", 0, 0, G_OPTION_ARG_INT, &options.n_pairs,
      "With --blind: number of pairs (24, or as many as there are test areas)", "N" },
    { "score", 0, 0, G_OPTION_ARG_FILENAME, &options.score,
      "Score the answers of a blind test in this folder; takes no RUN", "FOLDER" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "Print the result as JSON", NULL },
    { "values", 0, 0, G_OPTION_ARG_NONE, &options.values,
      "With --json: also print the measured values, at most 2000 per measure and group", NULL },
    { "progress", 0, 0, G_OPTION_ARG_NONE, &options.progress,
      "Report progress on standard error as JSON lines", NULL },
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = urb_cli_options_new (
    "RUN|CHECKPOINT",
    "Compares generated cities with real areas held out of training, and with the output of\n"
    "the same networks before training.", entries);

  urb_cli_sampler_options_add (&options.sampler, context);
  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (!check (&options, argc))
    return URB_EXIT_USAGE;
  return options.score != NULL   ? score_blind (&options)
         : options.blind != NULL ? write_blind (&options, argv[1])
                                 : run (&options, options.images != NULL ? NULL : argv[1]);
}
