/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-conditions.c - the shares of tiles, and how conditions are drawn from them.
 */
#include <math.h>
#include <string.h>

#include "train/conditions.h"

static void
test_box (void)
{
  g_assert_cmpint (urb_conditions_get_box (64, 250), ==, 5);   /* 3.9 m a pixel */
  g_assert_cmpint (urb_conditions_get_box (128, 250), ==, 11);
  g_assert_cmpint (urb_conditions_get_box (256, 250), ==, 21);
  g_assert_cmpint (urb_conditions_get_box (64, 2000), ==, 1);  /* a pixel is larger than 20 m */
  g_assert_cmpint (urb_conditions_get_box (8, 1), ==, 9);
}

/* A house of 4 x 4 pixels of 3.9 m is none of the large buildings, one of 12 x 12 is. */
static void
test_measure (void)
{
  enum { EDGE = 64 };
  g_autofree guint8 *levels = g_new0 (guint8, 2 * EDGE * EDGE * 3);
  g_autoptr(GError) error = NULL;
  float shares[2 * UK_N_SHARES];

  for (int image = 0; image < 2; image++)
    for (int p = 0; p < EDGE * EDGE; p++)
      {
        int size = image == 0 ? 3 : 12, row = p / EDGE, col = p % EDGE;
        gboolean built = row >= 20 && row < 20 + size && col >= 20 && col < 20 + size;

        levels[(image * EDGE * EDGE + p) * 3 + (built ? 0 : row < 8 ? 1 : 2)] = 255;
      }
  g_assert_true (urb_conditions_measure_images (levels, 2, EDGE, 3, 250, shares, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat_with_epsilon (shares[URB_SHARE_BUILT], 9.0 / 4096, 1e-6);
  g_assert_cmpfloat_with_epsilon (shares[URB_SHARE_ROAD], 8.0 / 64, 1e-6);
  g_assert_cmpfloat (shares[URB_SHARE_LARGE], ==, 0);
  g_assert_cmpfloat_with_epsilon (shares[UK_N_SHARES + URB_SHARE_BUILT], 144.0 / 4096, 1e-6);
  g_assert_cmpfloat (shares[UK_N_SHARES + URB_SHARE_LARGE], >, 0.6 * 144 / 4096);
  g_assert_cmpfloat (shares[UK_N_SHARES + URB_SHARE_LARGE], <, 144.0 / 4096);
}

enum { N_ROWS = 400 };

/* Built from 0 to 0.4; roads half of it, with noise; no large buildings. */
static UrbConditions *
make_conditions (void)
{
  float *rows = g_new0 (float, N_ROWS * UK_N_SHARES);

  for (int i = 0; i < N_ROWS; i++)
    {
      rows[i * UK_N_SHARES] = 0.4f * (float) i / (N_ROWS - 1);
      rows[i * UK_N_SHARES + 1] = rows[i * UK_N_SHARES] / 2 + (i % 2 == 0 ? 0.01f : -0.01f) + 0.02f;
    }
  return urb_conditions_new (rows, N_ROWS);
}

static void
test_summary (void)
{
  g_autoptr(UrbConditions) conditions = make_conditions ();
  float scale[2 * UK_N_SHARES], normal[UK_N_SHARES];

  g_assert_cmpfloat_with_epsilon (conditions->mean[0], 0.2, 1e-6);
  g_assert_cmpfloat_with_epsilon (1 / conditions->inv_std[0], 0.4 / sqrt (12), 1e-3);
  g_assert_cmpfloat_with_epsilon (conditions->low[0], 0.004, 0.0015);
  g_assert_cmpfloat_with_epsilon (conditions->high[0], 0.396, 0.0015);
  g_assert_cmpfloat (conditions->inv_std[URB_SHARE_LARGE], ==, 0);
  urb_conditions_get_scale (conditions, scale);
  g_assert_cmpfloat_with_epsilon (scale[0], 0.2, 1e-6);
  urb_conditions_normalize (conditions, (float[]) { 0.2f, 0.12f, 0.5f }, normal);
  g_assert_cmpfloat_with_epsilon (normal[0], 0, 1e-5);
  g_assert_cmpfloat_with_epsilon (normal[1], 0, 1e-5);
  g_assert_cmpfloat (normal[2], ==, 0); /* nothing can be asked of what never varies */
}

/* The mean of a share of 400 cities, and the root of its mean squared distance from it. */
static double
draw_many (const UrbConditions *conditions, const UrbShareWish *wish, int share, double *spread)
{
  double sum = 0, squares = 0;

  for (int i = 0; i < 400; i++)
    {
      float shares[UK_N_SHARES];

      urb_conditions_draw (conditions, wish, 7, i, shares);
      sum += shares[share];
      squares += (double) shares[share] * shares[share];
    }
  *spread = sqrt (MAX (squares / 400 - sum / 400 * (sum / 400), 0));
  return sum / 400;
}

static void
test_draw (void)
{
  g_autoptr(UrbConditions) conditions = make_conditions ();
  UrbShareWish wish = URB_SHARES_AS_IN_DATA;
  float a[UK_N_SHARES], b[UK_N_SHARES];
  double spread;

  /* As in the data. */
  g_assert_cmpfloat_with_epsilon (draw_many (conditions, &wish, 0, &spread), 0.2, 0.02);
  g_assert_cmpfloat_with_epsilon (spread, 0.1155, 0.01);
  urb_conditions_draw (conditions, &wish, 7, 3, a);
  urb_conditions_draw (conditions, &wish, 7, 3, b);
  g_assert_cmpmem (a, sizeof a, b, sizeof b);
  urb_conditions_draw (conditions, &wish, 8, 3, b);
  g_assert_cmpint (memcmp (a, b, sizeof a), !=, 0);
  /* What is asked is given, and roads follow it, within the kernel's width. */
  wish.share[URB_SHARE_BUILT] = 0.3;
  g_assert_cmpfloat_with_epsilon (draw_many (conditions, &wish, 0, &spread), 0.3, 1e-6);
  g_assert_cmpfloat_with_epsilon (draw_many (conditions, &wish, 1, &spread), 0.17, 0.01);
  g_assert_cmpfloat (spread, >, 0.01);
  g_assert_cmpfloat (spread, <, 0.03);
  /* Far from all data, the nearest rows remain. */
  wish.share[URB_SHARE_BUILT] = 1;
  g_assert_cmpfloat_with_epsilon (draw_many (conditions, &wish, 1, &spread), 0.22, 0.02);
  /* All of them. */
  wish = (UrbShareWish) { { 0.1, 0.2, 0.3 } };
  urb_conditions_draw (conditions, &wish, 1, 1, a);
  for (int i = 0; i < UK_N_SHARES; i++)
    g_assert_cmpfloat (a[i], ==, (float) wish.share[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/conditions/box", test_box);
  g_test_add_func ("/conditions/measure", test_measure);
  g_test_add_func ("/conditions/summary", test_summary);
  g_test_add_func ("/conditions/draw", test_draw);
  return g_test_run ();
}
