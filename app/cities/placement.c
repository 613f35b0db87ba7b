/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/placement.h"

#include <math.h>

void
urbarium_placement_move (UrbariumPlacement *self, double x, double y)
{
  self->x = rint (x * 100) / 100;
  self->y = rint (y * 100) / 100;
}

void
urbarium_placement_turn (UrbariumPlacement *self, double angle_deg)
{
  double turns = angle_deg / 360;
  self->angle_deg = rint ((turns - floor (turns)) * 360 * 1000) / 1000;
  if (self->angle_deg >= 360)
    self->angle_deg = 0;
}

/* @x, @y: (inout): meters from the plan's center, before it is turned */
static void
put (const UrbariumPlacement *self, double *x, double *y)
{
  urb_place_put (&(UrbPlace) { .x = self->x, .y = self->y, .angle_deg = self->angle_deg }, x, y);
}

void
urbarium_placement_snap (UrbariumPlacement *self, const UrbSquare *area)
{
  double x = self->n_cols % 2 == 0 ? self->width_m / self->n_cols / 2 : 0;
  double y = self->n_rows % 2 == 0 ? self->height_m / self->n_rows / 2 : 0;
  urbarium_placement_turn (self, area->angle_deg);
  self->x = area->x;
  self->y = area->y;
  put (self, &x, &y);
  urbarium_placement_move (self, x, y);
}

void
urbarium_placement_get_corners (const UrbariumPlacement *self, double corners[4][2])
{
  static const int sides[4][2] = { { -1, 1 }, { 1, 1 }, { 1, -1 }, { -1, -1 } };
  for (int i = 0; i < 4; i++)
    {
      corners[i][0] = sides[i][0] * self->width_m / 2;
      corners[i][1] = sides[i][1] * self->height_m / 2;
      put (self, &corners[i][0], &corners[i][1]);
    }
}

UrbBox
urbarium_placement_get_box (const UrbariumPlacement *self)
{
  UrbBox box = URB_BOX_EMPTY;
  double corners[4][2];
  urbarium_placement_get_corners (self, corners);
  for (int i = 0; i < 4; i++)
    urb_box_add_point (&box, corners[i][0], corners[i][1]);
  return box;
}

gboolean
urbarium_placement_contains (const UrbariumPlacement *self, double x, double y)
{
  double dx = x - self->x, dy = y - self->y;
  urb_place_put (&(UrbPlace) { .angle_deg = -self->angle_deg }, &dx, &dy);
  return fabs (dx) <= self->width_m / 2 && fabs (dy) <= self->height_m / 2;
}

UrbPlace
urbarium_placement_get_place (const UrbariumPlacement *self, UrbMap *map)
{
  UrbPlace place = { .epsg = urb_map_get_epsg (map), .angle_deg = self->angle_deg };
  double corners[4][2];
  urbarium_placement_get_corners (self, corners);
  place.x = corners[3][0];
  place.y = corners[3][1];
  if (place.epsg == 0)
    place.crs_wkt = g_intern_string (urb_map_get_crs_wkt (map));
  return place;
}

const UrbSquare *
urbarium_placement_find_nearest (const UrbariumPlacement *self, const GArray *areas)
{
  const UrbSquare *nearest = NULL;
  double least = INFINITY;
  for (guint i = 0; i < areas->len; i++)
    {
      const UrbSquare *area = &g_array_index (areas, UrbSquare, i);
      double distance = hypot (area->x - self->x, area->y - self->y);
      if (distance < least)
        {
          nearest = area;
          least = distance;
        }
    }
  return nearest;
}
