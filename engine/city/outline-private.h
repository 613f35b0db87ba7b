/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outline-private.h - the outline of a component of pixels, and its directions.
 *
 * An outline is a ring of cracks, the unit edges between a pixel inside and one outside.  It is
 * represented by the midpoints of its cracks: those of a digitized wall lie on both sides of it,
 * its corners on one side only.
 */
#pragma once

#include "city/components.h"
#include "city/polyline-private.h"

G_BEGIN_DECLS

/**
 * urb_outline_trace:
 * @labels: (@height_px, @width_px), from urb_components_label()
 * @component: number @label
 * @midpoints: (element-type UrbPoint): emptied, then filled with the outer ring
 */
void   urb_outline_trace      (const gint32 *labels, int width_px, int height_px, gint32 label,
                               const UrbComponent *component, GArray *midpoints);

/* The direction of the ring's walls, in [0, pi/2).
 * @tolerance_px: maximum distance of a wall from its cracks */
double urb_outline_find_angle (const GArray *midpoints, double tolerance_px);

/* The share of the ring in straight parts within 5 degrees of @angle, or across. */
double urb_outline_get_in_line (const GArray *midpoints, double tolerance_px, double angle);

/* The smallest enclosing rectangle with sides in one of 90 directions, a degree apart.
 * Returns: its area */
double urb_outline_find_box   (const GArray *midpoints);

G_END_DECLS
