/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nest.c - closed lines that are areas, with implied holes.
 *
 * A DXF drawing of a land cover has one closed line per area; areas inside a larger
 * one are just further lines.  A ring directly inside another ring is therefore taken
 * as its hole: a street around a block must not cover the block.
 */
#include <math.h>
#include <string.h>

#include "map/ogr-private.h"
#include "map/rtree.h"

typedef struct
{
  gsize first; /* vertex */
  gint64 n;
  double area;
  UrbBox box;
  UrbDecision decision;
  gint64 parent;      /* the smallest ring around it; -1: none */
  gint64 first_child; /* list through next_sibling; -1 ends it */
  gint64 next_sibling;
} Ring;

struct _UrbNest
{
  GArray *xy;    /* owned; of double */
  GArray *rings; /* owned; of Ring */
};

UrbNest *
urb_nest_new (void)
{
  UrbNest *self = g_new0 (UrbNest, 1);

  self->xy = g_array_new (FALSE, FALSE, sizeof (double));
  self->rings = g_array_new (FALSE, FALSE, sizeof (Ring));
  return self;
}

void
urb_nest_free (UrbNest *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->xy);
  g_array_unref (self->rings);
  g_free (self);
}

static const double *
vertices (UrbNest *self, const Ring *ring)
{
  return &g_array_index (self->xy, double, 2 * ring->first);
}

gboolean
urb_nest_add (UrbNest *self, const double *xy, gint64 n, const UrbDecision *decision)
{
  Ring ring = {
    .first = self->xy->len / 2,
    .n = n,
    .area = fabs (urb_map_ring_area (xy, n)),
    .box = urb_map_ring_get_box (xy, n),
    .decision = *decision,
    .parent = -1,
    .first_child = -1,
    .next_sibling = -1,
  };

  if (2 * n > (gint64) G_MAXINT32 - self->xy->len)
    return FALSE;
  g_array_append_vals (self->xy, xy, (guint) (2 * n));
  g_array_append_val (self->rings, ring);
  return TRUE;
}

static int
compare_rings (gconstpointer a, gconstpointer b)
{
  const Ring *p = a, *q = b;

  if (p->area != q->area)
    return p->area < q->area ? -1 : 1;
  return (p->first > q->first) - (p->first < q->first);
}

/* Equal rings are adjacent once sorted by area. */
static void
drop_duplicates (UrbNest *self, UrbSink *sink)
{
  guint kept = 0;

  for (guint i = 0; i < self->rings->len; i++)
    {
      Ring *ring = &g_array_index (self->rings, Ring, i);
      Ring *last = kept > 0 ? &g_array_index (self->rings, Ring, kept - 1) : NULL;
      if (last != NULL && last->n == ring->n && last->decision.class_ == ring->decision.class_ &&
          memcmp (vertices (self, last), vertices (self, ring), ring->n * 2 * sizeof (double)) == 0)
        sink->layer->n_superseded++;
      else
        g_array_index (self->rings, Ring, kept++) = *ring;
    }
  g_array_set_size (self->rings, kept);
}

static UrbBox
get_box (gint64 index, gpointer user_data)
{
  return g_array_index (((UrbNest *) user_data)->rings, Ring, index).box;
}

/* Rings are sorted by area, so the smallest index that contains the ring is its parent. */
static void
find_parent (UrbNest *self, UrbRtree *tree, guint index, GArray *found)
{
  Ring *ring = &g_array_index (self->rings, Ring, index);
  double x = 0, y = 0;

  if (!urb_map_ring_find_inside (vertices (self, ring), ring->n, &x, &y))
    return;
  g_array_set_size (found, 0);
  urb_rtree_query (tree, (UrbBox){ x, y, x, y }, found);
  for (guint i = 0; i < found->len; i++)
    {
      gint64 candidate = g_array_index (found, gint64, i);
      const Ring *other = &g_array_index (self->rings, Ring, candidate);
      if (candidate > index && other->area > ring->area &&
          (ring->parent < 0 || candidate < ring->parent) &&
          urb_map_ring_contains (vertices (self, other), other->n, x, y))
        ring->parent = candidate;
    }
  if (ring->parent >= 0)
    {
      Ring *parent = &g_array_index (self->rings, Ring, ring->parent);
      ring->next_sibling = parent->first_child;
      parent->first_child = index;
    }
}

static gboolean
add_ring (UrbNest *self, UrbSink *sink, const Ring *ring)
{
  double *room = urb_map_builder_reserve (sink->builder, ring->n);

  if (room == NULL)
    return FALSE;
  memcpy (room, vertices (self, ring), ring->n * 2 * sizeof *room);
  urb_map_builder_commit_ring (sink->builder, ring->n);
  return TRUE;
}

/* A ring that is invalid by itself is repaired and gets no holes. */
static gboolean
add_area (UrbNest *self, UrbSink *sink, const Ring *ring)
{
  gint64 child = ring->first_child;

  if (!add_ring (self, sink, ring))
    return FALSE;
  if (child < 0)
    return urb_sink_commit (sink, &ring->decision);
  if (!urb_sink_make_valid (sink, &ring->decision))
    return FALSE;
  if (urb_map_builder_get_n_pending (sink->builder) == 0)
    return TRUE;
  for (; child >= 0; child = g_array_index (self->rings, Ring, child).next_sibling)
    if (!add_ring (self, sink, &g_array_index (self->rings, Ring, child)))
      return FALSE;
  return urb_sink_commit_valid (sink, &ring->decision);
}

gboolean
urb_nest_finish (UrbNest *self, UrbSink *sink)
{
  g_autoptr(UrbRtree) tree = NULL;
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));
  UrbBox extent = URB_BOX_EMPTY;

  if (self->rings->len == 0)
    return TRUE;
  g_array_sort (self->rings, compare_rings);
  drop_duplicates (self, sink);
  for (guint i = 0; i < self->rings->len; i++)
    urb_box_add (&extent, get_box (i, self));
  tree = urb_rtree_new (self->rings->len, extent, get_box, self);
  for (guint i = 0; i < self->rings->len; i++)
    find_parent (self, tree, i, found);
  for (guint i = 0; i < self->rings->len; i++)
    if (!add_area (self, sink, &g_array_index (self->rings, Ring, i)))
      return FALSE;
  return TRUE;
}
