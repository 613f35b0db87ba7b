/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector-raster.h - polygons back to pixels, to see what vectorising changed.
 */
#pragma once

#include "city/polyline-private.h"

G_BEGIN_DECLS

/* The area inside of rings, holes subtracted by their winding. @sizes: (n_rings) */
double urb_rings_area (const UrbPoint *points, const guint *sizes, guint n_rings);

/* Calls @paint for every span of pixels [col_begin, col_end) of @row whose
 * centres are inside, by the even-odd rule. */
typedef void (*UrbSpanFunc) (int row, int col_begin, int col_end, gpointer user_data);

void   urb_rings_rasterize (const UrbPoint *points, const guint *sizes, guint n_rings,
                            int width_px, int height_px, UrbSpanFunc paint, gpointer user_data);

/**
 * urb_rings_overlap:
 * @labels: (@height_px, @width_px)
 * @n_pixels: how many of them are @label
 *
 * Intersection over union of the rings' inside and the pixels labelled @label,
 * from 4 x 4 samples per pixel.
 */
double urb_rings_overlap (const UrbPoint *points, const guint *sizes, guint n_rings,
                          const gint32 *labels, int width_px, int height_px, gint32 label,
                          gint64 n_pixels);

G_END_DECLS
