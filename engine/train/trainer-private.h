/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trainer-private.h - shared by the files of a trainer.
 *
 *   trainer.c              opening, a step
 *   trainer-checkpoint.c   its state, to and from a file, and to other ranks
 *   trainer-diverged.c     the first tensor that is not finite
 *   trainer-watch.c        its position, on the status board
 */
#pragma once

#include "model/networks.h"
#include "parallel/device-link.h"
#include "step/interpreter.h"
#include "train/async.h"
#include "train/generator.h"
#include "train/loader.h"
#include "train/network-pair.h"
#include "train/trace.h"
#include "train/trainer.h"

G_BEGIN_DECLS

struct _UrbTrainer
{
  UrbTrainOptions options;
  UrbRank         rank;
  UrbShard        shard;
  UrbPreset      *preset;
  UrbTileFormat   tiles;
  double          area_size_m;
  char           *dataset_id;
  UrbNetworkPair  nets;
  UkBackend      *backend;
  UrbDeviceLink  *link;      /* (nullable) to the other ranks, with values on devices */
  UrbProgram     *program;
  UrbInterpreter *interpreter;
  UrbLoader      *loader;
  UrbGenerator   *generator; /* (nullable) created with the first sample */
  UrbAsync       *async;     /* (nullable) of an asynchronous rank */
  gint64          next_tiles_step; /* whose tiles are on the device already; -1: none */
  gint64          step;      /* done; of an asynchronous rank: the current one */
  /* Products of the betas of the first product_steps steps. */
  gint64          product_steps;
  double          beta1_product, beta2_product;
  UrbTrace       *trace;     /* (nullable) borrowed */
  int             nan_at;    /* instruction at which a fault may inject a NaN … */
  gint64          nan_step;  /* … and the step in which it did; -1: none */
};

/* A block of a network in checkpoints. */
typedef struct
{
  const char   *prefix; /* (static) of its tensors' names */
  const char   *what;   /* (static) "the first moment of", for messages */
  const GArray *table;  /* of UrbParam */
  int           buffer;
  gint64        count;
} UrbTrainerBlock;

enum { URB_TRAINER_MAX_BLOCKS = 10 };

guint    urb_trainer_list_blocks (const UrbTrainer *self,
                                  UrbTrainerBlock blocks[URB_TRAINER_MAX_BLOCKS]);

/* Copies host bytes into a buffer of the program. */
gboolean urb_trainer_write (UrbTrainer *self, int buffer, const void *bytes, gint64 n_bytes,
                            GError **error);
/* Sets the number of steps done. */
void     urb_trainer_set_step (UrbTrainer *self, gint64 step);

/* Shows this rank's position on the status board.  Call it once, before the first step. */
void     urb_trainer_watch (UrbTrainer *self);

/* Finds the origin of non-finite @metrics, and returns FALSE. */
gboolean urb_trainer_fail_diverged (UrbTrainer *self, const UrbStepMetrics *metrics, GError **error);
/* Whether a block is finite.  @values: its values, readable by this process. */
gboolean urb_trainer_check_block (UrbTrainer *self, const UrbTrainerBlock *block, const void *values,
                                  GError **error);

G_END_DECLS
