/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curation.h - the areas of the open map: candidates, choice, and decisions.
 *
 * Decisions are immutable snapshots (decisions.h); undo returns to an older one.  Each leads to a
 * search (only if its options changed) and a ranking, both in threads; until they finish, the
 * previous result is shown.  The choice at a threshold is a prefix of the ranking, which is fast
 * enough to follow a drag on the main loop.
 */
#pragma once

#include "app/areas/search.h"
#include "app/base/undo.h"
#include "app/map/map-document.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CURATION (urbarium_curation_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCuration, urbarium_curation, URBARIUM, CURATION, GObject)

/**
 * UrbariumCuration:
 *
 * Properties: active (boolean, read-write: searches start only while the page is shown),
 * threshold (double, read-write: as shown, also during a drag), busy (boolean, read-only: the
 * result for the decisions is being computed), job (UrbariumJob, read-only, nullable: the search).
 *
 * Signals:
 *  "result-changed": urbarium_curation_get_ranked() or the error has changed
 *  "choice-changed": the chosen areas have changed
 *  "decisions-changed": urbarium_curation_get_decisions() has changed
 *  "edits-moved" (guint n_moved, guint n_lost): areas chosen by hand moved to other candidates of
 *     the new search, or have none
 *  "left-out" (guint n_straddling, guint n_overlapping): numbers of areas added by hand that are
 *     not chosen because they straddle the border of a test region, or overlap each other
 */
UrbariumCuration *urbarium_curation_new (UrbariumMapDocument *document, UrbariumUndo *undo);

UrbMap *urbarium_curation_get_map (UrbariumCuration *self); /* (nullable): the document's */

/* The result that is shown. (transfer none) (nullable) */
UrbariumRanked *urbarium_curation_get_ranked (UrbariumCuration *self);
/* Why there is no result. (transfer none) (nullable) */
const GError   *urbarium_curation_get_error  (UrbariumCuration *self);
double          urbarium_curation_get_threshold (UrbariumCuration *self); /* as shown */
/* All zeros without a result. */
UrbChoice       urbarium_curation_get_choice (UrbariumCuration *self);
/* @index: among the chosen areas, best first */
const UrbRankedArea *urbarium_curation_get_area (UrbariumCuration *self, gsize index);
/* Among the chosen areas that contain the point, the one with the nearest center; -1: none. */
gssize          urbarium_curation_find_chosen (UrbariumCuration *self, double x, double y);

/* The removed area that urbarium_curation_toggle_at() would restore.
 * (transfer none) (nullable) */
const UrbRankedArea *urbarium_curation_find_removed (UrbariumCuration *self, double x, double y);

/* Searches again after an error. */
void            urbarium_curation_retry      (UrbariumCuration *self);

UrbariumDecisions *urbarium_curation_get_decisions (UrbariumCuration *self); /* (transfer none) */

/* Decisions.  Each can be undone; one that changes nothing is ignored. */

/* @label: translated, for undo: "Change the area" */
void urbarium_curation_set_options (UrbariumCuration *self, const UrbCurateOptions *options,
                                    const char *label);
/* At the end of a drag: makes the threshold that is shown a decision. */
void urbarium_curation_settle_threshold (UrbariumCuration *self);
/* Removes the chosen area at the point, or adds the best candidate there, or reverts a removal
 * just made there.  Returns: %FALSE if there is no candidate */
gboolean urbarium_curation_toggle_at (UrbariumCuration *self, double x, double y);
/* Removes a chosen area, and its rivals so that none replaces it. */
void     urbarium_curation_remove    (UrbariumCuration *self, gint64 id);
/* Adds the best of the candidates whose center lies in the loop and that fit between the chosen
 * areas; or removes all of these candidates.  @xy: (@n) pairs */
void     urbarium_curation_add_within    (UrbariumCuration *self, const double *xy, gsize n);
void     urbarium_curation_remove_within (UrbariumCuration *self, const double *xy, gsize n);
/* Discards changes by hand and resets the threshold to the encoding's; keeps other options. */
void     urbarium_curation_reset         (UrbariumCuration *self);
gboolean urbarium_curation_is_automatic  (UrbariumCuration *self);

/* The decisions on this map and recent ones, for the next session.  (transfer full) */
GVariant *urbarium_curation_dup_state (UrbariumCuration *self);
/* Call it before the map of that session is opened: the decisions on a map are restored when it
 * is opened.  Without effect if @state is of another type. */
void      urbarium_curation_restore   (UrbariumCuration *self, GVariant *state);

G_END_DECLS
