/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-curate.c - the entire curation of a town, from a map to a dataset and back.
 */
#include "dataset/curate.h"

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "dataset-fixture.h"
#include "dataset/ground.h"
#include "dataset/held-out.h"
#include "dataset/overview.h"
#include "dataset/raster.h"
#include "dataset/square.h"
#include "dataset/variance.h"
#include "dataset/sample-grid.h"
#include "made-up-map.h"
#include "made-up-tiles.h"
#include "map-fixture.h"

static const char *const sources[] = { "folder/town.gpkg", NULL };

static UrbCurateOptions
small_options (void)
{
  UrbCurateOptions options;

  urb_curate_options_init (&options);
  options.area_size_m = 100;
  options.stride_m = 50;
  options.resolution_px = 64;
  options.n_threads = 2;
  return options;
}

static UrbSquare
square_of (const UrbArea *area, double size_m)
{
  UrbSquare square = { area->center_x, area->center_y, area->angle_deg, size_m };

  return square;
}

static void
assert_accounted (const UrbCuration *curation)
{
  g_assert_cmpint (curation->n_positions, ==,
                   curation->n_uncovered + curation->n_low_variance + curation->n_straddling
                     + curation->n_overlapping + curation->n_beyond_top + curation->areas->len);
  g_assert_cmpint (curation->areas->len, ==,
                   curation->n_split[URB_SPLIT_TRAIN] + curation->n_split[URB_SPLIT_TEST]
                     + curation->n_split[URB_SPLIT_VALIDATION]);
}

/* For all pairs: no overlap between splits, limited overlap within them. */
static void
assert_overlaps (const UrbCuration *curation)
{
  const UrbCurateOptions *o = &curation->options;
  double area_m2 = o->area_size_m * o->area_size_m;
  double bound = (o->max_overlap + 1.0 / o->resolution_px) * area_m2 + 1e-6;

  for (guint i = 0; i < curation->areas->len; i++)
    for (guint j = 0; j < i; j++)
      {
        const UrbArea *a = &g_array_index (curation->areas, UrbArea, i);
        const UrbArea *b = &g_array_index (curation->areas, UrbArea, j);
        UrbSquare p = square_of (a, o->area_size_m), q = square_of (b, o->area_size_m);
        double overlap = urb_square_overlap_m2 (&p, &q);

        g_assert_cmpfloat (overlap, <=, a->split == b->split ? bound : 1e-3);
      }
}

static void
test_rotated_split (void)
{
  g_autoptr(UrbMap) map = map_fixture_town (2600000, 1200000, 1500, 1200);
  UrbCurateOptions options = small_options ();

  options.n_rotations = 5;
  options.stride_m = 20;
  for (int seed = 1; seed <= 4; seed++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(UrbCuration) curation = NULL;
      double share;

      options.seed = seed;
      curation = urb_curation_new (map, &options, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpint (curation->areas->len, >, 100);
      assert_accounted (curation);
      assert_overlaps (curation);
      share = (double) curation->n_split[URB_SPLIT_TEST] / curation->areas->len;
      g_assert_cmpfloat_with_epsilon (share, options.test_share, 0.05);
    }
}

static gboolean
warns_of_few (const UrbCuration *curation)
{
  for (guint i = 0; i < curation->warnings->len; i++)
    if (strstr (curation->warnings->pdata[i], "areas are for training: a generator would copy") != NULL)
      return TRUE;
  return FALSE;
}

static void
test_top (void)
{
  g_autoptr(UrbMap) map = map_fixture_town (0, 0, 1500, 1200);
  UrbCurateOptions options = small_options ();
  g_autoptr(UrbCuration) all = NULL, some = NULL;

  all = urb_curation_new (map, &options, NULL, NULL, NULL, NULL);
  options.top = 20;
  some = urb_curation_new (map, &options, NULL, NULL, NULL, NULL);
  g_assert_cmpint (some->areas->len, ==, 20);
  g_assert_cmpint (some->n_split[URB_SPLIT_TEST], ==, 3);
  g_assert_true (warns_of_few (some));
  g_assert_cmpint (all->n_split[URB_SPLIT_TRAIN], >=, 50);
  g_assert_false (warns_of_few (all));
  assert_accounted (some);
  g_assert_cmpfloat (g_array_index (some->areas, UrbArea, 0).variance, ==,
                     g_array_index (all->areas, UrbArea, 0).variance);
}

/* The variance of a tile's levels by definition. */
static double
variance_of_levels (const guint8 *levels, gsize n, int n_channels)
{
  double sum = 0, sum_of_squares = 0, variance = 0;

  if (n_channels == 3)
    {
      for (int c = 0; c < 3; c++)
        {
          double p = 0;

          for (gsize i = 0; i < n; i++)
            p += levels[3 * i + c] / 255.0 / n;
          variance += 4 * p * (1 - p) / 3;
        }
      return variance;
    }
  for (gsize i = 0; i < n; i++)
    {
      double v = levels[i] == 128 ? 0.5 : levels[i] / 255.0;

      sum += v / n;
      sum_of_squares += v * v / n;
    }
  return 4 * (sum_of_squares - sum * sum);
}

static void
assert_tiles_match (UrbDataset *dataset, UrbMap *map)
{
  const UrbDatasetInfo *info = urb_dataset_get_info (dataset);
  int n_channels = urb_encoding_get_n_channels (info->encoding);
  gsize n = (gsize) info->resolution_px * info->resolution_px;
  g_autofree guint8 *levels = g_malloc (n * 3), *codes = g_malloc (n);
  g_autoptr(UrbRaster) raster = urb_raster_new ();
  static const guint8 grey[] = { 255, 0, 128, 128 };

  for (gint64 i = 0; i < info->n_areas; i++)
    {
      const UrbArea *area = urb_dataset_get_area (dataset, i);
      UrbFrame frame = urb_frame_around (area->center_x, area->center_y, area->angle_deg,
                                         info->area_size_m, info->resolution_px);
      g_autoptr(GError) error = NULL;
      double variance;

      urb_dataset_read_tile (dataset, i, info->resolution_px, levels, &error);
      g_assert_no_error (error);
      variance = variance_of_levels (levels, n, n_channels);
      /* Soft levels are rounded to fifteenths, shares are not. */
      g_assert_cmpfloat_with_epsilon (variance, area->variance, info->soft ? 0.005 : 1e-9);
      urb_raster_paint (raster, map, &frame);
      made_up_map_get_classes (raster, &frame, codes);
      for (gsize k = 0; !info->soft && k < n; k++)
        if (n_channels == 1)
          g_assert_cmpint (levels[k], ==, grey[codes[k]]);
        else
          for (int c = 0; c < 3; c++)
            g_assert_cmpint (levels[3 * k + c], ==, codes[k] == c ? 255 : 0);
    }
}

typedef struct
{
  UrbEncoding encoding;
  gboolean    soft;
} Kind;

static void
test_write (gconstpointer data)
{
  const Kind *kind = data;
  g_autoptr(UrbMap) map = map_fixture_town (2600000, 1200000, 1500, 1200);
  g_autofree char *folder = fixture_make_folder ();
  g_autofree char *path = g_build_filename (folder, "town-areas.gpkg", NULL);
  UrbCurateOptions options = small_options ();
  g_autoptr(UrbCuration) curation = NULL;
  g_autoptr(UrbDataset) dataset = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(JsonNode) recipe = NULL;
  const UrbDatasetInfo *info;

  options.encoding = kind->encoding;
  options.soft = kind->soft;
  options.n_rotations = 3;
  curation = urb_curation_new (map, &options, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  urb_curation_write (curation, map, sources, path, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  dataset = urb_dataset_open (path, &error);
  g_assert_no_error (error);
  g_assert_true (made_up_tiles_are_intact (path));
  info = urb_dataset_get_info (dataset);
  g_assert_cmpint (info->n_areas, ==, curation->areas->len);
  g_assert_cmpint (info->n_areas, >, 50);
  for (gint64 i = 0; i < info->n_areas; i++)
    g_assert_cmpmem (urb_dataset_get_area (dataset, i), sizeof (UrbArea),
                     &g_array_index (curation->areas, UrbArea, i), sizeof (UrbArea));
  assert_tiles_match (dataset, map);
  recipe = json_from_string (info->recipe_json, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (json_array_get_string_element (
                     json_object_get_array_member (json_node_get_object (recipe), "sources"), 0),
                   ==, "town.gpkg");
  fixture_remove_folder (folder);
}

/* Soft tiles: the levels of each covered pixel sum to 255, edges have intermediate levels, and the
 * mean is the covered area. */
static void
test_soft_levels (void)
{
  static const double box[] = { 10.5, 10.25, 40.5, 10.25, 40.5, 39.5, 10.5, 39.5,
                                -99, -99, 199, -99, 199, 199, -99, 199 };
  static const guint32 rings[] = { 4, 4 }, rings_per_polygon[] = { 1, 1 };
  static const guint8 classes[] = { URB_CLASS_BUILDING, URB_CLASS_OTHER };
  g_autoptr(UrbMap) map = made_up_map_new (box, rings, rings_per_polygon, classes, 2, 2056);
  g_autofree char *folder = fixture_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.gpkg", NULL);
  UrbCurateOptions options = small_options ();
  g_autoptr(UrbCuration) curation = NULL;
  g_autoptr(UrbDataset) dataset = NULL;
  g_autoptr(GError) error = NULL;
  guint8 levels[64 * 64 * 3];
  const UrbArea *area;
  double building = 0;
  int n_between = 0;

  options.area_size_m = 64;
  options.stride_m = 64;
  options.soft = TRUE;
  options.min_variance = 0.01;
  options.top = 1;
  options.test_share = 0;
  curation = urb_curation_new (map, &options, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (urb_curation_write (curation, map, sources, path, NULL, NULL, NULL, &error));
  dataset = urb_dataset_open (path, &error);
  g_assert_no_error (error);
  area = urb_dataset_get_area (dataset, 0);
  g_assert_true (urb_dataset_read_tile (dataset, 0, 64, levels, &error));
  for (int i = 0; i < 64 * 64; i++)
    {
      const guint8 *level = levels + 3 * i;

      g_assert_cmpint (level[0] + level[1] + level[2], ==, 255);
      g_assert_cmpint (level[0] % 17, ==, 0);
      n_between += level[0] > 0 && level[0] < 255;
      building += level[0] / 255.0;
    }
  /* Windows lie on whole meters: 30 x 29.25 m within the window that contains it all. */
  g_assert_cmpfloat (area->coverage, ==, 1);
  g_assert_cmpint (n_between, >, 20);
  g_assert_cmpfloat_with_epsilon (building, area->share[0] * 64 * 64, 4);
  fixture_remove_folder (folder);
}

static void
test_nothing_qualifies (void)
{
  g_autoptr(UrbMap) map = map_fixture_town (0, 0, 400, 300);
  UrbCurateOptions options = small_options ();
  g_autoptr(UrbCuration) curation = NULL;
  g_autoptr(GError) error = NULL;
  const char *given;

  options.min_variance = 0.99;
  g_assert_null (urb_curation_new (map, &options, NULL, NULL, NULL, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_EMPTY);
  g_assert_nonnull (strstr (error->message, "variance below 0.99"));
  /* What was tried gives what it says. */
  given = strstr (error->message, "--min-variance 0.2 gives ");
  g_assert_nonnull (given);
  options.min_variance = 0.2;
  curation = urb_curation_new (map, &options, NULL, NULL, NULL, NULL);
  g_assert_nonnull (curation);
  g_assert_cmpint (g_ascii_strtoll (given + strlen ("--min-variance 0.2 gives "), NULL, 10), ==,
                   curation->areas->len);
  options.min_variance = 0.99;
  g_clear_error (&error);
  options.area_size_m = 1000;
  g_assert_null (urb_curation_new (map, &options, NULL, NULL, NULL, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_EMPTY);
  g_assert_nonnull (strstr (error->message, "400 x 300 m"));
  g_clear_error (&error);
  options.area_size_m = NAN;
  g_assert_null (urb_curation_new (map, &options, NULL, NULL, NULL, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPTIONS);
}

/* Beside buildings, a land cover has no gap; single objects do. */
static void
test_ground (void)
{
  g_autoptr(UrbMap) town = map_fixture_town (0, 0, 400, 300);
  g_autoptr(UrbMap) objects = map_fixture_random (9, 200, 0, 0, 1000);

  g_assert_cmpfloat (urb_ground_measure_cover (town), ==, 1);
  g_assert_cmpfloat (urb_ground_measure_cover (objects), <, 0.9);
  g_assert_cmpfloat (urb_ground_measure_cover (objects), >, 0.1);
}

/* A house 4,000 km away adds no places but its own. */
static void
test_far (void)
{
  g_autoptr(UrbMap) near = map_fixture_town_and_house (1000, 0), far = map_fixture_town_and_house (1000, 4e6);
  UrbCurateOptions options = small_options ();
  g_autoptr(UrbCuration) one = NULL, two = NULL;
  g_autoptr(GError) error = NULL;

  options.fill = URB_FILL_NO;
  one = urb_curation_new (near, &options, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  two = urb_curation_new (far, &options, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (two->areas->len, >, one->areas->len / 2);
  g_assert_cmpint (two->n_positions, <, one->n_positions + 100000);
  assert_accounted (two);
}

static void
assert_same_blocks (const UrbCuration *a, const UrbCuration *b)
{
  g_assert_cmpint (a->blocks->n_x, ==, b->blocks->n_x);
  g_assert_cmpint (a->blocks->n_y, ==, b->blocks->n_y);
  g_assert_cmpmem (a->blocks->split, a->blocks->n_x * a->blocks->n_y, b->blocks->split,
                   b->blocks->n_x * b->blocks->n_y);
}

/* The same ground is for testing, whatever the options. */
static void
test_split_stays (void)
{
  g_autoptr(UrbMap) map = map_fixture_town (0, 0, 1500, 1200);
  UrbCurateOptions options = small_options ();
  g_autoptr(UrbCuration) first = urb_curation_new (map, &options, NULL, NULL, NULL, NULL);
  g_autofree char *folder = fixture_make_folder ();
  g_autofree char *path = g_build_filename (folder, "first.gpkg", NULL);
  g_autoptr(UrbDataset) dataset = NULL;
  g_autoptr(GError) error = NULL;

  g_assert_cmpint (first->n_split[URB_SPLIT_TEST], >, 0);
  g_assert_true (urb_curation_write (first, map, sources, path, NULL, NULL, NULL, &error));
  g_assert_no_error (error);
  dataset = urb_dataset_open (path, &error);
  g_assert_no_error (error);
  for (int i = 0; i < 6; i++)
    {
      UrbCurateOptions other = options;
      g_autoptr(UrbCuration) curation = NULL;

      other.min_variance = i == 0 ? 0.45 : -1;
      other.resolution_px = i == 1 ? 32 : 64;
      other.encoding = i == 2 ? URB_ENCODING_GREY : URB_ENCODING_RGB;
      other.n_rotations = i == 3 ? 3 : 1;
      other.area_size_m = i == 4 ? 60 : 100;
      other.seed = i == 5 ? 2 : 1;
      curation = urb_curation_new (map, &other, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      if (i < 5)
        {
          assert_same_blocks (first, curation);
          g_assert_cmpint (urb_curation_count_tested (curation, map, dataset), ==, 0);
        }
      else
        g_assert_cmpint (urb_curation_count_tested (curation, map, dataset), >, 0);
    }
  g_clear_pointer (&dataset, urb_dataset_free);
  fixture_remove_folder (folder);
}

/* Written, the tiles of @curation are filled between the objects, and measured as they were found. */
static void
assert_filled (UrbCuration *curation, UrbMap *map)
{
  g_autofree char *folder = fixture_make_folder ();
  g_autofree char *path = g_build_filename (folder, "filled.gpkg", NULL);
  g_autofree float *found = g_new (float, curation->areas->len);
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i < curation->areas->len; i++)
    found[i] = g_array_index (curation->areas, UrbArea, i).variance;
  g_assert_true (urb_curation_write (curation, map, sources, path, NULL, NULL, NULL, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < curation->areas->len; i++)
    {
      const UrbArea *area = &g_array_index (curation->areas, UrbArea, i);

      g_assert_cmpfloat (area->coverage, >=, curation->options.min_coverage);
      g_assert_cmpfloat_with_epsilon (area->variance, found[i], 1e-6);
    }
  fixture_remove_folder (folder);
}

/* Buildings and roads without the ground between them. */
static void
test_fill (void)
{
  g_autoptr(UrbMap) map = map_fixture_random (9, 200, 0, 0, 1000);
  UrbCurateOptions options = small_options ();
  g_autoptr(UrbCuration) automatic = NULL, none = NULL;
  g_autoptr(GError) error = NULL;

  automatic = urb_curation_new (map, &options, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (automatic->filled);
  g_assert_cmpint (automatic->warnings->len, >=, 1);
  assert_accounted (automatic);
  assert_overlaps (automatic);
  assert_filled (automatic, map);
  options.fill = URB_FILL_NO;
  none = urb_curation_new (map, &options, NULL, NULL, NULL, &error);
  if (none != NULL)
    g_assert_cmpint (none->areas->len, <, automatic->areas->len / 4);
  else
    g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_EMPTY);
}

static void
cancel_cb (double fraction, const char *what, gpointer cancellable)
{
  if (strstr (what, "ncoding") != NULL)
    g_cancellable_cancel (cancellable);
}

static void
test_cancel (void)
{
  g_autoptr(UrbMap) map = map_fixture_town (0, 0, 1500, 1200);
  g_autofree char *folder = fixture_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.gpkg", NULL);
  UrbCurateOptions options = small_options ();
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(UrbCuration) curation = urb_curation_new (map, &options, NULL, NULL, NULL, NULL);
  g_autoptr(GError) error = NULL;

  g_assert_false (urb_curation_write (curation, map, sources, path, cancel_cb, cancellable,
                                      cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpint (g_rmdir (folder), ==, 0); /* hence empty */
}

static void
test_pictures (void)
{
  g_autoptr(UrbMap) map = map_fixture_town (0, 0, 600, 500);
  g_autofree char *folder = fixture_make_folder ();
  g_autofree char *wall = g_build_filename (folder, "wall.png", NULL);
  g_autofree char *overview = g_build_filename (folder, "overview.png", NULL);
  g_autofree guint8 *levels = g_malloc0 (7 * 32 * 32 * 3);
  g_autoptr(GArray) areas = g_array_new (FALSE, FALSE, sizeof (UrbArea));
  UrbArea area = { 300, 250, 30, .split = URB_SPLIT_TEST };
  g_autofree char *data = NULL;
  g_autoptr(GError) error = NULL;

  for (int n_channels = 1; n_channels <= 3; n_channels += 2)
    {
      g_assert_true (urb_sample_grid_write_png (wall, levels, 7, 32, n_channels, 0, 2, &error));
      g_assert_no_error (error);
    }
  g_assert_true (g_file_get_contents (wall, &data, NULL, &error));
  g_assert_cmpmem (data, 8, "\x89PNG\r\n\x1a\n", 8);
  /* Width and height, big-endian: 3 x 3 tiles of 64, and 4 gaps of 2. */
  g_assert_cmpmem (data + 16, 8, "\0\0\0\xc8\0\0\0\xc8", 8);
  g_array_append_val (areas, area);
  g_assert_true (urb_overview_write_png (overview, map, areas, 100, 400, &error));
  g_assert_no_error (error);
  g_assert_false (urb_sample_grid_write_png ("/no/such/folder/wall.png", levels, 7, 32, 1, 0, 1, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_WRITE);
  g_clear_error (&error);
  g_assert_false (urb_sample_grid_write_png (wall, levels, 7, 32, 3, 7, 1000, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPTIONS);
  fixture_remove_folder (folder);
}

int
main (int argc, char **argv)
{
  static const Kind kinds[] = { { URB_ENCODING_RGB, FALSE }, { URB_ENCODING_RGB, TRUE },
                                { URB_ENCODING_GREY, FALSE }, { URB_ENCODING_GREY, TRUE } };

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/curate/rotated-split", test_rotated_split);
  g_test_add_func ("/curate/top", test_top);
  g_test_add_data_func ("/curate/write/rgb", &kinds[0], test_write);
  g_test_add_data_func ("/curate/write/rgb-soft", &kinds[1], test_write);
  g_test_add_data_func ("/curate/write/grey", &kinds[2], test_write);
  g_test_add_data_func ("/curate/write/grey-soft", &kinds[3], test_write);
  g_test_add_func ("/curate/soft-levels", test_soft_levels);
  g_test_add_func ("/curate/nothing-qualifies", test_nothing_qualifies);
  g_test_add_func ("/curate/fill", test_fill);
  g_test_add_func ("/curate/ground", test_ground);
  g_test_add_func ("/curate/far", test_far);
  g_test_add_func ("/curate/split-stays", test_split_stays);
  g_test_add_func ("/curate/cancel", test_cancel);
  g_test_add_func ("/curate/pictures", test_pictures);
  return g_test_run ();
}
