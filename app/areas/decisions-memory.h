/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decisions-memory.h - the decisions on the areas of each recent map.
 *
 * A map is identified by its files, in order.
 */
#pragma once

#include "app/areas/decisions.h"
#include "app/base/recent.h"

G_BEGIN_DECLS

UrbariumRecent    *urbarium_decisions_memory_new  (void);
void               urbarium_decisions_memory_keep (UrbariumRecent    *self,
                                                   const char *const *paths,
                                                   UrbariumDecisions *decisions);
/* Returns: (transfer full) (nullable) */
UrbariumDecisions *urbarium_decisions_memory_find (UrbariumRecent    *self,
                                                   const char *const *paths);

G_END_DECLS
