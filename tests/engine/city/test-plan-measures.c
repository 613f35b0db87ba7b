/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-plan-measures.c - streets, blocks and buildings of plans, with values known by hand.
 */
#include <math.h>

#include "city-fixture.h"
#include "city/distance.h"
#include "map/ring.h"

static UrbCityVectors *
make_plan (double size_m)
{
  UrbCityVectors *plan = g_new0 (UrbCityVectors, 1);

  plan->width_m = plan->height_m = size_m;
  plan->polygons = g_array_new (FALSE, FALSE, sizeof (UrbCityPolygon));
  plan->rings = g_array_new (FALSE, FALSE, sizeof (UrbCityRing));
  plan->streets = g_array_new (FALSE, FALSE, sizeof (UrbCityStreet));
  plan->xy = g_array_new (FALSE, FALSE, sizeof (double));
  return plan;
}

/* @n: vertices; a ring after the first is a hole of the last polygon */
static void
add_ring (UrbCityVectors *plan, const double *xy, guint n, gboolean is_hole)
{
  UrbCityRing ring = { plan->xy->len / 2, n };
  UrbCityPolygon *polygon
    = &g_array_index (plan->polygons, UrbCityPolygon, plan->polygons->len - 1);
  double area_m2 = fabs (urb_map_ring_area (xy, n));

  g_array_append_vals (plan->xy, xy, 2 * n);
  g_array_append_val (plan->rings, ring);
  polygon->n_rings++;
  polygon->area_m2 += is_hole ? -area_m2 : area_m2;
}

static void
add_polygon (UrbCityVectors *plan, UrbClass class_, const double *xy, guint n)
{
  UrbCityPolygon polygon = { .class_ = class_, .first_ring = plan->rings->len };

  g_array_append_val (plan->polygons, polygon);
  add_ring (plan, xy, n, FALSE);
}

static void
add_street (UrbCityVectors *plan, const double *xy, guint n, double width_m)
{
  UrbCityStreet street = { plan->xy->len / 2, n, width_m };

  g_array_append_vals (plan->xy, xy, 2 * n);
  g_array_append_val (plan->streets, street);
}

#define N(xy) (G_N_ELEMENTS (xy) / 2)

/* 8 m x 6 m around (10, 50), turned by 20 degrees. */
static void
make_turned (double *xy)
{
  static const double corners[][2] = { { -4, -3 }, { 4, -3 }, { 4, 3 }, { -4, 3 } };
  double c = cos (G_PI / 9), s = sin (G_PI / 9);

  for (int i = 0; i < 4; i++)
    {
      xy[2 * i] = 10 + c * corners[i][0] - s * corners[i][1];
      xy[2 * i + 1] = 50 + s * corners[i][0] + c * corners[i][1];
    }
}

/* A ring road of 10 m with two houses wall to wall inside; outside a turned house, one that the tile
 * cuts, and a shed; a street to the tile's edge, and a stub of 3 m into the ring. */
static UrbCityVectors *
make_ring_town (void)
{
  static const double ring[] = { 20, 20, 80, 20, 80, 80, 20, 80 };
  static const double inner[] = { 30, 30, 30, 70, 70, 70, 70, 30 };
  static const double exit[] = { 45, 80, 55, 80, 55, 100, 45, 100 };
  static const double house[] = { 40, 35, 50, 35, 50, 55, 40, 55 };
  static const double next_house[] = { 50, 35, 60, 35, 60, 55, 50, 55 };
  static const double both[] = { 40, 35, 40, 55, 50, 55, 60, 55, 60, 35, 50, 35 };
  static const double cut[] = { 0, 0, 5, 0, 5, 8, 0, 8 };
  static const double shed[] = { 90, 50, 93, 50, 93, 53, 90, 53 };
  static const double outer[] = { 5,  0,  100, 0,  100, 100, 55, 100, 55, 80,  80, 80,  80, 20,
                                  20, 20, 20,  80, 45,  80,  45, 100, 0,  100, 0,  8, 5,  8 };
  static const double round[] = { 50, 75, 25, 75, 25, 25, 75, 25, 75, 75, 50, 75 };
  static const double out[] = { 50, 75, 50, 100 }, stub[] = { 50, 75, 50, 72 };
  UrbCityVectors *plan = make_plan (100);
  double turned[8];

  make_turned (turned);
  add_polygon (plan, URB_CLASS_BUILDING, house, N (house));
  add_polygon (plan, URB_CLASS_BUILDING, next_house, N (next_house));
  add_polygon (plan, URB_CLASS_BUILDING, turned, N (turned));
  add_polygon (plan, URB_CLASS_BUILDING, cut, N (cut));
  add_polygon (plan, URB_CLASS_BUILDING, shed, N (shed));
  add_polygon (plan, URB_CLASS_ROAD, ring, N (ring));
  add_ring (plan, inner, N (inner), TRUE);
  add_polygon (plan, URB_CLASS_ROAD, exit, N (exit));
  add_polygon (plan, URB_CLASS_OTHER, inner, N (inner));
  add_ring (plan, both, N (both), TRUE);
  add_polygon (plan, URB_CLASS_OTHER, outer, N (outer));
  add_ring (plan, turned, N (turned), TRUE);
  add_ring (plan, shed, N (shed), TRUE);
  add_street (plan, round, N (round), 10);
  add_street (plan, out, N (out), 6);
  add_street (plan, stub, N (stub), 4);
  return plan;
}

static UrbMeasurements *
measure (const UrbCityVectors *plan)
{
  UrbMeasurements *measured = urb_measurements_new ();
  g_autoptr(UrbClassMap) map = urb_class_map_new_from_vectors (plan, 100, NULL, NULL);

  urb_measurements_add (measured, map, NULL, plan);
  return measured;
}

/* @expected: ascending */
static void
assert_values (const UrbMeasurements *measured, UrbMeasure measure, const double *expected, guint n)
{
  g_autoptr(GArray) values = urb_measurements_pool (measured, measure, NULL, 0);

  g_assert_cmpuint (values->len, ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (g_array_index (values, double, i), expected[i], 1e-9);
}

#define assert_all(measured, measure, ...)                                                         \
  assert_values (measured, measure, (const double[]) { __VA_ARGS__ },                              \
                 G_N_ELEMENTS (((const double[]) { __VA_ARGS__ })))

static void
test_by_hand (void)
{
  g_autoptr(UrbCityVectors) plan = make_ring_town ();
  g_autoptr(UrbMeasurements) measured = measure (plan);
  double turned_m = 20 - (10 + 4 * cos (G_PI / 9) + 3 * sin (G_PI / 9));

  /* The ring of 200 m counts eight times, the 25 m and the stub once.  */
  assert_all (measured, URB_MEASURE_STREET_WIDTH, 4, 6, 10, 10, 10, 10, 10, 10, 10, 10);
  /* The ring turns by 360 degrees; the stub is too short. */
  assert_all (measured, URB_MEASURE_STREET_BENDS, 0, 180, 180, 180, 180, 180, 180, 180, 180);
  /* One junction, of four; one dead end, since the other end is at the tile's edge. */
  assert_all (measured, URB_MEASURE_FOUR_WAY_SHARE, 1);
  assert_all (measured, URB_MEASURE_DEAD_END_SHARE, 0.5);
  /* Two houses, the turned one, and the cut one from corner to corner.  The shed is too small. */
  assert_all (measured, URB_MEASURE_STREET_DISTANCE, 5, 5, turned_m, hypot (15, 12));
  /* Not the cut one. */
  assert_all (measured, URB_MEASURE_STREET_ANGLE, 0, 0, 20);
  /* The tile cuts the block outside. */
  assert_all (measured, URB_MEASURE_BLOCK_AREA, log2 (1600));
  assert_all (measured, URB_MEASURE_BLOCK_COVERAGE, (48 + 40 + 9) / 6200.0, 400 / 1600.0);
}

/* Without streets there is one block, and nothing to measure streets by. */
static void
test_field (void)
{
  static const double all[] = { 0, 0, 100, 0, 100, 100, 0, 100 };
  static const double house[] = { 40, 35, 50, 35, 50, 55, 40, 55 };
  g_autoptr(UrbCityVectors) plan = make_plan (100);
  g_autoptr(UrbMeasurements) measured = NULL;

  add_polygon (plan, URB_CLASS_BUILDING, house, N (house));
  add_polygon (plan, URB_CLASS_OTHER, all, N (all));
  add_ring (plan, house, N (house), TRUE);
  measured = measure (plan);
  assert_all (measured, URB_MEASURE_BLOCK_COVERAGE, 0.02);
  for (UrbMeasure m = 0; m < URB_N_MEASURES; m++)
    if (m == URB_MEASURE_STREET_DISTANCE || m == URB_MEASURE_STREET_ANGLE
        || m == URB_MEASURE_STREET_WIDTH || m == URB_MEASURE_STREET_BENDS
        || m == URB_MEASURE_DEAD_END_SHARE
        || m == URB_MEASURE_FOUR_WAY_SHARE || m == URB_MEASURE_BLOCK_AREA)
      g_assert_cmpuint (measured->values[m]->len, ==, 0);
}

/* A crossing, as the vectorizer draws it. */
static void
test_drawn (void)
{
  g_autoptr(UrbClassMap) map = fixture_blank (128, 1);
  g_autoptr(UrbCityVectors) plan = NULL;
  g_autoptr(UrbMeasurements) measured = NULL;
  g_autoptr(GArray) widths = NULL;

  fixture_paint_rectangle (map, 64, 50, 200, 8, 0, URB_CLASS_ROAD);
  fixture_paint_rectangle (map, 64, 64, 200, 8, G_PI / 2, URB_CLASS_ROAD);
  for (int i = 0; i < 8; i++)
    fixture_paint_rectangle (map, 20 + i % 4 * 29, i < 4 ? 25 : 90, 16, 12, 0, URB_CLASS_BUILDING);
  plan = fixture_vectors (map, 1);
  measured = measure (plan);
  widths = urb_measurements_pool (measured, URB_MEASURE_STREET_WIDTH, NULL, 0);
  g_assert_cmpfloat_with_epsilon (urb_quantile (widths, 0.5), 8, 1);
  assert_all (measured, URB_MEASURE_FOUR_WAY_SHARE, 1);
  assert_all (measured, URB_MEASURE_DEAD_END_SHARE, 0);
  g_assert_cmpuint (measured->values[URB_MEASURE_BLOCK_COVERAGE]->len, ==, 4);
  g_assert_cmpuint (measured->values[URB_MEASURE_STREET_ANGLE]->len, ==, 8);
  for (guint i = 0; i < 8; i++)
    g_assert_cmpfloat (g_array_index (measured->values[URB_MEASURE_STREET_ANGLE], double, i), <, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan-measures/by-hand", test_by_hand);
  g_test_add_func ("/plan-measures/field", test_field);
  g_test_add_func ("/plan-measures/drawn", test_drawn);
  return g_test_run ();
}
