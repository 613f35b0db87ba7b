/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curator.h - curating by hand: one search, then as many choices as one likes.
 *
 * The search is what costs.  Its candidates are ranked once per set of edits:
 * forced ones first, then the others by falling variance, leaving out what
 * overlaps or straddles.  The choice at any threshold is then a prefix of the
 * ranking, found by bisection: it can follow a drag.
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
 * Blocks.  Memory: some 24 bytes per candidate.
 *
 * Returns: (transfer full): or %NULL with the errors of urb_curation_new()
 */
UrbCurator *urb_curator_new   (UrbMap *map, const UrbCurateOptions *options,
                               UrbProgressFunc progress, gpointer user_data,
                               GCancellable *cancellable, GError **error);
UrbCurator *urb_curator_ref   (UrbCurator *self);
void        urb_curator_unref (UrbCurator *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbCurator, urb_curator_unref)

gint64 urb_curator_get_n_candidates (UrbCurator *self);
/* @counts: (out) (@n_bins): candidates by variance, equal bins over [0, 1]. */
void   urb_curator_get_histogram    (UrbCurator *self, gint64 *counts, guint n_bins);

/* The highest variance of any candidate around each cell of the stride's grid. */
typedef struct
{
  UrbBox  box;
  int     width, height; /* cells; row 0 at the top */
  float  *variance;      /* (height, width), owned; negative: no candidate there */
} UrbHeatMap;

UrbHeatMap *urb_curator_get_heat_map (UrbCurator *self); /* (transfer none) */

/* The candidate whose middle is nearest to the point among those that contain it, of the
 * rotations there the one with the highest variance; -1: none. */
gint64 urb_curator_find_at    (UrbCurator *self, double x, double y);
/* Those whose middle lies in the loop. @xy: (@n) pairs.  Returns: (transfer full) (element-type gint64) */
GArray *urb_curator_find_within (UrbCurator *self, const double *xy, gsize n);
UrbSquare urb_curator_get_square (UrbCurator *self, gint64 id, float *variance);

/* Decisions by hand; a candidate is in one list at most. */
typedef struct
{
  const gint64 *added;   /* chosen first, in this order, whatever their variance */
  gsize         n_added;
  const gint64 *removed; /* never chosen */
  gsize         n_removed;
} UrbCuratorEdits;

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
  UrbCurator *curator; /* owned */
  GArray     *areas;   /* of UrbRankedArea, owned: forced ones, then by falling variance */
  gsize       n_forced;
  UrbBlocks  *blocks;  /* owned */
  GArray     *sums;    /* owned; of what urb_ranking_summarise() tells */
} UrbRanking;

UrbRanking *urb_curator_rank (UrbCurator *self, const UrbRankOptions *options,
                              const UrbCuratorEdits *edits, GCancellable *cancellable,
                              GError **error);
void        urb_ranking_free (UrbRanking *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbRanking, urb_ranking_free)

typedef struct
{
  gsize  n;                    /* the first so many of UrbRanking.areas are chosen */
  gint64 n_split[URB_N_SPLITS];
  double share[3];             /* mean of building, road, other over the chosen */
  double area_m2;              /* of the chosen, overlaps counted once each */
} UrbChoice;

/* O(log n). */
UrbChoice    urb_ranking_choose (const UrbRanking *self, double threshold);

/* For urb_curation_write().  The recipe names the threshold and counts what was added and
 * removed by hand.  Fails if nothing is chosen. */
UrbCuration *urb_ranking_to_curation (const UrbRanking *self, double threshold, GError **error);

G_END_DECLS
