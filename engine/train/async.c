/* SPDX-License-Identifier: Apache-2.0 */
/*
 * async.c - see async.h.
 */
#include "train/async.h"

#include "kernels/uk-random.h"
#include "model/streams.h"

enum
{
  /* The first rank may draw a sample grid before its first step. */
  READY_TIMEOUT_S = 600,
  /* Longer than any sensible step. */
  HOLD_TIMEOUT_S = 120,
  /* By then the others have done their last steps, or found out that they have. */
  LEAVE_TIMEOUT_S = 10
};

UrbAsync *
urb_async_new (const UrbTrainOptions *options, const UrbRank *rank)
{
  const guint64 rng[2] = { options->seed, 0 };
  guint32 block[4];
  UrbAsync *self;

  if (!urb_strategy_is_asynchronous (options->strategy) || rank->shared == NULL)
    return NULL;
  self = g_new0 (UrbAsync, 1);
  self->n_ranks = options->n_ranks;
  self->shared = rank->shared;
  self->staleness = options->staleness;
  self->worker = (UrbHogwildWorker) { self->shared, rank->rank };
  uk_philox (rng, URB_STREAM_RANK, (guint64) rank->rank, block);
  /* Rank 0 sees the same data as a single process. */
  self->seed = rank->rank == 0 ? options->seed : (guint64) block[0] << 32 | block[1];
  /* N ranks make about N updates from the same old weights: see docs/strategies.md. */
  self->rate = options->stale_lr ? 1.0 / self->n_ranks : 1;
  if (rank->rank == 0)
    urb_shared_params_plan (self->shared);
  return self;
}

void
urb_async_free (UrbAsync *self)
{
  if (self == NULL)
    return;
  urb_async_leave (self);
  g_free (self);
}

/* Ranks may differ in threads and file locations, and a run may be extended before a worker is
 * replaced. */
static char *
describe (const UrbTrainOptions *options)
{
  g_auto(UrbTrainOptions) copy = { 0 };
  g_autoptr(GKeyFile) file = g_key_file_new ();

  urb_train_options_copy (&copy, options);
  copy.n_threads = 0;
  copy.n_steps = 0;
  g_clear_pointer (&copy.dataset, g_free);
  urb_train_options_to_key_file (&copy, file);
  return g_key_file_to_data (file, NULL, NULL);
}

static gboolean
is_heap (const UrbAsync *self)
{
  return urb_shared_params_get_fd (self->shared) < 0;
}

static gboolean
map_device (UrbAsync *self, UkBackend *backend, const char *device, GError **error)
{
  g_autoptr(GError) cause = NULL;

  if (backend->table->export_memory != NULL
      && urb_shared_params_map_device (self->shared, self->worker.rank, &self->layout, backend,
                                       &cause))
    return TRUE;
  if (cause != NULL && !g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED))
    g_propagate_error (error, g_steal_pointer (&cause));
  else
    g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
                 "Processes cannot share the memory of the device “%s”: choose the strategy "
                 "streams, whose ranks are threads.%s%s", device, cause != NULL ? " " : "",
                 cause != NULL ? cause->message : "");
  return FALSE;
}

gboolean
urb_async_attach (UrbAsync *self, const UrbProgram *program, UkBackend *backend,
                  const UrbTrainOptions *options, void ***lent, GError **error)
{
  g_autofree char *text = describe (options);
  int rank = self->worker.rank;

  urb_hogwild_get_layout (program, options->local_moments, text, &self->layout);
  self->fills = rank == 0 && (is_heap (self) || !urb_shared_params_is_ready (self->shared));
  if (!(is_heap (self) || backend->table->is_host
          ? urb_shared_params_map (self->shared, rank, &self->layout, error)
          : map_device (self, backend, options->backend, error)))
    return FALSE;
  *lent = urb_hogwild_list_blocks (program, self->shared);
  return TRUE;
}

gint64
urb_async_count_shared (const UrbProgram *program, const UrbTrainOptions *options)
{
  UrbSharedLayout layout;
  gint64 sum = 0;

  urb_hogwild_get_layout (program, options->local_moments, "", &layout);
  for (int net = 0; net < URB_SHARED_N_NETS; net++)
    for (int block = 0; block < URB_SHARED_N_BLOCKS; block++)
      sum += layout.n_bytes[net][block];
  return sum;
}

void
urb_async_detach (UrbAsync *self)
{
  urb_async_leave (self);
  urb_shared_params_unmap_device (self->shared, self->worker.rank, LEAVE_TIMEOUT_S);
}

gboolean
urb_async_check (UrbAsync *self, GError **error)
{
  g_autoptr(GError) cause = NULL;

  if (urb_shared_params_check_owner (self->shared, &cause))
    return TRUE;
  g_clear_error (error); /* a consequence */
  g_set_error_literal (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DEVICE, cause->message);
  return FALSE;
}

void
urb_async_connect (UrbAsync *self, const UrbProgram *program, UrbInterpreter *interpreter)
{
  if (is_heap (self) && self->worker.rank == 0)
    urb_hogwild_lend (program, interpreter, &self->layout, self->shared);
  urb_interpreter_set_listener (interpreter, urb_hogwild_note, &self->worker);
}

gboolean
urb_async_may_fill (const UrbAsync *self, const UrbProgram *program, int buffer)
{
  g_autofree void **blocks = NULL;

  if (self == NULL || self->fills)
    return TRUE;
  blocks = urb_hogwild_list_blocks (program, self->shared);
  return blocks[buffer] == NULL;
}

/* ------------------------------------------------------------------------ */

gboolean
urb_async_begin (UrbAsync *self, gint64 step, gint64 n_steps, GError **error)
{
  if (self == NULL || self->begun)
    return TRUE;
  /* The worker may have let the others start earlier; threads start again after each restore. */
  if (self->fills && (is_heap (self) || !urb_shared_params_is_ready (self->shared)))
    urb_shared_params_set_ready (self->shared, step, n_steps);
  else if (!urb_shared_params_wait_until_ready (self->shared, READY_TIMEOUT_S, error))
    return FALSE;
  if (!urb_shared_params_join (self->shared, self->worker.rank, error))
    return FALSE;
  /* About where it would be if all ranks were equally fast. */
  self->position = urb_shared_params_get_n_done (self->shared) / self->n_ranks;
  self->begun = TRUE;
  return TRUE;
}

void
urb_async_restart (UrbAsync *self, gint64 step, gint64 n_steps)
{
  if (self != NULL && self->begun && self->fills)
    {
      urb_shared_params_set_ready (self->shared, step, n_steps);
      self->position = step / self->n_ranks;
    }
  urb_async_release (self);
}

void
urb_async_leave (UrbAsync *self)
{
  if (self == NULL)
    return;
  if (self->begun)
    urb_shared_params_leave (self->shared, self->worker.rank);
  self->begun = self->held = FALSE;
}

gboolean
urb_async_hold (UrbAsync *self, GError **error)
{
  g_autoptr(GError) cause = NULL;

  if (self == NULL || !self->begun || self->held)
    return TRUE;
  self->held = urb_shared_params_hold (self->shared, self->worker.rank, HOLD_TIMEOUT_S, &cause);
  if (!self->held)
    g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_CHECKPOINT,
                 "No checkpoint could be saved: %s", cause->message);
  return self->held;
}

void
urb_async_release (UrbAsync *self)
{
  if (self == NULL || !self->held)
    return;
  urb_shared_params_release (self->shared, self->worker.rank);
  self->held = FALSE;
}
