/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places.c - see places.h.
 */
#include "dataset/places.h"

#include <math.h>

typedef struct
{
  double x, y;
  guint  parent; /* in a tree of places; the root stands for the place */
} Center;

static int
compare_centers (gconstpointer a, gconstpointer b)
{
  const Center *p = a, *q = b;

  return (p->x > q->x) - (p->x < q->x);
}

static guint
find_root (GArray *centers, guint i)
{
  Center *center = (Center *) (gpointer) centers->data;

  while (center[i].parent != i)
    i = center[i].parent = center[center[i].parent].parent;
  return i;
}

guint
urb_dataset_count_places (UrbDataset *self, UrbSplit split)
{
  double near_m = 2 * urb_dataset_get_info (self)->area_size_m;
  g_autoptr(GArray) centers = g_array_new (FALSE, FALSE, sizeof (Center));
  gint64 n;
  const gint64 *areas = urb_dataset_get_split (self, split, &n);
  guint n_places;
  Center *center;

  for (gint64 i = 0; i < n; i++)
    {
      const UrbArea *area = urb_dataset_get_area (self, areas[i]);
      Center added = { area->center_x, area->center_y, 0 };

      g_array_append_val (centers, added);
    }
  g_array_sort (centers, compare_centers);
  center = (Center *) (gpointer) centers->data;
  n_places = centers->len;
  for (guint i = 0; i < centers->len; i++)
    {
      center[i].parent = i;
      for (guint k = i; k-- > 0 && center[i].x - center[k].x < near_m;)
        {
          guint root = find_root (centers, k), own = find_root (centers, i);

          if (root == own
              || hypot (center[i].x - center[k].x, center[i].y - center[k].y) >= near_m)
            continue;
          center[root].parent = own;
          n_places--;
        }
    }
  return n_places;
}
