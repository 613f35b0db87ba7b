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

double
urb_rings_area (const UrbPoint *points, const guint *sizes, guint n_rings)
{
  double sum = 0;

  for (guint i = 0; i < n_rings; points += sizes[i], i++)
    sum += urb_ring_area2 (points, sizes[i]) / 2;
  return sum;
}

static GArray *
collect_edges (const UrbPoint *points, const guint *sizes, guint n_rings, double scale)
{
  GArray *edges = g_array_new (FALSE, FALSE, sizeof (Edge));

  for (guint ring = 0; ring < n_rings; points += sizes[ring], ring++)
    for (guint i = 0; i < sizes[ring]; i++)
      {
        UrbPoint a = points[i], b = points[(i + 1) % sizes[ring]];
        UrbPoint low = a.y < b.y ? a : b, high = a.y < b.y ? b : a;
        Edge edge = { low.y * scale, high.y * scale, low.x * scale, 0 };

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

static void
rasterize (const UrbPoint *points, const guint *sizes, guint n_rings, double scale, int width,
           int height, UrbSpanFunc paint, gpointer user_data)
{
  g_autoptr(GArray) edges = collect_edges (points, sizes, n_rings, scale);
  g_autoptr(GArray) active = g_array_new (FALSE, FALSE, sizeof (Edge));
  g_autoptr(GArray) crossings = g_array_new (FALSE, FALSE, sizeof (double));
  guint next = 0;
  int row = edges->len > 0 ? first_center (g_array_index (edges, Edge, 0).top, height) : height;

  for (; row < height && (next < edges->len || active->len > 0); row++)
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
          int begin = first_center (g_array_index (crossings, double, i), width);
          int end = first_center (g_array_index (crossings, double, i + 1), width);

          if (begin < end)
            paint (row, begin, end, user_data);
        }
    }
}

void
urb_rings_rasterize (const UrbPoint *points, const guint *sizes, guint n_rings, int width_px,
                     int height_px, UrbSpanFunc paint, gpointer user_data)
{
  rasterize (points, sizes, n_rings, 1, width_px, height_px, paint, user_data);
}

enum { SAMPLES = 4 }; /* per pixel and direction */

typedef struct
{
  const gint32 *labels;
  int           width_px;
  gint32        label;
  gint64        n_inside, n_both;
} Overlap;

static void
count_span (int row, int col_begin, int col_end, gpointer user_data)
{
  Overlap *self = user_data;
  const gint32 *labels = self->labels + (gint64) (row / SAMPLES) * self->width_px;

  self->n_inside += col_end - col_begin;
  for (int col = col_begin; col < col_end; col++)
    if (labels[col / SAMPLES] == self->label)
      self->n_both++;
}

double
urb_rings_overlap (const UrbPoint *points, const guint *sizes, guint n_rings, const gint32 *labels,
                   int width_px, int height_px, gint32 label, gint64 n_pixels)
{
  Overlap overlap = { labels, width_px, label };

  rasterize (points, sizes, n_rings, SAMPLES, width_px * SAMPLES, height_px * SAMPLES, count_span,
             &overlap);
  n_pixels = n_pixels * SAMPLES * SAMPLES + overlap.n_inside - overlap.n_both;
  return n_pixels > 0 ? (double) overlap.n_both / (double) n_pixels : 0;
}
