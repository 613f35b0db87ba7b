/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-roofline.c - see plan-roofline.h.
 */
#include "cli/plan-roofline.h"

#include "base/json-build.h"
#include "train/bench.h"

/* Of the bytes between convolutions: operations with less have no row. */
static const double SMALL_SHARE = 0.01;

gboolean
urb_cli_roofline_make (const UrbTrainOptions *options, const char *gpu, UrbCliRoofline *out, GError **error)
{
  g_auto(UrbTrainOptions) used = { 0 };

  if (!urb_gpu_parse (gpu, &out->gpu, error) || !urb_plan_resolve (options, &used, error))
    return FALSE;
  out->precision = used.precision;
  out->n_ranks = used.n_ranks;
  return urb_roofline_make (&used, &out->gpu, &out->step, error);
}

static double
sum_bytes (const UrbRoofline *self)
{
  double sum = 0;

  for (int i = 0; i < URB_N_TRAFFICS; i++)
    sum += self->bytes[i];
  return sum;
}

static void
print_row (const char *name, double flops, double n_bytes, double seconds, gint64 n_images)
{
  g_print ("  %-34s %10.2f %10.2f %10.1f %10.2f\n", name, flops / (double) n_images * 1e-9, n_bytes * 1e-9,
           n_bytes / (double) n_images * 1e-6, seconds * 1e3);
}

/* Of the bytes of the row above. */
static void
print_part (const char *name, double n_bytes, gint64 n_images)
{
  g_print ("    %-32s %10s %10.2f %10.1f\n", name, "", n_bytes * 1e-9, n_bytes / (double) n_images * 1e-6);
}

void
urb_cli_roofline_print (const UrbCliRoofline *self)
{
  const UrbRoofline *step = &self->step;
  const double *bytes = step->bytes;
  double seconds = urb_roofline_get_seconds (step);
  g_autofree char *rank = self->n_ranks > 1 ? g_strdup_printf (" (the first rank of %d)", self->n_ranks)
                                            : g_strdup ("");

  g_print ("Least cost of a step of %" G_GINT64_FORMAT " images%s in %s on %s%s, at %.0f TFLOP/s and %.2f TB/s\n"
           "  %-34s %10s %10s %10s %10s\n", step->images, rank, uk_precision_name (self->precision),
           self->gpu.name != NULL ? "an " : "a GPU", self->gpu.name != NULL ? self->gpu.name : "",
           self->gpu.flops[self->precision] * 1e-12, self->gpu.bytes * 1e-12, "", "GFLOP/img", "GB", "MB/img", "ms");
  print_row ("convolutions", step->conv_flops, bytes[URB_TRAFFIC_CONV] + bytes[URB_TRAFFIC_CONV_WEIGHTS],
             step->conv_s, step->images);
  print_part ("values", bytes[URB_TRAFFIC_CONV], step->images);
  print_part ("weights", bytes[URB_TRAFFIC_CONV_WEIGHTS], step->images);
  print_row ("between them, element by element", 0, bytes[URB_TRAFFIC_ELEMENTWISE], step->elementwise_s,
             step->images);
  for (int kind = 0; kind < UK_N_OPS; kind++)
    if (step->op_bytes[kind] > SMALL_SHARE * bytes[URB_TRAFFIC_ELEMENTWISE])
      print_part (uk_op_info (kind)->name, step->op_bytes[kind], step->images);
  print_row ("updates of the weights", 0, bytes[URB_TRAFFIC_UPDATE], step->update_s, step->images);
  print_row ("sum", step->conv_flops, sum_bytes (step), seconds, step->images);
  g_print ("%.0f images/s%s; %u kernels or more.\n"
           "Where a library adds bias and activation while it computes the convolution, bias-act costs nothing.\n",
           (double) step->images / seconds, rank, step->n_kernels);
}

void
urb_cli_roofline_build_json (const UrbCliRoofline *self, JsonBuilder *json)
{
  const UrbRoofline *step = &self->step;
  double seconds = urb_roofline_get_seconds (step);

  if (self->gpu.name != NULL)
    urb_json_add_string (json, "gpu", self->gpu.name);
  urb_json_add_string (json, "precision", uk_precision_name (self->precision));
  urb_json_add_double (json, "flop_per_second", self->gpu.flops[self->precision]);
  urb_json_add_double (json, "bytes_per_second", self->gpu.bytes);
  urb_json_add_int (json, "ranks", self->n_ranks);
  urb_json_add_int (json, "images", step->images);
  urb_json_add_double (json, "convolution_flop", step->conv_flops);
  urb_json_add_double (json, "bytes_convolutions", step->bytes[URB_TRAFFIC_CONV]);
  urb_json_add_double (json, "bytes_convolution_weights", step->bytes[URB_TRAFFIC_CONV_WEIGHTS]);
  urb_json_add_double (json, "bytes_elementwise", step->bytes[URB_TRAFFIC_ELEMENTWISE]);
  urb_json_add_double (json, "bytes_updates", step->bytes[URB_TRAFFIC_UPDATE]);
  urb_json_add_int (json, "kernels", step->n_kernels);
  urb_json_add_double (json, "seconds_convolutions", step->conv_s);
  urb_json_add_double (json, "seconds_elementwise", step->elementwise_s);
  urb_json_add_double (json, "seconds_updates", step->update_s);
  urb_json_add_double (json, "seconds", seconds);
  urb_json_add_double (json, "images_per_second", (double) step->images / seconds);
  urb_json_begin_object (json, "bytes_by_operation");
  for (int kind = 0; kind < UK_N_OPS; kind++)
    if (step->op_bytes[kind] > 0)
      urb_json_add_double (json, uk_op_info (kind)->name, step->op_bytes[kind]);
  urb_json_end_object (json);
}
