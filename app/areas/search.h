/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search.h - results of searches and rankings, which run in threads; immutable and
 * reference-counted.
 */
#pragma once

#include <gdk/gdk.h>

#include "app/areas/edits.h"
#include "app/base/job.h"

G_BEGIN_DECLS

typedef struct
{
  UrbMap          *map;     /* owned */
  UrbCurateOptions options; /* of the search */
  UrbCurator      *curator; /* owned */
  GdkTexture      *heat;    /* owned; opaque at candidates */
  UrbBox           heat_box;
  double           max_variance; /* of all candidates: the top of the heat map's scale */
} UrbariumSearch;

UrbariumSearch *urbarium_search_ref   (UrbariumSearch *self);
void            urbarium_search_unref (UrbariumSearch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumSearch, urbarium_search_unref)

/* Starts the search; urbarium_job_finish() gives the UrbariumSearch.  @callback: as for
 * urbarium_job_run() */
UrbariumJob    *urbarium_search_start  (UrbMap *map, const UrbCurateOptions *options,
                                        GAsyncReadyCallback callback, gpointer user_data);

/* Tries other options in a thread; see urb_advice_find(). */
void    urbarium_advice_find_async  (UrbMap *map, const UrbCurateOptions *options, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full) (element-type UrbAdvice): %NULL if cancelled */
GArray *urbarium_advice_find_finish (GAsyncResult *result, GError **error);

typedef struct
{
  UrbariumSearch    *search;    /* owned */
  UrbariumDecisions *decisions; /* owned */
  UrbariumEdits     *edits;     /* owned; of @decisions, in @search */
  UrbRanking        *ranking;   /* owned */
  UrbBox            *held_out;  /* owned; per block of ranking: extent of its test or validation
                                 * candidates; max < min if there are none */
  double            *covered_m2; /* owned; ground that the first 0, 1, 2, … areas cover */
  guint              n_straddling, n_overlapping; /* added by hand, but left out */
} UrbariumRanked;

UrbariumRanked *urbarium_ranked_ref   (UrbariumRanked *self);
void            urbarium_ranked_unref (UrbariumRanked *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumRanked, urbarium_ranked_unref)

/* Resolves the edits and ranks, in a thread. */
void            urbarium_ranked_new_async  (UrbariumSearch *search, UrbariumDecisions *decisions,
                                            GCancellable *cancellable,
                                            GAsyncReadyCallback callback, gpointer user_data);
UrbariumRanked *urbarium_ranked_new_finish (GAsyncResult *result, GError **error);

G_END_DECLS
