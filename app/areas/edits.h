/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edits.h - the edits by hand, resolved to candidates of one search.
 *
 * An edit keeps its candidate if the search has it.  In another search, it resolves to the
 * candidate with the nearest center, or to none, which is reported.  The decisions keep the
 * original edit, so returning to the previous search restores everything.
 */
#pragma once

#include "app/areas/decisions.h"

G_BEGIN_DECLS

typedef struct
{
  GArray *added;   /* of UrbariumEdit; owned; candidates of this search */
  GArray *removed; /* likewise; disjoint from added */
  guint   n_moved; /* added areas resolved to another candidate */
  guint   n_lost;  /* added areas without a candidate */
} UrbariumEdits;

UrbariumEdits *urbarium_edits_resolve (const UrbariumDecisions *decisions, UrbCurator *curator);
void           urbarium_edits_free    (UrbariumEdits *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumEdits, urbarium_edits_free)

/* urb_curator_rank() with these edits. */
UrbRanking *urbarium_edits_rank (const UrbariumEdits *self, UrbCurator *curator,
                                 const UrbCurateOptions *options, GCancellable *cancellable,
                                 GError **error);

/* Copies with a change.  (transfer full) */

/* Adds @ids, and no longer removes them. */
UrbariumEdits *urbarium_edits_add    (const UrbariumEdits *self, UrbCurator *curator,
                                      const gint64 *ids, gsize n);
/* Removes @ids, and no longer adds them. */
UrbariumEdits *urbarium_edits_remove (const UrbariumEdits *self, UrbCurator *curator,
                                      const gint64 *ids, gsize n);

/* The candidate and all that overlap it too much to be chosen with it: if it is removed, none of
 * them should replace it.  Returns: (transfer full) (element-type gint64) */
GArray *urbarium_edits_find_rivals (UrbCurator *curator, gint64 id, double max_overlap);

G_END_DECLS
