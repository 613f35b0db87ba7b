/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-fixture.c - small synthetic maps for several tests.
 */
#include "map-fixture.h"

#include "made-up-map.h"

#include <math.h>

typedef struct
{
  GArray *xy;    /* of double */
  GArray *rings; /* of guint32 */
  GArray *rings_per_polygon; /* of guint32 */
  GArray *classes; /* of guint8 */
} Builder;

static Builder
builder_new (void)
{
  Builder b = {
    g_array_new (FALSE, FALSE, sizeof (double)),
    g_array_new (FALSE, FALSE, sizeof (guint32)),
    g_array_new (FALSE, FALSE, sizeof (guint32)),
    g_array_new (FALSE, FALSE, sizeof (guint8)),
  };

  return b;
}

static UrbMap *
builder_end (Builder *b)
{
  UrbMap *map = made_up_map_new (
    (const double *) (void *) b->xy->data, (const guint32 *) (void *) b->rings->data,
    (const guint32 *) (void *) b->rings_per_polygon->data, (const guint8 *) b->classes->data,
    b->classes->len, 2056);

  g_array_unref (b->xy);
  g_array_unref (b->rings);
  g_array_unref (b->rings_per_polygon);
  g_array_unref (b->classes);
  return map;
}

static void
add_polygon (Builder *b, UrbClass class_, guint32 n_rings)
{
  guint8 value = class_;

  g_array_append_val (b->classes, value);
  g_array_append_val (b->rings_per_polygon, n_rings);
}

static void
add_star (Builder *b, GRand *rand, double x, double y, double radius)
{
  guint32 n = g_rand_int_range (rand, 3, 24);

  for (guint32 i = 0; i < n; i++)
    {
      double r = radius * g_rand_double_range (rand, 0.4, 1.0), t = 2 * G_PI * i / n;
      double point[2] = { x + r * cos (t), y + r * sin (t) };

      g_array_append_vals (b->xy, point, 2);
    }
  g_array_append_val (b->rings, n);
}

UrbMap *
map_fixture_random (guint32 seed, int n, double x, double y, double size_m)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  Builder b = builder_new ();

  for (int i = 0; i < n; i++)
    {
      double cx = x + size_m * g_rand_double (rand), cy = y + size_m * g_rand_double (rand);
      double radius = g_rand_double_range (rand, 5, 80);

      add_polygon (&b, i % URB_N_CLASSES, i % 3 == 0 ? 2 : 1);
      add_star (&b, rand, cx, cy, radius);
      if (i % 3 == 0)
        add_star (&b, rand, cx, cy, 0.3 * radius);
    }
  return builder_end (&b);
}

static void
add_box (Builder *b, UrbClass class_, double x0, double y0, double x1, double y1)
{
  const double xy[] = { x0, y0, x1, y0, x1, y1, x0, y1 };
  const guint32 n = 4;

  add_polygon (b, class_, 1);
  g_array_append_vals (b->xy, xy, 8);
  g_array_append_val (b->rings, n);
}

static void
add_town (Builder *b, double x, double y, double width_m, double height_m)
{
  const double pitch = 60, road = 8;

  add_box (b, URB_CLASS_OTHER, x, y, x + width_m, y + height_m);
  for (double u = 0; u + road <= width_m * 2 / 3; u += pitch)
    add_box (b, URB_CLASS_ROAD, x + u, y, x + u + road, y + height_m);
  for (double v = 0; v + road <= height_m; v += pitch)
    add_box (b, URB_CLASS_ROAD, x, y + v, x + width_m * 2 / 3, y + v + road);
  for (double u = 0; u + pitch <= width_m * 2 / 3; u += pitch)
    for (double v = 0; v + pitch <= height_m; v += pitch)
      add_box (b, URB_CLASS_BUILDING, x + u + 16, y + v + 16, x + u + 40 + fmod (u, 14),
               y + v + 44);
}

UrbMap *
map_fixture_town (double x, double y, double width_m, double height_m)
{
  Builder b = builder_new ();

  add_town (&b, x, y, width_m, height_m);
  return builder_end (&b);
}

UrbMap *
map_fixture_town_and_house (double size_m, double distance_m)
{
  Builder b = builder_new ();

  add_town (&b, 0, 0, size_m, size_m);
  if (distance_m > 0)
    add_box (&b, URB_CLASS_BUILDING, distance_m, distance_m, distance_m + 20, distance_m + 20);
  return builder_end (&b);
}
