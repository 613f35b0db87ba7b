/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - who did what when, as a timeline that Perfetto and Chrome show.
 *
 * One process of the timeline is a rank, one thread of it a stream: what was
 * computed, and what went between the ranks meanwhile.
 */
#pragma once

#include "step/interpreter.h"

G_BEGIN_DECLS

/* The traced steps of one rank or of several. */
typedef struct
{
  gint64 first_step; /* its number; 0: there is none */
  int    n_steps;
  int    n_ranks;  /* that made one at least */
  /* Seconds. */
  double step_s;   /* from the first instruction to the last */
  double comm_s;   /* in which a collective ran; waiting for other ranks is part of it */
  double hidden_s; /* of these, in which something was computed too */
  double hideable_s; /* the same, had every instruction begun as early as its step program lets it */
} UrbTraceTotals;

typedef struct _UrbTrace UrbTrace;

/* @zero_us: the moment at which the timeline begins; of ranks of one run the same moment. */
UrbTrace *urb_trace_new  (int rank, gint64 zero_us);
void      urb_trace_free (UrbTrace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbTrace, urb_trace_free)

/* The step that @interpreter ran last, with tracing on.  @step: its number. */
void      urb_trace_add_step (UrbTrace *self, const UrbProgram *program,
                              UrbInterpreter *interpreter, const UkBackend *backend, gint64 step);
/* All so far: JSON objects, separated by commas. (transfer none) */
const char           *urb_trace_get_events (UrbTrace *self);
const UrbTraceTotals *urb_trace_get_totals (UrbTrace *self);

G_END_DECLS
