/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hull.c - the convex hull of a map.
 *
 * Andrew's monotone chain, after discarding the vertices inside the octagon of the
 * extremes in eight directions (Akl and Toussaint): of millions of vertices, only
 * hundreds have to be sorted.
 */
#include "dataset/hull.h"

#include <math.h>
#include <stdlib.h>

typedef struct
{
  double x, y;
} Point;

static const double directions[8][2] = {
  { 1, 0 }, { 1, 1 }, { 0, 1 }, { -1, 1 }, { -1, 0 }, { -1, -1 }, { 0, -1 }, { 1, -1 },
};

/* Positive if @c is left of the line from @a to @b. */
static double
turn (const Point *a, const Point *b, const Point *c)
{
  return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

typedef void (*PointFunc) (const Point *point, gpointer data);

static void
for_each_vertex (UrbMap *map, PointFunc func, gpointer data)
{
  gint64 n_polygons = urb_map_get_n_polygons (map);

  for (gint64 i = 0; i < n_polygons; i++)
    {
      const UrbMapPolygon *polygon = urb_map_get_polygon (map, i);
      gint64 n;
      /* The outer ring is enough: holes are inside it. */
      const double *xy = polygon->n_rings > 0 ? urb_map_get_ring (map, polygon->first_ring, &n)
                                              : NULL;

      for (gint64 k = 0; xy != NULL && k < n; k++)
        {
          Point point = { xy[2 * k], xy[2 * k + 1] };

          func (&point, data);
        }
    }
}

typedef struct
{
  Point    extreme[8];
  gboolean any;
  GArray  *outside; /* of Point */
} Sieve;

static void
update_extremes (const Point *point, gpointer data)
{
  Sieve *sieve = data;

  for (int d = 0; d < 8; d++)
    {
      const double *u = directions[d];
      Point *best = &sieve->extreme[d];

      if (!sieve->any || u[0] * point->x + u[1] * point->y > u[0] * best->x + u[1] * best->y)
        *best = *point;
    }
  sieve->any = TRUE;
}

static void
keep_if_outside (const Point *point, gpointer data)
{
  Sieve *sieve = data;

  for (int d = 0; d < 8; d++)
    {
      const Point *a = &sieve->extreme[d], *b = &sieve->extreme[(d + 1) % 8];

      if ((a->x != b->x || a->y != b->y) && turn (a, b, point) <= 0)
        {
          g_array_append_val (sieve->outside, *point);
          return;
        }
    }
}

static int
compare_points (gconstpointer a, gconstpointer b)
{
  const Point *p = a, *q = b;

  if (p->x != q->x)
    return p->x < q->x ? -1 : 1;
  return p->y < q->y ? -1 : p->y > q->y;
}

static void
append_chain (GArray *chain, const Point *point, guint n_fixed)
{
  while (chain->len >= n_fixed + 2
         && turn (&g_array_index (chain, Point, chain->len - 2),
                  &g_array_index (chain, Point, chain->len - 1), point)
              <= 0)
    g_array_set_size (chain, chain->len - 1);
  g_array_append_val (chain, *point);
}

GArray *
urb_hull_new_of_map (UrbMap *map)
{
  g_autoptr(GArray) points = g_array_new (FALSE, FALSE, sizeof (Point));
  g_autoptr(GArray) chain = g_array_new (FALSE, FALSE, sizeof (Point));
  Sieve sieve = { .outside = points };
  GArray *hull = g_array_new (FALSE, FALSE, sizeof (double));
  guint n_lower;

  for_each_vertex (map, update_extremes, &sieve);
  for_each_vertex (map, keep_if_outside, &sieve);
  if (points->len == 0)
    return hull;
  g_array_sort (points, compare_points);
  for (guint i = 0; i < points->len; i++)
    append_chain (chain, &g_array_index (points, Point, i), 0);
  n_lower = chain->len - 1;
  for (guint i = points->len - 1; i-- > 0;)
    append_chain (chain, &g_array_index (points, Point, i), n_lower);
  g_array_append_vals (hull, chain->data, 2 * (chain->len - 1)); /* the last repeats the first */
  return hull;
}

void
urb_hull_get_extent (GArray *hull, double cos_a, double sin_a, double *min_col_m,
                     double *max_col_m, double *min_row_m, double *max_row_m)
{
  *min_col_m = *min_row_m = INFINITY;
  *max_col_m = *max_row_m = -INFINITY;
  for (guint i = 0; i + 1 < hull->len; i += 2)
    {
      double x = g_array_index (hull, double, i), y = g_array_index (hull, double, i + 1);
      double col = x * cos_a + y * sin_a, row = x * sin_a - y * cos_a;

      *min_col_m = MIN (*min_col_m, col);
      *max_col_m = MAX (*max_col_m, col);
      *min_row_m = MIN (*min_row_m, row);
      *max_row_m = MAX (*max_row_m, row);
    }
}
