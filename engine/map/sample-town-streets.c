/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-town-streets.c - cuts a district into blocks, street by street.
 *
 * A large piece is halved by a street across its longer side, then the halves, until
 * each has the size of a block of its use.  Every street ends at the one it branches
 * from, so the network has a hierarchy, T-junctions, and as many directions as
 * districts.  Streets bend with a common field, so adjacent ones bend alike.  Of
 * several attempts, the cut with the most compact halves wins.
 */
#include "map/sample-town-private.h"

enum { STREAM_STREETS = 20 };
enum { NOISE_USE = 20, NOISE_WOOD, NOISE_BLOCK };

#define DISTRICT_M2 65000.0 /* a neighborhood of one use */

typedef struct
{
  double block_m2;    /* approximate size of blocks */
  double min_depth_m; /* approximate lower limit of their width */
  double street_m[2]; /* smallest and largest width */
  double fillet_m;    /* radius of the corners */
  double dead_end;    /* probability of a dead end, rather than a street, in a large block */
} UseRule;

static const UseRule rules[TOWN_N_USES] = {
  [TOWN_USE_OLD_TOWN] = { 4200, 26, { 3.5, 6.5 }, 1.5, 0.1 },
  [TOWN_USE_PERIMETER] = { 9500, 48, { 9, 13 }, 4, 0 },
  [TOWN_USE_SLABS] = { 15000, 60, { 7, 10 }, 6, 0.3 },
  [TOWN_USE_ROWS] = { 9000, 48, { 5.5, 8 }, 5, 0.3 },
  [TOWN_USE_DETACHED] = { 9500, 52, { 5, 7.5 }, 5, 0.45 },
  [TOWN_USE_INDUSTRY] = { 30000, 80, { 9, 13 }, 8, 0.1 },
  [TOWN_USE_CAMPUS] = { 30000, 80, { 7, 9 }, 6, 0 },
  [TOWN_USE_PARK] = { 60000, 80, { 5, 7 }, 6, 0 },
  [TOWN_USE_SQUARE] = { 4000, 20, { 6, 8 }, 2, 0 },
  [TOWN_USE_FARM] = { 60000, 90, { 3.5, 5 }, 5, 0 },
  [TOWN_USE_FIELD] = { 75000, 90, { 3, 4 }, 5, 0 },
  [TOWN_USE_WOOD] = { 120000, 120, { 3, 3.5 }, 5, 0 },
};

static void
free_block (gpointer data)
{
  TownBlock *block = data;

  g_clear_pointer (&block->polygon, town_polygon_free);
  g_array_unref (block->outline);
  g_free (block);
}

GPtrArray *
town_block_array_new (void)
{
  return g_ptr_array_new_with_free_func (free_block);
}

/* ---- uses ---- */

typedef struct
{
  TownUse use;
  double  weight;
} Choice;

static TownUse
choose (const Choice *choices, guint n, TownRandom *random)
{
  double total = 0, draw;

  for (guint i = 0; i < n; i++)
    total += choices[i].weight;
  draw = town_uniform (random, 0, total);
  for (guint i = 0; i + 1 < n; i++)
    if ((draw -= choices[i].weight) < 0)
      return choices[i].use;
  return choices[n - 1].use;
}

/* The use of a whole neighborhood. */
static TownUse
choose_use (const TownPlan *plan, TownPoint at, double urbanity, TownRandom *random)
{
  static const Choice middle[] = { { TOWN_USE_SLABS, 28 }, { TOWN_USE_ROWS, 24 },
                                   { TOWN_USE_DETACHED, 28 }, { TOWN_USE_PERIMETER, 20 } };
  static const Choice outer[] = { { TOWN_USE_SLABS, 14 }, { TOWN_USE_ROWS, 24 },
                                  { TOWN_USE_DETACHED, 62 } };

  if (urbanity < 0.03)
    {
      if (town_noise (plan->seed, NOISE_WOOD, at.x / 700, at.y / 700) > 0.18)
        return TOWN_USE_WOOD;
      return town_chance (random, 0.14) ? TOWN_USE_FARM : TOWN_USE_FIELD;
    }
  if (urbanity > 0.08 && urbanity < 0.62 && town_line_distance (plan->railway, at) < 190 &&
      town_noise (plan->seed, NOISE_USE, at.x / 600, at.y / 600) > -0.15)
    return TOWN_USE_INDUSTRY;
  if (urbanity > 0.82)
    return TOWN_USE_OLD_TOWN;
  if (urbanity > 0.54)
    return town_chance (random, 0.86) ? TOWN_USE_PERIMETER : TOWN_USE_SLABS;
  if (urbanity > 0.28)
    return choose (middle, G_N_ELEMENTS (middle), random);
  return choose (outer, G_N_ELEMENTS (outer), random);
}

/* The use of a single block in a neighborhood: usually the same. */
static TownUse
vary_use (TownUse use, double area_m2, double urbanity, TownRandom *random)
{
  double draw = town_uniform (random, 0, 1);

  if (use == TOWN_USE_OLD_TOWN)
    return draw < 0.09 && area_m2 < 5000 ? TOWN_USE_SQUARE : use;
  if (use >= TOWN_USE_CAMPUS)
    return use;
  if (draw < 0.04 && area_m2 > 3000)
    return TOWN_USE_PARK;
  if (draw < 0.08 && area_m2 > 9000)
    return TOWN_USE_CAMPUS;
  if (draw < 0.11 && use == TOWN_USE_PERIMETER && area_m2 < 9000)
    return TOWN_USE_SQUARE;
  if (draw < 0.16 && use == TOWN_USE_DETACHED)
    return TOWN_USE_ROWS;
  if (draw < 0.24 && use == TOWN_USE_ROWS)
    return TOWN_USE_DETACHED;
  if (draw < 0.24 && use == TOWN_USE_SLABS)
    return TOWN_USE_ROWS;
  if (draw < 0.22 && use == TOWN_USE_DETACHED && urbanity < 0.12)
    return TOWN_USE_FIELD;
  return use;
}

/* ---- cuts ---- */

/* A line along @direction, bent by the town's field; passes exactly through @through. */
static GArray *
bent_line (const TownPlan *plan, TownPoint through, TownPoint direction, double back, double ahead)
{
  GArray *line = town_ring_new ();
  TownPoint bend0 = town_plan_bend (plan, through);
  int n = MAX ((int) ((back + ahead) / 14), 1);

  for (int i = 0; i <= n; i++)
    {
      double t = -back + (back + ahead) * i / n;
      TownPoint p = { through.x + t * direction.x, through.y + t * direction.y };
      TownPoint bend = town_plan_bend (plan, p);

      town_ring_append (line, p.x + bend.x - bend0.x, p.y + bend.y - bend0.y);
    }
  return line;
}

static double
score_cut (GPtrArray *parts, double area_m2, double min_depth_m)
{
  double worst = 1;
  guint n_large = 0;

  for (guint i = 0; i < parts->len; i++)
    {
      const TownPolygon *part = parts->pdata[i];
      TownRectangle around = town_ring_rectangle (part->rings->pdata[0]);
      double area = town_polygon_area (part), share = area / area_m2;
      double fill = area / MAX (around.length * around.width, 1);
      /* 0 for a sliver, near 1 for a square */
      double compactness = fill * MIN (around.width / MAX (around.length, 1) * 1.6, 1);

      if (share < 0.02)
        continue; /* becomes part of the street */
      if (share > 0.15)
        n_large++;
      if (around.width < 0.8 * min_depth_m)
        worst *= 0.4;
      worst = MIN (worst, compactness * MIN (share * 3, 1));
    }
  return n_large >= 2 ? worst : -1;
}

typedef struct
{
  GPtrArray *blocks, *street; /* of TownPolygon */
  double     score;
} Cut;

static void
cut_clear (Cut *self)
{
  g_clear_pointer (&self->blocks, g_ptr_array_unref);
  g_clear_pointer (&self->street, g_ptr_array_unref);
}

static Cut
try_cut (const TownPlan *plan, const TownPolygon *polygon, const UseRule *rule, TownRandom *random)
{
  Cut cut = { town_polygon_array_new (), town_polygon_array_new (), -1 };
  TownRectangle around = town_ring_rectangle (polygon->rings->pdata[0]);
  double off = town_uniform (random, -0.13, 0.13) * around.length;
  double jitter = town_uniform (random, -1, 1);
  TownPoint through = { around.center.x + off * around.along.x,
                        around.center.y + off * around.along.y };
  TownPoint across = town_turned (around.along, G_PI / 2 + 0.13 * jitter * jitter * jitter);
  double reach = 0.8 * around.width + 60;
  g_autoptr(GArray) line = bent_line (plan, through, across, reach, reach);
  g_auto(UrbOgrGeometry) band
    = town_geometry_band (line, town_uniform (random, rule->street_m[0], rule->street_m[1]));

  if (town_cut (polygon, band, cut.street, cut.blocks))
    cut.score = score_cut (cut.blocks, town_polygon_area (polygon), rule->min_depth_m);
  return cut;
}

static Cut
best_cut (const TownPlan *plan, const TownPolygon *polygon, const UseRule *rule, TownRandom *random)
{
  Cut best = try_cut (plan, polygon, rule, random);

  for (int i = 0; i < 3; i++)
    {
      Cut other = try_cut (plan, polygon, rule, random);

      if (other.score > best.score)
        {
          Cut worse = best;

          best = other;
          other = worse;
        }
      cut_clear (&other);
    }
  return best;
}

/* Cuts a dead-end street with room to turn; leaves one block. */
static TownPolygon *
cut_dead_end (TownPlan *plan, TownPolygon *polygon, const UseRule *rule, TownRandom *random)
{
  g_autoptr(GPtrArray) street = town_polygon_array_new ();
  g_autoptr(GPtrArray) rest = town_polygon_array_new ();
  TownRectangle around = town_ring_rectangle (polygon->rings->pdata[0]);
  double side = town_chance (random, 0.5) ? 1 : -1;
  double off = town_uniform (random, -0.12, 0.12) * around.length;
  TownPoint along = around.along, into = { -side * along.y, side * along.x };
  TownPoint end = { around.center.x + off * along.x + 0.12 * around.width * into.x,
                    around.center.y + off * along.y + 0.12 * around.width * into.y };
  g_autoptr(GArray) line = bent_line (plan, end, into, around.width, 0.5);
  g_auto(UrbOgrGeometry) lane = town_geometry_band (line, rule->street_m[0]);
  g_auto(UrbOgrGeometry) point = OGR_G_CreateGeometry (wkbPoint);
  g_auto(UrbOgrGeometry) bulb = NULL, band = NULL;

  OGR_G_SetPoint_2D (point, 0, end.x, end.y);
  bulb = OGR_G_Buffer (point, town_uniform (random, 5.5, 9), 6);
  band = OGR_G_Union (lane, bulb);
  if (!town_cut (polygon, band, street, rest) || rest->len != 1)
    return polygon;
  town_plan_add_pieces (plan, street, URB_TOWN_STREET);
  town_polygon_free (polygon);
  g_ptr_array_set_free_func (rest, NULL);
  return rest->pdata[0];
}

/* ---- corners ---- */

/* Replaces a corner by an arc, and adds the part cut off to the street. */
static void
round_corner (TownPlan *plan, GArray *to, TownPoint before, TownPoint corner, TownPoint after,
              double radius_m)
{
  double ax = before.x - corner.x, ay = before.y - corner.y, a = hypot (ax, ay);
  double bx = after.x - corner.x, by = after.y - corner.y, b = hypot (bx, by);
  double cosine = (ax * bx + ay * by) / (a * b), reach;
  GArray *piece;

  /* Straight on, reflex, or no space. */
  if (a < 1e-6 || b < 1e-6 || cosine < -0.8 || ax * by - ay * bx > 0)
    {
      g_array_append_val (to, corner);
      return;
    }
  reach = MIN (radius_m / tan (acos (CLAMP (cosine, -0.99, 0.99)) / 2), 0.45 * MIN (a, b));
  if (reach < 0.4)
    {
      g_array_append_val (to, corner);
      return;
    }
  piece = town_ring_new ();
  g_array_append_val (piece, corner);
  for (int i = 4; i >= 0; i--) /* a quadratic curve, reversed for the piece */
    {
      double t = i / 4.0, u = (1 - t) * (1 - t), v = t * t;

      town_ring_append (piece, corner.x + reach * (u * ax / a + v * bx / b),
                        corner.y + reach * (u * ay / a + v * by / b));
    }
  for (guint i = piece->len - 1; i > 0; i--)
    g_array_append_val (to, g_array_index (piece, TownPoint, i));
  town_plan_add_piece (plan, town_polygon_new (piece), URB_TOWN_STREET);
}

static void
round_corners (TownPlan *plan, TownPolygon *polygon, double radius_m)
{
  GArray *ring = polygon->rings->pdata[0];
  GArray *rounded = town_ring_new ();

  for (guint i = 0; i < ring->len; i++)
    round_corner (plan, rounded, g_array_index (ring, TownPoint, (i + ring->len - 1) % ring->len),
                  g_array_index (ring, TownPoint, i),
                  g_array_index (ring, TownPoint, (i + 1) % ring->len), radius_m);
  polygon->rings->pdata[0] = rounded;
  g_array_unref (ring);
}

/* ---- recursion ---- */

typedef struct
{
  TownPlan     *plan;        /* borrowed */
  GPtrArray    *blocks;      /* borrowed */
  GCancellable *cancellable; /* (nullable) borrowed */
  TownRandom    random;
} Cutter;

static void
finish_block (Cutter *self, TownPolygon *polygon, TownUse use, double urbanity)
{
  const UseRule *rule = &rules[use];
  double area = town_polygon_area (polygon);
  double width = town_ring_rectangle (polygon->rings->pdata[0]).width;
  TownBlock *block;

  if (area < 60 || width < 4) /* a traffic island */
    {
      town_plan_add_piece (self->plan, polygon, URB_TOWN_STREET);
      return;
    }
  use = vary_use (use, area, urbanity, &self->random);
  if (area > 1.25 * rule->block_m2 && width > 1.45 * rule->min_depth_m &&
      town_chance (&self->random, rule->dead_end))
    polygon = cut_dead_end (self->plan, polygon, rule, &self->random);

  block = g_new0 (TownBlock, 1);
  block->outline = g_array_copy (polygon->rings->pdata[0]);
  round_corners (self->plan, polygon, rule->fillet_m);
  block->polygon = polygon;
  block->use = use;
  block->urbanity = urbanity;
  g_ptr_array_add (self->blocks, block);
}

/* @use: TOWN_N_USES while the piece is too large to be one neighborhood. */
static void
cut_up (Cutter *self, TownPolygon *polygon, TownUse use, int depth)
{
  /* Streets between neighborhoods. */
  static const UseRule collector = { DISTRICT_M2, 80, { 8, 12 }, 6, 0 };
  static const UseRule track = { DISTRICT_M2, 100, { 3.5, 5 }, 6, 0 };
  double area = town_polygon_area (polygon);
  UrbBox box = polygon->box;
  TownPoint center = town_ring_centroid (polygon->rings->pdata[0]);
  double urbanity = town_plan_urbanity (self->plan, center);
  const UseRule *rule;
  Cut cut = { 0 };
  double limit;

  if (box.max_x <= 0 || box.max_y <= 0 || box.min_x >= self->plan->size_m ||
      box.min_y >= self->plan->size_m || g_cancellable_is_cancelled (self->cancellable))
    {
      town_polygon_free (polygon);
      return;
    }
  if (use == TOWN_N_USES && area < DISTRICT_M2)
    use = choose_use (self->plan, center, urbanity, &self->random);
  rule = use != TOWN_N_USES ? &rules[use] : urbanity > 0.03 ? &collector : &track;
  limit = rule->block_m2 * town_uniform (&self->random, 1.2, 1.8);
  if (use == TOWN_N_USES)
    limit = 0;

  if (area > limit && depth < 24 &&
      town_ring_rectangle (polygon->rings->pdata[0]).length > 1.7 * rule->min_depth_m)
    cut = best_cut (self->plan, polygon, rule, &self->random);
  if (cut.blocks == NULL || cut.score < 0)
    {
      if (use == TOWN_N_USES)
        use = choose_use (self->plan, center, urbanity, &self->random);
      finish_block (self, polygon, use, urbanity);
    }
  else
    {
      gboolean rural = urbanity < 0.03;

      town_plan_add_pieces (self->plan, cut.street, rural ? URB_TOWN_LANE : URB_TOWN_STREET);
      g_ptr_array_set_free_func (cut.blocks, NULL);
      for (guint i = 0; i < cut.blocks->len; i++)
        cut_up (self, cut.blocks->pdata[i], use, depth + 1);
      town_polygon_free (polygon);
    }
  cut_clear (&cut);
}

void
town_cut_blocks (TownPlan *plan, TownPolygon *district, guint64 thing, GPtrArray *blocks,
                 GCancellable *cancellable)
{
  Cutter cutter = { plan, blocks, cancellable, { { 0 } } };

  town_random_init (&cutter.random, plan->seed, thing, STREAM_STREETS);
  cut_up (&cutter, district, TOWN_N_USES, 0);
}
