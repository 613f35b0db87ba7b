/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curator.h - curating by hand: one search, then as many choices as one likes.
 *
 * The search is what costs.  Its candidates are ranked once per set of edits:
 * those added by hand first, then the others by falling variance, leaving out
 * what overlaps or straddles.  The choice at any threshold is then a prefix of
 * the ranking, found by bisection: it can follow a drag.
 *
 * Without edits, ranked with the split variance of a threshold and chosen at that
 * threshold, the areas are those of urb_curation_new() with that min_variance:
 * that function is made of these.
 */
#pragma once

#include "dataset/curate.h"

G_BEGIN_DECLS

typedef struct _UrbCurator UrbCurator; /* immutable: read it from any thread */

/**
 * urb_curator_new:
 * @options: min_variance, max_overlap, top, test_share and seed do not matter here
 *
 * Finds all candidates that the map covers well enough, whatever their variance.
 * Blocks.  Memory: some 30 bytes per candidate, of which there are at most 20
 * million.  The map is needed no longer.
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

/* Candidates have the ids 0 to this - 1, the highest variance first. */
gint64 urb_curator_get_n_candidates (UrbCurator *self);
/* (transfer none) of char *, sentences: what one should know about the map. */
GPtrArray *urb_curator_get_warnings (UrbCurator *self);
/* @counts: (out) (@n_bins): candidates by variance, equal bins over [0, 1]. */
void   urb_curator_get_histogram    (UrbCurator *self, gint64 *counts, guint n_bins);

/* The highest variance, of any rotation, of the candidates whose middle is in a cell. */
typedef struct
{
  UrbBox  box;           /* of all cells */
  double  cell_m;        /* the stride, or more where that would be millions of cells */
  int     width, height; /* cells; row 0 at the top */
  float  *variance;      /* (height, width), owned; negative: no candidate there */
} UrbHeatMap;

UrbHeatMap *urb_curator_get_heat_map (UrbCurator *self); /* (transfer none) */

/* The candidate that one means who points at a place.  Of each rotation that is the
 * one with the nearest middle, if it contains the point; of these the one with the
 * highest variance, and those further away than a full grid leaves room for only if
 * there is no other.  -1: none contains the point. */
gint64 urb_curator_find_at    (UrbCurator *self, double x, double y);
/* Those whose middle lies in the loop, ascending.  @xy: (@n) pairs.
 * Returns: (transfer full) (element-type gint64) */
GArray *urb_curator_find_within (UrbCurator *self, const double *xy, gsize n);
/* @variance: (out) (nullable) */
UrbSquare urb_curator_get_square (UrbCurator *self, gint64 id, float *variance);

/* Decisions by hand; a candidate is in one list at most. */
typedef struct
{
  const gint64 *added;   /* chosen first, in this order, whatever their variance */
  gsize         n_added;
  const gint64 *removed; /* never chosen */
  gsize         n_removed;
} UrbCuratorEdits;

/* What became of a candidate in a ranking. */
typedef enum
{
  URB_FATE_RANKED,      /* chosen, if its variance is high enough or it was added */
  URB_FATE_STRADDLES,   /* left out: between places for training and for testing */
  URB_FATE_OVERLAPS,    /* left out: a better one, or one added before, is there */
  URB_FATE_BEYOND_TOP,  /* left out: enough better ones are there */
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
  double   max_overlap, test_share;
  guint64  seed;
  double   split_variance; /* the places for testing are chosen by the candidates from here up:
                            * the threshold at rest */
  gint64   top;            /* at most so many; 0: all */
} UrbRankOptions;

/* Which areas there would be at each threshold.  Immutable. */
typedef struct
{
  UrbCurator    *curator; /* owned */
  UrbRankOptions options;
  GArray        *areas;   /* of UrbRankedArea, owned: forced ones, then by falling variance */
  gsize          n_forced;
  gsize          n_removed;
  UrbBlocks     *blocks;  /* owned */
  GArray        *sums;    /* owned; of what urb_ranking_choose() tells */
  guint8        *fates;   /* (candidates) UrbFate, owned */
} UrbRanking;

/**
 * urb_curator_rank:
 * @edits: (nullable): none
 *
 * What is added by hand is taken before all others, in its order, and counts
 * toward @options.top without being refused by it.  It obeys the other rules: an
 * area that overlaps one added before by too much, or that straddles places for
 * training and for testing and so belongs to neither, is left out all the same.
 * Then n_forced is less than n_added, and urb_ranking_get_fate() tells of each
 * one why.  The places for testing do not depend on the edits.
 *
 * Takes some microseconds per candidate, and some tens of milliseconds for the
 * places.
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
  gsize  n;                    /* the first so many of UrbRanking.areas are chosen */
  gint64 n_split[URB_N_SPLITS];
  double share[3];             /* mean of building, road, other over the chosen; sum to 1, as
                                * those of an UrbArea; 0 if nothing is chosen */
  double area_m2;              /* of the chosen; where they overlap the ground counts for each */
} UrbChoice;

/* What is added by hand and all others from @threshold up.  O(log n). */
UrbChoice    urb_ranking_choose (const UrbRanking *self, double threshold);

/**
 * urb_ranking_to_curation:
 *
 * For urb_curation_write(), with the map that the curator was made of.  The recipe
 * names the threshold and counts what was added and removed by hand.
 *
 * Returns: (transfer full): or %NULL with URB_DATASET_ERROR_EMPTY if nothing is
 *   chosen
 */
UrbCuration *urb_ranking_to_curation (const UrbRanking *self, double threshold, GError **error);

G_END_DECLS
