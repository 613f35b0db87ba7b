/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ground.c - see ground.h.
 */
#include "dataset/ground.h"

#include <math.h>

#define MAX_POLYGONS 4000 /* evenly among the class's */
#define BESIDE_M     0.5

typedef struct
{
  UrbMap *map;
  UrbClass class_; /* beside these */
  GArray *found;   /* of gint64; owned */
  gint64 n, n_covered;
} Survey;

/* Whether the point is in one of the found polygons, either of the class or of others.  Other land comes
 * before roads, of which the largest have the most vertices. */
static gboolean
is_in_any (const Survey *self, gboolean of_class, double x, double y)
{
  for (guint i = 0; i < self->found->len; i++)
    {
      gint64 index = g_array_index (self->found, gint64, i);
      if ((urb_map_get_polygon (self->map, index)->class_ == self->class_) == of_class
          && urb_map_polygon_contains (self->map, index, x, y))
        return TRUE;
    }
  return FALSE;
}

/* Of a point that is in no polygon of the class; others tell nothing. */
static void
look_at (Survey *self, double x, double y)
{
  urb_map_query (self->map, (UrbBox){ x, y, x, y }, self->found);
  if (is_in_any (self, TRUE, x, y))
    return;
  self->n++;
  self->n_covered += is_in_any (self, FALSE, x, y);
}

/* Half a meter to both sides of the middle of each edge; one of them is inside. */
static void
look_beside (Survey *self, gint64 index)
{
  gint64 n;
  const double *xy = urb_map_get_ring (self->map, urb_map_get_polygon (self->map, index)->first_ring, &n);

  for (gint64 a = 0, b = n - 1; a < n; b = a++)
    {
      double dx = xy[2 * a] - xy[2 * b], dy = xy[2 * a + 1] - xy[2 * b + 1], length = hypot (dx, dy);
      double x = (xy[2 * a] + xy[2 * b]) / 2, y = (xy[2 * a + 1] + xy[2 * b + 1]) / 2;

      if (length < 2 * BESIDE_M)
        continue;
      look_at (self, x + BESIDE_M * dy / length, y - BESIDE_M * dx / length);
      look_at (self, x - BESIDE_M * dy / length, y + BESIDE_M * dx / length);
    }
}

static void
survey (Survey *self, UrbClass class_)
{
  gint64 n_polygons = urb_map_get_n_polygons (self->map), n_class = 0, step, k = 0;

  self->class_ = class_;
  for (gint64 i = 0; i < n_polygons; i++)
    n_class += urb_map_get_polygon (self->map, i)->class_ == class_;
  step = n_class / MAX_POLYGONS + 1;
  for (gint64 i = 0; i < n_polygons; i++)
    if (urb_map_get_polygon (self->map, i)->class_ == class_ && k++ % step == 0)
      look_beside (self, i);
}

double
urb_ground_measure_cover (UrbMap *map)
{
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));
  Survey self = { .map = map, .found = found };

  survey (&self, URB_CLASS_BUILDING);
  if (self.n == 0)
    survey (&self, URB_CLASS_ROAD);
  return self.n > 0 ? (double) self.n_covered / self.n : 1;
}
