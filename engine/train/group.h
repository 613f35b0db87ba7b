/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group.h - the ranks of a run that live in this process, driven by the first of them.
 *
 * Each rank has a trainer of its own.  Three spawners give them the same context (parallel/rank.h):
 * the group starts threads for ranks that are not there yet; the supervisor starts worker processes
 * (`hogwild`), each a group of one rank; mpirun starts processes, of which rank 0 has the group and
 * the others call urb_group_follow().  One rank alone is a group, too.
 *
 * Synchronous ranks (dp, ddp) do every step together, as rank 0 commands.  If one fails, the next
 * exchange of the others fails with its reason.  Asynchronous ranks (streams, hogwild) do a step
 * whenever they can; finished steps, whoever did them, are returned in the order of their numbers.
 */
#pragma once

#include "train/trace-merge.h"
#include "train/trainer.h"

G_BEGIN_DECLS

typedef struct _UrbGroup UrbGroup;

/**
 * urb_group_new:
 * @options: with strategy and number of ranks; ranks in other processes get them from here
 * @rank: (nullable): the context of the first rank of this process, copied; NULL: it is alone.  Its
 *   communicator is taken, also in failure; board and shared parameters outlive the group.  Without
 *   communicator and shared parameters the other ranks are threads that are started here.
 *
 * Opens the trainers of all ranks and waits until they are ready.  The caller shows on the board what
 * rank 0 does, except its steps.
 */
UrbGroup   *urb_group_new  (const UrbTrainOptions *options, const UrbRank *rank, GError **error);
/* Ends the other ranks, and waits for threads. */
void        urb_group_free (UrbGroup *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbGroup, urb_group_free)

/* The first rank's trainer, for its options and its state.  Steps, restoring, saving and drawing go
 * through the group. */
UrbTrainer *urb_group_get_trainer (UrbGroup *self);

/* The next finished step; see urb_trainer_step().  After %URB_TRAIN_ERROR_DIVERGED the group may
 * restore a checkpoint; after another error it can only be freed. */
gboolean    urb_group_step    (UrbGroup *self, UrbStepMetrics *metrics, GError **error);
/* The first rank reads the file and passes on its contents. */
gboolean    urb_group_restore (UrbGroup *self, const char *path, GError **error);

/* Before a checkpoint is named: lets asynchronous ranks finish the steps they are in and holds them
 * until urb_group_save(), or until urb_group_step() does a step.  urb_trainer_get_step() is then the
 * step of the checkpoint, and the next @n_unreported calls of urb_group_step() return the steps up to
 * there, without doing any.  FALSE with %URB_TRAIN_ERROR_CHECKPOINT if a rank hangs in its step. */
gboolean    urb_group_quiesce (UrbGroup *self, gint64 *n_unreported, GError **error);
/* See urb_trainer_save(). */
gboolean    urb_group_save    (UrbGroup *self, const char *path, GError **error);
/* See urb_trainer_sample(). */
gboolean    urb_group_sample  (UrbGroup *self, guint64 seed, gint64 first, gint64 count,
                               guint8 *levels, GError **error);

/* Records when each instruction of the following steps runs, on all ranks … */
gboolean    urb_group_start_trace (UrbGroup *self, GError **error);
/* … until here, and writes the timeline @path (trace.h). */
gboolean    urb_group_end_trace   (UrbGroup *self, const char *path, UrbTraceSummary *summary,
                                   GError **error);

/* The whole work of a process whose rank is not 0, until rank 0 ends it.
 * @rank: with a communicator; borrowed */
gboolean    urb_group_follow  (const UrbRank *rank, GError **error);

G_END_DECLS
