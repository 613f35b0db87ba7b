/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.c - `urbarium-engine bench`: images per second, and where the time goes.
 */
#include <math.h>

#include "base/json-build.h"
#include "cli/ab.h"
#include "cli/bench-run.h"
#include "cli/cli.h"
#include "cli/run-args.h"
#include "kernels/uk.h"
#include "step/interpreter.h"
#include "train/bench.h"

static void
add_layers (JsonBuilder *json, GArray *layers)
{
  json_builder_set_member_name (json, "layers");
  json_builder_begin_array (json);
  for (guint i = 0; i < layers->len; i++)
    {
      const UrbLayerTiming *timing = &g_array_index (layers, UrbLayerTiming, i);

      json_builder_begin_object (json);
      urb_json_add_string (json, "net", timing->net);
      urb_json_add_int (json, "layer", timing->layer);
      urb_json_add_double (json, "seconds", timing->seconds);
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
}

static void
print_json (const UrbBench *bench)
{
  JsonBuilder *json = urb_json_new ();
  const struct { const char *name; double value; } numbers[] = {
    { "images_per_second", bench->images_per_second },
    { "seconds_median", bench->seconds_median },
    { "seconds_min", bench->seconds_min },
    { "seconds_max", bench->seconds_max },
    { "seconds_to_first_step", bench->seconds_to_first_step },
    { "flop_per_second", bench->flops_per_second },
    { "peak_flop_per_second", bench->peak_flops },
    { "peak_copy_bytes_per_second", bench->peak_copy },
    { "peak_rss_bytes", bench->peak_rss_bytes > 0 ? (double) bench->peak_rss_bytes : NAN },
    { "batch", bench->options.batch },
    { "ranks", bench->options.n_ranks },
    { "threads", bench->n_threads },
    { "steps", bench->n_steps },
  };

  urb_json_add_string (json, "preset", bench->options.preset);
  urb_json_add_string (json, "recipe", bench->options.recipe);
  urb_json_add_string (json, "device", bench->options.backend);
  urb_json_add_string (json, "precision",
                       uk_precision_name (bench->options.precision));
  urb_json_add_string (json, "strategy", urb_strategy_names[bench->options.strategy]);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    urb_json_add_double (json, numbers[i].name, numbers[i].value);
  if (bench->slow != NULL)
    urb_json_add_string (json, "slow", bench->slow);
  if (bench->profile != NULL)
    {
      urb_json_add_string (json, "profile", bench->profile);
      urb_json_add_double (json, "profiled_seconds", bench->profiled_seconds);
      add_layers (json, bench->layers);
    }
  urb_cli_print_json (json);
}

static void
print_text (const UrbBench *bench)
{
  const UrbTrainOptions *options = &bench->options;

  g_print ("%s, recipe %s, batch %d, %s, %s:%d on %d thread%s: %.1f images/s\n", options->preset,
           options->recipe, options->batch, uk_precision_name (options->precision),
           urb_strategy_names[options->strategy], options->n_ranks, bench->n_threads,
           bench->n_threads == 1 ? "" : "s", bench->images_per_second);
  if (isnan (bench->seconds_median))
    return; /* a run tells no more */
  g_print ("a step: median %.2f ms, from %.2f to %.2f ms over %d steps\n",
           bench->seconds_median * 1e3, bench->seconds_min * 1e3, bench->seconds_max * 1e3,
           bench->n_steps);
  g_print ("%.1f GFLOP/s, %.0f %% of the measured peak of %.1f; copy %.1f GB/s; at most %.0f MiB\n",
           bench->flops_per_second * 1e-9, 100 * bench->flops_per_second / bench->peak_flops,
           bench->peak_flops * 1e-9, bench->peak_copy * 1e-9,
           (double) bench->peak_rss_bytes / (1 << 20));
  if (bench->seconds_to_first_step > 0)
    g_print ("first step done %.2f s after the start\n", bench->seconds_to_first_step);
  if (bench->slow != NULL)
    g_print ("%s\n", bench->slow);
  if (bench->profile != NULL)
    g_print ("\n%s", bench->profile);
}

int
urb_cli_bench (int argc, char **argv)
{
  g_auto(UrbCliAb) ab = URB_CLI_AB_DEFAULTS;
  g_auto(UrbCliRunArgs) settings = { 0 };
  g_auto(UrbRunConfig) config = { 0 };
  const UrbTrainOptions *options = &config.train;
  g_auto(UrbBench) bench = { 0 };
  g_autoptr(GError) error = NULL;
  gboolean json = FALSE, profile = FALSE;
  int n_steps = 20, n_warmup = 3;
  const GOptionEntry entries[] = {
    { "steps", 0, 0, G_OPTION_ARG_INT, &n_steps, "Steps that count (20)", "N" },
    { "warmup", 0, 0, G_OPTION_ARG_INT, &n_warmup, "Steps before them that don't (3)", "N" },
    { "profile", 0, 0, G_OPTION_ARG_NONE, &profile, "Time every instruction too", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON", NULL },
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = urb_cli_options_new (
    NULL, "Measures training steps on random tiles against the measured peaks of this machine.",
    entries);
  const char *mistake;

  urb_cli_ab_add (&ab, context);
  urb_cli_run_args_init (&settings, URB_SETTING_BENCH);
  urb_cli_run_args_add (&settings, context);
  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  mistake = ab.first != NULL || ab.again != NULL ? urb_cli_ab_find_mistake (&ab, &settings, argc) : NULL;
  if (mistake != NULL)
    return urb_cli_fail_usage ("%s", mistake);
  if (argc > 1 && ab.first == NULL)
    return urb_cli_fail_usage ("unexpected argument “%s”", argv[1]);
  if (n_steps < 1 || n_steps > 1000000 || n_warmup < 0 || n_warmup > 1000000)
    return urb_cli_fail_usage ("--steps must be at least 1, --warmup at least 0");
  if (ab.again != NULL)
    return urb_cli_ab_continue (&ab, json);
  urb_run_config_init (&config);
  if (!urb_cli_run_args_apply (&settings, &config, &error))
    return urb_cli_fail (error);
  if (ab.first != NULL)
    return urb_cli_ab_run (&ab, argv[1], &config, json);
  if (config.train.strategy == URB_STRATEGY_HOGWILD && ab.dataset != NULL)
    {
      g_free (config.train.dataset);
      config.train.dataset = g_strdup (ab.dataset);
    }
  if (!urb_cli_run_args_resolve (&settings, &config, NULL, NULL, &error))
    return urb_cli_fail (error);
  urb_cli_warn_of_cache (options->backend);
  /* The ranks of hogwild are processes of a run, which needs a dataset. */
  if (options->strategy == URB_STRATEGY_HOGWILD && options->dataset != NULL
        ? !urb_cli_bench_run (&config, n_warmup + n_steps, urb_cli_get_cancellable (), &bench, &error)
        : !urb_bench_run (options, n_warmup, n_steps, profile, urb_cli_get_cancellable (), &bench, &error))
    return urb_cli_fail (error);
  if (json)
    print_json (&bench);
  else
    print_text (&bench);
  return URB_EXIT_OK;
}
