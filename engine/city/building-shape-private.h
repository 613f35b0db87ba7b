/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-shape-private.h - buildings of a class map as shapes.
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
  double   perimeter_m;    /* of its outline, cut across the pixels' corners */
  double   rectangularity; /* area / area of the smallest rectangle around, at most 1 */
} UrbBuildingShape;

/* Those of at least @min_area_m2.  Returns: (element-type UrbBuildingShape) */
GArray *urb_building_shapes (const UrbClassMap *map, double min_area_m2);

G_END_DECLS
