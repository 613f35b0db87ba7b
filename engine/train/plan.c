/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.c - computes the memory and work of a run before it starts.
 */
#include "train/bench.h"

#include "parallel/comm-tcp.h"
#include "parallel/hogwild.h"
#include "parallel/layout.h"
#include "train/device.h"
#include "train/generator.h"
#include "train/loader.h"
#include "settings/recipe.h"

void
urb_plan_clear (UrbPlan *self)
{
  if (self->compiled != NULL)
    urb_compiled_clear (self->compiled);
  g_clear_pointer (&self->compiled, g_free);
  g_clear_pointer (&self->preset, g_free);
}

char *
urb_plan_dup_layers (const UrbPlan *self)
{
  return urb_program_dup_layers (self->compiled->program, urb_net_get_n_layers (self->compiled->nets.base));
}

/* Without a dataset: three channels. */
static gboolean
resolve (const UrbTrainOptions *options, UrbTrainOptions *resolved, UrbPreset **preset,
         GError **error)
{
  *preset = urb_preset_load (options->preset, error);
  if (*preset == NULL)
    return FALSE;
  urb_train_options_copy (resolved, options);
  urb_train_options_fit_dataset (resolved, *preset, NULL);
  return urb_recipe_resolve (resolved, *preset, options->n_channels > 0 ? options->n_channels : 3,
                             error);
}

gboolean
urb_plan_resolve (const UrbTrainOptions *options, UrbTrainOptions *out, GError **error)
{
  g_autoptr(UrbPreset) preset = NULL;

  return resolve (options, out, &preset, error);
}

/* Of a whole network. */
static gint64
count_saved (const UrbProgramNet *slot, const UkBackend *backend)
{
  int n_blocks = (slot->params >= 0) + (slot->moment1 >= 0) + (slot->moment2 >= 0) + (slot->ema >= 0);

  return (n_blocks * slot->net->n_params + slot->net->n_state) * (gint64) backend->table->element_size;
}

/* @n_loaded: tiles that the rank's loader reads for each step */
static void
fill_bytes (UrbPlan *self, const UrbProgram *program, const UkBackend *backend, gint64 n_loaded,
            const UrbTileFormat *tiles)
{
  const gint64 *bytes = program->store_bytes;

  self->bytes_weights = bytes[URB_STORE_PARAMS] + bytes[URB_STORE_STATE];
  self->bytes_moments = bytes[URB_STORE_MOMENT1] + bytes[URB_STORE_MOMENT2];
  self->bytes_ema = bytes[URB_STORE_EMA];
  self->bytes_packed = bytes[URB_STORE_PACKED];
  self->bytes_work = bytes[URB_STORE_ARENA] + bytes[URB_STORE_GRADS] + program->scratch_bytes;
  self->bytes_work_least = self->bytes_work - bytes[URB_STORE_ARENA] + program->live_bytes;
  self->bytes_outside = bytes[URB_STORE_OUTSIDE];
  self->bytes_io = bytes[URB_STORE_INPUT] + bytes[URB_STORE_OUTPUT];
  self->bytes_loader = urb_loader_count_bytes (0, n_loaded, tiles);
  self->bytes_checkpoint = count_saved (&program->g, backend) + count_saved (&program->d, backend);
  self->bytes_total = urb_program_get_bytes (program) + self->bytes_sampler + self->bytes_loader;
}

static gint64
sum_blocks (const UrbSharedLayout *layout, UrbSharedBlock first, UrbSharedBlock last)
{
  gint64 sum = 0;

  for (int net = 0; net < URB_SHARED_N_NETS; net++)
    for (int block = first; block <= (int) last; block++)
      sum += layout->n_bytes[net][block];
  return sum;
}

/* Shared blocks are counted once for all asynchronous ranks. */
static void
take_out_shared (UrbPlan *self, const UrbProgram *program, const UrbTrainOptions *options)
{
  UrbSharedLayout layout;
  gint64 weights, moments, ema, snapshot;

  if (!urb_strategy_is_asynchronous (options->strategy))
    return;
  urb_hogwild_get_layout (program, options->local_moments, "", &layout);
  weights = sum_blocks (&layout, URB_SHARED_PARAMS, URB_SHARED_PARAMS)
            + sum_blocks (&layout, URB_SHARED_STATE, URB_SHARED_STATE);
  moments = sum_blocks (&layout, URB_SHARED_MOMENT1, URB_SHARED_MOMENT2);
  ema = sum_blocks (&layout, URB_SHARED_EMA, URB_SHARED_EMA);
  snapshot = self->bytes_weights - weights;
  self->bytes_shared = weights + moments + ema;
  self->bytes_total -= self->bytes_shared;
  self->bytes_weights = snapshot;
  self->bytes_moments -= moments;
  self->bytes_ema -= ema;
}

gboolean
urb_plan_make_rank (const UrbTrainOptions *options, int rank, UrbDataset *dataset, UrbPlan *out,
                    GError **error)
{
  UrbRank context = { .rank = rank, .n_ranks = 1, .n_local = 1 };
  g_auto(UrbTrainOptions) resolved = { 0 };
  g_autoptr(UrbPreset) preset = NULL;
  g_autoptr(UrbProgram) generator = NULL;
  g_auto(UrbPlan) plan = { 0 };
  const UrbNetworkPair *nets;
  UrbCompiled *compiled;
  UrbProgram *program;
  UrbMesh mesh;
  UrbShard shard;

  if (!resolve (options, &resolved, &preset, error))
    return FALSE;
  context.n_ranks = context.n_local = resolved.n_ranks;
  plan.compiled = compiled = g_new0 (UrbCompiled, 1);
  if (!urb_compile (&resolved, &context, dataset, compiled, error))
    return FALSE;
  nets = &compiled->nets;
  program = compiled->program;
  generator = urb_program_new_generator (nets->g, 1, URB_STATISTICS_GIVEN);
  plan.preset = g_strdup (preset->name);
  plan.size_px = preset->size_px;
  plan.n_channels = compiled->options.n_channels;
  plan.n_latent = preset->n_latent;
  plan.batch = program->batch / program->n_d_steps;
  plan.n_params_g = nets->base->n_params;
  plan.n_params_refiner = nets->g->n_params - nets->base->n_params;
  plan.n_params_d = nets->d->n_params;
  plan.flops_per_image = urb_program_get_flops (program) / program->batch;
  plan.flops_per_sample = urb_program_get_flops (generator);
  plan.n_instructions = program->instructions->len;
  /* The first rank draws. */
  if (!urb_program_plan (program, compiled->backend, error)
      || (rank == 0
          && !urb_generator_reserve (compiled->backend, nets->base, program, &plan.bytes_sampler, error)))
    return FALSE;
  shard = urb_train_options_get_shard (&compiled->options, &context);
  shard.count = program->tiles < 0 ? 0 : shard.count;
  fill_bytes (&plan, program, compiled->backend, shard.count > 0 ? urb_shard_get_n (&shard) : 0,
              &compiled->tiles);
  if (dataset != NULL && shard.count > 0)
    plan.bytes_kept = urb_loader_count_bytes (
      urb_dataset_get_info (dataset)->n_split[URB_SPLIT_TRAIN], 0, &compiled->tiles);
  take_out_shared (&plan, program, &compiled->options);
  mesh = urb_train_options_get_mesh (&compiled->options);
  if (rank > 0 && !urb_strategy_is_asynchronous (compiled->options.strategy))
    plan.bytes_served = urb_tcp_count_served (program, &mesh, rank);
  *out = plan;
  plan = (UrbPlan) { 0 };
  return TRUE;
}

static void
append_net (GString *text, const UrbNet *net)
{
  for (guint i = 0; i < net->params->len; i++)
    {
      const UrbParam *param = urb_net_get_param (net, (int) i);
      g_autoptr(GString) shape = g_string_new (NULL);

      for (int d = 0; d < param->n_dims; d++)
        g_string_append_printf (shape, "%s%" G_GINT64_FORMAT, d > 0 ? " x " : "", param->shape[d]);
      g_string_append_printf (text, "%-16s %-24s %12" G_GINT64_FORMAT "\n", param->name, shape->str,
                              param->count);
    }
}

char *
urb_plan_dup_tensors (const UrbTrainOptions *options, GError **error)
{
  g_auto(UrbTrainOptions) resolved = { 0 };
  g_autoptr(UrbPreset) preset = NULL;
  g_autoptr(GString) text = g_string_new (NULL);
  g_auto(UrbNetworkPair) nets = { 0 };

  if (!resolve (options, &resolved, &preset, error)
      || !urb_network_pair_build (&nets, preset, &resolved, URB_DEFAULT_AREA_SIZE_M, error))
    return NULL;
  append_net (text, nets.g);
  append_net (text, nets.d);
  return g_string_free (g_steal_pointer (&text), FALSE);
}
