/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-shape.c - buildings of a class map as shapes.
 *
 * The direction of a building must come from its outline as a whole: each of
 * its cracks runs along the pixels.
 */
#include "city/building-shape-private.h"

#include <math.h>

#include "city/arrangement-private.h"
#include "city/simplify-private.h"
#include "city/straighten-private.h"

/* Area of the smallest rectangle around the points whose sides have one of 90
 * directions, a degree apart.  The points are midpoints of cracks, hence the
 * outline of a wall runs through them. */
static double
find_rectangle_area (const GArray *points)
{
  double least = G_MAXDOUBLE;

  for (int degree = 0; degree < 90; degree++)
    {
      double c = cos (degree * G_PI / 180), s = sin (degree * G_PI / 180);
      double min_u = G_MAXDOUBLE, max_u = -G_MAXDOUBLE, min_v = G_MAXDOUBLE, max_v = -G_MAXDOUBLE;

      for (guint i = 0; i < points->len; i++)
        {
          UrbPoint p = g_array_index (points, UrbPoint, i);
          double u = c * p.x + s * p.y, v = c * p.y - s * p.x;

          min_u = MIN (min_u, u);
          max_u = MAX (max_u, u);
          min_v = MIN (min_v, v);
          max_v = MAX (max_v, v);
        }
      least = MIN (least, (max_u - min_u) * (max_v - min_v));
    }
  return least;
}

static double
find_length (const GArray *points)
{
  double length = 0;

  for (guint i = 0; i < points->len; i++)
    {
      UrbPoint a = g_array_index (points, UrbPoint, i);
      UrbPoint b = g_array_index (points, UrbPoint, (i + 1) % points->len);

      length += hypot (b.x - a.x, b.y - a.y);
    }
  return length;
}

static UrbBuildingShape
measure_shape (const GArray *midpoints, gint64 n_pixels, double pixel_m)
{
  UrbBuildingShape shape = { .n_pixels = n_pixels };
  double box;

  shape.area_m2 = (double) n_pixels * pixel_m * pixel_m;
  for (guint i = 0; i < midpoints->len; i++)
    {
      UrbPoint p = g_array_index (midpoints, UrbPoint, i);

      shape.center_x_m += p.x * pixel_m / midpoints->len;
      shape.center_y_m += p.y * pixel_m / midpoints->len;
    }
  shape.angle = urb_straighten_find_angle (midpoints, 0.9);
  shape.perimeter_m = find_length (midpoints) * pixel_m;
  box = find_rectangle_area (midpoints);
  shape.rectangularity = box > 0 ? MIN (1, (double) n_pixels / box) : 1;
  return shape;
}

GArray *
urb_building_shapes (const UrbClassMap *map, double min_area_m2)
{
  GArray *shapes = g_array_new (FALSE, FALSE, sizeof (UrbBuildingShape));
  g_autoptr(UrbArrangement) net = urb_arrangement_new (map);
  g_autoptr(GArray) outline = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  g_autoptr(GArray) midpoints = g_array_new (FALSE, FALSE, sizeof (UrbPoint));

  for (guint i = 0; i < net->regions->len; i++)
    {
      const UrbRegion *region = &g_array_index (net->regions, UrbRegion, i);
      UrbBuildingShape shape;

      if (region->class_ != URB_CLASS_BUILDING
          || (double) region->n_pixels * map->pixel_m * map->pixel_m < min_area_m2)
        continue;
      urb_arrangement_get_ring (net, region->first_ring, outline);
      g_array_set_size (midpoints, 0);
      urb_append_midpoints ((UrbPoint *) (gpointer) outline->data, outline->len, TRUE, midpoints);
      shape = measure_shape (midpoints, region->n_pixels, map->pixel_m);
      for (guint k = 0; k < outline->len && !shape.touches_border; k++)
        {
          UrbPoint p = g_array_index (outline, UrbPoint, k);

          shape.touches_border = p.x <= 0 || p.y <= 0 || p.x >= map->width_px
                                 || p.y >= map->height_px;
        }
      g_array_append_val (shapes, shape);
    }
  return shapes;
}
