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

/* Of all ranks together. */
typedef struct
{
  gint64 first_step;
  int    n_steps;       /* that were done: of asynchronous ranks each does its own */
  int    n_ranks;
  double step_s;        /* of one rank's step, mean */
  double comm_share;    /* of the steps' time in which a collective ran */
  double overlap_share; /* of that time, hidden behind computation; 0 without collectives */
  double hideable_share; /* of that time, could have been hidden */
} UrbTraceSummary;

typedef struct _UrbTrace UrbTrace;

void      urb_trace_totals_add       (UrbTraceTotals *self, const UrbTraceTotals *more);
/* @n_steps: of the run: those that ranks make together count once */
void      urb_trace_totals_summarize (const UrbTraceTotals *self, int n_steps, UrbTraceSummary *out);

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

/* "A step took 12.3 ms; during 20 % of it a collective ran, and 85 % of that was hidden behind
 * computation, of 88 % that could be." */
char     *urb_trace_summary_dup_text (const UrbTraceSummary *self);
/* The file @path, whole or not at all.  @events: of all ranks, separated by commas */
gboolean  urb_trace_write (const char *path, const char *events, const UrbTraceSummary *summary,
                           GError **error);

G_END_DECLS
