/* SPDX-License-Identifier: Apache-2.0 */
/*
 * street-trace.c - a skeleton of pixels as a graph.
 *
 * Nodes are groups of adjacent pixels with one, three or more neighbors; a line that closes on
 * itself gets a node at its first pixel.
 */
#include <math.h>

#include "city/street-private.h"

enum { NO_NODE = -1 };

typedef struct
{
  const guint8        *skeleton; /* borrowed */
  const UrbStreetMask *mask;     /* borrowed */
  UrbStreetTrace      *trace;    /* borrowed */
  gint32              *nodes;    /* owned; (height, width), the node of a pixel, or NO_NODE */
  guint8              *walked;   /* owned; (height, width) */
} Tracer;

static guint
get_neighbors (const Tracer *self, gint32 i, gint32 *neighbors)
{
  int width = self->mask->width, height = self->mask->height, col = i % width, row = i / width;
  guint n = 0;

  for (int y = MAX (row - 1, 0); y <= MIN (row + 1, height - 1); y++)
    for (int x = MAX (col - 1, 0); x <= MIN (col + 1, width - 1); x++)
      if (self->skeleton[y * width + x] && y * width + x != i)
        neighbors[n++] = y * width + x;
  return n;
}

/* Adds a node of this pixel and of those around it that are not on a line either. */
static void
add_node (Tracer *self, gint32 seed)
{
  g_autoptr(GArray) pixels = g_array_new (FALSE, FALSE, sizeof (gint32));
  int width = self->mask->width, height = self->mask->height;
  gint32 label = (gint32) self->trace->nodes->len, neighbors[8], around[8];
  UrbTraceNode node = { 0 };

  self->nodes[seed] = label;
  g_array_append_val (pixels, seed);
  for (guint k = 0; k < pixels->len; k++)
    {
      gint32 i = g_array_index (pixels, gint32, k);
      int col = i % width, row = i / width;
      guint n = get_neighbors (self, i, neighbors);

      node.at.x += col + 0.5;
      node.at.y += row + 0.5;
      node.radius = MAX (node.radius, (double) self->mask->depth[i]);
      node.on_border |= col == 0 || row == 0 || col == width - 1 || row == height - 1;
      for (guint j = 0; j < n && n > 2; j++)
        if (self->nodes[neighbors[j]] == NO_NODE && get_neighbors (self, neighbors[j], around) > 2)
          {
            self->nodes[neighbors[j]] = label;
            g_array_append_val (pixels, neighbors[j]);
          }
    }
  node.at.x /= pixels->len;
  node.at.y /= pixels->len;
  g_array_append_val (self->trace->nodes, node);
}

static void
walk (Tracer *self, gint32 from_pixel, gint32 pixel)
{
  UrbTraceEdge edge = { .from = (guint) self->nodes[from_pixel],
                        .first = self->trace->pixels->len };
  gint32 neighbors[8], before = from_pixel;

  while (self->nodes[pixel] == NO_NODE)
    {
      guint n = get_neighbors (self, pixel, neighbors), next = 0;

      g_array_append_val (self->trace->pixels, pixel);
      self->walked[pixel] = 1;
      edge.n++;
      while (next < n && neighbors[next] == before)
        next++;
      g_assert (n == 2 && next < n);
      before = pixel;
      pixel = neighbors[next];
    }
  edge.to = (guint) self->nodes[pixel];
  if (edge.from == edge.to && edge.n < 4)
    {
      g_array_set_size (self->trace->pixels, edge.first);
      return;
    }
  g_array_index (self->trace->nodes, UrbTraceNode, edge.from).degree++;
  g_array_index (self->trace->nodes, UrbTraceNode, edge.to).degree++;
  g_array_append_val (self->trace->edges, edge);
}

static void
walk_from (Tracer *self, gint32 i)
{
  gint32 neighbors[8];
  guint n = get_neighbors (self, i, neighbors);

  for (guint k = 0; k < n; k++)
    if (self->nodes[neighbors[k]] == NO_NODE && !self->walked[neighbors[k]])
      walk (self, i, neighbors[k]);
    else if (self->nodes[neighbors[k]] > self->nodes[i])
      walk (self, i, neighbors[k]); /* adjacent nodes */
}

UrbStreetTrace *
urb_street_trace_new (const guint8 *skeleton, const UrbStreetMask *mask)
{
  UrbStreetTrace *self = g_new0 (UrbStreetTrace, 1);
  gint32 n_pixels = mask->width * mask->height, neighbors[8];
  g_autofree gint32 *nodes = g_new (gint32, n_pixels);
  g_autofree guint8 *walked = g_malloc0 (n_pixels);
  Tracer tracer = { skeleton, mask, self, nodes, walked };

  self->nodes = g_array_new (FALSE, FALSE, sizeof (UrbTraceNode));
  self->edges = g_array_new (FALSE, FALSE, sizeof (UrbTraceEdge));
  self->pixels = g_array_new (FALSE, FALSE, sizeof (gint32));
  for (gint32 i = 0; i < n_pixels; i++)
    nodes[i] = NO_NODE;
  for (gint32 i = 0; i < n_pixels; i++)
    if (skeleton[i] && nodes[i] == NO_NODE && get_neighbors (&tracer, i, neighbors) != 2)
      add_node (&tracer, i);
  for (gint32 i = 0; i < n_pixels; i++)
    if (nodes[i] != NO_NODE)
      walk_from (&tracer, i);
  for (gint32 i = 0; i < n_pixels; i++)
    if (skeleton[i] && nodes[i] == NO_NODE && !walked[i])
      {
        add_node (&tracer, i);
        walk_from (&tracer, i);
      }
  return self;
}

void
urb_street_trace_free (UrbStreetTrace *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->nodes);
  g_array_unref (self->edges);
  g_array_unref (self->pixels);
  g_free (self);
}

double
urb_street_trace_length (const UrbStreetTrace *self, const UrbTraceEdge *edge, int width)
{
  UrbPoint before = g_array_index (self->nodes, UrbTraceNode, edge->from).at;
  UrbPoint end = g_array_index (self->nodes, UrbTraceNode, edge->to).at;
  double length = 0;

  for (guint i = 0; i < edge->n; i++)
    {
      gint32 pixel = g_array_index (self->pixels, gint32, edge->first + i);
      UrbPoint at = { pixel % width + 0.5, pixel / width + 0.5 };

      length += urb_point_distance (at, before);
      before = at;
    }
  return length + urb_point_distance (end, before);
}

guint *
urb_street_trace_index (const UrbStreetTrace *self, guint **first)
{
  guint n_nodes = self->nodes->len, n_sides = 2 * self->edges->len;
  guint *sides = g_new (guint, n_sides + 1), *begin = g_new0 (guint, n_nodes + 2);

  /* begin[node + 1] is first the place to write at, and then the node's end. */
  for (int round = 0; round < 2; round++)
    {
      for (guint side = 0; side < n_sides; side++)
        {
          const UrbTraceEdge *edge = &g_array_index (self->edges, UrbTraceEdge, side / 2);
          guint node = side % 2 == 0 ? edge->from : edge->to;

          if (round == 0)
            begin[node + 2]++;
          else
            sides[begin[node + 1]++] = side;
        }
      for (guint i = 2; i < n_nodes + 2 && round == 0; i++)
        begin[i] += begin[i - 1];
    }
  *first = begin;
  return sides;
}

/* ------------------------------------------------------------------------ */
/* Lanes across squares                                                      */

/* Whether most of the edge is in the open, and it is no long street of constant width. */
static gboolean
is_lane (const UrbStreetTrace *self, const UrbTraceEdge *edge, const guint8 *open,
         const UrbStreetMask *mask)
{
  gboolean leaves = g_array_index (self->nodes, UrbTraceNode, edge->from).on_border
                    || g_array_index (self->nodes, UrbTraceNode, edge->to).on_border;
  double least = G_MAXDOUBLE, most = 0, sum = 0;
  guint n_open = 0;

  for (guint i = 0; i < edge->n; i++)
    {
      gint32 pixel = g_array_index (self->pixels, gint32, edge->first + i);
      double depth = (double) mask->depth[pixel];

      if (!open[pixel])
        continue;
      n_open++;
      sum += depth;
      least = MIN (least, depth);
      most = MAX (most, depth);
    }
  if (n_open == 0 || n_open < 0.6 * edge->n)
    return FALSE;
  return urb_street_trace_length (self, edge, mask->width) < (leaves ? 2.5 : 4) * sum / n_open
         || most - least > (leaves ? 0.8 : 0.35) * sum / n_open;
}

void
urb_street_trace_find_lanes (UrbStreetTrace *self, const guint8 *open, const UrbStreetMask *mask)
{
  g_autoptr(GArray) edges = g_array_new (FALSE, FALSE, sizeof (UrbTraceEdge));

  for (guint i = 0; i < self->edges->len; i++)
    {
      UrbTraceEdge edge = g_array_index (self->edges, UrbTraceEdge, i);
      UrbTraceNode *from = &g_array_index (self->nodes, UrbTraceNode, edge.from);
      UrbTraceNode *to = &g_array_index (self->nodes, UrbTraceNode, edge.to);

      edge.is_lane = is_lane (self, &edge, open, mask);
      if (edge.is_lane && ((from->degree == 1 && !from->on_border)
                           || (to->degree == 1 && !to->on_border)))
        {
          from->degree--;
          to->degree--;
        }
      else
        g_array_append_val (edges, edge);
    }
  g_array_set_size (self->edges, 0);
  g_array_append_vals (self->edges, edges->data, edges->len);
}

/* ------------------------------------------------------------------------ */
/* Junctions that are one                                                    */

typedef struct
{
  double   length;
  guint    edge;
  gboolean is_crossing;
} Candidate;

static int
compare_candidates (gconstpointer a, gconstpointer b)
{
  const Candidate *x = a, *y = b;

  if (x->length < y->length || x->length > y->length)
    return x->length < y->length ? -1 : 1;
  return (x->edge > y->edge) - (x->edge < y->edge);
}

static guint
find_root (guint *roots, guint i)
{
  while (roots[i] != i)
    i = roots[i] = roots[roots[i]];
  return i;
}

/* The line of an edge beyond the junction @node: through the pixels @near and 2 @near from it. */
static UrbLine
get_branch (const UrbStreetTrace *self, const UrbTraceEdge *edge, guint node, guint near,
            int width, UrbPoint *direction)
{
  gboolean at_start = edge->from == node;
  UrbPoint ends[2];
  double length;

  for (guint i = 0; i < 2; i++)
    {
      guint step = (i + 1) * near;
      gint32 pixel;

      if (step >= edge->n)
        {
          ends[i] = g_array_index (self->nodes, UrbTraceNode, at_start ? edge->to : edge->from).at;
          continue;
        }
      pixel = g_array_index (self->pixels, gint32,
                             edge->first + (at_start ? step : edge->n - 1 - step));
      ends[i] = (UrbPoint) { pixel % width + 0.5, pixel / width + 0.5 };
    }
  length = MAX (urb_point_distance (ends[1], ends[0]), 1e-9);
  *direction = (UrbPoint) { (ends[1].x - ends[0].x) / length, (ends[1].y - ends[0].y) / length };
  return (UrbLine) { -direction->y, direction->x,
                     direction->x * ends[0].y - direction->y * ends[0].x };
}

/* Whether two branches are one street across both junctions. */
static gboolean
continue_each_other (const UrbStreetTrace *self, const UrbTraceEdge *a, guint from,
                     const UrbTraceEdge *b, guint to, double radius, int width)
{
  guint near = (guint) (1.5 * radius) + 2;
  UrbPoint out, back, center;
  UrbLine first = get_branch (self, a, from, near, width, &out);
  UrbLine second = get_branch (self, b, to, near, width, &back);
  UrbPoint u = g_array_index (self->nodes, UrbTraceNode, from).at;
  UrbPoint v = g_array_index (self->nodes, UrbTraceNode, to).at;

  center = (UrbPoint) { (u.x + v.x) / 2, (u.y + v.y) / 2 };
  return out.x * back.x + out.y * back.y < -0.9
         && fabs (first.a * center.x + first.b * center.y - first.c) < radius
         && fabs (second.a * center.x + second.b * center.y - second.c) < radius;
}

/* Whether two streets cross askew, so that the skeleton shares a piece of both.
 * @index: of an edge between two junctions of three */
static gboolean
is_crossing (const UrbStreetTrace *self, guint index, const guint *first, const guint *sides,
             double radius, int width)
{
  const UrbTraceEdge *edge = &g_array_index (self->edges, UrbTraceEdge, index), *branches[2][2];

  for (int k = 0; k < 2; k++)
    {
      guint node = k == 0 ? edge->from : edge->to, n = 0;

      for (guint i = first[node]; i < first[node + 1]; i++)
        {
          const UrbTraceEdge *branch = &g_array_index (self->edges, UrbTraceEdge, sides[i] / 2);

          if (branch->from == branch->to)
            return FALSE;
          if (sides[i] / 2 != index)
            branches[k][n++] = branch;
        }
      g_assert (n == 2);
    }
  for (guint k = 0; k < 2; k++)
    if (continue_each_other (self, branches[0][0], edge->from, branches[1][k], edge->to, radius,
                             width)
        && continue_each_other (self, branches[0][1], edge->from, branches[1][1 - k], edge->to,
                                radius, width))
      return TRUE;
  return FALSE;
}

/* Short edges between junctions, the shortest first. */
static GArray *
find_short_edges (const UrbStreetTrace *self, int width)
{
  GArray *candidates = g_array_new (FALSE, FALSE, sizeof (Candidate));
  g_autofree guint *first = NULL;
  g_autofree guint *sides = urb_street_trace_index (self, &first);

  for (guint i = 0; i < self->edges->len; i++)
    {
      const UrbTraceEdge *edge = &g_array_index (self->edges, UrbTraceEdge, i);
      const UrbTraceNode *from = &g_array_index (self->nodes, UrbTraceNode, edge->from);
      const UrbTraceNode *to = &g_array_index (self->nodes, UrbTraceNode, edge->to);
      double radius = MAX (from->radius, to->radius);
      Candidate candidate = { urb_street_trace_length (self, edge, width), i, FALSE };

      if (from->degree < 3 || to->degree < 3 || edge->from == edge->to)
        continue;
      candidate.is_crossing = candidate.length < 4 * radius && from->degree == 3 && to->degree == 3
                              && is_crossing (self, i, first, sides, radius, width);
      if (candidate.is_crossing || candidate.length < MAX (2, 1.4 * radius))
        g_array_append_val (candidates, candidate);
    }
  g_array_sort (candidates, compare_candidates);
  return candidates;
}

/* Moves the edges of united nodes to the first of them. */
static void
move_edges (UrbStreetTrace *self, guint *roots, const guint8 *dropped)
{
  g_autoptr(GArray) edges = g_array_new (FALSE, FALSE, sizeof (UrbTraceEdge));

  for (guint i = 0; i < self->nodes->len; i++)
    g_array_index (self->nodes, UrbTraceNode, i).degree = 0;
  for (guint i = 0; i < self->edges->len; i++)
    {
      UrbTraceEdge edge = g_array_index (self->edges, UrbTraceEdge, i);

      edge.from = find_root (roots, edge.from);
      edge.to = find_root (roots, edge.to);
      if (dropped[i])
        continue;
      g_array_index (self->nodes, UrbTraceNode, edge.from).degree++;
      g_array_index (self->nodes, UrbTraceNode, edge.to).degree++;
      g_array_append_val (edges, edge);
    }
  g_array_set_size (self->edges, 0);
  g_array_append_vals (self->edges, edges->data, edges->len);
}

void
urb_street_trace_merge_junctions (UrbStreetTrace *self, int width)
{
  g_autoptr(GArray) candidates = find_short_edges (self, width);
  g_autofree guint *roots = g_new (guint, self->nodes->len + 1);
  g_autofree guint *sizes = g_new (guint, self->nodes->len + 1);
  g_autofree guint8 *dropped = g_malloc0 (self->edges->len + 1);
  g_autofree double *widest = g_new (double, self->nodes->len + 1); /* radius of a member */

  for (guint i = 0; i < self->nodes->len; i++)
    {
      widest[i] = g_array_index (self->nodes, UrbTraceNode, i).radius;
      roots[i] = i;
      sizes[i] = 1;
    }
  for (guint i = 0; i < candidates->len; i++)
    {
      const Candidate *candidate = &g_array_index (candidates, Candidate, i);
      const UrbTraceEdge *edge = &g_array_index (self->edges, UrbTraceEdge, candidate->edge);
      guint a = find_root (roots, edge->from), b = find_root (roots, edge->to);
      UrbTraceNode *first = &g_array_index (self->nodes, UrbTraceNode, MIN (a, b));
      UrbTraceNode *second = &g_array_index (self->nodes, UrbTraceNode, MAX (a, b));
      double n = sizes[MIN (a, b)], m = sizes[MAX (a, b)];
      double far = urb_point_distance (first->at, second->at);

      /* The second test keeps chains of junctions apart. */
      if (a != b
          && (candidate->is_crossing || far < MAX (2, 1.4 * MAX (widest[a], widest[b]))))
        {
          first->at.x = (n * first->at.x + m * second->at.x) / (n + m);
          first->at.y = (n * first->at.y + m * second->at.y) / (n + m);
          first->radius = MAX (MAX (first->radius, second->radius),
                               (first->radius + second->radius + far) / 2);
          widest[MIN (a, b)] = MAX (widest[a], widest[b]);
          first->on_border |= second->on_border;
          roots[MAX (a, b)] = MIN (a, b);
          sizes[MIN (a, b)] += sizes[MAX (a, b)];
          dropped[candidate->edge] = 1;
        }
      else if (a == b)
        dropped[candidate->edge] = 1;
    }
  move_edges (self, roots, dropped);
}
