/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made-up-map.h - maps from rings in memory, and the classes of a raster's pixels.
 */
#pragma once

#include "dataset/raster.h"

/* @xy: (n_vertices) pairs; @ring_sizes: (n_rings); @rings_per_polygon and @classes: (n_polygons). */
UrbMap *made_up_map_new (const double *xy, const guint32 *ring_sizes,
                         const guint32 *rings_per_polygon, const guint8 *classes,
                         gint64 n_polygons, int epsg);

/* Of what was painted last, in @frame.  @codes: (out): (height, width): the class, or 3 for none. */
void made_up_map_get_classes (UrbRaster *raster, const UrbFrame *frame, guint8 *codes);
