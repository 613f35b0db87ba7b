/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring.h - plain geometry of one ring: (n) pairs x, y, the first not repeated.
 */
#pragma once

#include "map/box.h"

G_BEGIN_DECLS

/* TRUE: proven simple; FALSE: unknown. */
gboolean urb_map_ring_is_surely_simple (const double *xy, gint64 n);
/* Positive: counter-clockwise. */
double   urb_map_ring_area (const double *xy, gint64 n);
UrbBox   urb_map_ring_get_box (const double *xy, gint64 n);
/* Whether all vertices lie on one line, up to triangles of @tolerance_m2. */
gboolean urb_map_ring_is_flat (const double *xy, gint64 n, double tolerance_m2);
gboolean urb_map_ring_contains (const double *xy, gint64 n, double x, double y);
/* A point well inside; FALSE if the ring has no interior. */
gboolean urb_map_ring_find_inside (const double *xy, gint64 n, double *x, double *y);

G_END_DECLS
