/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decisions-memory.h - what was decided about the areas of each map that was open lately.
 *
 * A map is known by its files, in their order.
 */
#pragma once

#include "app/areas/decisions.h"

G_BEGIN_DECLS

typedef struct _UrbariumDecisionsMemory UrbariumDecisionsMemory;

UrbariumDecisionsMemory *urbarium_decisions_memory_new  (void);
void                     urbarium_decisions_memory_free (UrbariumDecisionsMemory *self);

/* Instead of what was kept of that map; if these are too many maps, the oldest is forgotten. */
void               urbarium_decisions_memory_keep (UrbariumDecisionsMemory *self,
                                                   const char *const       *paths,
                                                   UrbariumDecisions       *decisions);
/* Returns: (transfer full) (nullable) */
UrbariumDecisions *urbarium_decisions_memory_find (UrbariumDecisionsMemory *self,
                                                   const char *const       *paths);

/* For the next session. (transfer full) */
GVariant *urbarium_decisions_memory_to_variant (UrbariumDecisionsMemory *self);
/* Instead of all that is kept; nothing, if @variant is of another kind. */
void      urbarium_decisions_memory_read       (UrbariumDecisionsMemory *self, GVariant *variant);

G_END_DECLS
