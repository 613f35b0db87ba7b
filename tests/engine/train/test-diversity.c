/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-diversity.c - the diversity of tiles, compared with values computed by
 * hand.
 */
#include <math.h>
#include <string.h>

#include "train/diversity.h"

/* Three uniform tiles of 16 px and one channel: 0, 10 and 40. */
static void
test_by_hand (void)
{
  enum { N_PIXELS = 16 * 16 };
  guint8 levels[3 * N_PIXELS];

  memset (levels, 0, N_PIXELS);
  memset (levels + N_PIXELS, 10, N_PIXELS);
  memset (levels + 2 * N_PIXELS, 40, N_PIXELS);
  /* Distances to the nearest tile: 10, 10 and 30. */
  g_assert_cmpfloat_with_epsilon (urb_diversity_measure (levels, 3, 16, 1), 50.0 / 3, 1e-6);
}

/* One of its 64 blocks differs, by 80 in one of three channels. */
static void
test_block (void)
{
  enum { N_PIXELS = 16 * 16 };
  guint8 levels[2 * N_PIXELS * 3] = { 0 };

  for (int y = 2; y < 4; y++)
    for (int x = 14; x < 16; x++)
      levels[(N_PIXELS + y * 16 + x) * 3 + 1] = 80;
  g_assert_cmpfloat_with_epsilon (urb_diversity_measure (levels, 2, 16, 3), 80 / sqrt (192), 1e-5);
}

/* Many cities, but several copies of each: a mean over all pairs would not show it. */
static void
test_duplicates (void)
{
  enum { N = 16, N_PIXELS = 8 * 8 };
  guint8 levels[N * N_PIXELS];

  for (int i = 0; i < N; i++)
    memset (levels + i * N_PIXELS, 30 * (i / 2), N_PIXELS);
  g_assert_cmpfloat (urb_diversity_measure (levels, N, 8, 1), ==, 0);
}

/* Noise finer than a block does not count as diversity. */
static void
test_noise (void)
{
  enum { N = 4, EDGE = 64 };
  g_autofree guint8 *levels = g_malloc (N * EDGE * EDGE);
  g_autoptr(GRand) random = g_rand_new_with_seed (1);

  for (int i = 0; i < N * EDGE * EDGE; i++)
    levels[i] = g_rand_int_range (random, 0, 2) * 255;
  g_assert_cmpfloat (urb_diversity_measure (levels, N, EDGE, 1), <, 30); /* of pixels: 180 */
}

/* The size is not a multiple of the blocks. */
static void
test_odd_size (void)
{
  const guint8 levels[2 * 12 * 12] = { 0 };

  g_assert_true (isnan (urb_diversity_measure (levels, 2, 12, 1)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/diversity/by-hand", test_by_hand);
  g_test_add_func ("/diversity/block", test_block);
  g_test_add_func ("/diversity/duplicates", test_duplicates);
  g_test_add_func ("/diversity/noise", test_noise);
  g_test_add_func ("/diversity/odd-size", test_odd_size);
  return g_test_run ();
}
