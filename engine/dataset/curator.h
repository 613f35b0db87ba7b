/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curator.h - interactive curation: one search, any number of selections.
 *
 * The search is the expensive part.  Its candidates are ranked once per set of
 * edits: those added by hand first, then the others by falling variance, skipping
 * areas that overlap or straddle.  The selection at any threshold is a prefix of
 * the ranking, found by bisection, so it can follow a slider while it is dragged.
 *
 * Without edits, selecting at a threshold gives the areas of urb_curation_new() with
 * that min_variance, which is built from these functions.  The test blocks depend on the
 * map and the seed, and not on the threshold.
 */
#pragma once

#include "dataset/curate.h"

G_BEGIN_DECLS

typedef struct _UrbCurator UrbCurator; /* immutable, hence thread-safe */

/**
 * urb_curator_new:
 * @options: min_variance, max_overlap, top, test_share, validation_share and seed are ignored
 *
 * Finds all candidates with sufficient coverage, whatever their variance.  Blocks.
 * Memory: about 30 bytes per candidate, for at most 20 million candidates.  The map
 * is not needed afterwards.
 *
 * Returns: (transfer full): with at least one candidate; or %NULL with the errors
 *   of urb_curation_new()
 */
UrbCurator *urb_curator_new   (UrbMap *map, const UrbCurateOptions *options,
                               UrbProgressFunc progress, gpointer user_data,
                               GCancellable *cancellable, GError **error);
UrbCurator *urb_curator_ref   (UrbCurator *self);
void        urb_curator_unref (UrbCurator *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbCurator, urb_curator_unref)

/* Candidate ids run from 0 to this - 1, by falling variance. */
gint64 urb_curator_get_n_candidates (UrbCurator *self);
/* Whether ground without an object counts as "other": by the options, or since the map leaves much open. */
gboolean urb_curator_is_filled      (UrbCurator *self);
/* @counts: (out) (@n_bins): candidates by variance, equal bins over [0, 1]. */
void   urb_curator_get_histogram    (UrbCurator *self, gint64 *counts, guint n_bins);

/* Per cell, the highest variance of the candidates centered in it, over all rotations. */
typedef struct
{
  UrbBox  box;           /* of all cells */
  double  cell_m;        /* the stride, doubled until the cells number at most 4 million */
  int     width, height; /* cells; row 0 at the top */
  float  *variance;      /* (height, width), owned; negative: no candidate */
} UrbHeatMap;

UrbHeatMap *urb_curator_get_heat_map (UrbCurator *self); /* (transfer none) */

/* The candidate to pick at a point.  For each rotation, that is the candidate with the
 * nearest center, if it contains the point; among these, the one with the highest
 * variance.  Candidates farther away than the spacing of a full grid are considered only
 * if there is no other.  -1: no candidate contains the point. */
gint64 urb_curator_find_at    (UrbCurator *self, double x, double y);
/* Candidates centered inside a closed loop, ascending.  @xy: (@n) pairs.
 * Returns: (transfer full) (element-type gint64) */
GArray *urb_curator_find_within (UrbCurator *self, const double *xy, gsize n);
/* @variance: (out) (nullable) */
UrbSquare urb_curator_get_square (UrbCurator *self, gint64 id, float *variance);

/* Manual edits; a candidate is in at most one list. */
typedef struct
{
  const gint64 *added;   /* selected first, in this order, whatever their variance */
  gsize         n_added;
  const gint64 *removed; /* never selected */
  gsize         n_removed;
} UrbCuratorEdits;

/* The outcome of a ranking for one candidate. */
typedef enum
{
  URB_FATE_RANKED,      /* selected if its variance is high enough or it was added */
  URB_FATE_STRADDLES,   /* rejected: across training and test blocks */
  URB_FATE_OVERLAPS,    /* rejected: overlaps a better area or one added earlier */
  URB_FATE_BEYOND_TOP,  /* rejected: the limit was reached */
  URB_FATE_REMOVED,     /* by hand */
  URB_N_FATES
} UrbFate;

typedef struct
{
  UrbSquare square;
  gint64    id;      /* of the candidate */
  float     variance;
  guint8    split;   /* UrbSplit */
  guint8    forced;  /* added by hand */
} UrbRankedArea;

typedef struct
{
  double   max_overlap, test_share, validation_share;
  guint64  seed;
  gint64   top;            /* maximum number of areas; 0: all */
} UrbRankOptions;

/* Those of a whole curation. */
UrbRankOptions urb_curate_get_rank_options (const UrbCurateOptions *options);

/* The areas at every threshold.  Immutable. */
typedef struct
{
  UrbCurator    *curator; /* owned */
  UrbRankOptions options;
  GArray        *areas;   /* of UrbRankedArea, owned: forced ones, then by falling variance */
  gsize          n_forced;
  gsize          n_removed;
  UrbBlocks     *blocks;  /* owned */
  GArray        *sums;    /* owned; prefix sums for urb_ranking_choose() */
  guint8        *fates;   /* (candidates) UrbFate, owned */
} UrbRanking;

/**
 * urb_curator_rank:
 * @edits: (nullable): no edits
 *
 * Areas added by hand are placed before all others, in their order; they count
 * toward @options.top but are not limited by it.  The other rules apply: an added
 * area that overlaps an earlier one too much, or that straddles training and test
 * blocks, is rejected.  Then n_forced is less than n_added, and
 * urb_ranking_get_fate() gives the reasons.  The test blocks do not depend on the
 * edits.
 *
 * Takes a few microseconds per candidate, plus some tens of milliseconds to choose
 * the test blocks.
 *
 * Returns: (transfer full): possibly without areas; or %NULL with
 *   URB_DATASET_ERROR_OPTIONS or G_IO_ERROR_CANCELLED
 */
UrbRanking *urb_curator_rank (UrbCurator *self, const UrbRankOptions *options,
                              const UrbCuratorEdits *edits, GCancellable *cancellable,
                              GError **error);
void        urb_ranking_free (UrbRanking *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbRanking, urb_ranking_free)

UrbFate urb_ranking_get_fate (const UrbRanking *self, gint64 id);

typedef struct
{
  gsize  n;                    /* selected: this prefix of UrbRanking.areas */
  gint64 n_split[URB_N_SPLITS];
  double share[3];             /* mean building, road and other of the selection; sums to 1, as
                                * in UrbArea; 0 if nothing is selected */
  double area_m2;              /* of the selection; overlaps count repeatedly */
} UrbChoice;

/* Selects the areas added by hand and all others of at least @threshold.  O(log n). */
UrbChoice    urb_ranking_choose (const UrbRanking *self, double threshold);

/**
 * urb_ranking_to_curation:
 *
 * For urb_curation_write(), with the map that the curator was made from.  The recipe
 * records the threshold and counts the manual additions and removals.
 *
 * Returns: (transfer full): or %NULL with URB_DATASET_ERROR_EMPTY if nothing is
 *   selected
 */
UrbCuration *urb_ranking_to_curation (const UrbRanking *self, double threshold, GError **error);

G_END_DECLS
