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

typedef enum
{
  URB_RING_GOOD,
  URB_RING_DEGENERATE,
  URB_RING_ASTRAY, /* not a number, or beyond URB_MAP_MAX_COORDINATE */
  URB_RING_TOO_MANY
} UrbRingState;

/* Cleans @n vertices in the space from urb_map_builder_reserve(): removes repeated
 * vertices, also of the last with the first; @n_vertices: (out): those left. */
UrbRingState urb_map_ring_clean (double *xy, gint64 n, gint64 *n_vertices);
G_END_DECLS
