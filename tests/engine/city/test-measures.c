/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-measures.c - counts and distances with results computed by hand.
 */
#include <math.h>
#include <string.h>

#include "city-fixture.h"
#include "city/distance.h"
#include "city/skeleton-private.h"

static double
get_value (const UrbMeasurements *measured, UrbMeasure measure, guint i)
{
  g_assert_cmpuint (measured->values[measure]->len, >, i);
  return g_array_index (measured->values[measure], double, i);
}

static void
assert_value (const UrbMeasurements *measured, UrbMeasure measure, double expected)
{
  g_assert_cmpuint (measured->values[measure]->len, ==, 1);
  g_assert_cmpfloat_with_epsilon (get_value (measured, measure, 0), expected, 1e-9);
}

/* Pixels of 2 m have 4 m², so five of them are a building. */
static void
test_small_town (void)
{
  g_autoptr(UrbClassMap) map = fixture_map ("BBB......./"
                                            "BBB.BBB..B/"
                                            "....BBB..B/"
                                            "........../"
                                            "RRRRRRRRRR/"
                                            "RRRRRRRRRR/"
                                            "RRRRRRRRRR/"
                                            "........../"
                                            "..R......./"
                                            "..........", 2);
  g_autoptr(UrbMeasurements) measured = urb_measurements_new ();

  urb_measurements_add (measured, map, NULL, NULL);
  assert_value (measured, URB_MEASURE_BUILDING_SHARE, 0.14);
  assert_value (measured, URB_MEASURE_ROAD_SHARE, 0.31);
  assert_value (measured, URB_MEASURE_OTHER_SHARE, 0.55);
  /* the third has only 8 m² */
  assert_value (measured, URB_MEASURE_BUILDING_COUNT, 2);
  /* the first touches the border */
  assert_value (measured, URB_MEASURE_FOOTPRINT_AREA, log2 (24));
  g_assert_cmpuint (measured->values[URB_MEASURE_BUILDING_SPACING]->len, ==, 2);
  g_assert_cmpfloat_with_epsilon (get_value (measured, URB_MEASURE_BUILDING_SPACING, 0),
                                  2 * hypot (4, 1), 1e-6);
  assert_value (measured, URB_MEASURE_ROAD_CONNECTIVITY, 30.0 / 31);
  /* undefined with fewer than three buildings */
  g_assert_cmpuint (measured->values[URB_MEASURE_ORIENTATION_ENTROPY]->len, ==, 0);
}

static void
test_entropy (void)
{
  double angles[36], weights[36];

  for (int i = 0; i < 36; i++)
    {
      angles[i] = i * G_PI / 72;
      weights[i] = 3;
    }
  g_assert_cmpfloat_with_epsilon (urb_orientation_entropy (angles, weights, 36), log (36), 1e-12);
  g_assert_cmpfloat_with_epsilon (urb_orientation_entropy (angles, weights, 2), log (2), 1e-12);
  /* a grid: directions 90° apart are equal, also with rounding errors */
  angles[1] = G_PI / 2;
  angles[2] = G_PI - 1e-9;
  angles[3] = -1e-9;
  g_assert_cmpfloat (urb_orientation_entropy (angles, weights, 4), ==, 0);
  weights[0] = 0;
  g_assert_cmpfloat (urb_orientation_entropy (angles, weights, 1), ==, -1);
}

/* Buildings in a grid have no entropy, whatever its rotation. */
static void
test_perfect_grid (void)
{
  for (int degrees = 0; degrees < 90; degrees += 15)
    {
      g_autoptr(UrbClassMap) map = fixture_blank (128, 1);
      g_autoptr(UrbMeasurements) measured = urb_measurements_new ();
      double angle = degrees * G_PI / 180, c = cos (angle), s = sin (angle);

      for (int i = -1; i <= 1; i++)
        for (int k = -1; k <= 1; k++)
          fixture_paint_rectangle (map, 64 + 30 * (c * i - s * k), 64 + 30 * (s * i + c * k), 18,
                                   12, angle, URB_CLASS_BUILDING);
      urb_measurements_add (measured, map, NULL, NULL);
      assert_value (measured, URB_MEASURE_BUILDING_COUNT, 9);
      g_test_message ("%d degrees: %.3f", degrees,
                      get_value (measured, URB_MEASURE_ORIENTATION_ENTROPY, 0));
      /* in one bin, or in two adjacent ones */
      g_assert_cmpfloat (get_value (measured, URB_MEASURE_ORIENTATION_ENTROPY, 0), <, 0.7);
      for (guint i = 0; i < 9; i++)
        {
          g_assert_cmpfloat_with_epsilon (get_value (measured, URB_MEASURE_BUILDING_SPACING, i), 30,
                                          1);
          g_assert_cmpfloat (get_value (measured, URB_MEASURE_RECTANGULARITY, i), >, 0.85);
        }
    }
}

/* The walls of a hall of 30 m x 25 m are in line, in any direction; those of a round one are not. */
static void
test_halls (void)
{
  for (int degrees = 0; degrees < 90; degrees += 15)
    {
      g_autoptr(UrbClassMap) map = fixture_blank (128, 1);
      g_autoptr(UrbMeasurements) measured = urb_measurements_new ();

      fixture_paint_rectangle (map, 40, 40, 30, 25, degrees * G_PI / 180, URB_CLASS_BUILDING);
      fixture_paint_rectangle (map, 100, 40, 20, 12, 0, URB_CLASS_BUILDING); /* a house */
      for (int row = 70; row < 100; row++)
        for (int col = 70; col < 100; col++)
          if (hypot (row - 84.5, col - 84.5) < 15)
            map->classes[row * 128 + col] = URB_CLASS_BUILDING;
      urb_measurements_add (measured, map, NULL, NULL);
      g_assert_cmpuint (measured->values[URB_MEASURE_HALL_WALLS]->len, ==, 2);
      g_assert_cmpfloat (get_value (measured, URB_MEASURE_HALL_WALLS, 0), >, 0.9);
      g_assert_cmpfloat (get_value (measured, URB_MEASURE_HALL_WALLS, 1), <, 0.5);
    }
}

/* Of a patch of 4 x 4 undecided pixels the inner four are a half-tone; a line of them is a border. */
static void
test_half_tones (void)
{
  g_autoptr(UrbSoftMap) soft = urb_soft_map_new (10, 10, 1);
  g_autoptr(UrbClassMap) map = fixture_blank (10, 1);
  g_autoptr(UrbMeasurements) measured = urb_measurements_new ();

  for (int i = 0; i < 100; i++)
    {
      int row = i / 10, col = i % 10;
      gboolean undecided = col == 8 || (row >= 2 && row < 6 && col >= 2 && col < 6);

      soft->shares[URB_CLASS_ROAD][i] = undecided ? 0.4f : 0.95f;
      soft->shares[URB_CLASS_OTHER][i] = undecided ? 0.6f : 0.05f;
    }
  urb_measurements_add (measured, map, soft, NULL);
  assert_value (measured, URB_MEASURE_HALF_TONES, 0.04);
}

/* A road, a T and a cross: their arms leave the image, so there are no dead ends. */
static void
test_skeleton (void)
{
  for (int arms = 2; arms <= 4; arms++)
    {
      g_autofree guint8 *mask = g_malloc0 (100 * 100);
      UrbSkeletonCounts counts;

      for (int i = 0; i < 100; i++)
        for (int w = 47; w < 54; w++)
          {
            mask[w * 100 + i] = 1;
            if (arms == 4 || (arms == 3 && i < 50))
              mask[i * 100 + w] = 1;
          }
      counts = urb_skeleton_count (mask, 100, 100, 1);
      g_assert_cmpint (counts.n_junctions, ==, arms > 2);
      g_assert_cmpint (counts.n_dead_ends, ==, 0);
    }
}

static void
test_dead_end (void)
{
  g_autofree guint8 *mask = g_malloc0 (100 * 100);
  UrbSkeletonCounts counts;

  for (int i = 0; i < 100; i++)
    for (int w = 0; w < 6; w++)
      {
        mask[(70 + w) * 100 + i] = 1;
        if (i >= 20 && i < 70)
          mask[i * 100 + 40 + w] = 1;
      }
  mask[69 * 100 + 10] = 1; /* a bump is not a branch */
  counts = urb_skeleton_count (mask, 100, 100, 1);
  g_assert_cmpint (counts.n_junctions, ==, 1);
  g_assert_cmpint (counts.n_dead_ends, ==, 1);
}

static GArray *
make_values (const double *values, guint n)
{
  GArray *array = g_array_new (FALSE, FALSE, sizeof (double));

  g_array_append_vals (array, values, n);
  return array;
}

static void
test_wasserstein (void)
{
  const double a[] = { 0, 1, 3 }, b[] = { 5, 6, 8 }, c[] = { 0, 4 }, d[] = { 1, 1, 1, 5 };
  g_autoptr(GArray) x = make_values (a, 3);
  g_autoptr(GArray) y = make_values (b, 3);
  g_autoptr(GArray) u = make_values (c, 2);
  g_autoptr(GArray) v = make_values (d, 4);
  g_autoptr(GArray) none = make_values (a, 0);

  g_assert_cmpfloat (urb_wasserstein (x, x), ==, 0);
  g_assert_cmpfloat_with_epsilon (urb_wasserstein (x, y), 5, 1e-12);
  g_assert_cmpfloat_with_epsilon (urb_wasserstein (y, x), 5, 1e-12);
  /* F: 1/2 from 0, 1 from 4; G: 3/4 from 1, 1 from 5:
   * 1/2 over [0, 1], 1/4 over [1, 4], 1/4 over [4, 5] */
  g_assert_cmpfloat_with_epsilon (urb_wasserstein (u, v), 0.5 + 0.75 + 0.25, 1e-12);
  /* an empty side counts as 0 */
  g_assert_cmpfloat_with_epsilon (urb_wasserstein (none, x), 4.0 / 3, 1e-12);
  g_assert_cmpfloat (urb_wasserstein (none, none), ==, 0);
  g_assert_cmpfloat_with_epsilon (urb_quantile (x, 0.5), 1, 1e-12);
  g_assert_cmpfloat_with_epsilon (urb_quantile (x, 0.75), 2, 1e-12);
  g_assert_true (isnan (urb_quantile (none, 0.5)));
}

static void
test_noise (void)
{
  g_autoptr(UrbMeasurements) same = urb_measurements_new ();
  g_autoptr(UrbMeasurements) mixed = urb_measurements_new ();
  UrbNoise noise;

  for (int i = 0; i < 8; i++)
    {
      g_autoptr(UrbClassMap) town = fixture_noise (16, 3, 3);
      g_autoptr(UrbClassMap) empty = fixture_blank (16, 1);

      urb_measurements_add (same, town, NULL, NULL);
      urb_measurements_add (mixed, i % 2 ? town : empty, NULL, NULL);
    }
  noise = urb_measurements_get_noise (same, URB_MEASURE_BUILDING_SHARE, 1);
  g_assert_cmpfloat (noise.q95, ==, 0);
  noise = urb_measurements_get_noise (mixed, URB_MEASURE_BUILDING_SHARE, 1);
  g_assert_cmpfloat (noise.q95, >, noise.median);
  g_assert_cmpfloat (noise.q95, <, 0.5);
}

static void
test_shuffle (void)
{
  g_autofree guint *order = urb_shuffle (100, 7, 0);
  g_autofree guint *again = urb_shuffle (100, 7, 0);
  g_autofree guint *other = urb_shuffle (100, 7, 1);
  guint8 seen[100] = { 0 };

  for (int i = 0; i < 100; i++)
    {
      g_assert_cmpuint (order[i], <, 100);
      g_assert_cmpint (seen[order[i]]++, ==, 0);
    }
  g_assert_cmpmem (order, sizeof (guint) * 100, again, sizeof (guint) * 100);
  g_assert_true (memcmp (order, other, sizeof (guint) * 100) != 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/measures/small-town", test_small_town);
  g_test_add_func ("/measures/entropy", test_entropy);
  g_test_add_func ("/measures/perfect-grid", test_perfect_grid);
  g_test_add_func ("/measures/halls", test_halls);
  g_test_add_func ("/measures/half-tones", test_half_tones);
  g_test_add_func ("/measures/skeleton", test_skeleton);
  g_test_add_func ("/measures/dead-end", test_dead_end);
  g_test_add_func ("/measures/wasserstein", test_wasserstein);
  g_test_add_func ("/measures/noise", test_noise);
  g_test_add_func ("/measures/shuffle", test_shuffle);
  return g_test_run ();
}
