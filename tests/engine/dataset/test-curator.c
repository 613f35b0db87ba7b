/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-curator.c - one search and many selections, against urb_curation_new() and
 * against exhaustive checks of the candidates.
 */
#include "dataset/curator-private.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "dataset-fixture.h"
#include "dataset/how-made.h"
#include "map-fixture.h"
#include "map/sample-town.h"

static const char *const sources[] = { "town.gpkg", NULL };

static UrbCurateOptions
small_options (int n_rotations)
{
  UrbCurateOptions options;

  urb_curate_options_init (&options);
  options.area_size_m = 100;
  options.stride_m = 50;
  options.resolution_px = 64;
  options.n_threads = 2;
  options.n_rotations = n_rotations;
  return options;
}

static UrbCurator *
curator_new (UrbMap *map, const UrbCurateOptions *options)
{
  g_autoptr(GError) error = NULL;
  UrbCurator *curator = urb_curator_new (map, options, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  return curator;
}

static UrbRanking *
rank (UrbCurator *curator, const UrbRankOptions *options, const UrbCuratorEdits *edits)
{
  g_autoptr(GError) error = NULL;
  UrbRanking *ranking = urb_curator_rank (curator, options, edits, NULL, &error);

  g_assert_no_error (error);
  return ranking;
}

static void
assert_accounted (const UrbCuration *curation)
{
  g_assert_cmpint (curation->n_positions, ==,
                   curation->n_uncovered + curation->n_low_variance + curation->n_straddling
                     + curation->n_overlapping + curation->n_beyond_top + curation->n_removed
                     + curation->areas->len);
  g_assert_cmpint (curation->areas->len, ==,
                   curation->n_split[URB_SPLIT_TRAIN] + curation->n_split[URB_SPLIT_TEST]
                     + curation->n_split[URB_SPLIT_VALIDATION]);
}

static void
assert_equal_curations (const UrbCuration *a, const UrbCuration *b)
{
  g_assert_cmpmem (a->areas->data, a->areas->len * sizeof (UrbArea), b->areas->data,
                   b->areas->len * sizeof (UrbArea));
  g_assert_cmpmem (a->n_split, sizeof a->n_split, b->n_split, sizeof b->n_split);
  g_assert_cmpmem (&a->options.area_size_m, sizeof (double), &b->options.area_size_m,
                   sizeof (double));
  g_assert_cmpint (a->n_positions, ==, b->n_positions);
  g_assert_cmpint (a->n_uncovered, ==, b->n_uncovered);
  g_assert_cmpint (a->n_low_variance, ==, b->n_low_variance);
  g_assert_cmpint (a->n_straddling, ==, b->n_straddling);
  g_assert_cmpint (a->n_overlapping, ==, b->n_overlapping);
  g_assert_cmpint (a->n_beyond_top, ==, b->n_beyond_top);
  g_assert_cmpint (a->filled, ==, b->filled);
  g_assert_cmpint (a->warnings->len, ==, b->warnings->len);
}

/* At each threshold, the curator with all candidates gives the result of a search with that
 * threshold. */
static void
assert_same_as_curation (UrbMap *map, const UrbCurateOptions *options)
{
  g_autoptr(UrbCurator) curator = curator_new (map, options);

  for (double threshold = 0; threshold < 0.65; threshold += 0.1)
    {
      UrbCurateOptions o = *options;
      UrbRankOptions r = urb_curate_get_rank_options (options);
      g_autoptr(UrbRanking) ranking = rank (curator, &r, NULL);
      g_autoptr(UrbCuration) here = NULL, there = NULL;
      g_autoptr(GError) here_error = NULL, there_error = NULL;

      o.min_variance = threshold;
      here = urb_ranking_to_curation (ranking, threshold, &here_error);
      there = urb_curation_new (map, &o, NULL, NULL, NULL, &there_error);
      if (there == NULL)
        {
          g_assert_null (here);
          g_assert_cmpstr (here_error->message, ==, there_error->message);
          continue;
        }
      g_assert_no_error (here_error);
      assert_accounted (here);
      assert_equal_curations (here, there);
    }
}

static void
test_same_as_curation (void)
{
  g_autoptr(UrbMap) map = map_fixture_town (2600000, 1200000, 1500, 1200);

  for (int n_rotations = 1; n_rotations <= 4; n_rotations += 3)
    for (int top = 0; top <= 40; top += 40)
      {
        UrbCurateOptions options = small_options (n_rotations);

        options.top = top;
        assert_same_as_curation (map, &options);
        options.encoding = URB_ENCODING_GREY;
        assert_same_as_curation (map, &options);
      }
}

/* The recipe lists the classes changed by hand. */
static void
check_classes_by_hand (UrbMap *before, const char *const *paths)
{
  const UrbMapLayer *layer = g_ptr_array_index (urb_map_get_layers (before), 0);
  const UrbMapValue *value = g_ptr_array_index (layer->values, 0);
  const UrbMapOverride override = { layer->name, value->value, URB_CLASS_ROAD };
  const UrbMapOptions map_options = { .overrides = &override, .n_overrides = 1 };
  UrbCurateOptions options = small_options (1);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbMap) map = urb_map_open (paths, &map_options, NULL, NULL, NULL, &error);
  g_autoptr(UrbCuration) curation = NULL;
  g_autofree char *recipe = NULL;
  g_autoptr(JsonNode) root = NULL;
  JsonArray *list;
  JsonObject *one;

  g_assert_no_error (error);
  curation = urb_curation_new (map, &options, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  recipe = urb_curation_dup_recipe (curation, map, paths);
  root = json_from_string (recipe, &error);
  g_assert_no_error (error);
  list = json_object_get_array_member (json_node_get_object (root), "classes_by_hand");
  g_assert_cmpint (json_array_get_length (list), ==, 1);
  one = json_array_get_object_element (list, 0);
  g_assert_cmpstr (json_object_get_string_member (one, "layer"), ==, layer->name);
  g_assert_cmpstr (json_object_get_string_member (one, "value"), ==, value->value);
  g_assert_cmpstr (json_object_get_string_member (one, "class"), ==, "road");
  g_assert_false (json_object_has_member (json_node_get_object (root), "by_hand"));
}

/* Returns: (transfer full): what tells its contents from all others */
static char *
make_dataset (UrbMap *map, const UrbCurateOptions *options, const char *const *paths, const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbCuration) curation = urb_curation_new (map, options, NULL, NULL, NULL, &error);
  g_autoptr(UrbDataset) dataset = NULL;

  g_assert_no_error (error);
  urb_curation_write (curation, map, paths, path, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  dataset = urb_dataset_open (path, &error);
  g_assert_no_error (error);
  return g_strdup (urb_dataset_get_info (dataset)->id);
}

/* Of what was chosen, the map has one layer and one value. */
static void
check_lacking (const UrbHowMade *made, UrbMap *map)
{
  static const char *const expected[] = {
    "1 of 2 layers with a profile or coordinate system of their own are not in this map: 'none'",
    "1 of 2 classes that were set by hand are for values that this map lacks: the layer 'none'",
  };
  g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);

  urb_how_made_compare (made, map, warnings);
  g_assert_cmpuint (warnings->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < warnings->len; i++)
    g_assert_cmpstr (g_ptr_array_index (warnings, i), ==, expected[i]);
}

/* What was chosen for the map, and how areas were chosen, comes back from the dataset as it was, and gives the same again. */
static void
check_how_made (UrbMap *before, const char *const *paths, const char *folder)
{
  const UrbMapLayer *layer = g_ptr_array_index (urb_map_get_layers (before), 0);
  const UrbMapValue *value = g_ptr_array_index (layer->values, 0);
  const UrbMapOverride overrides[] = { { layer->name, value->value, URB_CLASS_IGNORE }, { "none", "", URB_CLASS_BUILDING } };
  const UrbMapLayerOptions layers[] = { { "none", "osm", "" }, { layer->name, "", "EPSG:2056" } };
  const char *const path_crs[] = { "", NULL };
  const UrbMapOptions map_options = { .profile = "urbarium", .crs = "EPSG:21781", .path_crs = path_crs, .road_width_m = 7.25, .clip = "5.9,45.8,10.6,47.9",
                                      .overrides = overrides, .n_overrides = 2, .layers = layers, .n_layers = 2 };
  g_autofree char *dataset = g_build_filename (folder, "areas.gpkg", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbMap) map = urb_map_open (paths, &map_options, NULL, NULL, NULL, &error);
  g_autoptr(UrbMap) again = NULL;
  g_autofree char *id = NULL, *id_again = NULL;
  g_auto(UrbHowMade) made = { 0 };
  UrbCurateOptions options = small_options (3);

  g_assert_no_error (error);
  options.stride_m = 33.3;
  options.min_variance = 0.1;
  options.max_overlap = 0;
  options.top = 5;
  options.encoding = URB_ENCODING_GREY;
  options.soft = TRUE;
  options.validation_share = 0;
  options.seed = 12345678901234567;
  options.fill = URB_FILL_YES;
  id = make_dataset (map, &options, paths, dataset);
  urb_how_made_read (&made, dataset, &error);
  g_assert_no_error (error);
  options.n_threads = 0; /* of the machine */
  for (guint i = 0; i < urb_curate_settings.n_rows; i++)
    {
      g_autofree char *then = urb_setting_dup_text (&urb_curate_settings.rows[i], &options);
      g_autofree char *now = urb_setting_dup_text (&urb_curate_settings.rows[i], &made.curate);
      g_assert_cmpstr (now, ==, then);
    }
  g_assert_cmpstr (made.map.profile, ==, "urbarium");
  g_assert_cmpstr (made.map.crs, ==, "EPSG:21781");
  g_assert_true (g_strv_equal (made.map.path_crs, path_crs));
  g_assert_cmpstr (made.map.clip, ==, "5.9,45.8,10.6,47.9");
  g_assert_cmpfloat (made.map.road_width_m, ==, 7.25);
  g_assert_cmpuint (made.map.n_overrides, ==, 2);
  g_assert_cmpuint (made.map.n_layers, ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      g_assert_cmpstr (made.map.overrides[i].layer, ==, overrides[i].layer);
      g_assert_cmpstr (made.map.overrides[i].value, ==, overrides[i].value);
      g_assert_cmpint (made.map.overrides[i].class_, ==, overrides[i].class_);
      g_assert_cmpstr (made.map.layers[i].layer, ==, layers[i].layer);
      g_assert_cmpstr (made.map.layers[i].profile, ==, layers[i].profile);
      g_assert_cmpstr (made.map.layers[i].crs, ==, layers[i].crs);
    }
  g_assert_cmpint (made.n_by_hand, ==, 0);
  again = urb_map_open (paths, &made.map, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  check_lacking (&made, again);
  id_again = make_dataset (again, &made.curate, paths, dataset);
  g_assert_cmpstr (id_again, ==, id);
}

static void
test_same_on_sample_town (void)
{
  g_autofree char *folder = fixture_make_folder ();
  g_autofree char *path = g_build_filename (folder, "town.gpkg", NULL);
  const char *const paths[] = { path, NULL };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSampleTown) town = urb_sample_town_new (7, 1000, NULL, NULL, NULL, &error);
  g_autoptr(UrbMap) map = NULL;
  UrbCurateOptions options = small_options (3);

  if (g_error_matches (error, URB_MAP_ERROR, URB_MAP_ERROR_UNAVAILABLE))
    {
      g_test_skip ("built without GDAL");
      fixture_remove_folder (folder);
      return;
    }
  g_assert_no_error (error);
  g_assert_true (urb_sample_town_write (town, path, &error));
  map = urb_map_open (paths, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  assert_same_as_curation (map, &options);
  check_classes_by_hand (map, paths);
  check_how_made (map, paths, folder);
  fixture_remove_folder (folder);
}

static void
test_same_on_real_map (void)
{
  g_autoptr(UrbMap) map = map_fixture_open_real ("ch-so-wasseramt/wasseramt_lv03.gpkg");
  UrbCurateOptions options;

  if (map == NULL)
    return;
  urb_curate_options_init (&options);
  options.stride_m = 62.5;
  options.n_rotations = 2;
  assert_same_as_curation (map, &options);
}

/* Only the ground between the objects is missing: filled. */
static void
test_filled (void)
{
  g_autoptr(UrbMap) map = map_fixture_random (9, 200, 0, 0, 1000);
  UrbCurateOptions options = small_options (1);
  g_autoptr(UrbCurator) curator = curator_new (map, &options);

  g_assert_cmpint (curator->warnings->len, ==, 1);
  assert_same_as_curation (map, &options);
}

/* Prefixes: the selection at a threshold is all ranked areas from there up. */
static void
test_choose (void)
{
  g_autoptr(UrbMap) map = map_fixture_town (0, 0, 1500, 1200);
  UrbCurateOptions options = small_options (3);
  g_autoptr(UrbCurator) curator = curator_new (map, &options);
  UrbRankOptions r = urb_curate_get_rank_options (&options);
  g_autoptr(UrbRanking) ranking = rank (curator, &r, NULL);

  g_assert_cmpint (ranking->areas->len, >, 100);
  for (double threshold = -0.1; threshold < 1.1; threshold += 0.01)
    {
      UrbChoice choice = urb_ranking_choose (ranking, threshold);
      gsize n = 0;
      gint64 n_split[URB_N_SPLITS] = { 0 };

      for (; n < ranking->areas->len; n++)
        {
          const UrbRankedArea *area = &g_array_index (ranking->areas, UrbRankedArea, n);

          if (area->variance < (float) threshold)
            break;
          n_split[area->split]++;
        }
      g_assert_cmpint (choice.n, ==, n);
      g_assert_cmpmem (choice.n_split, sizeof n_split, n_split, sizeof n_split);
      g_assert_cmpfloat (choice.area_m2, ==, n * 1e4);
      g_assert_cmpfloat_with_epsilon (choice.share[0] + choice.share[1] + choice.share[2], n > 0,
                                      1e-9);
    }
}

/* The shares against those of the encoded tiles, and the recipe's count of edits. */
static void
test_write (void)
{
  g_autoptr(UrbMap) map = map_fixture_town (2600000, 1200000, 1500, 1200);
  UrbCurateOptions options = small_options (2);
  g_autoptr(UrbCurator) curator = curator_new (map, &options);
  UrbRankOptions r = urb_curate_get_rank_options (&options);
  const gint64 last = urb_curator_get_n_candidates (curator) - 1, removed[] = { 0, 1 };
  const UrbCuratorEdits edits = { &last, 1, removed, 2 };
  g_autoptr(UrbRanking) ranking = NULL;
  g_autoptr(UrbCuration) curation = NULL;
  g_autofree char *folder = fixture_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.gpkg", NULL);
  g_autofree char *recipe = NULL;
  g_autoptr(JsonNode) root = NULL;
  g_autoptr(GError) error = NULL;
  JsonObject *by_hand;
  UrbChoice choice;
  double share[3] = { 0 };

  r.test_share = 0;
  ranking = rank (curator, &r, &edits);
  choice = urb_ranking_choose (ranking, 0.35);
  curation = urb_ranking_to_curation (ranking, 0.35, &error);
  g_assert_no_error (error);
  assert_accounted (curation);
  g_assert_cmpint (curation->n_added, ==, 1);
  g_assert_cmpint (curation->n_removed, ==, 2);
  g_assert_true (urb_curation_write (curation, map, sources, path, NULL, NULL, NULL, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < curation->areas->len; i++)
    for (int c = 0; c < 3; c++)
      share[c] += g_array_index (curation->areas, UrbArea, i).share[c] / curation->areas->len;
  for (int c = 0; c < 3; c++)
    g_assert_cmpfloat_with_epsilon (choice.share[c], share[c], 1e-4);
  recipe = urb_curation_dup_recipe (curation, map, sources);
  root = json_from_string (recipe, &error);
  g_assert_no_error (error);
  by_hand = json_object_get_object_member (json_node_get_object (root), "by_hand");
  g_assert_cmpfloat (json_object_get_double_member (by_hand, "threshold"), ==, 0.35);
  g_assert_cmpint (json_object_get_int_member (by_hand, "added"), ==, 1);
  g_assert_cmpint (json_object_get_int_member (by_hand, "removed"), ==, 2);
  fixture_remove_folder (folder);
}

static void
test_edits (void)
{
  g_autoptr(UrbMap) map = map_fixture_town (0, 0, 1500, 1200);
  UrbCurateOptions options = small_options (2);
  g_autoptr(UrbCurator) curator = curator_new (map, &options);
  UrbRankOptions r = urb_curate_get_rank_options (&options);
  g_autoptr(UrbRanking) before = rank (curator, &r, NULL), after = NULL;
  gint64 n = urb_curator_get_n_candidates (curator);
  gint64 removed = g_array_index (before->areas, UrbRankedArea, 0).id;
  gint64 added[] = { -1, -1, -1 };
  const UrbRankedArea *areas;

  /* The candidate of lowest variance that straddles, the one that does not, and that again. */
  for (gint64 id = 0; id < n; id++)
    added[urb_ranking_get_fate (before, id) == URB_FATE_STRADDLES ? 0 : 1] = id;
  added[2] = added[1];
  g_assert_cmpint (added[0], >=, 0);
  after = rank (curator, &r, &(UrbCuratorEdits) { added, 3, &removed, 1 });
  areas = (const UrbRankedArea *) (void *) after->areas->data;
  g_assert_cmpint (after->n_forced, ==, 1);
  g_assert_cmpint (areas[0].id, ==, added[1]);
  g_assert_true (areas[0].forced);
  g_assert_cmpint (urb_ranking_get_fate (after, added[0]), ==, URB_FATE_STRADDLES);
  g_assert_cmpint (urb_ranking_get_fate (after, added[1]), ==, URB_FATE_RANKED);
  g_assert_cmpint (urb_ranking_get_fate (after, removed), ==, URB_FATE_REMOVED);
  g_assert_cmpint (urb_ranking_choose (after, 1).n, ==, 1);
  for (guint i = 1; i < after->areas->len; i++)
    {
      g_assert_cmpint (areas[i].id, !=, removed);
      g_assert_cmpint (areas[i].id, !=, added[1]);
      g_assert_false (areas[i].forced);
    }
  /* Only the added areas are left. */
  g_assert_cmpmem (after->blocks->split, after->blocks->n_x * after->blocks->n_y,
                   before->blocks->split, before->blocks->n_x * before->blocks->n_y);
}

static void
test_all_removed (void)
{
  g_autoptr(UrbMap) map = map_fixture_town (0, 0, 400, 300);
  UrbCurateOptions options = small_options (1);
  g_autoptr(UrbCurator) curator = curator_new (map, &options);
  UrbRankOptions r = urb_curate_get_rank_options (&options);
  g_autoptr(GArray) ids = NULL;
  g_autoptr(UrbRanking) ranking = NULL;
  g_autoptr(GError) error = NULL;
  const double loop[] = { 0, 0, 400, 0, 400, 300, 0, 300 };

  ids = urb_curator_find_within (curator, loop, 4);
  g_assert_cmpint (ids->len, ==, urb_curator_get_n_candidates (curator));
  ranking = rank (curator, &r, &(UrbCuratorEdits) { NULL, 0, (gint64 *) (void *) ids->data,
                                                    ids->len });
  g_assert_cmpint (ranking->areas->len, ==, 0);
  g_assert_cmpint (urb_ranking_choose (ranking, 0).n, ==, 0);
  g_assert_null (urb_ranking_to_curation (ranking, 0, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_EMPTY);
}

static void
test_heat_map (void)
{
  g_autoptr(UrbMap) map = map_fixture_town (2600000, 1200000, 1500, 1200);
  UrbCurateOptions options = small_options (3);
  g_autoptr(UrbCurator) curator = curator_new (map, &options);
  const UrbHeatMap *heat = urb_curator_get_heat_map (curator);
  gsize n_cells = (gsize) heat->width * heat->height;
  g_autofree float *best = g_new (float, n_cells);
  gint64 counts[20], n = 0;

  g_assert_cmpfloat (heat->cell_m, ==, 50);
  g_assert_cmpfloat (heat->width * heat->cell_m, ==, heat->box.max_x - heat->box.min_x);
  g_assert_cmpfloat (heat->height * heat->cell_m, ==, heat->box.max_y - heat->box.min_y);
  g_assert_cmpint (heat->width, ==, 29); /* (1500 - 100) / 50 + 1 */
  g_assert_cmpint (heat->height, ==, 23);
  for (gsize c = 0; c < n_cells; c++)
    best[c] = -1;
  for (gint64 id = 0; id < urb_curator_get_n_candidates (curator); id++)
    {
      float variance;
      UrbSquare square = urb_curator_get_square (curator, id, &variance);
      int col = (square.x - heat->box.min_x) / 50, row = (heat->box.max_y - square.y) / 50;

      best[row * heat->width + col] = MAX (best[row * heat->width + col], variance);
    }
  for (gsize c = 0; c < n_cells; c++)
    {
      g_assert_cmpfloat (heat->variance[c], ==, best[c]);
      g_assert_cmpfloat (heat->variance[c], >=, 0);
    }
  urb_curator_get_histogram (curator, counts, 20);
  for (int i = 0; i < 20; i++)
    n += counts[i];
  g_assert_cmpint (n, ==, urb_curator_get_n_candidates (curator));
}

static gboolean
contains (UrbSquare square, double x, double y)
{
  double corners[4][2];

  urb_square_get_corners (&square, corners);
  for (int i = 0; i < 4; i++)
    {
      const double *a = corners[i], *b = corners[(i + 1) % 4];

      if ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) < 0)
        return FALSE;
    }
  return TRUE;
}

/* With one rotation it is the nearest that contains the point. */
static void
test_find_at (void)
{
  g_autoptr(UrbMap) map = map_fixture_town (0, 0, 900, 700);
  UrbCurateOptions options = small_options (1);
  g_autoptr(UrbCurator) curator = curator_new (map, &options);
  g_autoptr(GRand) rand = g_rand_new_with_seed (5);

  for (int k = 0; k < 500; k++)
    {
      double x = g_rand_double_range (rand, -50, 950), y = g_rand_double_range (rand, -50, 750);
      double best = INFINITY;
      gint64 nearest = -1;

      for (gint64 id = 0; id < urb_curator_get_n_candidates (curator); id++)
        {
          UrbSquare square = urb_curator_get_square (curator, id, NULL);
          double distance = hypot (square.x - x, square.y - y);

          if (contains (square, x, y) && distance < best)
            {
              best = distance;
              nearest = id;
            }
        }
      g_assert_cmpint (urb_curator_find_at (curator, x, y), ==, nearest);
      g_assert_true ((nearest >= 0) == (x > 0 && x < 900 && y > 0 && y < 700));
    }
}

/* With several, no rotation has a better one at the same distance. */
static void
test_find_rotated (void)
{
  g_autoptr(UrbMap) map = map_fixture_town (0, 0, 900, 700);
  UrbCurateOptions options = small_options (4);
  g_autoptr(UrbCurator) curator = curator_new (map, &options);
  g_autoptr(GRand) rand = g_rand_new_with_seed (6);
  int n_rotated = 0;

  for (int k = 0; k < 200; k++)
    {
      double x = g_rand_double_range (rand, 150, 750), y = g_rand_double_range (rand, 150, 550);
      gint64 id = urb_curator_find_at (curator, x, y);
      UrbSquare square = urb_curator_get_square (curator, id, NULL);

      g_assert_true (contains (square, x, y));
      g_assert_cmpfloat (hypot (square.x - x, square.y - y), <, 0.75 * 50);
      n_rotated += square.angle_deg > 0;
    }
  g_assert_cmpint (n_rotated, >, 20);
  g_assert_cmpint (n_rotated, <, 200);
}

static void
test_find_within (void)
{
  g_autoptr(UrbMap) map = map_fixture_town (0, 0, 900, 700);
  UrbCurateOptions options = small_options (2);
  g_autoptr(UrbCurator) curator = curator_new (map, &options);
  const double triangle[] = { 101, 99, 700, 102, 301, 503 };
  g_autoptr(GArray) ids = urb_curator_find_within (curator, triangle, 3);
  g_autoptr(GArray) none = urb_curator_find_within (curator, triangle, 2);
  guint k = 0;

  g_assert_cmpint (none->len, ==, 0);
  g_assert_cmpint (ids->len, >, 40);
  for (gint64 id = 0; id < urb_curator_get_n_candidates (curator); id++)
    {
      UrbSquare s = urb_curator_get_square (curator, id, NULL);
      gboolean inside = TRUE;

      for (int i = 0; i < 3; i++)
        {
          const double *a = triangle + 2 * i, *b = triangle + 2 * ((i + 1) % 3);

          inside = inside && (b[0] - a[0]) * (s.y - a[1]) - (b[1] - a[1]) * (s.x - a[0]) > 0;
        }
      if (inside)
        g_assert_cmpint (g_array_index (ids, gint64, k++), ==, id);
    }
  g_assert_cmpint (k, ==, ids->len);
}

static void
test_refused (void)
{
  g_autoptr(UrbMap) map = map_fixture_town (0, 0, 900, 700);
  UrbCurateOptions options = small_options (1);
  UrbRankOptions r = urb_curate_get_rank_options (&options);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(UrbCurator) curator = curator_new (map, &options);
  g_autoptr(GError) error = NULL;

  r.max_overlap = NAN;
  g_assert_null (urb_curator_rank (curator, &r, NULL, NULL, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPTIONS);
  g_clear_error (&error);
  g_cancellable_cancel (cancellable);
  r.max_overlap = 0.5;
  g_assert_null (urb_curator_rank (curator, &r, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_null (urb_curator_new (map, &options, NULL, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  options.area_size_m = options.stride_m = 5000;
  g_assert_null (urb_curator_new (map, &options, NULL, NULL, NULL, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_EMPTY);
}

/* A limit that even a busy machine meets; the numbers are informative. */
static void
test_speed (gconstpointer data)
{
  g_autoptr(UrbMap) map = map_fixture_open_real ("ch-so-wasseramt/wasseramt_lv03.gpkg");
  UrbCurateOptions options;
  UrbRankOptions r;
  g_autoptr(UrbCurator) curator = NULL;
  g_autoptr(UrbRanking) ranking = NULL;
  gint64 start, searched, ranked;

  if (map == NULL)
    return;
  urb_curate_options_init (&options);
  options.stride_m = 62.5;
  options.n_rotations = GPOINTER_TO_INT (data);
  r = urb_curate_get_rank_options (&options);
  start = g_get_monotonic_time ();
  curator = curator_new (map, &options);
  searched = g_get_monotonic_time ();
  ranking = rank (curator, &r, NULL);
  ranked = g_get_monotonic_time ();
  g_test_message ("%" G_GINT64_FORMAT " candidates, %u areas: search %.3f s, ranking %.3f s",
                  urb_curator_get_n_candidates (curator), ranking->areas->len,
                  (searched - start) / 1e6, (ranked - searched) / 1e6);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/curator/same-as-curation", test_same_as_curation);
  g_test_add_func ("/curator/same-on-sample-town", test_same_on_sample_town);
  g_test_add_func ("/curator/same-on-real-map", test_same_on_real_map);
  g_test_add_func ("/curator/filled", test_filled);
  g_test_add_func ("/curator/choose", test_choose);
  g_test_add_func ("/curator/write", test_write);
  g_test_add_func ("/curator/edits", test_edits);
  g_test_add_func ("/curator/all-removed", test_all_removed);
  g_test_add_func ("/curator/heat-map", test_heat_map);
  g_test_add_func ("/curator/find-at", test_find_at);
  g_test_add_func ("/curator/find-rotated", test_find_rotated);
  g_test_add_func ("/curator/find-within", test_find_within);
  g_test_add_func ("/curator/refused", test_refused);
  g_test_add_data_func ("/curator/speed/1", GINT_TO_POINTER (1), test_speed);
  g_test_add_data_func ("/curator/speed/4", GINT_TO_POINTER (4), test_speed);
  return g_test_run ();
}
