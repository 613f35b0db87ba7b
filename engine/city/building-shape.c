/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-shape.c - shape measures of the buildings of a class map.
 *
 * A building's direction must be derived from its entire outline, since every single
 * crack runs along the pixel grid.
 */
#include "city/building-shape-private.h"

#include <math.h>

#include "city/arrangement-private.h"
#include "city/simplify-private.h"
#include "city/straighten-private.h"

static UrbBuildingShape
measure_shape (const GArray *midpoints, gint64 n_pixels, double pixel_m)
{
  UrbBuildingShape shape = { .n_pixels = n_pixels };
  double length = 0, box, box_angle;

  shape.area_m2 = (double) n_pixels * pixel_m * pixel_m;
  for (guint i = 0; i < midpoints->len; i++)
    {
      UrbPoint p = g_array_index (midpoints, UrbPoint, i);
      UrbPoint next = g_array_index (midpoints, UrbPoint, (i + 1) % midpoints->len);

      shape.center_x_m += p.x * pixel_m / midpoints->len;
      shape.center_y_m += p.y * pixel_m / midpoints->len;
      length += hypot (next.x - p.x, next.y - p.y);
    }
  shape.angle = urb_straighten_find_angle (midpoints, 0.9);
  shape.perimeter_m = length * pixel_m;
  box = urb_straighten_find_box (midpoints, &box_angle);
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
