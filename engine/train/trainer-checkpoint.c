/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trainer-checkpoint.c - a trainer's state, to and from a file.
 */
#include <string.h>

#include "train/checkpoint.h"
#include "train/device.h"
#include "train/trainer-private.h"

/* The blocks of a network. */
enum { PARAMS, EMA, MOMENT1, MOMENT2, STATE, N_KINDS };

G_STATIC_ASSERT (2 * N_KINDS == URB_TRAINER_MAX_BLOCKS);

void
urb_trainer_get_block (const UrbTrainer *self, int id, UrbTrainerBlock *block)
{
  int net = id / N_KINDS;
  const UrbProgramNet *slot = net == 0 ? &self->program->g : &self->program->d;
  int kind = id % N_KINDS;
  gboolean is_state = kind == STATE;
  const struct
  {
    const char *prefix, *what;
    int         buffer;
  } kinds[N_KINDS] = {
    [PARAMS] = { "", "the parameter", slot->params },
    [EMA] = { "ema.", "the average of", slot->ema },
    [MOMENT1] = { "moment1.", "the first moment of", slot->moment1 },
    [MOMENT2] = { "moment2.", "the second moment of", slot->moment2 },
    [STATE] = { "", "the running statistic", slot->state },
  };

  *block = (UrbTrainerBlock) {
    .id = id,
    .which = 3 * net + (is_state ? 2 : kind == PARAMS ? 0 : 1),
    .prefix = kinds[kind].prefix,
    .what = kinds[kind].what,
    .table = is_state ? slot->net->states : slot->net->params,
    .runs = is_state ? slot->state_runs : kind == PARAMS ? slot->runs : slot->moment_runs,
    .buffer = kinds[kind].buffer,
    .count = is_state ? slot->net->n_state : slot->net->n_params,
  };
}

guint
urb_trainer_list_blocks (const UrbTrainer *self, UrbTrainerBlock blocks[URB_TRAINER_MAX_BLOCKS])
{
  guint n = 0;

  for (int id = 0; id < URB_TRAINER_MAX_BLOCKS; id++)
    {
      urb_trainer_get_block (self, id, &blocks[n]);
      n += blocks[n].buffer >= 0;
    }
  return n;
}

/* ------------------------------------------------------------------------ */
/* Saving                                                                    */

/* A tensor of the file. */
typedef struct
{
  UrbTrainerBlock block;
  const UrbParam *param; /* borrowed */
} Source;

typedef struct
{
  UrbTrainer *trainer;
  GArray     *sources; /* of Source: in the order of the tensors; the conditions follow */
} Saving;

/* The last update may have produced values that only the next step would detect. */
static gboolean
read_tensor (gpointer data, gsize index, gint64 first, gint64 count, void *values, GError **error)
{
  Saving *self = data;
  const Source *source = &g_array_index (self->sources, Source, index);

  if (index >= self->sources->len)
    {
      memcpy (values, self->trainer->conditions->rows + first, (gsize) count * sizeof (float));
      return TRUE;
    }
  if (!urb_trainer_gather (self->trainer, &source->block, source->param->offset + first, count, values, error)
      || !urb_trainer_check_piece (self->trainer, &source->block, source->param, count, values, error))
    return FALSE;
  urb_param_from_block (source->param, count, self->trainer->backend->table->element_size, values);
  return TRUE;
}

static gboolean
write_checkpoint (UrbTrainer *self, const char *path, GError **error)
{
  UrbTrainerBlock blocks[URB_TRAINER_MAX_BLOCKS];
  guint n_blocks = urb_trainer_list_blocks (self, blocks);
  g_autoptr(GArray) tensors = g_array_new (FALSE, TRUE, sizeof (UrbTensor));
  g_autoptr(GArray) sources = g_array_new (FALSE, FALSE, sizeof (Source));
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr(GHashTable) metadata = NULL;
  UrbCheckpointInfo info = { .step = urb_trainer_get_step (self), .options = self->options,
                             .preset = self->preset,
                             .area_size_m = self->area_size_m, .dataset_id = self->dataset_id };
  Saving saving = { self, sources };

  if (urb_trainer_scales_loss (self))
    {
      info.loss_scale_g = self->loss_scale_g;
      info.loss_scale_d = self->loss_scale_d;
    }
  for (guint i = 0; i < n_blocks; i++)
    {
      urb_checkpoint_add_block (tensors, names, blocks[i].table, blocks[i].prefix,
                                self->backend->table->element_size);
      for (guint p = 0; p < blocks[i].table->len; p++)
        {
          Source source = { blocks[i], &g_array_index (blocks[i].table, UrbParam, p) };

          g_array_append_val (sources, source);
        }
    }
  if (self->conditions != NULL)
    {
      UrbTensor tensor = { .name = URB_CONDITIONS_TENSOR, .type = URB_TENSOR_F32, .n_dims = 2,
                           .shape = { self->conditions->n_rows, UK_N_SHARES } };

      g_array_append_val (tensors, tensor);
    }
  metadata = urb_checkpoint_info_to_metadata (&info);
  return urb_safetensors_write_pieces (path, (const UrbTensor *) (gpointer) tensors->data,
                                       tensors->len, read_tensor, &saving, metadata, error);
}

gboolean
urb_trainer_save (UrbTrainer *self, const char *path, GError **error)
{
  gboolean ok;

  g_return_val_if_fail (!self->is_ahead, FALSE);

  ok = (self->watch == NULL || urb_dataset_watch_settle (self->watch, error))
       && urb_async_hold (self->async, error) && write_checkpoint (self, path, error);
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

/* With the same shapes, another preset may still be another network. */
static gboolean
check_preset (const UrbTrainer *self, const UrbCheckpointInfo *info, GError **error)
{
  const char *name = self->options.preset;
  gboolean is_built_in = urb_preset_is_built_in (name);
  g_autofree char *difference = urb_preset_dup_difference (self->preset, info->preset);

  if (difference == NULL)
    return TRUE;
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_CHECKPOINT,
               is_built_in
                 ? "The preset %s of this version is not the one that the checkpoint of step %" G_GINT64_FORMAT
                   " was trained with: %s. To go on with that one, write preset=old.preset in the run's run.ini: "
                   "“resume” makes that file from the checkpoint. To train this one, start a new run."
                 : "The preset %s was edited since the checkpoint of step %" G_GINT64_FORMAT " was trained: %s. "
                   "Undo that, or delete the file: “resume” makes it again from the checkpoint. To train "
                   "the edited one, start a new run with it.", name, info->step, difference);
  return FALSE;
}

/* A run that scales its losses only now begins with the setting. */
static void
restore_loss_scales (UrbTrainer *self, const UrbCheckpointInfo *info)
{
  if (urb_trainer_scales_loss (self) && info->loss_scale_g.scale > 0)
    self->loss_scale_g = info->loss_scale_g;
  if (urb_trainer_scales_loss (self) && info->loss_scale_d.scale > 0)
    self->loss_scale_d = info->loss_scale_d;
}

/* Before anything is overwritten. */
static gboolean
check_tensors (const UrbTrainerBlock *blocks, guint n_blocks, UrbSafetensors *file, GError **error)
{
  for (guint i = 0; i < n_blocks; i++)
    for (guint p = 0; p < blocks[i].table->len; p++)
      if (urb_checkpoint_find_tensor (file, &g_array_index (blocks[i].table, UrbParam, p),
                                      blocks[i].prefix, error) == NULL)
        return FALSE;
  return TRUE;
}

/* @room: of urb_trainer_get_piece_bytes() */
static gboolean
restore_tensor (UrbTrainer *self, UrbSafetensors *file, const UrbTrainerBlock *block,
                const UrbParam *param, void *room, GError **error)
{
  const UrbTensor *tensor = urb_checkpoint_find_tensor (file, param, block->prefix, error);
  gsize size = self->backend->table->element_size;
  gint64 most = urb_trainer_count_piece (self, param);

  for (gint64 first = 0; tensor != NULL && first < param->count; first += most)
    {
      gint64 count = MIN (most, param->count - first);

      urb_checkpoint_read_piece (tensor, param, first, count, room, size);
      if (!urb_trainer_spread (self, block, param->offset + first, count, room, error))
        return FALSE;
    }
  return tensor != NULL;
}

static gboolean
restore_blocks (UrbTrainer *self, UrbSafetensors *file, GError **error)
{
  UrbTrainerBlock blocks[URB_TRAINER_MAX_BLOCKS];
  guint n_blocks = urb_trainer_list_blocks (self, blocks);
  g_autofree void *room = g_malloc (urb_trainer_get_piece_bytes (self));

  if (!check_tensors (blocks, n_blocks, file, error))
    return FALSE;
  for (guint i = 0; i < n_blocks; i++)
    for (guint p = 0;
         p < blocks[i].table->len && urb_async_may_fill (self->async, self->program, blocks[i].buffer);
         p++)
      if (!restore_tensor (self, file, &blocks[i], &g_array_index (blocks[i].table, UrbParam, p), room,
                           error))
        return FALSE;
  return TRUE;
}

gboolean
urb_trainer_restore (UrbTrainer *self, const char *path, GError **error)
{
  g_autoptr(UrbSafetensors) file = urb_safetensors_open (path, error);
  g_auto(UrbCheckpointInfo) info = { 0 };

  g_return_val_if_fail (!self->is_ahead, FALSE);

  if (file == NULL || !urb_checkpoint_info_read (&info, file, path, error)
      || (self->watch != NULL && !urb_dataset_watch_settle (self->watch, error))
      || !check_dataset (self, &info, error) || !check_refiner (self, &info, path, error)
      || !check_preset (self, &info, error)
      || !urb_async_hold (self->async, error) || !restore_blocks (self, file, error))
    return FALSE;
  /* The other ranks continue with it at once. */
  if (!urb_device_check (self->backend->table->sync (self->backend), error))
    return FALSE;
  urb_trainer_set_step (self, info.step);
  restore_loss_scales (self, &info);
  urb_async_restart (self->async, info.step, self->options.n_steps);
  return urb_interpreter_run_prologue (self->interpreter, error);
}
