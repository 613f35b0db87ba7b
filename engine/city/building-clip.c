/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-clip.c - cuts rings at the edge of the tile.
 *
 * One half-plane after the other: what is inside of a ring are chains that enter and leave across
 * the line.  Sorted along the line, their ends pair up, so a building may fall into several parts
 * and a courtyard may open.
 */
#include "city/building-private.h"

#include <math.h>

/* Part of a ring inside the half-plane: a range of points, the first and last on the line. */
typedef struct
{
  guint  first, n;
  gint32 next; /* the chain that continues it along the line; -1: used */
} Chain;

typedef struct
{
  double at; /* along the line */
  guint  chain;
  int    is_end;
} End;

static int
compare_ends (gconstpointer a, gconstpointer b)
{
  const End *p = a, *q = b;

  if (p->at != q->at)
    return p->at < q->at ? -1 : 1;
  if (p->chain != q->chain)
    return p->chain < q->chain ? -1 : 1;
  return p->is_end - q->is_end;
}

static double
get_depth (const UrbLine *line, UrbPoint p)
{
  return line->a * p.x + line->b * p.y - line->c;
}

/* The point of the segment on the line, exactly for lines along an axis. */
static UrbPoint
cross (const UrbLine *line, UrbPoint p, UrbPoint q)
{
  double dp = get_depth (line, p), dq = get_depth (line, q), t = dp / (dp - dq);
  UrbPoint point = { p.x + t * (q.x - p.x), p.y + t * (q.y - p.y) };

  return urb_line_project (line, point);
}

/* Cuts one ring into chains, or copies it to @rings if it is inside. */
static void
cut_ring (const UrbPoint *ring, guint n, const UrbLine *line, GArray *points, GArray *chains,
          GArray *kept, GArray *kept_sizes)
{
  guint start = n;

  for (guint i = 0; i < n && start == n; i++)
    if (get_depth (line, ring[i]) <= 0 && get_depth (line, ring[(i + 1) % n]) > 0)
      start = i;
  if (start == n)
    {
      if (get_depth (line, ring[0]) > 0)
        {
          g_array_append_vals (kept, ring, n);
          g_array_append_val (kept_sizes, n);
        }
      return;
    }
  for (guint i = 0; i < n; i++)
    {
      UrbPoint p = ring[(start + i) % n], q = ring[(start + i + 1) % n], crossing;
      gboolean from = get_depth (line, p) > 0, to = get_depth (line, q) > 0;

      if (from != to)
        {
          Chain fresh = { points->len, 0, -1 };

          crossing = cross (line, p, q);
          if (to)
            g_array_append_val (chains, fresh);
          g_array_append_val (points, crossing);
        }
      if (to)
        g_array_append_val (points, q);
      if (from && !to)
        {
          Chain *chain = &g_array_index (chains, Chain, chains->len - 1);

          chain->n = points->len - chain->first;
        }
    }
}

static void
link_chains (const GArray *points, GArray *chains, const UrbLine *line)
{
  g_autoptr(GArray) ends = g_array_new (FALSE, FALSE, sizeof (End));

  for (guint i = 0; i < chains->len; i++)
    {
      Chain *chain = &g_array_index (chains, Chain, i);

      chain->next = (gint32) i;
      for (int is_end = 0; is_end < 2; is_end++)
        {
          UrbPoint p = g_array_index (points, UrbPoint, chain->first + (is_end ? chain->n - 1 : 0));
          End end = { line->a * p.y - line->b * p.x, i, is_end };

          g_array_append_val (ends, end);
        }
    }
  g_array_sort (ends, compare_ends);
  for (guint i = 0; i + 1 < ends->len; i += 2)
    {
      const End *a = &g_array_index (ends, End, i), *b = a + 1;

      if (a->is_end != b->is_end)
        g_array_index (chains, Chain, a->is_end ? a->chain : b->chain).next
          = (gint32) (a->is_end ? b->chain : a->chain);
    }
}

static void
join_chains (const GArray *points, GArray *chains, GArray *kept, GArray *kept_sizes)
{
  for (guint i = 0; i < chains->len; i++)
    {
      guint before = kept->len, n;
      gint32 k = (gint32) i;

      for (;;)
        {
          Chain *chain = &g_array_index (chains, Chain, k);
          gint32 next = chain->next;

          if (next < 0)
            break;
          chain->next = -1;
          g_array_append_vals (kept, &g_array_index (points, UrbPoint, chain->first), chain->n);
          k = next;
        }
      n = kept->len - before;
      if (n > 0)
        g_array_append_val (kept_sizes, n);
    }
}

static void
cut (GArray *rings, GArray *sizes, const UrbLine *line)
{
  g_autoptr(GArray) points = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  g_autoptr(GArray) chains = g_array_new (FALSE, FALSE, sizeof (Chain));
  g_autoptr(GArray) kept = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  g_autoptr(GArray) kept_sizes = g_array_new (FALSE, FALSE, sizeof (guint));
  guint first = 0;

  for (guint i = 0; i < sizes->len; i++)
    {
      guint n = g_array_index (sizes, guint, i);

      cut_ring (&g_array_index (rings, UrbPoint, first), n, line, points, chains, kept, kept_sizes);
      first += n;
    }
  link_chains (points, chains, line);
  join_chains (points, chains, kept, kept_sizes);
  g_array_set_size (rings, 0);
  g_array_set_size (sizes, 0);
  g_array_append_vals (rings, kept->data, kept->len);
  g_array_append_vals (sizes, kept_sizes->data, kept_sizes->len);
}

/* Removes points that repeat the one before, and rings without area. */
static void
tidy (GArray *rings, GArray *sizes)
{
  const double least = 1e-6;
  guint from = 0, to = 0, n_rings = 0;

  for (guint i = 0; i < sizes->len; i++)
    {
      guint n = g_array_index (sizes, guint, i), begin = to;

      for (guint k = 0; k < n; k++)
        {
          UrbPoint p = g_array_index (rings, UrbPoint, from + k);
          UrbPoint last = g_array_index (rings, UrbPoint, to > begin ? to - 1 : from + n - 1);

          if (urb_point_distance (p, last) > least)
            g_array_index (rings, UrbPoint, to++) = p;
        }
      from += n;
      if (to - begin < 3
          || 2 * fabs (urb_ring_area (&g_array_index (rings, UrbPoint, begin), to - begin)) < least)
        to = begin;
      else
        g_array_index (sizes, guint, n_rings++) = to - begin;
    }
  g_array_set_size (rings, to);
  g_array_set_size (sizes, n_rings);
}

void
urb_building_clip (GArray *rings, GArray *sizes, double width, double height)
{
  const UrbLine edges[] = { { 1, 0, 0 }, { -1, 0, -width }, { 0, 1, 0 }, { 0, -1, -height } };
  gboolean inside = TRUE;

  for (guint i = 0; i < rings->len && inside; i++)
    {
      UrbPoint p = g_array_index (rings, UrbPoint, i);

      inside = p.x > 0 && p.y > 0 && p.x < width && p.y < height;
    }
  for (guint i = 0; i < G_N_ELEMENTS (edges) && !inside; i++)
    cut (rings, sizes, &edges[i]);
  tidy (rings, sizes);
}
