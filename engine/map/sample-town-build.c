/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-town-build.c - buildings in a block, as its use wants them.
 *
 * Two ways, and both keep the block filled exactly.  Closed building (old town,
 * perimeter blocks) goes along the sides house by house; each house is cut out
 * of what is left of the block.  Open building (houses, slabs, halls) places
 * footprints that touch nothing; they become holes of the ground as they are.
 */
#include "map/sample-town-private.h"

enum { STREAM_BUILD = 30 };

/* How far a house reaches into the one before it, which is cut out already:
 * walls that were only equal up to rounding would leave a hairline of yard. */
#define PARTY_WALL_M 0.002

typedef struct
{
  GArray     *ring; /* owned; NULL once the plan has it */
  UrbTownKind kind;
} Footprint;

typedef struct
{
  TownPlan      *plan;       /* borrowed */
  TownBlock     *block;      /* borrowed */
  TownRectangle  around;
  GArray        *footprints; /* of Footprint: open building, so far */
  TownRandom     random;
} Builder;

static void
clear_footprint (gpointer data)
{
  Footprint *footprint = data;

  g_clear_pointer (&footprint->ring, g_array_unref);
}

/* ---- the sides of a block ---- */

typedef struct
{
  GArray *points; /* of TownPoint */
  double  length;
} Side;

static void
clear_side (gpointer data)
{
  g_array_unref (((Side *) data)->points);
}

static TownPoint
outline_point (const GArray *ring, guint i)
{
  return g_array_index (ring, TownPoint, i % ring->len);
}

/* The turn at corner @i, in radians; positive to the left. */
static double
corner_turn (const GArray *ring, guint i)
{
  TownPoint a = outline_point (ring, i + ring->len - 1), b = outline_point (ring, i);
  TownPoint c = outline_point (ring, i + 1);
  double ux = b.x - a.x, uy = b.y - a.y, vx = c.x - b.x, vy = c.y - b.y;

  return atan2 (ux * vy - uy * vx, ux * vx + uy * vy);
}

static gboolean
is_corner (const GArray *ring, guint i)
{
  return fabs (corner_turn (ring, i)) > 0.6;
}

/* Splits the outline at its corners; a round block is one side. */
static GArray *
find_sides (const GArray *ring)
{
  GArray *sides = g_array_new (FALSE, FALSE, sizeof (Side));
  guint first = 0;

  g_array_set_clear_func (sides, clear_side);
  while (first < ring->len && !is_corner (ring, first))
    first++;
  for (guint i = 0; i < ring->len;)
    {
      Side side = { town_ring_new (), 0 };

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

static TownPoint
side_point (const Side *side, double s)
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

/* The direction of the side around @s, over @reach to both sides. */
static TownPoint
side_direction (const Side *side, double s, double reach)
{
  TownPoint a = side_point (side, MAX (s - reach, 0));
  TownPoint b = side_point (side, MIN (s + reach, side->length));
  double length = hypot (b.x - a.x, b.y - a.y);

  if (length < 1e-9)
    return (TownPoint){ 1, 0 };
  return (TownPoint){ (b.x - a.x) / length, (b.y - a.y) / length };
}

static TownPoint
moved (TownPoint p, TownPoint along, double u, double v)
{
  return (TownPoint){ p.x + u * along.x - v * along.y, p.y + u * along.y + v * along.x };
}

static TownPoint
turned (TownPoint v, double angle)
{
  return (TownPoint){ v.x * cos (angle) - v.y * sin (angle), v.x * sin (angle) + v.y * cos (angle) };
}

/* ---- open building ---- */

/* Takes @ring; keeps it only if it stands free. */
static gboolean
place (Builder *self, GArray *ring, UrbTownKind kind, double from_edge_m, double from_others_m)
{
  Footprint footprint = { ring, kind };
  gboolean fits = town_polygon_contains_ring (self->block->polygon, ring, from_edge_m);

  for (guint i = 0; fits && i < self->footprints->len; i++)
    {
      const GArray *other = g_array_index (self->footprints, Footprint, i).ring;

      fits = other == NULL /* in a yard that is done */ || !town_rings_are_near (other, ring, from_others_m);
    }
  if (fits)
    g_array_append_val (self->footprints, footprint);
  else
    g_array_unref (ring);
  return fits;
}

/* Gives @ground with the footprints that stand in it as holes to the plan, and
 * these footprints too.  Takes @ground. */
static void
finish_ground (Builder *self, TownPolygon *ground, UrbTownKind kind)
{
  for (guint i = 0; i < self->footprints->len; i++)
    {
      Footprint *footprint = &g_array_index (self->footprints, Footprint, i);
      GArray *hole;

      if (footprint->ring == NULL || !town_polygon_contains_ring (ground, footprint->ring, 0.01))
        continue;
      hole = g_array_copy (footprint->ring);
      town_ring_reverse (hole);
      g_ptr_array_add (ground->rings, hole);
      town_plan_add_piece (self->plan, town_polygon_new (g_steal_pointer (&footprint->ring)),
                           footprint->kind);
    }
  town_plan_add_piece (self->plan, ground, kind);
}

static void
finish_block (Builder *self, UrbTownKind kind)
{
  finish_ground (self, g_steal_pointer (&self->block->polygon), kind);
}

static void
add_garage (Builder *self, TownPoint at, TownPoint along, double house_w)
{
  double side = town_chance (&self->random, 0.5) ? 1 : -1;
  double w = town_chance (&self->random, 0.7) ? 3.6 : 6.2;
  TownPoint corner = moved (at, along, side * (house_w / 2 + w / 2 + 0.9),
                            town_uniform (&self->random, -1.5, 2));

  place (self, town_shape_rectangle (corner, along, w, 6.2), URB_TOWN_GARAGE, 0.8, 0.8);
}

static void
add_shed (Builder *self, TownPoint at, TownPoint along, double depth)
{
  TownPoint spot = moved (at, along, town_uniform (&self->random, -9, 9),
                          depth + town_uniform (&self->random, 4, 10));

  place (self, town_shape_rectangle (spot, along, town_uniform (&self->random, 2.4, 4),
                                     town_uniform (&self->random, 2.4, 5)),
         URB_TOWN_GARAGE, 0.8, 1.5);
}

/* Houses in gardens, in a line along each street, and some in the second row. */
static void
build_detached (Builder *self)
{
  g_autoptr(GArray) sides = find_sides (self->block->outline);
  TownRandom *random = &self->random;
  double lot = town_uniform (random, 17, 25), setback = town_uniform (random, 3.5, 6.5);
  double size = town_uniform (random, 9, 11.5), gable = town_uniform (random, 0, 0.5);

  for (guint i = 0; i < sides->len; i++)
    {
      const Side *side = &g_array_index (sides, Side, i);

      for (double s = town_uniform (random, 2, 8); s + 12 < side->length;)
        {
          double width = lot * town_uniform (random, 0.85, 1.25), middle = s + width / 2;
          double w = size * town_uniform (random, 0.9, 1.45), d = size * town_uniform (random, 0.85, 1.2);
          TownPoint along = turned (side_direction (side, middle, 8), town_uniform (random, -0.03, 0.03));
          TownPoint at = moved (side_point (side, MIN (middle, side->length - 6)), along, 0,
                                setback + town_uniform (random, -0.8, 2));

          if (town_chance (random, gable))
            {
              double t = w;

              w = d;
              d = t;
            }
          if (!town_chance (random, 0.04) &&
              place (self, town_shape_house (at, along, w, d, random), URB_TOWN_HOUSE, 2.5, 4.5))
            {
              if (town_chance (random, 0.5))
                add_garage (self, at, along, w);
              if (town_chance (random, 0.3))
                add_shed (self, at, along, d);
            }
          s += width;
        }
    }
  for (int i = 0; i < 8; i++)
    {
      TownPoint at = moved (self->around.center, self->around.along,
                            town_uniform (random, -0.4, 0.4) * self->around.length,
                            town_uniform (random, -0.3, 0.3) * self->around.width);

      place (self, town_shape_house (at, self->around.along, size * 1.1, size, random), URB_TOWN_HOUSE,
             10, 8.5);
    }
  finish_block (self, URB_TOWN_GARDEN);
}

static void
build_rows (Builder *self)
{
  g_autoptr(GArray) sides = find_sides (self->block->outline);
  TownRandom *random = &self->random;
  double unit = town_uniform (random, 5.6, 7.2), depth = town_uniform (random, 9.5, 12);
  double setback = town_uniform (random, 3, 6.5);
  double stagger = town_chance (random, 0.5) ? town_uniform (random, 1.2, 2.4) : 0;

  for (guint i = 0; i < sides->len; i++)
    {
      const Side *side = &g_array_index (sides, Side, i);

      for (double s = town_uniform (random, 3, 8); s + 3 * unit + 3 < side->length;)
        {
          int n = 4 + (int) town_uniform (random, 0, 5);
          double middle;
          TownPoint along, at;

          n = CLAMP (n, 2, (int) ((side->length - s - 3) / unit));
          middle = s + n * unit / 2;
          along = side_direction (side, middle, n * unit / 2);
          at = moved (side_point (side, middle), along, 0, setback);
          place (self, town_shape_row (at, along, unit, depth, n, stagger, random),
                 URB_TOWN_ROW_HOUSES, 2, 5);
          s += n * unit + town_uniform (random, 4, 9);
        }
    }
  if (town_chance (random, 0.7)) /* garages together, in the middle */
    place (self, town_shape_rectangle (self->around.center, self->around.along,
                                       town_uniform (random, 14, 30), 6),
           URB_TOWN_GARAGE, 5, 6);
  finish_block (self, URB_TOWN_GARDEN);
}

/* Parallel blocks of flats in a common green, across the block or along it. */
static void
build_slabs (Builder *self)
{
  TownRandom *random = &self->random;
  TownRectangle around = self->around;
  gboolean across = town_chance (random, 0.5);
  TownPoint along = across ? turned (around.along, G_PI / 2) : around.along;
  double reach_u = (across ? around.width : around.length) / 2;
  double reach_v = (across ? around.length : around.width) / 2;
  double w = town_uniform (random, 30, 58), d = town_uniform (random, 11, 14.5);
  double gap_u = town_uniform (random, 11, 18), gap_v = town_uniform (random, 17, 27);
  double shift = town_chance (random, 0.3) ? town_uniform (random, 4, 12) : 0;
  int row = 0;

  for (double v = -reach_v + town_uniform (random, 5, 8); v + d + 4 < reach_v; v += d + gap_v, row++)
    for (double u = -reach_u + 5 + row % 2 * shift; u + 18 < reach_u; u += w + gap_u)
      {
        double width = MIN (w, reach_u - 5 - u) * town_uniform (random, 0.85, 1);
        TownPoint at = moved (around.center, along, u + width / 2, v);

        if (width < 16 || town_chance (random, 0.06))
          continue;
        if (!place (self, town_shape_slab (at, along, width, d, random), URB_TOWN_APARTMENTS, 4, 9))
          place (self, town_shape_rectangle (at, along, 0.6 * width, d), URB_TOWN_APARTMENTS, 4, 9);
      }
  for (int i = 0; i < 3; i++)
    {
      TownPoint at = moved (around.center, along, town_uniform (random, -1, 1) * reach_u,
                            town_uniform (random, -1, 1) * reach_v);

      place (self, town_shape_rectangle (at, along, town_uniform (random, 8, 24), 6), URB_TOWN_GARAGE, 2, 4);
    }
  finish_block (self, URB_TOWN_GREEN);
}

/* Splits a lot in its own frame until a hall fits it, then builds that. */
static void
build_lot (Builder *self, TownPoint center, TownPoint along, double w, double d, double largest)
{
  TownRandom *random = &self->random;

  if (MAX (w, d) > largest)
    {
      double t = town_uniform (random, 0.35, 0.65);

      if (w >= d)
        {
          build_lot (self, moved (center, along, -w / 2 + t * w / 2, 0), along, t * w, d, largest);
          build_lot (self, moved (center, along, w / 2 - (1 - t) * w / 2, 0), along, (1 - t) * w, d, largest);
        }
      else
        {
          build_lot (self, moved (center, along, 0, -d / 2 + t * d / 2), along, w, t * d, largest);
          build_lot (self, moved (center, along, 0, d / 2 - (1 - t) * d / 2), along, w, (1 - t) * d, largest);
        }
      return;
    }
  if (town_chance (random, 0.1)) /* room for lorries */
    return;
  for (double scale = 1; scale > 0.4; scale *= 0.8)
    {
      double hall_w = scale * (w - town_uniform (random, 8, 14)), hall_d = scale * (d - town_uniform (random, 8, 14));

      if (hall_w < 9 || hall_d < 9)
        return;
      if (place (self, town_shape_hall (moved (center, along, 0, -hall_d / 2), along, hall_w, hall_d, random),
                 URB_TOWN_HALL, 4, 6))
        return;
    }
}

static void
build_industry (Builder *self)
{
  build_lot (self, self->around.center, self->around.along, self->around.length - 6,
             self->around.width - 6, town_uniform (&self->random, 55, 125));
  finish_block (self, URB_TOWN_YARD);
}

static void
build_campus (Builder *self)
{
  TownRandom *random = &self->random;
  TownRectangle around = self->around;

  for (int i = 0; i < 12; i++)
    {
      TownPoint at = moved (around.center, around.along, town_uniform (random, -0.35, 0.35) * around.length,
                            town_uniform (random, -0.4, 0.3) * around.width);
      TownPoint along = town_chance (random, 0.5) ? around.along : turned (around.along, G_PI / 2);
      double w = town_uniform (random, 38, 75), d = town_uniform (random, 30, 48);

      if (i < 4)
        place (self, town_shape_u (at, along, w, d, town_uniform (random, 11, 15)), URB_TOWN_SCHOOL, 6, 14);
      else if (i < 6)
        place (self, town_shape_rectangle (at, along, 96, 60), URB_TOWN_SPORTS, 5, 8);
      else if (i < 9)
        place (self, town_shape_rectangle (at, along, 44, 28), URB_TOWN_SPORTS, 4, 8);
      else
        place (self, town_shape_hall (at, along, 0.6 * w, 20, random), URB_TOWN_SCHOOL, 6, 10);
    }
  finish_block (self, URB_TOWN_GREEN);
}

/* A bowed way through the park that ends before what stands there. */
static OGRGeometryH
park_path (Builder *self)
{
  g_autoptr(GArray) path = town_ring_new ();
  TownRectangle around = self->around;
  double bow = town_uniform (&self->random, -0.3, 0.3) * around.width;
  double start = town_uniform (&self->random, -0.3, 0.3) * around.width;
  double end = town_uniform (&self->random, -0.3, 0.3) * around.width;
  OGRGeometryH band;

  for (int i = 0; i <= 16; i++)
    {
      double t = i / 16.0;
      TownPoint p = moved (around.center, around.along, (t - 0.5) * 1.1 * around.length,
                           start + t * (end - start) + bow * sin (G_PI * t));

      g_array_append_val (path, p);
    }
  band = town_geometry_band (path, 2.6);
  for (guint i = 0; i < self->footprints->len; i++)
    {
      const Footprint *footprint = &g_array_index (self->footprints, Footprint, i);
      g_auto(TownGeometry) thing = town_geometry_from_ring (footprint->ring);
      g_auto(TownGeometry) room = OGR_G_Buffer (thing, 1.5, 4);
      g_auto(TownGeometry) whole = band;

      band = OGR_G_Difference (whole, room);
    }
  return band;
}

/* A pond, a pavilion, two paths. */
static void
build_park (Builder *self)
{
  GPtrArray *lawns = town_polygon_array_new ();
  TownRandom *random = &self->random;
  TownRectangle around = self->around;
  TownPoint water = moved (around.center, around.along,
                           town_uniform (random, -0.2, 0.2) * around.length, 0);
  TownPoint house = moved (around.center, around.along,
                           town_uniform (random, -0.35, 0.35) * around.length,
                           town_uniform (random, -0.3, 0.2) * around.width);

  place (self, town_shape_pond (water, town_uniform (random, 0.12, 0.24) * around.width, random),
         URB_TOWN_POND, 6, 2);
  place (self, town_shape_house (house, around.along, 14, 10, random), URB_TOWN_ANNEX, 6, 6);
  g_ptr_array_add (lawns, g_steal_pointer (&self->block->polygon));
  for (int k = 0; k < 2; k++)
    {
      g_auto(TownGeometry) band = park_path (self);
      g_autoptr(GPtrArray) inside = town_polygon_array_new ();

      town_cut_all (&lawns, band, inside);
      town_plan_add_pieces (self->plan, inside, URB_TOWN_PATH);
    }
  g_ptr_array_set_free_func (lawns, NULL); /* the plan has them now */
  for (guint i = 0; i < lawns->len; i++)
    finish_ground (self, lawns->pdata[i], URB_TOWN_PARK);
  g_ptr_array_unref (lawns);
}

static void
build_square (Builder *self)
{
  TownRandom *random = &self->random;
  double room = MIN (self->around.width, 0.7 * self->around.length);

  if (room > 26 && town_chance (random, 0.6))
    place (self, town_shape_church (self->around.center, turned ((TownPoint){ 1, 0 }, town_uniform (random, -0.15, 0.15)),
                                    MIN (0.95 * room, 52)),
           URB_TOWN_CHURCH, 3, 3);
  else if (room > 30)
    place (self, town_shape_hall (moved (self->around.center, self->around.along, 0, -0.15 * room),
                                  self->around.along, 0.5 * room, 0.3 * room, random),
           URB_TOWN_TOWN_HOUSE, 4, 3);
  finish_block (self, URB_TOWN_SQUARE);
}

static void
build_farm (Builder *self)
{
  g_autoptr(GArray) sides = find_sides (self->block->outline);
  TownRandom *random = &self->random;
  const Side *side = &g_array_index (sides, Side, (guint) town_uniform (random, 0, sides->len - 0.01));
  double s = town_uniform (random, 0.3, 0.7) * side->length;
  TownPoint along = side_direction (side, s, 20), at = moved (side_point (side, s), along, 0, 8);

  along = turned (along, town_uniform (random, -0.3, 0.3));
  place (self, town_shape_house (at, along, 15, 12, random), URB_TOWN_HOUSE, 3, 4);
  for (int i = 0; i < 5; i++)
    {
      gboolean turn = town_chance (random, 0.5);

      place (self, town_shape_rectangle (moved (at, along, town_uniform (random, -45, 45), town_uniform (random, 5, 45)),
                                         turn ? turned (along, G_PI / 2) : along, town_uniform (random, 16, 40),
                                         town_uniform (random, 11, 18)),
             URB_TOWN_BARN, 3, 6);
    }
  finish_block (self, URB_TOWN_FIELD);
}

/* ---- closed building ---- */

typedef struct
{
  double house_m[2]; /* width of a house, from, to */
  double depth_m, depth_varies_m, setback_m;
  double gap;        /* how often a house is missing */
  double annexes;    /* how full the courtyards get: buildings per 100 m2 */
} ClosedStyle;

static gboolean
is_convex (const GArray *ring)
{
  for (guint i = 0; i < ring->len; i++)
    if (corner_turn (ring, i) <= 0)
      return FALSE;
  return TRUE;
}

/* The four corners of a house between two stations of a side; neighbours share
 * their party wall.  Around a sharp bend the walls would cross: the house is a
 * plain rectangle there. */
static GArray *
closed_house (const Side *side, double from, double to, double setback, double depth)
{
  TownPoint a = side_point (side, from), a_along = side_direction (side, from, 7);
  TownPoint b = side_point (side, to), b_along = side_direction (side, to, 7);
  /* On the street's edge: reach beyond it, so that the cut follows it exactly. */
  double front = setback > 0 ? setback : -1, back = setback + depth;
  TownPoint corners[4] = { moved (a, a_along, -PARTY_WALL_M, front), moved (b, b_along, 0, front),
                           moved (b, b_along, 0, back), moved (a, a_along, -PARTY_WALL_M, back) };
  GArray *ring = town_ring_new ();

  g_array_append_vals (ring, corners, 4);
  if (!is_convex (ring))
    {
      double middle = (from + to) / 2;
      TownPoint along = side_direction (side, middle, (to - from) / 2);

      g_array_unref (ring);
      ring = town_shape_rectangle (moved (side_point (side, middle), along, 0, front), along,
                                   to - from, back - front);
    }
  return ring;
}

static void
build_side (Builder *self, const Side *side, const ClosedStyle *style, GPtrArray **left)
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
          g_auto(TownGeometry) house = town_geometry_from_ring (ring);
          g_autoptr(GPtrArray) inside = town_polygon_array_new ();

          town_cut_all (left, house, inside);
          town_plan_add_pieces (self->plan, inside, URB_TOWN_TOWN_HOUSE);
        }
      s = to;
    }
}

/* Sheds, workshops and wings in the courtyards. */
static void
build_annexes (Builder *self, double per_100_m2)
{
  TownRandom *random = &self->random;
  TownRectangle around = self->around;
  int n_tries = (int) (2.2 * per_100_m2 * town_polygon_area (self->block->polygon) / 100);

  for (int i = 0; i < n_tries; i++)
    {
      TownPoint at = moved (around.center, around.along, town_uniform (random, -0.45, 0.45) * around.length,
                            town_uniform (random, -0.45, 0.45) * around.width);
      TownPoint along = town_chance (random, 0.5) ? around.along : turned (around.along, G_PI / 2);

      place (self, town_shape_house (at, along, town_uniform (random, 5, 16), town_uniform (random, 4, 9), random),
             URB_TOWN_ANNEX, 1, 2.5);
    }
}

static void
build_closed (Builder *self, const ClosedStyle *style)
{
  g_autoptr(GArray) sides = find_sides (self->block->outline);
  GPtrArray *left = town_polygon_array_new (), *yards;

  g_ptr_array_add (left, g_steal_pointer (&self->block->polygon));
  for (guint i = 0; i < sides->len; i++)
    build_side (self, &g_array_index (sides, Side, i), style, &left);

  yards = left;
  for (guint i = 0; i < yards->len; i++)
    {
      self->block->polygon = yards->pdata[i];
      build_annexes (self, style->annexes);
      finish_block (self, URB_TOWN_COURTYARD);
    }
  g_ptr_array_set_free_func (yards, NULL); /* the plan has them now */
  g_ptr_array_unref (yards);
}

static void
build_old_town (Builder *self)
{
  double depth = town_uniform (&self->random, 9, 13.5);
  ClosedStyle style = { .house_m = { 5.5, 12 }, .depth_varies_m = 2.2, .gap = 0.05, .annexes = 0.5 };

  /* In a narrow block the houses stand back to back. */
  style.depth_m = MIN (depth, 0.46 * self->around.width);
  build_closed (self, &style);
}

static void
build_perimeter (Builder *self)
{
  TownRandom *random = &self->random;
  ClosedStyle style = { .house_m = { 12, 24 }, .depth_varies_m = town_uniform (random, 0.3, 1.6) };

  style.depth_m = town_uniform (random, 11, 14);
  style.setback_m = town_chance (random, 0.5) ? town_uniform (random, 2, 4.5) : 0;
  style.gap = town_uniform (random, 0.02, 0.22);
  style.annexes = town_uniform (random, 0, 0.35);
  build_closed (self, &style);
}

void
town_build_block (TownPlan *plan, TownBlock *block, guint64 thing)
{
  Builder self = { .plan = plan, .block = block };

  self.around = town_ring_rectangle (block->polygon->rings->pdata[0]);
  self.footprints = g_array_new (FALSE, FALSE, sizeof (Footprint));
  g_array_set_clear_func (self.footprints, clear_footprint);
  town_random_init (&self.random, plan->seed, thing, STREAM_BUILD);
  switch (block->use)
    {
    case TOWN_USE_OLD_TOWN: build_old_town (&self); break;
    case TOWN_USE_PERIMETER: build_perimeter (&self); break;
    case TOWN_USE_SLABS: build_slabs (&self); break;
    case TOWN_USE_ROWS: build_rows (&self); break;
    case TOWN_USE_DETACHED: build_detached (&self); break;
    case TOWN_USE_INDUSTRY: build_industry (&self); break;
    case TOWN_USE_CAMPUS: build_campus (&self); break;
    case TOWN_USE_PARK: build_park (&self); break;
    case TOWN_USE_SQUARE: build_square (&self); break;
    case TOWN_USE_FARM: build_farm (&self); break;
    case TOWN_USE_WOOD: finish_block (&self, URB_TOWN_WOOD); break;
    case TOWN_USE_FIELD:
    default: finish_block (&self, URB_TOWN_FIELD); break;
    }
  g_array_unref (self.footprints);
}
