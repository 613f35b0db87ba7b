/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turn.h - how far a variation of a city is from the city's own latent vector, and where: see urb_latent_turn().
 */
#pragma once

#include <glib.h>
#include <math.h>

G_BEGIN_DECLS

#define URB_TURN_MAX_ANGLE      2.0 /* right angles */
#define URB_TURN_MAX_DIRECTIONS 1000000

typedef struct
{
  double x, y;       /* right angles, to the right and up; after one the city is another one */
  gint64 directions; /* the number of the pair of directions, from 1; see urbarium-engine-draw(1) */
} UrbTurn;

static inline gboolean
urb_turn_is_some (const UrbTurn *self)
{
  return self->x != 0 || self->y != 0;
}

static inline gboolean
urb_turn_is_valid (const UrbTurn *self)
{
  return fabs (self->x) <= URB_TURN_MAX_ANGLE && fabs (self->y) <= URB_TURN_MAX_ANGLE && self->directions >= 1
         && self->directions <= URB_TURN_MAX_DIRECTIONS;
}

G_END_DECLS
