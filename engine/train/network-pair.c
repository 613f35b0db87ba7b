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

/* The mesh of the ranks that are there. */
static UrbMesh
get_mesh (const UrbTrainOptions *options, const UrbRank *rank)
{
  UrbMesh alone = { 1, 1, 1 };

  return strategy_of (options, rank) == URB_STRATEGY_SINGLE ? alone : urb_train_options_get_mesh (options);
}

UrbShard
urb_train_options_get_shard (const UrbTrainOptions *options, const UrbRank *rank)
{
  UrbMesh mesh = get_mesh (options, rank);
  /* The batches of all steps of the discriminator, one after the other. */
  UrbShard shard = { urb_train_options_count_images (options), options->n_d_steps * options->accumulate,
                     urb_mesh_count (&mesh, URB_AXES_SAMPLES),
                     urb_mesh_get_index (&mesh, rank->rank, URB_AXES_SAMPLES), 1 };

  if (strategy_of (options, rank) == URB_STRATEGY_DP)
    {
      shard.first = 0;
      shard.count = rank->rank == 0 ? rank->n_ranks : 0;
    }
  return shard;
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

/* How ranks along tensor divide the layers of both networks. */
typedef struct
{
  UrbDivision *g, *d; /* (n_layers), owned */
} Divisions;

static void
divisions_clear (Divisions *self)
{
  g_free (self->g);
  g_free (self->d);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Divisions, divisions_clear)

static void
choose_divisions (Divisions *self, const UrbProgram *program, const UrbNetworkPair *nets,
                  const UrbTrainOptions *options, int n_ranks)
{
  int n_base_layers = urb_net_get_n_layers (nets->base);
  UrbDivisionAim aim = g_str_equal (options->split, "all") ? URB_DIVISION_OF_MOST : URB_DIVISION_FOR_SPEED;

  self->g = urb_pairs_choose (program, &program->g, n_base_layers, n_ranks, aim);
  self->d = urb_pairs_choose (program, &program->d, n_base_layers, n_ranks, aim);
}

/* The layers after which a value is divided by channels: a pipeline is not cut there.  @divisions: (nullable)
 * (transfer full) (n_layers) (nullable) */
static gboolean *
find_joined (const UrbDivision *divisions, const UrbNet *net)
{
  gboolean *joined = divisions == NULL ? NULL : g_new0 (gboolean, MAX (urb_net_get_n_layers (net), 1));

  for (int i = 0; joined != NULL && i < urb_net_get_n_layers (net); i++)
    joined[i] = divisions[i] == URB_DIVISION_COLUMN || divisions[i] == URB_DIVISION_CHANNELS;
  return joined;
}

/* Leaves the rank its layers. */
static gboolean
divide_layers (UrbProgram *program, const UrbNetworkPair *nets, const UrbTrainOptions *options,
               const UrbMesh *mesh, int rank, const Divisions *divisions, GError **error)
{
  g_autofree gboolean *joined_g = find_joined (divisions->g, nets->g);
  g_autofree gboolean *joined_d = find_joined (divisions->d, nets->d);

  UrbStrategy schedule = urb_train_options_get_schedule (options);
  g_auto(UrbLayout) layout = {
    .n_stages = mesh->pipe,
    .n_chunks = schedule == URB_STRATEGY_INTERLEAVED ? options->chunks : 1,
    .order = schedule == URB_STRATEGY_LAYERS  ? URB_ORDER_BUILT
             : schedule == URB_STRATEGY_GPIPE ? URB_ORDER_GPIPE
                                              : URB_ORDER_1F1B,
    .delay_weights = schedule == URB_STRATEGY_ZB,
    .joined_g = joined_g,
    .joined_d = joined_d,
  };
  g_autofree int *parts = NULL;
  g_autofree double *costs = g_new (double, program->instructions->len);

  if (!urb_layout_cut (&layout, program, urb_net_get_n_layers (nets->base), error))
    return FALSE;
  parts = urb_layout_find_parts (&layout, program);
  for (guint i = 0; i < program->instructions->len; i++)
    costs[i] = urb_instruction_estimate (urb_program_get_instruction (program, i));
  urb_program_schedule (program, &layout, parts, costs, NULL);
  urb_program_lower (program, &layout, parts, mesh, rank,
                     mesh->tensor > 1 || urb_train_options_get_zero_level (options) > 0);
  return TRUE;
}

/* Leaves the rank its channels of wide layers. */
static void
divide_channels (UrbProgram *program, const UrbNetworkPair *nets, const UrbTrainOptions *options,
                 const UrbMesh *mesh, int rank, const Divisions *divisions)
{
  UrbTensorOptions tensor = { .mesh = mesh, .rank = rank,
                              .n_base_layers = urb_net_get_n_layers (nets->base),
                              .g = divisions->g, .d = divisions->d,
                              .bucket_mib = options->bucket_mib };

  urb_program_recompute_norms (program);
  urb_program_make_tensor (program, &tensor);
}

/* Leaves the rank a part of what ranks with other samples hold, too. */
static void
divide_state (UrbProgram *program, const UrbTrainOptions *options, const UrbMesh *mesh, int rank)
{
  UrbZeroOptions zero = { .level = urb_train_options_get_zero_level (options),
                          .unit_mib = options->unit_mib, .prefetch = options->prefetch,
                          .reshard = options->reshard, .mesh = mesh, .rank = rank };

  urb_program_recompute_norms (program);
  urb_program_make_zero (program, &zero);
}

/* Makes of the whole model's program that of @rank. */
static gboolean
divide (UrbProgram *program, const UrbNetworkPair *nets, const UrbTrainOptions *options, const UrbMesh *mesh,
        int rank, GError **error)
{
  gboolean has_stages = urb_train_options_get_schedule (options) != URB_STRATEGY_SINGLE
                        && (options->strategy != URB_STRATEGY_MESH || mesh->pipe > 1);
  gboolean has_channels = mesh->tensor > 1 || options->strategy == URB_STRATEGY_TENSOR;
  g_auto(Divisions) divisions = { NULL, NULL };

  if (has_channels)
    choose_divisions (&divisions, program, nets, options, mesh->tensor);
  if (has_stages && !divide_layers (program, nets, options, mesh, rank, &divisions, error))
    return FALSE;
  if (has_channels)
    divide_channels (program, nets, options, mesh, rank, &divisions);
  else if (urb_train_options_get_zero_level (options) > 0)
    divide_state (program, options, mesh, rank);
  else if (mesh->data > 1 || options->strategy == URB_STRATEGY_DDP)
    urb_program_make_ddp (program, mesh, options->bucket_mib);
  return TRUE;
}

/* Along which axes batch norm has statistics of all ranks. */
static guint
get_sync_axes (const UrbTrainOptions *options, const UrbMesh *mesh)
{
  return (mesh->tensor > 1 ? URB_AXIS_TENSOR : 0)
         | (mesh->data > 1 && options->sync_batch_norm ? URB_AXIS_DATA : 0);
}

UrbProgram *
urb_network_pair_compile (const UrbNetworkPair *self, const UrbTrainOptions *options,
                          const UrbRank *rank, const UrbTileFormat *tiles, GError **error)
{
  UrbStrategy strategy = strategy_of (options, rank);
  UrbMesh mesh = get_mesh (options, rank);
  guint sync_axes = get_sync_axes (options, &mesh);
  g_autoptr(UrbProgram) program = urb_program_new_gan (&(UrbGanOptions) {
    .g = self->g,
    .d = self->d,
    .base = self->base,
    .refiner = self->refiner,
    .batch = options->batch,
    .n_d_steps = options->n_d_steps,
    .n_microbatches = options->accumulate,
    .rank = urb_mesh_get_index (&mesh, rank->rank, URB_AXES_SAMPLES),
    .n_ranks = urb_mesh_count (&mesh, URB_AXES_SAMPLES),
    .sync_ranks = urb_mesh_count (&mesh, sync_axes),
    .sync_axes = sync_axes == 0 ? 0 : urb_mesh_simplify (&mesh, sync_axes),
    .relativistic = urb_recipe_is_relativistic (options),
    .penalty = options->gamma > 0,
    .augment = options->augment > 0,
    .first_moment = urb_recipe_has_first_moment (options),
    .label_smoothing = options->label_smoothing,
    .tile_bits = tiles->bits,
    .shares_box = self->shares_box,
    .shares_weight = options->shares_weight,
  });

  if (urb_strategy_is_asynchronous (strategy))
    urb_program_make_hogwild (program);
  else if (strategy == URB_STRATEGY_DP)
    urb_program_make_dp (program, rank->rank, rank->n_ranks, options->bucket_mib);
  else if (strategy != URB_STRATEGY_SINGLE && !divide (program, self, options, &mesh, rank->rank, error))
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
  /* Ranks without a communicator share the first GPU. */
  g_autofree char *name = urb_device_dup_of_rank (options->backend, rank->comm != NULL ? rank->local_rank : 0);

  /* A single rank leaves the number of threads to the backend. */
  int n_threads = rank->n_local > 1 ? urb_train_options_count_threads (options, rank->n_local)
                                    : options->n_threads;

  return urb_device_open_to_train (name, options->precision, n_threads, options->cudnn_compiled, error);
}
