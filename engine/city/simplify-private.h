/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simplify-private.h - simplifies stair-stepped arcs to straight lines, one at a time.
 */
#pragma once

#include "city/arrangement-private.h"

G_BEGIN_DECLS

/* Divides each segment into steps of at most one pixel and appends their midpoints.  The
 * midpoints of a digitized line lie on both sides of it, its corners on one side only. */
void     urb_append_midpoints (const UrbPoint *points, guint n, gboolean closed, GArray *midpoints);

/* Snaps to a grid of 1/256 pixel, so that equal coordinates stay equal when written. */
UrbPoint urb_point_snap (UrbPoint point);

/**
 * urb_arrangement_simplify_arc:
 * @tolerance: maximum displacement in pixels
 *
 * Splits the arc where it bends, fits a least-squares line to each part and intersects
 * neighbors.  Nodes do not move.  If the arrangement would become invalid, smaller
 * tolerances are tried; if all fail, the arc is left unchanged.
 *
 * Returns: whether the shape changed
 */
gboolean urb_arrangement_simplify_arc (UrbArrangement *self, gint32 arc, double tolerance);

G_END_DECLS
