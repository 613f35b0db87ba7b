/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler-options.c - see sampler-options.h.
 */
#include "cli/sampler-options.h"

#include "cli/cli.h"
#include "train/trainer.h"

void
urb_cli_sampler_options_clear (UrbCliSamplerOptions *self)
{
  g_clear_pointer (&self->device, g_free);
  g_clear_pointer (&self->precision, g_free);
}

void
urb_cli_sampler_options_add (UrbCliSamplerOptions *self, GOptionContext *options)
{
  const GOptionEntry entries[] = {
    { "device", 0, 0, G_OPTION_ARG_STRING, &self->device,
      "Device of the generator: cpu, cuda, or a specific GPU such as cuda:1 (cpu)", "NAME" },
    { "precision", 0, 0, G_OPTION_ARG_STRING, &self->precision,
      "fp32, bf16, or tf32 or fp16 on a GPU (fp32)", "NAME" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &self->n_threads, "Processor threads (one per processor)", "N" },
    { "no-refine", 0, 0, G_OPTION_ARG_NONE, &self->no_refiner,
      "Leave out the refiner: the generator's own images", NULL },
    G_OPTION_ENTRY_NULL
  };

  g_option_context_add_main_entries (options, entries, NULL);
}

gboolean
urb_cli_sampler_options_apply (const UrbCliSamplerOptions *self, UrbSamplerPlace *place,
                               GError **error)
{
  *place = (UrbSamplerPlace) { .device = self->device, .n_threads = self->n_threads,
                                .no_refiner = self->no_refiner };
  if (self->n_threads < 0)
    {
      g_set_error_literal (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
                           "--threads must be at least 1, or 0 for all.");
      return FALSE;
    }
  urb_cli_warn_of_cache (self->device);
  return self->precision == NULL || urb_precision_parse (self->precision, &place->precision, error);
}
