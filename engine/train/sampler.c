/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler.c - a checkpoint's generator alone.
 *
 * Its weights do not change, so batch norm is folded into them once, in place.  (The trainer's
 * change between sample grids; folding them would need a second block.)
 */
#include "train/sampler-private.h"

#include <glib/gi18n.h>

#include "dataset/dataset.h"
#include "model/fold.h"
#include "model/networks.h"
#include "model/streams.h"
#include "train/checkpoint.h"
#include "train/device.h"
#include "train/safetensors.h"

static gboolean
open_backend (UrbSampler *self, const UrbSamplerPlace *place, GError **error)
{
  self->backend = urb_device_open (place->device != NULL ? place->device : "cpu", place->precision,
                                   place->n_threads, error);
  if (self->backend == NULL)
    return FALSE;
  self->params_bytes = (gsize) self->net->n_params * self->backend->table->element_size;
  self->params = self->backend->table->alloc (self->backend, self->params_bytes);
  if (self->params != NULL)
    return TRUE;
  g_set_error_literal (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_MEMORY,
                       N_ ("There is not enough memory for the generator; close other programs."));
  return FALSE;
}

static void
fill_info (UrbSampler *self, const UrbCheckpointInfo *info)
{
  self->info = (UrbSamplerInfo) {
    .preset = g_strdup (info->preset->name),
    .step = info->step,
    .images = info->step * urb_train_options_count_images (&info->options),
    .size_px = (int) self->net->out.h,
    .base_px = info->preset->size_px,
    .n_channels = (int) self->net->out.c,
    .n_inputs = (int) self->net->in.c,
    .n_latent = info->preset->n_latent,
    .conditions = self->conditions,
    .area_size_m = info->area_size_m,
    .dataset = g_strdup (info->options.dataset),
    .dataset_id = g_strdup (info->dataset_id),
  };
}

/* The EMA weights, or initial weights with the run's seed. */
static gboolean
fill_params (UrbSampler *self, UrbSafetensors *file, const UrbCheckpointInfo *info,
             gboolean untrained, GError **error)
{
  g_autofree float *values = g_new (float, self->net->n_params);
  g_autofree float *state = g_new (float, MAX (self->net->n_state, 1));

  if (untrained)
    urb_net_init_values (self->net, info->options.seed, URB_STREAM_INIT_G, values, state);
  else if (!urb_checkpoint_read_block (file, self->net->params, "ema.", values, sizeof (float), error))
    return FALSE;
  return urb_device_check (self->backend->table->upload (self->backend, UK_REAL, self->params,
                                                         values, self->net->n_params),
                           error);
}

static UrbGenerator *
open_generator (UrbSampler *self, GError **error)
{
  return urb_generator_new (&(UrbGeneratorOptions) { .backend = self->backend, .net = self->net,
                                                     .conditions = self->conditions, .params = self->params },
                            error);
}

static gboolean
measure_statistics (UrbSampler *self, float *state, GError **error)
{
  g_autoptr(UrbGenerator) generator = open_generator (self, error);

  return generator != NULL && urb_generator_get_statistics (generator, state, error);
}

/* Folds the measured statistics and the parameters into a network without batch norm. */
static gboolean
fold_batch_norm (UrbSampler *self, GError **error)
{
  const UkBackendTable *table = self->backend->table;
  g_autofree float *state = g_new (float, MAX (self->net->n_state, 1));
  g_autofree float *params = NULL, *values = NULL;
  g_autoptr(UrbNet) whole = NULL;

  if (!urb_net_has_batch_norm (self->net))
    return TRUE;
  if (!measure_statistics (self, state, error))
    return FALSE;
  whole = self->net;
  self->net = urb_net_fold (whole);
  params = g_new (float, whole->n_params);
  values = g_new (float, self->net->n_params);
  if (!urb_device_check (table->download (self->backend, UK_REAL, params, self->params,
                                          whole->n_params),
                         error))
    return FALSE;
  urb_net_fold_values (whole, self->net, params, state, values);
  return urb_device_check (table->upload (self->backend, UK_REAL, self->params, values,
                                          self->net->n_params),
                           error);
}

static gboolean
count_base_layers (UrbSampler *self, const UrbCheckpointInfo *info, GError **error)
{
  g_autoptr(UrbNet) base = urb_preset_build_generator (info->preset, info->options.n_channels, FALSE,
                                                       error);
  g_autoptr(UrbNet) folded = base == NULL ? NULL : urb_net_fold (base);

  self->n_base = folded == NULL ? 0 : urb_net_get_n_layers (folded);
  return folded != NULL;
}

/* Distinguishes damaged checkpoints from other files. */
static UrbSafetensors *
open_checkpoint (const char *path, GError **error)
{
  g_autoptr(UrbDataset) dataset = NULL;
  g_autoptr(GError) cause = NULL;
  UrbSafetensors *file = urb_safetensors_open (path, &cause);

  if (file != NULL)
    return file;
  if (!g_error_matches (cause, URB_SAFETENSORS_ERROR, URB_SAFETENSORS_ERROR_DAMAGED)
      || g_str_has_suffix (path, ".safetensors"))
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return NULL;
    }
  dataset = urb_dataset_open (path, NULL);
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_CHECKPOINT,
               "'%s' is %s; name the folder of a run, or a checkpoint: a .safetensors file.", path,
               dataset != NULL ? "a dataset" : "no checkpoint");
  return NULL;
}

static UrbSampler *
sampler_open (const char *checkpoint, const UrbSamplerPlace *place, gboolean untrained,
              GError **error)
{
  g_autoptr(UrbSampler) self = g_new0 (UrbSampler, 1);
  g_autofree char *path = urb_checkpoint_find (checkpoint, error);
  g_autoptr(UrbSafetensors) file = path == NULL ? NULL : open_checkpoint (path, error);
  g_auto(UrbCheckpointInfo) info = { 0 };

  if (file == NULL || !urb_checkpoint_info_read (&info, file, path, error))
    return NULL;
  self->net = urb_preset_build_generator (info.preset, info.options.n_channels,
                                          info.options.refine && !place->no_refiner, error);
  if (self->net == NULL || !count_base_layers (self, &info, error))
    return NULL;
  if (info.preset->has_shares
      && (self->conditions = urb_conditions_read (file, path, error)) == NULL)
    return NULL;
  fill_info (self, &info);
  self->info.checkpoint = g_steal_pointer (&path);
  if (!open_backend (self, place, error) || !fill_params (self, file, &info, untrained, error)
      || !fold_batch_norm (self, error))
    return NULL;
  self->generator = open_generator (self, error);
  if (self->generator == NULL || !urb_generator_refresh (self->generator, error))
    return NULL;
  return g_steal_pointer (&self);
}

UrbSampler *
urb_sampler_open (const char *checkpoint, const UrbSamplerPlace *place, GError **error)
{
  return sampler_open (checkpoint, place, FALSE, error);
}

UrbSampler *
urb_sampler_open_untrained (const char *checkpoint, const UrbSamplerPlace *place, GError **error)
{
  return sampler_open (checkpoint, place, TRUE, error);
}

void
urb_sampler_free (UrbSampler *self)
{
  if (self == NULL)
    return;
  urb_generator_free (self->generator);
  urb_fitter_free (self->fitter);
  if (self->params != NULL)
    self->backend->table->free (self->backend, self->params, self->params_bytes);
  urb_device_close (self->backend);
  urb_net_free (self->net);
  urb_conditions_free (self->conditions);
  g_free (self->info.checkpoint);
  g_free (self->info.preset);
  g_free (self->info.dataset);
  g_free (self->info.dataset_id);
  g_free (self);
}

const UrbSamplerInfo *
urb_sampler_get_info (UrbSampler *self)
{
  return &self->info;
}

gboolean
urb_sampler_generate (UrbSampler *self, guint64 seed, gint64 first, gint64 count, guint8 *levels,
                      GError **error)
{
  gint64 n_inputs = self->net->in.c;
  g_autofree float *z = g_new (float, MAX (count, 1) * n_inputs);

  for (gint64 i = 0; i < count; i++)
    urb_generator_get_input (self->generator, seed, first + i, z + i * n_inputs);
  return urb_generator_run (self->generator, z, count, levels, error);
}

gboolean
urb_sampler_generate_from (UrbSampler *self, const float *z, gint64 count, guint8 *levels,
                           GError **error)
{
  return urb_generator_run (self->generator, z, count, levels, error);
}

gboolean
urb_sampler_fit (UrbSampler *self, const UrbFitTarget *target, guint64 seed, gint64 first,
                 gint64 count, guint8 *levels, double *losses, UrbProgressFunc progress,
                 gpointer user_data, GCancellable *cancellable, GError **error)
{
  gint64 n_inputs = self->net->in.c;
  g_autofree float *z = g_new (float, MAX (count, 1) * n_inputs);

  if (self->fitter == NULL)
    self->fitter = urb_fitter_new (self->backend, self->net, self->n_base, self->params, error);
  if (self->fitter == NULL)
    return FALSE;
  for (gint64 i = 0; i < count; i++)
    urb_generator_get_input (self->generator, seed, first + i, z + i * n_inputs);
  return urb_fitter_run (self->fitter, target, z, count, levels, losses, progress, user_data,
                         cancellable, error);
}

void
urb_sampler_get_input (UrbSampler *self, guint64 seed, gint64 index, float *z)
{
  urb_generator_get_input (self->generator, seed, index, z);
}

/* Adds a sentence for a share that the data do not have. */
static void
check_share (const UrbConditions *conditions, int share, double asked, GString *warning)
{
  double low = conditions->low[share], high = conditions->high[share];

  if (asked < 0 || (asked >= low && asked <= high))
    return;
  g_string_append_printf (warning, "%s%s: %.1f %% is asked for, and almost all training areas have "
                          "%.1f to %.1f %%. Expect worse cities.", warning->len > 0 ? " " : "",
                          urb_share_names[share], 100 * asked, 100 * low, 100 * high);
}

gboolean
urb_sampler_ask (UrbSampler *self, const UrbShareWish *wish, char **warning, GError **error)
{
  g_autoptr(GString) text = g_string_new (NULL);
  gboolean is_asked = FALSE;

  for (int i = 0; i < UK_N_SHARES; i++)
    {
      is_asked = is_asked || wish->share[i] >= 0;
      if (self->conditions != NULL)
        check_share (self->conditions, i, wish->share[i], text);
    }
  if (warning != NULL)
    *warning = text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
  if (self->conditions != NULL || !is_asked)
    {
      urb_generator_ask (self->generator, wish);
      return TRUE;
    }
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
               N_ ("This generator cannot be asked for shares: the preset “%s” has none. Train with the "
                   "preset “tiny-shares”, or another that has “shares=true”."), self->info.preset);
  return FALSE;
}
