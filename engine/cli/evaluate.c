/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate.c - urbarium-engine evaluate: compares generated cities with real areas.
 */
#include <stdio.h>

#include "city/evaluate.h"
#include "cli/cli.h"
#include "cli/sampler-options.h"

typedef struct
{
  char    *dataset, *report; /* owned */
  gint64   count, seed;
  gboolean json, values, progress;
  UrbCliSamplerOptions sampler;
} Options;

static void
options_clear (Options *self)
{
  g_free (self->dataset);
  g_free (self->report);
  urb_cli_sampler_options_clear (&self->sampler);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static int
run (const Options *given, const char *checkpoint)
{
  UrbEvaluateOptions options = { .checkpoint = checkpoint, .dataset = given->dataset,
                                 .count = given->count, .seed = (guint64) given->seed };
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

int
urb_cli_evaluate (int argc, char **argv)
{
  g_auto(Options) options = { .count = 256, .seed = 1 };
  const GOptionEntry entries[] = {
    { "dataset", 'd', 0, G_OPTION_ARG_FILENAME, &options.dataset,
      "Compare with the test areas of this dataset (that of the checkpoint)", "FILE" },
    { "count", 'n', 0, G_OPTION_ARG_INT64, &options.count, "Number of cities to generate (256)",
      "N" },
    { "seed", 's', 0, G_OPTION_ARG_INT64, &options.seed, "The same seed gives the same result (1)",
      "S" },
    { "report", 'r', 0, G_OPTION_ARG_FILENAME, &options.report,
      "Also write tables, distributions and sample grids to this folder", "FOLDER" },
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
  if (argc != 2)
    return urb_cli_fail_usage ("specify a run folder or a checkpoint");
  if (options.count < 4 || options.count > 1000000)
    return urb_cli_fail_usage ("--count must be 4 to 1000000");
  if (options.values && !options.json)
    return urb_cli_fail_usage ("--values requires --json");
  return run (&options, argv[1]);
}
