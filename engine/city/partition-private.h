/* SPDX-License-Identifier: Apache-2.0 */
/*
 * partition-private.h - divides a tile into buildings, roads and open land without gaps.
 */
#pragma once

#include "city/geometry-private.h"
#include "city/vectorise.h"

G_BEGIN_DECLS

typedef struct
{
  UrbClass      class_;
  GEOSGeometry *shape; /* a polygon, of the geometry given to urb_partition_new() */
} UrbPart;

/**
 * urb_partition_new:
 * @buildings: (element-type GEOSGeometry): each becomes a part of its own; where two overlap, the
 *   first is on top
 * @roads: under the buildings
 * @min_area_m2: smaller parts of a class, and slivers, join the neighbor with which they share
 *   most of their border
 *
 * All borders are cut at their common points first, and the parts are made from the pieces.  So neighbors have the same vertices along their border.
 *
 * Returns: (transfer full) (element-type UrbPart): buildings first, then roads, then other
 */
GArray *urb_partition_new (UrbGeometry *geometry, GPtrArray *buildings, GEOSGeometry *roads,
                           const double *min_area_m2);

G_END_DECLS
