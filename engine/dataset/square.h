/* SPDX-License-Identifier: Apache-2.0 */
/*
 * square.h - areas as squares in the plane: corners, overlaps, boxes.
 */
#pragma once

#include "map/map.h"

G_BEGIN_DECLS

typedef struct
{
  double x, y; /* meters; the center */
  double angle_deg;
  double size_m;
} UrbSquare;

/* Counter-clockwise from the tile's lower left corner. */
void   urb_square_get_corners (const UrbSquare *self, double corners[4][2]);
UrbBox urb_square_get_box     (const UrbSquare *self);

/* The area of the intersection in square meters; 0 if they only touch. */
double urb_square_overlap_m2  (const UrbSquare *a, const UrbSquare *b);

/* Whether the square and the box share more than a boundary. */
gboolean urb_square_meets_box (const UrbSquare *self, const UrbBox *box);

G_END_DECLS
