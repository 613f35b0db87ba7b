/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decisions.h - all that was decided about the areas, at one moment.
 *
 * Immutable and counted, so that undoing is to show an older one again: what did
 * not change from one to the next is shared.
 *
 * What was decided by hand is kept as places.  Each also remembers the candidate it
 * was in its own search; another search has other candidates, and then the place
 * says which of them is meant (see edits.h).
 */
#pragma once

#include "dataset/curator.h"

G_BEGIN_DECLS

typedef struct
{
  gint64    id;     /* of the candidate, in the search in which it was chosen */
  UrbSquare square; /* where that was */
} UrbariumEdit;

typedef struct
{
  UrbCurateOptions options; /* min_variance is the threshold at rest */
  GArray          *added;   /* of UrbariumEdit; owned; never changed */
  GArray          *removed; /* the same */
  guint            n_taken_out; /* areas: each stands for several candidates in @removed */
} UrbariumDecisions;

UrbariumDecisions *urbarium_decisions_new   (void); /* all defaults, nothing by hand */
UrbariumDecisions *urbarium_decisions_ref   (UrbariumDecisions *self);
void               urbarium_decisions_unref (UrbariumDecisions *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumDecisions, urbarium_decisions_unref)

/* The same but for the options.  A negative threshold becomes the encoding's default. */
UrbariumDecisions *urbarium_decisions_with_options (UrbariumDecisions      *self,
                                                    const UrbCurateOptions *options);
/* The same but for what was done by hand.  @added, @removed: references are taken. */
UrbariumDecisions *urbarium_decisions_with_edits   (UrbariumDecisions *self, GArray *added,
                                                    GArray *removed, guint n_taken_out);

gboolean urbarium_decisions_equal (const UrbariumDecisions *a, const UrbariumDecisions *b);

/* For the next session. (transfer full) */
GVariant          *urbarium_decisions_to_variant       (UrbariumDecisions *self);
/* Returns: (transfer full) (nullable): %NULL if @variant is of another kind */
UrbariumDecisions *urbarium_decisions_new_from_variant (GVariant *variant);

/* Whether both lead to the same candidates: the others are options of the choice. */
gboolean urbarium_options_same_search (const UrbCurateOptions *a, const UrbCurateOptions *b);

G_END_DECLS
