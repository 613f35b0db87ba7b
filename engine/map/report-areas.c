/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report-areas.c - warns if the areas of a map look wrong as a whole.
 */
#include "map/map-private.h"

void
urb_map_report_areas (UrbMap *map)
{
  double extent = (map->extent.max_x - map->extent.min_x) * (map->extent.max_y - map->extent.min_y);
  double sum = 0;

  for (int class_ = 0; class_ < URB_N_CLASSES; class_++)
    {
      sum += map->class_areas_m2[class_];
      if (map->class_areas_m2[class_] == 0 && class_ != URB_CLASS_OTHER)
        g_ptr_array_add (map->warnings,
                         g_strdup_printf ("No polygon of this map is a %s; the profile is '%s', and another "
                                          "can be chosen with --profile.",
                                          urb_class_get_name (class_), map->profile));
    }
  if (sum > 1.2 * extent)
    g_ptr_array_add (map->warnings,
                     g_strdup_printf ("The polygons overlap: together they cover %.1f times the area of the "
                                      "map. Is the same map included twice?",
                                      sum / extent));
}
