/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-path.h - polygons of the map as a Cairo path of a tile.
 */
#pragma once

#include <cairo.h>

#include "map/map.h"

G_BEGIN_DECLS

/* From metres to the pixels of a tile, and what of them is wanted. */
typedef struct
{
  double x, y;        /* metres; the upper left corner */
  double pixels_per_m;
  double min, max;    /* pixels, in both directions: beyond, a path need not be right */
  GArray *xy, *spare; /* (element-type double): scratch memory; owned by the painter */
} UrbariumTilePath;

/* Adds a polygon's rings to the path of @cr, the outer one turning the one way and the holes the
 * other: all polygons of a class can be filled at once, by the winding rule. */
void urbarium_tile_path_add (UrbariumTilePath *self, cairo_t *cr, UrbMap *map, gint64 polygon);

G_END_DECLS
