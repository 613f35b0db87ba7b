/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trainer.h - trains one rank: options in; steps, metrics, checkpoints and samples out.
 *
 * Not thread-safe: call it from one thread (it has a loader thread of its own).
 */
#pragma once

#include <gio/gio.h>

#include "kernels/uk.h"
#include "parallel/rank.h"
#include "settings/metrics.h"
#include "settings/run-config.h"

G_BEGIN_DECLS

typedef struct _UrbTrainer UrbTrainer;

/* Opens the dataset, builds the networks, compiles and plans the step program, checks that it fits
 * into memory, allocates, initializes the weights.
 * @rank: (nullable): copied; NULL for the only rank.  Several ranks are driven by a group
 * (train/group.h). */
UrbTrainer *urb_trainer_new  (const UrbTrainOptions *options, const UrbRank *rank, GError **error);
void        urb_trainer_free (UrbTrainer *self);
/* After all ranks have their trainers, before the first step: connects ranks with a GPU each
 * directly, and tells each what the others hold. */
gboolean    urb_trainer_connect (UrbTrainer *self, GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbTrainer, urb_trainer_free)

/* (nullable) How ranks on GPUs are connected: "NCCL" or "the host's memory"; NULL for a rank on a
 * host, or without a communicator. */
const char *urb_trainer_get_link (UrbTrainer *self);

/* Whether the following calls of urb_trainer_step() may begin the next step before they return, so that a device
 * need not wait for the host; FALSE at first.  They do where that changes nothing: on a device, alone, without
 * loss scaling, profile and timeline. */
void                   urb_trainer_allow_ahead (UrbTrainer *self, gboolean allowed);
/* Whether a step has begun that was not returned.  Weights are then not those of a step: call only urb_trainer_step()
 * and urb_trainer_free(). */
gboolean               urb_trainer_is_ahead    (const UrbTrainer *self);

/* With every 0 resolved. (transfer none) */
const UrbTrainOptions *urb_trainer_get_options (UrbTrainer *self);
gint64                 urb_trainer_get_step    (UrbTrainer *self); /* steps done, by all ranks */
/* (transfer none) */
UkBackend             *urb_trainer_get_backend (UrbTrainer *self);
int                    urb_trainer_get_size_px (UrbTrainer *self);
int                    urb_trainer_get_n_channels (UrbTrainer *self);

/* One training step of this rank.  Asynchronous ranks (hogwild, streams) number their steps as they
 * finish; metrics->step is 0 if the others have done the last ones and none was left.  With
 * URB_TRAIN_ERROR_DIVERGED a network whose gradients were not finite keeps its weights, unless the next step
 * had begun; the step does not count: restore a checkpoint.  The message names the first tensor that is not
 * finite, as far as that can be found out afterwards. */
gboolean urb_trainer_step (UrbTrainer *self, UrbStepMetrics *metrics, GError **error);

/* All further steps have these learning rates, instead of those of the schedule, and the images and the noise of
 * the first step, so that their losses can be compared.  With a rate of 0 a network stands still. */
void     urb_trainer_try_rates (UrbTrainer *self, double lr_g, double lr_d);

typedef struct _UrbAsync UrbAsync; /* async.h */

/* (nullable) The part of an asynchronous rank in the shared parameters; NULL for a synchronous one.
 * urb_trainer_save() and this rank's next step release others that it holds. */
UrbAsync *urb_trainer_get_async (UrbTrainer *self);
/* Joins the work on the shared parameters: rank 0 declares them initialized, the others wait for
 * that.  A step does it if necessary. */
gboolean  urb_trainer_begin     (UrbTrainer *self, GError **error);

/* Root mean square of the weights of G, or of D if they are larger, as far as this rank has them.  Takes
 * as long as reading them once. */
double   urb_trainer_measure_weights (UrbTrainer *self);

/* Writes everything: weights, EMA, moments, counters, options.  Atomic.  Fails with
 * URB_TRAIN_ERROR_DIVERGED if any of it is not finite; an existing file then stays as it is. */
gboolean urb_trainer_save    (UrbTrainer *self, const char *path, GError **error);
/* Restores a checkpoint of the same networks.  Training then continues bit for bit as it did from
 * there the first time (except for asynchronous ranks).  If other ranks already train on shared
 * parameters, only this rank's own state is read. */
gboolean urb_trainer_restore (UrbTrainer *self, const char *path, GError **error);

/* Whether rank 0 has only a part of the networks: it then needs the other ranks to save and to draw. */
gboolean urb_trainer_is_divided    (UrbTrainer *self);
/* The other ranks: obey rank 0's requests for pieces of the networks, until it ends them. */
gboolean urb_trainer_serve         (UrbTrainer *self, GError **error);
/* Rank 0: from now on the others serve it … */
void     urb_trainer_begin_service (UrbTrainer *self);
/* … until here.  @step: the step that they continue from; -1: where they are */
gboolean urb_trainer_end_service   (UrbTrainer *self, gint64 step, GError **error);

/* Images of the EMA generator, for the latent vectors @first .. @first + @count of @seed.  @levels:
 * (out): (@count, size, size, channels) bytes.  Does not affect training in any bit. */
gboolean urb_trainer_sample (UrbTrainer *self, guint64 seed, gint64 first, gint64 count,
                             guint8 *levels, GError **error);

typedef struct _UrbTrace UrbTrace; /* trace.h */

/* Adds all steps from now on to @trace, which must outlive them; NULL: none. */
void  urb_trainer_set_trace (UrbTrainer *self, UrbTrace *trace);

/* Convolutions that run slowly on the device, as a sentence, after the first step; NULL if there are none.
 * (transfer full) (nullable) */
char *urb_trainer_dup_slow      (UrbTrainer *self);

/* Time and speed of every instruction since the last call, as text for `train --profile` and
 * `bench`; NULL unless profiling is on. */
void  urb_trainer_set_profiling (UrbTrainer *self, gboolean on);
char *urb_trainer_dup_profile   (UrbTrainer *self);
/* The same by layer: see urb_interpreter_list_layers(). */
GArray *urb_trainer_list_layers (UrbTrainer *self, double *total);

G_END_DECLS
