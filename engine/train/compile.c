/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.c - see compile.h.
 */
#include "train/compile.h"

#include "settings/recipe.h"
#include "train/device.h"

void
urb_compiled_clear (UrbCompiled *self)
{
  /* The program uses the others. */
  g_clear_pointer (&self->program, urb_program_free);
  g_clear_pointer (&self->backend, urb_device_close);
  urb_network_pair_clear (&self->nets);
  g_clear_pointer (&self->preset, urb_preset_free);
  urb_train_options_clear (&self->options);
}

/* The networks of a run. */
static gboolean
build (const UrbTrainOptions *options, UrbDataset *dataset, UrbCompiled *out, GError **error)
{
  g_auto(UrbCompiled) self = { 0 };
  int n_channels = options->n_channels > 0 ? options->n_channels : 3;

  self.preset = urb_preset_load (options->preset, error);
  if (self.preset == NULL)
    return FALSE;
  urb_train_options_copy (&self.options, options);
  urb_train_options_fit_dataset (&self.options, self.preset, dataset);
  if (!urb_recipe_resolve (&self.options, self.preset, n_channels, error))
    return FALSE;
  self.tiles = urb_train_options_get_tiles (&self.options, self.preset, dataset);
  if (!urb_network_pair_build (&self.nets, self.preset, &self.options,
                               dataset != NULL ? urb_dataset_get_info (dataset)->area_size_m
                                               : URB_DEFAULT_AREA_SIZE_M, error))
    return FALSE;
  *out = self;
  self = (UrbCompiled) { 0 };
  return TRUE;
}

/* The program of @self, whose backend is NULL if it could not be opened; moves @self to @out. */
static gboolean
finish (UrbCompiled *self, const UrbRank *context, UrbCompiled *out, GError **error)
{
  if (self->backend == NULL)
    return FALSE;
  self->program = urb_network_pair_compile (&self->nets, &self->options, context, &self->tiles, error);
  if (self->program == NULL)
    return FALSE;
  *out = *self;
  *self = (UrbCompiled) { 0 };
  return TRUE;
}

gboolean
urb_compile (const UrbTrainOptions *options, const UrbRank *context, UrbDataset *dataset,
             UrbCompiled *out, GError **error)
{
  g_auto(UrbCompiled) self = { 0 };

  if (!build (options, dataset, &self, error))
    return FALSE;
  self.backend = urb_train_options_open_backend (&self.options, context, error);
  return finish (&self, context, out, error);
}

gboolean
urb_compile_on_paper (const UrbTrainOptions *options, const UrbRank *context, UrbCompiled *out, GError **error)
{
  const UkBackendConfig config = { .precision = options->precision };
  g_auto(UrbCompiled) self = { 0 };

  if (!build (options, NULL, &self, error))
    return FALSE;
  g_free (self.options.backend);
  self.options.backend = g_strdup ("cuda");
  if (uk_backend_paper ()->open (&config, &self.backend) != UK_OK)
    g_error ("out of memory"); /* as g_malloc() does */
  return finish (&self, context, out, error);
}
