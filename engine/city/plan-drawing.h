/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-drawing.h - draws plans.
 */
#pragma once

#include <cairo.h>

#include "city/vectorize.h"
#include "dataset/plan-style.h"

G_BEGIN_DECLS

/* The color of a class in a plan, as on sample grids and maps. */
UrbColor urb_class_get_color (UrbClass class_);

/* Of center lines, where a format shows them; plans do not. */
#define URB_CENTERLINE_COLOR ((UrbColor) { 0xc0, 0x39, 0x2b })

/* Fills the polygons.  The context's unit is a meter, with y up and the tile's lower left
 * corner at the origin. */
void     urb_city_draw (cairo_t *cairo, const UrbCityVectors *vectors);

/* Draws one tile, @edge_px high. */
gboolean urb_city_write_png (const char *path, const UrbCityVectors *vectors, int edge_px,
                             GError **error);

G_END_DECLS
