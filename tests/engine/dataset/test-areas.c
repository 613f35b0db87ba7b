/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-areas.c - variance, candidates, split and selection against direct
 * computations.
 */
#include <math.h>

#include "dataset/candidates.h"
#include "dataset/hull.h"
#include "dataset/selection.h"
#include "dataset/split.h"
#include "dataset/variance.h"
#include "made-up-map.h"
#include "map-fixture.h"
#include "map/ring.h"

static void
test_variance (void)
{
  static const struct { double share[3], rgb, grey; } cases[] = {
    { { 0, 0, 1 }, 0, 0 },
    { { 1, 0, 0 }, 0, 0 },
    { { 0.5, 0.5, 0 }, 2.0 / 3, 1 },          /* 4 (1/4 + 1/4 + 0) / 3; half black, half white */
    { { 0.5, 0, 0.5 }, 2.0 / 3, 0.25 },       /* grey between 1/2 and 1 */
    { { 0.25, 0.25, 0.5 }, 2.5 / 3, 0.5 },    /* 4 (3/16 + 3/16 + 1/4) / 3; 4 * 2/4 * 1/4 */
    { { 0.1, 0.1, 0.8 }, 4 * 0.34 / 3, 0.2 },
    { { 0, 0, 0.5 }, 1.0 / 3, 0 },            /* half uncovered: "other" in grey */
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_assert_cmpfloat_with_epsilon (
        urb_variance_from_shares (URB_ENCODING_RGB, cases[i].share), cases[i].rgb, 1e-12);
      g_assert_cmpfloat_with_epsilon (
        urb_variance_from_shares (URB_ENCODING_GREY, cases[i].share), cases[i].grey, 1e-12);
    }
}

/* Squares with known overlaps, and random ones against counted points. */
static gboolean
contains (const UrbSquare *square, double x, double y)
{
  double angle = square->angle_deg * G_PI / 180, dx = x - square->x, dy = y - square->y;

  return fabs (dx * cos (angle) + dy * sin (angle)) <= square->size_m / 2
         && fabs (dy * cos (angle) - dx * sin (angle)) <= square->size_m / 2;
}

static double
count_overlap (const UrbSquare *a, const UrbSquare *b)
{
  const int n = 200;
  UrbBox box = urb_square_get_box (a);
  double w = box.max_x - box.min_x, h = box.max_y - box.min_y;
  int n_both = 0;

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      {
        double x = box.min_x + w * (i + 0.5) / n, y = box.min_y + h * (j + 0.5) / n;

        n_both += contains (a, x, y) && contains (b, x, y);
      }
  return w * h * n_both / (n * n);
}

static void
test_squares (void)
{
  const UrbSquare a = { 2600000, 1200000, 0, 100 };
  const UrbSquare half = { 2600050, 1200000, 0, 100 }, quarter = { 2600050, 1199950, 90, 100 };
  const UrbSquare beside = { 2600100, 1200000, 0, 100 }, turned = { 2600000, 1200000, 45, 100 };
  g_autoptr(GRand) rand = g_rand_new_with_seed (2);

  g_assert_cmpfloat_with_epsilon (urb_square_overlap_m2 (&a, &a), 10000, 1e-6);
  g_assert_cmpfloat_with_epsilon (urb_square_overlap_m2 (&a, &half), 5000, 1e-6);
  g_assert_cmpfloat_with_epsilon (urb_square_overlap_m2 (&a, &quarter), 2500, 1e-6);
  g_assert_cmpfloat_with_epsilon (urb_square_overlap_m2 (&a, &beside), 0, 1e-6);
  /* The regular octagon: 2 (sqrt 2 - 1) of the square. */
  g_assert_cmpfloat_with_epsilon (urb_square_overlap_m2 (&a, &turned), 20000 * (G_SQRT2 - 1), 1e-6);
  for (int i = 0; i < 30; i++)
    {
      UrbSquare b = { 2600000 + g_rand_double_range (rand, -120, 120),
                      1200000 + g_rand_double_range (rand, -120, 120),
                      g_rand_double_range (rand, 0, 90), 100 };
      UrbBox box = { b.x - 30, b.y - 20, b.x + 70, b.y + 80 };
      const UrbSquare same_as_box = { b.x + 20, b.y + 30, 0, 100 };
      double counted = count_overlap (&a, &b);

      g_assert_cmpfloat_with_epsilon (urb_square_overlap_m2 (&a, &b), counted, 120);
      g_assert_cmpfloat_with_epsilon (urb_square_overlap_m2 (&b, &a),
                                      urb_square_overlap_m2 (&a, &b), 1e-6);
      g_assert_cmpint (urb_square_meets_box (&b, &box), ==, TRUE);
      g_assert_cmpint (urb_square_meets_box (&a, &box), ==,
                       urb_square_overlap_m2 (&a, &same_as_box) > 1e-3);
    }
}

static void
test_hull (void)
{
  g_autoptr(UrbMap) map = map_fixture_town (1000, 2000, 300, 200);
  g_autoptr(UrbMap) stars = map_fixture_random (4, 100, 0, 0, 500);
  g_autoptr(GArray) box = urb_hull_new_of_map (map), hull = urb_hull_new_of_map (stars);
  UrbBox extent = urb_map_get_extent (stars);
  double col0, col1, row0, row1;

  g_assert_cmpint (box->len, ==, 8);
  g_assert_cmpfloat_with_epsilon (
    urb_map_ring_area ((const double *) (void *) box->data, box->len / 2), 60000, 1e-6);
  urb_hull_get_extent (hull, 1, 0, &col0, &col1, &row0, &row1);
  g_assert_cmpfloat (col0, ==, extent.min_x);
  g_assert_cmpfloat (col1, ==, extent.max_x);
  g_assert_cmpfloat (row0, ==, -extent.max_y);
  g_assert_cmpfloat (row1, ==, -extent.min_y);
  /* Every vertex is left of every edge. */
  for (guint i = 0; i < hull->len; i += 2)
    {
      const double *h = (const double *) (void *) hull->data;
      const double *a = h + i, *b = h + (i + 2) % hull->len;

      for (gint64 p = 0; p < urb_map_get_n_polygons (stars); p++)
        {
          gint64 n;
          const double *xy
            = urb_map_get_ring (stars, urb_map_get_polygon (stars, p)->first_ring, &n);

          for (gint64 k = 0; k < n; k++)
            g_assert_cmpfloat ((b[0] - a[0]) * (xy[2 * k + 1] - a[1])
                                 - (b[1] - a[1]) * (xy[2 * k] - a[0]), >=, -1e-6);
        }
    }
}

/* The shares of a window, pixel by pixel. */
static void
count_by_hand (UrbMap *map, const UrbSquare *square, int size_px, double share[3])
{
  g_autoptr(UrbRaster) raster = urb_raster_new ();
  g_autofree guint8 *codes = g_malloc ((gsize) size_px * size_px);
  UrbFrame frame
    = urb_frame_around (square->x, square->y, square->angle_deg, square->size_m, size_px);

  urb_raster_paint (raster, map, &frame);
  made_up_map_get_classes (raster, &frame, codes);
  share[0] = share[1] = share[2] = 0;
  for (int i = 0; i < size_px * size_px; i++)
    if (codes[i] < 3)
      share[codes[i]] += 1.0 / (size_px * size_px);
}

static gint64
count_items_by_hand (UrbMap *map, const UrbCandidates *found)
{
  double sum;
  gint64 n = 0;

  for (guint i = 0; i < found->items->len; i++)
    {
      const UrbCandidate *item = &g_array_index (found->items, UrbCandidate, i);
      UrbSquare square = urb_candidates_get_square (found, item);
      double share[3];

      count_by_hand (map, &square, found->options.resolution_px, share);
      sum = share[0] + share[1] + share[2];
      g_assert_cmpfloat (sum, >=, found->options.min_coverage - 1e-9);
      /* A pixel center may lie on an edge, and frames differ by nanometers. */
      g_assert_cmpfloat_with_epsilon (
        item->variance, urb_variance_from_shares (found->options.encoding, share), 1e-4);
      n++;
    }
  return n;
}

/* Strides of whole and fractional pixels, several blocks, all rotations; and the counts add up. */
static void
test_candidates (void)
{
  static const UrbCurateOptions searches[] = {
    { .area_size_m = 100, .stride_m = 50, .resolution_px = 64, .n_rotations = 1,
      .encoding = URB_ENCODING_RGB, .min_variance = 0.1, .min_coverage = 0.9, .n_threads = 1 },
    { .area_size_m = 100, .stride_m = 33, .resolution_px = 50, .n_rotations = 3,
      .encoding = URB_ENCODING_GREY, .min_variance = 0.0, .min_coverage = 0.5, .n_threads = 2 },
    { .area_size_m = 60, .stride_m = 7, .resolution_px = 20, .n_rotations = 2,
      .encoding = URB_ENCODING_RGB, .min_variance = 0.3, .min_coverage = 0.0, .n_threads = 2 },
    { .area_size_m = 250, .stride_m = 400, .resolution_px = 256, .n_rotations = 4,
      .encoding = URB_ENCODING_RGB, .min_variance = 0.0, .min_coverage = 0.0, .n_threads = 2 },
  };
  g_autoptr(UrbMap) map = map_fixture_town (2600000, 1200000, 700, 500);
  g_autoptr(GArray) hull = urb_hull_new_of_map (map);

  for (gsize i = 0; i < G_N_ELEMENTS (searches); i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(UrbCandidates) found
        = urb_candidates_find (map, hull, FALSE, &searches[i], NULL, NULL, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpint (found->items->len, >, 0);
      g_assert_cmpint (found->n_positions, ==,
                       found->n_uncovered + found->n_low_variance + found->items->len);
      g_assert_cmpint (count_items_by_hand (map, found), ==, found->items->len);
      for (guint k = 1; k < found->items->len; k++)
        g_assert_cmpfloat (g_array_index (found->items, UrbCandidate, k - 1).variance, >=,
                           g_array_index (found->items, UrbCandidate, k).variance);
    }
}

/* Without limits every window is found: (700 - 100) / 50 + 1 by (500 - 100) / 50 + 1. */
static void
test_all_positions (void)
{
  const UrbCurateOptions search = { .area_size_m = 100, .stride_m = 50, .resolution_px = 64,
                                    .n_rotations = 1, .n_threads = 1 };
  g_autoptr(UrbMap) map = map_fixture_town (0, 0, 700, 500);
  g_autoptr(GArray) hull = urb_hull_new_of_map (map);
  g_autoptr(UrbCandidates) found
    = urb_candidates_find (map, hull, FALSE, &search, NULL, NULL, NULL, NULL);

  g_assert_cmpint (found->items->len, ==, 13 * 9);
}

/* The result does not depend on the number of threads or the size of blocks. */
static void
test_threads (void)
{
  UrbCurateOptions search = { .area_size_m = 20, .stride_m = 2.3, .resolution_px = 200,
                              .n_rotations = 3, .min_variance = 0.2, .min_coverage = 0.99,
                              .n_threads = 1 };
  g_autoptr(UrbMap) map = map_fixture_town (0, 0, 900, 700);
  g_autoptr(GArray) hull = urb_hull_new_of_map (map);
  g_autoptr(UrbCandidates) one = NULL, three = NULL;

  one = urb_candidates_find (map, hull, FALSE, &search, NULL, NULL, NULL, NULL);
  search.n_threads = 3;
  three = urb_candidates_find (map, hull, FALSE, &search, NULL, NULL, NULL, NULL);
  g_assert_cmpint (one->items->len, >, 1000);
  g_assert_cmpmem (one->items->data, one->items->len * sizeof (UrbCandidate), three->items->data,
                   three->items->len * sizeof (UrbCandidate));
}

static void
test_refused_searches (void)
{
  UrbCurateOptions search = { .area_size_m = 100, .stride_m = 0.5, .resolution_px = 64,
                              .n_rotations = 1, .n_threads = 1 };
  g_autoptr(UrbMap) map = map_fixture_town (0, 0, 700, 500);
  g_autoptr(GArray) hull = urb_hull_new_of_map (map);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;

  g_assert_null (urb_candidates_find (map, hull, FALSE, &search, NULL, NULL, NULL, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPTIONS);
  g_clear_error (&error);
  search.stride_m = 50;
  g_cancellable_cancel (cancellable);
  g_assert_null (urb_candidates_find (map, hull, FALSE, &search, NULL, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
assert_apart (GArray *some, GArray *others)
{
  for (guint i = 0; i < some->len; i++)
    for (guint j = 0; j < others->len; j++)
      g_assert_cmpfloat (urb_square_overlap_m2 (&g_array_index (some, UrbSquare, i),
                                                &g_array_index (others, UrbSquare, j)), <, 1e-2);
}

/* Random squares at all angles, of which those in the north-east are industrial: no square of one
 * split overlaps one of another, training and test have industry, and another seed holds out other
 * places.  The test areas are the same without validation. */
static void
test_split (void)
{
  enum { N_SEEDS = 4, N_SQUARES = 2000 };
  g_autoptr(GRand) rand = g_rand_new_with_seed (11);
  g_autoptr(GArray) squares = g_array_new (FALSE, FALSE, sizeof (UrbSquare));
  const UrbBox extent = { 0, 0, 8000, 6000 };
  float variances[N_SQUARES], built[N_SQUARES];
  g_autofree guint8 *held_out = g_new0 (guint8, N_SEEDS * N_SQUARES);
  guint n_industrial = 0;

  for (int i = 0; i < N_SQUARES; i++)
    {
      UrbSquare square = { g_rand_double_range (rand, 180, 7820),
                           g_rand_double_range (rand, 180, 5820),
                           g_rand_double_range (rand, 0, 90), 250 };

      variances[i] = g_rand_double (rand);
      built[i] = square.x > 5200 && square.y > 3200 ? 0.6f : 0.15f;
      n_industrial += built[i] > 0.5f;
      g_array_append_val (squares, square);
    }
  for (int seed = 0; seed < N_SEEDS; seed++)
    {
      g_autoptr(UrbBlocks) blocks
        = urb_blocks_choose (squares, variances, built, extent, 0.15, 0.1, (guint64) seed);
      g_autoptr(UrbBlocks) without
        = urb_blocks_choose (squares, variances, built, extent, 0.15, 0, (guint64) seed);
      g_autoptr(GArray) train = g_array_new (FALSE, FALSE, sizeof (UrbSquare));
      g_autoptr(GArray) test = g_array_new (FALSE, FALSE, sizeof (UrbSquare));
      g_autoptr(GArray) validation = g_array_new (FALSE, FALSE, sizeof (UrbSquare));
      GArray *const kept[URB_N_SPLITS] = { train, test, validation };
      double share, n_industrial_test = 0;

      for (guint i = 0; i < squares->len; i++)
        {
          const UrbSquare *square = &g_array_index (squares, UrbSquare, i);
          UrbSplit split, before;
          gboolean used = urb_blocks_get_split (without, square, &before);

          g_assert_true (!used || before == URB_SPLIT_TRAIN || before == URB_SPLIT_TEST);
          if (!urb_blocks_get_split (blocks, square, &split))
            {
              g_assert_true (!used || before == URB_SPLIT_TRAIN);
              continue;
            }
          g_assert_cmpint (before == URB_SPLIT_TEST, ==, split == URB_SPLIT_TEST);
          g_array_append_val (kept[split], g_array_index (squares, UrbSquare, i));
          held_out[seed * N_SQUARES + (int) i] = split == URB_SPLIT_TEST;
          n_industrial_test += split == URB_SPLIT_TEST && built[i] > 0.5f;
        }
      share = (double) test->len / (train->len + test->len + validation->len);
      g_assert_cmpfloat_with_epsilon (share, 0.15, 0.05);
      share = (double) validation->len / (train->len + test->len + validation->len);
      g_assert_cmpfloat_with_epsilon (share, 0.1, 0.04);
      g_assert_cmpint (train->len + test->len + validation->len, >, 800);
      share = n_industrial_test / test->len * N_SQUARES / n_industrial;
      g_assert_cmpfloat (share, >, 0.4);
      g_assert_cmpfloat (share, <, 2);
      assert_apart (train, test);
      assert_apart (train, validation);
      assert_apart (test, validation);
      for (int other = 0; other < seed; other++)
        g_assert_cmpint (memcmp (held_out + seed * N_SQUARES, held_out + other * N_SQUARES,
                                 N_SQUARES), !=, 0);
    }
}

static void
test_no_split (void)
{
  g_autoptr(GArray) squares = g_array_new (FALSE, FALSE, sizeof (UrbSquare));
  const UrbSquare only = { 125, 125, 0, 250 };
  const UrbBox extent = { 0, 0, 250, 250 };
  const float variance = 0.5;
  UrbSplit split = URB_SPLIT_TEST;

  g_array_append_val (squares, only);
  for (double share = 0; share < 0.5; share += 0.3)
    {
      g_autoptr(UrbBlocks) blocks = urb_blocks_choose (squares, &variance, &variance, extent, share,
                                                       share, 1);

      g_assert_true (urb_blocks_get_split (blocks, &only, &split));
      g_assert_cmpint (split, ==, URB_SPLIT_TRAIN);
    }
}

/* Against all pairs: selected squares overlap within the limit, rejected ones would exceed it. */
static void
test_selection (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (12);
  g_autoptr(UrbSelection) selection = urb_selection_new (100, 0.4);
  UrbSquare taken[600];
  int n = 0;

  for (int i = 0; i < 600; i++)
    {
      UrbSquare square = { 2600000 + g_rand_double_range (rand, 0, 900),
                           1200000 + g_rand_double_range (rand, 0, 900),
                           g_rand_double_range (rand, 0, 90), 100 };
      double worst = 0;

      for (int k = 0; k < n; k++)
        worst = MAX (worst, urb_square_overlap_m2 (&square, &taken[k]));
      g_assert_cmpint (urb_selection_offer (selection, &square), ==, worst <= 4000);
      if (worst <= 4000)
        taken[n++] = square;
    }
  g_assert_cmpint (n, >, 50);
  g_assert_cmpint (n, <, 400);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/areas/variance", test_variance);
  g_test_add_func ("/areas/squares", test_squares);
  g_test_add_func ("/areas/hull", test_hull);
  g_test_add_func ("/areas/candidates", test_candidates);
  g_test_add_func ("/areas/all-positions", test_all_positions);
  g_test_add_func ("/areas/threads", test_threads);
  g_test_add_func ("/areas/refused-searches", test_refused_searches);
  g_test_add_func ("/areas/split", test_split);
  g_test_add_func ("/areas/no-split", test_no_split);
  g_test_add_func ("/areas/selection", test_selection);
  return g_test_run ();
}
