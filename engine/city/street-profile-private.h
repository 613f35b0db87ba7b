/* SPDX-License-Identifier: Apache-2.0 */
/*
 * street-profile-private.h - the center and the width of a street, from sections through it.
 */
#pragma once

#include "city/street-private.h"

G_BEGIN_DECLS

typedef struct
{
  UrbPoint center; /* on the center line */
  double   width;  /* in pixels; 0: unknown */
  gboolean is_cut; /* by the tile's border */
} UrbStreetSection;

/* What the soft map shows of one edge of a trace, in its order. */
typedef struct
{
  GArray *sections;  /* UrbStreetSection, owned; about a pixel apart, outside junctions; never
                      * empty */
  guint   n_widths;  /* sections with a width */
  double  width_px;  /* the mean of the middle half of the widths */
  double  length_px;
} UrbStreetProfile;

UrbStreetProfile *urb_street_profile_new  (const UrbStreetTrace *trace, const UrbTraceEdge *edge,
                                           const guint8 *skeleton, const UrbStreetMask *mask,
                                           const UrbSoftMap *map);
void              urb_street_profile_free (UrbStreetProfile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbStreetProfile, urb_street_profile_free)

G_END_DECLS
