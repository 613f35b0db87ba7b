/* SPDX-License-Identifier: Apache-2.0 */
#include "app-test.h"

#include <math.h>

#include "app/plot/bins.h"
#include "app/plot/distribution.h"
#include "controllers.h"

static double
sum (const double *shares, guint n)
{
  double total = 0;

  for (guint i = 0; i < n; i++)
    total += shares[i];
  return total;
}

/* Integers are at the center of their bins. */
static void
test_whole_numbers (void)
{
  const double real[] = { 0, 1, 1, 3, NAN }, generated[] = { 1, 2 };
  g_autoptr(UrbariumBins) bins = urbarium_bins_new (real, 5, generated, 2, NULL, 0,
                                                    URBARIUM_BINS_EVEN);

  g_assert_cmpuint (bins->n, ==, 4);
  g_assert_cmpfloat (bins->min, ==, -0.5);
  g_assert_cmpfloat (bins->max, ==, 3.5);
  g_assert_cmpfloat (bins->real[0], ==, 0.25);
  g_assert_cmpfloat (bins->real[1], ==, 0.5);
  g_assert_cmpfloat (bins->real[2], ==, 0);
  g_assert_cmpfloat (bins->real[3], ==, 0.25);
  g_assert_cmpfloat (bins->generated[1], ==, 0.5);
  g_assert_cmpfloat (bins->generated[2], ==, 0.5);
  g_assert_cmpfloat (bins->real_median, ==, 1);
  g_assert_cmpfloat (bins->generated_median, ==, 1.5);
}

static void
test_edges (void)
{
  const double one = 7.5, spread[] = { -1, 0, 0.5, 2, 8 };
  g_autoptr(UrbariumBins) none = urbarium_bins_new (NULL, 0, NULL, 0, NULL, 0, URBARIUM_BINS_EVEN);
  g_autoptr(UrbariumBins) single = urbarium_bins_new (&one, 1, NULL, 0, NULL, 0,
                                                      URBARIUM_BINS_EVEN);
  g_autoptr(UrbariumBins) logs = urbarium_bins_new (spread, 5, NULL, 0, NULL, 0,
                                                    URBARIUM_BINS_LOG);

  g_assert_cmpuint (none->n, ==, 0);
  g_assert_true (isnan (none->real_median));
  g_assert_cmpuint (single->n, >, 0);
  g_assert_cmpfloat_with_epsilon (sum (single->real, single->n), 1, 1e-12);
  g_assert_cmpfloat (sum (single->generated, single->n), ==, 0);
  g_assert_cmpfloat (logs->min, >, 0);
  g_assert_cmpfloat_with_epsilon (sum (logs->real, logs->n), 1, 1e-12);
}

/* 90 % of the halves of many independent values: 1.645 standard deviations of a draw without
 * replacement, which for one half of n values is sqrt (p (1 - p) / n). */
static void
test_band (void)
{
  enum { N = 4000 };
  g_autofree double *real = g_new (double, N);
  g_autofree guint *ends = g_new (guint, N / 40);
  g_autoptr(GRand) rand = g_rand_new_with_seed (5);
  g_autoptr(UrbariumBins) bins = NULL, again = NULL, grouped = NULL;
  guint n_near = 0, n_bins = 0;

  for (int i = 0; i < N; i++)
    real[i] = g_rand_double (rand);
  bins = urbarium_bins_new (real, N, real, N, NULL, 0, URBARIUM_BINS_EVEN);
  again = urbarium_bins_new (real, N, real, N, NULL, 0, URBARIUM_BINS_EVEN);
  for (guint i = 0; i < bins->n; i++)
    {
      double share = bins->real[i], half_width = (bins->high[i] - bins->low[i]) / 2;
      double expected = 1.645 * sqrt (share * (1 - share) / N);
      g_assert_cmpfloat (bins->low[i], <, share);
      g_assert_cmpfloat (bins->high[i], >, share);
      g_assert_cmpfloat (bins->low[i], ==, again->low[i]); /* deterministic */
      n_near += fabs (half_width / expected - 1) < 0.2;
      n_bins++;
    }
  g_assert_cmpuint (n_near * 10, >=, n_bins * 9);

  /* 100 areas, each with similar values: random variation is much larger. */
  for (int i = 0; i < N; i++)
    real[i] = (i / 40) / 100.0 + 0.001 * (i % 40) / 40.0;
  for (guint i = 0; i < N / 40; i++)
    ends[i] = 40 * (i + 1);
  grouped = urbarium_bins_new (real, N, real, N, ends, N / 40, URBARIUM_BINS_EVEN);
  for (guint i = 1; i + 1 < grouped->n; i++)
    g_assert_cmpfloat (grouped->high[i] - grouped->low[i], >, 3 * (bins->high[1] - bins->low[1]));
}

static GtkWidget *
distribution_new (double shift, GArray *ends, gboolean log_x)
{
  GtkWidget *widget = g_object_new (URBARIUM_TYPE_DISTRIBUTION, NULL);
  g_autoptr(GArray) real = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr(GArray) generated = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr(GRand) rand = g_rand_new_with_seed (9);
  const UrbariumDistributionData data = {
    .title = "Built-up share", .unit = "%", .log_x = log_x, .real = real, .generated = generated,
    .ends = ends, .rho = 1.2 + shift,
  };

  for (int i = 0; i < 256; i++)
    {
      double value = 4 * exp (0.8 * (g_rand_double (rand) + g_rand_double (rand))) + shift;
      g_array_append_val (generated, value);
      value = 4 * exp (0.8 * (g_rand_double (rand) + g_rand_double (rand)));
      if (i < 174)
        g_array_append_val (real, value);
    }
  urbarium_distribution_set (URBARIUM_DISTRIBUTION (widget), &data);
  return widget;
}

static void
test_widget (void)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  g_autoptr(GArray) ends = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr(GArray) none = g_array_new (FALSE, FALSE, sizeof (double));
  GtkWidget *empty = g_object_new (URBARIUM_TYPE_DISTRIBUTION, NULL);
  const UrbariumDistributionData no_data = { .title = "Nothing", .real = none, .generated = none,
                                             .rho = NAN };
  GtkWidget *near = distribution_new (0, NULL, FALSE), *far;
  GtkWindow *window;

  g_array_append_vals (ends, (const guint[]) { 100, 174 }, 2);
  far = distribution_new (3, ends, TRUE);
  gtk_box_set_homogeneous (GTK_BOX (box), TRUE);
  gtk_box_append (GTK_BOX (box), near);
  gtk_box_append (GTK_BOX (box), far);
  gtk_box_append (GTK_BOX (box), empty);
  window = test_window_new (box, 1100, 260);
  for (int dark = 0; dark < 2; dark++)
    {
      test_dark (dark);
      test_frames (window, 3);
      test_screenshot (window, dark ? "distribution-dark" : "distribution-light");
    }
  test_dark (FALSE);
  urbarium_distribution_set (URBARIUM_DISTRIBUTION (near), &no_data);
  test_frames (window, 3);
  test_window_destroy (window);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  test_load_style ();
  g_test_add_func ("/app/plot/distribution/whole-numbers", test_whole_numbers);
  g_test_add_func ("/app/plot/distribution/edges", test_edges);
  g_test_add_func ("/app/plot/distribution/band", test_band);
  g_test_add_func ("/app/plot/distribution/widget", test_widget);
  return g_test_run ();
}
