/* SPDX-License-Identifier: Apache-2.0 */
/*
 * polyline-private.h - plane geometry shared by the vectorizer's files.
 *
 * Coordinates are in pixels, x to the right, y down; pixel (row, col) covers
 * [col, col + 1] x [row, row + 1].
 */
#pragma once

#include <math.h>

#include "map/ring.h"

G_BEGIN_DECLS

typedef struct
{
  double x, y;
} UrbPoint;

/* A straight line a x + b y = c with a unit normal (a, b). */
typedef struct
{
  double a, b, c;
} UrbLine;

/* Sums for a least-squares line. */
typedef struct
{
  double n, sx, sy, sxx, sxy, syy;
} UrbScatter;

void     urb_scatter_add   (UrbScatter *self, UrbPoint point);
/* Central second moments: sums of dx², dx dy, dy². */
void     urb_scatter_get_moments (const UrbScatter *self, double *xx, double *xy, double *yy);
/* The line with the least sum of squared distances. */
UrbLine  urb_scatter_fit   (const UrbScatter *self);
/* The same among lines of direction @angle (radians). */
UrbLine  urb_scatter_fit_direction (const UrbScatter *self, double angle);

/* The intersection of two lines; %FALSE if they are within about 15 degrees of parallel. */
gboolean urb_line_intersect (const UrbLine *first, const UrbLine *second, UrbPoint *point);
UrbPoint urb_line_project   (const UrbLine *line, UrbPoint point);

/* See map/ring.h. */
static inline double
urb_ring_area (const UrbPoint *points, gint64 n)
{
  return urb_map_ring_area (&points->x, n);
}

static inline gboolean
urb_ring_contains (const UrbPoint *points, gint64 n, UrbPoint point)
{
  return urb_map_ring_contains (&points->x, n, point.x, point.y);
}

/* @points: (element-type UrbPoint) */
static inline UrbPoint
urb_points_get (const GArray *points, guint i)
{
  return g_array_index (points, UrbPoint, i);
}

/* The index of the point farthest from the mean: a corner to start a closed arc at.
 * @points: (element-type UrbPoint) */
guint    urb_points_find_prominent (const GArray *points);

static inline double
urb_point_distance (UrbPoint a, UrbPoint b)
{
  return hypot (a.x - b.x, a.y - b.y);
}

/* The point of the segment from @a to @b that is nearest to @to. */
static inline UrbPoint
urb_segment_nearest (UrbPoint a, UrbPoint b, UrbPoint to)
{
  double dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy, t = 0;

  if (length2 > 0)
    t = CLAMP (((to.x - a.x) * dx + (to.y - a.y) * dy) / length2, 0, 1);
  return (UrbPoint) { a.x + t * dx, a.y + t * dy };
}

/* The distance between two segments; 0 if they cross. */
double   urb_segment_distance (UrbPoint a, UrbPoint b, UrbPoint c, UrbPoint d);
double   urb_point_segment_distance (UrbPoint p, UrbPoint a, UrbPoint b);

/**
 * urb_polyline_split:
 * @kept: (element-type guint): emptied, then filled with the indices kept by the
 *   Douglas-Peucker algorithm (1973), ascending, including the first and the last
 *
 * Each dropped point is at most @tolerance from the segment that replaces it.
 */
void urb_polyline_split (const UrbPoint *points, guint n, double tolerance, GArray *kept);

G_END_DECLS
