/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.c - `urbarium-engine bench`: images per second, and where the time goes.
 */
#include <math.h>

#include "base/json-build.h"
#include "cli/ab.h"
#include "cli/cli.h"
#include "cli/run-args.h"
#include "train/bench.h"

static void
print_json (const UrbBench *bench)
{
  g_autoptr(JsonBuilder) json = json_builder_new ();
  g_autofree char *text = NULL;
  const struct { const char *name; double value; } numbers[] = {
    { "images_per_second", bench->images_per_second },
    { "seconds_median", bench->seconds_median },
    { "seconds_min", bench->seconds_min },
    { "seconds_max", bench->seconds_max },
    { "seconds_to_first_step", bench->seconds_to_first_step },
    { "flop_per_second", bench->flops_per_second },
    { "peak_flop_per_second", bench->peak_flops },
    { "peak_copy_bytes_per_second", bench->peak_copy },
    { "peak_rss_bytes", (double) bench->peak_rss_bytes },
    { "batch", bench->options.batch },
    { "ranks", bench->options.n_ranks },
    { "threads", bench->n_threads },
    { "steps", bench->n_steps },
  };

  urb_json_begin_object (json, NULL);
  urb_json_add_string (json, "preset", bench->options.preset);
  urb_json_add_string (json, "recipe", bench->options.recipe);
  urb_json_add_string (json, "device", bench->options.backend);
  urb_json_add_string (json, "precision",
                       uk_precision_name (bench->options.precision));
  urb_json_add_string (json, "strategy", urb_strategy_get_name (bench->options.strategy));
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    urb_json_add_double (json, numbers[i].name, numbers[i].value);
  if (bench->profile != NULL)
    urb_json_add_string (json, "profile", bench->profile);
  urb_json_end_object (json);
  text = urb_json_dup_text (json);
  g_print ("%s\n", text);
}

static void
print_text (const UrbBench *bench)
{
  const UrbTrainOptions *options = &bench->options;

  g_print ("%s, recipe %s, batch %d, %s, %s:%d on %d thread%s: %.1f images/s\n", options->preset,
           options->recipe, options->batch, uk_precision_name (options->precision),
           urb_strategy_get_name (options->strategy), options->n_ranks, bench->n_threads,
           bench->n_threads == 1 ? "" : "s", bench->images_per_second);
  g_print ("a step: median %.2f ms, from %.2f to %.2f ms over %d steps\n",
           bench->seconds_median * 1e3, bench->seconds_min * 1e3, bench->seconds_max * 1e3,
           bench->n_steps);
  g_print ("%.1f GFLOP/s, %.0f %% of the measured peak of %.1f; copy %.1f GB/s; at most %.0f MiB\n",
           bench->flops_per_second * 1e-9, 100 * bench->flops_per_second / bench->peak_flops,
           bench->peak_flops * 1e-9, bench->peak_copy * 1e-9,
           (double) bench->peak_rss_bytes / (1 << 20));
  if (bench->seconds_to_first_step > 0)
    g_print ("first step done %.2f s after the start\n", bench->seconds_to_first_step);
  if (bench->profile != NULL)
    g_print ("\n%s", bench->profile);
}

/* ------------------------------------------------------------------------ */
/* --ab                                                                      */

typedef struct
{
  char  *first, *dataset, *out; /* owned */
  double minutes;
  int    n_seeds, n_evaluations;
  gint64 count;
} AbOptions;

static void
ab_options_clear (AbOptions *self)
{
  g_free (self->first);
  g_free (self->dataset);
  g_free (self->out);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AbOptions, ab_options_clear)

static gboolean
complain (const char *what)
{
  urb_cli_fail_usage ("bench", "%s", what);
  return FALSE;
}

static gboolean
check_ab (const AbOptions *self, const UrbCliRunArgs *settings, int argc)
{
  if (argc != 2)
    return complain ("--ab compares two, as in --ab hogwild:2 single");
  if (self->dataset == NULL || self->out == NULL)
    return complain ("--ab needs --dataset FILE and --out DIR");
  if (urb_setting_args_given (settings->args, "strategy")
      || urb_setting_args_given (settings->args, "ranks"))
    return complain ("--ab has the strategies itself; write options of one as in "
                     "--ab 'hogwild:2 --full-lr' single");
  if (!isfinite (self->minutes) || self->minutes <= 0)
    return complain ("--minutes must be a number of minutes");
  if (self->n_seeds < 1 || self->n_seeds > 1000 || self->n_evaluations < 3
      || self->n_evaluations > 10000 || self->count < 4 || self->count > 1000000)
    return complain ("--seeds must be at least 1, --evaluations at least 3, --count at least 4");
  return TRUE;
}

static int
run_ab (const AbOptions *self, const UrbCliRunArgs *settings, const UrbTrainOptions *train,
        const char *second, gboolean json)
{
  g_auto(GStrv) options = urb_setting_args_dup_words (settings->args);

  return urb_cli_ab_run (&(UrbCliAb) {
    .arms = { self->first, second },
    .options = options,
    .train = train,
    .dataset = self->dataset,
    .out = self->out,
    .minutes = self->minutes,
    .n_seeds = self->n_seeds,
    .n_evaluations = self->n_evaluations,
    .count = self->count,
    .json = json,
  });
}

/* ------------------------------------------------------------------------ */

int
urb_cli_bench (int argc, char **argv)
{
  g_auto(AbOptions) ab = { .minutes = 10, .n_seeds = 3, .n_evaluations = 12, .count = 256 };
  g_auto(UrbCliRunArgs) settings = { 0 };
  g_auto(UrbRunConfig) config = { 0 };
  const UrbTrainOptions *options = &config.train;
  g_auto(UrbBench) bench = { 0 };
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) entries = NULL;
  gboolean json = FALSE, profile = FALSE;
  int n_steps = 20, n_warmup = 3;
  const GOptionEntry own[] = {
    { "steps", 0, 0, G_OPTION_ARG_INT, &n_steps, "Steps that count (20)", "N" },
    { "warmup", 0, 0, G_OPTION_ARG_INT, &n_warmup, "Steps before them that don't (3)", "N" },
    { "profile", 0, 0, G_OPTION_ARG_NONE, &profile, "Time every instruction too", NULL },
    { "ab", 0, 0, G_OPTION_ARG_STRING, &ab.first,
      "Compare two ways to train by the time until cities are good: --ab hogwild:2 single", "A B" },
    { "dataset", 0, 0, G_OPTION_ARG_FILENAME, &ab.dataset, "--ab: what to learn from", "FILE" },
    { "out", 0, 0, G_OPTION_ARG_FILENAME, &ab.out, "--ab: folder for runs and results", "DIR" },
    { "minutes", 0, 0, G_OPTION_ARG_DOUBLE, &ab.minutes, "--ab: of each training (10)", "M" },
    { "seeds", 0, 0, G_OPTION_ARG_INT, &ab.n_seeds, "--ab: trainings of each (3)", "N" },
    { "evaluations", 0, 0, G_OPTION_ARG_INT, &ab.n_evaluations,
      "--ab: evaluations on the way (12)", "N" },
    { "count", 0, 0, G_OPTION_ARG_INT64, &ab.count, "--ab: cities of an evaluation (256)", "N" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON", NULL },
  };

  urb_cli_run_args_init (&settings, URB_SETTING_BENCH);
  entries = urb_cli_run_args_get_entries (&settings);
  g_array_append_vals (entries, own, G_N_ELEMENTS (own));
  if (!urb_cli_parse (&argc, &argv, (const GOptionEntry *) (gpointer) entries->data, "",
                      "Measures training steps on random tiles against the measured peaks of this "
                      "machine."))
    return URB_EXIT_USAGE;
  if (ab.first != NULL && !check_ab (&ab, &settings, argc))
    return URB_EXIT_USAGE;
  if (argc > 1 && ab.first == NULL)
    return urb_cli_fail_usage ("bench", "there is nothing to do with “%s”", argv[1]);
  if (n_steps < 1 || n_steps > 1000000 || n_warmup < 0 || n_warmup > 1000000)
    return urb_cli_fail_usage ("bench", "--steps must be at least 1, --warmup at least 0");
  urb_run_config_init (&config);
  if (!urb_cli_run_args_apply (&settings, &config, &error))
    return urb_cli_fail ("bench", error);
  if (ab.first != NULL)
    return run_ab (&ab, &settings, options, argv[1], json);
  urb_cli_warn_of_cache ("bench", options->backend);
  if (!urb_bench_run (options, n_warmup, n_steps, profile, urb_cli_get_cancellable (), &bench,
                         &error))
    return urb_cli_fail ("bench", error);
  if (json)
    print_json (&bench);
  else
    print_text (&bench);
  return URB_EXIT_OK;
}
