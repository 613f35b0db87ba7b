/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curator-private.h - the curator's fields, shared by search, lookup and ranking.
 */
#pragma once

#include "dataset/candidates.h"
#include "dataset/curator.h"

G_BEGIN_DECLS

/* The areas by which the ground is divided into splits. */
typedef struct
{
  GArray *squares;          /* of UrbSquare; owned */
  GArray *variances, *built; /* of float; owned */
} UrbSplitSample;

struct _UrbCurator
{
  gatomicrefcount  ref_count;
  UrbCurateOptions options;  /* min_variance: the search's lower limit */
  UrbBox           extent;   /* of the map */
  GArray          *hull;     /* of double, x, y pairs; owned */
  gboolean         is_open;  /* the map leaves ground uncovered, whatever the options */
  gboolean         filled;   /* whether open ground became "other" */
  GPtrArray       *warnings; /* of char *, sentences; owned */
  UrbCandidates   *found;    /* owned */
  UrbSplitSample   sample;
  /* Set by urb_curator_new() only: candidates by the cell of their center. */
  UrbHeatMap       heat;
  guint32         *cell_starts; /* (cells + 1) into cell_ids; owned */
  guint32         *cell_ids;    /* (candidates), ascending within a cell; owned */
};

/* As urb_curation_new(), without advice.  @options: with min_variance resolved */
UrbCuration *urb_curation_try (UrbMap *map, const UrbCurateOptions *options, UrbProgressFunc progress,
                               gpointer user_data, GCancellable *cancellable, GError **error);

gboolean urb_curate_check_rank_options (const UrbRankOptions *options, GError **error);

/* Depends on the map, and on the size of the curator's areas if they are larger than 250 m. */
gboolean urb_split_sample_init  (UrbSplitSample *self, const UrbCurator *curator, UrbMap *map,
                                 GCancellable *cancellable, GError **error);
void     urb_split_sample_clear (UrbSplitSample *self);

/* Search only, down to options->min_variance; may find no candidates. */
UrbCurator *urb_curator_search (UrbMap *map, const UrbCurateOptions *options,
                                UrbProgressFunc progress, gpointer user_data,
                                GCancellable *cancellable, GError **error);

/* Sets an error that counts rejections by limit.  @n_low_variance: below @min_variance. */
void urb_curator_explain_none (UrbCurator *self, gint64 n_low_variance, double min_variance,
                               double best_low_variance, GError **error);

G_END_DECLS
