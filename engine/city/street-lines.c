/* SPDX-License-Identifier: Apache-2.0 */
/*
 * street-lines.c - draws the traced streets as smooth lines.
 *
 * Edges that continue each other straight through junctions form a stroke, which is drawn as one
 * curve with one width where the measured widths agree.  A junction lies where strokes cross, so
 * main streets run straight through and side streets end on them.
 */
#include <math.h>

#include "city/street-profile-private.h"

enum { NONE = -1 };
static const double lane_m = 6; /* across squares, which cover it */

/* A side of an edge is 2 * edge for its start and 2 * edge + 1 for its end. */
typedef struct
{
  GArray *sides;    /* guint, owned; in order, the side at which each edge is entered */
  GArray *points;   /* UrbPoint, owned; the curve */
  double  rank;     /* area */
  gboolean closed;
} Stroke;

typedef struct
{
  UrbStreetGraph         *graph;    /* borrowed */
  const UrbStreetTrace   *trace;    /* borrowed */
  const UrbStreetMask    *mask;     /* borrowed */
  const UrbSoftMap       *map;      /* borrowed */
  const UrbStreetOptions *options;  /* borrowed */
  GPtrArray              *profiles; /* UrbStreetProfile, owned; of each edge */
  GPtrArray              *strokes;  /* Stroke, owned */
  double                 *widths;   /* owned; of each edge, in pixels */
  guint                  *first;    /* owned; of each node, in incident; one more at the end */
  guint                  *incident; /* owned; sides at the nodes */
  gint32                 *partners; /* owned; of each side, the side that continues it, or NONE */
  guint                  *stroke_of; /* owned; of each edge */
  UrbPoint               *places;   /* owned; of the nodes */
} Drawing;

static void
stroke_free (gpointer data)
{
  Stroke *self = data;

  g_array_unref (self->sides);
  g_array_unref (self->points);
  g_free (self);
}

static double
get_distance (UrbPoint a, UrbPoint b)
{
  return hypot (a.x - b.x, a.y - b.y);
}

static const UrbTraceEdge *
get_edge (const Drawing *self, guint side)
{
  return &g_array_index (self->trace->edges, UrbTraceEdge, side / 2);
}

static guint
get_node (const Drawing *self, guint side)
{
  return side % 2 == 0 ? get_edge (self, side)->from : get_edge (self, side)->to;
}

static const UrbTraceNode *
get_trace_node (const Drawing *self, guint node)
{
  return &g_array_index (self->trace->nodes, UrbTraceNode, node);
}

static const UrbStreetProfile *
get_profile (const Drawing *self, guint edge)
{
  return g_ptr_array_index (self->profiles, edge);
}

/* The section @i steps from a side. */
static UrbPoint
get_center (const Drawing *self, guint side, guint i)
{
  const GArray *sections = get_profile (self, side / 2)->sections;

  i = MIN (i, sections->len - 1);
  return g_array_index (sections, UrbStreetSection,
                        side % 2 == 0 ? i : sections->len - 1 - i).center;
}

/* ------------------------------------------------------------------------ */
/* Strokes                                                                   */

/* The direction in which an edge leaves its node, as an angle. */
static double
get_angle (const Drawing *self, guint side)
{
  const GArray *sections = get_profile (self, side / 2)->sections;
  const UrbTraceNode *node = get_trace_node (self, get_node (self, side));
  guint reach = (guint) (MAX (3 * self->mask->detail_px, 2 * node->radius) + 4);
  UrbPoint a = get_center (self, side, 0), b = get_center (self, side, reach);

  if (sections->len < 3 + (guint) self->mask->detail_px)
    a = node->at;
  return atan2 (b.y - a.y, b.x - a.x);
}

/* How badly two sides continue each other: the bend in radians, and different widths. */
static double
get_bend (const Drawing *self, guint a, guint b)
{
  double turn = fabs (get_angle (self, a) - get_angle (self, b));
  double wide = self->widths[a / 2] / self->widths[b / 2];

  turn = fabs (G_PI - (turn > G_PI ? 2 * G_PI - turn : turn));
  return turn > 0.75 ? HUGE_VAL : turn + 0.15 * fabs (log (wide));
}

static void
pair_sides (Drawing *self, guint node)
{
  guint first = self->first[node], end = self->first[node + 1];

  if (end - first == 2 && self->incident[first] / 2 != self->incident[first + 1] / 2)
    {
      self->partners[self->incident[first]] = (gint32) self->incident[first + 1];
      self->partners[self->incident[first + 1]] = (gint32) self->incident[first];
      return;
    }
  for (;;)
    {
      double best = HUGE_VAL;
      guint a = 0, b = 0;

      for (guint i = first; i < end; i++)
        for (guint k = i + 1; k < end; k++)
          {
            guint one = self->incident[i], other = self->incident[k];
            double bend = one / 2 != other / 2 && self->partners[one] == NONE
                              && self->partners[other] == NONE
                            ? get_bend (self, one, other) : HUGE_VAL;

            if (bend < best)
              {
                best = bend;
                a = one;
                b = other;
              }
          }
      if (best == HUGE_VAL)
        return;
      self->partners[a] = (gint32) b;
      self->partners[b] = (gint32) a;
    }
}

static void
follow_stroke (Drawing *self, guint side)
{
  Stroke *stroke = g_new0 (Stroke, 1);
  guint start = side;

  stroke->sides = g_array_new (FALSE, FALSE, sizeof (guint));
  stroke->points = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  for (;;)
    {
      g_array_append_val (stroke->sides, side);
      self->stroke_of[side / 2] = self->strokes->len;
      stroke->rank += self->widths[side / 2] * get_profile (self, side / 2)->length_px;
      if (self->partners[side ^ 1] == NONE)
        break;
      side = (guint) self->partners[side ^ 1];
      if (side == start || self->stroke_of[side / 2] != G_MAXUINT)
        {
          stroke->closed = TRUE;
          break;
        }
    }
  g_ptr_array_add (self->strokes, stroke);
}

static void
find_strokes (Drawing *self)
{
  guint n_edges = self->trace->edges->len;

  self->partners = g_new (gint32, 2 * n_edges + 1);
  self->stroke_of = g_new (guint, n_edges + 1);
  for (guint side = 0; side < 2 * n_edges; side++)
    self->partners[side] = NONE;
  for (guint i = 0; i < n_edges; i++)
    self->stroke_of[i] = G_MAXUINT;
  for (guint node = 0; node < self->trace->nodes->len; node++)
    pair_sides (self, node);
  for (guint side = 0; side < 2 * n_edges; side++)
    if (self->partners[side] == NONE && self->stroke_of[side / 2] == G_MAXUINT)
      follow_stroke (self, side);
  for (guint side = 0; side < 2 * n_edges; side++)
    if (self->stroke_of[side / 2] == G_MAXUINT)
      follow_stroke (self, side);
}

/* ------------------------------------------------------------------------ */
/* Widths                                                                    */

static double
get_weight (const Drawing *self, guint side)
{
  if (get_edge (self, side)->is_lane)
    return 0.1;
  return 0.5 + get_profile (self, side / 2)->n_widths;
}

/* Unites neighbors along the stroke, the most similar first, while their widths may be the same. */
static void
level_widths (Drawing *self, const Stroke *stroke)
{
  guint n = stroke->sides->len;
  g_autofree double *width = g_new (double, n), *weight = g_new (double, n);
  g_autofree guint *end = g_new (guint, n); /* of the group that starts here */

  for (guint i = 0; i < n; i++)
    {
      guint side = g_array_index (stroke->sides, guint, i);

      width[i] = self->widths[side / 2];
      weight[i] = get_weight (self, side);
      end[i] = i + 1;
    }
  for (;;)
    {
      double best = 1;
      guint at = n;

      for (guint i = 0; end[i] < n; i = end[i])
        {
          guint k = end[i];
          double same = 1.2 / self->map->pixel_m + 0.15 * MIN (width[i], width[k])
                        + 12 / MIN (weight[i], weight[k]);
          double part = fabs (width[i] - width[k]) / same;

          if (part < best)
            {
              best = part;
              at = i;
            }
        }
      if (at == n)
        break;
      guint k = end[at];

      width[at] = (width[at] * weight[at] + width[k] * weight[k]) / (weight[at] + weight[k]);
      weight[at] += weight[k];
      end[at] = end[k];
    }
  for (guint i = 0; i < n; i = end[i])
    for (guint k = i; k < end[i]; k++)
      self->widths[g_array_index (stroke->sides, guint, k) / 2] = width[i];
}

/* Half a meter is as fine as streets are built. */
static double
get_width_m (const Drawing *self, guint edge)
{
  double width_m = self->widths[edge] * self->map->pixel_m;

  if (get_edge (self, 2 * edge)->is_lane)
    width_m = MIN (width_m, lane_m);
  double least = MAX (1.5, 1.5 * self->map->pixel_m);

  return MAX (least, round (2 * width_m) / 2);
}

/* ------------------------------------------------------------------------ */
/* Curves                                                                    */

/* The point where the street from @from in the direction of @angle ends: at the edge of the
 * paved ground, or of the tile. */
static UrbPoint
extend (const Drawing *self, UrbPoint from, double angle, const UrbTraceNode *node)
{
  double dx = cos (angle), dy = sin (angle), far = get_distance (from, node->at);
  double limit = far + 2 * node->radius + 2, t = 0;

  for (; t < limit; t += 0.25)
    {
      double x = from.x + t * dx, y = from.y + t * dy;

      if (x < 0 || y < 0 || x > self->mask->width || y > self->mask->height)
        break;
      if (!node->on_border
          && t > far - node->radius
          && !self->mask->inside[(gint64) MIN ((int) y, self->mask->height - 1) * self->mask->width
                                 + MIN ((int) x, self->mask->width - 1)])
        break;
    }
  if (node->on_border && t >= limit)
    return node->at;
  return (UrbPoint) { CLAMP (from.x + t * dx, 0, self->mask->width),
                      CLAMP (from.y + t * dy, 0, self->mask->height) };
}

static void
append_end (const Drawing *self, guint side, GArray *points)
{
  const UrbTraceNode *node = get_trace_node (self, get_node (self, side));
  UrbPoint end;

  if (node->degree != 1)
    return;
  end = extend (self, get_center (self, side, 0), get_angle (self, side) + G_PI, node);
  g_array_append_val (points, end);
}

static void
draw_stroke (const Drawing *self, Stroke *stroke)
{
  g_autoptr(GArray) points = g_array_new (FALSE, FALSE, sizeof (UrbPoint)), curve = NULL;
  guint start = g_array_index (stroke->sides, guint, 0);
  guint end = g_array_index (stroke->sides, guint, stroke->sides->len - 1) ^ 1;
  double tolerance = MAX (0.5 / self->map->pixel_m, 0.2 * self->mask->detail_px);

  append_end (self, start, points);
  for (guint i = 0; i < stroke->sides->len; i++)
    {
      guint side = g_array_index (stroke->sides, guint, i);

      for (guint k = 0; k < get_profile (self, side / 2)->sections->len; k++)
        {
          UrbPoint center = get_center (self, side, k);

          g_array_append_val (points, center);
        }
    }
  append_end (self, end, points);
  if (points->len < 2)
    {
      g_array_set_size (points, 0);
      g_array_append_val (points, get_trace_node (self, get_node (self, start))->at);
      g_array_append_val (points, get_trace_node (self, get_node (self, end))->at);
    }
  curve = urb_street_curve ((UrbPoint *) (gpointer) points->data, points->len, tolerance,
                            MAX (14 / self->map->pixel_m, 5 * self->mask->detail_px));
  g_array_append_vals (stroke->points, curve->data, curve->len);
}

/* ------------------------------------------------------------------------ */
/* Junctions                                                                 */

static UrbPoint
get_point (const GArray *points, guint i)
{
  return g_array_index (points, UrbPoint, i);
}

static UrbPoint
get_nearest (const GArray *points, UrbPoint to)
{
  UrbPoint best = get_point (points, 0);

  for (guint i = 0; i + 1 < points->len; i++)
    {
      UrbPoint a = get_point (points, i), b = get_point (points, i + 1), p;
      double dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy, t = 0;

      if (length2 > 0)
        t = CLAMP (((to.x - a.x) * dx + (to.y - a.y) * dy) / length2, 0, 1);
      p = (UrbPoint) { a.x + t * dx, a.y + t * dy };
      if (get_distance (p, to) < get_distance (best, to))
        best = p;
    }
  return best;
}

/* Where the segment crosses the curve, nearest to @near.  Returns: %FALSE if it does not */
static gboolean
cross_segment (const GArray *points, UrbPoint from, UrbPoint to, UrbPoint near, UrbPoint *crossing)
{
  gboolean found = FALSE;

  for (guint i = 0; i + 1 < points->len; i++)
    {
      UrbPoint a = get_point (points, i), b = get_point (points, i + 1), p;
      double det = (b.x - a.x) * (to.y - from.y) - (b.y - a.y) * (to.x - from.x), s, t;

      if (fabs (det) < 1e-9)
        continue;
      s = ((from.x - a.x) * (to.y - from.y) - (from.y - a.y) * (to.x - from.x)) / det;
      t = ((from.x - a.x) * (b.y - a.y) - (from.y - a.y) * (b.x - a.x)) / det;
      if (s < 0 || s > 1 || t < 0 || t > 1)
        continue;
      p = (UrbPoint) { a.x + s * (b.x - a.x), a.y + s * (b.y - a.y) };
      if (!found || get_distance (p, near) < get_distance (*crossing, near))
        *crossing = p;
      found = TRUE;
    }
  return found;
}

static Stroke *
get_stroke (const Drawing *self, guint side)
{
  return g_ptr_array_index (self->strokes, self->stroke_of[side / 2]);
}

/* Whether the curve of the stroke begins at this side of its first edge. */
static gboolean
is_start (const Stroke *stroke, guint side)
{
  return side == g_array_index (stroke->sides, guint, 0);
}

/* The end of the curve at a side, and the direction from it to the outside. */
static UrbPoint
get_end (const Stroke *stroke, guint side, UrbPoint *direction)
{
  const GArray *points = stroke->points;
  gboolean start = is_start (stroke, side);
  UrbPoint end = get_point (points, start ? 0 : points->len - 1);
  UrbPoint inner = get_point (points, start ? 1 : points->len - 2);
  double length = MAX (get_distance (end, inner), 1e-9);

  *direction = (UrbPoint) { (end.x - inner.x) / length, (end.y - inner.y) / length };
  return end;
}

/* Where the stroke at @side meets the curve of the main street of a node. */
static gboolean
find_meeting (const Drawing *self, const Stroke *main_stroke, guint side, UrbPoint near,
              double reach, UrbPoint *place)
{
  const Stroke *stroke = get_stroke (self, side);
  gboolean found = FALSE;
  UrbPoint direction;

  if (self->partners[side] == NONE)
    {
      UrbPoint end = get_end (stroke, side, &direction);
      UrbPoint a = { end.x - reach * direction.x, end.y - reach * direction.y };
      UrbPoint b = { end.x + 2 * reach * direction.x, end.y + 2 * reach * direction.y };

      found = cross_segment (main_stroke->points, a, b, near, place);
    }
  else
    for (guint i = 0; i + 1 < stroke->points->len; i++)
      {
        UrbPoint crossing;

        if (cross_segment (main_stroke->points, get_point (stroke->points, i),
                           get_point (stroke->points, i + 1), near, &crossing)
            && (!found || get_distance (crossing, near) < get_distance (*place, near)))
          {
            *place = crossing;
            found = TRUE;
          }
      }
  return found && get_distance (*place, near) <= reach;
}

/* The point nearest to the lines of all streets that end here, and not far from where they met. */
static UrbPoint
meet_ends (const Drawing *self, guint node, UrbPoint near, double reach)
{
  double aa = 0.1, ab = 0, bb = 0.1, ac = 0, bc = 0, det;
  UrbPoint place;

  for (guint i = self->first[node]; i < self->first[node + 1]; i++)
    {
      UrbPoint direction, end = get_end (get_stroke (self, self->incident[i]), self->incident[i],
                                         &direction);
      double a = -direction.y, b = direction.x, c = a * (end.x - near.x) + b * (end.y - near.y);

      aa += a * a;
      ab += a * b;
      bb += b * b;
      ac += a * c;
      bc += b * c;
    }
  det = aa * bb - ab * ab;
  place = (UrbPoint) { near.x + (ac * bb - bc * ab) / det, near.y + (bc * aa - ac * ab) / det };
  return get_distance (place, near) <= reach ? place : near;
}

/* Where the line of a street's end meets the tile's border. */
static UrbPoint
meet_border (const Drawing *self, UrbPoint end, UrbPoint direction, double reach)
{
  double width = self->mask->width, height = self->mask->height, best = HUGE_VAL;
  double sides[4] = { end.x, width - end.x, end.y, height - end.y };
  double speeds[4] = { -direction.x, direction.x, -direction.y, direction.y };
  UrbPoint place = end;
  int nearest = 0;

  for (int i = 0; i < 4; i++)
    {
      double t = fabs (speeds[i]) > 0.1 ? sides[i] / speeds[i] : HUGE_VAL;
      UrbPoint p = { end.x + t * direction.x, end.y + t * direction.y };

      if (fabs (t) < best && fabs (t) <= reach && p.x >= -1e-6 && p.y >= -1e-6
          && p.x <= width + 1e-6 && p.y <= height + 1e-6)
        {
          best = fabs (t);
          place = p;
        }
      if (fabs (sides[i]) < fabs (sides[nearest]))
        nearest = i;
    }
  if (best > reach)
    place = (UrbPoint) { nearest == 0 ? 0 : nearest == 1 ? width : end.x,
                         nearest == 2 ? 0 : nearest == 3 ? height : end.y };
  /* Exactly on the border, whatever the rounding. */
  if (fabs (place.x) < 1e-6 || fabs (place.x - width) < 1e-6)
    place.x = round (place.x);
  if (fabs (place.y) < 1e-6 || fabs (place.y - height) < 1e-6)
    place.y = round (place.y);
  return (UrbPoint) { CLAMP (place.x, 0, width), CLAMP (place.y, 0, height) };
}

static UrbPoint
place_end (const Drawing *self, guint node, guint side)
{
  const UrbTraceNode *trace_node = get_trace_node (self, node);
  UrbPoint direction, end = get_end (get_stroke (self, side), side, &direction);

  if (!trace_node->on_border)
    return end;
  return meet_border (self, end, direction, trace_node->radius + 2 * self->mask->detail_px + 4);
}

static void
place_node (Drawing *self, guint node)
{
  const UrbTraceNode *trace_node = get_trace_node (self, node);
  guint first = self->first[node], end = self->first[node + 1];
  double reach = 1.3 * trace_node->radius + 1.5 * self->mask->detail_px;
  const Stroke *main_stroke = NULL, *other = NULL;
  UrbPoint place = trace_node->at, meeting;

  for (guint i = first; i < end; i++)
    {
      const Stroke *stroke = get_stroke (self, self->incident[i]);

      if (self->partners[self->incident[i]] != NONE
          && (main_stroke == NULL || stroke->rank > main_stroke->rank))
        main_stroke = stroke;
    }
  if (main_stroke == NULL)
    place = trace_node->degree >= 2 ? meet_ends (self, node, place, reach)
                                    : place_end (self, node, self->incident[first]);
  else
    place = get_nearest (main_stroke->points, place);
  for (guint i = first; i < end && main_stroke != NULL; i++)
    {
      const Stroke *stroke = get_stroke (self, self->incident[i]);

      if (stroke == main_stroke || (other != NULL && stroke->rank <= other->rank)
          || !find_meeting (self, main_stroke, self->incident[i], trace_node->at, reach, &meeting))
        continue;
      place = meeting;
      other = stroke;
    }
  self->places[node] = place;
}

/* Shifts the curve near @from by @shift, less and less until @reach. */
static void
shift_near (GArray *points, UrbPoint from, UrbPoint shift, double reach)
{
  for (guint i = 0; i < points->len; i++)
    {
      UrbPoint *p = &g_array_index (points, UrbPoint, i);
      double t = get_distance (*p, from) / reach, weight = t < 1 ? (1 - t * t) * (1 - t * t) : 0;

      p->x += weight * shift.x;
      p->y += weight * shift.y;
    }
}

/* Adds vertices, so that straight parts can be bent. */
static void
refine_near (GArray *points, UrbPoint near, double reach)
{
  g_autoptr(GArray) fine = g_array_new (FALSE, FALSE, sizeof (UrbPoint));

  for (guint i = 0; i < points->len; i++)
    {
      UrbPoint a = get_point (points, i), b = get_point (points, MIN (i + 1, points->len - 1));
      double length = get_distance (a, b);
      guint n = urb_point_segment_distance (near, a, b) < reach ? (guint) (length / 2) + 1 : 1;

      for (guint k = 0; k < n; k++)
        {
          UrbPoint p = { a.x + (b.x - a.x) * k / n, a.y + (b.y - a.y) * k / n };

          if (k == 0 || get_distance (p, near) < reach)
            g_array_append_val (fine, p);
        }
    }
  g_array_set_size (points, 0);
  g_array_append_vals (points, fine->data, fine->len);
}

static void
reverse (GArray *points)
{
  for (guint i = 0, k = points->len - 1; i < k; i++, k--)
    {
      UrbPoint swap = get_point (points, i);

      g_array_index (points, UrbPoint, i) = get_point (points, k);
      g_array_index (points, UrbPoint, k) = swap;
    }
}

/* Removes the last part of the curve: what is within @reach of @place, or beyond it. */
static void
cut_end (GArray *points, UrbPoint place, double reach)
{
  while (points->len > 1)
    {
      UrbPoint last = get_point (points, points->len - 1);
      UrbPoint before = get_point (points, points->len - 2);
      double dx = last.x - before.x, dy = last.y - before.y, length = hypot (dx, dy);
      double beyond = (last.x - place.x) * dx + (last.y - place.y) * dy;

      if (get_distance (last, place) >= reach && (beyond < 0 || get_distance (last, place)
                                                                  > 3 * reach + 20))
        return;
      g_array_set_size (points, points->len - 1);
      /* The segment from afar is shortened only. */
      if (length > 1 && get_distance (before, place) > reach)
        {
          double t = MIN (length, MAX (0, length - (reach + beyond / MAX (length, 1e-9))));
          UrbPoint p = { before.x + t / length * dx, before.y + t / length * dy };

          if (t > 0.5)
            g_array_append_val (points, p);
          return;
        }
    }
}

/* Lets the curve, which ends near the node, end exactly there. */
static void
pin_end (const Drawing *self, Stroke *stroke, guint side)
{
  guint node = get_node (self, side);
  UrbPoint place = self->places[node], direction, end = get_end (stroke, side, &direction);
  double aside = direction.x * (place.y - end.y) - direction.y * (place.x - end.x);
  double reach = MAX (get_trace_node (self, node)->radius, 3 * fabs (aside));
  GArray *points = stroke->points;

  if (is_start (stroke, side))
    reverse (points);
  if (fabs (aside) > 0.05)
    cut_end (points, place, reach);
  else
    cut_end (points, place, 0);
  g_array_append_val (points, place);
  if (is_start (stroke, side))
    reverse (points);
}

/* Lets the curve, which passes near the node, pass exactly there. */
static void
pin_middle (const Drawing *self, Stroke *stroke, guint side)
{
  guint node = get_node (self, side);
  UrbPoint place = self->places[node], nearest = get_nearest (stroke->points, place);
  UrbPoint shift = { place.x - nearest.x, place.y - nearest.y };
  double far = get_distance (place, nearest);
  double reach = MAX (get_trace_node (self, node)->radius * 2 + 4 * self->mask->detail_px, 3 * far);

  if (far < 0.05)
    return;
  refine_near (stroke->points, nearest, reach);
  shift_near (stroke->points, nearest, shift, reach);
}

static guint
count_passing (const Drawing *self, guint node)
{
  guint n = 0;

  for (guint i = self->first[node]; i < self->first[node + 1]; i++)
    n += self->partners[self->incident[i]] != NONE;
  return n / 2;
}

/* Crossings first: they bend the strokes that cross.  Then strokes end on those that pass, twice,
 * as a stroke that is bent to its own end may carry the end of another. */
static void
pin_strokes (Drawing *self)
{
  guint n_sides = 2 * self->trace->edges->len, n_nodes = self->trace->nodes->len;

  for (guint node = 0; node < n_nodes; node++)
    if (count_passing (self, node) >= 2)
      place_node (self, node);
  for (guint side = 0; side < n_sides; side++)
    if (self->partners[side] != NONE && side < (guint) self->partners[side]
        && count_passing (self, get_node (self, side)) >= 2)
      pin_middle (self, get_stroke (self, side), side);
  for (int round = 0; round < 2; round++)
    {
      for (guint node = 0; node < n_nodes; node++)
        if (self->first[node + 1] > self->first[node] && count_passing (self, node) < 2)
          place_node (self, node);
      for (guint side = 0; side < n_sides; side++)
        if (self->partners[side] == NONE)
          pin_end (self, get_stroke (self, side), side);
    }
}

/* ------------------------------------------------------------------------ */
/* The graph                                                                 */

/* The place on the curve nearest to a point, from @from on.  @along: (inout): the length to it */
static double
find_along (const GArray *points, double from, double expected, double reach, UrbPoint to)
{
  double at = 0, best = HUGE_VAL, found = MAX (from, expected);

  for (guint i = 0; i + 1 < points->len; i++)
    {
      UrbPoint a = get_point (points, i), b = get_point (points, i + 1);
      double dx = b.x - a.x, dy = b.y - a.y, length = hypot (dx, dy), t, far;

      t = ((to.x - a.x) * dx + (to.y - a.y) * dy) / MAX (length * length, 1e-12);
      t = CLAMP (t, 0, 1);
      far = hypot (a.x + t * dx - to.x, a.y + t * dy - to.y);
      if (far < best && at + t * length >= from && fabs (at + t * length - expected) <= reach)
        {
          best = far;
          found = at + t * length;
        }
      at += length;
    }
  return found;
}

static double
get_length (const GArray *points)
{
  double length = 0;

  for (guint i = 0; i + 1 < points->len; i++)
    length += get_distance (get_point (points, i), get_point (points, i + 1));
  return length;
}

static void
append_point (UrbStreetGraph *graph, const Drawing *self, UrbPoint p, guint first)
{
  p.x = CLAMP (p.x, 0, self->mask->width);
  p.y = CLAMP (p.y, 0, self->mask->height);
  if (graph->points->len > first
      && get_distance (p, get_point (graph->points, graph->points->len - 1)) < 1e-6)
    return;
  g_array_append_val (graph->points, p);
}

/* Appends the curve between two lengths along it, which belong to two nodes. */
static void
append_edge (Drawing *self, const GArray *points, double begin, double end, guint from, guint to,
             double width_m, gboolean is_lane)
{
  UrbStreetGraph *graph = self->graph;
  UrbStreetEdge edge = { from, to, graph->points->len, 0, width_m, is_lane };
  double at = 0;

  append_point (graph, self, self->places[from], edge.first_point);
  for (guint i = 0; i + 1 < points->len; i++)
    {
      if (at > begin + 0.25 && at < end - 0.25)
        append_point (graph, self, get_point (points, i), edge.first_point);
      at += get_distance (get_point (points, i), get_point (points, i + 1));
    }
  append_point (graph, self, self->places[to], edge.first_point);
  edge.n_points = graph->points->len - edge.first_point;
  if (edge.n_points < 2)
    {
      g_array_set_size (graph->points, edge.first_point);
      return;
    }
  g_array_append_val (graph->edges, edge);
}

/* Cuts the curve at its nodes. */
static void
cut_stroke (Drawing *self, const Stroke *stroke)
{
  double total = get_length (stroke->points), measured = 0, before = 0, begin = 0;
  guint n = stroke->sides->len, from = get_node (self, g_array_index (stroke->sides, guint, 0));

  for (guint i = 0; i < n; i++)
    measured += get_profile (self, g_array_index (stroke->sides, guint, i) / 2)->length_px;
  for (guint i = 0; i < n; i++)
    {
      guint side = g_array_index (stroke->sides, guint, i), to = get_node (self, side ^ 1);
      const UrbTraceNode *node = get_trace_node (self, to);
      double width_m = get_width_m (self, side / 2), end = total;
      gboolean same = FALSE;

      before += get_profile (self, side / 2)->length_px;
      if (i + 1 < n)
        {
          end = find_along (stroke->points, begin, total * before / MAX (measured, 1e-9),
                            0.1 * total + 3 * node->radius + 10, self->places[to]);
          same = node->degree == 2 && get_width_m (self, g_array_index (stroke->sides, guint,
                                                                        i + 1) / 2) == width_m;
        }
      if (same)
        continue; /* no reason for a node */
      append_edge (self, stroke->points, begin, end, from, to, width_m,
                   get_edge (self, side)->is_lane);
      begin = end;
      from = to;
    }
}

/* Keeps the nodes that edges use. */
static void
append_nodes (Drawing *self)
{
  UrbStreetGraph *graph = self->graph;
  g_autofree gint32 *index = g_new (gint32, self->trace->nodes->len + 1);

  for (guint i = 0; i < self->trace->nodes->len; i++)
    index[i] = NONE;
  for (guint i = 0; i < graph->edges->len; i++)
    {
      UrbStreetEdge *edge = &g_array_index (graph->edges, UrbStreetEdge, i);
      guint *ends[2] = { &edge->from, &edge->to };

      for (int k = 0; k < 2; k++)
        {
          guint old = *ends[k];
          UrbStreetNode node = { .at = self->places[old] };

          node.at.x = CLAMP (node.at.x, 0, self->mask->width);
          node.at.y = CLAMP (node.at.y, 0, self->mask->height);
          node.on_border = get_trace_node (self, old)->on_border
                           && (node.at.x <= 0 || node.at.y <= 0 || node.at.x >= self->mask->width
                               || node.at.y >= self->mask->height);
          if (index[old] == NONE)
            {
              index[old] = (gint32) graph->nodes->len;
              g_array_append_val (graph->nodes, node);
            }
          *ends[k] = (guint) index[old];
          g_array_index (graph->nodes, UrbStreetNode, *ends[k]).degree++;
        }
    }
}

void
urb_street_graph_draw (UrbStreetGraph *graph, const UrbStreetTrace *trace, const guint8 *skeleton,
                       const UrbStreetMask *mask, const UrbSoftMap *map,
                       const UrbStreetOptions *options)
{
  Drawing self = { .graph = graph, .trace = trace, .mask = mask, .map = map, .options = options };

  self.profiles = g_ptr_array_new_with_free_func ((GDestroyNotify) urb_street_profile_free);
  self.strokes = g_ptr_array_new_with_free_func (stroke_free);
  self.widths = g_new (double, trace->edges->len + 1);
  self.places = g_new0 (UrbPoint, trace->nodes->len + 1);
  for (guint i = 0; i < trace->edges->len; i++)
    {
      UrbStreetProfile *profile = urb_street_profile_new (
        trace, &g_array_index (trace->edges, UrbTraceEdge, i), skeleton, mask, map);

      g_ptr_array_add (self.profiles, profile);
      self.widths[i] = MAX (0.1, profile->width_px);
    }
  self.incident = urb_street_trace_index (trace, &self.first);
  find_strokes (&self);
  for (guint i = 0; i < self.strokes->len; i++)
    {
      level_widths (&self, g_ptr_array_index (self.strokes, i));
      draw_stroke (&self, g_ptr_array_index (self.strokes, i));
    }
  pin_strokes (&self);
  for (guint i = 0; i < self.strokes->len; i++)
    cut_stroke (&self, g_ptr_array_index (self.strokes, i));
  append_nodes (&self);
  g_ptr_array_unref (self.profiles);
  g_ptr_array_unref (self.strokes);
  g_free (self.widths);
  g_free (self.first);
  g_free (self.incident);
  g_free (self.partners);
  g_free (self.stroke_of);
  g_free (self.places);
}
