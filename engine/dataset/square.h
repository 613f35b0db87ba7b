/* SPDX-License-Identifier: Apache-2.0 */
/*
 * square.h - areas as squares in the plane: corners, overlaps, boxes.
 */
#pragma once

#include "map/map.h"

G_BEGIN_DECLS

typedef struct
{
  double x, y; /* metres; the centre */
  double angle_deg;
  double size_m;
} UrbSquare;

/* Counter-clockwise, beginning at the lower left corner of the tile. */
void   urb_square_get_corners (const UrbSquare *self, double corners[4][2]);
UrbBox urb_square_get_box     (const UrbSquare *self);

/* The area that both cover, in square metres; 0 where they only touch. */
double urb_square_overlap_m2  (const UrbSquare *a, const UrbSquare *b);

/* Whether they share more than a boundary. */
gboolean urb_square_meets_box (const UrbSquare *self, const UrbBox *box);

G_END_DECLS
