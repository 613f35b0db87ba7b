/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-main-job.c - the whole workflow at a small scale: sample, inspect, curate,
 * train, resume, generate, evaluate, each as a separate process.
 */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "engine-run.h"

/* Runs a command, which must succeed.  Returns: its output */
static char *
run_in (const char *folder, const char *arguments)
{
  g_auto(EngineResult) result = engine_run_in (folder, arguments);

  g_assert_cmpint (result.code, ==, 0);
  return g_steal_pointer (&result.out);
}

static JsonObject *
run_for_json (const char *folder, const char *arguments, JsonParser *parser)
{
  g_autofree char *text = run_in (folder, arguments);
  g_autoptr(GError) error = NULL;

  json_parser_load_from_data (parser, text, -1, &error);
  g_assert_no_error (error);
  return json_node_get_object (json_parser_get_root (parser));
}

static void
assert_file (const char *folder, const char *name, gint64 min_bytes)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  GStatBuf info;

  g_test_message ("%s", name);
  g_assert_cmpint (g_stat (path, &info), ==, 0);
  g_assert_cmpint (info.st_size, >=, min_bytes);
}

/* The contents of a file, for comparison. */
static GBytes *
read_file (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr(GError) error = NULL;
  char *text = NULL;
  gsize n_bytes = 0;

  g_file_get_contents (path, &text, &n_bytes, &error);
  g_assert_no_error (error);
  return g_bytes_new_take (text, n_bytes);
}

static void
remove_folder (const char *folder)
{
  g_autoptr(GError) error = NULL;

  g_spawn_sync (NULL, (char *[]){ "rm", "-rf", (char *) folder, NULL }, NULL, G_SPAWN_SEARCH_PATH,
                NULL, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

/* A street along the middle of the area and a house beside it, in local meters. */
static void
write_site (const char *folder)
{
  static const char text[] =
    "{\"type\":\"FeatureCollection\",\"features\":["
    "{\"type\":\"Feature\",\"properties\":{\"class\":\"road\"},\"geometry\":{\"type\":\"Polygon\","
    "\"coordinates\":[[[0,120],[250,120],[250,128],[0,128],[0,120]]]}},"
    "{\"type\":\"Feature\",\"properties\":{\"class\":\"building\"},\"geometry\":{\"type\":\"Polygon\","
    "\"coordinates\":[[[40,140],[60,140],[60,170],[40,170],[40,140]]]}}]}";
  g_autofree char *path = g_build_filename (folder, "site.geojson", NULL);
  g_autoptr(GError) error = NULL;

  g_assert_true (g_file_set_contents (path, text, -1, &error));
}

/* Proposals contain what is given, are the same each time, and differ from each other. */
static void
check_proposals (const char *folder, JsonParser *parser)
{
  g_autoptr(GBytes) once = NULL, again = NULL;
  JsonObject *object;
  JsonArray *proposals;

  write_site (folder);
  object = run_for_json (folder,
                         "generate @/run --keep @/site.geojson --count 2 --out @/once.geojson --json",
                         parser);
  g_assert_cmpint (json_object_get_int_member (object, "cities"), ==, 2);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (object, "given"), 0.045, 0.005);
  proposals = json_object_get_array_member (object, "proposals");
  g_assert_cmpuint (json_array_get_length (proposals), ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      JsonObject *proposal = json_array_get_object_element (proposals, i);

      g_assert_cmpfloat (json_object_get_double_member (proposal, "kept"), >, 0.8);
      g_assert_cmpfloat (json_object_get_double_member (proposal, "met"), <=, 1);
    }
  g_free (run_in (folder, "generate @/run --keep @/site.geojson --count 2 --out @/again.geojson"));
  once = read_file (folder, "once.geojson");
  again = read_file (folder, "again.geojson");
  g_assert_true (g_bytes_equal (once, again));
}

static void
test_main_job (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-job-XXXXXX", NULL);
  g_autofree char *no_stride
    = g_strdup_printf ("curate %s/town.gpkg --out %s/areas.gpkg --stride-m nan", folder, folder);
  g_autoptr(JsonParser) parser = json_parser_new ();
  g_auto(EngineResult) refused = { 0 };
  g_autoptr(GBytes) stopped = NULL, straight = NULL;
  JsonObject *object;

  g_free (run_in (folder, "sample --seed 3 --size-km 1.25 @/town.gpkg"));
  object = run_for_json (folder, "inspect @/town.gpkg --json", parser);
  g_assert_cmpstr (json_object_get_string_member (object, "profile"), ==, "urbarium");
  refused = engine_run (no_stride);
  g_assert_cmpint (refused.code, ==, 2);
  run_for_json (folder, "curate @/town.gpkg --out @/areas.gpkg --resolution 64 --soft --json",
                parser);
  assert_file (folder, "areas.gpkg", 10000);

  /* A run stopped after 3 of 6 steps and resumed gives the same cities as an uninterrupted one. */
  g_free (run_in (folder,
                  "train --dataset @/areas.gpkg --run @/run --preset tiny --batch 4 --steps 3 "
                  "--schedule-steps 6 --quiet"));
  g_free (run_in (folder, "resume @/run --steps 6 --quiet"));
  g_free (run_in (folder,
                  "train --dataset @/areas.gpkg --run @/run2 --preset tiny --batch 4 --steps 6 "
                  "--schedule-steps 6 --quiet"));
  g_free (run_in (folder, "generate @/run --count 4 --seed 5 --out @/stopped.png"));
  g_free (run_in (folder, "generate @/run2 --count 4 --seed 5 --out @/straight.png"));
  stopped = read_file (folder, "stopped.png");
  straight = read_file (folder, "straight.png");
  g_assert_true (g_bytes_equal (stopped, straight));

  g_free (run_in (folder, "generate @/run --count 2 --out @/cities --format png,geojson"));
  assert_file (folder, "cities", 0);
  g_free (run_in (folder, "generate @/run --count 2 --out @/cities.gpkg"));
  assert_file (folder, "cities.gpkg", 10000);
  check_proposals (folder, parser);
  object = run_for_json (folder,
                         "evaluate @/run --dataset @/areas.gpkg --count 8 --json --values "
                         "--progress", parser);
  g_assert_cmpuint (json_object_get_size (object), >, 0);
  remove_folder (folder);
}

/* A map with a single candidate position; a dataset is not accepted as a checkpoint. */
static void
test_one_place (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-job-XXXXXX", NULL);
  g_autofree char *generate = g_strdup_printf ("generate %s/areas.gpkg --out %s/c", folder, folder);
  g_autofree char *said = NULL;
  g_auto(EngineResult) refused = { 0 };

  g_free (run_in (folder, "sample --size-km 0.25 @/town.gpkg"));
  said = run_in (folder, "curate @/town.gpkg --out @/areas.gpkg --resolution 64 --test-share 0 "
                         "--min-variance 0");
  g_assert_nonnull (strstr (said, "1 place of 250 x 250 m looked at\n"));
  refused = engine_run (generate);
  g_assert_cmpint (refused.code, ==, 3);
  g_assert_nonnull (strstr (refused.err, "areas.gpkg' is a dataset; name the folder of a run, or"));
  remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/main-job/town-to-cities", test_main_job);
  g_test_add_func ("/main-job/one-place", test_one_place);
  return g_test_run ();
}
