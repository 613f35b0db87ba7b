/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-evaluate.c - the comparison, and the entire path from a checkpoint to cities, an
 * evaluation and a report.
 */
#include <json-glib/json-glib.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "../dataset/dataset-fixture.h"
#include "city-fixture.h"
#include "city/evaluate-blind.h"
#include "city/evaluate.h"
#include "city/generate.h"
#include "made-up-tiles.h"
#include "train/trainer.h"

enum { SIZE_PX = 32 };

static const char preset_text[]
  = "[preset]\nimage-size=32\nlatent=8\nbatch=4\nsteps=100\nlr=0.001\ngamma=5\n"
    "[generator]\n1=dense 8 8 bias lrelu\n2=tconv 8 bias lrelu\n3=tconv image bias head\n"
    "[discriminator]\n1=conv4 8 bias lrelu\n2=conv4 8 bias lrelu\n3=logit bias\n";

typedef struct
{
  char *folder, *preset, *dataset, *checkpoint;
} Fixture;

static void
set_up (Fixture *self, gconstpointer encoding)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbTrainer) trainer = NULL;
  g_autoptr(GError) error = NULL;
  UrbStepMetrics metrics;

  self->folder = city_make_folder ();
  self->preset = g_build_filename (self->folder, "mini.preset", NULL);
  self->dataset = g_build_filename (self->folder, "areas.gpkg", NULL);
  self->checkpoint = g_build_filename (self->folder, "c.safetensors", NULL);
  g_assert_true (g_file_set_contents (self->preset, preset_text, -1, NULL));
  fixture_write (self->dataset, (UrbEncoding) GPOINTER_TO_INT (encoding), FALSE, SIZE_PX);
  urb_train_options_init (&options);
  g_free (options.preset);
  g_free (options.dataset);
  options.preset = g_strdup (self->preset);
  options.dataset = g_strdup (self->dataset);
  options.n_threads = 1;
  options.n_steps = 2;
  trainer = urb_trainer_new (&options, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (urb_trainer_step (trainer, &metrics, &error));
  g_assert_true (urb_trainer_save (trainer, self->checkpoint, &error));
  g_assert_no_error (error);
}

static void
tear_down (Fixture *self, gconstpointer encoding)
{
  city_remove_folder (self->folder);
  g_free (self->preset);
  g_free (self->dataset);
  g_free (self->checkpoint);
}

static JsonObject *
parse (JsonParser *parser, const char *json)
{
  g_autoptr(GError) error = NULL;

  json_parser_load_from_data (parser, json, -1, &error);
  g_assert_no_error (error);
  return json_node_get_object (json_parser_get_root (parser));
}

/* One line, all measured values, and the ends of the values of each area. */
static void
assert_values (const UrbEvaluation *evaluation)
{
  g_autofree char *json = urb_evaluation_to_json (evaluation, URB_EVALUATION_VALUES);
  g_autoptr(JsonParser) parser = json_parser_new ();
  JsonObject *root = parse (parser, json);
  JsonObject *measures = json_object_get_object_member (root, "measures");

  g_assert_null (strchr (json, '\n'));
  for (int m = 0; m < URB_N_MEASURES; m++)
    {
      if (!urb_comparison_has (evaluation->plans, (UrbMeasure) m))
        continue;
      JsonObject *values = json_object_get_object_member (
        json_object_get_object_member (measures, urb_measure_info[m].name), "values");
      JsonArray *real = json_object_get_array_member (values, "real");
      JsonArray *ends = json_object_get_array_member (values, "real_ends");
      guint n_ends = json_array_get_length (ends);

      for (int g = 0; g < URB_N_GROUPS; g++)
        g_assert_cmpuint (
          json_array_get_length (json_object_get_array_member (values, urb_group_names[g])), ==,
          MIN (evaluation->plans->measured[g]->values[m]->len, URB_EVALUATION_MAX_VALUES));
      g_assert_cmpuint (n_ends, <=, evaluation->plans->measured[URB_GROUP_REAL]->n_tiles);
      if (n_ends > 0)
        g_assert_cmpint (json_array_get_int_element (ends, n_ends - 1), ==,
                         json_array_get_length (real));
    }
  g_assert_cmpstr (evaluation->dataset_path, ==,
                   json_object_get_string_member (json_object_get_object_member (root, "dataset"),
                                                  "path"));
}

/* All measures that have values, with their ranks. */
static void
assert_measures (JsonObject *measures, const UrbComparison *comparison)
{
  guint n = 0;

  for (int m = 0; m < URB_N_MEASURES; m++)
    {
      if (!urb_comparison_has (comparison, (UrbMeasure) m))
        continue;
      n++;
      g_assert_cmpint (json_object_get_int_member (json_object_get_object_member (
                                                     measures, urb_measure_info[m].name), "rank"),
                       ==, comparison->results[m].rank);
    }
  g_assert_cmpuint (n, >=, 12);
  g_assert_cmpuint (json_object_get_size (measures), ==, n);
}

static void
test_whole_way (Fixture *self, gconstpointer encoding)
{
  const UrbEvaluateOptions options = { self->checkpoint, NULL, 12, 3, { .n_threads = 2 } };
  g_autofree char *report = g_build_filename (self->folder, "report", NULL);
  g_autoptr(UrbEvaluation) evaluation = NULL;
  g_autoptr(UrbEvaluation) again = NULL;
  g_autoptr(JsonParser) parser = json_parser_new ();
  g_autoptr(GError) error = NULL;
  g_autofree char *json = NULL;
  g_autofree char *same = NULL;
  g_autofree char *text = NULL;
  JsonObject *root;

  evaluation = urb_evaluate (&options, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (evaluation->plans->measured[URB_GROUP_GENERATED]->n_tiles, ==, 12);
  g_assert_cmpint (evaluation->pixels->measured[URB_GROUP_UNTRAINED]->n_tiles, ==, 12);
  g_assert_cmpint (evaluation->plans->measured[URB_GROUP_REAL]->n_tiles, ==, 4);
  g_assert_cmpint (evaluation->plans->measured[URB_GROUP_TRAIN]->n_tiles, ==, 8);
  g_assert_true (evaluation->same_dataset);
  json = urb_evaluation_to_json (evaluation, URB_EVALUATION_SUMMARY);
  root = parse (parser, json);
  g_assert_false (
    json_object_get_boolean_member (json_object_get_object_member (root, "copies"), "found"));
  g_assert_cmpint (
    json_object_get_int_member (json_object_get_object_member (root, "n_tiles"), "real"), ==, 4);
  g_assert_cmpint (json_object_get_int_member (root, "n_places"), ==, 4);
  assert_measures (json_object_get_object_member (root, "measures"), evaluation->plans);
  assert_measures (json_object_get_object_member (
                     json_object_get_object_member (root, "pixels"), "measures"),
                   evaluation->pixels);
  g_assert_true (urb_comparison_has (evaluation->plans, URB_MEASURE_BLOCK_COVERAGE));
  g_assert_true (urb_comparison_has (evaluation->pixels, URB_MEASURE_HALF_TONES));
  again = urb_evaluate (&options, NULL, NULL, NULL, &error);
  same = urb_evaluation_to_json (again, URB_EVALUATION_SUMMARY);
  g_assert_cmpstr (json, ==, same);
  assert_values (evaluation);
  text = urb_evaluation_to_text (evaluation);
  g_assert_nonnull (strstr (text, "Geometric mean"));
  g_assert_nonnull (strstr (text, "4 held-out real areas in 4 places"));
  g_assert_nonnull (strstr (text, "\nStreets "));
  g_assert_nonnull (strstr (text, "Half-tones"));
  g_assert_nonnull (strstr (text, "No verdict: it takes 20 held-out areas in 3 places."));
  g_assert_null (strstr (text, "missing"));
  evaluation->n_missing = 3;
  g_free (text);
  text = urb_evaluation_to_text (evaluation);
  g_assert_nonnull (strstr (text, "\n3 shapes of the plans could not be made and are missing.\n"));

  g_assert_true (urb_evaluation_write_report (evaluation, report, &error));
  g_assert_no_error (error);
  {
    static const char *const names[] = { "evaluation.json", "evaluation.txt", "distributions.png",
                                         "real.png",        "generated.png",  "untrained.png",
                                         "nearest.png" };

    for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
      {
        g_autofree char *path = g_build_filename (report, names[i], NULL);

        g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR)
                       == (evaluation->closest->len > 0 || strcmp (names[i], "nearest.png") != 0));
      }
  }
  city_remove_folder (g_steal_pointer (&report));
}

static void
change_dataset (Fixture *self, const char *sql)
{
  sqlite3 *db;

  g_assert_cmpint (sqlite3_open (self->dataset, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
}

/* Held-out areas that are training areas: no verdict, and the table and the JSON say why. */
static void
test_shared (Fixture *self, gconstpointer encoding)
{
  const UrbEvaluateOptions options = { self->checkpoint, NULL, 12, 3, { .n_threads = 1 } };
  g_autoptr(UrbEvaluation) evaluation = NULL;
  g_autoptr(JsonParser) parser = json_parser_new ();
  g_autoptr(GError) error = NULL;
  g_autofree char *json = NULL;
  g_autofree char *text = NULL;

  change_dataset (self, "UPDATE area_tiles SET tile = (SELECT tile FROM area_tiles WHERE fid = 1)"
                        " WHERE fid IN (SELECT fid FROM areas WHERE split = 'test' LIMIT 3)");
  made_up_tiles_sign (self->dataset);
  evaluation = urb_evaluate (&options, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (evaluation->copying.n_shared, ==, 3);
  g_assert_cmpint (evaluation->plans->verdict, ==, URB_VERDICT_NONE);
  json = urb_evaluation_to_json (evaluation, URB_EVALUATION_SUMMARY);
  g_assert_cmpint (json_object_get_int_member (
                     json_object_get_object_member (parse (parser, json), "copies"), "shared"), ==, 3);
  text = urb_evaluation_to_text (evaluation);
  g_assert_nonnull (strstr (text, "WARNING: 3 of 4 held-out areas are training areas too"));
}

static char *
read_file (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

/* The same seed gives the same pairs; another one others.  Test areas occur once each. */
static void
test_blind (Fixture *self, gconstpointer encoding)
{
  static const char *const folders[] = { "a", "b", "c" };
  UrbBlindOptions few = { .checkpoint = self->checkpoint, .folder = self->folder,
                          .on = { .n_threads = 1 } };
  g_autoptr(GError) refused = NULL;
  g_autofree char *answers = NULL;
  char *keys[3];
  guint n_written;

  g_assert_false (urb_blind_write (&few, &n_written, NULL, NULL, NULL, &refused));
  g_assert_error (refused, URB_CITY_ERROR, URB_CITY_ERROR_DATASET); /* of 12 areas, 4 are for testing */
  change_dataset (self, "UPDATE areas SET split = 'test' WHERE fid > 4");
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *folder = g_build_filename (self->folder, folders[i], NULL);
      const UrbBlindOptions options = { .checkpoint = self->checkpoint, .folder = folder,
                                        .seed = i < 2 ? 1 : 2, .on = { .n_threads = 1 } };
      g_autoptr(GError) error = NULL;
      g_autofree char *sheet = g_build_filename (folder, URB_BLIND_SHEET, NULL);
      guint n_pairs = 0;

      g_assert_true (urb_blind_write (&options, &n_pairs, NULL, NULL, NULL, &error));
      g_assert_no_error (error);
      g_assert_cmpuint (n_pairs, ==, 9);
      g_assert_true (g_file_test (sheet, G_FILE_TEST_IS_REGULAR));
      keys[i] = read_file (folder, URB_BLIND_KEY);
      for (guint pair = 0; pair < n_pairs; pair++)
        for (guint plan = 0; plan < 2; plan++)
          {
            g_autofree char *name = urb_blind_dup_picture_name (pair, plan);
            g_autofree char *image = read_file (folder, name);
          }
      if (i == 0)
        answers = read_file (folder, URB_BLIND_ANSWERS);
      /* A test is not overwritten. */
      g_assert_false (urb_blind_write (&options, &n_pairs, NULL, NULL, NULL, &error));
      g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_EXIST);
      city_remove_folder (g_steal_pointer (&folder));
    }
  g_assert_cmpstr (keys[0], ==, keys[1]);
  g_assert_cmpstr (keys[0], !=, keys[2]);
  for (int area = 5; area <= 12; area++)
    {
      g_autofree char *text = g_strdup_printf ("this is area %d\n", area);

      g_assert_nonnull (strstr (keys[0], text));
    }
  g_assert_true (g_str_has_suffix (answers, "\n9 \n"));
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_free (keys[i]);
}

static void
assert_files (const char *folder, const char *const *names)
{
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  g_assert_cmpuint (n, ==, g_strv_length ((GStrv) names));
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR));
    }
}

/* Cities 2 to 4 of a seed are the same, generated alone or with others, by one thread or by several. */
static void
test_generate (Fixture *self, gconstpointer encoding)
{
  static const char *const names[] = { "city-0002.png",
                                       "city-0003.png",
                                       "city-0004.png",
                                       "wall.png",
                                       "cities.geojson",
                                       "cities.svg",
                                       NULL };
  g_autofree char *folder = g_build_filename (self->folder, "cities", NULL);
  g_autofree char *file = g_build_filename (self->folder, "all.geojson", NULL);
  g_autofree char *text = NULL;
  g_autofree char *all = NULL, *same = NULL;
  g_autofree char *by_three = g_build_filename (self->folder, "by-three.geojson", NULL);
  g_autofree char *path = g_build_filename (folder, "cities.geojson", NULL);
  g_autoptr(GError) error = NULL;
  UrbGenerateOptions options = { .checkpoint = self->checkpoint, .seed = 5, .first = 1, .count = 3,
                                 .out = folder, .n_columns = 1, .on = { .n_threads = 1 },
                                 .outputs = URB_OUTPUT_PNG | URB_OUTPUT_GEOJSON | URB_OUTPUT_SVG };
  UrbGenerateSummary summary;
  const char *tail;

  g_assert_true (urb_generate (&options, &summary, NULL, NULL, NULL, &error));
  g_assert_no_error (error);
  assert_files (folder, names);
  g_assert_cmpint (summary.n_cities, ==, 3);
  g_assert_cmpint (summary.n_invalid, ==, 0);
  g_assert_cmpint (summary.size_px, ==, SIZE_PX);
  g_assert_cmpfloat (summary.agreement, >, 0.5);

  options.first = 0;
  options.count = 4;
  options.out = file;
  g_assert_true (urb_generate (&options, &summary, NULL, NULL, NULL, &error));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_true (g_file_get_contents (file, &all, NULL, NULL));
  /* In a single column the last city is lowest: city 4 is at the origin in both. */
  tail = strstr (text, "\"city\":4");
  g_assert_nonnull (tail);
  g_assert_nonnull (strstr (all, "\"city\":4"));
  g_assert_cmpstr (tail, ==, strstr (all, "\"city\":4"));
  options.out = by_three;
  options.on.n_threads = 3;
  g_assert_true (urb_generate (&options, &summary, NULL, NULL, NULL, &error));
  g_assert_true (g_file_get_contents (by_three, &same, NULL, NULL));
  g_assert_cmpstr (same, ==, all);
  city_remove_folder (g_steal_pointer (&folder));
}

/* A city of several areas is one plan: a picture of its own, and vectors across the borders of the areas. */
static void
test_generate_wide (Fixture *self, gconstpointer encoding)
{
  static const char *const names[] = { "city-0001.png", "cities.geojson", NULL };
  g_autofree char *folder = g_build_filename (self->folder, "wide", NULL);
  g_autofree char *wall = g_build_filename (folder, "wall.png", NULL);
  g_autofree char *png = g_build_filename (self->folder, "plan.png", NULL);
  g_autofree char *image = g_build_filename (folder, "city-0001.png", NULL);
  g_autofree char *a = NULL, *b = NULL;
  gsize n_a, n_b;
  g_autoptr(GError) error = NULL;
  UrbGenerateOptions options = { .checkpoint = self->checkpoint, .seed = 5, .count = 1, .n_cols = 3,
                                 .n_rows = 2, .out = folder, .on = { .n_threads = 1 },
                                 .outputs = URB_OUTPUT_PNG | URB_OUTPUT_GEOJSON };
  UrbGenerateSummary summary;

  g_assert_true (urb_generate (&options, &summary, NULL, NULL, NULL, &error));
  g_assert_no_error (error);
  assert_files (folder, names);
  g_assert_false (g_file_test (wall, G_FILE_TEST_EXISTS));
  g_assert_cmpint (summary.n_cities, ==, 1);
  g_assert_cmpint (summary.n_invalid, ==, 0);
  g_assert_cmpfloat (summary.width_m, ==, 3 * summary.area_size_m);
  g_assert_cmpfloat (summary.height_m, ==, 2 * summary.area_size_m);
  options.out = png;
  options.outputs = 0;
  g_assert_true (urb_generate (&options, &summary, NULL, NULL, NULL, &error));
  g_assert_true (g_file_get_contents (image, &a, &n_a, NULL));
  g_assert_true (g_file_get_contents (png, &b, &n_b, NULL));
  g_assert_cmpmem (a, n_a, b, n_b);
  city_remove_folder (g_steal_pointer (&folder));
}

static void
assert_text (const char *path, const char *expected)
{
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, expected);
}

/* Existing outputs are replaced only on request, all of them, and nothing else. */
static void
test_replace (Fixture *self, gconstpointer encoding)
{
  static const char *const others[]
    = { "city-5.png", "city-00005.png", "city-0005.png.bak", "cities.dxf", "city-0005.svg" };
  g_autofree char *folder = g_build_filename (self->folder, "sets", NULL);
  g_autofree char *file = g_build_filename (self->folder, "map.svg", NULL);
  UrbGenerateOptions options = { .checkpoint = self->checkpoint, .seed = 1, .count = 3,
                                 .out = folder, .on = { .n_threads = 1 },
                                 .outputs = URB_OUTPUT_PNG | URB_OUTPUT_SVG };
  UrbGenerateSummary summary;
  g_autoptr(GError) error = NULL;

  g_assert_true (urb_generate (&options, &summary, NULL, NULL, NULL, &error));
  g_assert_cmpint (summary.n_removed, ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autofree char *path = g_build_filename (folder, others[i], NULL);

      g_assert_true (g_file_set_contents (path, "other", -1, NULL));
    }

  options.first = 5; /* only the vectors and the sample grid have the same names */
  options.count = 1;
  g_assert_false (urb_generate (&options, &summary, NULL, NULL, NULL, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_EXIST);
  g_assert_nonnull (strstr (error->message, "--force"));
  g_clear_error (&error);
  options.first = 1;
  options.replace = TRUE;
  g_assert_true (urb_generate (&options, &summary, NULL, NULL, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpint (summary.n_removed, ==, 2);
  for (int number = 1; number <= 3; number++)
    {
      g_autofree char *path = g_strdup_printf ("%s/city-%04d.png", folder, number);

      g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS) == (number == 2));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autofree char *path = g_build_filename (folder, others[i], NULL);

      assert_text (path, "other");
    }

  /* Checked before the checkpoint is opened. */
  options = (UrbGenerateOptions) { .checkpoint = "/nowhere", .count = 1, .out = file };
  g_assert_true (g_file_set_contents (file, "a map", -1, NULL));
  g_assert_false (urb_generate (&options, &summary, NULL, NULL, NULL, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_EXIST);
  g_assert_nonnull (strstr (error->message, "map.svg"));
  assert_text (file, "a map");
  city_remove_folder (g_steal_pointer (&folder));
}

/* --out is a folder or has a known suffix, consistent with the formats. */
static void
test_out (Fixture *self, gconstpointer encoding)
{
  static const struct
  {
    const char *name;
    UrbOutputs outputs;
    gboolean wall, good, file;
  } cases[] = {
    { "q.gpkg", 0, FALSE, TRUE, TRUE },
    { "q.svg", URB_OUTPUT_SVG, FALSE, TRUE, TRUE },
    { "q.png", 0, TRUE, TRUE, TRUE },
    { "q", 0, FALSE, TRUE, FALSE },
    { "q", URB_OUTPUT_PNG, TRUE, TRUE, FALSE },
    { "old.d", URB_OUTPUT_SVG, FALSE, TRUE, FALSE },
    { "new.d/", 0, FALSE, TRUE, FALSE },
    { "q.xyz", 0, FALSE, FALSE, FALSE },
    { "q.gpkg", 0, TRUE, FALSE, TRUE },
    { "q.png", URB_OUTPUT_GPKG, FALSE, FALSE, TRUE },
    { "q.svg", URB_OUTPUT_SVG | URB_OUTPUT_PNG, FALSE, FALSE, TRUE },
    { "q", URB_OUTPUT_GPKG, TRUE, FALSE, FALSE },
  };
  g_autofree char *old = g_build_filename (self->folder, "old.d", NULL);
  g_autofree char *unknown = g_build_filename (self->folder, "q.xyz", NULL);
  UrbGenerateOptions options = { .checkpoint = self->checkpoint, .count = 1, .out = unknown,
                                 .on = { .n_threads = 1 } };
  UrbGenerateSummary summary;
  g_autoptr(GError) refused = NULL;

  g_assert_cmpint (g_mkdir_with_parents (old, 0777), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *out = g_strconcat (self->folder, "/", cases[i].name, NULL);
      g_autoptr(GError) error = NULL;
      gboolean good = urb_generate_check_out (out, cases[i].outputs, cases[i].wall, &error);

      g_test_message ("%s: %s", cases[i].name, error != NULL ? error->message : "good");
      g_assert_true (good == cases[i].good);
      g_assert_true (good == (error == NULL));
      g_assert_true (urb_generate_out_is_file (out) == cases[i].file);
    }
  g_assert_false (urb_generate (&options, &summary, NULL, NULL, NULL, &refused));
  g_assert_error (refused, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS);
  g_assert_false (g_file_test (unknown, G_FILE_TEST_EXISTS));
  city_remove_folder (g_steal_pointer (&old));
}

static void
test_errors (Fixture *self, gconstpointer encoding)
{
  g_autofree char *nothing = g_build_filename (self->folder, "nothing.gpkg", NULL);
  UrbEvaluateOptions options = { self->checkpoint, nothing, 4, 3, { .n_threads = 1 } };
  g_autoptr(GCancellable) cancelled = g_cancellable_new ();
  g_autoptr(GError) error = NULL;

  g_assert_null (urb_evaluate (&options, NULL, NULL, NULL, &error));
  g_assert_true (error != NULL && error->domain == URB_DATASET_ERROR);
  g_clear_error (&error);
  options.dataset = NULL;
  options.checkpoint = self->preset;
  g_assert_null (urb_evaluate (&options, NULL, NULL, NULL, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  options.checkpoint = self->checkpoint;
  g_cancellable_cancel (cancelled);
  g_assert_null (urb_evaluate (&options, NULL, NULL, cancelled, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Measures @n towns a group: held out and training alike, generated ones of @n_houses and some. */
static UrbComparison *
compare_kinds (guint32 n, int n_houses)
{
  UrbComparison *comparison = urb_comparison_new (64);

  comparison->n_places = URB_VERDICT_MIN_PLACES;
  for (guint32 i = 0; i < n; i++)
    {
      g_autoptr(UrbClassMap) real = fixture_town (8 + (int) (i % 5), i);
      g_autoptr(UrbClassMap) alike = fixture_town (8 + (int) (i % 5), 1000 + i);
      g_autoptr(UrbClassMap) generated = fixture_town (n_houses + (int) (i % 5), 2000 + i);
      g_autoptr(UrbClassMap) noise = fixture_noise (64, 3, i);

      urb_measurements_add (comparison->measured[URB_GROUP_REAL], real, NULL, NULL);
      urb_measurements_add (comparison->measured[URB_GROUP_TRAIN], alike, NULL, NULL);
      urb_measurements_add (comparison->measured[URB_GROUP_GENERATED], generated, NULL, NULL);
      urb_measurements_add (comparison->measured[URB_GROUP_UNTRAINED], noise, NULL, NULL);
    }
  urb_comparison_run (comparison, 1);
  return comparison;
}

/* Towns of the same kind are at about the chance level; noise is far from them. */
static void
test_compare (void)
{
  g_autoptr(UrbComparison) comparison = compare_kinds (60, 16);
  const double *score = comparison->score;

  g_test_message ("alike %.2f, denser %.2f, noise %.2f", score[URB_GROUP_TRAIN],
                  score[URB_GROUP_GENERATED], score[URB_GROUP_UNTRAINED]);
  g_assert_cmpfloat (score[URB_GROUP_TRAIN], <, 1.2);
  g_assert_cmpfloat (score[URB_GROUP_GENERATED], >, 1.5);
  g_assert_cmpfloat (score[URB_GROUP_UNTRAINED], >, 3 * score[URB_GROUP_GENERATED]);
  g_assert_true (isnan (score[URB_GROUP_REAL]));
  for (int m = 0; m < URB_N_MEASURES; m++)
    {
      const UrbMeasureResult *result = &comparison->results[m];

      g_assert_cmpfloat (result->limit, >=, result->noise.q95);
      g_assert_cmpfloat (result->limit, >=, result->distance[URB_GROUP_TRAIN]);
    }
}

/* Twice as many houses are never "close", whatever the mean says; the count is named. */
static void
test_verdict (void)
{
  g_autoptr(UrbComparison) alike = compare_kinds (60, 8), denser = compare_kinds (60, 24);
  g_autoptr(UrbComparison) few = compare_kinds (URB_VERDICT_MIN_AREAS - 1, 8);
  g_autoptr(UrbComparison) absurd = compare_kinds (60, 8); /* in one measure */
  GArray *counts = absurd->measured[URB_GROUP_GENERATED]->values[URB_MEASURE_BUILDING_COUNT];
  gboolean named = FALSE;

  g_assert_cmpint (alike->verdict, ==, URB_VERDICT_ALIKE);
  g_assert_cmpint (few->verdict, ==, URB_VERDICT_NONE);
  for (guint i = 0; i < counts->len; i++)
    g_array_index (counts, double, i) += 20;
  urb_comparison_run (absurd, 1);
  g_assert_cmpfloat (absurd->results[absurd->ranking[0]].rho[URB_GROUP_GENERATED], >, 10);
  g_assert_cmpfloat (absurd->score[URB_GROUP_GENERATED], <, 2); /* the mean alone would be "close" */
  g_assert_cmpint (absurd->verdict, ==, URB_VERDICT_FAR);
  g_assert_true (denser->results[URB_MEASURE_BUILDING_COUNT].half_off);
  g_assert_cmpint (denser->verdict, >=, URB_VERDICT_SIMILAR);
  for (guint i = 0; i < denser->n_worst; i++)
    {
      UrbMeasure worst = denser->ranking[i];

      named |= worst == URB_MEASURE_BUILDING_COUNT;
      g_assert_cmpfloat (denser->results[worst].rho[URB_GROUP_GENERATED], >, 1);
    }
  g_assert_true (named);
}

/* The ranks are those of the ranking, worst first; a measure without rho has none. */
static void
test_ranking (void)
{
  g_autoptr(UrbComparison) comparison = compare_kinds (30, 16);
  guint n = 0;

  for (int m = 0; m < URB_N_MEASURES; m++)
    if (isnan (comparison->results[m].rho[URB_GROUP_GENERATED]))
      g_assert_cmpint (comparison->results[m].rank, ==, 0);
    else
      n++;
  g_assert_cmpuint (n, >, URB_VERDICT_N_WORST);
  g_assert_cmpuint (comparison->n_ranked, ==, n);
  for (guint i = 0; i < n; i++)
    {
      const UrbMeasureResult *result = &comparison->results[comparison->ranking[i]];

      g_assert_cmpint (result->rank, ==, (int) i + 1);
      if (i > 0)
        g_assert_cmpfloat (result->rho[URB_GROUP_GENERATED], <=,
                           comparison->results[comparison->ranking[i - 1]].rho[URB_GROUP_GENERATED]);
    }
}

/* As wholes, towns of the same kind are alike, denser ones less so, and noise not at all. */
static void
test_sets (void)
{
  g_autoptr(UrbComparison) comparison = compare_kinds (60, 24);
  const UrbSetResult *train = &comparison->sets[URB_GROUP_TRAIN];
  const UrbSetResult *denser = &comparison->sets[URB_GROUP_GENERATED];
  const UrbSetResult *noise = &comparison->sets[URB_GROUP_UNTRAINED];

  g_test_message ("KID: alike %.3f, denser %.3f, noise %.3f", train->kid.value, denser->kid.value,
                  noise->kid.value);
  g_assert_cmpfloat (fabs (train->kid.value), <, 3 * train->kid.error);
  g_assert_cmpfloat (denser->kid.value, >, 5 * denser->kid.error);
  g_assert_cmpfloat (noise->kid.value, >, denser->kid.value);
  g_assert_cmpfloat (train->precision, >, 0.5);
  g_assert_cmpfloat (train->recall, >, 0.5);
  g_assert_cmpfloat (denser->precision, <, train->precision);
  g_assert_cmpfloat (noise->precision, ==, 0);
  g_assert_cmpfloat (noise->recall, ==, 0);
}

/* A verdict takes enough areas in enough places. */
static void
test_floor (void)
{
  g_autoptr(UrbComparison) comparison = compare_kinds (60, 8);

  comparison->n_places = URB_VERDICT_MIN_PLACES - 1;
  urb_comparison_run (comparison, 1);
  g_assert_cmpint (comparison->verdict, ==, URB_VERDICT_NONE);
  comparison->n_places = URB_VERDICT_MIN_PLACES;
  urb_comparison_run (comparison, 1);
  g_assert_cmpint (comparison->verdict, ==, URB_VERDICT_ALIKE);
}

/* One area per value. */
static void
add_counts (UrbMeasurements *measured, const double *values, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_array_append_val (measured->values[URB_MEASURE_DEAD_ENDS], values[i]);
      measured->n_tiles++;
      for (int m = 0; m < URB_N_MEASURES; m++)
        g_array_append_val (measured->ends[m], measured->values[m]->len);
    }
}

/* Two dead ends instead of one are chance where the halves of the real areas differ by that; five
 * are not. */
static void
test_half_off (void)
{
  static const double real[] = { 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2 };
  static const double two[] = { 2, 2, 2 }, five[] = { 5, 5, 5 };
  g_autoptr(UrbComparison) near = urb_comparison_new (64), far = urb_comparison_new (64);

  add_counts (near->measured[URB_GROUP_REAL], real, G_N_ELEMENTS (real));
  add_counts (near->measured[URB_GROUP_GENERATED], two, G_N_ELEMENTS (two));
  add_counts (far->measured[URB_GROUP_REAL], real, G_N_ELEMENTS (real));
  add_counts (far->measured[URB_GROUP_GENERATED], five, G_N_ELEMENTS (five));
  urb_comparison_run (near, 1);
  urb_comparison_run (far, 1);
  g_assert_cmpfloat (near->results[URB_MEASURE_DEAD_ENDS].noise.medians_q95, >=, 1);
  g_assert_false (near->results[URB_MEASURE_DEAD_ENDS].half_off);
  g_assert_true (far->results[URB_MEASURE_DEAD_ENDS].half_off);
  /* Measures without values are not off. */
  g_assert_false (near->results[URB_MEASURE_STREET_WIDTH].half_off);
}

/* Every other value of 3 + 0 + 1 + 6: each tile keeps half of its values. */
static void
test_thin (void)
{
  static const double values[] = { 3, 1, 2, 7, 6, 5, 4, 3, 2, 1 };
  static const guint ends[] = { 3, 3, 4, 10 };
  static const double expected[] = { 2, 7, 2, 4, 6 };
  static const guint expected_ends[] = { 1, 2, 5 };
  g_autoptr(UrbMeasurements) all = urb_measurements_new ();
  g_autoptr(GArray) thin_ends = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr(GArray) thin = NULL;
  g_autoptr(GArray) same = NULL;

  g_array_append_vals (all->values[URB_MEASURE_BUILDING_COUNT], values, G_N_ELEMENTS (values));
  g_array_append_vals (all->ends[URB_MEASURE_BUILDING_COUNT], ends, G_N_ELEMENTS (ends));
  all->n_tiles = G_N_ELEMENTS (ends);
  thin = urb_measurements_thin (all, URB_MEASURE_BUILDING_COUNT, 5, thin_ends);
  g_assert_cmpmem (thin->data, thin->len * sizeof (double), expected, sizeof expected);
  g_assert_cmpmem (thin_ends->data, thin_ends->len * sizeof (guint), expected_ends,
                   sizeof expected_ends);
  same = urb_measurements_thin (all, URB_MEASURE_BUILDING_COUNT, 10, thin_ends);
  g_assert_cmpuint (same->len, ==, 10);
  g_assert_cmpuint (thin_ends->len, ==, 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/evaluate/compare", test_compare);
  g_test_add_func ("/evaluate/verdict", test_verdict);
  g_test_add_func ("/evaluate/ranking", test_ranking);
  g_test_add_func ("/evaluate/sets", test_sets);
  g_test_add_func ("/evaluate/floor", test_floor);
  g_test_add_func ("/evaluate/half-off", test_half_off);
  g_test_add_func ("/evaluate/thin", test_thin);
  g_test_add ("/evaluate/whole-way", Fixture, GINT_TO_POINTER (URB_ENCODING_RGB), set_up,
              test_whole_way, tear_down);
  g_test_add ("/evaluate/whole-way-grey", Fixture, GINT_TO_POINTER (URB_ENCODING_GREY), set_up,
              test_whole_way, tear_down);
  g_test_add ("/evaluate/shared", Fixture, GINT_TO_POINTER (URB_ENCODING_RGB), set_up, test_shared,
              tear_down);
  g_test_add ("/evaluate/blind", Fixture, GINT_TO_POINTER (URB_ENCODING_RGB), set_up, test_blind,
              tear_down);
  g_test_add ("/evaluate/generate", Fixture, GINT_TO_POINTER (URB_ENCODING_RGB), set_up,
              test_generate, tear_down);
  g_test_add ("/evaluate/generate-wide", Fixture, GINT_TO_POINTER (URB_ENCODING_RGB), set_up,
              test_generate_wide, tear_down);
  g_test_add ("/evaluate/replace", Fixture, GINT_TO_POINTER (URB_ENCODING_RGB), set_up, test_replace,
              tear_down);
  g_test_add ("/evaluate/out", Fixture, GINT_TO_POINTER (URB_ENCODING_RGB), set_up, test_out,
              tear_down);
  g_test_add ("/evaluate/errors", Fixture, GINT_TO_POINTER (URB_ENCODING_RGB), set_up, test_errors,
              tear_down);
  return g_test_run ();
}
