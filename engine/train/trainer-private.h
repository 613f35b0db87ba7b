/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trainer-private.h - what the files of a trainer share.
 *
 *   trainer.c              opening, a step
 *   trainer-checkpoint.c   its state, to a file and back, and to the other ranks
 *   trainer-diverged.c     what was the first tensor that is not finite
 *   trainer-watch.c        where it is, on the status board
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
  UrbDeviceLink  *link;      /* (nullable) to the other ranks, where numbers are on devices */
  UrbProgram     *program;
  UrbInterpreter *interpreter;
  UrbLoader      *loader;
  UrbGenerator   *generator; /* (nullable) made at the first sample */
  UrbAsync       *async;     /* (nullable) asynchronous ranks */
  gint64          next_tiles_step; /* whose tiles wait on the device; -1: none do */
  gint64          step;      /* done; of an asynchronous rank: the one it is in */
  /* Of the betas of the first so many steps. */
  gint64          product_steps;
  double          beta1_product, beta2_product;
  UrbTrace       *trace;     /* (nullable) borrowed */
  int             nan_at;    /* an instruction: where a fault may put a NaN … */
  gint64          nan_step;  /* … and in which step one did; -1: none */
};

/* The blocks of both networks that a checkpoint holds. */
typedef struct
{
  const char   *prefix; /* (static) of its tensors there */
  const char   *what;   /* (static) "the first moment of", for people */
  const GArray *table;  /* of UrbParam */
  int           buffer;
  gint64        count;
} UrbTrainerBlock;

enum { URB_TRAINER_MAX_BLOCKS = 10 };

guint    urb_trainer_list_blocks (const UrbTrainer *self,
                                  UrbTrainerBlock blocks[URB_TRAINER_MAX_BLOCKS]);

/* What the backend said of numbers that were to be moved. */
gboolean urb_trainer_check_device (UkStatus status, GError **error);
/* Host bytes into a buffer of the program. */
gboolean urb_trainer_write (UrbTrainer *self, int buffer, const void *bytes, gint64 n_bytes,
                            GError **error);
/* Whether this rank may write to a buffer, or another has or does. */
gboolean urb_trainer_may_fill (const UrbTrainer *self, int buffer);
/* As if so many steps had been done. */
void     urb_trainer_set_step (UrbTrainer *self, gint64 step);

/* Shows on the status board where this rank is.  Once, before the first step. */
void     urb_trainer_watch (UrbTrainer *self);

/* A step made @metrics that are not finite: finds where that began, and returns FALSE. */
gboolean urb_trainer_fail_diverged (UrbTrainer *self, const UrbStepMetrics *metrics, GError **error);
/* Whether all of a block is finite.  @values: its, where this process can read them. */
gboolean urb_trainer_check_block (UrbTrainer *self, const UrbTrainerBlock *block, const void *values,
                                  GError **error);

G_END_DECLS
