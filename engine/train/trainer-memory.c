/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trainer-memory.c - whether a trainer's memory is free, before it is allocated.
 */
#include "train/trainer-private.h"

#include "train/device.h"
#include "train/memory.h"

static gboolean
check_fits (gint64 needed, gint64 available, const char *what, GError **error)
{
  g_autofree char *needed_text = g_format_size ((guint64) needed);
  g_autofree char *available_text = g_format_size ((guint64) available);

  if (needed <= available)
    return TRUE;
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_MEMORY,
               "The run needs %s of %s and %s are free; choose a smaller --batch, more "
               "--accumulate, or a smaller preset.", needed_text, what, available_text);
  return FALSE;
}

static gboolean
check_limit (gint64 needed, const UrbTrainOptions *options, GError **error)
{
  g_autofree char *needed_text = g_format_size ((guint64) needed);

  if (needed <= urb_train_options_get_rank_bytes (options))
    return TRUE;
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_MEMORY,
               "A rank needs %s, and --rank-memory leaves it %g GB; raise it, or choose a smaller --batch, more "
               "--accumulate, or a smaller preset.", needed_text, options->rank_memory);
  return FALSE;
}

gboolean
urb_trainer_check_memory (const UrbTrainer *self, gint64 n_tiles, gint64 sampler, GError **error)
{
  gint64 program = urb_program_get_bytes (self->program), loader = 0;
  gint64 shared = self->async != NULL ? urb_async_count_shared (self->program, &self->options) : 0;
  /* Rank 0 checks for all ranks of this machine, before the others allocate.  The ranks of a pipeline
   * differ: each checks for itself. */
  gboolean for_all = self->rank.rank == 0 && urb_train_options_get_mesh (&self->options).pipe == 1;
  gint64 n_asked = for_all ? self->rank.n_local : 1;
  gint64 n_on_device = self->rank.comm != NULL && for_all ? self->rank.n_on_device : n_asked;

  if (self->shard.count > 0)
    loader = urb_loader_count_bytes (n_tiles, urb_shard_get_n (&self->shard), &self->tiles);
  if (!check_limit (program - shared + sampler + (self->backend->table->is_host ? loader : 0), &self->options, error))
    return FALSE;
  if (self->async != NULL && self->async->worker.rank > 0)
    program -= shared;
  if (self->backend->table->is_host)
    return check_fits ((program + loader) * n_asked + sampler, urb_memory_get_of_host (), "memory", error)
           && check_fits (program + loader + sampler, urb_memory_get_of_process (), "memory for a process",
                          error);
  return check_fits (loader * n_asked, urb_memory_get_of_host (), "memory", error)
         && check_fits (program * n_on_device + sampler, urb_device_get_available (self->backend),
                        "the GPU's memory", error);
}
