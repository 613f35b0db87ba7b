/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-building-plan.c - buildings drawn at known places are found there.
 */
#include <math.h>
#include <string.h>

#include "city-fixture.h"
#include "city/building-plan.h"
#include "city/vector-raster.h"

/* A rectangle of @length x @width around (@x, @y). */
typedef struct
{
  double   x, y, length, width, angle;
  gboolean is_open; /* cut out of those before */
} Box;

enum { SIZE_PX = 64 };

static gboolean
is_built (const Box *boxes, guint n, double x, double y)
{
  gboolean built = FALSE;

  for (guint i = 0; i < n; i++)
    {
      double c = cos (boxes[i].angle), s = sin (boxes[i].angle);
      double dx = x - boxes[i].x, dy = y - boxes[i].y;

      if (fabs (c * dx + s * dy) < boxes[i].length / 2
          && fabs (c * dy - s * dx) < boxes[i].width / 2)
        built = !boxes[i].is_open;
    }
  return built;
}

/* A map of @size_px pixels of 1 m that was interpolated from pixels of @zoom m; each of these has the
 * share that is built.  Walls wave by @wave_px to both sides, as a generator draws them. */
static UrbSoftMap *
draw_map (const Box *boxes, guint n, int size_px, int zoom, double wave_px)
{
  enum { SAMPLES = 16 };
  int size = size_px / zoom;
  g_autofree guint8 *levels = g_malloc0 ((gsize) size * (gsize) size * 3);

  for (int row = 0; row < size; row++)
    for (int col = 0; col < size; col++)
      {
        guint8 *pixel = levels + (row * size + col) * 3;
        int count = 0;

        for (int k = 0; k < SAMPLES * SAMPLES; k++)
          {
            double x = (col + (k % SAMPLES + 0.5) / SAMPLES) * zoom;
            double y = (row + (k / SAMPLES + 0.5) / SAMPLES) * zoom;

            count += is_built (boxes, n, x + wave_px * sin (0.45 * y), y + wave_px * sin (0.45 * x));
          }
        pixel[URB_CLASS_BUILDING] = (guint8) (count * 255 / (SAMPLES * SAMPLES));
        pixel[URB_CLASS_OTHER] = (guint8) (255 - pixel[URB_CLASS_BUILDING]);
      }
  return urb_soft_map_new_from_levels (levels, size, size, 3, size_px, zoom);
}

static UrbSoftMap *
draw_waving_boxes (const Box *boxes, guint n, int zoom, double wave_px)
{
  return draw_map (boxes, n, SIZE_PX, zoom, wave_px);
}

static UrbSoftMap *
draw_boxes (const Box *boxes, guint n, int zoom)
{
  return draw_waving_boxes (boxes, n, zoom, 0);
}

static UrbBuildingPlan *
plan (const UrbSoftMap *map, const UrbStreetGraph *streets)
{
  UrbBuildingOptions options;

  urb_building_options_init (&options, map->detail_m);
  return urb_building_plan_new (map, streets, &options);
}

static UrbBuildingPlan *
plan_boxes (const Box *boxes, guint n, int zoom)
{
  g_autoptr(UrbSoftMap) map = draw_boxes (boxes, n, zoom);

  return plan (map, NULL);
}

static const UrbBuilding *
get_building (const UrbBuildingPlan *self, guint i)
{
  return &g_array_index (self->buildings, UrbBuilding, i);
}

/* @k: of the building's rings */
static const UrbPoint *
get_ring (const UrbBuildingPlan *self, const UrbBuilding *building, guint k, guint *n)
{
  const UrbBuildingRing *ring = &g_array_index (self->rings, UrbBuildingRing,
                                                building->first_ring + k);

  *n = ring->n_points;
  return &g_array_index (self->points, UrbPoint, ring->first_point);
}

static double
get_area (const UrbBuildingPlan *self, const UrbBuilding *building)
{
  double sum = 0;

  for (guint k = 0; k < building->n_rings; k++)
    {
      guint n;
      const UrbPoint *ring = get_ring (self, building, k, &n);

      sum += urb_ring_area (ring, n);
    }
  return sum;
}

/* One building of one ring, of @n_corners. */
static void
assert_simple (const UrbBuildingPlan *self, guint n_corners, double area, double tolerance)
{
  guint n;

  g_assert_cmpuint (self->buildings->len, ==, 1);
  g_assert_cmpuint (get_building (self, 0)->n_rings, ==, 1);
  get_ring (self, get_building (self, 0), 0, &n);
  g_assert_cmpuint (n, ==, n_corners);
  g_assert_cmpfloat_with_epsilon (get_area (self, get_building (self, 0)), area, tolerance);
}

/* A corner of the building is within @tolerance of (@x, @y). */
static void
assert_corner (const UrbBuildingPlan *self, guint building, double x, double y, double tolerance)
{
  double nearest = G_MAXDOUBLE;

  for (guint k = 0; k < get_building (self, building)->n_rings; k++)
    {
      guint n;
      const UrbPoint *ring = get_ring (self, get_building (self, building), k, &n);

      for (guint i = 0; i < n; i++)
        nearest = MIN (nearest, hypot (ring[i].x - x, ring[i].y - y));
    }
  g_assert_cmpfloat (nearest, <, tolerance);
}

static void
assert_box (const UrbBuildingPlan *self, guint building, const Box *box, double tolerance)
{
  double c = cos (box->angle) / 2, s = sin (box->angle) / 2;

  for (int u = -1; u <= 1; u += 2)
    for (int v = -1; v <= 1; v += 2)
      assert_corner (self, building, box->x + u * c * box->length - v * s * box->width,
                     box->y + u * s * box->length + v * c * box->width, tolerance);
}

static void
count_span (int row, int col_begin, int col_end, gpointer user_data)
{
  guint8 *counts = user_data;

  for (int col = col_begin; col < col_end; col++)
    counts[row * 4 * SIZE_PX + col]++;
}

/* Rings have areas and stay in the tile, buildings do not overlap (more than @n_allowed samples of
 * a quarter pixel), and angles are in their range. */
static void
assert_valid (const UrbBuildingPlan *self, const UrbSoftMap *map, guint n_allowed)
{
  g_autofree guint8 *counts = g_malloc0 (16 * SIZE_PX * SIZE_PX);
  g_autoptr(GArray) points = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  guint n_double = 0;

  for (guint i = 0; i < self->buildings->len; i++)
    {
      const UrbBuilding *building = get_building (self, i);

      g_assert_cmpfloat (building->angle, >=, 0);
      g_assert_cmpfloat (building->angle, <, G_PI / 2 + 1e-9);
      g_assert_cmpfloat (get_area (self, building), >, 0);
      g_array_set_size (points, 0);
      for (guint k = 0; k < building->n_rings; k++)
        {
          guint n;
          const UrbPoint *ring = get_ring (self, building, k, &n);

          g_assert_cmpuint (n, >=, 3);
          g_assert_true ((urb_ring_area (ring, n) > 0) == (k == 0));
          for (guint p = 0; p < n; p++)
            {
              g_assert_true (ring[p].x >= 0 && ring[p].x <= map->width_px);
              g_assert_true (ring[p].y >= 0 && ring[p].y <= map->height_px);
              UrbPoint fine = { 4 * ring[p].x, 4 * ring[p].y };
              g_array_append_val (points, fine);
            }
        }
      if (map->width_px > SIZE_PX || map->height_px > SIZE_PX)
        continue;
      g_autofree guint *sizes = g_new (guint, building->n_rings);
      for (guint k = 0; k < building->n_rings; k++)
        get_ring (self, building, k, &sizes[k]);
      urb_rings_rasterize ((const UrbPoint *) (gpointer) points->data, sizes, building->n_rings,
                           4 * SIZE_PX, 4 * SIZE_PX, count_span, counts);
    }
  for (int i = 0; i < 16 * SIZE_PX * SIZE_PX; i++)
    n_double += counts[i] > 1;
  g_assert_cmpuint (n_double, <=, n_allowed);
}

static void
test_rectangle (void)
{
  for (int degrees = 0; degrees < 90; degrees += 7)
    {
      Box box = { 31.3, 32.8, 21.4, 11.7, degrees * G_PI / 180 };
      g_autoptr(UrbBuildingPlan) self = plan_boxes (&box, 1, 1);

      assert_simple (self, 4, box.length * box.width, 3);
      assert_box (self, 0, &box, 0.3);
      g_assert_cmpuint (get_building (self, 0)->n_rectangles, ==, 1);
    }
}

/* 8 m x 11 m are two by three pixels of 4 m. */
static void
test_small_house (void)
{
  for (int degrees = 0; degrees < 90; degrees += 15)
    for (int shift = 0; shift < 4; shift++)
      {
        Box box = { 30 + shift, 33 + shift * 0.5, 11, 8, degrees * G_PI / 180 };
        g_autoptr(UrbBuildingPlan) self = plan_boxes (&box, 1, 4);

        assert_simple (self, 4, 88, 9);
        assert_box (self, 0, &box, 2.5);
      }
}

static void
test_wings (void)
{
  const Box l[] = { { 32, 32, 30, 24, 0.4 },
                    { 32 + 8 * cos (0.4) - 7 * sin (0.4), 32 + 8 * sin (0.4) + 7 * cos (0.4), 14,
                      10, 0.4, TRUE } };
  const Box u[] = { { 32, 32, 30, 24, 0.4 },
                    { 32 - 6 * sin (0.4), 32 + 6 * cos (0.4), 12, 12.2, 0.4, TRUE } };
  const Box t[] = { { 32, 24, 30, 9, 0 }, { 30, 36, 9, 15.2, 0 } };
  g_autoptr(UrbBuildingPlan) first = plan_boxes (l, G_N_ELEMENTS (l), 1);
  g_autoptr(UrbBuildingPlan) second = plan_boxes (u, G_N_ELEMENTS (u), 1);
  g_autoptr(UrbBuildingPlan) third = plan_boxes (t, G_N_ELEMENTS (t), 1);

  assert_simple (first, 6, 30 * 24 - 14 * 10, 6);
  g_assert_cmpuint (get_building (first, 0)->n_rectangles, ==, 2);
  assert_simple (second, 8, 30 * 24 - 12 * 12, 6);
  assert_simple (third, 8, 30 * 9 + 9 * 15, 5);
  assert_corner (third, 0, 25.5, 28.5, 0.3);
}

static void
test_courtyard (void)
{
  const Box boxes[] = { { 32, 32, 36, 30, 0.3 }, { 32, 32, 16, 12, 0.3, TRUE } };

  for (int zoom = 1; zoom <= 2; zoom++)
    {
      g_autoptr(UrbBuildingPlan) self = plan_boxes (boxes, G_N_ELEMENTS (boxes), zoom);

      g_assert_cmpuint (self->buildings->len, ==, 1);
      g_assert_cmpuint (get_building (self, 0)->n_rings, ==, 2);
      g_assert_cmpfloat_with_epsilon (get_area (self, get_building (self, 0)), 36 * 30 - 16 * 12,
                                      12);
      assert_box (self, 0, &boxes[0], 0.6 * zoom);
      assert_box (self, 0, &boxes[1], 0.6 * zoom);
    }
}

/* A step of 5 m in a long wall stays; one of half a meter does not. */
static void
test_hall (void)
{
  const Box boxes[] = { { 32, 30, 50, 20, 0 }, { 45, 41, 24, 6, 0 } };
  const Box flush[] = { { 32, 30, 50, 20, 0 }, { 45, 39, 24, 3, 0 } };
  g_autoptr(UrbBuildingPlan) stepped = plan_boxes (boxes, 2, 1);
  g_autoptr(UrbBuildingPlan) straight = plan_boxes (flush, 2, 1);

  assert_simple (stepped, 6, 50 * 20 + 24 * 4, 5);
  assert_corner (stepped, 0, 33, 40, 0.3);
  assert_corner (stepped, 0, 33, 44, 0.3);
  assert_simple (straight, 4, 50 * 20 + 24 * 0.5, 8);
}

/* Of a city at 1 m a pixel that a refiner drew. */
static UrbBuildingOptions
make_refined_options (void)
{
  UrbBuildingOptions options;

  urb_building_options_init (&options, 4);
  options.part_m2 = 4;
  options.court_m2 = 40;
  options.jog_m = 1.3;
  options.turn_m2 = 200;
  options.split_m2 = 600;
  return options;
}

/* Halls at 17 degrees with waving walls have no corners but their own. */
static void
test_waving_hall (void)
{
  const double angle = 17 * G_PI / 180, c = cos (angle), s = sin (angle);
  const Box l[] = { { 32, 32, 40, 28, angle },
                    { 32 + 10 * c - 7 * s, 32 + 10 * s + 7 * c, 20, 14, angle, TRUE } };
  const Box t[] = { { 32 + 8 * s, 32 - 8 * c, 44, 12, angle }, { 32 - 5 * s, 32 + 5 * c, 14, 16, angle } };
  const Box bar = { 32, 32, 50, 13, angle };
  const struct { const Box *boxes; guint n, n_corners; double area; } halls[] = {
    { l, 2, 6, 40 * 28 - 20 * 14 }, { t, 2, 8, 44 * 12 + 14 * 15 }, { &bar, 1, 4, 50 * 13 },
  };
  UrbBuildingOptions options = make_refined_options ();

  for (guint i = 0; i < G_N_ELEMENTS (halls); i++)
    {
      g_autoptr(UrbSoftMap) map = draw_waving_boxes (halls[i].boxes, halls[i].n, 1, 1.5);
      g_autoptr(UrbBuildingPlan) self = urb_building_plan_new (map, NULL, &options);

      assert_simple (self, halls[i].n_corners, halls[i].area, 0.05 * halls[i].area);
      g_assert_cmpfloat_with_epsilon (get_building (self, 0)->angle, angle, 0.03);
    }
}

/* A perimeter block of 8,000 m2 keeps a courtyard of 120 m2, but not a wing of 60 m2. */
static void
test_perimeter_block (void)
{
  const Box boxes[] = { { 64, 60, 96, 84, 0 }, { 64, 60, 10, 12, 0, TRUE }, { 40, 102, 10, 12, 0 } };
  const double area = 96 * 84 - 10 * 12;
  UrbBuildingOptions options = make_refined_options ();
  g_autoptr(UrbSoftMap) map = draw_map (boxes, G_N_ELEMENTS (boxes), 128, 1, 0);
  g_autoptr(UrbBuildingPlan) self = urb_building_plan_new (map, NULL, &options);
  guint n_outer, n_inner;

  g_assert_cmpuint (self->buildings->len, ==, 1);
  g_assert_cmpuint (get_building (self, 0)->n_rings, ==, 2);
  get_ring (self, get_building (self, 0), 0, &n_outer);
  get_ring (self, get_building (self, 0), 1, &n_inner);
  g_assert_cmpuint (n_outer, ==, 4);
  g_assert_cmpuint (n_inner, ==, 4);
  g_assert_cmpfloat_with_epsilon (get_area (self, get_building (self, 0)), area, 0.02 * area);
}

/* Houses that stand 3 m apart stay apart, in all directions. */
static void
test_pair (void)
{
  UrbBuildingOptions options = make_refined_options ();

  for (int degrees = 0; degrees < 90; degrees += 15)
    {
      double c = cos (degrees * G_PI / 180), s = sin (degrees * G_PI / 180);
      Box boxes[] = { { 32 - 7.5 * c, 32 - 7.5 * s, 12, 10, degrees * G_PI / 180 },
                      { 32 + 7.5 * c, 32 + 7.5 * s, 12, 10, degrees * G_PI / 180 } };
      g_autoptr(UrbSoftMap) map = draw_waving_boxes (boxes, 2, 1, 0.3);
      g_autoptr(UrbBuildingPlan) self = urb_building_plan_new (map, NULL, &options);

      g_assert_cmpuint (self->buildings->len, ==, 2);
      for (guint i = 0; i < 2; i++)
        {
          guint n;
          const UrbPoint *ring = get_ring (self, get_building (self, i), 0, &n);
          gboolean is_first = ring[0].x * c + ring[0].y * s < 32 * (c + s);

          g_assert_cmpuint (n, ==, 4);
          g_assert_cmpfloat_with_epsilon (get_area (self, get_building (self, i)), 120, 8);
          assert_box (self, i, &boxes[is_first ? 0 : 1], 1);
        }
    }
}

/* A house and its garage of the share @garage, 2 m apart, with the share @between in the gap. */
static UrbBuildingPlan *
plan_joined (float garage, float between, double split_m2)
{
  const Box boxes[] = { { 24, 32, 12, 12, 0 }, { 35, 32, 6, 8, 0 } };
  UrbBuildingOptions options = make_refined_options ();
  g_autoptr(UrbSoftMap) map = draw_boxes (boxes, 2, 1);

  options.split_m2 = split_m2;
  for (int row = 28; row < 36; row++)
    for (int col = 30; col < 38; col++)
      map->shares[URB_CLASS_BUILDING][row * SIZE_PX + col] = col < 32 ? between : garage;
  return urb_building_plan_new (map, NULL, &options);
}

/* Where the share sinks between two houses, they are two, even if one of them is pale; not if it hardly sinks, or only sinks
 * from the one towards the other, and halls are never divided. */
static void
test_joined (void)
{
  g_autoptr(UrbBuildingPlan) apart = plan_joined (1, 0.65f, 600), shallow = plan_joined (1, 0.85f, 600);
  g_autoptr(UrbBuildingPlan) pale = plan_joined (0.75f, 0.6f, 600), one = plan_joined (1, 0.95f, 600);
  g_autoptr(UrbBuildingPlan) annex = plan_joined (0.7f, 0.8f, 600);
  g_autoptr(UrbBuildingPlan) large = plan_joined (1, 0.65f, 100), off = plan_joined (1, 0.65f, 0);
  guint n;

  g_assert_cmpuint (apart->buildings->len, ==, 2);
  g_assert_cmpfloat_with_epsilon (get_area (apart, get_building (apart, 0)), 12 * 12, 6);
  g_assert_cmpfloat_with_epsilon (get_area (apart, get_building (apart, 1)), 6 * 8, 6);
  for (guint i = 0; i < 2; i++)
    {
      get_ring (apart, get_building (apart, i), 0, &n);
      g_assert_cmpuint (n, ==, 4);
    }
  g_assert_cmpuint (shallow->buildings->len, ==, 2);
  g_assert_cmpuint (pale->buildings->len, ==, 2);
  g_assert_cmpuint (one->buildings->len, ==, 1);
  g_assert_cmpuint (annex->buildings->len, ==, 1);
  g_assert_cmpuint (large->buildings->len, ==, 1);
  g_assert_cmpuint (off->buildings->len, ==, 1);
}

/* The share of a pale house is not even. */
static void
test_ripple (void)
{
  const Box boxes[] = { { 32, 32, 30, 10, 0 } };
  UrbBuildingOptions options = make_refined_options ();
  g_autoptr(UrbSoftMap) map = draw_boxes (boxes, 1, 1);
  g_autoptr(UrbBuildingPlan) self = NULL;

  for (int row = 27; row < 37; row++)
    for (int col = 17; col < 47; col++)
      map->shares[URB_CLASS_BUILDING][row * SIZE_PX + col] = 0.75f + 0.02f * (float) cos (2 * G_PI * col / 10);
  self = urb_building_plan_new (map, NULL, &options);
  g_assert_cmpuint (self->buildings->len, ==, 1);
}

/* Houses of nearly the same direction get the same, as far away as they agree. */
static void
test_agree (void)
{
  const Box boxes[] = { { 30, 60, 16, 10, 0.1 }, { 95, 60, 16, 10, 0.14 } }; /* 65 m apart */
  UrbBuildingOptions options = make_refined_options ();
  g_autoptr(UrbSoftMap) map = draw_map (boxes, 2, 128, 1, 0);

  for (int i = 0; i < 2; i++)
    {
      g_autoptr(UrbBuildingPlan) self = NULL;

      options.agree_m = i == 0 ? 45 : 100;
      self = urb_building_plan_new (map, NULL, &options);
      g_assert_cmpuint (self->buildings->len, ==, 2);
      g_assert_cmpfloat_with_epsilon (fabs (get_building (self, 0)->angle - get_building (self, 1)->angle),
                                      i == 0 ? 0.04 : 0, 0.01);
    }
}

/* A porch of 9 m² above the share is no house of its own. */
static void
test_porch (void)
{
  const Box boxes[] = { { 32, 32, 14, 12, 0 }, { 41.5, 32, 3, 3, 0 } };
  UrbBuildingOptions options = make_refined_options ();
  g_autoptr(UrbSoftMap) map = draw_boxes (boxes, 2, 1);
  g_autoptr(UrbBuildingPlan) self = NULL;

  for (int row = 30; row < 34; row++)
    map->shares[URB_CLASS_BUILDING][row * SIZE_PX + 39] = 0.6f;
  self = urb_building_plan_new (map, NULL, &options);
  g_assert_cmpuint (self->buildings->len, ==, 1);
}

/* A gap of 0.6 m is too narrow to build. */
static void
test_party_wall (void)
{
  const Box boxes[] = { { 20, 32, 14.5, 12, 0 }, { 36.3, 32, 16.9, 16, 0 } };
  g_autoptr(UrbSoftMap) map = draw_boxes (boxes, 2, 1);
  g_autoptr(UrbBuildingPlan) self = plan (map, NULL);
  double ends[2] = { -G_MAXDOUBLE, G_MAXDOUBLE };

  g_assert_cmpuint (self->buildings->len, ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      gboolean is_left = fabs (get_area (self, get_building (self, i)) - 14.5 * 12) < 20;
      guint n;
      const UrbPoint *ring = get_ring (self, get_building (self, i), 0, &n);

      for (guint k = 0; k < n; k++)
        if (is_left)
          ends[0] = MAX (ends[0], ring[k].x);
        else
          ends[1] = MIN (ends[1], ring[k].x);
    }
  g_assert_cmpfloat_with_epsilon (ends[0], ends[1], 1e-6);
  g_assert_cmpfloat_with_epsilon (ends[0], 27.55, 0.2);
  assert_valid (self, map, 0);
}

static void
test_too_small (void)
{
  const Box small = { 32, 32, 4, 4, 0.2 }, thin = { 32, 32, 20, 2, 0.2 };
  g_autoptr(UrbSoftMap) map = draw_boxes (&small, 1, 1);
  g_autoptr(UrbBuildingPlan) without = plan (map, NULL), with = NULL;
  g_autoptr(UrbBuildingPlan) narrow = plan_boxes (&thin, 1, 1);
  UrbBuildingOptions options;

  g_assert_cmpuint (without->buildings->len, ==, 0);
  g_assert_cmpuint (narrow->buildings->len, ==, 0);
  urb_building_options_init (&options, 1);
  options.min_area_m2 = options.min_width_m = 0;
  with = urb_building_plan_new (map, NULL, &options);
  assert_simple (with, 4, 16, 2);
}

/* Buildings across an edge and a corner of the tile end exactly on it. */
static void
test_border (void)
{
  const Box boxes[] = { { 0, 30, 20, 12, 0.5 }, { 64, 64, 22, 22, 0.8 } };
  g_autoptr(UrbSoftMap) map = draw_boxes (boxes, 2, 1);
  g_autoptr(UrbBuildingPlan) self = plan (map, NULL);
  guint on_left = 0, on_right = 0, on_bottom = 0;

  g_assert_cmpuint (self->buildings->len, ==, 2);
  for (guint i = 0; i < self->points->len; i++)
    {
      UrbPoint p = g_array_index (self->points, UrbPoint, i);

      on_left += p.x == 0;
      on_right += p.x == SIZE_PX;
      on_bottom += p.y == SIZE_PX;
    }
  g_assert_cmpuint (on_left, ==, 2);
  g_assert_cmpuint (on_right, ==, 2);
  g_assert_cmpuint (on_bottom, ==, 2);
  assert_corner (self, 1, SIZE_PX, SIZE_PX, 1e-9);
  assert_corner (self, 0, 10 * cos (0.5) - 6 * sin (0.5), 30 + 10 * sin (0.5) + 6 * cos (0.5), 0.4);
  assert_valid (self, map, 0);
}

/* A building that fills the tile is the tile. */
static void
test_full (void)
{
  const Box box = { 32, 32, 200, 200, 0 };
  g_autoptr(UrbBuildingPlan) self = plan_boxes (&box, 1, 1);

  assert_simple (self, 4, SIZE_PX * SIZE_PX, 1e-6);
}

/* A round building is not a staircase. */
static void
test_round (void)
{
  g_autoptr(UrbClassMap) map = fixture_blank (SIZE_PX, 1);
  g_autoptr(UrbSoftMap) soft = NULL;
  g_autoptr(UrbBuildingPlan) self = NULL;
  guint n;

  for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
    if (hypot (i % SIZE_PX + 0.5 - 32, i / SIZE_PX + 0.5 - 32) < 20)
      map->classes[i] = URB_CLASS_BUILDING;
  soft = urb_soft_map_new_from_classes (map);
  self = plan (soft, NULL);
  g_assert_cmpuint (self->buildings->len, ==, 1);
  g_assert_cmpuint (get_building (self, 0)->n_rectangles, ==, 0);
  get_ring (self, get_building (self, 0), 0, &n);
  g_assert_cmpuint (n, >=, 8);
  g_assert_cmpuint (n, <=, 24);
  g_assert_cmpfloat_with_epsilon (get_area (self, get_building (self, 0)), G_PI * 400, 50);
}

static UrbStreetGraph
make_street (double angle)
{
  UrbStreetEdge edge = { 0, 1, 0, 2, 5 };
  UrbStreetGraph streets = { .edges = g_array_new (FALSE, FALSE, sizeof (UrbStreetEdge)),
                             .points = g_array_new (FALSE, FALSE, sizeof (UrbPoint)) };
  UrbPoint a = { 0, 52 }, b = { 64, 52 + 64 * tan (angle) };

  g_array_append_val (streets.edges, edge);
  g_array_append_val (streets.points, a);
  g_array_append_val (streets.points, b);
  return streets;
}

/* A house of few pixels takes the direction of the street if it is near its own. */
static void
test_street (void)
{
  const Box box = { 32, 34, 16, 10, 0.12 };
  g_autoptr(UrbSoftMap) map = draw_boxes (&box, 1, 4);

  for (int i = 0; i < 2; i++)
    {
      UrbStreetGraph streets = make_street (i == 0 ? 0.06 : 0.7);
      g_autoptr(UrbBuildingPlan) self = plan (map, &streets);

      g_assert_cmpuint (self->buildings->len, ==, 1);
      g_assert_cmpfloat_with_epsilon (get_building (self, 0)->angle, i == 0 ? 0.06 : 0.12,
                                      i == 0 ? 1e-6 : 0.1);
      g_array_unref (streets.edges);
      g_array_unref (streets.points);
    }
}

/* A round building has no direction, so it takes that of the street, unless the map is exact. */
static void
test_round_by_street (void)
{
  const Box boxes[] = { { 32, 34, 14, 14, 0 }, { 32, 34, 14, 14, G_PI / 8 },
                        { 32, 34, 14, 14, G_PI / 4 }, { 32, 34, 14, 14, G_PI * 3 / 8 } };
  g_autoptr(UrbSoftMap) map = draw_boxes (boxes, 4, 1);

  for (int i = 0; i < 2; i++)
    {
      UrbStreetGraph streets = make_street (0.3);
      g_autoptr(UrbBuildingPlan) self = NULL;
      UrbBuildingOptions options;

      urb_building_options_init (&options, i == 0 ? 4 : 1);
      self = urb_building_plan_new (map, &streets, &options);
      g_assert_cmpuint (self->buildings->len, ==, 1);
      if (i == 0)
        g_assert_cmpfloat_with_epsilon (get_building (self, 0)->angle, 0.3, 1e-6);
      else
        g_assert_cmpfloat (fabs (get_building (self, 0)->angle - 0.3), >, 0.05);
      g_array_unref (streets.edges);
      g_array_unref (streets.points);
    }
}

static guint
count_corners (const UrbBuildingPlan *self)
{
  guint n;

  get_ring (self, get_building (self, 0), 0, &n);
  return n;
}

/* A house that the street turns keeps its annex, but has no flight of stairs that fine jogs draw. */
static void
test_stairs (void)
{
  const Box annex[] = { { 32, 32, 16, 10, 0 }, { 34, 26, 6, 4, 0 } };
  const Box slanted = { 32, 30, 40, 10, 0.3 };
  const struct { const Box *boxes; guint n; double jog_m, stairs_jog_m; guint least, most; } cases[] = {
    { annex, 2, 0.9, 2.5, 8, 8 },
    { &slanted, 1, 0.9, 0, 14, 40 }, /* what it becomes otherwise */
    { &slanted, 1, 0.9, 2.5, 4, 12 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(UrbSoftMap) map = draw_boxes (cases[i].boxes, cases[i].n, 1);
      UrbStreetGraph streets = make_street (0);
      UrbBuildingOptions options = make_refined_options ();
      g_autoptr(UrbBuildingPlan) self = NULL;

      options.part_m2 = 2;
      options.turn_m2 = 0;
      options.street_pull = 10;
      options.jog_m = cases[i].jog_m;
      options.stairs_jog_m = cases[i].stairs_jog_m;
      self = urb_building_plan_new (map, &streets, &options);
      g_assert_cmpuint (self->buildings->len, ==, 1);
      g_assert_cmpuint (count_corners (self), >=, cases[i].least);
      g_assert_cmpuint (count_corners (self), <=, cases[i].most);
      g_array_unref (streets.edges);
      g_array_unref (streets.points);
    }
}

/* A hall follows a street only as long as it does not become a flight of stairs. */
static void
test_hall_by_street (void)
{
  const Box bar = { 32, 30, 44, 14, 0.1 };
  g_autoptr(UrbSoftMap) map = draw_waving_boxes (&bar, 1, 1, 1.5);

  for (int i = 0; i < 2; i++)
    {
      UrbStreetGraph streets = make_street (i == 0 ? 0.06 : 0.6);
      UrbBuildingOptions options = make_refined_options ();
      g_autoptr(UrbBuildingPlan) self = NULL;

      options.street_pull = 10;
      self = urb_building_plan_new (map, &streets, &options);
      assert_simple (self, 4, 44 * 14, 30);
      g_assert_cmpfloat_with_epsilon (get_building (self, 0)->angle, i == 0 ? 0.06 : 0.1, i == 0 ? 1e-6 : 0.03);
      g_array_unref (streets.edges);
      g_array_unref (streets.points);
    }
}

/* Houses in a row get one direction. */
static void
test_row (void)
{
  Box boxes[4];
  g_autoptr(UrbBuildingPlan) self = NULL;

  for (int i = 0; i < 4; i++)
    boxes[i] = (Box) { 10 + 15 * i, 20 + 2 * i, 9 + i % 2, 8, 0.13 + 0.02 * (i % 3) };
  self = plan_boxes (boxes, 4, 4);
  g_assert_cmpuint (self->buildings->len, ==, 4);
  for (guint i = 0; i < 4; i++)
    {
      g_assert_cmpfloat_with_epsilon (get_building (self, i)->angle, 0.145, 0.06);
      g_assert_cmpfloat_with_epsilon (get_building (self, i)->angle, get_building (self, 0)->angle,
                                      0.02);
    }
}

/* A wall that stands on the street moves off it; a house in the middle of the street stays. */
static void
test_off_street (void)
{
  const Box boxes[] = { { 20, 43, 14, 14, 0 }, { 45, 52, 9, 9, 0 } };
  g_autoptr(UrbSoftMap) map = draw_boxes (boxes, 2, 1);
  UrbStreetGraph streets = make_street (0);
  g_autoptr(UrbBuildingPlan) self = NULL;

  g_array_index (streets.edges, UrbStreetEdge, 0).width_m = 6;
  self = plan (map, &streets);
  g_assert_cmpuint (self->buildings->len, ==, 2);
  assert_corner (self, 0, 13, 49, 0.3);
  assert_corner (self, 0, 27, 49, 0.3);
  assert_box (self, 1, &boxes[1], 0.3);
  g_array_unref (streets.edges);
  g_array_unref (streets.points);
}

/* A yard opens to the street if a wall of less than 1.5 m would be left between them, unless all is to be kept. */
static void
test_sliver (void)
{
  const Box boxes[] = { { 32, 31.5, 40, 39, 0 }, { 32, 42, 12, 12.4, 0, TRUE } };
  g_autoptr(UrbSoftMap) map = draw_boxes (boxes, 2, 1);
  UrbStreetGraph streets = make_street (0);
  UrbBuildingOptions options;

  g_array_index (streets.edges, UrbStreetEdge, 0).width_m = 6;
  urb_building_options_init (&options, 1);
  for (int keep = 0; keep < 2; keep++)
    {
      g_autoptr(UrbBuildingPlan) self = NULL;
      guint n;

      if (keep)
        options.min_width_m = 0;
      self = urb_building_plan_new (map, &streets, &options);
      g_assert_cmpuint (self->buildings->len, ==, 1);
      g_assert_cmpuint (get_building (self, 0)->n_rings, ==, keep ? 2 : 1);
      get_ring (self, get_building (self, 0), 0, &n);
      g_assert_cmpuint (n, ==, keep ? 4 : 8);
      assert_valid (self, map, 0);
    }
  g_array_unref (streets.edges);
  g_array_unref (streets.points);
}

static void
test_overlaps (void)
{
  for (guint32 seed = 1; seed <= 30; seed++)
    {
      g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
      int zoom = 1 << g_rand_int_range (rand, 0, 3);
      g_autoptr(UrbSoftMap) map = NULL;
      g_autoptr(UrbBuildingPlan) self = NULL;
      Box boxes[14];

      for (guint i = 0; i < G_N_ELEMENTS (boxes); i++)
        boxes[i] = (Box) { g_rand_double_range (rand, 0, SIZE_PX),
                           g_rand_double_range (rand, 0, SIZE_PX),
                           g_rand_double_range (rand, 6, 20),
                           g_rand_double_range (rand, 5, 12),
                           g_rand_double_range (rand, 0, G_PI) };
      map = draw_boxes (boxes, G_N_ELEMENTS (boxes), zoom);
      self = plan (map, NULL);
      assert_valid (self, map, 0);
    }
}

static void
assert_same (const UrbBuildingPlan *a, const UrbBuildingPlan *b)
{
  g_assert_cmpmem (a->points->data, a->points->len * sizeof (UrbPoint), b->points->data,
                   b->points->len * sizeof (UrbPoint));
  g_assert_cmpmem (a->rings->data, a->rings->len * sizeof (UrbBuildingRing), b->rings->data,
                   b->rings->len * sizeof (UrbBuildingRing));
}

/* Clutter, twice the same. */
static void
test_clutter (void)
{
  for (guint32 seed = 1; seed <= 40; seed++)
    {
      g_autoptr(UrbClassMap) map = fixture_clutter (seed, seed % 2 == 0);
      g_autoptr(UrbSoftMap) soft = urb_soft_map_new_from_classes (map);
      g_autoptr(UrbBuildingPlan) first = NULL, second = NULL;
      UrbBuildingOptions options;

      if (seed % 3 == 0)
        soft->detail_m *= 4;
      urb_building_options_init (&options, soft->detail_m);
      if (seed % 5 == 0)
        options = (UrbBuildingOptions) { 0 };
      first = urb_building_plan_new (soft, NULL, &options);
      second = urb_building_plan_new (soft, NULL, &options);
      assert_same (first, second);
      assert_valid (first, soft, 16);
    }
}

static void
test_noise (void)
{
  UrbBuildingOptions keep = { 0 };

  for (guint32 seed = 1; seed <= 4; seed++)
    {
      g_autoptr(UrbClassMap) map
        = fixture_noise (seed % 2 ? 256 : 96, seed <= 2 ? 2 : 3, seed);
      g_autoptr(UrbSoftMap) soft = urb_soft_map_new_from_classes (map);
      g_autoptr(UrbBuildingPlan) self = NULL;
      gint64 start = g_get_monotonic_time ();

      self = seed % 2 ? plan (soft, NULL) : urb_building_plan_new (soft, NULL, &keep);
      assert_valid (self, soft, G_MAXUINT);
      g_test_message ("noise: %.2f s", (double) (g_get_monotonic_time () - start) / 1e6);
    }
}

static void
test_degenerate (void)
{
  for (int size = 1; size <= 4; size++)
    for (int value = 0; value <= 3; value++)
      {
        g_autoptr(UrbSoftMap) map = urb_soft_map_new (size, 1 + size / 2, 3);
        g_autoptr(UrbBuildingPlan) self = NULL;
        gsize n = (gsize) size * (gsize) map->height_px;

        for (gsize i = 0; i < n; i++)
          map->shares[URB_CLASS_BUILDING][i] = value == 3 ? NAN : (float) value / 2;
        self = plan (map, NULL);
        assert_valid (self, map, 0);
        if (value == 2 && (double) n * 9 >= 20)
          g_assert_cmpfloat_with_epsilon (get_area (self, get_building (self, 0)), n, 1e-6);
        else
          g_assert_cmpuint (self->buildings->len, ==, 0);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/building-plan/rectangle", test_rectangle);
  g_test_add_func ("/building-plan/small-house", test_small_house);
  g_test_add_func ("/building-plan/wings", test_wings);
  g_test_add_func ("/building-plan/courtyard", test_courtyard);
  g_test_add_func ("/building-plan/hall", test_hall);
  g_test_add_func ("/building-plan/waving-hall", test_waving_hall);
  g_test_add_func ("/building-plan/perimeter-block", test_perimeter_block);
  g_test_add_func ("/building-plan/pair", test_pair);
  g_test_add_func ("/building-plan/joined", test_joined);
  g_test_add_func ("/building-plan/agree", test_agree);
  g_test_add_func ("/building-plan/ripple", test_ripple);
  g_test_add_func ("/building-plan/porch", test_porch);
  g_test_add_func ("/building-plan/party-wall", test_party_wall);
  g_test_add_func ("/building-plan/too-small", test_too_small);
  g_test_add_func ("/building-plan/border", test_border);
  g_test_add_func ("/building-plan/full", test_full);
  g_test_add_func ("/building-plan/round", test_round);
  g_test_add_func ("/building-plan/street", test_street);
  g_test_add_func ("/building-plan/stairs", test_stairs);
  g_test_add_func ("/building-plan/round-by-a-street", test_round_by_street);
  g_test_add_func ("/building-plan/hall-by-a-street", test_hall_by_street);
  g_test_add_func ("/building-plan/row", test_row);
  g_test_add_func ("/building-plan/off-street", test_off_street);
  g_test_add_func ("/building-plan/sliver", test_sliver);
  g_test_add_func ("/building-plan/overlaps", test_overlaps);
  g_test_add_func ("/building-plan/clutter", test_clutter);
  g_test_add_func ("/building-plan/noise", test_noise);
  g_test_add_func ("/building-plan/degenerate", test_degenerate);
  return g_test_run ();
}
