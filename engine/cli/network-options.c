/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network-options.c - see network-options.h.
 */
#include "cli/network-options.h"

void
urb_cli_network_options_clear (UrbCliNetworkOptions *self)
{
  g_clear_pointer (&self->preset, g_free);
  g_clear_pointer (&self->recipe, g_free);
  g_clear_pointer (&self->precision, g_free);
  g_clear_pointer (&self->backend, g_free);
}

GArray *
urb_cli_network_options_get_entries (UrbCliNetworkOptions *self)
{
  const GOptionEntry entries[] = {
    { "preset", 0, 0, G_OPTION_ARG_STRING, &self->preset,
      "Networks: tiny, small, dcgan-32m, modern-32m, or a file (tiny)", "NAME" },
    { "recipe", 0, 0, G_OPTION_ARG_STRING, &self->recipe, "r3 or dcgan (r3)", "NAME" },
    { "batch", 0, 0, G_OPTION_ARG_INT, &self->batch, "Images per step (the preset's)", "N" },
    { "accumulate", 0, 0, G_OPTION_ARG_INT, &self->accumulate, "Microbatches per step (1)", "N" },
    { "channels", 0, 0, G_OPTION_ARG_INT, &self->channels, "3 for rgb, 1 for grey (3)", "N" },
    { "precision", 0, 0, G_OPTION_ARG_STRING, &self->precision, "fp32, bf16, or tf32 on a GPU (fp32)", "NAME" },
    { "device", 0, 0, G_OPTION_ARG_STRING, &self->backend,
      "cpu, cuda, or one of several GPUs as in cuda:1 (cpu)", "NAME" },
    { "backend", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &self->backend,
      "What --device was called", "NAME" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &self->threads, "Processor threads (all)", "N" },
    { "augment", 0, 0, G_OPTION_ARG_DOUBLE, &self->augment,
      "Final probability of DiffAugment (the recipe's)", "P" },
  };
  GArray *array = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));

  self->augment = -1;
  self->accumulate = 1;
  self->batch = -1; /* not given */
  g_array_append_vals (array, entries, G_N_ELEMENTS (entries));
  return array;
}

static void
replace (char **to, const char *from)
{
  if (from == NULL)
    return;
  g_free (*to);
  *to = g_strdup (from);
}

gboolean
urb_cli_network_options_apply (const UrbCliNetworkOptions *self, UrbTrainOptions *options,
                               GError **error)
{
  replace (&options->preset, self->preset);
  replace (&options->recipe, self->recipe);
  replace (&options->backend, self->backend);
  if (self->batch == 0 || self->batch < -1)
    {
      g_set_error_literal (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
                           "The batch must be at least 1 image.");
      return FALSE;
    }
  options->batch = MAX (self->batch, 0);
  options->accumulate = self->accumulate;
  options->n_channels = self->channels;
  options->n_threads = self->threads;
  options->augment = self->augment;
  return self->precision == NULL
         || urb_precision_parse (self->precision, &options->precision, error);
}

char **
urb_cli_network_options_dup_arguments (const UrbCliNetworkOptions *self)
{
  const struct { const char *option, *text; } texts[] = {
    { "--preset", self->preset },
    { "--recipe", self->recipe },
    { "--precision", self->precision },
    { "--device", self->backend },
  };
  const struct { const char *option; int number; gboolean given; } numbers[] = {
    { "--batch", self->batch, self->batch > 0 },
    { "--accumulate", self->accumulate, self->accumulate != 1 },
    { "--channels", self->channels, self->channels != 0 },
    { "--threads", self->threads, self->threads != 0 },
  };
  g_autoptr(GPtrArray) words = g_ptr_array_new ();
  char augment[G_ASCII_DTOSTR_BUF_SIZE];

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    if (texts[i].text != NULL)
      {
        g_ptr_array_add (words, g_strdup (texts[i].option));
        g_ptr_array_add (words, g_strdup (texts[i].text));
      }
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (numbers[i].given)
      {
        g_ptr_array_add (words, g_strdup (numbers[i].option));
        g_ptr_array_add (words, g_strdup_printf ("%d", numbers[i].number));
      }
  if (self->augment >= 0)
    {
      g_ptr_array_add (words, g_strdup ("--augment"));
      g_ptr_array_add (words, g_strdup (g_ascii_dtostr (augment, sizeof augment, self->augment)));
    }
  g_ptr_array_add (words, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&words), FALSE);
}
