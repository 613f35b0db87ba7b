/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector-raster.c - scan conversion with edges sorted by their upper end.
 */
#include "city/vector-raster.h"

#include <math.h>
#include <stdlib.h>

#include "base/compare.h"

typedef struct
{
  double top, bottom; /* y */
  double x, slope;    /* x at the top; dx / dy */
} Edge;

static int
compare_edges (gconstpointer a, gconstpointer b)
{
  const Edge *e = a, *f = b;

  return (e->top > f->top) - (e->top < f->top);
}

static GArray *
collect_edges (const UrbPoint *points, const guint *sizes, guint n_rings)
{
  GArray *edges = g_array_new (FALSE, FALSE, sizeof (Edge));

  for (guint ring = 0; ring < n_rings; points += sizes[ring], ring++)
    for (guint i = 0; i < sizes[ring]; i++)
      {
        UrbPoint a = points[i], b = points[(i + 1) % sizes[ring]];
        UrbPoint low = a.y < b.y ? a : b, high = a.y < b.y ? b : a;
        Edge edge = { low.y, high.y, low.x, 0 };

        if (a.y == b.y)
          continue;
        edge.slope = (high.x - low.x) / (high.y - low.y);
        g_array_append_val (edges, edge);
      }
  g_array_sort (edges, compare_edges);
  return edges;
}

/* The first index whose center, index + 0.5, is at or beyond @position. */
static int
first_center (double position, int limit)
{
  return (int) CLAMP (ceil (position - 0.5), 0, limit);
}

void
urb_rings_rasterize (const UrbPoint *points, const guint *sizes, guint n_rings, int width_px,
                     int height_px, UrbSpanFunc paint, gpointer user_data)
{
  g_autoptr(GArray) edges = collect_edges (points, sizes, n_rings);
  g_autoptr(GArray) active = g_array_new (FALSE, FALSE, sizeof (Edge));
  g_autoptr(GArray) crossings = g_array_new (FALSE, FALSE, sizeof (double));
  guint next = 0;
  int row = edges->len > 0 ? first_center (g_array_index (edges, Edge, 0).top, height_px) : height_px;

  for (; row < height_px && (next < edges->len || active->len > 0); row++)
    {
      double y = row + 0.5;

      for (; next < edges->len && g_array_index (edges, Edge, next).top <= y; next++)
        g_array_append_val (active, g_array_index (edges, Edge, next));
      g_array_set_size (crossings, 0);
      for (guint i = 0; i < active->len;)
        {
          const Edge *edge = &g_array_index (active, Edge, i);
          double x = edge->x + (y - edge->top) * edge->slope;

          if (edge->bottom <= y)
            {
              g_array_remove_index_fast (active, i);
              continue;
            }
          g_array_append_val (crossings, x);
          i++;
        }
      g_array_sort (crossings, urb_compare_doubles);
      for (guint i = 0; i + 1 < crossings->len; i += 2)
        {
          int begin = first_center (g_array_index (crossings, double, i), width_px);
          int end = first_center (g_array_index (crossings, double, i + 1), width_px);

          if (begin < end)
            paint (row, begin, end, user_data);
        }
    }
}
