/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-town-sides.c - the sides of a block, separated by the corners of its
 * outline, and positions along them.
 */
#include "map/sample-town-private.h"

static void
clear_side (gpointer data)
{
  g_array_unref (((TownSide *) data)->points);
}

static TownPoint
outline_point (const GArray *ring, guint i)
{
  return g_array_index (ring, TownPoint, i % ring->len);
}

double
town_corner_turn (const GArray *ring, guint i)
{
  TownPoint a = outline_point (ring, i + ring->len - 1), b = outline_point (ring, i);
  TownPoint c = outline_point (ring, i + 1);
  double ux = b.x - a.x, uy = b.y - a.y, vx = c.x - b.x, vy = c.y - b.y;

  return atan2 (ux * vy - uy * vx, ux * vx + uy * vy);
}

static gboolean
is_corner (const GArray *ring, guint i)
{
  return fabs (town_corner_turn (ring, i)) > 0.6;
}

GArray *
town_find_sides (const GArray *ring)
{
  GArray *sides = g_array_new (FALSE, FALSE, sizeof (TownSide));
  guint first = 0;

  g_array_set_clear_func (sides, clear_side);
  while (first < ring->len && !is_corner (ring, first))
    first++;
  for (guint i = 0; i < ring->len;)
    {
      TownSide side = { town_ring_new (), 0 };

      do
        {
          TownPoint a = outline_point (ring, first + i), b = outline_point (ring, first + i + 1);

          g_array_append_val (side.points, a);
          side.length += hypot (b.x - a.x, b.y - a.y);
          i++;
        }
      while (i < ring->len && !is_corner (ring, (first + i) % ring->len));
      town_ring_append (side.points, outline_point (ring, first + i).x,
                        outline_point (ring, first + i).y);
      g_array_append_val (sides, side);
    }
  return sides;
}

TownPoint
town_side_point (const TownSide *side, double s)
{
  TownPoint a = { 0 }, b = { 0 };
  double length = 0;

  for (guint i = 0; i + 1 < side->points->len; i++)
    {
      a = g_array_index (side->points, TownPoint, i);
      b = g_array_index (side->points, TownPoint, i + 1);
      length = hypot (b.x - a.x, b.y - a.y);
      if (s <= length)
        break;
      s -= length;
    }
  if (length <= 0)
    return a;
  s = MIN (s, length);
  return (TownPoint){ a.x + (b.x - a.x) * s / length, a.y + (b.y - a.y) * s / length };
}

TownPoint
town_side_direction (const TownSide *side, double s, double reach)
{
  TownPoint a = town_side_point (side, MAX (s - reach, 0));
  TownPoint b = town_side_point (side, MIN (s + reach, side->length));
  double length = hypot (b.x - a.x, b.y - a.y);

  if (length < 1e-9)
    return (TownPoint){ 1, 0 };
  return (TownPoint){ (b.x - a.x) / length, (b.y - a.y) / length };
}

TownPoint
town_moved (TownPoint p, TownPoint along, double u, double v)
{
  return (TownPoint){ p.x + u * along.x - v * along.y, p.y + u * along.y + v * along.x };
}

TownPoint
town_turned (TownPoint v, double angle)
{
  return (TownPoint){ v.x * cos (angle) - v.y * sin (angle),
                      v.x * sin (angle) + v.y * cos (angle) };
}
