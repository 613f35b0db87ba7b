/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-town-shapes.c - footprints: plain, L, T, U, stepped, crossed.
 *
 * Each is drawn in its own frame, u along the front and v into the lot, and then
 * transformed, which preserves the counter-clockwise order.
 */
#include "map/sample-town-private.h"

/* Adds the point @u along the front and @v into the lot. */
static void
add_point (GArray *ring, TownPoint at, TownPoint along, double u, double v)
{
  TownPoint p = town_moved (at, along, u, v);

  g_array_append_val (ring, p);
}

static GArray *
shape_new (TownPoint at, TownPoint along, const TownPoint *uv, guint n)
{
  GArray *ring = town_ring_new ();

  for (guint i = 0; i < n; i++)
    add_point (ring, at, along, uv[i].x, uv[i].y);
  return ring;
}

/* From its points { u, v }, … */
#define SHAPE(at, along, ...)                                                                      \
  shape_new (at, along, (const TownPoint[]){ __VA_ARGS__ },                                        \
             G_N_ELEMENTS (((const TownPoint[]){ __VA_ARGS__ })))

GArray *
town_shape_rectangle (TownPoint at, TownPoint along, double w, double d)
{
  return SHAPE (at, along, { -w / 2, 0 }, { w / 2, 0 }, { w / 2, d }, { -w / 2, d });
}

/* With a wing of width @wing at the back; @side: 1 (right) or -1. */
static GArray *
shape_l (TownPoint at, TownPoint along, double w, double d, double front, double wing, double side)
{
  if (side > 0)
    return SHAPE (at, along, { -w / 2, 0 }, { w / 2, 0 }, { w / 2, d }, { w / 2 - wing, d },
                  { w / 2 - wing, front }, { -w / 2, front });
  return SHAPE (at, along, { -w / 2, 0 }, { w / 2, 0 }, { w / 2, front }, { -w / 2 + wing, front },
                { -w / 2 + wing, d }, { -w / 2, d });
}

static GArray *
shape_t (TownPoint at, TownPoint along, double w, double d, double front, double from, double to)
{
  return SHAPE (at, along, { -w / 2, 0 }, { w / 2, 0 }, { w / 2, front }, { to, front }, { to, d },
                { from, d }, { from, front }, { -w / 2, front });
}

GArray *
town_shape_u (TownPoint at, TownPoint along, double w, double d, double wing)
{
  return SHAPE (at, along, { -w / 2, 0 }, { w / 2, 0 }, { w / 2, d }, { w / 2 - wing, d },
                { w / 2 - wing, wing }, { -w / 2 + wing, wing }, { -w / 2 + wing, d },
                { -w / 2, d });
}

GArray *
town_shape_house (TownPoint at, TownPoint along, double w, double d, TownRandom *random)
{
  double draw = town_uniform (random, 0, 1), front = d * town_uniform (random, 0.55, 0.75);
  double side = town_chance (random, 0.5) ? 1 : -1;

  if (draw < 0.5)
    return town_shape_rectangle (at, along, w, d);
  if (draw < 0.8)
    return shape_l (at, along, w, d, front, w * town_uniform (random, 0.4, 0.6), side);
  return shape_t (at, along, w, d, front, -w * town_uniform (random, 0.15, 0.3),
                  w * town_uniform (random, 0.1, 0.3));
}

/* Units side by side, some of them stepping back or forth. */
GArray *
town_shape_row (TownPoint at, TownPoint along, double unit_w, double d, int n_units, double stagger,
                TownRandom *random)
{
  GArray *ring = town_ring_new ();
  g_autofree double *front = g_new0 (double, n_units);
  double start = -unit_w * n_units / 2;

  for (int i = 1; i < n_units; i++)
    front[i] = front[i - 1] + (town_chance (random, 0.4) ? stagger : 0);
  if (town_chance (random, 0.5)) /* alternating rather than in one direction */
    for (int i = 0; i < n_units; i++)
      front[i] = i % 2 * stagger;
  for (int i = 0; i < n_units; i++)
    {
      add_point (ring, at, along, start + i * unit_w, front[i]);
      if (i + 1 == n_units || front[i + 1] != front[i])
        add_point (ring, at, along, start + (i + 1) * unit_w, front[i]);
    }
  for (int i = n_units - 1; i >= 0; i--)
    {
      if (i + 1 == n_units || front[i + 1] != front[i])
        add_point (ring, at, along, start + (i + 1) * unit_w, front[i] + d);
      if (i == 0 || front[i - 1] != front[i])
        add_point (ring, at, along, start + i * unit_w, front[i] + d);
    }
  return ring;
}

/* Flats: a long block, sometimes in two or three offset parts, sometimes angled. */
GArray *
town_shape_slab (TownPoint at, TownPoint along, double w, double d, TownRandom *random)
{
  double draw = town_uniform (random, 0, 1);
  int n_parts = 2 + (w > 45 && town_chance (random, 0.5));

  if (draw < 0.5)
    return town_shape_rectangle (at, along, w, d);
  if (draw < 0.8)
    return town_shape_row (at, along, w / n_parts, d, n_parts, 0.3 * d, random);
  return shape_l (at, along, w, MIN (1.9 * d, 0.8 * w), d, d, town_chance (random, 0.5) ? 1 : -1);
}

GArray *
town_shape_hall (TownPoint at, TownPoint along, double w, double d, TownRandom *random)
{
  double draw = town_uniform (random, 0, 1), side = town_chance (random, 0.5) ? 1 : -1;

  if (draw < 0.5)
    return town_shape_rectangle (at, along, w, d);
  if (draw < 0.8)
    return shape_l (at, along, w, d, d * town_uniform (random, 0.45, 0.8),
                    w * town_uniform (random, 0.25, 0.65), side);
  if (draw < 0.9 && w > 45 && d > 40)
    return town_shape_u (at, along, w, d, 0.3 * MIN (w, d));
  return shape_t (at, along, w, d, d * town_uniform (random, 0.6, 0.85),
                  -w * town_uniform (random, 0.1, 0.4), w * town_uniform (random, 0.1, 0.4));
}

/* Nave, transept, and a choir of three sides; @along points to the choir. */
GArray *
town_shape_church (TownPoint at, TownPoint along, double length)
{
  double nave = 0.15 * length, transept = 0.26 * length, choir = 0.1 * length;
  double west = -0.5 * length, crossing = 0.1 * length, east = 0.3 * length, apse = 0.42 * length;

  return SHAPE (at, along, { west, -nave }, { crossing, -nave }, { crossing, -transept },
                { east, -transept }, { east, -choir }, { apse, -choir },
                { 0.5 * length, -0.4 * choir }, { 0.5 * length, 0.4 * choir }, { apse, choir },
                { east, choir }, { east, transept }, { crossing, transept }, { crossing, nave },
                { west, nave });
}

GArray *
town_shape_pond (TownPoint center, double radius, TownRandom *random)
{
  GArray *ring = town_ring_new ();
  double phase = town_uniform (random, 0, 6), lobes = town_uniform (random, 0.1, 0.3);

  for (int i = 0; i < 24; i++)
    {
      double angle = 2 * G_PI * i / 24;
      double r = radius * (1 + lobes * sin (2 * angle + phase) + 0.1 * sin (3 * angle + 2 * phase));

      town_ring_append (ring, center.x + r * cos (angle), center.y + 0.75 * r * sin (angle));
    }
  return ring;
}
