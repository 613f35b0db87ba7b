/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held-out.c - see held-out.h.
 */
#include "dataset/held-out.h"

#include <math.h>

#include "dataset/square.h"

/* Neighbors that only touch may overlap by a pixel. */
#define LEAST_SHARE 0.02

static UrbSquare
square_of (const UrbArea *area, double size_m)
{
  return (UrbSquare){ area->center_x, area->center_y, area->angle_deg, size_m };
}

static gboolean
is_same_crs (UrbMap *map, const UrbDatasetInfo *info)
{
  int epsg = urb_map_get_epsg (map);

  return epsg != 0 ? epsg == info->epsg : g_strcmp0 (urb_map_get_crs_name (map), info->crs_name) == 0;
}

static gboolean
is_tested (const UrbSquare *square, UrbDataset *earlier)
{
  double size_m = urb_dataset_get_info (earlier)->area_size_m, reach_m = (square->size_m + size_m) * M_SQRT1_2;
  gint64 n;
  const gint64 *tested = urb_dataset_get_split (earlier, URB_SPLIT_TEST, &n);

  for (gint64 i = 0; i < n; i++)
    {
      UrbSquare other = square_of (urb_dataset_get_area (earlier, tested[i]), size_m);
      double smaller_m = MIN (size_m, square->size_m);

      if (fabs (other.x - square->x) < reach_m && fabs (other.y - square->y) < reach_m
          && urb_square_overlap_m2 (square, &other) > LEAST_SHARE * smaller_m * smaller_m)
        return TRUE;
    }
  return FALSE;
}

gint64
urb_curation_count_tested (const UrbCuration *self, UrbMap *map, UrbDataset *earlier)
{
  gint64 n = 0;

  if (!is_same_crs (map, urb_dataset_get_info (earlier)))
    return 0;
  for (guint i = 0; i < self->areas->len; i++)
    {
      const UrbArea *area = &g_array_index (self->areas, UrbArea, i);
      UrbSquare square = square_of (area, self->options.area_size_m);

      n += area->split != URB_SPLIT_TEST && is_tested (&square, earlier);
    }
  return n;
}
