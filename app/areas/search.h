/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search.h - what a search has found, and how it was ranked: results of work in threads,
 * immutable and counted.
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
  GdkTexture      *heat;    /* owned; opaque where there are candidates */
  UrbBox           heat_box;
  double           max_variance; /* of any candidate: the top of the heat map's scale */
} UrbariumSearch;

UrbariumSearch *urbarium_search_ref   (UrbariumSearch *self);
void            urbarium_search_unref (UrbariumSearch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumSearch, urbarium_search_unref)

/* Starts the search.  @callback gets the job, as urbarium_job_run() says. */
UrbariumJob    *urbarium_search_start  (UrbMap *map, const UrbCurateOptions *options,
                                        GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full): or %NULL with an error */
UrbariumSearch *urbarium_search_finish (UrbariumJob *job, GAsyncResult *result, GError **error);

typedef struct
{
  UrbariumSearch    *search;    /* owned */
  UrbariumDecisions *decisions; /* owned */
  UrbariumEdits     *edits;     /* owned; of @decisions, in @search */
  UrbRanking        *ranking;   /* owned */
  UrbBox            *tested;    /* owned; in each of ranking's blocks: of the candidates for
                                 * testing; max < min where there are none */
  double            *covered_m2; /* owned; ground that the first 0, 1, 2, … areas cover */
  GArray            *ground;    /* owned; nullable; x, y pairs: see urb_raster_set_ground() */
  guint              n_straddling, n_overlapping; /* added by hand, and left out all the same */
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
