/* SPDX-License-Identifier: Apache-2.0 */
/* curation-private.h - what curation.c does for the decisions of curation-decide.c. */
#pragma once

#include "app/areas/curation.h"

G_BEGIN_DECLS

/* Shows what follows from @decisions, and lets it be undone under @label. */
void urbarium_curation_decide (UrbariumCuration *self, UrbariumDecisions *decisions,
                               const char *label);

/* The last removal by a click: another click on the spot, if nothing was decided since, takes it
 * back; else it would take out the next of several areas that overlap there. */
typedef struct
{
  UrbariumDecisions *before, *after; /* owned; nullable */
  UrbRankedArea      area;
  double             x, y;
} UrbariumRemoval;

UrbariumRemoval *urbarium_curation_get_removal (UrbariumCuration *self); /* (transfer none) */

G_END_DECLS
