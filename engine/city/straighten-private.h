/* SPDX-License-Identifier: Apache-2.0 */
/*
 * straighten-private.h - straightens the walls of buildings to right angles.
 */
#pragma once

#include "city/arrangement-private.h"

G_BEGIN_DECLS

typedef struct
{
  double tolerance_px; /* maximum distance between wall and cracks */
  double min_wall_px;  /* shorter walls are flattened */
  double detail_px;    /* the true resolution; at least 1 */
} UrbStraightenOptions;

/* A straight wall of a ring.  Wall i runs from corner i - 1 to corner i. */
typedef struct
{
  guint    first;  /* the wall's first crack in the ring */
  UrbPoint corner; /* at its end */
} UrbWall;

/**
 * urb_straighten_ring:
 * @midpoints: (element-type UrbPoint): of the cracks of a ring, each one pixel long
 * @sides: (element-type guint8): per crack, 0 inside the tile, or 1 + the side of the
 *   tile on which it lies (0 top, 1 right, 2 bottom, 3 left)
 * @angle: (inout): direction of the walls in radians; NaN: find it
 * @walls: (element-type UrbWall): emptied, then filled
 *
 * Finds the dominant direction, snaps walls to it and its normal, fits a least-squares
 * line to each wall, and intersects neighbors.
 *
 * Returns: %FALSE if this gives no ring of at least four walls
 */
gboolean urb_straighten_ring (const GArray *midpoints, const GArray *sides, int width_px,
                              int height_px, const UrbStraightenOptions *options, double *angle,
                              GArray *walls);

/* A rectangle of the same area, center and proportions, for buildings of too few pixels to
 * have walls.  @n_pixels: the area */
gboolean urb_straighten_rectangle (const GArray *midpoints, double n_pixels, double angle,
                                   GArray *walls);

/* The direction of a ring's walls, in [0, pi/2), as used for straightening. */
double   urb_straighten_find_angle (const GArray *midpoints, double tolerance_px);

/* The smallest enclosing rectangle with sides in one of 90 directions, a degree apart.
 * The outline of a wall runs through the midpoints of its cracks, hence their use.
 * @angle: (out): in [0, pi/2).  Returns: its area */
double   urb_straighten_find_box   (const GArray *midpoints, double *angle);

/**
 * urb_arrangement_straighten_region:
 *
 * Straightens and locks all rings of a building, provided that they match the pixels
 * (intersection over union at least 0.85, or down to 0.7 if the building is small for the
 * detail; area within 10 %) and that the arrangement stays valid.
 *
 * Returns: whether the region was straightened
 */
gboolean urb_arrangement_straighten_region (UrbArrangement *self, gint32 region,
                                            const UrbStraightenOptions *options);

G_END_DECLS
