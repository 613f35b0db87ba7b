/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report-areas.c - warns if the areas of a map look wrong as a whole.
 */
#include "map/map-private.h"
#include "map/notes.h"

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
                         g_strdup_printf (class_ == URB_CLASS_BUILDING ? URB_NOTE_NO_BUILDING : URB_NOTE_NO_ROAD,
                                          map->profile));
    }
  if (sum > 1.2 * extent)
    g_ptr_array_add (map->warnings,
                     g_strdup_printf (URB_NOTE_OVERLAPPING, sum / extent));
}
