/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-shape.c - shape measures of the buildings of a class map.
 *
 * A building's direction must be derived from its entire outline, since every single
 * crack runs along the pixel grid.
 */
#include "city/building-shape-private.h"

#include <math.h>

#include "city/components.h"
#include "city/outline-private.h"

static const double tolerance_px = 0.9;

static UrbBuildingShape
measure_shape (const GArray *midpoints, gint64 n_pixels, double pixel_m)
{
  UrbBuildingShape shape = { .n_pixels = n_pixels };
  double length = 0, box;

  shape.area_m2 = (double) n_pixels * pixel_m * pixel_m;
  for (guint i = 0; i < midpoints->len; i++)
    {
      UrbPoint p = g_array_index (midpoints, UrbPoint, i);
      UrbPoint next = g_array_index (midpoints, UrbPoint, (i + 1) % midpoints->len);

      shape.center_x_m += p.x * pixel_m / midpoints->len;
      shape.center_y_m += p.y * pixel_m / midpoints->len;
      length += urb_point_distance (next, p);
    }
  shape.angle = urb_outline_find_angle (midpoints, tolerance_px);
  shape.in_line = urb_outline_get_in_line (midpoints, tolerance_px, shape.angle);
  shape.perimeter_m = length * pixel_m;
  box = urb_outline_find_box (midpoints);
  shape.rectangularity = box > 0 ? MIN (1, (double) n_pixels / box) : 1;
  return shape;
}

GArray *
urb_building_shapes (const UrbClassMap *map, double min_area_m2)
{
  GArray *shapes = g_array_new (FALSE, FALSE, sizeof (UrbBuildingShape));
  g_autofree gint32 *labels = g_new (gint32, (gsize) map->width_px * (gsize) map->height_px);
  g_autoptr(GArray) components = urb_components_label (map->classes, map->width_px, map->height_px,
                                                       URB_CONNECT_4, labels);
  g_autoptr(GArray) midpoints = g_array_new (FALSE, FALSE, sizeof (UrbPoint));

  for (guint i = 0; i < components->len; i++)
    {
      const UrbComponent *component = &g_array_index (components, UrbComponent, i);
      UrbBuildingShape shape;

      if (component->value != URB_CLASS_BUILDING
          || (double) component->n_pixels * map->pixel_m * map->pixel_m < min_area_m2)
        continue;
      urb_outline_trace (labels, map->width_px, map->height_px, (gint32) i, component, midpoints);
      shape = measure_shape (midpoints, component->n_pixels, map->pixel_m);
      shape.touches_border = component->touches_border;
      g_array_append_val (shapes, shape);
    }
  return shapes;
}
