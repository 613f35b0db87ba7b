/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-town-plan.c - the large structures: settlements, the river, the railway,
 * and the main roads.
 *
 * The town lies in the middle, on a river, within two or three ring roads; large
 * squares also have villages.  Winding main roads leave the town in all directions.
 * The areas between them are the districts.
 */
#include "map/sample-town-private.h"

/* Random streams, one per subject. */
enum
{
  STREAM_SETTLEMENTS = 1,
  STREAM_RIVER,
  STREAM_RAILWAY,
  STREAM_ROADS,
  STREAM_VILLAGES
};

/* Layers of noise. */
enum
{
  NOISE_OUTLINE,
  NOISE_BEND_X,
  NOISE_BEND_Y,
  NOISE_BEND_FINE_X,
  NOISE_BEND_FINE_Y,
  NOISE_RIVER,
  NOISE_RAILWAY,
  NOISE_RING,
  NOISE_ROAD
};

enum
{
  OLD_TOWN_RING,
  BOULEVARD_RING,
  OUTER_RING,
  N_RINGS
};

static const double ring_radius[N_RINGS] = { 0.17, 0.44, 0.74 }; /* of the town's */
static const double ring_width_m[N_RINGS] = { 9, 15, 10 };

#define STEP_M 12.0 /* between the points of a line */

static void
clear_road (gpointer data)
{
  g_array_unref (((TownRoad *) data)->points);
}

static void
clear_piece (gpointer data)
{
  TownPiece *piece = data;

  g_clear_pointer (&piece->polygon, town_polygon_free);
}

static TownPoint
point_at (const GArray *line, guint i)
{
  return g_array_index (line, TownPoint, i);
}

double
town_line_distance (const GArray *line, TownPoint at)
{
  double best = G_MAXDOUBLE;

  for (guint i = 0; i + 1 < line->len; i++)
    best = MIN (best, town_segment_distance (at, point_at (line, i), point_at (line, i + 1)));
  return best;
}

double
town_plan_urbanity (const TownPlan *self, TownPoint at)
{
  double best = -1;

  for (guint i = 0; i < self->settlements->len; i++)
    {
      const TownSettlement *s = &g_array_index (self->settlements, TownSettlement, i);
      double wave = 0.6 * s->radius_m;
      double distance = hypot (at.x - s->center.x, at.y - s->center.y);
      double uneven = town_noise (self->seed, NOISE_OUTLINE, at.x / wave, at.y / wave);

      if (distance > 2 * s->radius_m)
        continue;
      best = MAX (best, s->rank * (1 - distance * (1 + 0.28 * uneven) / s->radius_m));
    }
  return best;
}

TownPoint
town_plan_bend (const TownPlan *self, TownPoint at)
{
  return (TownPoint){
    20 * town_noise (self->seed, NOISE_BEND_X, at.x / 330, at.y / 330)
      + 4 * town_noise (self->seed, NOISE_BEND_FINE_X, at.x / 95, at.y / 95),
    20 * town_noise (self->seed, NOISE_BEND_Y, at.x / 330, at.y / 330)
      + 4 * town_noise (self->seed, NOISE_BEND_FINE_Y, at.x / 95, at.y / 95)
  };
}

/* ---- settlements ---- */

static void
place_settlements (TownPlan *self)
{
  TownRandom random;
  double size = self->size_m;
  TownSettlement town = { .rank = 1, .radius_m = 1240 * sqrt (size / 2000) };
  int n_tries = (int) (size * size / 4e5);

  town_random_init (&random, self->seed, 0, STREAM_SETTLEMENTS);
  town.center.x = size * town_uniform (&random, 0.45, 0.55);
  town.center.y = size * town_uniform (&random, 0.45, 0.55);
  g_array_append_val (self->settlements, town);
  for (int i = 0; i < n_tries; i++)
    {
      TownSettlement village = { .rank = town_uniform (&random, 0.3, 0.62) };
      gboolean is_free = TRUE;

      village.radius_m = 250 + 700 * (village.rank - 0.2);
      village.center.x = size * town_uniform (&random, 0.02, 0.98);
      village.center.y = size * town_uniform (&random, 0.02, 0.98);
      for (guint k = 0; k < self->settlements->len && is_free; k++)
        {
          const TownSettlement *s = &g_array_index (self->settlements, TownSettlement, k);

          is_free = hypot (village.center.x - s->center.x, village.center.y - s->center.y) >=
                    0.9 * s->radius_m + village.radius_m + 350;
        }
      if (is_free)
        g_array_append_val (self->settlements, village);
    }
}

/* ---- lines ---- */

static gboolean
is_near_square (const TownPlan *self, TownPoint p)
{
  double margin = self->margin_m + 60;

  return p.x > -margin && p.y > -margin && p.x < self->size_m + margin &&
         p.y < self->size_m + margin;
}

/* A line across the whole square that passes the town's center at @offset_m and
 * swings by @swing_m to either side. */
static GArray *
line_across (const TownPlan *self, double angle, double offset_m, double swing_m, double wave_m,
             guint32 layer)
{
  TownPoint center = g_array_index (self->settlements, TownSettlement, 0).center;
  GArray *line = town_ring_new ();
  double reach = 1.5 * self->size_m + 500, ux = cos (angle), uy = sin (angle);
  double at_center = town_noise (self->seed, layer, 0, 0.5);

  for (double t = -reach; t <= reach; t += STEP_M)
    {
      double side = offset_m
                    + swing_m * (town_noise (self->seed, layer, t / wave_m, 0.5) - at_center)
                    + 0.25 * swing_m * town_noise (self->seed, layer, t / (0.37 * wave_m), 7.5);
      TownPoint p = { center.x + t * ux - side * uy, center.y + t * uy + side * ux };

      if (is_near_square (self, p))
        g_array_append_val (line, p);
    }
  return line;
}

static void
add_main_road (TownPlan *self, GArray *points, double width_m)
{
  TownRoad road = { points, width_m };

  if (points->len >= 2)
    g_array_append_val (self->main_roads, road);
  else
    g_array_unref (points);
}

static double
ring_radius_m (const TownPlan *self, int ring, double angle)
{
  double radius = ring_radius[ring] * g_array_index (self->settlements, TownSettlement, 0).radius_m;

  return radius
         * (1 + 0.22 * town_noise (self->seed, NOISE_RING, 9.5 * ring + 1.3 * cos (angle),
                                   1.3 * sin (angle)));
}

static TownPoint
ring_point (const TownPlan *self, int ring, double angle)
{
  TownPoint center = g_array_index (self->settlements, TownSettlement, 0).center;
  double radius = ring_radius_m (self, ring, angle);

  return (TownPoint){ center.x + radius * cos (angle), center.y + radius * sin (angle) };
}

static gboolean
is_on_main_road (const TownPlan *self, TownPoint p)
{
  for (guint i = 0; i < self->main_roads->len; i++)
    {
      const TownRoad *road = &g_array_index (self->main_roads, TownRoad, i);

      if (town_line_distance (road->points, p) < road->width_m / 2)
        return TRUE;
    }
  return FALSE;
}

/* The angle at which the ring first meets a main road, starting at @angle. */
static double
next_junction (const TownPlan *self, int ring, double angle)
{
  double step = 4 / ring_radius_m (self, ring, angle);

  for (double turn = 0; turn < 2 * G_PI; turn += step)
    if (is_on_main_road (self, ring_point (self, ring, angle + turn)))
      return angle + turn;
  return angle;
}

/* A full ring, or a part of one between two main roads. */
static void
add_ring (TownPlan *self, int ring, double from, double span)
{
  GArray *points = town_ring_new ();
  int n;

  if (span < 2 * G_PI)
    {
      double to = next_junction (self, ring, from + span);

      from = next_junction (self, ring, from);
      span = to - from;
    }
  n = (int) (span * ring_radius_m (self, ring, from) / STEP_M) + 3;
  for (int i = 0; i <= n; i++)
    {
      TownPoint p = ring_point (self, ring, from + span * i / n);

      if (is_near_square (self, p))
        g_array_append_val (points, p);
    }
  add_main_road (self, points, ring_width_m[ring]);
}

/* A winding road from @start towards @angle, up to the edge of the square. */
static GArray *
winding_road (const TownPlan *self, TownPoint start, double angle, double max_length_m, int which)
{
  GArray *points = town_ring_new ();
  TownPoint p = start;

  for (double s = 0; s <= max_length_m && is_near_square (self, p); s += STEP_M)
    {
      double drift = MIN (s / 250, 1);
      double heading = angle
                       + drift * (0.55 * town_noise (self->seed, NOISE_ROAD, s / 620, 3.5 * which)
                       + 0.15 * town_noise (self->seed, NOISE_ROAD, s / 150, 3.5 * which + 91));

      g_array_append_val (points, p);
      p.x += STEP_M * cos (heading);
      p.y += STEP_M * sin (heading);
    }
  return points;
}

static void
add_fork (TownPlan *self, const GArray *road, TownRandom *random, int which)
{
  double radius = g_array_index (self->settlements, TownSettlement, 0).radius_m;
  guint at = (guint) (town_uniform (random, 0.35, 0.6) * radius / STEP_M);

  if (at + 1 < road->len)
    {
      TownPoint a = point_at (road, at), b = point_at (road, at + 1);
      double heading = atan2 (b.y - a.y, b.x - a.x);
      double turn = town_uniform (random, 0.55, 0.95) * (town_chance (random, 0.5) ? 1 : -1);

      add_main_road (self, winding_road (self, a, heading + turn, 4 * self->size_m, 40 + which),
                     9.5);
    }
}

static void
lay_town_roads (TownPlan *self)
{
  TownPoint center = g_array_index (self->settlements, TownSettlement, 0).center;
  TownRandom random;
  int n_roads;
  double start;

  town_random_init (&random, self->seed, 0, STREAM_ROADS);
  add_ring (self, OLD_TOWN_RING, 0, 2 * G_PI);
  n_roads = 6 + (int) town_uniform (&random, 0, 2.99);
  start = town_uniform (&random, 0, 6);
  for (int i = 0; i < n_roads; i++)
    {
      double angle = start + 2 * G_PI * (i + town_uniform (&random, -0.2, 0.2)) / n_roads;
      gboolean through = i % 2 == 0; /* up to the center; the others end at the ring */
      TownPoint from = through ? center : ring_point (self, OLD_TOWN_RING, angle);
      GArray *road = winding_road (self, from, angle, 4 * self->size_m, i);

      if (town_chance (&random, 0.6))
        add_fork (self, road, &random, i);
      add_main_road (self, road, through ? 11 : 13);
    }
  add_ring (self, BOULEVARD_RING, town_uniform (&random, 0, 6), town_uniform (&random, 3.2, 5));
  add_ring (self, OUTER_RING, town_uniform (&random, 0, 6), town_uniform (&random, 1.5, 3.5));
}

/* Finds the point on the main roads nearest to @from, but at least @min_m away and in
 * a direction different from @avoid_angle. */
static gboolean
find_junction (const TownPlan *self, TownPoint from, double min_m, double avoid_angle,
               TownPoint *found)
{
  double best = 6000;

  for (guint i = 0; i < self->main_roads->len; i++)
    {
      const GArray *line = g_array_index (self->main_roads, TownRoad, i).points;

      for (guint j = 0; j < line->len; j++)
        {
          TownPoint p = point_at (line, j);
          double distance = hypot (p.x - from.x, p.y - from.y);
          double turn = atan2 (p.y - from.y, p.x - from.x) - avoid_angle;

          if (distance >= min_m && distance < best && cos (turn) < 0.2)
            {
              best = distance;
              *found = p;
            }
        }
    }
  return best < 6000;
}

static GArray *
bowed_road (const TownPlan *self, TownPoint a, TownPoint b, double bow)
{
  GArray *points = town_ring_new ();
  double dx = b.x - a.x, dy = b.y - a.y, length = hypot (dx, dy);
  int n = (int) (length / STEP_M) + 2;

  for (int i = 0; i <= n; i++)
    {
      double t = (double) i / n, ends = sin (G_PI * t);
      TownPoint p = { a.x + t * dx - bow * ends * dy, a.y + t * dy + bow * ends * dx };
      TownPoint bend = town_plan_bend (self, p);

      town_ring_append (points, p.x + 2 * ends * bend.x, p.y + 2 * ends * bend.y);
    }
  return points;
}

static void
lay_village_roads (TownPlan *self)
{
  TownRandom random;

  town_random_init (&random, self->seed, 0, STREAM_VILLAGES);
  for (guint i = 1; i < self->settlements->len; i++)
    {
      TownSettlement village = g_array_index (self->settlements, TownSettlement, i);
      TownPoint to;
      double avoid = town_uniform (&random, 0, 6);

      for (int k = 0; k < 3; k++)
        {
          double bow = town_uniform (&random, -0.15, 0.15);

          if (!find_junction (self, village.center, k == 0 ? 0 : village.radius_m, avoid, &to))
            continue;
          avoid = atan2 (to.y - village.center.y, to.x - village.center.x);
          add_main_road (self, bowed_road (self, village.center, to, bow), 8.5);
        }
    }
}

/* ---- cutting the square into districts ---- */

void
town_plan_add_piece (TownPlan *self, TownPolygon *polygon, UrbTownKind kind)
{
  TownPiece piece = { polygon, kind };

  g_array_append_val (self->pieces, piece);
}

void
town_plan_add_pieces (TownPlan *self, GPtrArray *polygons, UrbTownKind kind)
{
  for (guint i = 0; i < polygons->len; i++)
    town_plan_add_piece (self, g_steal_pointer (&polygons->pdata[i]), kind);
  g_ptr_array_set_free_func (polygons, NULL);
  g_ptr_array_set_size (polygons, 0);
  g_ptr_array_set_free_func (polygons, (GDestroyNotify) town_polygon_free);
}

static void
cut_line (TownPlan *self, const GArray *line, double width_m, UrbTownKind kind)
{
  if (line->len >= 2)
    {
      g_auto(UrbOgrGeometry) band = town_geometry_band (line, width_m);
      g_autoptr(GPtrArray) inside = town_polygon_array_new ();

      town_cut_all (&self->districts, band, inside);
      town_plan_add_pieces (self, inside, kind);
    }
}

/* Streets on both banks, where the town is dense. */
static void
cut_quays (TownPlan *self, double river_width_m)
{
  g_autoptr(GArray) inner = town_ring_new ();
  TownSettlement town = g_array_index (self->settlements, TownSettlement, 0);

  for (guint i = 0; i < self->river->len; i++)
    {
      TownPoint p = point_at (self->river, i);

      if (hypot (p.x - town.center.x, p.y - town.center.y) < 0.55 * town.radius_m)
        g_array_append_val (inner, p);
    }
  cut_line (self, inner, river_width_m + 15, URB_TOWN_STREET);
}

static void
cut_all (TownPlan *self, GCancellable *cancellable)
{
  /* A rotated nonagon around the square: streets that followed the square's edges would
   * all have the same two directions. */
  GArray *outline = town_ring_new ();
  double radius = (self->size_m * G_SQRT2 / 2 + self->margin_m) / cos (G_PI / 9);
  double turn = 2 * G_PI * town_noise (self->seed, NOISE_RING, 0.4, 0.7);
  TownRandom random;
  double river_width_m;

  for (int i = 0; i < 9; i++)
    town_ring_append (outline, self->size_m / 2 + radius * cos (turn + 2 * G_PI * i / 9),
                      self->size_m / 2 + radius * sin (turn + 2 * G_PI * i / 9));
  g_ptr_array_add (self->districts, town_polygon_new (outline));
  for (guint i = 0; i < self->main_roads->len && !g_cancellable_is_cancelled (cancellable); i++)
    {
      const TownRoad *road = &g_array_index (self->main_roads, TownRoad, i);

      cut_line (self, road->points, road->width_m, URB_TOWN_STREET);
    }
  town_random_init (&random, self->seed, 1, STREAM_RIVER);
  river_width_m = town_uniform (&random, 17, 30);
  cut_line (self, self->railway, 13, URB_TOWN_RAILWAY);
  cut_line (self, self->river, river_width_m, URB_TOWN_RIVER);
  cut_quays (self, river_width_m);
}

TownPlan *
town_plan_new (guint64 seed, double size_m, GCancellable *cancellable)
{
  TownPlan *self = g_new0 (TownPlan, 1);
  TownRandom random;
  double angle, side, radius;

  self->seed = seed;
  self->size_m = size_m;
  self->margin_m = 120;
  self->settlements = g_array_new (FALSE, FALSE, sizeof (TownSettlement));
  self->main_roads = g_array_new (FALSE, FALSE, sizeof (TownRoad));
  g_array_set_clear_func (self->main_roads, clear_road);
  self->districts = town_polygon_array_new ();
  self->pieces = g_array_new (FALSE, FALSE, sizeof (TownPiece));
  g_array_set_clear_func (self->pieces, clear_piece);

  place_settlements (self);
  radius = g_array_index (self->settlements, TownSettlement, 0).radius_m;
  town_random_init (&random, seed, 0, STREAM_RIVER);
  angle = town_uniform (&random, 0, 2 * G_PI);
  side = town_chance (&random, 0.5) ? 1 : -1;
  self->river = line_across (self, angle, side * town_uniform (&random, 0.1, 0.2) * radius,
                             0.16 * radius, 0.75 * radius, NOISE_RIVER);
  self->railway = line_across (self, angle + town_uniform (&random, -0.6, 0.6),
                               -side * town_uniform (&random, 0.36, 0.5) * radius, 0.1 * radius,
                               1.6 * radius, NOISE_RAILWAY);
  lay_town_roads (self);
  lay_village_roads (self);
  cut_all (self, cancellable);
  return self;
}

void
town_plan_free (TownPlan *self)
{
  g_array_unref (self->settlements);
  g_array_unref (self->main_roads);
  g_array_unref (self->river);
  g_array_unref (self->railway);
  g_ptr_array_unref (self->districts);
  g_array_unref (self->pieces);
  g_free (self);
}
