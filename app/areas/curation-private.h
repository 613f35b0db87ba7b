/* SPDX-License-Identifier: Apache-2.0 */
/* curation-private.h - functions of curation.c for curation-decide.c. */
#pragma once

#include "app/areas/curation.h"

G_BEGIN_DECLS

/* Applies @decisions, with @label for undo. */
void urbarium_curation_decide (UrbariumCuration *self, UrbariumDecisions *decisions,
                               const char *label);

/* The last removal by a click.  Another click on the same spot, without a decision in between,
 * reverts it; otherwise it would remove the next of several overlapping areas. */
typedef struct
{
  UrbariumDecisions *before, *after; /* owned; nullable */
  UrbRankedArea      area;
  double             x, y;
} UrbariumRemoval;

UrbariumRemoval *urbarium_curation_get_removal (UrbariumCuration *self); /* (transfer none) */

G_END_DECLS
