/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-drawing.h - class maps and plans as pictures.
 */
#pragma once

#include <cairo.h>

#include "city/vectorise.h"

G_BEGIN_DECLS

/* Red, green, blue in 0..255 of each class in a plan. */
extern const guint8 urb_plan_colors[URB_N_CLASSES][3];

/* Fills the polygons; the tile's lower left corner is at the origin, and the
 * context's unit is a metre, y up. */
void     urb_plan_draw (cairo_t *cairo, const UrbCityVectors *vectors);

/* One tile, @edge_px high. */
gboolean urb_plan_write_png (const char *path, const UrbCityVectors *vectors, int edge_px,
                             GError **error);

/* One pixel per pixel, in the colours of a plan: what urb_class_map_load_png() reads. */
gboolean urb_class_map_write_png (const char *path, const UrbClassMap *map, GError **error);

/* Writes a surface atomically. */
gboolean urb_surface_write_png (cairo_surface_t *surface, const char *path, GError **error);

G_END_DECLS
