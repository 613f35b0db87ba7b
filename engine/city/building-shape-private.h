/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-shape-private.h - shape measures of the buildings of a class map.
 */
#pragma once

#include "city/class-map.h"

G_BEGIN_DECLS

typedef struct
{
  gint64   n_pixels;
  gboolean touches_border;
  double   area_m2;
  double   center_x_m, center_y_m;
  double   angle;          /* of its walls, radians in [0, pi/2) */
  double   in_line;        /* share of the walls within 5 degrees of that, or across */
  double   perimeter_m;    /* of the polygon through the midpoints of its cracks */
  double   rectangularity; /* area / area of the smallest enclosing rectangle, at most 1 */
} UrbBuildingShape;

/* Buildings of at least @min_area_m2.  Returns: (element-type UrbBuildingShape) */
GArray *urb_building_shapes (const UrbClassMap *map, double min_area_m2);

G_END_DECLS
