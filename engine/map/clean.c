/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clean.c - finds outliers and duplicates among the polygons of a whole map.
 *
 * Marks both in linear time: outliers by the quartiles of the polygons' centers,
 * duplicates by sorted hashes.  The builder drops them.
 */
#include <math.h>
#include <string.h>

#include "base/compare.h"
#include "map/map-private.h"
#include "map/radix-sort.h"

/* -------- Outliers: polygons far from nearly all others -------- */

/* The plausible range of centers: the quartiles, widened by 20 times their distance
 * plus 100 km.  A town keeps everything within about 100 km and a country its
 * islands, but not objects displaced by a zero coordinate or a lost digit. */
static void
plausible_range (double *centers, gint64 n, double *low, double *high)
{
  double q1, q3, margin;

  qsort (centers, n, sizeof *centers, urb_compare_doubles);
  q1 = centers[n / 4];
  q3 = centers[n - 1 - n / 4];
  margin = 20 * (q3 - q1) + 100e3;
  *low = q1 - margin;
  *high = q3 + margin;
}

static UrbBox
plausible_box (UrbMap *map, const UrbBox *boxes)
{
  gint64 step = map->n_polygons / 65536 + 1, n = 0;
  g_autofree double *x = g_new (double, map->n_polygons / step + 1);
  g_autofree double *y = g_new (double, map->n_polygons / step + 1);
  UrbBox box = { 0 };

  for (gint64 i = 0; i < map->n_polygons; i += step, n++)
    {
      x[n] = (boxes[i].min_x + boxes[i].max_x) / 2;
      y[n] = (boxes[i].min_y + boxes[i].max_y) / 2;
    }
  plausible_range (x, n, &box.min_x, &box.max_x);
  plausible_range (y, n, &box.min_y, &box.max_y);
  return box;
}

void
urb_map_mark_outliers (UrbMap *map, const UrbBox *boxes, guint8 *drop)
{
  UrbBox plausible;

  if (map->n_polygons < 4)
    return; /* too few to tell which is the outlier */
  plausible = plausible_box (map, boxes);
  for (gint64 i = 0; i < map->n_polygons; i++)
    {
      UrbMapLayer *layer = g_ptr_array_index (map->layers, map->polygons[i].layer);
      drop[i] = !urb_box_contains (plausible, boxes[i]);
      layer->n_dropped += drop[i];
    }
}

/* -------- Duplicates: same vertices and class -------- */

static guint64
mix (guint64 z)
{
  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* A sum over the vertices, so that start and direction of a ring do not matter. */
static guint64
polygon_hash (UrbMap *map, gint64 index)
{
  const UrbMapPolygon *polygon = &map->polygons[index];
  guint64 end = map->ring_starts[polygon->first_ring + polygon->n_rings];
  guint64 sum = polygon->class_ + 1;

  for (guint64 i = map->ring_starts[polygon->first_ring]; i < end; i++)
    {
      guint64 x, y;
      memcpy (&x, map->xy + 2 * i, sizeof x);
      memcpy (&y, map->xy + 2 * i + 1, sizeof y);
      sum += mix (x + mix (y + 1));
    }
  return sum;
}

static int
compare_points (const void *a, const void *b)
{
  const double *p = a, *q = b;
  return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

static double *
sorted_vertices (UrbMap *map, gint64 index, gint64 *n)
{
  const UrbMapPolygon *polygon = &map->polygons[index];
  guint64 first = map->ring_starts[polygon->first_ring];
  double *copy;

  *n = (gint64) (map->ring_starts[polygon->first_ring + polygon->n_rings] - first);
  copy = g_memdup2 (map->xy + 2 * first, *n * 2 * sizeof (double));
  qsort (copy, *n, 2 * sizeof (double), compare_points);
  return copy;
}

static gboolean
same_polygon (UrbMap *map, gint64 a, gint64 b)
{
  gint64 n_a, n_b;
  g_autofree double *p = sorted_vertices (map, a, &n_a);
  g_autofree double *q = sorted_vertices (map, b, &n_b);

  return n_a == n_b && map->polygons[a].n_rings == map->polygons[b].n_rings &&
         map->polygons[a].class_ == map->polygons[b].class_ &&
         memcmp (p, q, n_a * 2 * sizeof (double)) == 0;
}

/* Limits comparisons within a run of equal hashes; more distinct polygons with the same
 * hash would be deliberate. */
#define MAX_DIFFERENT 16

/* @items: (n) with equal upper halves; the lower halves are polygons, in order. */
static void
mark_equal (UrbMap *map, const guint64 *items, gint64 n, guint8 *drop)
{
  gint64 kept[MAX_DIFFERENT];
  int n_kept = 0;

  for (gint64 i = 0; i < n; i++)
    {
      gint64 index = (guint32) items[i];
      int k = 0;

      if (drop[index])
        continue;
      while (k < n_kept && !same_polygon (map, kept[k], index))
        k++;
      if (k < n_kept)
        {
          UrbMapLayer *layer = g_ptr_array_index (map->layers, map->polygons[index].layer);
          drop[index] = TRUE;
          layer->n_superseded++;
        }
      else if (n_kept < MAX_DIFFERENT)
        kept[n_kept++] = index;
    }
}

void
urb_map_mark_duplicates (UrbMap *map, guint8 *drop)
{
  g_autofree guint64 *items = g_new (guint64, map->n_polygons);
  g_autofree guint64 *scratch = g_new (guint64, map->n_polygons);
  const guint64 *sorted;

  for (gint64 i = 0; i < map->n_polygons; i++)
    items[i] = (polygon_hash (map, i) & ~(guint64) G_MAXUINT32) | (guint64) i;
  sorted = urb_radix_sort (items, scratch, map->n_polygons);
  for (gint64 i = 0, n; i < map->n_polygons; i += n)
    {
      for (n = 1; i + n < map->n_polygons && sorted[i + n] >> 32 == sorted[i] >> 32;)
        n++;
      if (n > 1)
        mark_equal (map, sorted + i, n, drop);
    }
}
