/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decisions.h - an immutable snapshot of all decisions on the areas.
 *
 * Snapshots are reference-counted and share unchanged parts; undo returns to an older one.
 *
 * An edit by hand stores a square and its candidate id in the search where it was made.  Another
 * search has other candidates; then the square determines which one is meant (see edits.h).
 */
#pragma once

#include "app/base/recent.h"
#include "dataset/curator.h"

G_BEGIN_DECLS

typedef struct
{
  gint64    id;     /* of the candidate, in the search where it was chosen */
  UrbSquare square; /* of the candidate */
} UrbariumEdit;

typedef struct
{
  UrbCurateOptions options;     /* min_variance is the decided threshold */
  GArray          *added;       /* of UrbariumEdit; owned; immutable */
  GArray          *removed;     /* likewise */
  guint            n_taken_out; /* removed areas; each has several candidates in @removed */
} UrbariumDecisions;

UrbariumDecisions *urbarium_decisions_new   (void); /* defaults, without edits */
UrbariumDecisions *urbarium_decisions_ref   (UrbariumDecisions *self);
void               urbarium_decisions_unref (UrbariumDecisions *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumDecisions, urbarium_decisions_unref)

/* A copy with other options.  A negative threshold becomes the encoding's default. */
UrbariumDecisions *urbarium_decisions_with_options (UrbariumDecisions      *self,
                                                    const UrbCurateOptions *options);
/* A copy with other edits.  Adds references to @added and @removed. */
UrbariumDecisions *urbarium_decisions_with_edits   (UrbariumDecisions *self, GArray *added,
                                                    GArray *removed, guint n_taken_out);

gboolean urbarium_decisions_equal (const UrbariumDecisions *a, const UrbariumDecisions *b);

/* For the next session. (transfer full) */
GVariant          *urbarium_decisions_to_variant       (UrbariumDecisions *self);
/* Returns: (transfer full) (nullable): %NULL if @variant is of another type */
UrbariumDecisions *urbarium_decisions_new_from_variant (GVariant *variant);

/* The decisions on each recent map, which is identified by its files, in order. */
UrbariumRecent    *urbarium_decisions_memory_new  (void);
void               urbarium_decisions_memory_keep (UrbariumRecent    *self,
                                                   const char *const *paths,
                                                   UrbariumDecisions *decisions);
/* Returns: (transfer full) (nullable) */
UrbariumDecisions *urbarium_decisions_memory_find (UrbariumRecent    *self,
                                                   const char *const *paths);

/* Whether both lead to the same candidates; other options affect only the choice. */
gboolean urbarium_options_same_search (const UrbCurateOptions *a, const UrbCurateOptions *b);

G_END_DECLS
