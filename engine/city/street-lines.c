/* SPDX-License-Identifier: Apache-2.0 */
/*
 * street-lines.c - the edges of the graph: the curves of strokes, cut at junctions and where the
 * width changes.
 */
#include <math.h>

#include "city/street-strokes-private.h"

static const double lane_m = 6; /* the widest lane: squares cover what lanes cross */

typedef struct
{
  UrbStreetGraph         *graph;   /* borrowed */
  const UrbStreetStrokes *strokes; /* borrowed */
  UrbPoint               *places;  /* borrowed; of the trace's nodes */
  guint                  *indices; /* borrowed; of the trace's nodes in the graph, or G_MAXUINT */
} Lines;

/* Half a meter is as fine as streets are built. */
static double
get_width_m (const UrbStreetStrokes *strokes, guint side)
{
  double width_m = strokes->widths_px[side / 2] * strokes->pixel_m;

  if (urb_street_strokes_get_edge (strokes, side)->is_lane)
    width_m = MIN (width_m, lane_m);
  return MAX (MAX (1.5, 1.5 * strokes->pixel_m), round (2 * width_m) / 2);
}

/* The length along the curve up to its point nearest to @to, at least @from and within @reach of
 * @expected; @expected, or @from if that is more, where there is no such point. */
static double
find_along (const GArray *curve, double from, double expected, double reach, UrbPoint to)
{
  double at = 0, best = HUGE_VAL, found = MAX (from, expected);

  for (guint i = 0; i + 1 < curve->len; i++)
    {
      UrbPoint a = urb_points_get (curve, i), b = urb_points_get (curve, i + 1);
      double dx = b.x - a.x, dy = b.y - a.y, length = hypot (dx, dy), t, far;

      t = ((to.x - a.x) * dx + (to.y - a.y) * dy) / MAX (length * length, 1e-12);
      t = CLAMP (t, 0, 1);
      far = urb_point_distance ((UrbPoint) { a.x + t * dx, a.y + t * dy }, to);
      if (far < best && at + t * length >= from && fabs (at + t * length - expected) <= reach)
        {
          best = far;
          found = at + t * length;
        }
      at += length;
    }
  return found;
}

/* Appends a point of the edge that begins at @first_point, unless it repeats the last one. */
static void
append_point (Lines *self, UrbPoint p, guint first_point)
{
  GArray *points = self->graph->points;

  p = urb_street_mask_clamp (self->strokes->mask, p);
  if (points->len == first_point
      || urb_point_distance (p, urb_points_get (points, points->len - 1)) >= 1e-6)
    g_array_append_val (points, p);
}

/* Lets an edge end at a node of the trace, which the graph gets with its first edge.
 * Returns: the node's index in the graph */
static guint
end_at (Lines *self, guint trace_node)
{
  const UrbStreetMask *mask = self->strokes->mask;
  GArray *nodes = self->graph->nodes;
  guint *index = &self->indices[trace_node];

  if (*index == G_MAXUINT)
    {
      UrbStreetNode node = { .at = urb_street_mask_clamp (mask, self->places[trace_node]) };

      node.on_border
        = g_array_index (self->strokes->trace->nodes, UrbTraceNode, trace_node).on_border
          && (node.at.x <= 0 || node.at.y <= 0 || node.at.x >= mask->width
              || node.at.y >= mask->height);
      *index = nodes->len;
      g_array_append_val (nodes, node);
    }
  g_array_index (nodes, UrbStreetNode, *index).degree++;
  return *index;
}

/* Appends the curve from the length @begin along it to @end.  @edge: its ends are nodes of the
 * trace; without its points */
static void
append_edge (Lines *self, const GArray *curve, double begin, double end, UrbStreetEdge edge)
{
  GArray *points = self->graph->points;
  double at = 0;

  edge.first_point = points->len;
  append_point (self, self->places[edge.from], edge.first_point);
  for (guint i = 0; i + 1 < curve->len; i++)
    {
      UrbPoint p = urb_points_get (curve, i);

      if (at > begin + 0.25 && at < end - 0.25)
        append_point (self, p, edge.first_point);
      at += urb_point_distance (p, urb_points_get (curve, i + 1));
    }
  append_point (self, self->places[edge.to], edge.first_point);
  edge.n_points = points->len - edge.first_point;
  if (edge.n_points < 2)
    {
      g_array_set_size (points, edge.first_point);
      return;
    }
  edge.from = end_at (self, edge.from);
  edge.to = end_at (self, edge.to);
  g_array_append_val (self->graph->edges, edge);
}

/* Cuts the curve of a stroke at the nodes along it, except where only its edges meet and have the
 * same width.  The nodes lie about as far along the curve as along the measured sections. */
static void
cut_stroke (Lines *self, const UrbStreetStroke *stroke)
{
  const UrbStreetStrokes *strokes = self->strokes;
  const guint *sides = &g_array_index (stroke->sides, guint, 0);
  double total = 0, measured = 0, before = 0, begin = 0;
  guint n = stroke->sides->len, from = urb_street_strokes_get_node (strokes, sides[0]);

  for (guint i = 0; i + 1 < stroke->curve->len; i++)
    total += urb_point_distance (urb_points_get (stroke->curve, i),
                                 urb_points_get (stroke->curve, i + 1));
  for (guint i = 0; i < n; i++)
    measured += urb_street_strokes_get_profile (strokes, sides[i])->length_px;
  for (guint i = 0; i < n; i++)
    {
      guint to = urb_street_strokes_get_node (strokes, sides[i] ^ 1);
      const UrbTraceNode *node = &g_array_index (strokes->trace->nodes, UrbTraceNode, to);
      double width_m = get_width_m (strokes, sides[i]), end = total;

      before += urb_street_strokes_get_profile (strokes, sides[i])->length_px;
      if (i + 1 < n)
        {
          if (node->degree == 2 && get_width_m (strokes, sides[i + 1]) == width_m)
            continue;
          end = find_along (stroke->curve, begin, total * before / MAX (measured, 1e-9),
                            0.1 * total + 3 * node->radius + 10, self->places[to]);
        }
      append_edge (self, stroke->curve, begin, end, (UrbStreetEdge) {
        .from = from,
        .to = to,
        .width_m = width_m,
        .is_lane = urb_street_strokes_get_edge (strokes, sides[i])->is_lane,
      });
      begin = end;
      from = to;
    }
}

void
urb_street_graph_draw (UrbStreetGraph *graph, const UrbStreetTrace *trace, const guint8 *skeleton,
                       const UrbStreetMask *mask, const UrbSoftMap *map,
                       const UrbStreetOptions *options)
{
  g_autoptr(UrbStreetStrokes) strokes
    = urb_street_strokes_new (trace, skeleton, mask, map, options);
  g_autofree UrbPoint *places = urb_street_junctions_place (strokes);
  g_autofree guint *indices = g_new (guint, trace->nodes->len);
  Lines self = { graph, strokes, places, indices };

  for (guint i = 0; i < trace->nodes->len; i++)
    indices[i] = G_MAXUINT;
  for (guint i = 0; i < strokes->strokes->len; i++)
    cut_stroke (&self, g_ptr_array_index (strokes->strokes, i));
}
