/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-latent.c - ways between latent vectors: their ends, and that they stay on the sphere.
 */
#include <math.h>

#include "train/latent.h"

enum { N_LATENT = 3, N_INPUTS = 4 };

static double
get_length (const float *z)
{
  return sqrt ((double) z[0] * z[0] + (double) z[1] * z[1] + (double) z[2] * z[2]);
}

static void
assert_near (const float *z, double a, double b, double c)
{
  g_assert_cmpfloat_with_epsilon (z[0], a, 1e-6);
  g_assert_cmpfloat_with_epsilon (z[1], b, 1e-6);
  g_assert_cmpfloat_with_epsilon (z[2], c, 1e-6);
}

static void
test_between (void)
{
  const float from[N_INPUTS] = { 2, 0, 0, 1 }, to[N_INPUTS] = { 0, 4, 0, 3 }, opposite[N_INPUTS] = { -2, 0, 0, 1 };
  float z[N_INPUTS];

  urb_latent_between (from, to, N_LATENT, N_INPUTS, 0, z);
  assert_near (z, 2, 0, 0);
  urb_latent_between (from, to, N_LATENT, N_INPUTS, 1, z);
  assert_near (z, 0, 4, 0);
  urb_latent_between (from, to, N_LATENT, N_INPUTS, 0.5, z);
  assert_near (z, 3 * M_SQRT1_2, 3 * M_SQRT1_2, 0);
  g_assert_cmpfloat_with_epsilon (z[3], 2, 1e-6);
  urb_latent_between (from, opposite, N_LATENT, N_INPUTS, 0.25, z); /* no great circle is the shortest */
  g_assert_true (isfinite (z[0]) && isfinite (z[1]));
}

static void
test_turn (void)
{
  const float start[N_LATENT] = { 0, 0, 5 };

  for (int i = 0; i < 3; i++)
    {
      float z[N_LATENT] = { start[0], start[1], start[2] };
      float across[N_LATENT] = { 3, 0, 1 }, up[N_LATENT] = { 1, -2, 1 };

      urb_latent_turn (z, N_LATENT, across, up, i == 1 ? 1 : i == 2 ? 0.3 : 0, i == 2 ? -0.4 : 0);
      g_assert_cmpfloat_with_epsilon (get_length (z), 5, 1e-5);
      if (i == 0)
        assert_near (z, 0, 0, 5);
      else if (i == 1)
        assert_near (z, 5, 0, 0);
      else /* half a right angle, of which 0.6 across and 0.8 down; "up" is -y */
        assert_near (z, 3 * M_SQRT1_2, 4 * M_SQRT1_2, 5 * M_SQRT1_2);
    }
}

/* In a line there is nowhere to turn to. */
static void
test_one_number (void)
{
  float z = 2, across = 1, up = -3;

  urb_latent_turn (&z, 1, &across, &up, 0.5, 0.5);
  g_assert_true (isfinite (z));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/latent/between", test_between);
  g_test_add_func ("/latent/turn", test_turn);
  g_test_add_func ("/latent/one-number", test_one_number);
  return g_test_run ();
}
