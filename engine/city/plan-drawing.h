/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-drawing.h - class maps and plans as pictures.
 */
#pragma once

#include <cairo.h>

#include "city/vectorise.h"
#include "dataset/plan-style.h"

G_BEGIN_DECLS

/* Of a class in a plan, the same as on walls and maps. */
UrbColor urb_class_get_color (UrbClass class_);

/* Fills the polygons; the tile's lower left corner is at the origin, and the
 * context's unit is a metre, y up. */
void     urb_city_draw (cairo_t *cairo, const UrbCityVectors *vectors);

/* One tile, @edge_px high. */
gboolean urb_city_write_png (const char *path, const UrbCityVectors *vectors, int edge_px,
                             GError **error);

/* One pixel per pixel, in the colours of a plan: what urb_class_map_load_png() reads. */
gboolean urb_class_map_write_png (const char *path, const UrbClassMap *map, GError **error);

/* Writes a surface atomically. */
gboolean urb_surface_write_png (cairo_surface_t *surface, const char *path, GError **error);

G_END_DECLS
