/* SPDX-License-Identifier: Apache-2.0 */
/*
 * street-strokes.c - which edges of a trace are one street, and its curve and widths.
 *
 * At each node, the edges that continue each other straightest are paired, and a chain of pairs is
 * a stroke.  It is drawn as one curve, so that a street does not bend where others meet it.
 */
#include <math.h>

#include "city/street-strokes-private.h"

static void
stroke_free (gpointer data)
{
  UrbStreetStroke *self = data;

  g_array_unref (self->sides);
  g_clear_pointer (&self->curve, g_array_unref);
  g_free (self);
}

static const UrbTraceNode *
get_trace_node (const UrbStreetStrokes *self, guint side)
{
  return &g_array_index (self->trace->nodes, UrbTraceNode,
                         urb_street_strokes_get_node (self, side));
}

/* The center of the section @i steps from a side, or of the last one. */
static UrbPoint
get_center (const UrbStreetStrokes *self, guint side, guint i)
{
  const GArray *sections = urb_street_strokes_get_profile (self, side)->sections;

  i = MIN (i, sections->len - 1);
  return g_array_index (sections, UrbStreetSection,
                        side % 2 == 0 ? i : sections->len - 1 - i).center;
}

/* The direction in which an edge leaves its node, as an angle. */
static double
get_angle (const UrbStreetStrokes *self, guint side)
{
  const GArray *sections = urb_street_strokes_get_profile (self, side)->sections;
  const UrbTraceNode *node = get_trace_node (self, side);
  guint reach = (guint) (MAX (3 * self->mask->detail_px, 2 * node->radius) + 4);
  UrbPoint a = get_center (self, side, 0), b = get_center (self, side, reach);

  if (sections->len < 3 + (guint) self->mask->detail_px)
    a = node->at;
  return atan2 (b.y - a.y, b.x - a.x);
}

/* ------------------------------------------------------------------------ */
/* Which edges continue each other                                           */

/* How badly two sides continue each other: the bend in radians, and different widths. */
static double
get_bend (const UrbStreetStrokes *self, guint a, guint b)
{
  double turn = fabs (get_angle (self, a) - get_angle (self, b));
  double wide = self->widths_px[a / 2] / self->widths_px[b / 2];

  turn = fabs (G_PI - (turn > G_PI ? 2 * G_PI - turn : turn));
  return turn > 0.75 ? HUGE_VAL : turn + 0.15 * fabs (log (wide));
}

/* The two sides at a node, both without a partner, that continue each other best.
 * Returns: %FALSE if there are no two that may */
static gboolean
find_pair (const UrbStreetStrokes *self, guint node, guint *a, guint *b)
{
  double least = HUGE_VAL;

  for (guint i = self->first[node]; i < self->first[node + 1]; i++)
    for (guint k = i + 1; k < self->first[node + 1]; k++)
      {
        guint one = self->incident[i], other = self->incident[k];
        double bend;

        if (one / 2 == other / 2 || !urb_street_strokes_ends_at (self, one)
            || !urb_street_strokes_ends_at (self, other))
          continue;
        bend = get_bend (self, one, other);
        if (bend < least)
          {
            least = bend;
            *a = one;
            *b = other;
          }
      }
  return least < HUGE_VAL;
}

/* Two edges that nothing else meets continue each other, however they bend. */
static void
pair_sides (UrbStreetStrokes *self, guint node)
{
  const guint *incident = &self->incident[self->first[node]];
  guint n = self->first[node + 1] - self->first[node], a = 0, b = 0;

  if (n == 2 && incident[0] / 2 != incident[1] / 2)
    {
      self->partners[incident[0]] = incident[1];
      self->partners[incident[1]] = incident[0];
      return;
    }
  while (find_pair (self, node, &a, &b))
    {
      self->partners[a] = b;
      self->partners[b] = a;
    }
}

/* Adds the stroke that enters its first edge at @side. */
static void
follow_stroke (UrbStreetStrokes *self, guint side)
{
  UrbStreetStroke *stroke = g_new0 (UrbStreetStroke, 1);

  stroke->sides = g_array_new (FALSE, FALSE, sizeof (guint));
  do
    {
      g_array_append_val (stroke->sides, side);
      self->stroke_of[side / 2] = self->strokes->len;
      stroke->area_px2 += self->widths_px[side / 2]
                          * urb_street_strokes_get_profile (self, side)->length_px;
      side = self->partners[side ^ 1];
    }
  while (side != G_MAXUINT && self->stroke_of[side / 2] == G_MAXUINT);
  g_ptr_array_add (self->strokes, stroke);
}

static void
find_strokes (UrbStreetStrokes *self)
{
  guint n_edges = self->trace->edges->len;

  for (guint side = 0; side < 2 * n_edges; side++)
    self->partners[side] = self->stroke_of[side / 2] = G_MAXUINT;
  for (guint node = 0; node < self->trace->nodes->len; node++)
    pair_sides (self, node);
  for (guint side = 0; side < 2 * n_edges; side++)
    if (urb_street_strokes_ends_at (self, side) && self->stroke_of[side / 2] == G_MAXUINT)
      follow_stroke (self, side);
  /* What remains are closed streets, which may begin anywhere. */
  for (guint side = 0; side < 2 * n_edges; side += 2)
    if (self->stroke_of[side / 2] == G_MAXUINT)
      follow_stroke (self, side);
}

/* ------------------------------------------------------------------------ */
/* Widths                                                                    */

/* Neighbors along a stroke that have the same width. */
typedef struct
{
  double width_px, weight;
  guint  end; /* the index after the last one */
} Group;

/* The group of which the width is the most similar to that of the next group.
 * Returns: @n if no two widths may be the same */
static guint
find_similar (const Group *groups, guint n, double pixel_m, double same_width)
{
  double least = 1;
  guint similar = n;

  for (guint i = 0; groups[i].end < n; i = groups[i].end)
    {
      const Group *a = &groups[i], *b = &groups[a->end];
      double same = 1.2 / pixel_m + same_width * MIN (a->width_px, b->width_px)
                    + 12 / MIN (a->weight, b->weight);
      double part = fabs (a->width_px - b->width_px) / same;

      if (part < least)
        {
          least = part;
          similar = i;
        }
    }
  return similar;
}

/* Unites neighbors along the stroke, the most similar first, while their widths may be the same. */
static void
level_widths (UrbStreetStrokes *self, const UrbStreetStroke *stroke, double same_width)
{
  guint n = stroke->sides->len, similar;
  g_autofree Group *groups = g_new (Group, n); /* at the index of its first edge */

  for (guint i = 0; i < n; i++)
    {
      guint side = g_array_index (stroke->sides, guint, i);
      double weight = urb_street_strokes_get_edge (self, side)->is_lane
                        ? 0.1 : 0.5 + urb_street_strokes_get_profile (self, side)->n_widths;

      groups[i] = (Group) { self->widths_px[side / 2], weight, i + 1 };
    }
  while ((similar = find_similar (groups, n, self->pixel_m, same_width)) < n)
    {
      Group *a = &groups[similar], *b = &groups[a->end];

      a->width_px = (a->width_px * a->weight + b->width_px * b->weight) / (a->weight + b->weight);
      a->weight += b->weight;
      a->end = b->end;
    }
  for (guint i = 0; i < n; i = groups[i].end)
    for (guint k = i; k < groups[i].end; k++)
      self->widths_px[g_array_index (stroke->sides, guint, k) / 2] = groups[i].width_px;
}

/* ------------------------------------------------------------------------ */
/* Curves                                                                    */

/* The point where the street from @from in the direction of @angle ends: at the edge of the
 * paved ground, or of the tile. */
static UrbPoint
extend (const UrbStreetMask *mask, UrbPoint from, double angle, const UrbTraceNode *node)
{
  double dx = cos (angle), dy = sin (angle), far = urb_point_distance (from, node->at);
  double limit = far + 2 * node->radius + 2, t = 0;

  for (; t < limit; t += 0.25)
    {
      double x = from.x + t * dx, y = from.y + t * dy;

      if (x < 0 || y < 0 || x > mask->width || y > mask->height)
        break;
      if (!node->on_border
          && t > far - node->radius
          && !mask->inside[(gint64) MIN ((int) y, mask->height - 1) * mask->width
                           + MIN ((int) x, mask->width - 1)])
        break;
    }
  if (node->on_border && t >= limit)
    return node->at;
  return urb_street_mask_clamp (mask, (UrbPoint) { from.x + t * dx, from.y + t * dy });
}

static void
append_end (const UrbStreetStrokes *self, guint side, GArray *points)
{
  const UrbTraceNode *node = get_trace_node (self, side);
  UrbPoint end;

  if (node->degree != 1)
    return;
  end = extend (self->mask, get_center (self, side, 0), get_angle (self, side) + G_PI, node);
  g_array_append_val (points, end);
}

static void
draw_curve (const UrbStreetStrokes *self, UrbStreetStroke *stroke,
            const UrbStreetOptions *options)
{
  g_autoptr(GArray) points = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  guint start = g_array_index (stroke->sides, guint, 0);
  guint end = g_array_index (stroke->sides, guint, stroke->sides->len - 1) ^ 1;

  append_end (self, start, points);
  for (guint i = 0; i < stroke->sides->len; i++)
    {
      guint side = g_array_index (stroke->sides, guint, i);

      for (guint k = 0; k < urb_street_strokes_get_profile (self, side)->sections->len; k++)
        {
          UrbPoint center = get_center (self, side, k);

          g_array_append_val (points, center);
        }
    }
  append_end (self, end, points);
  if (points->len < 2)
    {
      g_array_set_size (points, 0);
      g_array_append_val (points, get_trace_node (self, start)->at);
      g_array_append_val (points, get_trace_node (self, end)->at);
    }
  stroke->curve = urb_street_curve (&g_array_index (points, UrbPoint, 0), points->len,
                                    options->aside_m / self->pixel_m,
                                    options->wave_m / self->pixel_m);
}

/* ------------------------------------------------------------------------ */

UrbStreetStrokes *
urb_street_strokes_new (const UrbStreetTrace *trace, const guint8 *skeleton,
                        const UrbStreetMask *mask, const UrbSoftMap *map,
                        const UrbStreetOptions *options)
{
  UrbStreetStrokes *self = g_new0 (UrbStreetStrokes, 1);
  guint n_edges = trace->edges->len;

  self->trace = trace;
  self->mask = mask;
  self->pixel_m = map->pixel_m;
  self->profiles = g_ptr_array_new_with_free_func ((GDestroyNotify) urb_street_profile_free);
  self->strokes = g_ptr_array_new_with_free_func (stroke_free);
  self->widths_px = g_new (double, n_edges);
  self->partners = g_new (guint, 2 * n_edges);
  self->stroke_of = g_new (guint, n_edges);
  self->incident = urb_street_trace_index (trace, &self->first);
  for (guint i = 0; i < n_edges; i++)
    {
      UrbStreetProfile *profile = urb_street_profile_new (
        trace, &g_array_index (trace->edges, UrbTraceEdge, i), skeleton, mask, map);

      g_ptr_array_add (self->profiles, profile);
      self->widths_px[i] = MAX (0.1, profile->width_px);
    }
  find_strokes (self);
  for (guint i = 0; i < self->strokes->len; i++)
    {
      level_widths (self, g_ptr_array_index (self->strokes, i), options->same_width);
      draw_curve (self, g_ptr_array_index (self->strokes, i), options);
    }
  return self;
}

void
urb_street_strokes_free (UrbStreetStrokes *self)
{
  g_ptr_array_unref (self->profiles);
  g_ptr_array_unref (self->strokes);
  g_free (self->widths_px);
  g_free (self->first);
  g_free (self->incident);
  g_free (self->partners);
  g_free (self->stroke_of);
  g_free (self);
}
