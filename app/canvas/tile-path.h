/* SPDX-License-Identifier: Apache-2.0 */
/* tile-path.h - converts polygons of the map into a Cairo path of a tile. */
#pragma once

#include <cairo.h>

#include "map/map.h"

G_BEGIN_DECLS

/* Transforms meters into pixels of a tile, and clips. */
typedef struct
{
  double x, y;        /* meters: upper left corner */
  double pixels_per_m;
  double min, max;    /* pixels, in both directions: the path is clipped to this range */
  GArray *xy, *spare; /* (element-type double): scratch memory; owned by the painter */
} UrbariumTilePath;

/* Adds a polygon's rings to the path of @cr, with holes in the opposite direction of the outer
 * ring, so that all polygons of a class can be filled at once by the winding rule. */
void urbarium_tile_path_add (UrbariumTilePath *self, cairo_t *cr, UrbMap *map, gint64 polygon);

G_END_DECLS
