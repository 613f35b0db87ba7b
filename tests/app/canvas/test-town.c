/* SPDX-License-Identifier: Apache-2.0 */
#include "test-town.h"

#include "made-up-map.h"

typedef struct
{
  GArray     *xy, *sizes, *rings;
  GByteArray *classes;
} Town;

/* Every second ring in the opposite direction. */
static void
add_square (Town *town, double x, double y, double edge)
{
  double there[] = { x, y, x + edge, y, x + edge, y + edge, x, y + edge };
  double back[] = { x, y, x, y + edge, x + edge, y + edge, x + edge, y };
  guint32 four = 4;

  g_array_append_vals (town->xy, town->sizes->len % 2 == 0 ? there : back, 8);
  g_array_append_val (town->sizes, four);
}

static void
add_polygon (Town *town, guint32 n_rings, guint8 class_)
{
  g_array_append_val (town->rings, n_rings);
  g_byte_array_append (town->classes, &class_, 1);
}

UrbMap *
test_town_new (int n, double x0, double y0)
{
  Town town = {
    .xy = g_array_new (FALSE, FALSE, sizeof (double)),
    .sizes = g_array_new (FALSE, FALSE, sizeof (guint32)),
    .rings = g_array_new (FALSE, FALSE, sizeof (guint32)),
    .classes = g_byte_array_new (),
  };
  UrbMap *map;

  add_square (&town, x0, y0, 100.0 * n);
  for (int i = 0; i < n * n; i++)
    add_square (&town, x0 + 100 * (i % n) + 5, y0 + 100 * (i / n) + 5, 90);
  add_polygon (&town, 1 + n * n, URB_CLASS_ROAD);
  for (int i = 0; i < n * n; i++)
    {
      add_square (&town, x0 + 100 * (i % n) + 5, y0 + 100 * (i / n) + 5, 90);
      add_polygon (&town, 1, URB_CLASS_OTHER);
      add_square (&town, x0 + 100 * (i % n) + 30, y0 + 100 * (i / n) + 30, 40);
      add_square (&town, x0 + 100 * (i % n) + 45, y0 + 100 * (i / n) + 45, 10);
      add_polygon (&town, 2, URB_CLASS_BUILDING);
    }
  map = made_up_map_new ((double *) (void *) town.xy->data,
                                (guint32 *) (void *) town.sizes->data,
                                (guint32 *) (void *) town.rings->data, town.classes->data,
                                town.classes->len, 2056);
  g_array_unref (town.xy);
  g_array_unref (town.sizes);
  g_array_unref (town.rings);
  g_byte_array_unref (town.classes);
  return map;
}
