/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-town-closed.c - closed building: old town and perimeter blocks.
 *
 * Houses stand side by side along each side of the block.  Each is cut out of the
 * rest of the block; the final rest are the courtyards.
 */
#include "map/sample-town-private.h"

/* Overlap of a house with the previous one, which is cut out already: walls that are
 * equal only up to rounding would leave a hairline of yard. */
#define PARTY_WALL_M 0.002

typedef struct
{
  double house_m[2]; /* smallest and largest width of a house */
  double depth_m, depth_varies_m, setback_m;
  double gap;        /* probability that a house is missing */
  double annexes;    /* buildings per 100 m2 of courtyard */
} ClosedStyle;

/* The four corners of a house between two positions on a side; adjacent houses share
 * their party wall.  Where the walls would cross, around a sharp bend, the house is a
 * plain rectangle. */
static GArray *
closed_house (const TownSide *side, double from, double to, double setback, double depth)
{
  TownPoint a = town_side_point (side, from), a_along = town_side_direction (side, from, 7);
  TownPoint b = town_side_point (side, to), b_along = town_side_direction (side, to, 7);
  /* On the street's edge, reach beyond it, so that the cut follows it exactly. */
  double front = setback > 0 ? setback : -1, back = setback + depth;
  TownPoint corners[4] = { town_moved (a, a_along, -PARTY_WALL_M, front),
                           town_moved (b, b_along, 0, front), town_moved (b, b_along, 0, back),
                           town_moved (a, a_along, -PARTY_WALL_M, back) };
  GArray *ring = town_ring_new ();
  gboolean is_convex = TRUE;

  g_array_append_vals (ring, corners, 4);
  for (guint i = 0; i < ring->len; i++)
    is_convex = is_convex && town_corner_turn (ring, i) > 0;
  if (!is_convex)
    {
      double middle = (from + to) / 2;
      TownPoint along = town_side_direction (side, middle, (to - from) / 2);

      g_array_unref (ring);
      ring = town_shape_rectangle (town_moved (town_side_point (side, middle), along, 0, front),
                                   along, to - from, back - front);
    }
  return ring;
}

static void
build_side (TownBuilder *self, const TownSide *side, const ClosedStyle *style, GPtrArray **left)
{
  TownRandom *random = &self->random;
  double end = side->length - style->setback_m;
  gboolean first = TRUE;

  for (double s = style->setback_m; s + 3 < end; first = FALSE)
    {
      double to = s + town_uniform (random, style->house_m[0], style->house_m[1]);
      double depth = style->depth_m + style->depth_varies_m * town_uniform (random, -1, 1);

      if (to > end - 0.6 * style->house_m[0])
        to = end;
      if (first || to == end || !town_chance (random, style->gap))
        {
          g_autoptr(GArray) ring = closed_house (side, s, to, style->setback_m, depth);
          g_auto(UrbOgrGeometry) house = town_geometry_from_ring (ring);
          g_autoptr(GPtrArray) inside = town_polygon_array_new ();

          town_cut_all (left, house, inside);
          town_plan_add_pieces (self->plan, inside, URB_TOWN_TOWN_HOUSE);
        }
      s = to;
    }
}

/* Sheds, workshops and wings in the courtyards. */
static void
build_annexes (TownBuilder *self, double per_100_m2)
{
  TownRandom *random = &self->random;
  TownRectangle around = self->around;
  int n_tries = (int) (2.2 * per_100_m2 * town_polygon_area (self->block->polygon) / 100);

  for (int i = 0; i < n_tries; i++)
    {
      TownPoint at = town_moved (around.center, around.along,
                                 town_uniform (random, -0.45, 0.45) * around.length,
                                 town_uniform (random, -0.45, 0.45) * around.width);
      TownPoint along = town_chance (random, 0.5) ? around.along
                                                  : town_turned (around.along, G_PI / 2);

      town_builder_place (self,
                          town_shape_house (at, along, town_uniform (random, 5, 16),
                                            town_uniform (random, 4, 9), random),
                          URB_TOWN_ANNEX, 1, 2.5);
    }
}

static void
build_closed (TownBuilder *self, const ClosedStyle *style)
{
  g_autoptr(GArray) sides = town_find_sides (self->block->outline);
  GPtrArray *left = town_polygon_array_new (), *yards;

  g_ptr_array_add (left, g_steal_pointer (&self->block->polygon));
  for (guint i = 0; i < sides->len; i++)
    build_side (self, &g_array_index (sides, TownSide, i), style, &left);

  yards = left;
  for (guint i = 0; i < yards->len; i++)
    {
      self->block->polygon = yards->pdata[i];
      build_annexes (self, style->annexes);
      town_builder_finish_block (self, URB_TOWN_COURTYARD);
    }
  g_ptr_array_set_free_func (yards, NULL); /* moved to the plan */
  g_ptr_array_unref (yards);
}

void
town_build_old_town (TownBuilder *self)
{
  double depth = town_uniform (&self->random, 9, 13.5);
  ClosedStyle style = {
    .house_m = { 5.5, 12 }, .depth_varies_m = 2.2, .gap = 0.05, .annexes = 0.5
  };

  /* In a narrow block the houses stand back to back. */
  style.depth_m = MIN (depth, 0.46 * self->around.width);
  build_closed (self, &style);
}

void
town_build_perimeter (TownBuilder *self)
{
  TownRandom *random = &self->random;
  ClosedStyle style = { .house_m = { 12, 24 }, .depth_varies_m = town_uniform (random, 0.3, 1.6) };

  style.depth_m = town_uniform (random, 11, 14);
  style.setback_m = town_chance (random, 0.5) ? town_uniform (random, 2, 4.5) : 0;
  style.gap = town_uniform (random, 0.02, 0.22);
  style.annexes = town_uniform (random, 0, 0.35);
  build_closed (self, &style);
}
