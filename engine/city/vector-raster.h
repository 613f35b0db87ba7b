/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector-raster.h - rasterizes polygons, to measure what vectorizing changed.
 */
#pragma once

#include "city/polyline-private.h"

G_BEGIN_DECLS

/* The signed area of rings, so that holes are subtracted.  @sizes: (n_rings) */
double urb_rings_area (const UrbPoint *points, const guint *sizes, guint n_rings);

/* Called for each span of pixels [col_begin, col_end) of @row with centers inside, by the
 * even-odd rule. */
typedef void (*UrbSpanFunc) (int row, int col_begin, int col_end, gpointer user_data);

void   urb_rings_rasterize (const UrbPoint *points, const guint *sizes, guint n_rings,
                            int width_px, int height_px, UrbSpanFunc paint, gpointer user_data);

/**
 * urb_rings_overlap:
 * @labels: (@height_px, @width_px)
 * @n_pixels: number of pixels labeled @label
 *
 * Intersection over union of the rings' interior and the pixels labeled @label, with
 * 4 x 4 samples per pixel.
 */
double urb_rings_overlap (const UrbPoint *points, const guint *sizes, guint n_rings,
                          const gint32 *labels, int width_px, int height_px, gint32 label,
                          gint64 n_pixels);

G_END_DECLS
