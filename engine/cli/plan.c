/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.c - `urbarium-engine plan`: what a preset weighs and costs.
 */
#include <json-glib/json-glib.h>

#include "cli/cli.h"
#include "cli/network-options.h"
#include "train/bench.h"
#include "train/memory.h"

static void
add_int (JsonBuilder *builder, const char *name, gint64 value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

static void
add_double (JsonBuilder *builder, const char *name, double value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, value);
}

static void
print_json (const UrbPlan *plan)
{
  g_autoptr(JsonBuilder) builder = json_builder_new ();
  g_autoptr(JsonNode) root = NULL;
  g_autofree char *text = NULL;

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "preset");
  json_builder_add_string_value (builder, plan->preset);
  add_int (builder, "size_px", plan->size_px);
  add_int (builder, "channels", plan->n_channels);
  add_int (builder, "latent", plan->n_latent);
  add_int (builder, "batch", plan->batch);
  add_int (builder, "parameters_g", plan->n_params_g);
  add_int (builder, "parameters_d", plan->n_params_d);
  add_double (builder, "flop_per_image", plan->flops_per_image);
  add_double (builder, "flop_per_sample", plan->flops_per_sample);
  add_int (builder, "instructions", plan->n_instructions);
  add_int (builder, "bytes_weights", plan->bytes_weights);
  add_int (builder, "bytes_gradients", plan->bytes_gradients);
  add_int (builder, "bytes_moments", plan->bytes_moments);
  add_int (builder, "bytes_ema", plan->bytes_ema);
  add_int (builder, "bytes_packed", plan->bytes_packed);
  add_int (builder, "bytes_activations", plan->bytes_activations);
  add_int (builder, "bytes_scratch", plan->bytes_scratch);
  add_int (builder, "bytes_io", plan->bytes_io);
  add_int (builder, "bytes_total", plan->bytes_total);
  add_int (builder, "bytes_available", urb_memory_get_available ());
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  text = json_to_string (root, TRUE);
  g_print ("%s\n", text);
}

static void
print_bytes (const char *name, gint64 bytes)
{
  g_print ("  %-38s %10.1f MiB\n", name, (double) bytes / (1 << 20));
}

static void
print_text (const UrbPlan *plan)
{
  gint64 available = urb_memory_get_available ();

  g_print ("%s: %d x %d px, %d channel%s, %d latent numbers, batch %" G_GINT64_FORMAT "\n\n",
           plan->preset, plan->size_px, plan->size_px, plan->n_channels,
           plan->n_channels == 1 ? "" : "s", plan->n_latent, plan->batch);
  g_print ("Parameters\n  %-38s %'14" G_GINT64_FORMAT "\n  %-38s %'14" G_GINT64_FORMAT "\n\n",
           "generator", plan->n_params_g, "discriminator", plan->n_params_d);
  g_print ("Work\n  %-38s %10.3f GFLOP\n  %-38s %10.3f GFLOP\n  %-38s %10u\n\n",
           "training, per real image", plan->flops_per_image * 1e-9,
           "generating, per city", plan->flops_per_sample * 1e-9,
           "instructions of a step", plan->n_instructions);
  g_print ("Memory of a run, exact\n");
  print_bytes ("weights", plan->bytes_weights);
  print_bytes ("gradients", plan->bytes_gradients);
  print_bytes ("Adam's moments", plan->bytes_moments);
  print_bytes ("averaged generator (EMA)", plan->bytes_ema);
  print_bytes ("packed weights", plan->bytes_packed);
  print_bytes ("activations", plan->bytes_activations);
  print_bytes ("scratch", plan->bytes_scratch);
  print_bytes ("inputs and outputs", plan->bytes_io);
  print_bytes ("sum", plan->bytes_total);
  if (available != G_MAXINT64)
    g_print ("  %s: %.1f MiB are free\n", plan->bytes_total <= available ? "It fits" : "It does NOT fit",
             (double) available / (1 << 20));
}

int
urb_cli_plan (int argc, char **argv)
{
  g_auto(UrbCliNetworkOptions) network = { 0 };
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbPlan) plan = { 0 };
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) entries = urb_cli_network_options_get_entries (&network);
  g_autofree char *tensors_text = NULL;
  gboolean json = FALSE, tensors = FALSE;
  const GOptionEntry own[] = {
    { "tensors", 0, 0, G_OPTION_ARG_NONE, &tensors, "List every tensor of both networks", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON", NULL },
  };

  g_array_append_vals (entries, own, G_N_ELEMENTS (own));
  if (!urb_cli_parse (&argc, &argv, (const GOptionEntry *) (gpointer) entries->data, "",
                      "Shows a preset's parameters, the work of a step and the exact memory that a "
                      "run takes, without starting one."))
    return URB_EXIT_USAGE;
  if (argc > 1)
    return urb_cli_fail_usage ("plan", "there is nothing to do with “%s”", argv[1]);
  urb_train_options_init (&options);
  if (!urb_cli_network_options_apply (&network, &options, &error)
      || !urb_plan_make (&options, &plan, &error))
    return urb_cli_fail ("plan", error);
  if (tensors)
    {
      tensors_text = urb_plan_dup_tensors (&options, &error);
      if (tensors_text == NULL)
        return urb_cli_fail ("plan", error);
      g_print ("%s\n", tensors_text);
    }
  if (json)
    print_json (&plan);
  else
    print_text (&plan);
  return URB_EXIT_OK;
}
