/* SPDX-License-Identifier: Apache-2.0 */
/*
 * street-surface-private.h - the ground that streets and squares cover.
 */
#pragma once

#include "city/geometry-private.h"
#include "city/street-graph.h"

G_BEGIN_DECLS

/* Streets as strips of constant width, joined at junctions with rounded curbs, united with the
 * squares, and cut at the tile's edge.  Returns: owned by @geometry */
GEOSGeometry *urb_street_surface_new (UrbGeometry *geometry, const UrbStreetGraph *streets);

/* The center line of an edge.  Ends on the tile's border are moved beyond it, by @beyond pixels, so
 * that what is cut there is cut straight.  Returns: owned by @geometry */
GEOSGeometry *urb_street_center_line (UrbGeometry *geometry, const UrbStreetGraph *streets,
                                      const UrbStreetEdge *edge, double beyond);

/* Removes buildings that stand across a street, with street in front of them and behind, or on a junction.
 * Of a large one, what is beside @surface stays, in parts. */
void          urb_street_clear       (UrbGeometry *geometry, const UrbStreetGraph *streets,
                                      const GEOSGeometry *surface, GPtrArray *buildings);

G_END_DECLS
