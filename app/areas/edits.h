/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edits.h - what was decided by hand, among the candidates of one search.
 *
 * A place keeps its candidate as long as the search has it.  In another search it
 * means the candidate whose middle is nearest, or nothing where there is none: that
 * is told, and the place itself is not forgotten, so going back brings all back.
 */
#pragma once

#include "app/areas/decisions.h"

G_BEGIN_DECLS

typedef struct
{
  GArray *added;   /* of UrbariumEdit; owned; candidates of this search */
  GArray *removed; /* the same; none is in both */
  guint   n_moved; /* of the areas that were added */
  guint   n_lost;  /* the same: no candidate is there */
} UrbariumEdits;

UrbariumEdits *urbarium_edits_resolve (const UrbariumDecisions *decisions, UrbCurator *curator);
void           urbarium_edits_free    (UrbariumEdits *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumEdits, urbarium_edits_free)

/* urb_curator_rank() with these edits. */
UrbRanking *urbarium_edits_rank (const UrbariumEdits *self, UrbCurator *curator,
                                 const UrbCurateOptions *options, GCancellable *cancellable,
                                 GError **error);

/* All that may be done to edits: a copy with the change.  (transfer full) */

/* @ids are chosen, and no longer removed. */
UrbariumEdits *urbarium_edits_add    (const UrbariumEdits *self, UrbCurator *curator,
                                      const gint64 *ids, gsize n);
/* @ids are no longer added, and removed. */
UrbariumEdits *urbarium_edits_remove (const UrbariumEdits *self, UrbCurator *curator,
                                      const gint64 *ids, gsize n);

/* The candidate and all that it keeps away: where it is taken out, none of them shall take
 * its place.  Returns: (transfer full) (element-type gint64) */
GArray *urbarium_edits_find_rivals (UrbCurator *curator, gint64 id, double max_overlap);

G_END_DECLS
