/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.c - `urbarium-engine plan`: what a preset weighs and costs.
 */
#include "base/json-build.h"
#include "cli/cli.h"
#include "cli/plan-forecast.h"
#include "cli/plan-roofline.h"
#include "cli/preflight.h"
#include "cli/run-args.h"
#include "kernels/uk.h"
#include "train/bench.h"

/* Whose roofline is shown where none is asked for. */
#define DEFAULT_GPU "h200"

static void
print_json (const UrbTrainOptions *options, const UrbPreflight *preflight, const UrbForecast *forecast,
            const UrbCliRoofline *roofline)
{
  const UrbPlan *plan = preflight->plans->pdata[0];
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
  urb_json_add_int (json, "bytes_outside", plan->bytes_outside);
  urb_json_add_int (json, "bytes_checkpoint", plan->bytes_checkpoint);
  if (available != G_MAXINT64)
    urb_json_add_int (json, "bytes_available", available);
  if (forecast != NULL)
    urb_cli_forecast_build_json (json, forecast, preflight);
  if (roofline != NULL)
    {
      urb_json_begin_object (json, "roofline");
      urb_cli_roofline_build_json (roofline, json);
      urb_json_end_object (json);
    }
  urb_cli_preflight_build_json (json, preflight);
  urb_cli_print_json (json);
}

static void
print_bytes (const char *name, gint64 bytes)
{
  g_print ("  %-38s %10.1f MiB\n", name, (double) bytes / (1 << 20));
}

static void
print_text (const UrbPreflight *preflight, const UrbForecast *forecast, const UrbCliRoofline *roofline)
{
  const UrbPlan *plan = preflight->plans->pdata[0];
  g_autofree char *slow = NULL;

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
  if (plan->bytes_outside > 0)
    print_bytes ("outside: moments and average", plan->bytes_outside);
  g_print ("\n");
  if (forecast != NULL)
    urb_cli_forecast_print (forecast, preflight);
  if (roofline != NULL)
    {
      urb_cli_roofline_print (roofline);
      g_print ("\n");
    }
  slow = urb_program_dup_slow (plan->compiled->program, plan->compiled->backend);
  if (slow != NULL)
    g_print ("%s\n\n", slow);
  urb_cli_preflight_print (preflight);
}

/* "12GiB", "500MiB", "8GB". */
static gboolean
parse_bytes (const char *text, gint64 *out)
{
  static const struct { const char *name; double bytes; } units[] = {
    { "KiB", 1 << 10 }, { "MiB", 1 << 20 }, { "GiB", 1 << 30 }, { "TiB", 1024.0 * (1 << 30) },
    { "kB", 1e3 }, { "MB", 1e6 }, { "GB", 1e9 }, { "TB", 1e12 }, { "B", 1 },
  };
  char *end;
  double value = g_ascii_strtod (text, &end);

  if (end == text || !(value > 0))
    return FALSE;
  while (*end == ' ')
    end++;
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (g_ascii_strcasecmp (end, units[i].name) == 0 && value * units[i].bytes < 1e18)
      {
        *out = (gint64) (value * units[i].bytes);
        return TRUE;
      }
  return FALSE;
}

/* What is asked of the machine, apart from the options of the run. */
typedef struct
{
  char    *memory, *simulate, *roofline; /* owned, nullable */
  gboolean calibrate, recommend, estimate, json, tensors;
} Question;

static void
question_clear (Question *self)
{
  g_free (self->memory);
  g_free (self->simulate);
  g_free (self->roofline);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Question, question_clear)

/* As if the run's folder were made here, and kept as by default. */
static gboolean
read_limits (const Question *self, const UrbTrainOptions *options, UrbKeeping *keeping, UrbLimits *limits,
             GError **error)
{
  g_auto(UrbRunConfig) config = { 0 };

  urb_run_config_init (&config);
  *keeping = (UrbKeeping) { .keep_checkpoints = config.keep_checkpoints };
  urb_limits_read (limits, ".");
  if (self->memory == NULL)
    return urb_limits_read_device (limits, options, error);
  if (!parse_bytes (self->memory, &limits->available[URB_RESOURCE_MEMORY]))
    return urb_options_fail (error, "“%s” is no amount of memory; write for example --memory 12GiB.",
                             self->memory);
  return TRUE;
}

/* `plan --roofline`: nothing of this machine is asked. */
static int
show_roofline (const Question *self, const UrbTrainOptions *options)
{
  g_autoptr(GError) error = NULL;
  UrbCliRoofline roofline;

  if (!urb_cli_roofline_make (options, self->roofline, &roofline, &error))
    return urb_cli_fail (error);
  if (self->json)
    {
      JsonBuilder *json = urb_json_new ();

      urb_cli_roofline_build_json (&roofline, json);
      urb_cli_print_json (json);
    }
  else
    urb_cli_roofline_print (&roofline);
  return URB_EXIT_OK;
}

static int
answer (const Question *self, const UrbTrainOptions *options)
{
  g_auto(UrbPreflight) preflight = { 0 };
  g_auto(UrbForecast) forecast = { 0 };
  g_autoptr(GError) error = NULL;
  g_autofree char *tensors = NULL;
  UrbCalibrate calibrate = self->calibrate ? URB_CALIBRATE_MISSING : URB_CALIBRATE_NEVER;
  UrbKeeping keeping;
  UrbLimits limits;
  gboolean fits, on_gpu = !urb_device_is_host (options->backend);
  UrbCliRoofline roofline;

  if (self->simulate != NULL)
    return urb_cli_plan_simulate (options, self->simulate, self->json);
  if (self->roofline != NULL)
    return show_roofline (self, options);
  if (!read_limits (self, options, &keeping, &limits, &error))
    return urb_cli_fail (error);
  if (self->recommend)
    return urb_cli_plan_recommend (options, &keeping, &limits,
                                   self->estimate ? URB_CALIBRATE_NEVER : URB_CALIBRATE_MISSING, self->json);
  if (!urb_preflight_make (options, &keeping, &limits, &preflight, &error))
    return urb_cli_fail (error);
  fits = preflight.fit != URB_FIT_NO;
  if (!urb_forecast_run (options, &preflight, fits ? calibrate : URB_CALIBRATE_NEVER,
                         urb_cli_get_cancellable (), &forecast, &error)
      || (on_gpu && !urb_cli_roofline_make (options, DEFAULT_GPU, &roofline, &error)))
    return urb_cli_fail (error);
  urb_cli_warn_of_cache (options->backend);
  if (self->tensors)
    {
      tensors = urb_plan_dup_tensors (options, &error);
      if (tensors == NULL)
        return urb_cli_fail (error);
      g_print ("%s\n", tensors);
    }
  if (self->json)
    print_json (options, &preflight, &forecast, on_gpu ? &roofline : NULL);
  else
    print_text (&preflight, &forecast, on_gpu ? &roofline : NULL);
  /* JSON contains the verdict, so a program needs no exit code for it. */
  return !fits && !self->json ? URB_EXIT_DOES_NOT_FIT : URB_EXIT_OK;
}

int
urb_cli_plan (int argc, char **argv)
{
  g_auto(UrbCliRunArgs) settings = { 0 };
  g_auto(UrbRunConfig) config = { 0 };
  g_auto(Question) question = { 0 };
  g_autoptr(GError) error = NULL;
  const GOptionEntry entries[] = {
    { "calibrate", 0, 0, G_OPTION_ARG_NONE, &question.calibrate,
      "Measure what the operations take on this machine, unless that is known", NULL },
    { "recommend", 0, 0, G_OPTION_ARG_NONE, &question.recommend,
      "Measure and forecast all strategies, and name the best", NULL },
    { "estimate", 0, 0, G_OPTION_ARG_NONE, &question.estimate,
      "With --recommend: estimate what was not measured before, instead of measuring it", NULL },
    { "simulate", 0, 0, G_OPTION_ARG_STRING, &question.simulate,
      "Forecast how the strategy scales on another machine: hosts=64,gpus=8,tflops=200,link=400", "MACHINE" },
    { "roofline", 0, 0, G_OPTION_ARG_STRING, &question.roofline,
      "Show what a step costs at least on a GPU, which need not be here: h200, h100, or what yours reaches, as "
      "in tflops=700,tbytes=4.1", "GPU" },
    { "memory", 0, 0, G_OPTION_ARG_STRING, &question.memory,
      "Ask for a machine with this memory, such as 12GiB, instead of this one", "SIZE" },
    { "tensors", 0, 0, G_OPTION_ARG_NONE, &question.tensors, "List every tensor of both networks", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &question.json, "Print JSON", NULL },
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = urb_cli_options_new (
    NULL, "Shows a preset's parameters, the work of a step, the exact memory that a run takes and a "
    "forecast of its speed, without starting one.", entries);

  urb_cli_run_args_init (&settings, URB_SETTING_PLAN);
  urb_cli_run_args_add (&settings, context);
  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (argc > 1)
    return urb_cli_fail_usage ("unexpected argument “%s”", argv[1]);
  if (question.roofline != NULL
      && (question.memory != NULL || question.simulate != NULL || question.calibrate || question.recommend
          || question.tensors))
    return urb_cli_fail_usage ("--roofline asks nothing of this machine; omit --memory, --simulate, --calibrate, "
                               "--recommend and --tensors, or ask them without it");
  urb_run_config_init (&config);
  if (!urb_cli_run_args_apply (&settings, &config, &error)
      || !urb_cli_run_args_resolve (&settings, &config, NULL, NULL, &error))
    return urb_cli_fail (error);
  return answer (&question, &config.train);
}
