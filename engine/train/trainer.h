/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trainer.h - one training run inside one process: options in, steps, metrics,
 * checkpoints and samples out.
 *
 * The worker of engine/run/ owns one of these.  Not thread-safe: call it from
 * one thread (it has its own loader thread inside).
 */
#pragma once

#include <gio/gio.h>

#include "kernels/uk.h"
#include "parallel/rank.h"
#include "settings/metrics.h"
#include "settings/run-config.h"

G_BEGIN_DECLS

typedef struct _UrbTrainer UrbTrainer;

/* Opens the dataset, builds the networks, compiles and plans the step program,
 * checks that it fits into memory, allocates, initialises the weights.
 * @rank: (nullable): copied; NULL for the only rank.  Of several ranks each has a trainer of its own;
 * see train/group.h, which drives them. */
UrbTrainer *urb_trainer_new  (const UrbTrainOptions *options, const UrbRank *rank, GError **error);
void        urb_trainer_free (UrbTrainer *self);
/* Once all ranks have their trainers, and before any is asked for more: ranks that have a GPU each
 * talk from GPU to GPU from now on. */
gboolean    urb_trainer_connect (UrbTrainer *self, GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbTrainer, urb_trainer_free)

/* (nullable) Through what ranks on GPUs talk, for people: "NCCL" or "the host's memory"; NULL for a
 * rank that does not, or is on a host. */
const char *urb_trainer_get_link (UrbTrainer *self);

/* With every 0 replaced by what is used. (transfer none) */
const UrbTrainOptions *urb_trainer_get_options (UrbTrainer *self);
gint64                 urb_trainer_get_step    (UrbTrainer *self); /* steps done, by all ranks */
/* What it computes on. (transfer none) */
UkBackend             *urb_trainer_get_backend (UrbTrainer *self);
int                    urb_trainer_get_size_px (UrbTrainer *self);
int                    urb_trainer_get_n_channels (UrbTrainer *self);

/* One training step of this rank.  Asynchronous ranks (hogwild, streams) number their steps as they
 * finish; metrics->step is 0 if the others have done the last ones and none was left.  With
 * URB_TRAIN_ERROR_DIVERGED a network whose gradients were not finite keeps its weights; the step does
 * not count: restore a checkpoint.  The message names the first tensor that is not finite, as far as
 * that can be found out afterwards. */
gboolean urb_trainer_step (UrbTrainer *self, UrbStepMetrics *metrics, GError **error);

/* Asynchronous ranks; each of these does nothing for others.
 * begin: Takes part in the work on the shared parameters: rank 0 declares them filled, the others wait
 *   for that.  A step does it by itself.
 * leave: No rank waits for this one from now on.
 * hold: Lets the other ranks finish the steps they are in, and holds them until release(), until
 *   urb_trainer_save(), or until urb_trainer_step() has a step to do.  FALSE with
 *   %URB_TRAIN_ERROR_CHECKPOINT if a rank hangs in its step. */
gboolean urb_trainer_begin   (UrbTrainer *self, GError **error);
void     urb_trainer_leave   (UrbTrainer *self);
gboolean urb_trainer_hold    (UrbTrainer *self, GError **error);
void     urb_trainer_release (UrbTrainer *self);
gboolean urb_trainer_is_holding (UrbTrainer *self);

/* Everything: weights, EMA, moments, counters, options.  Atomic.  With URB_TRAIN_ERROR_DIVERGED
 * something of it is not finite, and what is at @path stays as it is. */
gboolean urb_trainer_save    (UrbTrainer *self, const char *path, GError **error);
/* Back to a checkpoint of the same networks.  Training then goes on bit for
 * bit as it went on from there the first time (but for asynchronous ranks).  Where
 * others train on shared parameters already, only what is this rank's own is read. */
gboolean urb_trainer_restore (UrbTrainer *self, const char *path, GError **error);

/* Collective: every rank takes over what rank 0 has after @step steps. */
gboolean urb_trainer_share   (UrbTrainer *self, gint64 step, GError **error);

/* Images of the EMA generator: latent vectors @first .. @first + @count of
 * @seed.  @levels: (out): (@count, size, size, channels) bytes.  Does not
 * disturb the training in any bit. */
gboolean urb_trainer_sample (UrbTrainer *self, guint64 seed, gint64 first, gint64 count,
                             guint8 *levels, GError **error);

/* How stale the updates of asynchronous ranks were and how many collided, of all of them so far:
 * see urb_shared_params_dup_json().  NULL for other strategies. */
char *urb_trainer_dup_asynchrony (UrbTrainer *self);
/* The same as a sentence for people. */
char *urb_trainer_dup_asynchrony_text (UrbTrainer *self);

typedef struct _UrbTrace UrbTrace; /* trace.h */

/* Steps from now on are added to @trace, which must outlive that; NULL: to none. */
void  urb_trainer_set_trace (UrbTrainer *self, UrbTrace *trace);

/* Time and speed of every instruction since the last call, as text for
 * `train --profile` and `bench`; NULL unless switched on. */
void  urb_trainer_set_profiling (UrbTrainer *self, gboolean on);
char *urb_trainer_dup_profile   (UrbTrainer *self);

G_END_DECLS
