/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-town-build.c - fills a block with buildings according to its use.
 *
 * This file has open building: houses, rows, slabs and halls that do not touch.
 */
#include "map/sample-town-private.h"

static void
add_garage (TownBuilder *self, TownPoint at, TownPoint along, double house_w)
{
  double side = town_chance (&self->random, 0.5) ? 1 : -1;
  double w = town_chance (&self->random, 0.7) ? 3.6 : 6.2;
  TownPoint corner = town_moved (at, along, side * (house_w / 2 + w / 2 + 0.9),
                            town_uniform (&self->random, -1.5, 2));

  town_builder_place (self, town_shape_rectangle (corner, along, w, 6.2), URB_TOWN_GARAGE, 0.8,
                      0.8);
}

static void
add_shed (TownBuilder *self, TownPoint at, TownPoint along, double depth)
{
  TownPoint spot = town_moved (at, along, town_uniform (&self->random, -9, 9),
                          depth + town_uniform (&self->random, 4, 10));

  town_builder_place (self, town_shape_rectangle (spot, along, town_uniform (&self->random, 2.4, 4),
                                     town_uniform (&self->random, 2.4, 5)),
         URB_TOWN_GARAGE, 0.8, 1.5);
}

/* Houses in gardens, in a line along each street, and some in a second row. */
static void
build_detached (TownBuilder *self)
{
  g_autoptr(GArray) sides = town_find_sides (self->block->outline);
  TownRandom *random = &self->random;
  double lot = town_uniform (random, 17, 25), setback = town_uniform (random, 3.5, 6.5);
  double size = town_uniform (random, 9, 11.5), gable = town_uniform (random, 0, 0.5);

  for (guint i = 0; i < sides->len; i++)
    {
      const TownSide *side = &g_array_index (sides, TownSide, i);

      for (double s = town_uniform (random, 2, 8); s + 12 < side->length;)
        {
          double width = lot * town_uniform (random, 0.85, 1.25), middle = s + width / 2;
          double w = size * town_uniform (random, 0.9, 1.45),
                 d = size * town_uniform (random, 0.85, 1.2);
          TownPoint along = town_turned (town_side_direction (side, middle, 8),
                                         town_uniform (random, -0.03, 0.03));
          TownPoint at = town_moved (town_side_point (side, MIN (middle, side->length - 6)), along,
                                     0, setback + town_uniform (random, -0.8, 2));

          if (town_chance (random, gable))
            {
              double t = w;

              w = d;
              d = t;
            }
          if (!town_chance (random, 0.04) &&
              town_builder_place (self, town_shape_house (at, along, w, d, random), URB_TOWN_HOUSE,
                                  2.5, 4.5))
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
      TownPoint at = town_moved (self->around.center, self->around.along,
                            town_uniform (random, -0.4, 0.4) * self->around.length,
                            town_uniform (random, -0.3, 0.3) * self->around.width);

      town_builder_place (self, town_shape_house (at, self->around.along, size * 1.1, size, random),
                          URB_TOWN_HOUSE, 10, 8.5);
    }
  town_builder_finish_block (self, URB_TOWN_GARDEN);
}

static void
build_rows (TownBuilder *self)
{
  g_autoptr(GArray) sides = town_find_sides (self->block->outline);
  TownRandom *random = &self->random;
  double unit = town_uniform (random, 5.6, 7.2), depth = town_uniform (random, 9.5, 12);
  double setback = town_uniform (random, 3, 6.5);
  double stagger = town_chance (random, 0.5) ? town_uniform (random, 1.2, 2.4) : 0;

  for (guint i = 0; i < sides->len; i++)
    {
      const TownSide *side = &g_array_index (sides, TownSide, i);

      for (double s = town_uniform (random, 3, 8); s + 3 * unit + 3 < side->length;)
        {
          int n = 4 + (int) town_uniform (random, 0, 5);
          double middle;
          TownPoint along, at;

          n = CLAMP (n, 2, (int) ((side->length - s - 3) / unit));
          middle = s + n * unit / 2;
          along = town_side_direction (side, middle, n * unit / 2);
          at = town_moved (town_side_point (side, middle), along, 0, setback);
          town_builder_place (self, town_shape_row (at, along, unit, depth, n, stagger, random),
                 URB_TOWN_ROW_HOUSES, 2, 5);
          s += n * unit + town_uniform (random, 4, 9);
        }
    }
  if (town_chance (random, 0.7)) /* shared garages in the middle */
    town_builder_place (self, town_shape_rectangle (self->around.center, self->around.along,
                                       town_uniform (random, 14, 30), 6),
           URB_TOWN_GARAGE, 5, 6);
  town_builder_finish_block (self, URB_TOWN_GARDEN);
}

/* Parallel blocks of flats in a common green, across the block or along it. */
static void
build_slabs (TownBuilder *self)
{
  TownRandom *random = &self->random;
  TownRectangle around = self->around;
  gboolean across = town_chance (random, 0.5);
  TownPoint along = across ? town_turned (around.along, G_PI / 2) : around.along;
  double reach_u = (across ? around.width : around.length) / 2;
  double reach_v = (across ? around.length : around.width) / 2;
  double w = town_uniform (random, 30, 58), d = town_uniform (random, 11, 14.5);
  double gap_u = town_uniform (random, 11, 18), gap_v = town_uniform (random, 17, 27);
  double shift = town_chance (random, 0.3) ? town_uniform (random, 4, 12) : 0;
  int row = 0;

  for (double v = -reach_v + town_uniform (random, 5, 8); v + d + 4 < reach_v;
       v += d + gap_v, row++)
    for (double u = -reach_u + 5 + row % 2 * shift; u + 18 < reach_u; u += w + gap_u)
      {
        double width = MIN (w, reach_u - 5 - u) * town_uniform (random, 0.85, 1);
        TownPoint at = town_moved (around.center, along, u + width / 2, v);

        if (width < 16 || town_chance (random, 0.06))
          continue;
        if (!town_builder_place (self, town_shape_slab (at, along, width, d, random),
                                 URB_TOWN_APARTMENTS, 4, 9))
          town_builder_place (self, town_shape_rectangle (at, along, 0.6 * width, d),
                              URB_TOWN_APARTMENTS, 4, 9);
      }
  for (int i = 0; i < 3; i++)
    {
      TownPoint at = town_moved (around.center, along, town_uniform (random, -1, 1) * reach_u,
                            town_uniform (random, -1, 1) * reach_v);

      town_builder_place (self, town_shape_rectangle (at, along, town_uniform (random, 8, 24), 6),
                          URB_TOWN_GARAGE, 2, 4);
    }
  town_builder_finish_block (self, URB_TOWN_GREEN);
}

/* Splits a lot recursively until a hall fits it, then builds the hall. */
static void
build_lot (TownBuilder *self, TownPoint center, TownPoint along, double w, double d, double largest)
{
  TownRandom *random = &self->random;

  if (MAX (w, d) > largest)
    {
      double t = town_uniform (random, 0.35, 0.65);

      if (w >= d)
        {
          build_lot (self, town_moved (center, along, -w / 2 + t * w / 2, 0), along, t * w, d,
                     largest);
          build_lot (self, town_moved (center, along, w / 2 - (1 - t) * w / 2, 0), along,
                     (1 - t) * w, d, largest);
        }
      else
        {
          build_lot (self, town_moved (center, along, 0, -d / 2 + t * d / 2), along, w, t * d,
                     largest);
          build_lot (self, town_moved (center, along, 0, d / 2 - (1 - t) * d / 2), along, w,
                     (1 - t) * d, largest);
        }
      return;
    }
  if (town_chance (random, 0.1)) /* a lorry yard */
    return;
  for (double scale = 1; scale > 0.4; scale *= 0.8)
    {
      double hall_w = scale * (w - town_uniform (random, 8, 14)),
             hall_d = scale * (d - town_uniform (random, 8, 14));

      if (hall_w < 9 || hall_d < 9)
        return;
      if (town_builder_place (self,
                              town_shape_hall (town_moved (center, along, 0, -hall_d / 2), along,
                                               hall_w, hall_d, random),
                              URB_TOWN_HALL, 4, 6))
        return;
    }
}

static void
build_industry (TownBuilder *self)
{
  build_lot (self, self->around.center, self->around.along, self->around.length - 6,
             self->around.width - 6, town_uniform (&self->random, 55, 125));
  town_builder_finish_block (self, URB_TOWN_YARD);
}

static void
build_campus (TownBuilder *self)
{
  TownRandom *random = &self->random;
  TownRectangle around = self->around;

  for (int i = 0; i < 12; i++)
    {
      TownPoint at = town_moved (around.center, around.along,
                                 town_uniform (random, -0.35, 0.35) * around.length,
                                 town_uniform (random, -0.4, 0.3) * around.width);
      TownPoint along = town_chance (random, 0.5) ? around.along
                                                  : town_turned (around.along, G_PI / 2);
      double w = town_uniform (random, 38, 75), d = town_uniform (random, 30, 48);

      if (i < 4)
        town_builder_place (self, town_shape_u (at, along, w, d, town_uniform (random, 11, 15)),
                            URB_TOWN_SCHOOL, 6, 14);
      else if (i < 6)
        town_builder_place (self, town_shape_rectangle (at, along, 96, 60), URB_TOWN_SPORTS, 5, 8);
      else if (i < 9)
        town_builder_place (self, town_shape_rectangle (at, along, 44, 28), URB_TOWN_SPORTS, 4, 8);
      else
        town_builder_place (self, town_shape_hall (at, along, 0.6 * w, 20, random), URB_TOWN_SCHOOL,
                            6, 10);
    }
  town_builder_finish_block (self, URB_TOWN_GREEN);
}

/* A curved path through the park that keeps clear of its buildings. */
static OGRGeometryH
park_path (TownBuilder *self)
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
      TownPoint p = town_moved (around.center, around.along, (t - 0.5) * 1.1 * around.length,
                           start + t * (end - start) + bow * sin (G_PI * t));

      g_array_append_val (path, p);
    }
  band = town_geometry_band (path, 2.6);
  for (guint i = 0; i < self->footprints->len; i++)
    {
      const TownFootprint *footprint = &g_array_index (self->footprints, TownFootprint, i);
      g_auto(UrbOgrGeometry) thing = town_geometry_from_ring (footprint->ring);
      g_auto(UrbOgrGeometry) room = OGR_G_Buffer (thing, 1.5, 4);
      g_auto(UrbOgrGeometry) whole = band;

      band = OGR_G_Difference (whole, room);
    }
  return band;
}

/* A pond, a pavilion and two paths. */
static void
build_park (TownBuilder *self)
{
  GPtrArray *lawns = town_polygon_array_new ();
  TownRandom *random = &self->random;
  TownRectangle around = self->around;
  TownPoint water = town_moved (around.center, around.along,
                           town_uniform (random, -0.2, 0.2) * around.length, 0);
  TownPoint house = town_moved (around.center, around.along,
                           town_uniform (random, -0.35, 0.35) * around.length,
                           town_uniform (random, -0.3, 0.2) * around.width);

  town_builder_place (
    self, town_shape_pond (water, town_uniform (random, 0.12, 0.24) * around.width, random),
    URB_TOWN_POND, 6, 2);
  town_builder_place (self, town_shape_house (house, around.along, 14, 10, random), URB_TOWN_ANNEX,
                      6, 6);
  g_ptr_array_add (lawns, g_steal_pointer (&self->block->polygon));
  for (int k = 0; k < 2; k++)
    {
      g_auto(UrbOgrGeometry) band = park_path (self);
      g_autoptr(GPtrArray) inside = town_polygon_array_new ();

      town_cut_all (&lawns, band, inside);
      town_plan_add_pieces (self->plan, inside, URB_TOWN_PATH);
    }
  g_ptr_array_set_free_func (lawns, NULL); /* moved to the plan below */
  for (guint i = 0; i < lawns->len; i++)
    town_builder_finish_ground (self, lawns->pdata[i], URB_TOWN_PARK);
  g_ptr_array_unref (lawns);
}

static void
build_square (TownBuilder *self)
{
  TownRandom *random = &self->random;
  double room = MIN (self->around.width, 0.7 * self->around.length);

  if (room > 26 && town_chance (random, 0.6))
    town_builder_place (
      self,
      town_shape_church (self->around.center,
                         town_turned ((TownPoint){ 1, 0 }, town_uniform (random, -0.15, 0.15)),
                         MIN (0.95 * room, 52)),
      URB_TOWN_CHURCH, 3, 3);
  else if (room > 30)
    town_builder_place (
      self,
      town_shape_hall (town_moved (self->around.center, self->around.along, 0, -0.15 * room),
                       self->around.along, 0.5 * room, 0.3 * room, random),
      URB_TOWN_TOWN_HOUSE, 4, 3);
  town_builder_finish_block (self, URB_TOWN_SQUARE);
}

static void
build_farm (TownBuilder *self)
{
  g_autoptr(GArray) sides = town_find_sides (self->block->outline);
  TownRandom *random = &self->random;
  const TownSide *side = &g_array_index (sides, TownSide,
                                         (guint) town_uniform (random, 0, sides->len - 0.01));
  double s = town_uniform (random, 0.3, 0.7) * side->length;
  TownPoint along = town_side_direction (side, s, 20),
            at = town_moved (town_side_point (side, s), along, 0, 8);

  along = town_turned (along, town_uniform (random, -0.3, 0.3));
  town_builder_place (self, town_shape_house (at, along, 15, 12, random), URB_TOWN_HOUSE, 3, 4);
  for (int i = 0; i < 5; i++)
    {
      gboolean turn = town_chance (random, 0.5);

      town_builder_place (
        self,
        town_shape_rectangle (
          town_moved (at, along, town_uniform (random, -45, 45), town_uniform (random, 5, 45)),
          turn ? town_turned (along, G_PI / 2) : along, town_uniform (random, 16, 40),
          town_uniform (random, 11, 18)),
        URB_TOWN_BARN, 3, 6);
    }
  town_builder_finish_block (self, URB_TOWN_FIELD);
}

void
town_build_block (TownPlan *plan, TownBlock *block, guint64 thing)
{
  g_auto(TownBuilder) self = { 0 };

  town_builder_init (&self, plan, block, thing);
  switch (block->use)
    {
    case TOWN_USE_OLD_TOWN: town_build_old_town (&self); break;
    case TOWN_USE_PERIMETER: town_build_perimeter (&self); break;
    case TOWN_USE_SLABS: build_slabs (&self); break;
    case TOWN_USE_ROWS: build_rows (&self); break;
    case TOWN_USE_DETACHED: build_detached (&self); break;
    case TOWN_USE_INDUSTRY: build_industry (&self); break;
    case TOWN_USE_CAMPUS: build_campus (&self); break;
    case TOWN_USE_PARK: build_park (&self); break;
    case TOWN_USE_SQUARE: build_square (&self); break;
    case TOWN_USE_FARM: build_farm (&self); break;
    case TOWN_USE_WOOD: town_builder_finish_block (&self, URB_TOWN_WOOD); break;
    case TOWN_USE_FIELD:
    default: town_builder_finish_block (&self, URB_TOWN_FIELD); break;
    }
}
