/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simplify-private.h - stairs to lines, one arc at a time.
 */
#pragma once

#include "city/arrangement-private.h"

G_BEGIN_DECLS

/* Cuts every segment into steps of at most one pixel and appends their
 * midpoints.  The midpoints of a digitised line lie on both sides of it; its
 * corners only on one. */
void     urb_append_midpoints (const UrbPoint *points, guint n, gboolean closed, GArray *midpoints);

/* On a grid of 1/256 pixel, so that what is equal stays equal when written. */
UrbPoint urb_point_snap (UrbPoint point);

/**
 * urb_arrangement_simplify_arc:
 * @tolerance: pixels; how far a border may move
 *
 * Splits the arc where it bends, lays a least-squares line through each part
 * and lets neighbours meet.  Nodes stay.  If that would break the net, a
 * smaller tolerance is tried, and in the end the arc stays as it is.
 *
 * Returns: whether the shape changed
 */
gboolean urb_arrangement_simplify_arc (UrbArrangement *self, gint32 arc, double tolerance);

G_END_DECLS
