/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hull.h - the convex hull of a map.
 */
#pragma once

#include "map/map.h"

G_BEGIN_DECLS

/* Returns: (transfer full) (element-type double): x, y pairs, counter-clockwise;
 *   empty if the map has no vertices */
GArray *urb_hull_new_of_map (UrbMap *map);

/* The extent of the hull along a direction (columns) and across it (rows), as in UrbFrame. */
void urb_hull_get_extent (GArray *hull, double cos_a, double sin_a, double *min_col_m,
                          double *max_col_m, double *min_row_m, double *max_row_m);

G_END_DECLS
