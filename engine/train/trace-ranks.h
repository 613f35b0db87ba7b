/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace-ranks.h - the timelines of all ranks brought together: group.c's part of
 * trace.h.
 */
#pragma once

#include "train/trace.h"
#include "train/trainer.h"

G_BEGIN_DECLS

/* Collective.  @comm: (nullable): of the only rank; @trace: (out): this rank's */
gboolean urb_trace_start_rank (UrbComm *comm, UrbTrainer *trainer, UrbTrace **trace, GError **error);

/* Collective.  Ends and frees @trace.
 * @events, @summary: of all ranks; rank 0's, the others have NULL */
gboolean urb_trace_end_rank   (UrbComm *comm, UrbTrainer *trainer, UrbTrace **trace,
                               GString *events, UrbTraceSummary *summary, GError **error);

G_END_DECLS
