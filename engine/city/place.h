/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place.h - where a plan lies.
 */
#pragma once

#include <glib.h>
#include <math.h>

G_BEGIN_DECLS

/* All zeros: no position on Earth. */
typedef struct
{
  double      x, y;      /* the plan's lower left corner, in meters */
  int         epsg;      /* of the coordinates; 0: see @crs_wkt */
  double      angle_deg; /* the plan is turned about that corner, counter-clockwise */
  const char *crs_wkt;   /* (nullable) interned: the coordinate system if it has no code; NULL: local meters */
} UrbPlace;

/* Whether its coordinates are those of a map. */
static inline gboolean
urb_place_is_known (const UrbPlace *self)
{
  return self->epsg > 0 || self->crs_wkt != NULL;
}

/* @x, @y: (inout): meters from the plan's lower left corner, before it is turned */
static inline void
urb_place_put (const UrbPlace *self, double *x, double *y)
{
  double angle = self->angle_deg * G_PI / 180;
  double u = *x * cos (angle) - *y * sin (angle), v = *x * sin (angle) + *y * cos (angle);

  *x = self->x + u;
  *y = self->y + v;
}

G_END_DECLS
