/* SPDX-License-Identifier: Apache-2.0 */
/* test-series.c - compares the pyramid with a linear scan. */
#include "app-test.h"

#include <math.h>

#include "app/plot/series.h"

static void
count_cb (UrbariumSeries *series, guint64 from, guint64 *told)
{
  told[0]++;
  told[1] = from;
}

static void
assert_range (UrbariumSeries *series, gsize first, gsize last)
{
  double min = INFINITY, max = -INFINITY, got_min = 0, got_max = 0;
  gboolean any;

  for (gsize i = first; i < last; i++)
    {
      double y;
      urbarium_series_get (series, i, NULL, &y);
      if (isfinite (y))
        {
          min = MIN (min, y);
          max = MAX (max, y);
        }
    }
  any = urbarium_series_get_range (series, first, last, &got_min, &got_max);
  g_assert_cmpint (any, ==, min <= max);
  if (any)
    {
      g_assert_cmpfloat (got_min, ==, min);
      g_assert_cmpfloat (got_max, ==, max);
    }
}

static double
random_y (void)
{
  switch (g_test_rand_int_range (0, 12))
    {
    case 0:
      return NAN;
    case 1:
      return INFINITY;
    default:
      return g_test_rand_double_range (-5, 5);
    }
}

static void
test_by_hand (void)
{
  UrbariumSeries *series = urbarium_series_new ("Generator");
  double min, max, x, y;

  g_assert_cmpstr (urbarium_series_get_name (series), ==, "Generator");
  g_assert_cmpuint (urbarium_series_find (series, 3), ==, 0);
  g_assert_false (urbarium_series_get_range (series, 0, 9, &min, &max));
  urbarium_series_append (series, 1, 3);
  urbarium_series_append (series, 2, NAN);
  urbarium_series_append (series, 2, -1);
  urbarium_series_append (series, 5, 2);
  g_assert_cmpuint (urbarium_series_get_n (series), ==, 4);
  g_assert_cmpuint (urbarium_series_find (series, 0), ==, 0);
  g_assert_cmpuint (urbarium_series_find (series, 2), ==, 1);
  g_assert_cmpuint (urbarium_series_find (series, 2.5), ==, 3);
  g_assert_cmpuint (urbarium_series_find (series, 6), ==, 4);
  g_assert_false (urbarium_series_get_range (series, 1, 2, &min, &max));
  g_assert_true (urbarium_series_get_range (series, 0, 99, &min, &max));
  g_assert_cmpfloat (min, ==, -1);
  g_assert_cmpfloat (max, ==, 3);
  urbarium_series_get (series, 3, &x, &y);
  g_assert_cmpfloat (x, ==, 5);
  g_assert_cmpfloat (y, ==, 2);
  urbarium_series_truncate (series, 2);
  g_assert_cmpuint (urbarium_series_get_n (series), ==, 3);
  test_assert_last_unref (series);
}

static void
test_brute_force (void)
{
  UrbariumSeries *series = urbarium_series_new (NULL);

  for (int round = 0; round < 60; round++)
    {
      gsize n = urbarium_series_get_n (series);
      int n_new = g_test_rand_int_range (0, round % 3 == 0 ? 3000 : 40);

      for (int i = 0; i < n_new; i++)
        urbarium_series_append (series, (double) (n + i), random_y ());
      n += n_new;
      for (int query = 0; n > 0 && query < 60; query++)
        {
          gsize first = g_test_rand_int_range (0, (int) n);
          double x = g_test_rand_double_range (-2, n + 2);
          assert_range (series, first, g_test_rand_int_range ((int) first, (int) n + 1));
          g_assert_cmpuint (urbarium_series_find_near (series, x, first), ==,
                            urbarium_series_find (series, x));
          g_assert_cmpuint (urbarium_series_find_near (series, floor (x), first), ==,
                            urbarium_series_find (series, floor (x)));
        }
      assert_range (series, 0, n);
      if (round % 4 == 3)
        {
          double keep = n * g_test_rand_double_range (0, 1);
          urbarium_series_truncate (series, round == 31 ? -INFINITY : keep);
          n = round == 31 ? 0 : MIN (n, (gsize) keep + 1);
          g_assert_cmpuint (urbarium_series_get_n (series), ==, n);
          assert_range (series, 0, n);
        }
    }
  test_assert_last_unref (series);
}

static void
test_signals (void)
{
  UrbariumSeries *series = urbarium_series_new ("Critic");
  guint64 told[2] = { 0, 0 };

  g_signal_connect (series, "changed", G_CALLBACK (count_cb), told);
  urbarium_series_append (series, 0, 0);
  urbarium_series_append (series, 1, 0);
  g_assert_cmpuint (told[0], ==, 2);
  g_assert_cmpuint (told[1], ==, 1);
  urbarium_series_truncate (series, 7); /* nothing to remove */
  urbarium_series_freeze (series);
  urbarium_series_freeze (series);
  for (int i = 2; i < 50; i++)
    urbarium_series_append (series, i, 0);
  urbarium_series_truncate (series, 20);
  urbarium_series_append (series, 21, 0);
  urbarium_series_thaw (series);
  g_assert_cmpuint (told[0], ==, 2);
  urbarium_series_thaw (series);
  g_assert_cmpuint (told[0], ==, 3);
  g_assert_cmpuint (told[1], ==, 2);
  urbarium_series_freeze (series);
  urbarium_series_thaw (series);
  g_assert_cmpuint (told[0], ==, 3);
  urbarium_series_truncate (series, -INFINITY);
  g_assert_cmpuint (told[1], ==, 0);
  test_assert_last_unref (series);
}

static void
test_million (void)
{
  const int n = 1000 * 1000;
  UrbariumSeries *series = urbarium_series_new ("Generator");
  gint64 start = g_get_monotonic_time ();
  double appended, asked;

  urbarium_series_freeze (series);
  for (int i = 0; i < n; i++)
    urbarium_series_append (series, i, i * 37 % 1009);
  urbarium_series_thaw (series);
  appended = (g_get_monotonic_time () - start) * 1e-6;

  start = g_get_monotonic_time ();
  for (int i = 0; i < 10000; i++)
    {
      double min, max;
      g_assert_true (urbarium_series_get_range (series, i, n - i, &min, &max));
      g_assert_cmpfloat (max, ==, 1008);
    }
  asked = (g_get_monotonic_time () - start) * 1e-6;
  g_test_message ("1,000,000 points appended in %.3f s; a range in %.2f us", appended,
                  asked * 1e6 / 10000);
  /* A generous limit (it takes about 30 ms), for slow and busy machines. */
  g_assert_cmpfloat (appended, <, 2);
  g_assert_cmpfloat (asked, <, 1);
  g_assert_cmpuint (urbarium_series_get_n_bytes (series), <=, (gsize) n * 2 * 16);
  test_assert_last_unref (series);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/plot/series/by-hand", test_by_hand);
  g_test_add_func ("/app/plot/series/brute-force", test_brute_force);
  g_test_add_func ("/app/plot/series/signals", test_signals);
  g_test_add_func ("/app/plot/series/million", test_million);
  return g_test_run ();
}
