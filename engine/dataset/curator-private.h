/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curator-private.h - what a curator consists of, for the search, the look-ups and
 * the ranking.
 */
#pragma once

#include "dataset/curator.h"

G_BEGIN_DECLS

struct _UrbCurator
{
  gatomicrefcount  ref_count;
  UrbCurateOptions options;  /* min_variance: what the search refused */
  UrbBox           extent;   /* of the map */
  GArray          *hull;     /* of double, x, y pairs; owned */
  gboolean         filled;   /* whether what is uncovered was taken as "other" */
  GPtrArray       *warnings; /* of char *, sentences; owned */
  UrbCandidates   *found;    /* owned */
  /* What urb_curator_new() adds to the search: candidates by the cell of their middle. */
  UrbHeatMap       heat;
  guint32         *cell_starts; /* (cells + 1) into cell_ids; owned */
  guint32         *cell_ids;    /* (candidates), in a cell ascending; owned */
};

gboolean urb_curate_check_rank_options (const UrbRankOptions *options, GError **error);

/* Searches only, from options->min_variance up; possibly without candidates. */
UrbCurator *urb_curator_search (UrbMap *map, const UrbCurateOptions *options,
                                UrbProgressFunc progress, gpointer user_data,
                                GCancellable *cancellable, GError **error);

/* Says which limit refused how many.  @n_dull: below @min_variance. */
void urb_curator_explain_none (UrbCurator *self, gint64 n_dull, double min_variance,
                               double best_dull, GError **error);

G_END_DECLS
