/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-town-shapes.c - footprints: plain, L, T, U, stepped, crossed.
 *
 * Each is drawn in its own frame, u along the front and v into the lot, and then
 * transformed, which preserves the counter-clockwise order.
 */
#include "map/sample-town-private.h"

typedef struct
{
  GArray   *ring;
  TownPoint at, along;
} Pen;

static Pen
pen_new (TownPoint at, TownPoint along)
{
  return (Pen){ town_ring_new (), at, along };
}

static void
pen_to (Pen *self, double u, double v)
{
  town_ring_append (self->ring, self->at.x + u * self->along.x - v * self->along.y,
                    self->at.y + u * self->along.y + v * self->along.x);
}

GArray *
town_shape_rectangle (TownPoint at, TownPoint along, double w, double d)
{
  Pen pen = pen_new (at, along);

  pen_to (&pen, -w / 2, 0);
  pen_to (&pen, w / 2, 0);
  pen_to (&pen, w / 2, d);
  pen_to (&pen, -w / 2, d);
  return pen.ring;
}

/* With a wing of width @wing at the back; @side: 1 (right) or -1. */
static GArray *
shape_l (TownPoint at, TownPoint along, double w, double d, double front, double wing, double side)
{
  Pen pen = pen_new (at, along);

  pen_to (&pen, -w / 2, 0);
  pen_to (&pen, w / 2, 0);
  if (side > 0)
    {
      pen_to (&pen, w / 2, d);
      pen_to (&pen, w / 2 - wing, d);
      pen_to (&pen, w / 2 - wing, front);
      pen_to (&pen, -w / 2, front);
    }
  else
    {
      pen_to (&pen, w / 2, front);
      pen_to (&pen, -w / 2 + wing, front);
      pen_to (&pen, -w / 2 + wing, d);
      pen_to (&pen, -w / 2, d);
    }
  return pen.ring;
}

static GArray *
shape_t (TownPoint at, TownPoint along, double w, double d, double front, double from, double to)
{
  Pen pen = pen_new (at, along);

  pen_to (&pen, -w / 2, 0);
  pen_to (&pen, w / 2, 0);
  pen_to (&pen, w / 2, front);
  pen_to (&pen, to, front);
  pen_to (&pen, to, d);
  pen_to (&pen, from, d);
  pen_to (&pen, from, front);
  pen_to (&pen, -w / 2, front);
  return pen.ring;
}

GArray *
town_shape_u (TownPoint at, TownPoint along, double w, double d, double wing)
{
  Pen pen = pen_new (at, along);

  pen_to (&pen, -w / 2, 0);
  pen_to (&pen, w / 2, 0);
  pen_to (&pen, w / 2, d);
  pen_to (&pen, w / 2 - wing, d);
  pen_to (&pen, w / 2 - wing, wing);
  pen_to (&pen, -w / 2 + wing, wing);
  pen_to (&pen, -w / 2 + wing, d);
  pen_to (&pen, -w / 2, d);
  return pen.ring;
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
  Pen pen = pen_new (at, along);
  g_autofree double *front = g_new0 (double, n_units);
  double start = -unit_w * n_units / 2;

  for (int i = 1; i < n_units; i++)
    front[i] = front[i - 1] + (town_chance (random, 0.4) ? stagger : 0);
  if (town_chance (random, 0.5)) /* alternating rather than in one direction */
    for (int i = 0; i < n_units; i++)
      front[i] = i % 2 * stagger;
  for (int i = 0; i < n_units; i++)
    {
      pen_to (&pen, start + i * unit_w, front[i]);
      if (i + 1 == n_units || front[i + 1] != front[i])
        pen_to (&pen, start + (i + 1) * unit_w, front[i]);
    }
  for (int i = n_units - 1; i >= 0; i--)
    {
      if (i + 1 == n_units || front[i + 1] != front[i])
        pen_to (&pen, start + (i + 1) * unit_w, front[i] + d);
      if (i == 0 || front[i - 1] != front[i])
        pen_to (&pen, start + i * unit_w, front[i] + d);
    }
  return pen.ring;
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
  Pen pen = pen_new (at, along);
  double nave = 0.15 * length, transept = 0.26 * length, choir = 0.1 * length;

  pen_to (&pen, -0.5 * length, -nave);
  pen_to (&pen, 0.1 * length, -nave);
  pen_to (&pen, 0.1 * length, -transept);
  pen_to (&pen, 0.3 * length, -transept);
  pen_to (&pen, 0.3 * length, -choir);
  pen_to (&pen, 0.42 * length, -choir);
  pen_to (&pen, 0.5 * length, -0.4 * choir);
  pen_to (&pen, 0.5 * length, 0.4 * choir);
  pen_to (&pen, 0.42 * length, choir);
  pen_to (&pen, 0.3 * length, choir);
  pen_to (&pen, 0.3 * length, transept);
  pen_to (&pen, 0.1 * length, transept);
  pen_to (&pen, 0.1 * length, nave);
  pen_to (&pen, -0.5 * length, nave);
  return pen.ring;
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
