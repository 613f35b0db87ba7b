/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint.h - the metadata of a checkpoint.
 *
 * Independent of the strategy: tensors by name, as one process has them.  The preset's text and the
 * run's options are included, so that a checkpoint suffices to generate, and any strategy can
 * resume from it.  docs/checkpoints.md documents names and metadata.
 */
#pragma once

#include "model/net.h"
#include "settings/preset.h"
#include "settings/run-config.h"
#include "train/loss-scale.h"
#include "train/safetensors.h"

G_BEGIN_DECLS

typedef struct
{
  gint64          step;
  UrbTrainOptions options;     /* resolved */
  UrbPreset      *preset;      /* owned */
  double          area_size_m;
  char           *dataset_id;  /* (nullable) owned */
  UrbLossScale    loss_scale_g, loss_scale_d; /* scale 0: none */
} UrbCheckpointInfo;

void urb_checkpoint_info_clear (UrbCheckpointInfo *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbCheckpointInfo, urb_checkpoint_info_clear)

/* (element-type utf8 utf8) (transfer full) */
GHashTable *urb_checkpoint_info_to_metadata (const UrbCheckpointInfo *self);
/* @has: (out): whether the checkpoint @path has a refiner.  Returns: FALSE if it cannot be read */
gboolean    urb_checkpoint_find_refiner (const char *path, gboolean *has);
/* @path: for messages. */
gboolean    urb_checkpoint_info_read (UrbCheckpointInfo *self, UrbSafetensors *file,
                                      const char *path, GError **error);

/* A block of a network is a sequence of tensors named "@prefix" + the parameter's name.
 * @table: of UrbParam; @element_size: 4 or 8. */

/* Adds the block's tensors, without data, to @tensors (of UrbTensor), and their names to @names. */
void     urb_checkpoint_add_block  (GArray *tensors, GPtrArray *names, const GArray *table,
                                    const char *prefix, gsize element_size);
/* The tensor of a parameter; NULL with %URB_TRAIN_ERROR_CHECKPOINT if it is missing or has another
 * shape. (transfer none) */
const UrbTensor *urb_checkpoint_find_tensor (UrbSafetensors *file, const UrbParam *param,
                                             const char *prefix, GError **error);
/* Elements [@first, @first + @count) of @tensor, whole rows of @param, in the order of blocks and converted to
 * @element_size. */
void     urb_checkpoint_read_piece (const UrbTensor *tensor, const UrbParam *param, gint64 first, gint64 count,
                                    void *out, gsize element_size);
/* @block: (out): all tensors of it */
gboolean urb_checkpoint_read_block (UrbSafetensors *file, const GArray *table, const char *prefix,
                                    void *block, gsize element_size, GError **error);

/* The checkpoint of @path: itself if it is a file; of a run folder that of the best score, or without scores
 * the newest; RUN/best and RUN/newest name one of them. (transfer full) */
char *urb_checkpoint_find (const char *path, GError **error);

G_END_DECLS
