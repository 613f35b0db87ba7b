/* SPDX-License-Identifier: Apache-2.0 */
/*
 * placement.h - where a plan lies on a map, while it is moved and turned.
 *
 * Coordinates are whole centimeters, and angles thousandths of a degree, so that the numbers that are
 * shown are those that are exported.
 */
#pragma once

#include "city/place.h"
#include "dataset/square.h"

G_BEGIN_DECLS

typedef struct
{
  double x, y;             /* the center, in meters of the map */
  double angle_deg;        /* counter-clockwise, in [0, 360) */
  double width_m, height_m;
  int    n_cols, n_rows;   /* areas of the plan */
} UrbariumPlacement;

void     urbarium_placement_move (UrbariumPlacement *self, double x, double y);
/* Turns it about its center, to @angle_deg. */
void     urbarium_placement_turn (UrbariumPlacement *self, double angle_deg);
/* Puts one of the plan's areas on @area: the middle one, or of two the left and the lower. */
void     urbarium_placement_snap (UrbariumPlacement *self, const UrbSquare *area);

/* Clockwise from the plan's upper left corner, in meters of the map. */
void     urbarium_placement_get_corners (const UrbariumPlacement *self, double corners[4][2]);
UrbBox   urbarium_placement_get_box     (const UrbariumPlacement *self);
gboolean urbarium_placement_contains    (const UrbariumPlacement *self, double x, double y);
/* @map: whose coordinate system it has */
UrbPlace urbarium_placement_get_place   (const UrbariumPlacement *self, UrbMap *map);

/* The area whose center is nearest.
 * @areas: (element-type UrbSquare).  Returns: (nullable): %NULL if there are none */
const UrbSquare *urbarium_placement_find_nearest (const UrbariumPlacement *self, const GArray *areas);

G_END_DECLS
