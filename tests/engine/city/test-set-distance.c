/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-set-distance.c - kernel distance and coverage of identical, disjoint and partial sets.
 */
#include <math.h>

#include "city/set-distance.h"

enum { N = 200, N_DIMS = 5 };

/* Normally distributed around @mean in all dimensions (Box and Muller 1958). */
static UrbPointSet
make_cloud (GRand *rand, guint n, double mean)
{
  double *x = g_new (double, n * N_DIMS);

  for (guint i = 0; i < n * N_DIMS; i++)
    x[i] = mean + sqrt (-2 * log (1 - g_rand_double (rand))) * cos (2 * G_PI * g_rand_double (rand));
  return (UrbPointSet) { x, n, N_DIMS };
}

static void
clear (UrbPointSet *set)
{
  g_free ((double *) set->x);
}

/* In one dimension: k (x, y) = (x y + 1)^3. */
static void
test_kid_by_hand (void)
{
  const double x[] = { 0, 1, 2 }, y[] = { 1, 1, 1 };
  const UrbPointSet a = { x, 3, 1 }, b = { y, 3, 1 };
  UrbKid kid = urb_kid (&a, &b);

  /* pairs of a: 1, 1, 27; of b: 8, 8, 8; across: three times 1, 8, 27 */
  g_assert_cmpfloat_with_epsilon (kid.value, 29.0 / 3 + 8 - 2 * 108.0 / 9, 1e-12);
  /* without 0, 1, 2 of a: 27 - 2 * 105 / 6, 1 - 2 * 84 / 6, 1 - 2 * 27 / 6 = -8, -27, -8; b: all
   * the same */
  g_assert_cmpfloat_with_epsilon (kid.error, sqrt (2.0 / 3 * (2 * 361.0 / 9 + 4 * 361.0 / 9)), 1e-9);
}

/* No bias: over many pairs of sets of one distribution the mean is 0 within its error, and the
 * jackknife does not understate the spread. */
static void
test_kid_unbiased (void)
{
  enum { N_ROUNDS = 100 };
  g_autoptr(GRand) rand = g_rand_new_with_seed (1);
  double sum = 0, sum2 = 0, errors = 0, spread;

  for (int round = 0; round < N_ROUNDS; round++)
    {
      UrbPointSet a = make_cloud (rand, 40, 0), b = make_cloud (rand, 25, 0);
      UrbKid kid = urb_kid (&a, &b);

      sum += kid.value / N_ROUNDS;
      sum2 += kid.value * kid.value / N_ROUNDS;
      errors += kid.error / N_ROUNDS;
      clear (&a);
      clear (&b);
    }
  spread = sqrt (sum2 - sum * sum);
  g_test_message ("mean %.4f, spread %.4f, error %.4f", sum, spread, errors);
  g_assert_cmpfloat (fabs (sum), <, 3 * spread / sqrt (N_ROUNDS));
  g_assert_cmpfloat (errors, >, 0.8 * spread);
  g_assert_cmpfloat (errors, <, 3 * spread);
}

static void
test_identical (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (2);
  UrbPointSet a = make_cloud (rand, N, 0), same = a, other = make_cloud (rand, N, 0);
  UrbKid kid = urb_kid (&a, &other);

  g_assert_cmpfloat (urb_kid (&a, &same).value, <=, 0);
  g_assert_cmpfloat (fabs (kid.value), <, 3 * kid.error);
  g_assert_cmpfloat (urb_coverage (&a, &same), ==, 1);
  g_assert_cmpfloat (urb_coverage (&a, &other), >, 0.6);
  g_assert_cmpfloat (urb_coverage (&other, &a), >, 0.6);
  clear (&a);
  clear (&other);
}

static void
test_disjoint (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (3);
  UrbPointSet a = make_cloud (rand, N, 0), b = make_cloud (rand, N, 20);
  UrbKid kid = urb_kid (&a, &b);

  g_assert_cmpfloat (kid.value, >, 10 * kid.error);
  g_assert_cmpfloat (urb_coverage (&a, &b), ==, 0);
  g_assert_cmpfloat (urb_coverage (&b, &a), ==, 0);
  clear (&a);
  clear (&b);
}

/* Half of the real points are far from the other half, and no generated point is like them: all
 * that is generated is right, and half of what is real is missing. */
static void
test_dropped_mode (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (4);
  UrbPointSet real = make_cloud (rand, N, 0), generated = make_cloud (rand, N, 0);
  double *x = (double *) real.x;
  UrbKid kid;

  for (guint i = 0; i < N / 2 * N_DIMS; i++)
    x[i] += 20;
  kid = urb_kid (&generated, &real);
  g_assert_cmpfloat (kid.value, >, 5 * kid.error);
  g_assert_cmpfloat (urb_coverage (&generated, &real), >, 0.6);
  g_assert_cmpfloat (urb_coverage (&real, &generated), >, 0.3);
  g_assert_cmpfloat (urb_coverage (&real, &generated), <=, 0.5);
  clear (&real);
  clear (&generated);
}

static void
test_too_few (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (5);
  UrbPointSet few = make_cloud (rand, 2, 0), many = make_cloud (rand, N, 0), none = { NULL, 0, N_DIMS };

  g_assert_true (isnan (urb_kid (&few, &many).value));
  g_assert_true (isnan (urb_kid (&many, &none).error));
  g_assert_true (isnan (urb_coverage (&many, &few)));
  g_assert_true (isnan (urb_coverage (&none, &many)));
  g_assert_false (isnan (urb_coverage (&few, &many)));
  clear (&few);
  clear (&many);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/set-distance/kid-by-hand", test_kid_by_hand);
  g_test_add_func ("/set-distance/kid-unbiased", test_kid_unbiased);
  g_test_add_func ("/set-distance/identical", test_identical);
  g_test_add_func ("/set-distance/disjoint", test_disjoint);
  g_test_add_func ("/set-distance/dropped-mode", test_dropped_mode);
  g_test_add_func ("/set-distance/too-few", test_too_few);
  return g_test_run ();
}
