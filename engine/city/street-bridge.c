/* SPDX-License-Identifier: Apache-2.0 */
/*
 * street-bridge.c - continues streets over gaps where the soft map makes a street likely.
 *
 * From each dead end the cheapest path to another street is searched: a pixel costs 1 where there
 * is no trace of a street, and nearly nothing where its share reaches that of a weak street.
 * Buildings are not crossed, and the path must lie ahead.
 */
#include <math.h>

#include "city/street-private.h"

enum { MIN_ENDS = 512, PIXELS_PER_END = 128 }; /* bounds the time for noise */
static const double full_share = 0.25;    /* costs (almost) nothing */
static const double paved_cost = 0.02;
static const double ahead = 0.6;         /* cosine of the largest angle to the street's end */

typedef struct
{
  double cost;
  gint32 pixel;
} Step;

typedef struct
{
  UrbPoint at, direction; /* a unit vector out of the street */
  gint32   pixel, owner;
} End;

/* The square of pixels around an end within which a path is searched. */
typedef struct
{
  int left, top, edge;
} Window;

typedef struct
{
  guint8              *skeleton; /* borrowed */
  const UrbStreetMask *mask;     /* borrowed */
  const UrbSoftMap    *map;      /* borrowed */
  double               max_gap_px, blind_px;
  gint32              *owners;   /* borrowed; the edge of each skeleton pixel, -1 for nodes */
  Window               window;
  GArray              *costs;    /* double, owned; of the window; negative: not reached */
  GArray              *parents;  /* gint32, owned; of the window; pixels of the map */
  GArray              *heap;     /* Step, owned */
} Search;

static gboolean
is_before (const Step *a, const Step *b)
{
  if (a->cost < b->cost || a->cost > b->cost)
    return a->cost < b->cost;
  return a->pixel < b->pixel;
}

static void
push (GArray *heap, Step step)
{
  guint i = heap->len;

  g_array_append_val (heap, step);
  while (i > 0 && is_before (&step, &g_array_index (heap, Step, (i - 1) / 2)))
    {
      g_array_index (heap, Step, i) = g_array_index (heap, Step, (i - 1) / 2);
      i = (i - 1) / 2;
    }
  g_array_index (heap, Step, i) = step;
}

static Step
pop (GArray *heap)
{
  Step top = g_array_index (heap, Step, 0), last = g_array_index (heap, Step, heap->len - 1);
  guint i = 0, child;

  g_array_set_size (heap, heap->len - 1);
  while ((child = 2 * i + 1) < heap->len)
    {
      if (child + 1 < heap->len && is_before (&g_array_index (heap, Step, child + 1),
                                              &g_array_index (heap, Step, child)))
        child++;
      if (!is_before (&g_array_index (heap, Step, child), &last))
        break;
      g_array_index (heap, Step, i) = g_array_index (heap, Step, child);
      i = child;
    }
  if (heap->len > 0)
    g_array_index (heap, Step, i) = last;
  return top;
}

/* The cost of a pixel; negative: it cannot be crossed. */
static double
get_cost (const Search *self, gint32 pixel)
{
  double road = (double) self->map->shares[URB_CLASS_ROAD][pixel];
  double building = (double) self->map->shares[URB_CLASS_BUILDING][pixel];

  if (self->mask->inside[pixel])
    return paved_cost;
  if (building > 0.4 && building > road)
    return -1;
  return MAX (paved_cost, 1 - road / full_share) + building;
}

static gboolean
is_border (const UrbStreetMask *mask, gint32 pixel)
{
  int col = pixel % mask->width, row = pixel / mask->width;

  return col == 0 || row == 0 || col == mask->width - 1 || row == mask->height - 1;
}

static guint
get_place (const Search *self, gint32 pixel)
{
  int col = pixel % self->mask->width - self->window.left;
  int row = pixel / self->mask->width - self->window.top;

  return (guint) (row * self->window.edge + col);
}

static double *
get_reached (Search *self, gint32 pixel)
{
  return &g_array_index (self->costs, double, get_place (self, pixel));
}

static void
open_window (Search *self, const End *end, int radius)
{
  guint n;

  self->window = (Window) { (int) end->at.x - radius, (int) end->at.y - radius, 2 * radius + 1 };
  n = (guint) (self->window.edge * self->window.edge);
  g_array_set_size (self->costs, n);
  g_array_set_size (self->parents, n);
  g_array_set_size (self->heap, 0);
  for (guint i = 0; i < n; i++)
    g_array_index (self->costs, double, i) = -1;
}

static void
reach (Search *self, gint32 pixel, gint32 parent, double cost)
{
  *get_reached (self, pixel) = cost;
  g_array_index (self->parents, gint32, get_place (self, pixel)) = parent;
  push (self->heap, (Step) { cost, pixel });
}

/* Whether a path that costs so much may end here. */
static gboolean
is_target (const Search *self, const End *end, const Step *step, double budget)
{
  if (step->pixel == end->pixel)
    return FALSE;
  if (self->skeleton[step->pixel] && self->owners[step->pixel] != end->owner)
    return TRUE;
  return is_border (self->mask, step->pixel) && step->cost < budget / 2;
}

/* The cheapest path to another street.  Returns: its last pixel, or -1 */
static gint32
search (Search *self, const End *end)
{
  const UrbStreetMask *mask = self->mask;
  double budget = self->blind_px;
  double radius = self->max_gap_px + 3 + MIN (self->max_gap_px, (double) mask->depth[end->pixel]);

  open_window (self, end, (int) ceil (radius) + 1);
  reach (self, end->pixel, -1, 0);
  while (self->heap->len > 0)
    {
      Step step = pop (self->heap);
      int col = step.pixel % mask->width, row = step.pixel / mask->width;

      if (step.cost > *get_reached (self, step.pixel))
        continue;
      if (is_target (self, end, &step, budget))
        return step.pixel;
      for (int y = MAX (row - 1, 0); y <= MIN (row + 1, mask->height - 1); y++)
        for (int x = MAX (col - 1, 0); x <= MIN (col + 1, mask->width - 1); x++)
          {
            gint32 next = y * mask->width + x;
            double dx = x + 0.5 - end->at.x, dy = y + 0.5 - end->at.y, far = hypot (dx, dy);
            double along = dx * end->direction.x + dy * end->direction.y;
            double here = get_cost (self, next), cost;

            if (here < 0 || far > radius || along < ahead * far)
              continue;
            cost = step.cost + here * hypot (x - col, y - row) * (2 - along / MAX (far, 1));
            if (cost <= budget
                && (*get_reached (self, next) < 0 || *get_reached (self, next) > cost))
              reach (self, next, step.pixel, cost);
          }
    }
  return -1;
}

/* The end of a street and its direction, from its last @n_last pixels. */
static End
get_end (const UrbStreetTrace *trace, guint edge_index, gboolean at_start, int width, guint n_last)
{
  const UrbTraceEdge *edge = &g_array_index (trace->edges, UrbTraceEdge, edge_index);
  UrbPoint at = g_array_index (trace->nodes, UrbTraceNode, at_start ? edge->from : edge->to).at;
  UrbPoint other = g_array_index (trace->nodes, UrbTraceNode, at_start ? edge->to : edge->from).at;
  UrbPoint inner = other;
  double length;

  if (edge->n > n_last)
    {
      gint32 pixel = g_array_index (trace->pixels, gint32,
                                    edge->first + (at_start ? n_last : edge->n - 1 - n_last));

      inner = (UrbPoint) { pixel % width + 0.5, pixel / width + 0.5 };
    }
  length = MAX (urb_point_distance (at, inner), 1e-9);
  return (End) { at, { (at.x - inner.x) / length, (at.y - inner.y) / length },
                 (gint32) at.y * width + (gint32) at.x, (gint32) edge_index };
}

/* Draws the path to @pixel.  Returns: how many pixels of it are no street yet */
static guint
draw_path (Search *self, gint32 pixel)
{
  guint n_gap = 0;

  for (; pixel >= 0; pixel = g_array_index (self->parents, gint32, get_place (self, pixel)))
    {
      n_gap += !self->mask->inside[pixel];
      if (!self->skeleton[pixel])
        self->skeleton[pixel] = self->mask->inside[pixel] ? URB_SKELETON_STREET
                                                          : URB_SKELETON_BRIDGE;
    }
  return n_gap;
}

/* The edge of each skeleton pixel; -1 for others.  Returns: (transfer full) */
static gint32 *
get_owners (const UrbStreetTrace *trace, gsize n_pixels)
{
  gint32 *owners = g_new (gint32, n_pixels);

  for (gsize i = 0; i < n_pixels; i++)
    owners[i] = -1;
  for (guint i = 0; i < trace->edges->len; i++)
    {
      const UrbTraceEdge *edge = &g_array_index (trace->edges, UrbTraceEdge, i);

      for (guint k = 0; k < edge->n; k++)
        owners[g_array_index (trace->pixels, gint32, edge->first + k)] = (gint32) i;
    }
  return owners;
}

void
urb_street_skeleton_bridge (guint8 *skeleton, const UrbStreetMask *mask, const UrbSoftMap *map,
                            const UrbStreetOptions *options, guint *n_bridges, double *bridged_m)
{
  g_autoptr(UrbStreetTrace) trace = urb_street_trace_new (skeleton, mask);
  g_autoptr(GArray) costs = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr(GArray) parents = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr(GArray) heap = g_array_new (FALSE, FALSE, sizeof (Step));
  gsize n_pixels = (gsize) mask->width * (gsize) mask->height;
  g_autofree gint32 *owners = get_owners (trace, n_pixels);
  Search self = { skeleton, mask, map, options->max_gap_m / map->pixel_m,
                  options->blind_m / map->pixel_m, owners, { 0, 0, 0 }, costs, parents, heap };
  guint length = (guint) (3 * mask->detail_px) + 2;
  gsize n_ends = 0, max_ends = MAX (MIN_ENDS, n_pixels / PIXELS_PER_END);

  *n_bridges = 0;
  *bridged_m = 0;
  for (guint side = 0; side < 2 * trace->edges->len && n_ends < max_ends; side++)
    {
      const UrbTraceEdge *edge = &g_array_index (trace->edges, UrbTraceEdge, side / 2);
      const UrbTraceNode *node
        = &g_array_index (trace->nodes, UrbTraceNode, side % 2 == 0 ? edge->from : edge->to);
      guint n_gap = 0;
      gint32 last;
      End end;

      if (node->degree != 1 || node->on_border)
        continue;
      end = get_end (trace, side / 2, side % 2 == 0, mask->width, length);
      last = search (&self, &end);
      n_ends++;
      if (last >= 0)
        n_gap = draw_path (&self, last);
      *n_bridges += n_gap > 0;
      *bridged_m += n_gap * map->pixel_m;
    }
}
