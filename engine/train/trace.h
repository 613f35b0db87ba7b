/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - a timeline of instructions, for Perfetto and Chrome.
 *
 * A rank is a process of the timeline; its computation and its collectives are threads.
 */
#pragma once

#include "step/interpreter.h"

G_BEGIN_DECLS

/* Totals over the traced steps of one rank or several. */
typedef struct
{
  gint64 first_step; /* 0: none */
  int    n_steps;
  int    n_ranks;  /* that did at least one */
  /* Seconds. */
  double step_s;   /* from the first instruction to the last */
  double comm_s;   /* in which a collective ran, including waiting for other ranks */
  double hidden_s; /* of these, while an instruction computed */
  double hideable_s; /* the same, had every instruction begun as early as the step program allows */
} UrbTraceTotals;

typedef struct _UrbTrace UrbTrace;

/* @zero_us: the start of the timeline; the same moment on all ranks of a run. */
UrbTrace *urb_trace_new  (int rank, gint64 zero_us);
void      urb_trace_free (UrbTrace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbTrace, urb_trace_free)

/* Adds the last step of @interpreter, which ran with tracing on.  @step: its number. */
void      urb_trace_add_step (UrbTrace *self, const UrbProgram *program,
                              UrbInterpreter *interpreter, const UkBackend *backend, gint64 step);
/* All events so far: JSON objects, separated by commas. (transfer none) */
const char           *urb_trace_get_events (UrbTrace *self);
const UrbTraceTotals *urb_trace_get_totals (UrbTrace *self);

G_END_DECLS
