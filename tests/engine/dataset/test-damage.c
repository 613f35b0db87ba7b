/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-damage.c - a truncated, corrupted or forged dataset causes an error, or tiles with
 * values in range; never a crash.
 */
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>

#include "dataset-fixture.h"
#include "dataset/dataset-watch.h"
#include "dataset/how-made.h"
#include "made-up-tiles.h"

#define SIZE_PX 16
#define N_FLIPPED_FILES 600

/* Reads as much as possible.  Returns: whether everything was readable */
static gboolean
read_everything (const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbDataset) dataset = urb_dataset_open_unverified (path, &error);
  gboolean whole = TRUE;

  if (dataset == NULL)
    {
      g_assert_nonnull (error);
      g_assert_cmpuint (error->domain, ==, URB_DATASET_ERROR);
      return FALSE;
    }
  for (gint64 i = 0; i < urb_dataset_get_info (dataset)->n_areas; i++)
    {
      int size_px = urb_dataset_get_info (dataset)->resolution_px;
      g_autofree guint8 *levels = g_malloc ((gsize) size_px * size_px * 3);
      g_autoptr(GError) tile_error = NULL;

      if (urb_dataset_read_tile (dataset, i, size_px, levels, &tile_error))
        continue;
      g_assert_error (tile_error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED);
      whole = FALSE;
    }
  return whole && made_up_tiles_are_intact (path);
}

typedef struct
{
  char *folder, *path, *data;
  gsize n_bytes;
} Victim;

static void
victim_init (Victim *self)
{
  self->folder = fixture_make_folder ();
  self->path = g_build_filename (self->folder, "a.gpkg", NULL);
  fixture_write (self->path, URB_ENCODING_RGB, FALSE, SIZE_PX);
  g_assert_true (g_file_get_contents (self->path, &self->data, &self->n_bytes, NULL));
  g_assert_true (read_everything (self->path));
}

static void
victim_clear (Victim *self)
{
  fixture_remove_folder (self->folder);
  g_free (self->folder);
  g_free (self->path);
  g_free (self->data);
}

static void
victim_write (Victim *self, const char *data, gsize n_bytes)
{
  FILE *file = g_fopen (self->path, "wb");

  g_assert_nonnull (file);
  g_assert_cmpuint (fwrite (data, 1, n_bytes, file), ==, n_bytes);
  g_assert_cmpint (fclose (file), ==, 0);
}

static void
test_truncated (void)
{
  Victim victim;

  victim_init (&victim);
  for (gsize n = 0; n < victim.n_bytes; n += 1 + victim.n_bytes / 150)
    {
      victim_write (&victim, victim.data, n);
      g_assert_false (read_everything (victim.path));
    }
  victim_clear (&victim);
}

static void
test_flipped (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (8);
  Victim victim;
  int n_noticed = 0;

  victim_init (&victim);
  for (int i = 0; i < N_FLIPPED_FILES; i++)
    {
      g_autofree char *data = g_memdup2 (victim.data, victim.n_bytes);
      int n_flips = g_rand_int_range (rand, 1, 40);

      for (int k = 0; k < n_flips; k++)
        data[g_rand_int_range (rand, 0, victim.n_bytes)] ^= 1 << g_rand_int_range (rand, 0, 8);
      victim_write (&victim, data, victim.n_bytes);
      n_noticed += !read_everything (victim.path);
    }
  g_test_message ("%d of %d damaged files were refused", n_noticed, N_FLIPPED_FILES);
  g_assert_cmpint (n_noticed, >, N_FLIPPED_FILES / 10);
  victim_clear (&victim);
}

/* Each tile is still one, and the stored checksum is the old one. */
#define SWAP_TILES \
  "UPDATE area_tiles SET tile = (SELECT tile FROM area_tiles WHERE fid = 1) WHERE fid = 2"

/* Statements that leave a valid database with invalid content. */
static const char *const lies[] = {
  "UPDATE urbarium_dataset SET value = '1000000000' WHERE key = 'resolution_px'",
  "UPDATE urbarium_dataset SET value = '-16' WHERE key = 'resolution_px'",
  "UPDATE urbarium_dataset SET value = '15' WHERE key = 'resolution_px'",
  "UPDATE urbarium_dataset SET value = '4096' WHERE key = 'resolution_px'",
  "UPDATE urbarium_dataset SET value = '16 and more' WHERE key = 'resolution_px'",
  "UPDATE urbarium_dataset SET value = 'nan' WHERE key = 'area_size_m'",
  "UPDATE urbarium_dataset SET value = 'inf' WHERE key = 'area_size_m'",
  "UPDATE urbarium_dataset SET value = '0' WHERE key = 'area_size_m'",
  "UPDATE urbarium_dataset SET value = 'cmyk' WHERE key = 'encoding'",
  "UPDATE urbarium_dataset SET value = '2' WHERE key = 'soft'",
  "UPDATE urbarium_dataset SET value = '1' WHERE key = 'soft'",
  "UPDATE urbarium_dataset SET value = '99' WHERE key = 'format'",
  "UPDATE urbarium_dataset SET value = zeroblob(9999) WHERE key = 'tiles_sha256'",
  "DELETE FROM urbarium_dataset WHERE key = 'tiles_sha256'",
  "UPDATE urbarium_dataset SET value = printf ('%064d', 0) WHERE key = 'tiles_sha256'",
  SWAP_TILES,
  "DELETE FROM urbarium_dataset",
  "DELETE FROM gpkg_metadata",
  "UPDATE gpkg_metadata SET metadata = CAST (x'ff00fe' AS TEXT)",
  "DELETE FROM areas",
  "UPDATE areas SET split = 'both' WHERE fid = 3",
  "UPDATE areas SET split = x'00ff' WHERE fid = 3",
  "UPDATE areas SET variance = 1e300 WHERE fid = 2",
  "UPDATE areas SET variance = -1 WHERE fid = 2",
  "UPDATE areas SET variance = 'much' WHERE fid = 2",
  "UPDATE areas SET center_x = 9e999 WHERE fid = 2",
  "UPDATE areas SET angle_deg = x'00' WHERE fid = 2",
  "UPDATE areas SET share_road = 0.9 WHERE fid = 2",
  "UPDATE areas SET coverage = 7 WHERE fid = 2",
  "ALTER TABLE areas DROP COLUMN coverage",
  "DROP TABLE areas",
  "DROP TABLE area_tiles",
  "DELETE FROM area_tiles WHERE fid = 5",
  "UPDATE area_tiles SET tile = x'' WHERE fid = 5",
  "UPDATE area_tiles SET tile = x'00' WHERE fid = 5",
  "UPDATE area_tiles SET tile = x'ff00' WHERE fid = 5",
  "UPDATE area_tiles SET tile = zeroblob(65) WHERE fid = 5",
  "UPDATE area_tiles SET tile = zeroblob(64) WHERE fid = 5",
  "UPDATE area_tiles SET tile = zeroblob(100000000) WHERE fid = 5",
  "UPDATE area_tiles SET tile = x'01789c030000000001' WHERE fid = 5",
  "UPDATE area_tiles SET tile = 'text of some length' WHERE fid = 5",
  "UPDATE area_tiles SET tile = 17 WHERE fid = 5",
  "DROP TABLE areas; CREATE VIEW areas AS WITH RECURSIVE a (fid) AS (SELECT 1 UNION ALL "
  "SELECT fid + 1 FROM a) SELECT fid, 'train' AS split, 0.5 AS variance, 0 AS center_x, "
  "0 AS center_y, 0 AS angle_deg, 1 AS share_building, 0 AS share_road, 0 AS share_other, "
  "1 AS coverage FROM a",
};

static void
run_sql (const char *path, const char *sql)
{
  sqlite3 *db = NULL;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  if (sqlite3_exec (db, sql, NULL, NULL, NULL) != SQLITE_OK)
    g_error ("%s: %s", sql, sqlite3_errmsg (db));
  g_assert_cmpint (sqlite3_close (db), ==, SQLITE_OK);
}

static void
test_lies (void)
{
  Victim victim;

  victim_init (&victim);
  for (gsize i = 0; i < G_N_ELEMENTS (lies); i++)
    {
      victim_write (&victim, victim.data, victim.n_bytes);
      run_sql (victim.path, lies[i]);
      if (read_everything (victim.path))
        g_error ("not noticed: %s", lies[i]);
    }
  victim_clear (&victim);
}

static void
write_recipe (Victim *victim, const char *recipe)
{
  g_autofree char *sql = g_strdup_printf ("UPDATE gpkg_metadata SET metadata = '%s' WHERE id = 1", recipe);

  victim_write (victim, victim->data, victim->n_bytes);
  run_sql (victim->path, sql);
}

/* What `curate --like` refuses, with the name of what is wrong. */
static void
test_damaged_recipes (void)
{
  static const struct { const char *recipe, *told; } rows[] = {
    { "[]", "cannot be read" },
    { "{\"crs_by_hand\":\"LOCAL_CS[\"\"Zug a/b\"\"]\"}", "cannot be read" }, /* not JSON */
    { "{\"profile_by_hand\":\"/etc/hostname\"}", "'profile_by_hand' names a file" },
    { "{\"profile_by_hand\":\"../my.profile\"}", "'profile_by_hand' names a file" },
    { "{\"profile_by_hand\":5}", "'profile_by_hand' is not valid" },
    { "{\"crs_by_hand\":\"/etc/hostname\"}", "'crs_by_hand' names a file" },
    { "{\"crs_by_hand\":\"/etc/a[b]\"}", "'crs_by_hand' names a file" },
    { "{\"crs_by_hand\":\"http://localhost/crs\"}", "'crs_by_hand' names a file" },
    { "{\"crs_by_hand\":[\"EPSG:2056\"]}", "'crs_by_hand' is not valid" },
    { "{\"source_crs_by_hand\":\"EPSG:2056\"}", "'source_crs_by_hand' is not valid" },
    { "{\"source_crs_by_hand\":[\"EPSG:2056\",5]}", "'source_crs_by_hand' is not valid" },
    { "{\"source_crs_by_hand\":[null]}", "'source_crs_by_hand' is not valid" },
    { "{\"source_crs_by_hand\":[\"\",\"/etc/hostname\"]}", "'source_crs_by_hand' names a file" },
    { "{\"layers_by_hand\":[{\"layer\":\"a\"},{\"layer\":\"b\",\"profile\":\"/etc/hostname\"}]}", "'profile' names a file" },
    { "{\"layers_by_hand\":[{\"layer\":\"a\",\"crs\":\"http://127.0.0.1/\"}]}", "'crs' names a file" },
    { "{\"layers_by_hand\":[{\"layer\":1}]}", "'layer' is not valid" },
    { "{\"layers_by_hand\":[\"a\"]}", "'layers_by_hand' is not valid" },
    { "{\"layers_by_hand\":{}}", "'layers_by_hand' is not valid" },
    { "{\"classes_by_hand\":[{\"layer\":\"a\",\"value\":\"b\",\"class\":\"lake\"}]}", "'class' is not valid" },
    { "{\"classes_by_hand\":[{\"layer\":\"a\",\"value\":\"b\"}]}", "'class' is not valid" },
    { "{\"classes_by_hand\":[{\"layer\":\"a\",\"value\":{},\"class\":\"road\"}]}", "'value' is not valid" },
    { "{\"classes_by_hand\":[[]]}", "'classes_by_hand' is not valid" },
    { "{\"classes_by_hand\":true}", "'classes_by_hand' is not valid" },
    { "{\"clip_by_hand\":\"1,2,3\"}", "'clip_by_hand' is not valid" },
    { "{\"clip_by_hand\":[1,2,3,4]}", "'clip_by_hand' is not valid" },
    { "{\"road_width_m_by_hand\":\"7\"}", "'road_width_m_by_hand' is not valid" },
    { "{\"options\":[]}", "'options' is not valid" },
    { "{\"options\":{\"stride_m\":{}}}", "'stride_m' is not valid" },
    { "{\"options\":{\"area_size_m\":-3}}", "--area-size-m must be" },
    { "{\"options\":{\"encoding\":\"cmyk\"}}", "encoding" },
    { "{\"uncovered_is_other\":[]}", "'uncovered_is_other' is not valid" },
    { "{\"by_hand\":3}", "'by_hand' is not valid" },
    { "{\"by_hand\":{\"added\":-1}}", "'added' is not valid" },
    { "{\"by_hand\":{\"added\":1,\"removed\":1e300}}", "'removed' is not valid" },
  };
  Victim victim;

  victim_init (&victim);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto(UrbHowMade) made = { 0 };
      g_autoptr(GError) error = NULL;

      write_recipe (&victim, rows[i].recipe);
      if (urb_how_made_read (&made, victim.path, &error))
        g_error ("%s was read", rows[i].recipe);
      g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED);
      if (strstr (error->message, rows[i].told) == NULL)
        g_error ("%s: %s", rows[i].recipe, error->message);
    }
  victim_clear (&victim);
}

/* What a recipe may say, besides what this version writes. */
static void
test_foreign_recipes (void)
{
  static const char *const recipes[] = {
    "{}",
    "{\"profile_by_hand\":null,\"classes_by_hand\":[],\"options\":{\"unheard_of\":[]}}",
    "{\"profile_by_hand\":\"osm\",\"crs_by_hand\":\"EPSG:2056\"}",
    "{\"profile_by_hand\":\"mine.profile\"}",
    "{\"crs_by_hand\":\"LOCAL_CS[Zug a/b]\"}",
    "{\"crs_by_hand\":\"http://www.opengis.net/def/crs/EPSG/0/2056\"}",
    "{\"road_width_m_by_hand\":-1e300}", /* whoever opens the map tells that it is odd */
  };
  static const char *const grounds[] = {
    "{\"uncovered_is_other\":true}", /* of an earlier version */
    "{\"uncovered_is_other\":false}", "{\"uncovered_is_other\":true,\"open_ground_gap_m\":150}",
  };
  g_auto(UrbHowMade) made = { 0 };
  g_autoptr(GError) error = NULL;
  Victim victim;

  victim_init (&victim);
  for (gsize i = 0; i < G_N_ELEMENTS (grounds); i++)
    {
      g_auto(UrbHowMade) one = { 0 };

      write_recipe (&victim, grounds[i]);
      urb_how_made_read (&one, victim.path, &error);
      g_assert_no_error (error);
      g_assert_cmpint (one.fills_hull, ==, i == 0);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (recipes); i++)
    {
      g_auto(UrbHowMade) one = { 0 };

      write_recipe (&victim, recipes[i]);
      urb_how_made_read (&one, victim.path, &error);
      g_assert_no_error (error);
      g_assert_cmpint (one.n_by_hand, ==, 0);
    }
  write_recipe (&victim, "{\"by_hand\":{\"added\":2,\"removed\":3},\"layers_by_hand\":[{\"layer\":\"a\",\"crs\":\"EPSG:2056\"}]}");
  urb_how_made_read (&made, victim.path, &error);
  g_assert_no_error (error);
  g_assert_cmpint (made.n_by_hand, ==, 5);
  g_assert_cmpstr (made.map.layers[0].crs, ==, "EPSG:2056");
  g_assert_cmpstr (made.map.layers[0].profile, ==, "");
  victim_clear (&victim);
}

static void
test_strangers (void)
{
  g_autofree char *folder = fixture_make_folder ();
  g_autofree char *path = g_build_filename (folder, "stranger.gpkg", NULL);
  g_autoptr(GError) error = NULL;
  sqlite3 *db = NULL;

  g_assert_false (read_everything (path));   /* missing */
  g_assert_false (read_everything (folder)); /* a folder */
  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  g_assert_false (read_everything (path));
  g_assert_true (g_file_set_contents (path, "SQLite format 3", 16, NULL));
  g_assert_false (read_everything (path));
  g_assert_true (g_file_set_contents (path, "a map in words", -1, NULL));
  g_assert_null (urb_dataset_open (path, &error));
  g_assert_nonnull (strstr (error->message, "is not an Urbarium dataset. Create one"));
  g_unlink (path);
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  sqlite3_exec (db, "CREATE TABLE areas (fid INTEGER PRIMARY KEY)", NULL, NULL, NULL);
  sqlite3_close (db);
  g_assert_false (read_everything (path)); /* another GeoPackage */
  fixture_remove_folder (folder);
}

/* Other tiles have the id of the old ones only until they are compared with it. */
static void
test_verified (void)
{
  g_autoptr(UrbDataset) dataset = NULL, unverified = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(GCancellable) cancelled = g_cancellable_new ();
  Victim victim;

  victim_init (&victim);
  dataset = urb_dataset_open (victim.path, NULL);
  g_assert_true (urb_dataset_is_verified (dataset));
  run_sql (victim.path, SWAP_TILES);
  unverified = urb_dataset_open_unverified (victim.path, NULL);
  g_assert_false (urb_dataset_is_verified (unverified));
  g_assert_cmpstr (urb_dataset_get_info (unverified)->id, ==, urb_dataset_get_info (dataset)->id);
  g_assert_false (urb_dataset_verify (unverified, NULL, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED);
  g_clear_error (&error);
  g_cancellable_cancel (cancelled);
  g_assert_false (urb_dataset_verify (unverified, cancelled, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_null (urb_dataset_open (victim.path, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "a.gpkg"));
  victim_clear (&victim);
}

/* A file that changes under a reader. */
static void
test_watched (void)
{
  g_autoptr(UrbDatasetWatch) watch = NULL, late = NULL;
  g_autoptr(UrbDataset) dataset = NULL, unverified = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *other = NULL;
  Victim victim;

  victim_init (&victim);
  other = g_build_filename (victim.folder, "other.gpkg", NULL);
  dataset = urb_dataset_open (victim.path, NULL);
  watch = urb_dataset_watch_new (dataset, victim.path);
  g_assert_true (urb_dataset_watch_settle (watch, &error));
  victim_write (&victim, victim.data, victim.n_bytes); /* the same again */
  g_assert_true (urb_dataset_watch_settle (watch, &error));
  /* Others become visible to those who open the file, not to those who have it open. */
  fixture_write (other, URB_ENCODING_RGB, TRUE, SIZE_PX);
  g_assert_cmpint (g_rename (other, victim.path), ==, 0);
  g_assert_true (urb_dataset_watch_settle (watch, &error));
  g_assert_no_error (error);
  g_clear_pointer (&watch, urb_dataset_watch_free);
  g_clear_pointer (&dataset, urb_dataset_free);

  victim_write (&victim, victim.data, victim.n_bytes);
  dataset = urb_dataset_open (victim.path, NULL);
  watch = urb_dataset_watch_new (dataset, victim.path);
  run_sql (victim.path, SWAP_TILES);
  g_assert_false (urb_dataset_watch_settle (watch, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED);
  g_assert_false (urb_dataset_watch_poll (watch, NULL));
  g_clear_error (&error);

  /* One that was wrong from the beginning is found in the background. */
  unverified = urb_dataset_open_unverified (victim.path, NULL);
  late = urb_dataset_watch_new (unverified, victim.path);
  for (int i = 0; urb_dataset_watch_poll (late, NULL); i++, g_usleep (1000))
    g_assert_cmpint (i, <, 10000);
  victim_clear (&victim);
}

/* After deleting areas in a GIS, the dataset is valid and has another id. */
static void
test_thinned_out (void)
{
  g_autofree char *id = NULL;
  g_autoptr(UrbDataset) dataset = NULL;
  g_autoptr(GError) error = NULL;
  guint8 levels[SIZE_PX * SIZE_PX * 3], expected[SIZE_PX * SIZE_PX * 3];
  g_autoptr(GRand) rand = g_rand_new_with_seed (4);
  Victim victim;

  victim_init (&victim);
  dataset = urb_dataset_open (victim.path, NULL);
  id = g_strdup (urb_dataset_get_info (dataset)->id);
  g_clear_pointer (&dataset, urb_dataset_free);
  run_sql (victim.path, "DELETE FROM areas WHERE fid IN (1, 4)");

  dataset = urb_dataset_open (victim.path, &error);
  g_assert_no_error (error);
  g_assert_cmpint (urb_dataset_get_info (dataset)->n_areas, ==, FIXTURE_N_AREAS - 2);
  g_assert_cmpstr (urb_dataset_get_info (dataset)->id, !=, id);
  /* The third area is now number 5, with the tile of number 5. */
  g_assert_true (urb_dataset_read_tile (dataset, 2, SIZE_PX, levels, &error));
  fixture_levels (rand, URB_ENCODING_RGB, FALSE, SIZE_PX, expected);
  g_assert_cmpmem (levels, sizeof levels, expected, sizeof expected);
  victim_clear (&victim);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/damage/truncated", test_truncated);
  g_test_add_func ("/damage/flipped", test_flipped);
  g_test_add_func ("/damage/lies", test_lies);
  g_test_add_func ("/damage/strangers", test_strangers);
  g_test_add_func ("/damage/damaged-recipes", test_damaged_recipes);
  g_test_add_func ("/damage/foreign-recipes", test_foreign_recipes);
  g_test_add_func ("/damage/verified", test_verified);
  g_test_add_func ("/damage/watched", test_watched);
  g_test_add_func ("/damage/thinned-out", test_thinned_out);
  return g_test_run ();
}
