/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trainer-private.h - shared by the files of a trainer.
 *
 *   trainer.c              opening, a step
 *   trainer-inputs.c       what a step is given
 *   trainer-checkpoint.c   its state, to and from a file
 *   trainer-pieces.c       its state in pieces, of which other ranks may have some
 *   trainer-report.c       what a step reports, and the loss scales that follow it
 *   trainer-diverged.c     the first tensor that is not finite
 *   trainer-watch.c        its position, on the status board
 */
#pragma once

#include "dataset/dataset-watch.h"
#include "model/networks.h"
#include "parallel/device-link.h"
#include "settings/recipe.h"
#include "step/interpreter.h"
#include "train/async.h"
#include "train/conditions.h"
#include "train/generator.h"
#include "train/loader.h"
#include "train/loss-scale.h"
#include "train/network-pair.h"
#include "train/step-ring.h"
#include "train/storage.h"
#include "train/trace.h"
#include "train/trainer.h"

G_BEGIN_DECLS

/* A step that the device has been given. */
typedef struct
{
  UrbSchedule schedule;
  int         mark; /* in the device's work, after it */
} UrbFlight;

struct _UrbTrainer
{
  UrbTrainOptions options;
  UrbRank         rank;
  UrbShard        shard;
  UrbPreset      *preset;
  UrbTileFormat   tiles;
  double          area_size_m;
  char           *dataset_id;
  UrbDatasetWatch *watch;    /* (nullable) of the rank that verifies the dataset for its process or host */
  UrbNetworkPair  nets;
  UrbConditions  *conditions; /* (nullable) of a generator with shares */
  UkBackend      *backend;
  UrbMeshComm     comm;      /* with the other ranks; comm.all: (nullable) */
  UrbDeviceLink  *link;      /* (nullable) to the other ranks, with values on devices */
  UrbProgram     *program;
  UrbInterpreter *interpreter;
  UrbStepRing    *ring;      /* what a step is given, and what it reports */
  UrbFlight       flights[UK_N_MARKS]; /* of the current step and of the next one, in turn */
  gboolean        may_go_ahead; /* see urb_trainer_allow_ahead() */
  gboolean        is_ahead;  /* the step after `step` has begun already */
  UrbLoader      *loader;
  UrbGenerator   *generator; /* (nullable) created with the first sample */
  UrbStorage     *storage;   /* (nullable) of what the device's memory does not have */
  GArray        **runs;      /* (n_ranks, URB_TRAINER_N_TABLES) (nullable), owned, of UrbRun: what each
                              * rank holds; NULL: rank 0 has everything */
  gboolean        is_served; /* of rank 0: the other ranks wait for its requests */
  UrbAsync       *async;     /* (nullable) of an asynchronous rank */
  gint64          next_tiles_step; /* whose tiles are on the device already; -1: none */
  gint64          step;      /* done; of an asynchronous rank: the current one */
  /* Products of the betas of the first product_steps steps. */
  gint64          product_steps;
  double          beta1_product, beta2_product;
  UrbLossScale    loss_scale_g, loss_scale_d;
  gboolean        tries_rates; /* instead of the schedule's … */
  double          lr_g, lr_d;  /* … these */
  UrbTrace       *trace;     /* (nullable) borrowed */
  int             nan_at;    /* instruction at which a fault may inject a NaN … */
  gint64          nan_step;  /* … and the step in which it did; -1: none */
};

/* What a rank holds of the blocks of either network: of the parameters, of moments and average, of the
 * statistics. */
enum { URB_TRAINER_N_TABLES = 6 };

/* A block of a network in checkpoints. */
typedef struct
{
  int           id;     /* the same on all ranks */
  int           which;  /* of the tables */
  const char   *prefix; /* (static) of its tensors' names */
  const char   *what;   /* (static) "the first moment of", for messages */
  const GArray *table;  /* of UrbParam */
  const GArray *runs;   /* of UrbRun (nullable), borrowed: what this rank holds; NULL: all of it */
  int           buffer; /* -1: this rank has none */
  gint64        count;  /* elements of the whole block */
} UrbTrainerBlock;

enum { URB_TRAINER_MAX_BLOCKS = 10 };

guint    urb_trainer_list_blocks (const UrbTrainer *self,
                                  UrbTrainerBlock blocks[URB_TRAINER_MAX_BLOCKS]);

/* In trainer-pieces.c: elements [@first, @first + @count) of a block on all ranks.  Rank 0 calls them
 * while the others serve it (urb_trainer_serve), or without other ranks.
 * @values: (@count) reals in the host's memory, at most urb_trainer_get_piece_bytes() */
gboolean urb_trainer_gather (UrbTrainer *self, const UrbTrainerBlock *block, gint64 first,
                             gint64 count, void *values, GError **error);
gboolean urb_trainer_spread (UrbTrainer *self, const UrbTrainerBlock *block, gint64 first,
                             gint64 count, const void *values, GError **error);
/* Writes this rank's part of these elements; it has the values of all. */
gboolean urb_trainer_write_piece (UrbTrainer *self, const UrbTrainerBlock *block, gint64 first,
                                  gint64 count, const void *values, GError **error);
/* Elements of a piece of a tensor, whole rows, and the room for any piece of this trainer's tensors. */
gint64   urb_trainer_count_piece     (const UrbTrainer *self, const UrbParam *param);
gsize    urb_trainer_get_piece_bytes (const UrbTrainer *self);
/* Collective: tells all ranks what each holds, if rank 0 has not everything. */
gboolean urb_trainer_share_runs (UrbTrainer *self, GError **error);
void     urb_trainer_free_runs  (UrbTrainer *self);
/* The block with this number, on this rank. */
void     urb_trainer_get_block (const UrbTrainer *self, int id, UrbTrainerBlock *block);

/* Reals of a block that this rank has, wherever they are: @first counts in its own block.
 * @values: (@count) in the host's memory, in the backend's precision */
gboolean urb_trainer_read_own  (UrbTrainer *self, int buffer, gint64 first, gint64 count, void *values,
                                GError **error);
/* Whether a buffer is in the storage. */
gboolean urb_trainer_is_outside (const UrbTrainer *self, int buffer);
/* The whole average, for the generator's interpreter to receive from. */
UrbTransport urb_trainer_get_average (UrbTrainer *self);

/* Sets the number of steps done. */
void     urb_trainer_set_step (UrbTrainer *self, gint64 step);

/* Takes @dataset, for the tiles of this rank's steps. */
gboolean urb_trainer_open_loader  (UrbTrainer *self, UrbDataset *dataset, GError **error);
void     urb_trainer_close_loader (UrbTrainer *self);
/* Sends all inputs of @step to the device, in order with its work; the step two before it must be done.
 * @schedule: (out) */
gboolean urb_trainer_send_inputs (UrbTrainer *self, gint64 step, UrbSchedule *schedule, GError **error);
/* Sends the tiles of @step while the device computes an earlier one; the one two before it must be done. */
void     urb_trainer_send_next_tiles (UrbTrainer *self, gint64 step);
/* Counts a step in Adam's corrections, if this rank has moments of its own; others follow the step's number. */
void     urb_trainer_advance_products (UrbTrainer *self, const UrbSchedule *schedule);

/* Whether the memory of the planned program is free; rank 0 asks for all ranks of this machine.
 * @n_tiles: that the loader may cache
 * @sampler: bytes to draw samples with */
gboolean urb_trainer_check_memory (const UrbTrainer *self, gint64 n_tiles, gint64 sampler, GError **error);

/* What a step reports. */
typedef struct
{
  double slots[URB_N_SLOTS];
  int    n_skipped_g, n_skipped_d; /* updates whose gradient was not finite */
} UrbStepReport;

/* Of the current step, which is done. */
void     urb_trainer_read_report   (UrbTrainer *self, UrbStepReport *out);
/* Fills in @metrics, and changes the loss scales for the next step.  Returns: FALSE if the training has diverged */
gboolean urb_trainer_follow_report (UrbTrainer *self, const UrbStepReport *report, const UrbSchedule *schedule,
                                    UrbStepMetrics *metrics);

/* Whether the gradients of the losses are scaled. */
gboolean urb_trainer_scales_loss (const UrbTrainer *self);

/* Shows this rank's position on the status board.  Call it once, before the first step. */
void     urb_trainer_watch (UrbTrainer *self);

/* Finds the origin of non-finite @metrics, and returns FALSE. */
gboolean urb_trainer_fail_diverged (UrbTrainer *self, const UrbStepMetrics *metrics, GError **error);
/* Whether elements of a tensor are finite.  @values: (@count) reals in the host's memory */
gboolean urb_trainer_check_piece (UrbTrainer *self, const UrbTrainerBlock *block,
                                  const UrbParam *param, gint64 count, const void *values,
                                  GError **error);

G_END_DECLS
