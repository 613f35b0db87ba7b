/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace-merge.h - the timelines of several ranks in one file.
 *
 * They come from threads and from other processes (train/group.h), or from the files of asynchronous
 * workers, which each write their own (run/supervisor/supervisor.h).
 */
#pragma once

#include "train/trace.h"

G_BEGIN_DECLS

/* All ranks together. */
typedef struct
{
  gint64 first_step;
  int    n_steps;       /* done by the run: steps that ranks do together count once */
  int    n_ranks;       /* that did at least one */
  double step_s;        /* of one rank's step, mean */
  double comm_share;    /* of the steps' time in which a collective ran */
  double overlap_share; /* of that time, hidden behind computation; 0 without collectives */
  double hideable_share; /* of that time, could have been hidden */
} UrbTraceSummary;

/* Zeroed at first. */
typedef struct
{
  gboolean       synchronous; /* the ranks do every step together */
  GString       *events;      /* (nullable) owned */
  UrbTraceTotals totals;
} UrbTraceMerge;

void     urb_trace_merge_clear    (UrbTraceMerge *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbTraceMerge, urb_trace_merge_clear)

/* @events: JSON objects, separated by commas */
void     urb_trace_merge_add      (UrbTraceMerge *self, const char *events, const UrbTraceTotals *totals);
/* A file that urb_trace_merge_write() wrote for one asynchronous rank. */
gboolean urb_trace_merge_add_file (UrbTraceMerge *self, const char *path, GError **error);
/* Writes the file @path, whole or not at all. */
gboolean urb_trace_merge_write    (UrbTraceMerge *self, const char *path, UrbTraceSummary *summary,
                                   GError **error);

/* "A step took 12.3 ms; during 20 % of it a collective ran, and 85 % of that was hidden behind
 * computation; 88 % could be." */
char    *urb_trace_summary_dup_text (const UrbTraceSummary *self);

G_END_DECLS
