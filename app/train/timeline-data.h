/* SPDX-License-Identifier: Apache-2.0 */
/* timeline-data.h - what the ranks of a run did during some steps, read from trace.json. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Of the step program; the rest is unknown to this version. */
enum { URBARIUM_TIMELINE_OTHER, URBARIUM_TIMELINE_N_PASSES = 7 };
/* Untranslated titles. */
extern const char *const urbarium_timeline_passes[URBARIUM_TIMELINE_N_PASSES];

/* A rank computes and communicates at the same time.  Its lanes are this one, and those of its exchanges: one for each
 * kind of group that exchanges in this timeline. */
enum { URBARIUM_TIMELINE_COMPUTATION };

typedef struct
{
  double      begin_ms, ms; /* since the first span */
  const char *name;         /* with the axes of an exchange: "all-reduce, data" */
  int         rank, step, lane;
  guint       pass;
} UrbariumTimelineSpan;

typedef struct
{
  GArray       *spans;   /* (element-type UrbariumTimelineSpan) owned; by rank, lane and begin */
  GStringChunk *names;   /* owned */
  int           n_ranks; /* the highest rank, and one more */
  int           n_lanes; /* of each rank */
  double        end_ms;
  int           first_step, n_steps;
  double        step_ms; /* of one rank, mean */
  /* Of the steps’ time: with a collective; of that: hidden behind computation, and what could be. */
  double        comm_share, overlap_share, hideable_share;
} UrbariumTimelineData;

/**
 * urbarium_timeline_data_load:
 * @path: a file that `urbarium-engine train` wrote; it may be damaged
 *
 * Callable from any thread.
 *
 * Returns: (transfer full): %NULL with an error that names the file
 */
UrbariumTimelineData *urbarium_timeline_data_load (const char *path, GError **error);
void                  urbarium_timeline_data_free (UrbariumTimelineData *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumTimelineData, urbarium_timeline_data_free)

/* Index of the first span of that rank and lane; with the lane after the last: their end. */
guint                 urbarium_timeline_data_find (const UrbariumTimelineData *self, int rank, int lane);

G_END_DECLS
