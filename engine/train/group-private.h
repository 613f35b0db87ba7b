/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group-private.h - what the files of a group share.
 *
 *   group.c        its ranks: birth, end, steps, checkpoints
 *   group-sync.c   synchronous ranks: rank 0 commands, the others follow
 *   group-async.c  asynchronous threads: each steps on its own
 *   group-trace.c  their timelines, merged
 */
#pragma once

#include "train/async.h"
#include "train/group.h"
#include "train/step-order.h"

G_BEGIN_DECLS

/* A rank in this process. */
typedef struct
{
  UrbGroup   *group;   /* (nullable) borrowed; NULL: rank 0 is in another process */
  UrbRank     context;
  UrbTrainer *trainer; /* (nullable) owned */
  UrbTrace   *trace;   /* (nullable) owned, while a timeline is recorded */
  GThread    *thread;  /* (nullable) owned; NULL: the caller's thread */
} UrbLocalRank;

struct _UrbGroup
{
  UrbLocalRank    *ranks;     /* (n_local) */
  int              n_local;
  /* Of asynchronous threads. */
  UrbSharedParams *shared;    /* (nullable) owned */
  GAsyncQueue     *reports;   /* (nullable) owned: what the threads have to say */
  UrbStepOrder    *order;     /* (nullable) owned; NULL: the threads do not run */
  int              n_running; /* threads */
  gint64           n_returned; /* the last step that urb_group_step() returned */
};

typedef enum
{
  URB_COMMAND_STEP,
  URB_COMMAND_SERVE,
  URB_COMMAND_START_TRACE,
  URB_COMMAND_END_TRACE,
  URB_COMMAND_END
} UrbCommand;

/* Starts the thread of a rank, which lives until the group ends its work. */
void     urb_local_rank_start (UrbLocalRank *self);

/* ------------------------------------------------------------------------ */
/* Synchronous ranks: all calls are collective                               */

/* Rank 0: sends the options and opens the trainer. */
gboolean urb_group_lead    (UrbGroup *self, const UrbTrainOptions *options, GError **error);
/* Tells the other ranks what to do next.  Nothing without a communicator. */
gboolean urb_group_command (UrbGroup *self, UrbCommand command, GError **error);
/* The other ranks: opens the trainer and obeys until rank 0 ends it.  After a failure the trainer
 * stays open, since other ranks may be in an exchange with this one. */
gboolean urb_local_rank_follow (UrbLocalRank *self, GError **error);
gboolean urb_local_rank_meet   (UrbLocalRank *self, GError **error);

/* ------------------------------------------------------------------------ */
/* Asynchronous threads                                                      */

gboolean urb_group_open_async (UrbGroup *self, const UrbTrainOptions *options, GError **error);
gboolean urb_group_step_async (UrbGroup *self, UrbStepMetrics *metrics, GError **error);
/* Ends the threads after the step they are in, and drops what was not returned.
 * urb_group_step_async() starts them again. */
void     urb_group_stop_async (UrbGroup *self);
/* The thread's work: steps until none is left, or one fails. */
void     urb_local_rank_work  (UrbLocalRank *self);

/* ------------------------------------------------------------------------ */
/* Timelines                                                                 */

/* Collective where there is a communicator. */
gboolean urb_local_rank_start_trace (UrbLocalRank *self, GError **error);
/* @merge: (nullable): rank 0's, to which the timelines of all ranks of the communicator are added */
gboolean urb_local_rank_end_trace   (UrbLocalRank *self, UrbTraceMerge *merge, GError **error);
void     urb_local_rank_drop_trace  (UrbLocalRank *self);

G_END_DECLS
