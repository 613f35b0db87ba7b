/* SPDX-License-Identifier: Apache-2.0 */
/*
 * street-junctions.c - where strokes meet.
 *
 * At most nodes one stroke passes, the main street, which runs straight on, and others end on it.
 * Where strokes cross, both pass the node.  Curves that miss the place of a node are bent to it.
 */
#include <math.h>

#include "city/street-strokes-private.h"

static UrbStreetStroke *
get_stroke (const UrbStreetStrokes *self, guint side)
{
  return g_ptr_array_index (self->strokes, self->stroke_of[side / 2]);
}

static const UrbTraceNode *
get_trace_node (const UrbStreetStrokes *self, guint node)
{
  return &g_array_index (self->trace->nodes, UrbTraceNode, node);
}

/* ------------------------------------------------------------------------ */
/* Places                                                                    */

static UrbPoint
get_nearest (const GArray *curve, UrbPoint to)
{
  UrbPoint best = urb_points_get (curve, 0);

  for (guint i = 0; i + 1 < curve->len; i++)
    {
      UrbPoint p = urb_segment_nearest (urb_points_get (curve, i), urb_points_get (curve, i + 1),
                                        to);

      if (urb_point_distance (p, to) < urb_point_distance (best, to))
        best = p;
    }
  return best;
}

/* Where the segment crosses the curve, nearest to @near.  Returns: %FALSE if it does not */
static gboolean
cross_segment (const GArray *curve, UrbPoint from, UrbPoint to, UrbPoint near, UrbPoint *crossing)
{
  gboolean found = FALSE;

  for (guint i = 0; i + 1 < curve->len; i++)
    {
      UrbPoint a = urb_points_get (curve, i), b = urb_points_get (curve, i + 1), p;
      double det = (b.x - a.x) * (to.y - from.y) - (b.y - a.y) * (to.x - from.x), s, t;

      if (fabs (det) < 1e-9)
        continue;
      s = ((from.x - a.x) * (to.y - from.y) - (from.y - a.y) * (to.x - from.x)) / det;
      t = ((from.x - a.x) * (b.y - a.y) - (from.y - a.y) * (b.x - a.x)) / det;
      if (s < 0 || s > 1 || t < 0 || t > 1)
        continue;
      p = (UrbPoint) { a.x + s * (b.x - a.x), a.y + s * (b.y - a.y) };
      if (!found || urb_point_distance (p, near) < urb_point_distance (*crossing, near))
        *crossing = p;
      found = TRUE;
    }
  return found;
}

/* Whether the curve of the stroke begins at this side of its first edge. */
static gboolean
is_start (const UrbStreetStroke *stroke, guint side)
{
  return side == g_array_index (stroke->sides, guint, 0);
}

/* The end of the curve at a side, and the unit vector from it to the outside. */
static UrbPoint
get_end (const UrbStreetStrokes *self, guint side, UrbPoint *direction)
{
  const UrbStreetStroke *stroke = get_stroke (self, side);
  gboolean start = is_start (stroke, side);
  UrbPoint end = urb_points_get (stroke->curve, start ? 0 : stroke->curve->len - 1);
  UrbPoint inner = urb_points_get (stroke->curve, start ? 1 : stroke->curve->len - 2);
  double length = MAX (urb_point_distance (end, inner), 1e-9);

  *direction = (UrbPoint) { (end.x - inner.x) / length, (end.y - inner.y) / length };
  return end;
}

/* Where the stroke at @side, extended if it ends there, meets the main street of a node.
 * Returns: %FALSE if it does not within @reach of @near */
static gboolean
find_meeting (const UrbStreetStrokes *self, const UrbStreetStroke *main_stroke, guint side,
              UrbPoint near, double reach, UrbPoint *place)
{
  const GArray *curve = get_stroke (self, side)->curve;
  gboolean found = FALSE;

  if (urb_street_strokes_ends_at (self, side))
    {
      UrbPoint direction, end = get_end (self, side, &direction);
      UrbPoint a = { end.x - reach * direction.x, end.y - reach * direction.y };
      UrbPoint b = { end.x + 2 * reach * direction.x, end.y + 2 * reach * direction.y };

      found = cross_segment (main_stroke->curve, a, b, near, place);
    }
  else
    for (guint i = 0; i + 1 < curve->len; i++)
      {
        UrbPoint crossing;

        if (cross_segment (main_stroke->curve, urb_points_get (curve, i),
                           urb_points_get (curve, i + 1), near, &crossing)
            && (!found || urb_point_distance (crossing, near) < urb_point_distance (*place, near)))
          {
            *place = crossing;
            found = TRUE;
          }
      }
  return found && urb_point_distance (*place, near) <= reach;
}

/* The largest stroke that passes the node, or %NULL. */
static const UrbStreetStroke *
get_main_stroke (const UrbStreetStrokes *self, guint node)
{
  const UrbStreetStroke *largest = NULL;

  for (guint i = self->first[node]; i < self->first[node + 1]; i++)
    {
      const UrbStreetStroke *stroke = get_stroke (self, self->incident[i]);

      if (!urb_street_strokes_ends_at (self, self->incident[i])
          && (largest == NULL || stroke->area_px2 > largest->area_px2))
        largest = stroke;
    }
  return largest;
}

/* The place on the main street where the largest of the other strokes meets it; if none does, the
 * one nearest to @near. */
static UrbPoint
meet_main_stroke (const UrbStreetStrokes *self, guint node, const UrbStreetStroke *main_stroke,
                  UrbPoint near, double reach)
{
  const UrbStreetStroke *other = NULL;
  UrbPoint place = get_nearest (main_stroke->curve, near), meeting;

  for (guint i = self->first[node]; i < self->first[node + 1]; i++)
    {
      const UrbStreetStroke *stroke = get_stroke (self, self->incident[i]);

      if (stroke == main_stroke || (other != NULL && stroke->area_px2 <= other->area_px2)
          || !find_meeting (self, main_stroke, self->incident[i], near, reach, &meeting))
        continue;
      place = meeting;
      other = stroke;
    }
  return place;
}

/* The point with the least sum of squared distances to the lines of all streets that end at the
 * node, or @near if that is farther than @reach. */
static UrbPoint
meet_ends (const UrbStreetStrokes *self, guint node, UrbPoint near, double reach)
{
  /* 0.1 pulls to @near where the lines are parallel. */
  double aa = 0.1, ab = 0, bb = 0.1, ac = 0, bc = 0, det;
  UrbPoint place;

  for (guint i = self->first[node]; i < self->first[node + 1]; i++)
    {
      UrbPoint direction, end = get_end (self, self->incident[i], &direction);
      double a = -direction.y, b = direction.x, c = a * (end.x - near.x) + b * (end.y - near.y);

      aa += a * a;
      ab += a * b;
      bb += b * b;
      ac += a * c;
      bc += b * c;
    }
  det = aa * bb - ab * ab;
  place = (UrbPoint) { near.x + (ac * bb - bc * ab) / det, near.y + (bc * aa - ac * ab) / det };
  return urb_point_distance (place, near) <= reach ? place : near;
}

/* Where the line of a street's end meets the tile's border within @reach; if it does not, the point
 * of the border nearest to the end. */
static UrbPoint
meet_border (const UrbStreetMask *mask, UrbPoint end, UrbPoint direction, double reach)
{
  double width = mask->width, height = mask->height, best = HUGE_VAL;
  /* From the end to the left, right, upper and lower border, and how fast the line gets there. */
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
  return urb_street_mask_clamp (mask, place);
}

static UrbPoint
find_place (const UrbStreetStrokes *self, guint node)
{
  const UrbTraceNode *trace_node = get_trace_node (self, node);
  const UrbStreetStroke *main_stroke = get_main_stroke (self, node);
  double reach = 1.3 * trace_node->radius + 1.5 * self->mask->detail_px;
  UrbPoint direction, end;

  if (main_stroke != NULL)
    return meet_main_stroke (self, node, main_stroke, trace_node->at, reach);
  if (trace_node->degree >= 2)
    return meet_ends (self, node, trace_node->at, reach);
  end = get_end (self, self->incident[self->first[node]], &direction);
  if (!trace_node->on_border)
    return end;
  return meet_border (self->mask, end, direction,
                      trace_node->radius + 2 * self->mask->detail_px + 4);
}

/* ------------------------------------------------------------------------ */
/* Curves                                                                    */

/* Shifts the curve near @from by @shift, less and less until @reach. */
static void
shift_near (GArray *curve, UrbPoint from, UrbPoint shift, double reach)
{
  for (guint i = 0; i < curve->len; i++)
    {
      UrbPoint *p = &g_array_index (curve, UrbPoint, i);
      double t = urb_point_distance (*p, from) / reach;
      double weight = t < 1 ? (1 - t * t) * (1 - t * t) : 0;

      p->x += weight * shift.x;
      p->y += weight * shift.y;
    }
}

/* Adds vertices, so that straight parts can be bent. */
static void
refine_near (GArray *curve, UrbPoint near, double reach)
{
  g_autoptr(GArray) fine = g_array_new (FALSE, FALSE, sizeof (UrbPoint));

  for (guint i = 0; i < curve->len; i++)
    {
      UrbPoint a = urb_points_get (curve, i);
      UrbPoint b = urb_points_get (curve, MIN (i + 1, curve->len - 1));
      double length = urb_point_distance (a, b);
      guint n = urb_point_segment_distance (near, a, b) < reach ? (guint) (length / 2) + 1 : 1;

      for (guint k = 0; k < n; k++)
        {
          UrbPoint p = { a.x + (b.x - a.x) * k / n, a.y + (b.y - a.y) * k / n };

          if (k == 0 || urb_point_distance (p, near) < reach)
            g_array_append_val (fine, p);
        }
    }
  g_array_set_size (curve, 0);
  g_array_append_vals (curve, fine->data, fine->len);
}

static void
reverse (GArray *curve)
{
  for (guint i = 0, k = curve->len - 1; i < k; i++, k--)
    {
      UrbPoint swap = urb_points_get (curve, i);

      g_array_index (curve, UrbPoint, i) = urb_points_get (curve, k);
      g_array_index (curve, UrbPoint, k) = swap;
    }
}

/* Removes the last part of the curve: what is within @reach of @place, or beyond it. */
static void
cut_end (GArray *curve, UrbPoint place, double reach)
{
  while (curve->len > 1)
    {
      UrbPoint last = urb_points_get (curve, curve->len - 1);
      UrbPoint before = urb_points_get (curve, curve->len - 2);
      double dx = last.x - before.x, dy = last.y - before.y, length = hypot (dx, dy);
      double beyond = (last.x - place.x) * dx + (last.y - place.y) * dy;
      double far = urb_point_distance (last, place);

      if (far >= reach && (beyond < 0 || far > 3 * reach + 20))
        return;
      g_array_set_size (curve, curve->len - 1);
      /* A segment that comes from farther away is only shortened. */
      if (length > 1 && urb_point_distance (before, place) > reach)
        {
          double t = MIN (length, MAX (0, length - (reach + beyond / MAX (length, 1e-9))));
          UrbPoint p = { before.x + t / length * dx, before.y + t / length * dy };

          if (t > 0.5)
            g_array_append_val (curve, p);
          return;
        }
    }
}

/* Lets the curve, which ends near the node, end exactly there. */
static void
pin_end (const UrbStreetStrokes *self, guint side, UrbPoint place)
{
  UrbStreetStroke *stroke = get_stroke (self, side);
  UrbPoint direction, end = get_end (self, side, &direction);
  double aside = fabs (direction.x * (place.y - end.y) - direction.y * (place.x - end.x));
  double radius = get_trace_node (self, urb_street_strokes_get_node (self, side))->radius;

  if (is_start (stroke, side))
    reverse (stroke->curve);
  cut_end (stroke->curve, place, aside > 0.05 ? MAX (radius, 3 * aside) : 0);
  g_array_append_val (stroke->curve, place);
  if (is_start (stroke, side))
    reverse (stroke->curve);
}

/* Lets the curve, which passes near the node, pass exactly there. */
static void
pin_middle (const UrbStreetStrokes *self, guint side, UrbPoint place)
{
  GArray *curve = get_stroke (self, side)->curve;
  UrbPoint nearest = get_nearest (curve, place);
  double far = urb_point_distance (place, nearest);
  double radius = get_trace_node (self, urb_street_strokes_get_node (self, side))->radius;
  double reach = MAX (radius * 2 + 4 * self->mask->detail_px, 3 * far);

  if (far < 0.05)
    return;
  refine_near (curve, nearest, reach);
  shift_near (curve, nearest, (UrbPoint) { place.x - nearest.x, place.y - nearest.y }, reach);
}

/* ------------------------------------------------------------------------ */

/* Whether strokes cross at a node: two or more pass it. */
static gboolean
is_crossing (const UrbStreetStrokes *self, guint node)
{
  guint n = 0;

  for (guint i = self->first[node]; i < self->first[node + 1]; i++)
    n += !urb_street_strokes_ends_at (self, self->incident[i]);
  return n >= 4; /* two sides each */
}

UrbPoint *
urb_street_junctions_place (UrbStreetStrokes *strokes)
{
  guint n_sides = 2 * strokes->trace->edges->len, n_nodes = strokes->trace->nodes->len;
  UrbPoint *places = g_new0 (UrbPoint, n_nodes);

  /* Crossings first: they bend the strokes that cross. */
  for (guint node = 0; node < n_nodes; node++)
    if (is_crossing (strokes, node))
      places[node] = find_place (strokes, node);
  for (guint side = 0; side < n_sides; side++)
    {
      guint node = urb_street_strokes_get_node (strokes, side);

      /* The lower of the two sides, so that each stroke is bent once. */
      if (!urb_street_strokes_ends_at (strokes, side) && side < strokes->partners[side]
          && is_crossing (strokes, node))
        pin_middle (strokes, side, places[node]);
    }
  /* Then strokes end on those that pass, twice: the end of one stroke may lie on another whose own
   * end moves. */
  for (int pass = 0; pass < 2; pass++)
    {
      for (guint node = 0; node < n_nodes; node++)
        if (strokes->first[node + 1] > strokes->first[node] && !is_crossing (strokes, node))
          places[node] = find_place (strokes, node);
      for (guint side = 0; side < n_sides; side++)
        if (urb_street_strokes_ends_at (strokes, side))
          pin_end (strokes, side, places[urb_street_strokes_get_node (strokes, side)]);
    }
  return places;
}
