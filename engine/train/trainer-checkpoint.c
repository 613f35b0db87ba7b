/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trainer-checkpoint.c - a trainer's state, to and from a file, and to other ranks.
 */
#include "train/checkpoint.h"
#include "train/device.h"
#include "train/trainer-private.h"

guint
urb_trainer_list_blocks (const UrbTrainer *self, UrbTrainerBlock blocks[URB_TRAINER_MAX_BLOCKS])
{
  const UrbProgramNet *slots[] = { &self->program->g, &self->program->d };
  guint n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (slots); i++)
    {
      const UrbProgramNet *slot = slots[i];
      const UrbNet *net = slot->net;
      const UrbTrainerBlock all[] = {
        { "", "the parameter", net->params, slot->params, net->n_params },
        { "ema.", "the average of", net->params, slot->ema, net->n_params },
        { "moment1.", "the first moment of", net->params, slot->moment1, net->n_params },
        { "moment2.", "the second moment of", net->params, slot->moment2, net->n_params },
        { "", "the running statistic", net->states, slot->state, net->n_state },
      };

      for (gsize j = 0; j < G_N_ELEMENTS (all); j++)
        if (all[j].buffer >= 0)
          blocks[n++] = all[j];
    }
  return n;
}

static gsize
block_bytes (const UrbTrainer *self, const UrbTrainerBlock *block)
{
  return (gsize) block->count * self->backend->table->element_size;
}

/* A block's values in place if this process can read them, else a copy owned by @memory. */
static const void *
read_values (UrbTrainer *self, const UrbTrainerBlock *block, GPtrArray *memory, GError **error)
{
  void *device = urb_interpreter_get_memory (self->interpreter, block->buffer), *copy;
  UkStatus status;

  if (self->backend->table->is_host)
    return device;
  copy = g_malloc (block_bytes (self, block));
  g_ptr_array_add (memory, copy);
  status = self->backend->table->read (self->backend, copy, device, block_bytes (self, block));
  return urb_device_check (status, error) ? copy : NULL;
}

static gboolean
write_checkpoint (UrbTrainer *self, const char *path, GError **error)
{
  UrbTrainerBlock blocks[URB_TRAINER_MAX_BLOCKS];
  guint n_blocks = urb_trainer_list_blocks (self, blocks);
  g_autoptr(GArray) tensors = g_array_new (FALSE, TRUE, sizeof (UrbTensor));
  g_autoptr(GPtrArray) memory = g_ptr_array_new_with_free_func (g_free); /* names and blocks */
  g_autoptr(GHashTable) metadata = NULL;
  UrbCheckpointInfo info = { .step = urb_trainer_get_step (self), .options = self->options,
                             .preset = self->preset,
                             .area_size_m = self->area_size_m, .dataset_id = self->dataset_id };

  for (guint i = 0; i < n_blocks; i++)
    {
      const void *values = read_values (self, &blocks[i], memory, error);

      /* The last update may have produced values that only the next step would detect. */
      if (values == NULL || !urb_trainer_check_block (self, &blocks[i], values, error))
        return FALSE;
      urb_checkpoint_add_block (tensors, memory, blocks[i].table, blocks[i].prefix, values,
                                self->backend->table->element_size);
    }
  metadata = urb_checkpoint_info_to_metadata (&info);
  return urb_safetensors_write (path, (const UrbTensor *) (gpointer) tensors->data, tensors->len,
                                metadata, error);
}

gboolean
urb_trainer_save (UrbTrainer *self, const char *path, GError **error)
{
  gboolean ok = urb_async_hold (self->async, error) && write_checkpoint (self, path, error);

  urb_async_release (self->async);
  return ok;
}

static gboolean
check_dataset (const UrbTrainer *self, const UrbCheckpointInfo *info, GError **error)
{
  if (g_strcmp0 (self->dataset_id, info->dataset_id) == 0)
    return TRUE;
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DATASET,
               "The dataset %s is not the one that the checkpoint was trained on: it was changed or "
               "replaced. Bring the old one back, or start a new run.",
               self->options.dataset != NULL ? self->options.dataset : "(random tiles)");
  return FALSE;
}

static gboolean
check_refiner (const UrbTrainer *self, const UrbCheckpointInfo *info, const char *path, GError **error)
{
  if (self->options.refine == info->options.refine)
    return TRUE;
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_CHECKPOINT,
               "The checkpoint %s has %s refiner, and the run is to train %s. Set refine=%s in the run's "
               "run.ini.", path, info->options.refine ? "a" : "no", info->options.refine ? "none" : "one",
               info->options.refine ? "true" : "false");
  return FALSE;
}

static gboolean
read_block (UrbTrainer *self, UrbSafetensors *file, const UrbTrainerBlock *block, GError **error)
{
  g_autofree void *copy = g_malloc (block_bytes (self, block));

  return urb_checkpoint_read_block (file, block->table, block->prefix, copy,
                                    self->backend->table->element_size, error)
         && urb_trainer_write (self, block->buffer, copy, (gint64) block_bytes (self, block), error);
}

gboolean
urb_trainer_restore (UrbTrainer *self, const char *path, GError **error)
{
  g_autoptr(UrbSafetensors) file = urb_safetensors_open (path, error);
  g_auto(UrbCheckpointInfo) info = { 0 };
  UrbTrainerBlock blocks[URB_TRAINER_MAX_BLOCKS];
  guint n_blocks = urb_trainer_list_blocks (self, blocks);

  if (file == NULL || !urb_checkpoint_info_read (&info, file, path, error)
      || !check_dataset (self, &info, error) || !check_refiner (self, &info, path, error)
      || !urb_async_hold (self->async, error))
    return FALSE;
  for (guint i = 0; i < n_blocks; i++)
    if (urb_async_may_fill (self->async, self->program, blocks[i].buffer)
        && !read_block (self, file, &blocks[i], error))
      return FALSE;
  /* The other ranks continue with it at once. */
  if (!urb_device_check (self->backend->table->sync (self->backend), error))
    return FALSE;
  urb_trainer_set_step (self, info.step);
  urb_async_restart (self->async, info.step, self->options.n_steps);
  return urb_interpreter_run_prologue (self->interpreter, error);
}

gboolean
urb_trainer_share (UrbTrainer *self, gint64 step, GError **error)
{
  UrbTrainerBlock blocks[URB_TRAINER_MAX_BLOCKS];
  /* Replicas of dp only have parameters, which they get in every step. */
  guint n_blocks = self->options.strategy == URB_STRATEGY_DDP
                     ? urb_trainer_list_blocks (self, blocks) : 0;

  for (guint i = 0; i < n_blocks; i++)
    {
      void *memory = urb_interpreter_get_memory (self->interpreter, blocks[i].buffer);
      UrbCollective what = { .kind = URB_COLLECTIVE_BROADCAST, .count = blocks[i].count,
                             .element = self->backend->table->element_size == 8 ? URB_ELEMENT_F64
                                                                                : URB_ELEMENT_F32 };

      if (!(self->link != NULL
              ? urb_device_link_run (self->link, &what, memory, memory, error)
              : urb_comm_run (self->rank.comm, &what, memory, memory, error)))
        return FALSE;
    }
  urb_trainer_set_step (self, step);
  return urb_interpreter_run_prologue (self->interpreter, error);
}
