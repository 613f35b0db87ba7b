/* SPDX-License-Identifier: Apache-2.0 */
/*
 * partition-private.h - divides a tile into buildings, roads and open land without gaps.
 */
#pragma once

#include "city/geometry-private.h"
#include "city/vectorize.h"

G_BEGIN_DECLS

typedef struct
{
  UrbClass      class_;
  GEOSGeometry *shape; /* a polygon, of the geometry given to urb_partition_new() */
} UrbPart;

/* What lies on top of what: what stays, each in the order of the classes; then new buildings, each a part
 * of its own, where two overlap the first on top; then new roads.  The rest is other land. */
typedef struct
{
  GPtrArray    *given_buildings;           /* (element-type GEOSGeometry) */
  GEOSGeometry *given_roads, *given_other; /* (nullable) */
  GPtrArray    *buildings;                 /* (element-type GEOSGeometry) */
  GEOSGeometry *roads;
} UrbPartitionLayers;

/* Puts what stays into @layers, and removes from the rest what was drawn in its place. */
void    urb_given_put (const UrbGiven *self, UrbGeometry *geometry, UrbPartitionLayers *layers);
/* The width of the street with center line @line.  @drawn_m: what was drawn; where most of the line lies on
 * @given_roads (nullable), these are measured instead */
double  urb_given_measure_width (UrbGeometry *geometry, const GEOSGeometry *line, const GEOSGeometry *given_roads,
                                 double drawn_m);

/**
 * urb_partition_new:
 * @min_area_m2: smaller parts of a class, and slivers, join the neighbor with which they share
 *   most of their border; but what stays neither joins nor grows
 *
 * All borders are cut at their common points first, and the parts are made from the pieces.  So neighbors have the same vertices along their border.
 *
 * Returns: (transfer full) (element-type UrbPart): buildings first, then roads, then other
 */
GArray *urb_partition_new (UrbGeometry *geometry, const UrbPartitionLayers *layers,
                           const double *min_area_m2);

G_END_DECLS
