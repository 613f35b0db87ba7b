/* SPDX-License-Identifier: Apache-2.0 */
#include "app-test.h"

#include <glib/gstdio.h>

#include "app/map/map-document.h"
#include "app/map/map-load.h"

typedef struct
{
  UrbariumUndo        *undo;     /* owned */
  UrbariumMapDocument *document; /* owned */
  int                  n_changed, n_failed;
  char                *error; /* owned; of the last failure */
} Fixture;

static void
changed_cb (Fixture *self)
{
  self->n_changed++;
}

static void
failed_cb (UrbariumMapDocument *document, GError *error, Fixture *self)
{
  self->n_failed++;
  g_free (self->error);
  self->error = g_strdup (error->message);
}

static void
set_up (Fixture *self, gconstpointer data)
{
  self->undo = urbarium_undo_new ();
  self->document = urbarium_map_document_new (self->undo);
  g_signal_connect_swapped (self->document, "changed", G_CALLBACK (changed_cb), self);
  g_signal_connect (self->document, "failed", G_CALLBACK (failed_cb), self);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  test_assert_last_unref (self->document);
  test_assert_last_unref (self->undo);
  g_free (self->error);
}

static gboolean
is_idle (gpointer data)
{
  g_autoptr(UrbariumJob) job = NULL;
  g_object_get (((Fixture *) data)->document, "job", &job, NULL);
  return job == NULL;
}

static gboolean
is_busy (gpointer data)
{
  return !is_idle (data);
}

static void
open_path (Fixture *self, const char *path)
{
  const char *paths[] = { path, NULL };
  urbarium_map_document_open (self->document, paths);
}

/* A small map whose layer "landcover" has the attribute "class". */
static void
open_squares (Fixture *self)
{
  static const char json[]
    = "{ \"type\": \"FeatureCollection\", \"name\": \"squares\", \"crs\": { \"type\": \"name\","
      "  \"properties\": { \"name\": \"urn:ogc:def:crs:EPSG::2056\" } }, \"features\": ["
      "{ \"type\": \"Feature\", \"properties\": { \"class\": \"building\" }, \"geometry\": {"
      "  \"type\": \"Polygon\", \"coordinates\": [[[2600000,1200000],[2600010,1200000],"
      "  [2600010,1200010],[2600000,1200010],[2600000,1200000]]] } },"
      "{ \"type\": \"Feature\", \"properties\": { \"class\": \"other\" }, \"geometry\": {"
      "  \"type\": \"Polygon\", \"coordinates\": [[[2600020,1200000],[2600030,1200000],"
      "  [2600030,1200010],[2600020,1200010],[2600020,1200000]]] } }"
      "] }";
  g_autofree char *path = g_build_filename (g_get_user_cache_dir (), "squares.geojson", NULL);
  g_mkdir_with_parents (g_get_user_cache_dir (), 0700);
  g_assert_true (g_file_set_contents (path, json, -1, NULL));
  g_clear_pointer (&self->error, g_free);
  open_path (self, path);
  test_until (is_idle, self);
  g_assert_cmpstr (self->error, ==, NULL);
  g_assert_nonnull (urbarium_map_document_get_map (self->document));
}

static void
test_sample (Fixture *self, gconstpointer data)
{
  g_autofree char *path = urbarium_map_load_get_sample_path ();
  g_autofree char *title = NULL;
  GStatBuf first, second;
  urbarium_map_document_open_sample (self->document);
  g_assert_null (urbarium_map_document_get_map (self->document));
  test_until (is_idle, self);
  g_assert_cmpint (self->n_failed, ==, 0);
  g_assert_cmpint (self->n_changed, ==, 1);
  g_assert_cmpstr (urbarium_map_document_get_paths (self->document)[0], ==, path);
  g_assert_null (urbarium_map_document_get_paths (self->document)[1]);
  g_object_get (self->document, "title", &title, NULL);
  g_assert_cmpstr (title, ==, "Sample town");
  g_assert_nonnull (urbarium_map_document_get_map (self->document));
  /* Not drawn again. */
  g_assert_cmpint (g_stat (path, &first), ==, 0);
  urbarium_map_document_open_sample (self->document);
  test_until (is_idle, self);
  g_assert_cmpint (self->n_changed, ==, 2);
  g_assert_cmpint (g_stat (path, &second), ==, 0);
  g_assert_cmpint (first.st_ino, ==, second.st_ino);
}

static void
test_missing (Fixture *self, gconstpointer data)
{
  UrbMap *map;
  open_squares (self);
  map = urbarium_map_document_get_map (self->document);
  open_path (self, "/nowhere/no.gpkg");
  test_until (is_idle, self);
  g_assert_cmpint (self->n_failed, ==, 1);
  g_assert_nonnull (strstr (self->error, "/nowhere/no.gpkg"));
  g_assert_true (urbarium_map_document_get_map (self->document) == map);
  g_assert_cmpint (self->n_changed, ==, 1);
}

/* Only the last request is served. */
static void
test_late_answer (Fixture *self, gconstpointer data)
{
  g_autofree char *path = NULL;
  open_squares (self);
  path = g_strdup (urbarium_map_document_get_paths (self->document)[0]);
  for (int i = 0; i < 8; i++)
    open_path (self, "/nowhere/no.gpkg");
  open_path (self, path);
  test_until (is_idle, self);
  for (int i = 0; i < 100; i++)
    g_main_context_iteration (NULL, FALSE);
  g_assert_cmpint (self->n_failed, ==, 0);
  g_assert_cmpint (self->n_changed, ==, 2);
}

static void
test_cancel (Fixture *self, gconstpointer data)
{
  g_autoptr(UrbariumJob) job = NULL;
  g_autofree char *path = urbarium_map_load_get_sample_path ();
  UrbMap *map;
  g_remove (path);
  open_squares (self);
  map = urbarium_map_document_get_map (self->document);
  urbarium_map_document_open_sample (self->document);
  g_object_get (self->document, "job", &job, NULL);
  urbarium_job_cancel (job);
  test_until (is_idle, self);
  g_assert_cmpint (self->n_failed, ==, 0);
  g_assert_true (urbarium_map_document_get_map (self->document) == map);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

static void
assert_class (Fixture *self, const char *value, int expected)
{
  UrbClass class_;
  gboolean is_by_hand
    = urbarium_map_document_get_class (self->document, "squares", value, &class_);
  g_assert_cmpint (is_by_hand ? (int) class_ : -1, ==, expected);
}

static void
assert_area (Fixture *self, UrbClass class_, double area_m2)
{
  UrbMap *map = urbarium_map_document_get_map (self->document);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, class_), area_m2, 1e-3);
}

static void
test_classes (Fixture *self, gconstpointer data)
{
  UrbariumMapDocument *document = self->document;
  gboolean can_undo;
  open_squares (self);
  assert_class (self, "other", -1);
  urbarium_map_document_set_class (document, "squares", "other", URB_CLASS_ROAD);
  assert_class (self, "other", URB_CLASS_ROAD);
  urbarium_map_document_set_class (document, "squares", "other", URB_CLASS_IGNORE);
  urbarium_undo_undo (self->undo);
  assert_class (self, "other", URB_CLASS_ROAD);
  /* Three changes, read together. */
  test_until (is_busy, self);
  test_until (is_idle, self);
  g_assert_cmpint (self->n_changed, ==, 2);
  assert_area (self, URB_CLASS_ROAD, 100);
  assert_area (self, URB_CLASS_OTHER, 0);
  urbarium_undo_redo (self->undo);
  assert_class (self, "other", URB_CLASS_IGNORE);
  urbarium_undo_undo (self->undo);
  urbarium_undo_undo (self->undo);
  assert_class (self, "other", -1);
  test_until (is_busy, self);
  test_until (is_idle, self);
  assert_area (self, URB_CLASS_ROAD, 0);
  assert_area (self, URB_CLASS_OTHER, 100);
  /* Choosing the profile's class is not a change by hand. */
  urbarium_map_document_set_class (document, "squares", "other", URB_CLASS_OTHER);
  assert_class (self, "other", -1);
  urbarium_map_document_set_class (document, "squares", "building", URB_CLASS_ROAD);
  urbarium_map_document_reset_class (document, "squares", "building");
  assert_class (self, "building", -1);
  urbarium_undo_undo (self->undo);
  assert_class (self, "building", URB_CLASS_ROAD);
  /* Opened again, it still has them; but nothing can be undone. */
  open_squares (self);
  assert_class (self, "building", URB_CLASS_ROAD);
  g_object_get (self->undo, "can-undo", &can_undo, NULL);
  g_assert_false (can_undo);
}

static void
test_width (Fixture *self, gconstpointer data)
{
  open_squares (self);
  for (int i = 1; i <= 20; i++)
    urbarium_map_document_set_road_width (self->document, i);
  test_until (is_busy, self);
  test_until (is_idle, self);
  g_assert_cmpint (self->n_changed, ==, 2);
  g_assert_cmpfloat (urbarium_map_document_get_road_width (self->document), ==, 20);
  urbarium_undo_undo (self->undo);
  g_assert_cmpfloat (urbarium_map_document_get_road_width (self->document), ==, 0);
  urbarium_undo_redo (self->undo);
  g_assert_cmpfloat (urbarium_map_document_get_road_width (self->document), ==, 20);
}

static void
test_lost_file (Fixture *self, gconstpointer data)
{
  open_squares (self);
  g_assert_cmpint (g_remove (urbarium_map_document_get_paths (self->document)[0]), ==, 0);
  urbarium_map_document_set_class (self->document, "squares", "other", URB_CLASS_ROAD);
  test_until (is_busy, self);
  test_until (is_idle, self);
  g_assert_cmpint (self->n_failed, ==, 1);
  g_assert_nonnull (strstr (self->error, "squares.geojson"));
  assert_class (self, "other", -1);
  g_assert_nonnull (urbarium_map_document_get_map (self->document));
}

static void
test_state (Fixture *self, gconstpointer data)
{
  g_autoptr(GVariant) none = urbarium_map_document_dup_state (self->document);
  g_autoptr(GVariant) state = NULL;
  g_autoptr(GVariant) again = NULL;
  urbarium_map_document_restore (self->document, none);
  g_assert_true (is_idle (self));
  open_squares (self);
  urbarium_map_document_set_class (self->document, "squares", "other", URB_CLASS_ROAD);
  urbarium_map_document_set_road_width (self->document, 9.5);
  state = urbarium_map_document_dup_state (self->document);
  urbarium_map_document_close (self->document);
  g_assert_null (urbarium_map_document_get_map (self->document));
  g_assert_null (urbarium_map_document_get_paths (self->document));
  assert_class (self, "other", -1);
  urbarium_map_document_restore_memory (self->document, none); /* of another type */
  urbarium_map_document_restore (self->document, state);
  test_until (is_idle, self);
  g_assert_nonnull (urbarium_map_document_get_map (self->document));
  assert_class (self, "other", URB_CLASS_ROAD);
  again = urbarium_map_document_dup_state (self->document);
  g_assert_true (g_variant_equal (state, again));
}

/* How the map is read can be chosen, undone, and is remembered. */
static void
test_profile_and_crs (Fixture *self, gconstpointer data)
{
  g_autoptr(GVariant) state = NULL;
  open_squares (self);
  g_assert_cmpstr (urb_map_get_profile (urbarium_map_document_get_map (self->document)), ==, "urbarium");
  urbarium_map_document_set_profile (self->document, "nl-bgt");
  test_until (is_busy, self);
  test_until (is_idle, self); /* fails: a Dutch map has no layer "squares" */
  g_assert_cmpint (self->n_failed, ==, 1);
  g_assert_cmpstr (urbarium_map_document_get_profile (self->document), ==, "");
  urbarium_map_document_set_profile (self->document, "generic");
  urbarium_map_document_set_crs (self->document, "EPSG:25832");
  test_until (is_busy, self);
  test_until (is_idle, self);
  g_assert_cmpstr (urb_map_get_profile (urbarium_map_document_get_map (self->document)), ==, "generic");
  /* The file states its coordinate system. */
  g_assert_cmpint (urb_map_get_epsg (urbarium_map_document_get_map (self->document)), ==, 2056);
  state = urbarium_map_document_dup_state (self->document);
  urbarium_undo_undo (self->undo);
  g_assert_cmpstr (urbarium_map_document_get_crs (self->document), ==, "");
  g_assert_cmpstr (urbarium_map_document_get_profile (self->document), ==, "generic");
  urbarium_map_document_close (self->document);
  urbarium_map_document_restore (self->document, state);
  test_until (is_idle, self);
  g_assert_cmpstr (urbarium_map_document_get_profile (self->document), ==, "generic");
  g_assert_cmpstr (urbarium_map_document_get_crs (self->document), ==, "EPSG:25832");
}

/* A file without a coordinate system, which is chosen, is later opened with one that states it. */
static void
test_crs_with_others (Fixture *self, gconstpointer data)
{
  g_autofree char *stated = NULL, *unstated = g_build_filename (g_get_user_cache_dir (), "unstated.csv", NULL);
  const char *both[3] = { unstated, NULL, NULL };
  open_squares (self);
  stated = g_strdup (urbarium_map_document_get_paths (self->document)[0]);
  both[1] = stated;
  g_assert_true (g_file_set_contents (unstated, "WKT,class\n\"POLYGON((2600040 1200000,2600050 1200000,2600050 1200010,"
                                                "2600040 1200000))\",road\n", -1, NULL));
  urbarium_map_document_open (self->document, both);
  test_until (is_idle, self);
  g_assert_cmpint (self->n_failed, ==, 1); /* it might lie elsewhere */
  open_path (self, unstated);
  test_until (is_idle, self);
  g_assert_cmpint (urb_map_get_epsg (urbarium_map_document_get_map (self->document)), ==, 0);
  urbarium_map_document_set_crs (self->document, "EPSG:2056");
  test_until (is_busy, self);
  test_until (is_idle, self);
  urbarium_map_document_open (self->document, both);
  test_until (is_idle, self);
  g_assert_cmpint (self->n_failed, ==, 1);
  g_assert_cmpint (urb_map_get_epsg (urbarium_map_document_get_map (self->document)), ==, 2056);
  assert_area (self, URB_CLASS_ROAD, 50);
  assert_area (self, URB_CLASS_BUILDING, 100);
}

/* Writes a file with one building, which states no coordinate system, and opens it with @crs, unless it is "". */
static char *
choose_crs (Fixture *self, const char *name, const char *corners, const char *crs)
{
  char *path = g_build_filename (g_get_user_cache_dir (), name, NULL);
  g_autofree char *text = g_strdup_printf ("WKT,class\n\"POLYGON((%s))\",building\n", corners);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  if (*crs == '\0')
    return path;
  open_path (self, path);
  test_until (is_idle, self);
  urbarium_map_document_set_crs (self->document, crs);
  test_until (is_busy, self);
  test_until (is_idle, self);
  return path;
}

static double
get_width (Fixture *self)
{
  UrbBox extent = urb_map_get_extent (urbarium_map_document_get_map (self->document));
  return extent.max_x - extent.min_x;
}

/* Each file keeps its own, and one without is guessed: all are near Bern. */
static void
test_crs_of_each (Fixture *self, gconstpointer data)
{
  g_autofree char *swiss = choose_crs (self, "town.csv", "2600040 1200000,2600050 1200000,2600050 1200010,2600040 1200000",
                                       "EPSG:2056");
  g_autofree char *zone = choose_crs (self, "zone.csv", "381000 5200000,381100 5200000,381100 5200100,381000 5200000",
                                      "EPSG:32632");
  g_autofree char *degrees = choose_crs (self, "degrees.csv", "7.44 46.95,7.441 46.95,7.441 46.951,7.44 46.95", "");
  const char *const all[] = { degrees, swiss, zone, NULL };
  urbarium_map_document_open (self->document, all);
  test_until (is_idle, self);
  g_assert_cmpint (self->n_failed, ==, 0);
  g_assert_cmpstr (urbarium_map_document_get_crs (self->document), ==, "");
  g_assert_cmpint (urb_map_get_n_polygons (urbarium_map_document_get_map (self->document)), ==, 3);
  g_assert_cmpfloat (get_width (self), <, 10000);
  /* One for all is stronger. */
  urbarium_map_document_set_crs (self->document, "EPSG:2056");
  test_until (is_busy, self);
  test_until (is_idle, self);
  g_assert_cmpfloat (get_width (self), >, 1000000);
  urbarium_undo_undo (self->undo);
  test_until (is_busy, self);
  test_until (is_idle, self);
  g_assert_cmpfloat (get_width (self), <, 10000);
}

static void
assert_layer (Fixture *self, const char *profile, const char *crs)
{
  UrbMapLayerOptions chosen = urbarium_map_document_get_layer (self->document, "squares");
  g_assert_cmpstr (chosen.profile, ==, profile);
  g_assert_cmpstr (chosen.crs, ==, crs);
}

/* The same for one layer. */
static void
test_layer (Fixture *self, gconstpointer data)
{
  g_autoptr(GVariant) state = NULL;
  open_squares (self);
  assert_layer (self, "", "");
  urbarium_map_document_set_layer_profile (self->document, "squares", "generic");
  urbarium_map_document_set_layer_crs (self->document, "squares", "EPSG:3035");
  assert_layer (self, "generic", "EPSG:3035");
  test_until (is_busy, self);
  test_until (is_idle, self);
  g_assert_cmpint (self->n_failed, ==, 0);
  g_assert_cmpstr (urb_map_get_profile (urbarium_map_document_get_map (self->document)), ==, "urbarium");
  g_assert_cmpint (urb_map_get_epsg (urbarium_map_document_get_map (self->document)), ==, 3035);
  state = urbarium_map_document_dup_state (self->document);
  urbarium_undo_undo (self->undo);
  assert_layer (self, "generic", "");
  urbarium_undo_undo (self->undo);
  assert_layer (self, "", "");
  urbarium_undo_redo (self->undo);
  assert_layer (self, "generic", "");
  urbarium_map_document_close (self->document);
  urbarium_map_document_restore (self->document, state);
  test_until (is_idle, self);
  assert_layer (self, "generic", "EPSG:3035");
}

static void
assert_state (Fixture *self, GVariant *expected, gboolean is_equal)
{
  g_autoptr(GVariant) state = urbarium_map_document_dup_state (self->document);
  g_assert_cmpint (g_variant_equal (state, expected), ==, is_equal);
}

/* The map of the last session is on a disk that is missing today. */
static void
test_state_of_lost_file (Fixture *self, gconstpointer data)
{
  g_autoptr(GVariant) state = NULL;
  g_autofree char *path = NULL;
  open_squares (self);
  urbarium_map_document_set_class (self->document, "squares", "other", URB_CLASS_ROAD);
  state = urbarium_map_document_dup_state (self->document);
  path = g_strdup (urbarium_map_document_get_paths (self->document)[0]);
  urbarium_map_document_close (self->document);
  g_assert_cmpint (g_remove (path), ==, 0);
  urbarium_map_document_restore (self->document, state);
  assert_state (self, state, TRUE); /* while it is read */
  test_until (is_idle, self);
  g_assert_cmpint (self->n_failed, ==, 1);
  assert_state (self, state, TRUE);
  open_path (self, "/nowhere/no.gpkg");
  test_until (is_idle, self);
  assert_state (self, state, TRUE);
  open_squares (self);
  assert_state (self, state, TRUE); /* restored with its choices */
  urbarium_map_document_close (self->document);
  urbarium_map_document_restore (self->document, state);
  urbarium_map_document_close (self->document);
  assert_state (self, state, FALSE);
  g_assert_true (is_idle (self));
}

/* Each map keeps its choices, also for a later session. */
static void
test_other_map (Fixture *self, gconstpointer data)
{
  g_autoptr(GVariant) memory = NULL;
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  g_autofree char *json = NULL;
  open_squares (self);
  first = g_strdup (urbarium_map_document_get_paths (self->document)[0]);
  second = g_strconcat (first, ".second.geojson", NULL);
  g_assert_true (g_file_get_contents (first, &json, NULL, NULL));
  g_assert_true (g_file_set_contents (second, json, -1, NULL));
  urbarium_map_document_set_class (self->document, "squares", "other", URB_CLASS_ROAD);
  urbarium_map_document_set_road_width (self->document, 9.5);
  open_path (self, second);
  test_until (is_idle, self);
  assert_class (self, "other", -1);
  g_assert_cmpfloat (urbarium_map_document_get_road_width (self->document), ==, 0);
  urbarium_map_document_set_class (self->document, "squares", "building", URB_CLASS_OTHER);
  open_path (self, first);
  test_until (is_idle, self);
  assert_class (self, "other", URB_CLASS_ROAD);
  assert_class (self, "building", -1);
  assert_area (self, URB_CLASS_ROAD, 100);
  g_assert_cmpfloat (urbarium_map_document_get_road_width (self->document), ==, 9.5);
  memory = urbarium_map_document_dup_memory (self->document);
  tear_down (self, NULL);
  *self = (Fixture) { 0 };
  set_up (self, NULL);
  urbarium_map_document_restore_memory (self->document, memory);
  open_path (self, second);
  test_until (is_idle, self);
  assert_class (self, "building", URB_CLASS_OTHER);
  urbarium_map_document_reset_class (self->document, "squares", "building");
  urbarium_map_document_close (self->document);
  open_path (self, second);
  test_until (is_idle, self);
  assert_class (self, "building", -1);
  open_path (self, first);
  test_until (is_idle, self);
  assert_class (self, "other", URB_CLASS_ROAD);
  g_remove (second);
}

static gboolean
has_ended (gpointer job)
{
  return !urbarium_job_get_running (job);
}

/* The document is freed while its job runs. */
static void
test_finalized_early (Fixture *self, gconstpointer data)
{
  g_autoptr(UrbariumJob) job = NULL;
  g_autofree char *path = urbarium_map_load_get_sample_path ();
  g_remove (path);
  urbarium_map_document_open_sample (self->document);
  g_object_get (self->document, "job", &job, NULL);
  test_assert_last_unref (self->document);
  g_assert_true (urbarium_job_get_running (job));
  test_until (has_ended, job);
  g_assert_cmpint (self->n_changed + self->n_failed, ==, 0);
  self->document = urbarium_map_document_new (self->undo);
}

static void
open_bad (Fixture *self, const char *path, const char *what)
{
  int n_changed = self->n_changed, n_failed = self->n_failed;
  open_path (self, path);
  test_until (is_idle, self);
  g_assert_cmpint (self->n_changed + self->n_failed, ==, n_changed + n_failed + 1);
  if (self->n_failed > n_failed)
    {
      g_test_message ("%s: %s", what, self->error);
      g_assert_cmpuint (strlen (self->error), >, 20);
    }
  else
    {
      GPtrArray *warnings
        = urb_map_get_warnings (urbarium_map_document_get_map (self->document));
      g_test_message ("%s: a map, %u warnings%s%s", what, warnings->len,
                      warnings->len > 0 ? ": " : "",
                      warnings->len > 0 ? (char *) warnings->pdata[0] : "");
    }
}

static void
test_bad_inputs (Fixture *self, gconstpointer data)
{
  static const char *const folders[] = { "bad-inputs/derived", "bad-inputs/pyogrio" };
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *folder = test_data (folders[i]);
      g_autoptr(GDir) dir = NULL;
      const char *name;
      if (folder == NULL)
        return;
      dir = g_dir_open (folder, 0, NULL);
      while ((name = g_dir_read_name (dir)) != NULL)
        {
          g_autofree char *path = g_build_filename (folder, name, NULL);
          open_bad (self, path, name);
        }
    }
  open_squares (self); /* the program continues */
}

int
main (int argc, char **argv)
{
#define ADD(name, func) \
  g_test_add ("/app/map-document/" name, Fixture, NULL, set_up, func, tear_down)
  g_test_init (&argc, &argv, NULL);
  ADD ("sample", test_sample);
  ADD ("missing", test_missing);
  ADD ("late-answer", test_late_answer);
  ADD ("cancel", test_cancel);
  ADD ("classes", test_classes);
  ADD ("width", test_width);
  ADD ("profile-and-crs", test_profile_and_crs);
  ADD ("crs-with-others", test_crs_with_others);
  ADD ("crs-of-each", test_crs_of_each);
  ADD ("layer", test_layer);
  ADD ("lost-file", test_lost_file);
  ADD ("state", test_state);
  ADD ("state-of-lost-file", test_state_of_lost_file);
  ADD ("other-map", test_other_map);
  ADD ("finalized-early", test_finalized_early);
  ADD ("bad-inputs", test_bad_inputs);
  return g_test_run ();
}
