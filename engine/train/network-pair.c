/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network-pair.c - see network-pair.h.
 */
#include "train/network-pair.h"

#include "parallel/hogwild.h"
#include "parallel/lower.h"
#include "parallel/offload.h"
#include "parallel/schedule.h"
#include "parallel/synchronous.h"
#include "parallel/tensor.h"
#include "parallel/zero.h"
#include "train/conditions.h"
#include "train/device.h"
#include "settings/recipe.h"

gboolean
urb_network_pair_build (UrbNetworkPair *self, const UrbPreset *preset,
                        const UrbTrainOptions *options, double area_size_m, GError **error)
{
  gboolean relativistic = urb_recipe_is_relativistic (options);

  self->g = urb_preset_build_generator (preset, options->n_channels, options->refine, error);
  if (self->g == NULL)
    return FALSE;
  self->shares_box = preset->has_shares ? urb_conditions_get_box (preset->size_px, area_size_m) : 0;
  self->base = urb_preset_build_generator (preset, options->n_channels, FALSE, error);
  self->d = urb_preset_build_discriminator (preset, options->n_channels,
                                            urb_recipe_norms_discriminator (options), error);
  if (options->refine)
    self->refiner = urb_preset_build_refiner (preset, self->g, urb_preset_get_crop_px (preset), error);
  if (self->base == NULL || self->d == NULL || (options->refine && self->refiner == NULL))
    return FALSE;
  /* With batch norm the scale of initial weights does not affect the signal, only the speed of
   * learning: DCGAN's choice there, He's elsewhere. */
  if (!relativistic || urb_net_has_batch_norm (self->g))
    urb_net_set_init_scheme (self->g, URB_INIT_SCHEME_DCGAN);
  if (!relativistic)
    urb_net_set_init_scheme (self->d, URB_INIT_SCHEME_DCGAN);
  if (!relativistic || !urb_net_has_batch_norm (self->d))
    return TRUE;
  g_set_error_literal (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
                       "The recipe r3 needs a discriminator without batch norm; write “norm” "
                       "rather than “bn” in the preset, or use the recipe dcgan.");
  return FALSE;
}

void
urb_network_pair_clear (UrbNetworkPair *self)
{
  g_clear_pointer (&self->g, urb_net_free);
  g_clear_pointer (&self->d, urb_net_free);
  g_clear_pointer (&self->base, urb_net_free);
  g_clear_pointer (&self->refiner, urb_net_free);
}

/* A rank without others does everything, whatever the options say. */
static UrbStrategy
strategy_of (const UrbTrainOptions *options, const UrbRank *rank)
{
  if (urb_strategy_is_asynchronous (options->strategy))
    return options->strategy;
  return rank->comm != NULL || rank->n_ranks > 1 ? options->strategy : URB_STRATEGY_SINGLE;
}

UrbShard
urb_train_options_get_shard (const UrbTrainOptions *options, const UrbRank *rank)
{
  UrbShard shard = { options->batch, options->accumulate, rank->n_ranks, rank->rank, 1 };

  switch (strategy_of (options, rank))
    {
    case URB_STRATEGY_DDP:
    case URB_STRATEGY_ZERO1:
    case URB_STRATEGY_ZERO2:
    case URB_STRATEGY_ZERO3:
    case URB_STRATEGY_TENSOR:
      return shard;
    case URB_STRATEGY_DP:
      shard.first = 0;
      shard.count = rank->rank == 0 ? rank->n_ranks : 0;
      return shard;
    default:
      return (UrbShard) { options->batch, options->accumulate, 1, 0, 1 };
    }
}

void
urb_train_options_fit_dataset (UrbTrainOptions *options, const UrbPreset *preset,
                               UrbDataset *dataset)
{
  options->refine = options->refine && preset->refined_px > 0
                    && (dataset == NULL || urb_dataset_has_size (dataset, preset->refined_px));
}

UrbTileFormat
urb_train_options_get_tiles (const UrbTrainOptions *options, const UrbPreset *preset,
                             UrbDataset *dataset)
{
  UrbTileFormat tiles = urb_tile_format_choose (dataset, preset->size_px, options->n_channels);

  if (options->refine)
    {
      tiles.bits = FALSE;
      tiles.refined_px = preset->refined_px;
      tiles.crop_px = urb_preset_get_crop_px (preset);
    }
  return tiles;
}

/* Makes of the whole model's program that of @rank in a pipeline. */
static gboolean
divide (UrbProgram *program, const UrbNetworkPair *nets, const UrbTrainOptions *options,
        const UrbRank *rank, GError **error)
{
  g_auto(UrbLayout) layout = {
    .n_stages = rank->n_ranks,
    .n_chunks = options->strategy == URB_STRATEGY_INTERLEAVED ? options->chunks : 1,
    .order = options->strategy == URB_STRATEGY_LAYERS  ? URB_ORDER_BUILT
             : options->strategy == URB_STRATEGY_GPIPE ? URB_ORDER_GPIPE
                                                       : URB_ORDER_1F1B,
    .delay_weights = options->strategy == URB_STRATEGY_ZB,
  };
  g_autofree int *parts = NULL;
  g_autofree double *costs = g_new (double, program->instructions->len);

  if (!urb_layout_cut (&layout, program, urb_net_get_n_layers (nets->base), error))
    return FALSE;
  parts = urb_layout_find_parts (&layout, program);
  for (guint i = 0; i < program->instructions->len; i++)
    costs[i] = urb_instruction_estimate (urb_program_get_instruction (program, i));
  urb_program_schedule (program, &layout, parts, costs, NULL);
  urb_program_lower (program, &layout, parts, rank->rank);
  return TRUE;
}

/* Divides what the ranks of ddp hold. */
static void
shard (UrbProgram *program, const UrbTrainOptions *options, const UrbRank *rank)
{
  UrbZeroOptions zero = { .level = urb_strategy_get_zero_level (options->strategy),
                          .unit_mib = options->unit_mib, .prefetch = options->prefetch,
                          .reshard = options->reshard, .rank = rank->rank, .n_ranks = rank->n_ranks };

  urb_program_recompute_norms (program);
  urb_program_make_zero (program, &zero);
}

/* Divides the channels of wide layers. */
static void
divide_channels (UrbProgram *program, const UrbNetworkPair *nets, const UrbTrainOptions *options,
                 const UrbRank *rank)
{
  gboolean all = g_str_equal (options->split, "all");
  UrbTensorOptions tensor = { .rank = rank->rank, .n_ranks = rank->n_ranks,
                              .n_base_layers = urb_net_get_n_layers (nets->base),
                              .aim = all ? URB_DIVISION_OF_MOST : URB_DIVISION_FOR_SPEED,
                              .bucket_mib = options->bucket_mib };

  urb_program_recompute_norms (program);
  urb_program_make_tensor (program, &tensor);
}

UrbProgram *
urb_network_pair_compile (const UrbNetworkPair *self, const UrbTrainOptions *options,
                          const UrbRank *rank, const UrbTileFormat *tiles, GError **error)
{
  UrbStrategy strategy = strategy_of (options, rank);
  gboolean shared = urb_strategy_shares_batch (strategy);
  g_autoptr(UrbProgram) program = urb_program_new_gan (&(UrbGanOptions) {
    .g = self->g,
    .d = self->d,
    .base = self->base,
    .refiner = self->refiner,
    .batch = options->batch,
    .n_microbatches = options->accumulate,
    .rank = shared ? rank->rank : 0,
    .n_ranks = shared ? rank->n_ranks : 1,
    .sync_ranks = strategy == URB_STRATEGY_TENSOR || (shared && options->sync_batch_norm) ? rank->n_ranks : 1,
    .relativistic = urb_recipe_is_relativistic (options),
    .penalty = options->gamma > 0,
    .augment = options->augment > 0,
    .first_moment = urb_recipe_has_first_moment (options),
    .tile_bits = tiles->bits,
    .shares_box = self->shares_box,
    .shares_weight = options->shares_weight,
  });

  if (strategy == URB_STRATEGY_DDP)
    urb_program_make_ddp (program, options->bucket_mib);
  else if (strategy == URB_STRATEGY_DP)
    urb_program_make_dp (program, rank->rank, rank->n_ranks, options->bucket_mib);
  else if (urb_strategy_is_asynchronous (strategy))
    urb_program_make_hogwild (program);
  else if (urb_strategy_get_zero_level (strategy) > 0)
    shard (program, options, rank);
  else if (strategy == URB_STRATEGY_TENSOR)
    divide_channels (program, self, options, rank);
  else if (urb_strategy_is_pipeline (strategy) && !divide (program, self, options, rank, error))
    return NULL;
  if (options->offload != NULL)
    urb_program_offload (program, URB_OFFLOAD_ELEMENTS);
  for (int i = 0; i < 2 && program->tiles >= 0 && !urb_device_is_host (options->backend); i++)
    program->next_tiles[i] =
      urb_program_add_buffer (program, g_strdup_printf ("tiles.next-%d", i), URB_STORE_INPUT, UK_U8,
                              urb_program_get_buffer (program, program->tiles)->count);
  return g_steal_pointer (&program);
}

int
urb_train_options_count_devices (const UrbTrainOptions *options)
{
  int n_ranks = urb_strategy_is_synchronous (options->strategy) ? options->n_ranks : 1;

  return MIN (urb_device_count_spread (options->backend), n_ranks);
}

int
urb_train_options_count_threads (const UrbTrainOptions *options, int n_local)
{
  UkCpuInfo info;

  uk_cpu_info (&info);
  return MAX ((options->n_threads > 0 ? options->n_threads : info.n_cores) / n_local, 1);
}

UkBackend *
urb_train_options_open_backend (const UrbTrainOptions *options, const UrbRank *rank,
                                GError **error)
{
  g_autofree char *name = rank->comm != NULL
                            ? urb_device_dup_of_rank (options->backend, rank->local_rank)
                            : g_strdup (options->backend);

  /* A single rank leaves the number of threads to the backend. */
  int n_threads = rank->n_local > 1 ? urb_train_options_count_threads (options, rank->n_local)
                                    : options->n_threads;

  return urb_device_open (name, options->precision, n_threads, error);
}
