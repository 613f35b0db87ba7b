/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-path.c - Cairo's coordinates end at 2^23 pixels, and a lake seen close up is larger, so
 * polygons are clipped to the tile.
 */
#include "app/canvas/tile-path.h"

#define MIN_DISTANCE 0.06 /* pixels: closer vertices are omitted, which is invisible */

typedef struct
{
  double x, y;
} Point;

static void
read_ring (UrbariumTilePath *self, const double *xy, gint64 n_vertices)
{
  Point *points;
  guint n = 0;

  g_array_set_size (self->xy, (guint) (2 * n_vertices));
  points = (Point *) (void *) self->xy->data;
  for (gint64 i = 0; i < n_vertices; i++)
    {
      Point p = { (xy[2 * i] - self->x) * self->pixels_per_m,
                  (self->y - xy[2 * i + 1]) * self->pixels_per_m };

      if (n > 0 && ABS (p.x - points[n - 1].x) < MIN_DISTANCE
          && ABS (p.y - points[n - 1].y) < MIN_DISTANCE)
        continue;
      points[n++] = p;
    }
  g_array_set_size (self->xy, 2 * n);
}

/* One step of Sutherland-Hodgman clipping: keeps the part with @sign * coordinate <= @limit. */
static void
clip_side (UrbariumTilePath *self, gboolean vertical, double sign, double limit)
{
  GArray *from = self->xy, *to = self->spare;
  const Point *points = (const Point *) (const void *) from->data;
  guint n = from->len / 2;

  g_array_set_size (to, 0);
  for (guint i = 0; i < n; i++)
    {
      Point a = points[i == 0 ? n - 1 : i - 1], b = points[i];
      double beyond_a = sign * (vertical ? a.y : a.x) - limit;
      double beyond_b = sign * (vertical ? b.y : b.x) - limit;

      if ((beyond_a > 0) != (beyond_b > 0))
        {
          double t = beyond_a / (beyond_a - beyond_b);
          Point cut = { a.x + t * (b.x - a.x), a.y + t * (b.y - a.y) };

          g_array_append_vals (to, &cut, 2);
        }
      if (beyond_b <= 0)
        g_array_append_vals (to, &b, 2);
    }
  self->xy = to;
  self->spare = from;
}

static double
signed_area (const Point *points, guint n)
{
  double area = 0;

  for (guint i = 0; i < n; i++)
    {
      Point a = points[i == 0 ? n - 1 : i - 1], b = points[i];

      area += (a.x - points[0].x) * (b.y - points[0].y) - (b.x - points[0].x) * (a.y - points[0].y);
    }
  return area;
}

static void
emit_ring (UrbariumTilePath *self, cairo_t *cr, gboolean positive)
{
  const Point *points = (const Point *) (const void *) self->xy->data;
  guint n = self->xy->len / 2;
  gboolean backwards;

  if (n < 3)
    return;
  backwards = (signed_area (points, n) > 0) != positive;
  cairo_move_to (cr, points[0].x, points[0].y);
  for (guint i = 1; i < n; i++)
    {
      const Point *p = &points[backwards ? n - i : i];

      cairo_line_to (cr, p->x, p->y);
    }
  cairo_close_path (cr);
}

void
urbarium_tile_path_add (UrbariumTilePath *self, cairo_t *cr, UrbMap *map, gint64 index)
{
  const UrbMapPolygon *polygon = urb_map_get_polygon (map, index);
  UrbBox box = urb_map_get_box (map, index);
  gboolean inside = (box.min_x - self->x) * self->pixels_per_m >= self->min
                    && (box.max_x - self->x) * self->pixels_per_m <= self->max
                    && (self->y - box.max_y) * self->pixels_per_m >= self->min
                    && (self->y - box.min_y) * self->pixels_per_m <= self->max;

  for (guint32 i = 0; i < polygon->n_rings; i++)
    {
      gint64 n_vertices;
      const double *xy = urb_map_get_ring (map, polygon->first_ring + i, &n_vertices);

      read_ring (self, xy, n_vertices);
      if (!inside)
        {
          clip_side (self, FALSE, 1, self->max);
          clip_side (self, FALSE, -1, -self->min);
          clip_side (self, TRUE, 1, self->max);
          clip_side (self, TRUE, -1, -self->min);
        }
      emit_ring (self, cr, i == 0);
    }
}
