/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrangement.c - traces the cracks of a class map; see arrangement-private.h.
 *
 * The hard case is a node where four pixels meet like a checkerboard.  Two pixels that
 * touch only at a corner belong to different regions unless they are connected
 * elsewhere.  If they are, a ring that turned left here would touch itself and not be
 * simple; turning right instead splits it into an outer ring and a hole that touch at
 * a point, which are both simple.
 */
#include "city/arrangement-private.h"

#include "city/components.h"

enum { EAST, SOUTH, WEST, NORTH, N_DIRECTIONS };

static const int step_x[N_DIRECTIONS] = { 1, 0, -1, 0 };
static const int step_y[N_DIRECTIONS] = { 0, 1, 0, -1 };

/* Workspace for tracing. */
typedef struct
{
  UrbArrangement *net;
  guint8         *cracks;  /* (height + 1, width + 1): bit d: a crack leaves in direction d */
  gint32         *node_of; /* (height + 1, width + 1): index of the node, or -1 */
} Tracer;

static gint32
label_at (const UrbArrangement *self, int col, int row)
{
  if (col < 0 || row < 0 || col >= self->width_px || row >= self->height_px)
    return -1;
  return self->labels[(gint64) row * self->width_px + col];
}

/* The regions to the left and right of the crack that leaves lattice point (x, y) in
 * @direction. */
static gint32
label_left (const UrbArrangement *self, int x, int y, int direction)
{
  static const int dx[] = { 0, 0, -1, -1 }, dy[] = { -1, 0, 0, -1 };

  return label_at (self, x + dx[direction], y + dy[direction]);
}

static gint32
label_right (const UrbArrangement *self, int x, int y, int direction)
{
  static const int dx[] = { 0, -1, -1, 0 }, dy[] = { 0, 0, -1, -1 };

  return label_at (self, x + dx[direction], y + dy[direction]);
}

static gint64
lattice_index (const Tracer *self, int x, int y)
{
  return (gint64) y * (self->net->width_px + 1) + x;
}

static void
find_cracks (Tracer *self)
{
  UrbArrangement *net = self->net;
  UrbNode fresh = { { -1, -1, -1, -1 } };

  for (int y = 0; y <= net->height_px; y++)
    for (int x = 0; x <= net->width_px; x++)
      {
        gint64 i = lattice_index (self, x, y);
        gboolean is_corner = (x == 0 || x == net->width_px) && (y == 0 || y == net->height_px);
        int n = 0;

        self->node_of[i] = -1;
        for (int d = 0; d < N_DIRECTIONS; d++)
          if (label_left (net, x, y, d) != label_right (net, x, y, d))
            {
              self->cracks[i] |= (guint8) (1 << d);
              n++;
            }
        if (n > 2 || is_corner)
          {
            self->node_of[i] = (gint32) net->nodes->len;
            g_array_append_val (net->nodes, fresh);
          }
      }
}

static int
first_direction (guint8 cracks)
{
  for (int d = 0; d < N_DIRECTIONS; d++)
    if (cracks & (1 << d))
      return d;
  return -1;
}

/* Follows the cracks from (x, y) to the next node or back to the start, removing them. */
static void
trace_arc (Tracer *self, int x, int y, int direction)
{
  UrbArrangement *net = self->net;
  GArray *points = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  gint64 begin = lattice_index (self, x, y), at = begin;
  UrbArc arc = { .start = self->node_of[begin], .end = -1,
                 .left = label_left (net, x, y, direction),
                 .right = label_right (net, x, y, direction),
                 .start_direction = (guint8) direction,
                 .change = -1 };
  gint32 number = (gint32) net->arcs->len;
  int before = -1;

  for (;;)
    {
      UrbPoint point = { x, y };

      if (direction != before)
        g_array_append_val (points, point);
      before = direction;
      self->cracks[at] &= (guint8) ~(1 << direction);
      x += step_x[direction];
      y += step_y[direction];
      at = lattice_index (self, x, y);
      self->cracks[at] &= (guint8) ~(1 << ((direction + 2) % 4));
      if (at == begin || self->node_of[at] >= 0)
        break;
      direction = first_direction (self->cracks[at]);
    }
  arc.end_direction = (guint8) direction;
  if (arc.start >= 0)
    {
      UrbPoint point = { x, y };

      g_array_append_val (points, point);
      arc.end = self->node_of[at];
      g_array_index (net->nodes, UrbNode, arc.start).out[arc.start_direction] = 2 * number;
      g_array_index (net->nodes, UrbNode, arc.end).out[(direction + 2) % 4] = 2 * number + 1;
    }
  arc.n_points = points->len;
  arc.points = (UrbPoint *) (gpointer) g_array_free (points, FALSE);
  g_array_append_val (net->arcs, arc);
}

static void
trace_arcs (Tracer *self)
{
  UrbArrangement *net = self->net;

  for (int y = 0; y <= net->height_px; y++)
    for (int x = 0; x <= net->width_px; x++)
      if (self->node_of[lattice_index (self, x, y)] >= 0)
        while (self->cracks[lattice_index (self, x, y)] != 0)
          trace_arc (self, x, y, first_direction (self->cracks[lattice_index (self, x, y)]));
  /* The remaining arcs are closed.  The first lattice point of each in scan order is a
   * corner, so the start is a real vertex. */
  for (int y = 0; y <= net->height_px; y++)
    for (int x = 0; x <= net->width_px; x++)
      if (self->cracks[lattice_index (self, x, y)] != 0)
        trace_arc (self, x, y, first_direction (self->cracks[lattice_index (self, x, y)]));
}

static gint32
half_left (UrbArrangement *self, UrbHalfArc half)
{
  const UrbArc *arc = urb_arrangement_get_arc (self, half / 2);

  return half % 2 == 0 ? arc->left : arc->right;
}

/* The next half arc along the same region. */
static UrbHalfArc
next_half (UrbArrangement *self, UrbHalfArc half)
{
  const UrbArc *arc = urb_arrangement_get_arc (self, half / 2);
  gint32 node = half % 2 == 0 ? arc->end : arc->start;
  int arrival = half % 2 == 0 ? arc->end_direction : (arc->start_direction + 2) % 4;
  static const int turns[] = { 1, 0, 3 }; /* right, straight on, left */

  if (node < 0)
    return half;
  for (guint i = 0; i < G_N_ELEMENTS (turns); i++)
    {
      UrbHalfArc out
        = g_array_index (self->nodes, UrbNode, node).out[(arrival + turns[i]) % 4];

      if (out >= 0 && half_left (self, out) == half_left (self, half))
        return out;
    }
  g_assert_not_reached ();
}

typedef struct
{
  gint32     region;
  double     area2; /* > 0 for an outer ring */
  UrbArcRing ring;
} FoundRing;

static int
compare_rings (gconstpointer a, gconstpointer b)
{
  const FoundRing *x = a, *y = b;

  if (x->region != y->region)
    return x->region < y->region ? -1 : 1;
  if (x->area2 != y->area2)
    return x->area2 > y->area2 ? -1 : 1;
  return (x->ring.first > y->ring.first) - (x->ring.first < y->ring.first);
}

static void
close_ring (UrbArrangement *self, UrbHalfArc begin, guint8 *seen, GArray *found)
{
  g_autoptr(GArray) points = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  FoundRing ring = { .region = half_left (self, begin), .ring.first = self->half_arcs->len };
  UrbHalfArc half = begin;

  do
    {
      seen[half] = 1;
      g_array_append_val (self->half_arcs, half);
      urb_arrangement_append_points (self, half, points);
      half = next_half (self, half);
    }
  while (half != begin);
  ring.ring.n = self->half_arcs->len - ring.ring.first;
  /* Since y points down, a ring with its region on the left has a negative signed area. */
  ring.area2 = -urb_ring_area2 ((UrbPoint *) (gpointer) points->data, points->len);
  g_array_append_val (found, ring);
}

static void
find_rings (UrbArrangement *self)
{
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (FoundRing));
  g_autofree guint8 *seen = g_new0 (guint8, 2 * (gsize) self->arcs->len + 1);

  self->ring_of = g_new (gint32, 2 * (gsize) self->arcs->len + 1);
  for (gint32 half = 0; half < (gint32) (2 * self->arcs->len); half++)
    self->ring_of[half] = -1;
  for (gint32 half = 0; half < (gint32) (2 * self->arcs->len); half++)
    if (!seen[half] && half_left (self, half) >= 0)
      close_ring (self, half, seen, found);
  g_array_sort (found, compare_rings);
  for (guint i = 0; i < found->len; i++)
    {
      const FoundRing *ring = &g_array_index (found, FoundRing, i);
      UrbRegion *region = &g_array_index (self->regions, UrbRegion, ring->region);

      if (region->n_rings++ == 0)
        region->first_ring = i;
      g_array_append_val (self->rings, ring->ring);
      for (guint k = 0; k < ring->ring.n; k++)
        self->ring_of[g_array_index (self->half_arcs, UrbHalfArc, ring->ring.first + k)] = (gint32)
          i;
    }
  self->ring_stamps = g_new0 (guint32, (gsize) found->len + 1);
}

UrbArrangement *
urb_arrangement_new (const UrbClassMap *map)
{
  UrbArrangement *self = g_new0 (UrbArrangement, 1);
  gsize n_lattice = ((gsize) map->width_px + 1) * ((gsize) map->height_px + 1);
  g_autofree guint8 *cracks = g_new0 (guint8, n_lattice);
  g_autofree gint32 *node_of = g_new (gint32, n_lattice);
  g_autoptr(GArray) components = NULL;
  Tracer tracer = { self, cracks, node_of };

  self->width_px = map->width_px;
  self->height_px = map->height_px;
  self->labels = g_new (gint32, (gsize) map->width_px * (gsize) map->height_px);
  self->arcs = g_array_new (FALSE, FALSE, sizeof (UrbArc));
  self->nodes = g_array_new (FALSE, FALSE, sizeof (UrbNode));
  self->regions = g_array_new (FALSE, FALSE, sizeof (UrbRegion));
  self->rings = g_array_new (FALSE, FALSE, sizeof (UrbArcRing));
  self->half_arcs = g_array_new (FALSE, FALSE, sizeof (UrbHalfArc));

  components = urb_components_label (map->classes, map->width_px, map->height_px, URB_CONNECT_4,
                                     self->labels);
  for (guint i = 0; i < components->len; i++)
    {
      const UrbComponent *component = &g_array_index (components, UrbComponent, i);
      UrbRegion region = { .class_ = component->value, .n_pixels = component->n_pixels };

      g_array_append_val (self->regions, region);
    }
  find_cracks (&tracer);
  trace_arcs (&tracer);
  find_rings (self);
  urb_arrangement_fill_grid (self);
  return self;
}

void
urb_arrangement_free (UrbArrangement *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->arcs->len; i++)
    g_free (urb_arrangement_get_arc (self, (gint32) i)->points);
  for (int i = 0; self->grid != NULL && i < self->grid_width * self->grid_height; i++)
    if (self->grid[i] != NULL)
      g_array_unref (self->grid[i]);
  g_free (self->grid);
  g_free (self->labels);
  g_free (self->ring_of);
  g_free (self->ring_stamps);
  g_array_unref (self->arcs);
  g_array_unref (self->nodes);
  g_array_unref (self->regions);
  g_array_unref (self->rings);
  g_array_unref (self->half_arcs);
  g_free (self);
}

void
urb_arrangement_append_points (UrbArrangement *self, UrbHalfArc half, GArray *points)
{
  const UrbArc *arc = urb_arrangement_get_arc (self, half / 2);
  gboolean closed = arc->start < 0;

  if (half % 2 == 0)
    g_array_append_vals (points, arc->points, arc->n_points - (closed ? 0 : 1));
  else
    for (guint i = arc->n_points; i-- > (closed ? 0 : 1);)
      g_array_append_val (points, arc->points[i]);
}

void
urb_arrangement_get_ring (UrbArrangement *self, guint ring, GArray *points)
{
  const UrbArcRing *arcs = &g_array_index (self->rings, UrbArcRing, ring);

  g_array_set_size (points, 0);
  for (guint i = 0; i < arcs->n; i++)
    urb_arrangement_append_points (
      self, g_array_index (self->half_arcs, UrbHalfArc, arcs->first + i), points);
}
