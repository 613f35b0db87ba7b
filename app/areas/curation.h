/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curation.h - the areas of the map that is open: what was found, what is chosen,
 * and every decision about it.
 *
 * A decision is an immutable snapshot (decisions.h), and undoing shows an older one.
 * From it follow, in threads, a search (only if its options changed) and a ranking;
 * until both are there the result before is shown.  The choice at a threshold is a
 * prefix of the ranking, so that it follows a drag on the main loop.
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
 * Properties: active (boolean, read-write: nothing is searched before somebody looks),
 * threshold (double, read-write: the one that is shown, also while it is dragged), busy
 * (boolean, read-only: what is shown is not yet what was decided), job (UrbariumJob, read-only,
 * nullable: the search).
 *
 * Signals:
 *  "result-changed": urbarium_curation_get_ranked() or the error is another one
 *  "choice-changed": other areas are chosen, by the threshold or another result
 *  "decisions-changed": urbarium_curation_get_decisions() is another one
 *  "edits-moved" (guint n_moved, guint n_lost): a search placed areas chosen by hand elsewhere,
 *     or has none there
 *  "left-out" (guint n_straddling, guint n_overlapping): so many areas that were added by hand
 *     are not chosen, as they lie between training and test places, or overlap each other
 */
UrbariumCuration *urbarium_curation_new (UrbariumMapDocument *document, UrbariumUndo *undo);

UrbMap *urbarium_curation_get_map (UrbariumCuration *self); /* (nullable): the document's */

/* What is shown. (transfer none) (nullable) */
UrbariumRanked *urbarium_curation_get_ranked (UrbariumCuration *self);
/* Why nothing can be shown. (transfer none) (nullable) */
const GError   *urbarium_curation_get_error  (UrbariumCuration *self);
/* Zeros where nothing is shown. */
UrbChoice       urbarium_curation_get_choice (UrbariumCuration *self);
/* @index: among those that are chosen, the best first. */
const UrbRankedArea *urbarium_curation_get_area (UrbariumCuration *self, gsize index);
/* The chosen area whose middle is nearest among those that contain the point; -1: none. */
gssize          urbarium_curation_find_chosen (UrbariumCuration *self, double x, double y);

/* The area, no longer chosen, that urbarium_curation_toggle_at() would take back.
 * (transfer none) (nullable) */
const UrbRankedArea *urbarium_curation_find_removed (UrbariumCuration *self, double x, double y);

/* Searches once more after an error. */
void            urbarium_curation_retry      (UrbariumCuration *self);

UrbariumDecisions *urbarium_curation_get_decisions (UrbariumCuration *self); /* (transfer none) */

/* Decisions.  Each can be undone, and does nothing where it would change nothing. */

/* @label: translated, for undo: "Change the area size" */
void urbarium_curation_set_options (UrbariumCuration *self, const UrbCurateOptions *options,
                                    const char *label);
/* The drag is over: the threshold as it is shown is decided. */
void urbarium_curation_settle_threshold (UrbariumCuration *self);
/* Removes the chosen area there, else adds the best candidate there; or takes back what was
 * removed there just before.  Returns: whether there was any */
gboolean urbarium_curation_toggle_at (UrbariumCuration *self, double x, double y);
/* A chosen one; no other takes its place. */
void     urbarium_curation_remove    (UrbariumCuration *self, gint64 id);
/* Candidates whose middle lies in the loop: fills what is free with the best of them, or
 * takes all of them out.  @xy: (@n) pairs. */
void     urbarium_curation_add_within    (UrbariumCuration *self, const double *xy, gsize n);
void     urbarium_curation_remove_within (UrbariumCuration *self, const double *xy, gsize n);
/* Nothing by hand, and the encoding's threshold; the other options stay. */
void     urbarium_curation_reset         (UrbariumCuration *self);
gboolean urbarium_curation_is_automatic  (UrbariumCuration *self);

/* What was decided, of this map and those that were open before, for the next session.
 * (transfer full) */
GVariant *urbarium_curation_dup_state (UrbariumCuration *self);
/* Before the map of that session is opened: what was decided about a map is decided again when it
 * is opened.  Nothing is if @state is of another kind. */
void      urbarium_curation_restore   (UrbariumCuration *self, GVariant *state);

G_END_DECLS
