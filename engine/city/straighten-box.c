/* SPDX-License-Identifier: Apache-2.0 */
/*
 * straighten-box.c - enclosing rectangles of rings, for directions and for small buildings.
 */
#include <math.h>

#include "city/straighten-private.h"

/* The index of the midpoint nearest to @point. */
static guint
find_nearest (const GArray *midpoints, UrbPoint point)
{
  guint best = 0;
  double least = G_MAXDOUBLE;

  for (guint i = 0; i < midpoints->len; i++)
    {
      UrbPoint p = g_array_index (midpoints, UrbPoint, i);
      double distance = hypot (p.x - point.x, p.y - point.y);

      if (distance < least)
        {
          least = distance;
          best = i;
        }
    }
  return best;
}

/* Extents of the ring along (c, s) and across it, and the center of the box. */
static void
measure_box (const GArray *midpoints, double c, double s, double *along, double *across,
             UrbPoint *center)
{
  double min_u = G_MAXDOUBLE, max_u = -G_MAXDOUBLE, min_v = G_MAXDOUBLE, max_v = -G_MAXDOUBLE;
  double u, v;

  for (guint i = 0; i < midpoints->len; i++)
    {
      UrbPoint p = g_array_index (midpoints, UrbPoint, i);

      u = c * p.x + s * p.y;
      v = -s * p.x + c * p.y;
      min_u = MIN (min_u, u);
      max_u = MAX (max_u, u);
      min_v = MIN (min_v, v);
      max_v = MAX (max_v, v);
    }
  *along = max_u - min_u;
  *across = max_v - min_v;
  u = (min_u + max_u) / 2;
  v = (min_v + max_v) / 2;
  *center = (UrbPoint) { c * u - s * v, s * u + c * v };
}

gboolean
urb_straighten_rectangle (const GArray *midpoints, double n_pixels, double angle, GArray *walls)
{
  static const int sign_u[] = { 1, 1, -1, -1 }, sign_v[] = { 1, -1, -1, 1 };
  double c = cos (angle), s = sin (angle), along, across, scale;
  UrbPoint center;
  guint before = 0, turns = 0;

  g_array_set_size (walls, 0);
  measure_box (midpoints, c, s, &along, &across, &center);
  if (along <= 0 || across <= 0)
    return FALSE;
  scale = sqrt (n_pixels / (along * across));
  for (int i = 0; i < 4; i++)
    {
      double u = sign_u[i] * along * scale / 2, v = sign_v[i] * across * scale / 2;
      UrbWall wall = { .corner = { center.x + c * u - s * v, center.y + s * u + c * v } };

      g_array_append_val (walls, wall);
    }
  /* Wall i begins where the ring is nearest to corner i - 1. */
  for (guint i = 0; i < 4; i++)
    g_array_index (walls, UrbWall, i).first
      = find_nearest (midpoints, g_array_index (walls, UrbWall, (i + 3) % 4).corner);
  /* The ring must pass the corners in this order, once around. */
  for (guint i = 0; i <= 4; i++)
    {
      guint first = g_array_index (walls, UrbWall, i % 4).first;

      if (i > 0 && first <= before)
        turns++;
      before = first;
    }
  return turns == 1;
}

double
urb_straighten_find_box (const GArray *midpoints, double *angle)
{
  double least = G_MAXDOUBLE;

  *angle = 0;
  for (int degree = 0; degree < 90; degree++)
    {
      double candidate = degree * G_PI / 180, along, across;
      UrbPoint center;

      measure_box (midpoints, cos (candidate), sin (candidate), &along, &across, &center);
      if (along * across < least)
        {
          least = along * across;
          *angle = candidate;
        }
    }
  return least;
}
