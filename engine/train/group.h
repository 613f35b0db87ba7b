/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group.h - all ranks of a run, driven by rank 0.
 *
 * Every rank has a trainer of its own and does what rank 0 says: a step, or to
 * take over its state.  Ranks are threads of this process, or processes that
 * were started together and call urb_group_follow().  One rank is a group too.
 *
 * A rank that fails gives up for all: the others' next exchange fails with its
 * reason.
 */
#pragma once

#include "train/trace.h"
#include "train/trainer.h"

G_BEGIN_DECLS

typedef struct _UrbGroup UrbGroup;

/**
 * urb_group_new:
 * @options: with strategy and number of ranks; the others get them from here
 * @comm: (transfer full) (nullable): rank 0 of ranks that are processes; NULL: the
 *   others are threads that are started here
 * @board: (nullable): borrowed, outlives the group; where ranks show what they do.
 *   What rank 0 does beside its steps its owner writes.
 *
 * Opens the trainers of all ranks and waits until they are ready.
 */
UrbGroup   *urb_group_new  (const UrbTrainOptions *options, UrbComm *comm, UrbBoard *board,
                            GError **error);
/* One worker of an asynchronous run, which says nothing to the others: a group by itself.
 * @shared, @board (nullable): borrowed, outlive the group */
UrbGroup   *urb_group_new_worker (const UrbTrainOptions *options, int rank, UrbSharedParams *shared,
                                  UrbBoard *board, GError **error);
/* Lets the others go, and waits for those that are threads. */
void        urb_group_free (UrbGroup *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbGroup, urb_group_free)

/* That of rank 0, for all that concerns it alone: options, saving, drawing.
 * Its step and restore are the group's. */
UrbTrainer *urb_group_get_trainer (UrbGroup *self);

/* On all ranks: see trainer.h.  After %URB_TRAIN_ERROR_DIVERGED the group may
 * restore a checkpoint; after another error it can only be freed. */
gboolean    urb_group_step    (UrbGroup *self, UrbStepMetrics *metrics, GError **error);
/* Rank 0 reads the file and passes on what is in it. */
gboolean    urb_group_restore (UrbGroup *self, const char *path, GError **error);

/* All ranks write down when each instruction of the following steps runs … */
gboolean    urb_group_start_trace (UrbGroup *self, GError **error);
/* … until here, where that becomes the file @path (trace.h). */
gboolean    urb_group_end_trace   (UrbGroup *self, const char *path, UrbTraceSummary *summary,
                                   GError **error);

/* What a process that is not rank 0 does until rank 0 lets it go.
 * @comm: borrowed
 * @board: (nullable): borrowed; @comm writes there by itself what it does */
gboolean    urb_group_follow  (UrbComm *comm, UrbBoard *board, GError **error);

G_END_DECLS
