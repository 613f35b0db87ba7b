/* SPDX-License-Identifier: Apache-2.0 */
#include "app-test.h"

#include <math.h>

#include "app/areas/covered.h"

#define SIZE 250.0

static void
add (GArray *areas, double x, double y, double angle_deg)
{
  UrbRankedArea area = { .square = { .x = 600000 + x, .y = 200000 + y, .angle_deg = angle_deg,
                                     .size_m = SIZE } };
  g_array_append_val (areas, area);
}

/* The covered ground of all areas, in areas. */
static double
cover (GArray *areas)
{
  g_autofree double *covered = urbarium_covered_new (areas);
  g_assert_cmpfloat (covered[0], ==, 0);
  for (guint i = 0; i < areas->len; i++)
    {
      g_assert_cmpfloat (covered[i + 1], >=, covered[i]);
      g_assert_cmpfloat (covered[i + 1], <=, covered[i] + SIZE * SIZE);
    }
  return covered[areas->len] / (SIZE * SIZE);
}

static void
test_apart (void)
{
  g_autoptr(GArray) areas = g_array_new (FALSE, FALSE, sizeof (UrbRankedArea));
  g_assert_cmpfloat (cover (areas), ==, 0);
  for (int i = 0; i < 10; i++)
    add (areas, 431.7 * i, 77.7 * i, 0);
  g_assert_cmpfloat_with_epsilon (cover (areas), 10, 1e-9);
  add (areas, 0, 1000, 33);
  g_assert_cmpfloat_with_epsilon (cover (areas), 11, 1e-9);
  for (int i = 0; i < 10; i++) /* the same again */
    add (areas, 431.7 * i, 77.7 * i, 0);
  g_assert_cmpfloat_with_epsilon (cover (areas), 11, 1e-9);
}

static void
test_overlapping (void)
{
  g_autoptr(GArray) areas = g_array_new (FALSE, FALSE, sizeof (UrbRankedArea));
  add (areas, 0, 0, 0);
  add (areas, SIZE / 2, 0, 0);
  g_assert_cmpfloat_with_epsilon (cover (areas), 1.5, 1e-9);
  g_array_set_size (areas, 1);
  add (areas, 0, 0, 45); /* a star: two squares minus their octagon */
  g_assert_cmpfloat_with_epsilon (cover (areas), 4 - 2 * sqrt (2), 2e-3);
  g_array_set_size (areas, 0);
  for (int i = 0; i < 71 * 71; i++)
    add (areas, i % 71 * SIZE / 10, i / 71 * SIZE / 10, 0);
  g_assert_cmpfloat_with_epsilon (cover (areas), 64, 64e-3);
}

/* A map so large that cells are enlarged. */
static void
test_far_apart (void)
{
  g_autoptr(GArray) areas = g_array_new (FALSE, FALSE, sizeof (UrbRankedArea));
  for (int i = 0; i < 100; i++)
    add (areas, 1e4 * (i / 4), 1e4 * (i % 7), 0);
  g_assert_cmpfloat_with_epsilon (cover (areas), 100, 1e-9);
  for (int i = 0; i < 100; i++)
    add (areas, 1e4 * (i / 4) + SIZE / 2, 1e4 * (i % 7), 0);
  g_assert_cmpfloat_with_epsilon (cover (areas), 150, 5);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/covered/apart", test_apart);
  g_test_add_func ("/app/covered/overlapping", test_overlapping);
  g_test_add_func ("/app/covered/far-apart", test_far_apart);
  return g_test_run ();
}
