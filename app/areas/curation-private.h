/* SPDX-License-Identifier: Apache-2.0 */
/* curation-private.h - what curation.c does for the decisions of curation-decide.c. */
#pragma once

#include "app/areas/curation.h"

G_BEGIN_DECLS

/* Shows what follows from @decisions, and lets it be undone under @label. */
void urbarium_curation_decide (UrbariumCuration *self, UrbariumDecisions *decisions,
                               const char *label);

G_END_DECLS
