/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector-raster.h - rasterizes polygons.
 */
#pragma once

#include "city/polyline-private.h"

G_BEGIN_DECLS

/* Called for each span of pixels [col_begin, col_end) of @row with centers inside, by the
 * even-odd rule. */
typedef void (*UrbSpanFunc) (int row, int col_begin, int col_end, gpointer user_data);

void   urb_rings_rasterize (const UrbPoint *points, const guint *sizes, guint n_rings,
                            int width_px, int height_px, UrbSpanFunc paint, gpointer user_data);

G_END_DECLS
