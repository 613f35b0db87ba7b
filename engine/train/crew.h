/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crew.h - the strategy `streams`: the other ranks of an asynchronous run, as
 * threads of the process that has rank 0.
 *
 * Each has a trainer of its own (backend, program, loader) over the parameters
 * of the first, and makes steps whenever it can.  Rank 0 stays the caller's
 * thread.  Finished steps, whoever made them, are handed out in order of their
 * numbers.
 */
#pragma once

#include "train/trace.h"
#include "train/trainer.h"

G_BEGIN_DECLS

typedef struct _UrbCrew UrbCrew;

/* @first: rank 0, whose parameters are @shared; both borrowed.  Opens the
 * trainers of the other ranks.
 * @board: (nullable): borrowed */
UrbCrew *urb_crew_new  (UrbTrainer *first, const UrbTrainOptions *options, UrbSharedParams *shared,
                        UrbBoard *board, GError **error);
void     urb_crew_free (UrbCrew *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbCrew, urb_crew_free)

/* The next finished step; rank 0 makes one of its own unless one waits.  As
 * urb_trainer_step(). */
gboolean urb_crew_step (UrbCrew *self, UrbStepMetrics *metrics, GError **error);
/* Finished steps that urb_crew_step() has not handed out yet.  While the workers are held
 * (urb_shared_params_hold), it hands out those alone. */
gint64   urb_crew_count_waiting (UrbCrew *self);

/* Ends the threads after the step they are in, and drops what was not handed
 * out.  urb_crew_step() starts them again. */
void     urb_crew_stop    (UrbCrew *self);
/* Stopped: reads what each rank has for itself. */
gboolean urb_crew_restore (UrbCrew *self, const char *path, GError **error);

/* While the other ranks hold still (urb_async_hold), or none of them has begun: every step of theirs
 * is added to a timeline of theirs from now on … */
void     urb_crew_start_trace (UrbCrew *self);
/* … until here, where what they did is added to @events and @totals. */
void     urb_crew_end_trace   (UrbCrew *self, GString *events, UrbTraceTotals *totals);

G_END_DECLS
