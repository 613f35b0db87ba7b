/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.c - `urbarium-engine plan`: what a preset weighs and costs.
 */
#include "base/json-build.h"
#include "cli/cli.h"
#include "cli/preflight.h"
#include "cli/run-args.h"
#include "kernels/uk.h"
#include "train/bench.h"

static void
print_json (const UrbTrainOptions *options, const UrbPreflight *preflight)
{
  const UrbPlan *plan = &preflight->first;
  gint64 available = preflight->findings[URB_RESOURCE_MEMORY].available;
  JsonBuilder *json = urb_json_new ();

  urb_json_add_string (json, "preset", plan->preset);
  urb_json_add_string (json, "device", options->backend);
  urb_json_add_string (json, "precision", uk_precision_name (options->precision));
  urb_json_add_int (json, "size_px", plan->size_px);
  urb_json_add_int (json, "channels", plan->n_channels);
  urb_json_add_int (json, "latent", plan->n_latent);
  urb_json_add_int (json, "batch", plan->batch);
  urb_json_add_int (json, "parameters_g", plan->n_params_g);
  urb_json_add_int (json, "parameters_d", plan->n_params_d);
  urb_json_add_int (json, "parameters_refiner", plan->n_params_refiner);
  urb_json_add_double (json, "flop_per_image", plan->flops_per_image);
  urb_json_add_double (json, "flop_per_sample", plan->flops_per_sample);
  urb_json_add_int (json, "instructions", plan->n_instructions);
  urb_json_add_int (json, "bytes_weights", plan->bytes_weights);
  urb_json_add_int (json, "bytes_moments", plan->bytes_moments);
  urb_json_add_int (json, "bytes_ema", plan->bytes_ema);
  urb_json_add_int (json, "bytes_packed", plan->bytes_packed);
  urb_json_add_int (json, "bytes_work", plan->bytes_work);
  urb_json_add_int (json, "bytes_work_least", plan->bytes_work_least);
  urb_json_add_int (json, "bytes_io", plan->bytes_io);
  urb_json_add_int (json, "bytes_sampler", plan->bytes_sampler);
  urb_json_add_int (json, "bytes_loader", plan->bytes_loader);
  urb_json_add_int (json, "bytes_total", plan->bytes_total);
  urb_json_add_int (json, "bytes_shared", plan->bytes_shared);
  urb_json_add_int (json, "bytes_checkpoint", plan->bytes_checkpoint);
  if (available != G_MAXINT64)
    urb_json_add_int (json, "bytes_available", available);
  urb_cli_preflight_build_json (json, preflight);
  urb_cli_print_json (json);
}

static void
print_bytes (const char *name, gint64 bytes)
{
  g_print ("  %-38s %10.1f MiB\n", name, (double) bytes / (1 << 20));
}

static void
print_text (const UrbPreflight *preflight)
{
  const UrbPlan *plan = &preflight->first;

  g_print ("%s: %d x %d px, %d channel%s, %d latent numbers, batch %" G_GINT64_FORMAT "\n\n",
           plan->preset, plan->size_px, plan->size_px, plan->n_channels,
           plan->n_channels == 1 ? "" : "s", plan->n_latent, plan->batch);
  g_print ("Parameters\n  %-38s %'14" G_GINT64_FORMAT "\n  %-38s %'14" G_GINT64_FORMAT "\n",
           "generator", plan->n_params_g, "discriminator", plan->n_params_d);
  if (plan->n_params_refiner > 0)
    g_print ("  %-38s %'14" G_GINT64_FORMAT "\n", "refiner", plan->n_params_refiner);
  g_print ("\n");
  g_print ("Work\n  %-38s %10.3f GFLOP\n  %-38s %10.3f GFLOP\n  %-38s %10u\n\n",
           "training, per real image", plan->flops_per_image * 1e-9,
           "generating, per city", plan->flops_per_sample * 1e-9,
           "instructions of a step", plan->n_instructions);
  g_print (preflight->n_ranks == 1 ? "Memory of a run, exact\n" : "Memory of the first rank, exact\n");
  print_bytes ("weights", plan->bytes_weights);
  print_bytes ("Adam's moments", plan->bytes_moments);
  print_bytes ("averaged generator (EMA)", plan->bytes_ema);
  print_bytes ("packed weights, kept", plan->bytes_packed);
  print_bytes ("activations, gradients, scratch", plan->bytes_work);
  print_bytes ("  needed at once", plan->bytes_work_least);
  print_bytes ("inputs and outputs", plan->bytes_io);
  print_bytes ("drawing samples", plan->bytes_sampler);
  print_bytes ("batches of tiles", plan->bytes_loader);
  print_bytes ("sum", plan->bytes_total);
  if (plan->bytes_shared > 0)
    print_bytes ("shared by all ranks", plan->bytes_shared);
  g_print ("\n");
  urb_cli_preflight_print (preflight);
}

/* As if the run's folder were made here, and kept as by default. */
static gboolean
make_preflight (const UrbTrainOptions *options, UrbPreflight *out, GError **error)
{
  g_auto(UrbRunConfig) config = { 0 };
  UrbKeeping keeping = { 0 };
  UrbLimits limits;

  urb_run_config_init (&config);
  keeping.keep_checkpoints = config.keep_checkpoints;
  urb_limits_read (&limits, ".");
  return urb_limits_read_device (&limits, options, error)
         && urb_preflight_make (options, &keeping, &limits, out, error);
}

int
urb_cli_plan (int argc, char **argv)
{
  g_auto(UrbCliRunArgs) settings = { 0 };
  g_auto(UrbRunConfig) config = { 0 };
  const UrbTrainOptions *options = &config.train;
  g_auto(UrbPreflight) preflight = { 0 };
  g_autoptr(GError) error = NULL;
  g_autofree char *tensors_text = NULL;
  gboolean json = FALSE, tensors = FALSE;
  const GOptionEntry entries[] = {
    { "tensors", 0, 0, G_OPTION_ARG_NONE, &tensors, "List every tensor of both networks", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON", NULL },
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = urb_cli_options_new (
    NULL, "Shows a preset's parameters, the work of a step and the exact memory that a run takes, "
    "without starting one.", entries);

  urb_cli_run_args_init (&settings, URB_SETTING_PLAN);
  urb_cli_run_args_add (&settings, context);
  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (argc > 1)
    return urb_cli_fail_usage ("unexpected argument “%s”", argv[1]);
  urb_run_config_init (&config);
  if (!urb_cli_run_args_apply (&settings, &config, &error)
      || !urb_cli_run_args_resolve (&settings, &config, NULL, NULL, &error)
      || !make_preflight (options, &preflight, &error))
    return urb_cli_fail (error);
  urb_cli_warn_of_cache (options->backend);
  if (tensors)
    {
      tensors_text = urb_plan_dup_tensors (options, &error);
      if (tensors_text == NULL)
        return urb_cli_fail (error);
      g_print ("%s\n", tensors_text);
    }
  if (json)
    print_json (options, &preflight);
  else
    print_text (&preflight);
  /* JSON contains the verdict, so a program needs no exit code for it. */
  return preflight.fit == URB_FIT_NO && !json ? URB_EXIT_DOES_NOT_FIT : URB_EXIT_OK;
}
