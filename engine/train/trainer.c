/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trainer.c - see trainer.h.  Start with urb_trainer_step(), the body of the training loop; it is
 * short, since the step program does the work.
 */
#include "train/trainer.h"

#include <string.h>

#include "dataset/dataset.h"
#include "model/streams.h"
#include "train/device.h"
#include "train/safetensors.h"
#include "train/trainer-private.h"

/* ------------------------------------------------------------------------ */
/* Opening                                                                   */

static gboolean
open_dataset (UrbTrainer *self, UrbDataset **dataset, GError **error)
{
  const UrbDatasetInfo *info;
  int n_channels = self->options.n_channels > 0 ? self->options.n_channels : 3;

  self->area_size_m = URB_DEFAULT_AREA_SIZE_M;
  if (self->options.dataset != NULL)
    {
      *dataset = urb_dataset_open (self->options.dataset, error);
      if (*dataset == NULL)
        return FALSE;
      info = urb_dataset_get_info (*dataset);
      n_channels = urb_encoding_get_n_channels (info->encoding);
      self->area_size_m = info->area_size_m;
      self->dataset_id = g_strdup (info->id);
    }
  urb_train_options_fit_dataset (&self->options, self->preset, *dataset);
  return urb_recipe_resolve (&self->options, self->preset, n_channels, error);
}

/* One of the ranks that read the same file. */
static gboolean
is_watchman (const UrbRank *rank)
{
  return rank->comm != NULL ? rank->local_rank == 0 : rank->rank == 0 || rank->n_local == 1;
}

static gboolean
check_size (const UrbTrainer *self, UrbDataset *dataset, GError **error)
{
  int stored, wanted = self->preset->size_px;

  if (dataset == NULL)
    return TRUE;
  stored = urb_dataset_get_info (dataset)->resolution_px;
  if (urb_dataset_has_size (dataset, wanted))
    return TRUE;
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DATASET,
               "The preset “%s” needs tiles of %d px, which cannot be made from the dataset's %d "
               "px: "
               "curate again with --resolution %d.", self->preset->name, wanted, stored, wanted);
  return FALSE;
}

static gboolean
compile (UrbTrainer *self, gint64 n_tiles, GError **error)
{
  g_autofree void **lent = NULL;
  gint64 sampler = 0; /* bytes */
  UrbTransport transport;

  self->program = urb_network_pair_compile (&self->nets, &self->options, &self->rank, &self->tiles,
                                            error);
  if (self->program == NULL)
    return FALSE;
  if (self->program->tiles < 0)
    self->shard.count = 0; /* the tiles are for another rank */
  /* Only rank 0 draws samples. */
  if (!urb_program_plan (self->program, self->backend, error)
      || (self->rank.rank == 0
          && !urb_generator_reserve (self->backend, self->nets.base, self->program, &sampler, error))
      || !urb_trainer_check_memory (self, n_tiles, sampler, error))
    return FALSE;
  if (self->program->store_bytes[URB_STORE_OUTSIDE] > 0)
    {
      self->storage = urb_storage_new (self->options.offload,
                                       self->program->store_bytes[URB_STORE_OUTSIDE], self->backend, error);
      if (self->storage == NULL)
        return FALSE;
    }
  if (self->async != NULL
      && !urb_async_attach (self->async, self->program, self->backend, &self->options, &lent, error))
    return FALSE;
  self->ring = urb_step_ring_new (self->program, self->backend, error);
  if (self->ring == NULL)
    return FALSE;
  if (lent == NULL)
    lent = g_new0 (void *, self->program->buffers->len);
  urb_step_ring_lend (self->ring, lent);
  self->comm.all = self->rank.comm;
  if (self->rank.comm != NULL && !self->backend->table->is_host)
    self->link = urb_device_link_new (&self->comm, self->backend);
  if (self->link != NULL)
    transport = urb_device_link_get_transport (self->link);
  else if (self->rank.comm != NULL)
    transport = urb_mesh_comm_get_transport (&self->comm);
  self->interpreter = urb_interpreter_new (self->program, self->backend, lent,
                                           self->rank.comm != NULL ? &transport : NULL, error);
  if (self->interpreter != NULL && self->storage != NULL)
    {
      transport = urb_storage_get_transport (self->storage);
      urb_interpreter_set_storage (self->interpreter, &transport);
    }
  self->next_tiles_step = -1;
  if (self->interpreter != NULL && self->rank.board != NULL)
    urb_trainer_watch (self);
  if (self->interpreter != NULL && self->async != NULL)
    urb_async_connect (self->async, self->program, self->interpreter);
  return self->interpreter != NULL;
}

/* ------------------------------------------------------------------------ */
/* Initial weights                                                           */

/* Fills in elements [@first, @first + @count) of the tensor @param, as far as this rank has them. */
static gboolean
init_piece (UrbTrainer *self, const UrbTrainerBlock *block, const UrbParam *param, guint32 stream,
            gint64 first, gint64 count, GError **error)
{
  gint64 begin = param->offset + first, n_alike;
  g_autofree float *values = NULL;
  g_autofree double *wide = NULL;

  if (urb_runs_find (block->runs, begin, &n_alike) < 0 && n_alike >= count)
    return TRUE; /* other ranks have all of it */
  values = g_new (float, count);
  urb_param_init (param, self->options.seed, stream, first, count, values);
  if (self->backend->table->element_size == sizeof *values)
    return urb_trainer_write_piece (self, block, begin, count, values, error);
  wide = g_new (double, count);
  for (gint64 i = 0; i < count; i++)
    wide[i] = values[i];
  return urb_trainer_write_piece (self, block, begin, count, wide, error);
}

static gboolean
init_tensor (UrbTrainer *self, const UrbTrainerBlock *block, const UrbParam *param, GError **error)
{
  guint32 stream = block->which < URB_TRAINER_N_TABLES / 2 ? URB_STREAM_INIT_G : URB_STREAM_INIT_D;
  gint64 most = urb_trainer_count_piece (self, param);

  for (gint64 first = 0; first < param->count; first += most)
    if (!init_piece (self, block, param, stream, first, MIN (most, param->count - first), error))
      return FALSE;
  return TRUE;
}

/* The moments begin at zero, as all memory does. */
static gboolean
init_blocks (UrbTrainer *self, GError **error)
{
  UrbTrainerBlock blocks[URB_TRAINER_MAX_BLOCKS];
  guint n_blocks = urb_trainer_list_blocks (self, blocks);

  for (guint i = 0; i < n_blocks; i++)
    {
      gboolean is_g = blocks[i].which < URB_TRAINER_N_TABLES / 2;
      const UrbProgramNet *slot = is_g ? &self->program->g : &self->program->d;
      gboolean is_zero = blocks[i].buffer == slot->moment1 || blocks[i].buffer == slot->moment2;

      if (is_zero || !urb_async_may_fill (self->async, self->program, slot->params))
        continue; /* or another rank does */
      for (guint p = 0; p < blocks[i].table->len; p++)
        if (!init_tensor (self, &blocks[i], &g_array_index (blocks[i].table, UrbParam, p), error))
          return FALSE;
    }
  return TRUE;
}

/* The shares of the training tiles, which every rank measures: a generator's input is scaled by them. */
static gboolean
measure_conditions (UrbTrainer *self, UrbDataset *dataset, GError **error)
{
  if (!self->preset->has_shares)
    return TRUE;
  self->conditions = dataset == NULL ? urb_conditions_new_for_benchmark ()
                                     : urb_conditions_measure (dataset, self->preset->size_px, error);
  return self->conditions != NULL;
}

UrbTrainer *
urb_trainer_new (const UrbTrainOptions *options, const UrbRank *rank, GError **error)
{
  g_autoptr(UrbTrainer) self = g_new0 (UrbTrainer, 1);
  g_autoptr(UrbDataset) dataset = NULL;

  urb_train_options_copy (&self->options, options);
  self->rank = rank != NULL ? *rank : URB_RANK_ALONE;
  self->beta1_product = self->beta2_product = 1;
  self->preset = self->rank.preset_text != NULL
                   ? urb_preset_load_text (options->preset, self->rank.preset_text, error)
                   : urb_preset_load (options->preset, error);
  self->rank.preset_text = NULL; /* valid in this call only */
  if (self->preset == NULL || !open_dataset (self, &dataset, error)
      || !check_size (self, dataset, error)
      || !measure_conditions (self, dataset, error)
      || !urb_network_pair_build (&self->nets, self->preset, &self->options, self->area_size_m, error))
    return NULL;
  if (dataset != NULL && is_watchman (&self->rank))
    self->watch = urb_dataset_watch_new (dataset, self->options.dataset);
  self->tiles = urb_train_options_get_tiles (&self->options, self->preset, dataset);
  self->async = urb_async_new (&self->options, &self->rank);
  urb_loss_scale_init (&self->loss_scale_g, &self->options);
  urb_loss_scale_init (&self->loss_scale_d, &self->options);
  self->shard = urb_train_options_get_shard (&self->options, &self->rank);
  self->backend = urb_train_options_open_backend (&self->options, &self->rank, error);
  if (self->backend == NULL
      || !compile (self, dataset == NULL ? 0 : urb_dataset_get_info (dataset)->n_split[URB_SPLIT_TRAIN],
                   error))
    return NULL;
  if ((self->shard.count > 0 && !urb_trainer_open_loader (self, g_steal_pointer (&dataset), error))
      || !init_blocks (self, error)
      || !urb_interpreter_run_prologue (self->interpreter, error)
      || !urb_device_check (self->backend->table->sync (self->backend), error))
    return NULL;
  return g_steal_pointer (&self);
}

gboolean
urb_trainer_connect (UrbTrainer *self, GError **error)
{
  const char *communicator = self->options.communicator;
  gboolean must = strcmp (communicator, "nccl") == 0;
  UrbMesh mesh = urb_train_options_get_mesh (&self->options);
  g_autoptr(GError) cause = NULL;

  if (!urb_mesh_comm_connect (&self->comm, &mesh, error) || !urb_trainer_share_runs (self, error))
    return FALSE;
  if (self->link == NULL || (!must && strcmp (communicator, "auto") != 0)
      || urb_device_link_connect (self->link, &mesh, self->rank.board, must, &cause))
    return TRUE;
  if (g_error_matches (cause, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE))
    g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_NO_DEVICE,
                 "The communicator nccl needs a GPU for each rank: %s. Without it, ranks exchange "
                 "through the host's memory.", cause->message);
  else
    g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

const char *
urb_trainer_get_link (UrbTrainer *self)
{
  if (self->link == NULL)
    return NULL;
  return urb_device_link_is_direct (self->link) ? "NCCL" : "the host's memory";
}

void
urb_trainer_free (UrbTrainer *self)
{
  if (self == NULL)
    return;
  if (self->interpreter != NULL)
    self->backend->table->sync (self->backend); /* a step may be in flight */
  urb_generator_free (self->generator);
  urb_trainer_free_runs (self);
  urb_trainer_close_loader (self);
  urb_interpreter_free (self->interpreter);
  urb_step_ring_free (self->ring);
  urb_storage_free (self->storage);
  urb_device_link_free (self->link);
  urb_mesh_comm_clear (&self->comm);
  urb_program_free (self->program);
  if (self->async != NULL)
    urb_async_detach (self->async);
  urb_device_close (self->backend);
  urb_network_pair_clear (&self->nets);
  urb_conditions_free (self->conditions);
  urb_async_free (self->async);
  urb_preset_free (self->preset);
  urb_train_options_clear (&self->options);
  urb_dataset_watch_free (self->watch);
  g_free (self->dataset_id);
  g_free (self);
}

const UrbTrainOptions *
urb_trainer_get_options (UrbTrainer *self)
{
  return &self->options;
}

gint64
urb_trainer_get_step (UrbTrainer *self)
{
  if (self->async == NULL || (!self->async->begun && self->async->fills))
    return self->step;
  return urb_shared_params_get_n_done (self->async->shared);
}

UkBackend *
urb_trainer_get_backend (UrbTrainer *self)
{
  return self->backend;
}

int
urb_trainer_get_size_px (UrbTrainer *self)
{
  return self->preset->size_px;
}

int
urb_trainer_get_n_channels (UrbTrainer *self)
{
  return self->options.n_channels;
}

/* ------------------------------------------------------------------------ */
/* A step                                                                    */

static UrbFlight *
get_flight (UrbTrainer *self, gint64 step)
{
  return &self->flights[step % UK_N_MARKS];
}

static gboolean
fetch_metrics (UrbTrainer *self, gint64 step, GError **error)
{
  const void *metrics = urb_interpreter_get_memory (self->interpreter, self->program->metrics);

  return urb_step_ring_fetch (self->ring, step, metrics, &get_flight (self, step)->mark, error);
}

/* Submits @step to the device. */
static gboolean
start_step (UrbTrainer *self, gint64 step, GError **error)
{
  UrbFlight *flight = get_flight (self, step);

  flight->mark = -1;
  if (!urb_trainer_send_inputs (self, step, &flight->schedule, error)
      || !urb_interpreter_start (self->interpreter, error))
    return FALSE;
  return self->program->n_requests > 0 || fetch_metrics (self, step, error);
}

/* Waits for @step and its metrics, which ranks sum until the end of the step. */
static gboolean
finish_step (UrbTrainer *self, gint64 step, GError **error)
{
  const UrbFlight *flight = get_flight (self, step);

  return urb_interpreter_finish (self->interpreter, flight->mark, error)
         && (self->program->n_requests == 0
             || (fetch_metrics (self, step, error) && urb_interpreter_finish (self->interpreter, flight->mark, error)));
}

/* Whether the step after the current one can be submitted before that is done.  Its loss scales must not depend on it,
 * and its tiles must be there, since reading them may fail. */
static gboolean
may_overlap_next (const UrbTrainer *self)
{
  return self->may_go_ahead && self->async == NULL && !urb_trainer_scales_loss (self)
         && self->next_tiles_step == self->step + 1 && urb_interpreter_may_overlap (self->interpreter);
}

static gboolean
keep_on (gpointer data, const UrbInstruction *instruction)
{
  return TRUE;
}

/* Makes the current step the last one that the device has run, if another has followed it, to inspect its values.
 * The weights are those after the other one. */
static void
go_back (UrbTrainer *self)
{
  if (!self->is_ahead)
    return;
  self->is_ahead = FALSE;
  self->next_tiles_step = -1;
  if (urb_interpreter_finish (self->interpreter, -1, NULL)
      && urb_trainer_send_inputs (self, self->step, &get_flight (self, self->step)->schedule, NULL))
    urb_interpreter_retrace (self->interpreter, keep_on, NULL, NULL);
}

/* Does the step after self->step steps, or waits for it if it has begun; and begins the next one, if that is allowed,
 * so that the device never waits for the host. */
static gboolean
run_step (UrbTrainer *self, UrbStepMetrics *metrics, GError **error)
{
  gint64 step = self->step;
  const UrbFlight *flight = get_flight (self, step);
  gboolean was_ahead = self->is_ahead;
  UrbStepReport report;

  if (!was_ahead && !start_step (self, step, error))
    return FALSE;
  if (!was_ahead)
    urb_trainer_send_next_tiles (self, self->async != NULL ? self->async->position : step + 1);
  self->is_ahead = may_overlap_next (self);
  if ((self->is_ahead && !start_step (self, step + 1, error))
      || !finish_step (self, step, error))
    return FALSE;
  urb_trainer_read_report (self, &report);
  if (self->trace != NULL)
    urb_trace_add_step (self->trace, self->program, self->interpreter, self->backend, step + 1);
  if (!urb_trainer_follow_report (self, &report, &flight->schedule, metrics))
    {
      go_back (self);
      return urb_trainer_fail_diverged (self, metrics, error);
    }
  if (self->is_ahead)
    urb_trainer_send_next_tiles (self, step + 2);
  urb_trainer_advance_products (self, &flight->schedule);
  return TRUE;
}

void
urb_trainer_allow_ahead (UrbTrainer *self, gboolean allowed)
{
  self->may_go_ahead = allowed;
}

gboolean
urb_trainer_is_ahead (const UrbTrainer *self)
{
  return self->is_ahead;
}

void
urb_trainer_try_rates (UrbTrainer *self, double lr_g, double lr_d)
{
  self->tries_rates = TRUE;
  self->lr_g = lr_g;
  self->lr_d = lr_d;
}

UrbAsync *
urb_trainer_get_async (UrbTrainer *self)
{
  return self->async;
}

gboolean
urb_trainer_begin (UrbTrainer *self, GError **error)
{
  return urb_async_begin (self->async, self->step, self->options.n_steps, error);
}

/* Does the next step that is left. */
static gboolean
step_async (UrbTrainer *self, UrbStepMetrics *metrics, GError **error)
{
  UrbAsync *async = self->async;
  gint64 ticket;

  if (!urb_trainer_begin (self, error))
    return FALSE;
  urb_async_release (async);
  ticket = urb_shared_params_take (async->shared, async->worker.rank, async->staleness);
  if (!urb_async_check (async, error))
    {
      urb_shared_params_give_up (async->shared, async->worker.rank);
      return FALSE;
    }
  if (ticket < 0)
    {
      metrics->step = 0;
      return TRUE;
    }
  self->step = MIN (ticket, self->options.n_steps - 1); /* shared memory is not trusted */
  if (!run_step (self, metrics, error))
    {
      urb_shared_params_give_up (async->shared, async->worker.rank);
      urb_async_check (async, error);
      return FALSE;
    }
  metrics->step = urb_shared_params_finish (async->shared, async->worker.rank);
  return TRUE;
}

gboolean
urb_trainer_step (UrbTrainer *self, UrbStepMetrics *metrics, GError **error)
{
  gint64 start = g_get_monotonic_time ();
  int n_abreast = self->async != NULL && urb_shared_params_get_fd (self->async->shared) < 0
                    ? self->async->n_ranks : 1;

  if (self->watch != NULL && !urb_dataset_watch_poll (self->watch, error))
    return FALSE;
  if (self->async != NULL ? !step_async (self, metrics, error) : !run_step (self, metrics, error))
    return FALSE;
  if (self->async == NULL)
    metrics->step = ++self->step;
  metrics->images = metrics->step * urb_train_options_count_images (&self->options);
  metrics->seconds = (double) (g_get_monotonic_time () - start) * 1e-6 / n_abreast;
  return TRUE;
}

char *
urb_trainer_dup_slow (UrbTrainer *self)
{
  return urb_program_dup_slow (self->program, self->backend);
}

/* ------------------------------------------------------------------------ */

static UrbGenerator *
open_generator (UrbTrainer *self, GError **error)
{
  UrbGeneratorOptions options = { .backend = self->backend, .net = self->nets.base,
                                  .conditions = self->conditions,
                                  .storage = urb_trainer_get_average (self) };

  if (urb_generator_may_borrow (self->program))
    options.params = urb_interpreter_get_memory (self->interpreter, self->program->g.ema);
  options.room = urb_interpreter_get_arena (self->interpreter, &options.room_bytes);
  return urb_generator_new (&options, error);
}

gboolean
urb_trainer_sample (UrbTrainer *self, guint64 seed, gint64 first, gint64 count, guint8 *levels,
                    GError **error)
{
  gint64 n_inputs = self->nets.base->in.c;
  g_autofree float *z = g_new (float, MAX (count, 1) * n_inputs);

  g_return_val_if_fail (!self->is_ahead, FALSE);

  if (self->generator == NULL)
    self->generator = open_generator (self, error);
  /* The average may be read beside the generator's work, but not beside a step's. */
  if (self->generator == NULL || !urb_device_check (self->backend->table->sync (self->backend), error)
      || !urb_generator_refresh (self->generator, error))
    return FALSE;
  for (gint64 i = 0; i < count; i++)
    urb_generator_get_input (self->generator, seed, first + i, z + i * n_inputs);
  return urb_generator_run (self->generator, z, count, levels, error);
}

void
urb_trainer_set_trace (UrbTrainer *self, UrbTrace *trace)
{
  self->trace = trace;
  urb_interpreter_set_tracing (self->interpreter, trace != NULL);
}

void
urb_trainer_set_profiling (UrbTrainer *self, gboolean on)
{
  urb_interpreter_set_profiling (self->interpreter, on);
}

GArray *
urb_trainer_list_layers (UrbTrainer *self, double *total)
{
  return urb_interpreter_list_layers (self->interpreter, total);
}

char *
urb_trainer_dup_profile (UrbTrainer *self)
{
  double flops, copy;

  if (urb_interpreter_get_timing (self->interpreter, 0)->n_runs == 0)
    return NULL;
  urb_device_measure_peaks (self->backend, self->options.n_threads, &flops, &copy);
  return urb_interpreter_dup_profile (self->interpreter, flops, copy);
}
