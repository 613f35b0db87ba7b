/* SPDX-License-Identifier: Apache-2.0 */
/*
 * straighten-private.h - the walls of buildings, at right angles.
 */
#pragma once

#include "city/arrangement-private.h"

G_BEGIN_DECLS

typedef struct
{
  double tolerance_px; /* how far a wall may leave the cracks */
  double min_wall_px;  /* shorter walls are flattened */
  double detail_px;    /* what is smaller is not known; at least 1 */
} UrbStraightenOptions;

/* A ring that was made of straight walls.  Wall i ends at corner i and begins
 * at corner i - 1. */
typedef struct
{
  guint    first;  /* crack of the ring that the wall begins with */
  UrbPoint corner; /* at its end */
} UrbSampleGrid;

/**
 * urb_straighten_ring:
 * @midpoints: (element-type UrbPoint): of the cracks of a ring, each one pixel long
 * @sides: (element-type guint8): per crack, 0 inside of the tile, or 1 + the
 *   side of the tile that it lies on (0 top, 1 right, 2 bottom, 3 left)
 * @angle: (inout): direction of the walls in radians; NaN: find it
 * @walls: (element-type UrbSampleGrid): emptied, then filled
 *
 * Dominant direction, walls snapped to it and to its normal, one least-squares
 * line each, neighbours intersected.
 *
 * Returns: %FALSE if there is no such ring of at least four walls
 */
gboolean urb_straighten_ring (const GArray *midpoints, const GArray *sides, int width_px,
                              int height_px, const UrbStraightenOptions *options, double *angle,
                              GArray *walls);

/* A rectangle of the same area, centre and proportions, for blobs of too few
 * pixels to have walls.  @n_pixels: the area */
gboolean urb_straighten_rectangle (const GArray *midpoints, double n_pixels, double angle,
                                   GArray *walls);

/* The direction of the walls of a ring, in [0, pi/2); what straightening uses,
 * without the rest. */
double   urb_straighten_find_angle (const GArray *midpoints, double tolerance_px);

/* The direction of the smallest rectangle around a ring, in [0, pi/2). */
double   urb_straighten_find_box_angle (const GArray *midpoints);

/**
 * urb_arrangement_straighten_region:
 *
 * Straightens all rings of a building, if the outcome is a better plan: it
 * covers the pixels (intersection over union at least 0.85, or 0.7 where the
 * detail is coarse for the building; area within 10 %) and the net stays a net.  Its arcs are
 * locked then.
 */
gboolean urb_arrangement_straighten_region (UrbArrangement *self, gint32 region,
                                            const UrbStraightenOptions *options);

G_END_DECLS
