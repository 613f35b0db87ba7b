/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-identify.c - the objects at a point: in a small map written here, a sample town,
 * and one municipality in many formats.
 */
#include "map/identify.h"

#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>

#include "flat-folder.h"
#include "map/sample-town.h"

typedef FlatFolderFixture Fixture;

static UrbMap *
open_map (const char *path, const UrbMapOptions *options)
{
  g_autoptr(GError) error = NULL;
  UrbMap *map = urb_map_open ((const char *const[]){ path, NULL }, options, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  return map;
}

static GPtrArray *
identify (UrbMap *map, const char *path, double x, double y)
{
  g_autoptr(GError) error = NULL;
  GPtrArray *objects
    = urb_map_identify (map, (const char *const[]){ path, NULL }, NULL, x, y, NULL, &error);

  g_assert_no_error (error);
  return objects;
}

static const char *
get_value (const UrbMapObject *object, const char *name)
{
  for (guint i = 0; i < object->attributes->len; i++)
    {
      const UrbMapAttribute *attribute = g_ptr_array_index (object->attributes, i);

      if (g_str_equal (attribute->name, name))
        return attribute->value;
    }
  return NULL;
}

static void
assert_object (GPtrArray *objects, guint index, UrbClass class_, double area_m2, const char *id)
{
  const UrbMapObject *object;

  g_assert_cmpint (index, <, objects->len);
  object = g_ptr_array_index (objects, index);
  g_assert_cmpint (object->class_, ==, class_);
  g_assert_cmpfloat_with_epsilon (object->area_m2, area_m2, 0.05);
  g_assert_cmpstr (get_value (object, "id"), ==, id);
  g_assert_cmpint (object->is_read, ==, id != NULL);
}

#define FEATURE(class_, id, type, coordinates)                                                     \
  "{\"type\":\"Feature\",\"properties\":{\"class\":\"" class_ "\",\"id\":\"" id "\",\"empty\":null}," \
  "\"geometry\":{\"type\":\"" type "\",\"coordinates\":" coordinates "}}"

/* Overlapping areas, one with several parts and a hole, one left out, and a road given as
 * a line. */
static char *
write_plan (Fixture *self)
{
  static const char text[]
    = "{\"type\":\"FeatureCollection\",\"crs\":{\"type\":\"name\",\"properties\":{\"name\":"
      "\"urn:ogc:def:crs:EPSG::2056\"}},\"features\":["
      FEATURE ("other", "ground", "Polygon",
               "[[[2600000,1200000],[2600100,1200000],[2600100,1200100],[2600000,1200100],"
               "[2600000,1200000]]]") ","
      FEATURE ("building", "parts", "MultiPolygon",
               "[[[[2600010,1200010],[2600020,1200010],[2600020,1200020],[2600010,1200020],"
               "[2600010,1200010]],[[2600014,1200014],[2600016,1200014],[2600016,1200016],"
               "[2600014,1200016],[2600014,1200014]]],[[[2600030,1200010],[2600035,1200010],"
               "[2600035,1200020],[2600030,1200020],[2600030,1200010]]]]") ","
      FEATURE ("road", "axis", "LineString", "[[2600050,1200005],[2600050,1200095]]") ","
      FEATURE ("jungle", "left out", "Polygon",
               "[[[2600000,1200000],[2600040,1200000],[2600040,1200040],[2600000,1200040],"
               "[2600000,1200000]]]") "]}";
  char *path = g_build_filename (self->folder, "plan.geojson", NULL);
  g_autoptr(GError) error = NULL;

  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
  return path;
}

static void
test_plan (Fixture *self, gconstpointer data)
{
  const UrbMapOverride override = { "plan", "jungle", URB_CLASS_IGNORE };
  UrbMapOptions options = { .road_width_m = 6, .overrides = &override, .n_overrides = 1 };
  g_autofree char *path = write_plan (self);
  g_autoptr(UrbMap) map = open_map (path, &options);
  g_autoptr(GPtrArray) part = NULL, hole = NULL, road = NULL, nothing = NULL;
  const UrbMapObject *object;

  part = identify (map, path, 2600032, 1200015);
  g_assert_cmpint (part->len, ==, 3);
  assert_object (part, 0, URB_CLASS_BUILDING, 50, "parts");
  assert_object (part, 1, URB_CLASS_OTHER, 10000, "ground");
  assert_object (part, 2, URB_CLASS_IGNORE, 1600, "left out");
  object = g_ptr_array_index (part, 0);
  g_assert_cmpstr (object->layer, ==, "plan");
  g_assert_cmpstr (object->source, ==, path);
  g_assert_cmpint (object->attributes->len, ==, 2); /* without the one that has no value */
  hole = identify (map, path, 2600015, 1200015);
  g_assert_cmpint (hole->len, ==, 2);
  assert_object (hole, 0, URB_CLASS_OTHER, 10000, "ground");
  road = identify (map, path, 2600052, 1200060);
  g_assert_cmpint (road->len, ==, 2);
  g_assert_cmpint (((UrbMapObject *) g_ptr_array_index (road, 0))->class_, ==, URB_CLASS_ROAD);
  g_assert_cmpstr (get_value (g_ptr_array_index (road, 0), "id"), ==, "axis");
  nothing = identify (map, path, 2600200, 1200200);
  g_assert_cmpint (nothing->len, ==, 0);
}

/* The map still knows the objects after the file is gone. */
static void
test_file_gone (Fixture *self, gconstpointer data)
{
  g_autofree char *path = write_plan (self);
  g_autoptr(UrbMap) map = open_map (path, NULL);
  g_autoptr(GPtrArray) objects = NULL;

  g_assert_cmpint (g_remove (path), ==, 0);
  objects = identify (map, path, 2600032, 1200015);
  g_assert_cmpint (objects->len, ==, 3);
  assert_object (objects, 0, URB_CLASS_BUILDING, 50, NULL);
}

static void
test_cancelled (Fixture *self, gconstpointer data)
{
  g_autofree char *path = write_plan (self);
  g_autoptr(UrbMap) map = open_map (path, NULL);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (urb_map_identify (map, (const char *const[]){ path, NULL }, NULL, 2600032, 1200015,
                                   cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep (50000);
  g_cancellable_cancel (cancellable);
  return NULL;
}

/* By one that is never read to its end. */
static void
replace_file (const char *path)
{
  g_autofree char *sql_path = g_test_build_filename (G_TEST_DIST, "hostile", "endless-view.sql", NULL);
  g_autofree char *sql = NULL;
  sqlite3 *db = NULL;

  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_true (g_file_get_contents (sql_path, &sql, NULL, NULL));
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
}

static void
test_cancelled_later (Fixture *self, gconstpointer data)
{
  g_autofree char *path = write_plan (self);
  g_autoptr(UrbMap) map = open_map (path, NULL);
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;
  GThread *thread;

  replace_file (path);
  thread = g_thread_new ("cancel", cancel_soon, cancellable);
  g_assert_null (urb_map_identify (map, (const char *const[]){ path, NULL }, NULL, 2600032, 1200015,
                                   cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
}

/* A file that takes longer than a click waits: the map's own facts are there. */
static void
test_late (Fixture *self, gconstpointer data)
{
  g_autofree char *limit = g_strdup (g_getenv ("URBARIUM_IDENTIFY_S")), *path = write_plan (self);
  g_autoptr(UrbMap) map = open_map (path, NULL);
  g_autoptr(GPtrArray) objects = NULL;
  gint64 start = g_get_monotonic_time ();

  replace_file (path);
  g_setenv ("URBARIUM_IDENTIFY_S", "1", TRUE);
  objects = identify (map, path, 2600032, 1200015);
  if (limit != NULL)
    g_setenv ("URBARIUM_IDENTIFY_S", limit, TRUE);
  else
    g_unsetenv ("URBARIUM_IDENTIFY_S");
  g_assert_cmpint (g_get_monotonic_time () - start, >=, G_TIME_SPAN_SECOND);
  g_assert_cmpint (objects->len, ==, 3);
  assert_object (objects, 0, URB_CLASS_BUILDING, 50, NULL);
}

/* If one attribute determines the layer's classes, the object's value of it must have the
 * object's class in the map. */
static void
assert_class_of_value (UrbMap *map, const UrbMapObject *object)
{
  GPtrArray *layers = urb_map_get_layers (map);
  gboolean is_met = FALSE, is_told = FALSE;

  for (guint i = 0; i < layers->len; i++)
    {
      const UrbMapLayer *layer = g_ptr_array_index (layers, i);
      const char *text = layer->attribute != NULL ? get_value (object, layer->attribute) : NULL;

      if (text == NULL || !g_str_equal (layer->name, object->layer)
          || !g_str_equal (layer->source, object->source))
        continue;
      is_met = TRUE;
      for (guint v = 0; v < layer->values->len; v++)
        {
          const UrbMapValue *value = g_ptr_array_index (layer->values, v);

          is_told = is_told || (g_str_equal (value->value, text) && value->class_ == object->class_);
        }
    }
  g_assert_true (is_told || !is_met);
}

/* At the centers of some polygons' boxes, the topmost object has the class of the map's
 * topmost polygon. */
static void
check_some (UrbMap *map, const char *path)
{
  gint64 n = urb_map_get_n_polygons (map);
  int n_met = 0;

  for (gint64 i = 0; i < n; i += n / 5 + 1)
    {
      UrbBox box = urb_map_get_box (map, i);
      g_autoptr(GPtrArray) objects
        = identify (map, path, (box.min_x + box.max_x) / 2, (box.min_y + box.max_y) / 2);

      for (guint k = 0; k < objects->len; k++)
        {
          const UrbMapObject *object = g_ptr_array_index (objects, k);

          if (object->class_ == URB_CLASS_IGNORE)
            continue;
          n_met++;
          g_assert_true (object->is_read);
          assert_class_of_value (map, object);
          g_assert_cmpfloat (object->area_m2, >, 0);
        }
      if (objects->len >= 2)
        g_assert_cmpint (((UrbMapObject *) g_ptr_array_index (objects, 0))->class_, <=,
                         ((UrbMapObject *) g_ptr_array_index (objects, 1))->class_);
    }
  g_assert_cmpint (n_met, >=, 3);
}

static void
test_sample_town (Fixture *self, gconstpointer data)
{
  g_autofree char *path = g_build_filename (self->folder, "town.gpkg", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSampleTown) town = urb_sample_town_new (7, 1000, NULL, NULL, NULL, &error);
  g_autoptr(UrbMap) map = NULL;

  g_assert_no_error (error);
  g_assert_true (urb_sample_town_write (town, path, &error));
  map = open_map (path, NULL);
  check_some (map, path);
}

static void
test_format (gconstpointer data)
{
  const char *folder = g_getenv ("URBARIUM_TEST_DATA");
  g_autofree char *path = folder != NULL ? g_build_filename (folder, data, NULL) : NULL;
  g_autoptr(UrbMap) map = NULL;
  gint64 start;

  if (path == NULL || !g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("the real maps are missing");
      return;
    }
  map = open_map (path, NULL);
  start = g_get_monotonic_time ();
  check_some (map, path);
  g_test_message ("%s: %.3f s each", path, (g_get_monotonic_time () - start) / 5e6);
}

int
main (int argc, char **argv)
{
  static const char *const formats[] = {
    "ch-so-hubersdorf-formats/hubersdorf_lv03.gpkg",
    "ch-so-hubersdorf-formats/shp",
    "ch-so-hubersdorf-formats/hubersdorf_shp.zip",
    "ch-so-hubersdorf-formats/hubersdorf_wgs84.geojson",
    "ch-so-hubersdorf-formats/hubersdorf_lv03.fgb",
    "ch-so-hubersdorf-formats/hubersdorf_lv03.gml",
    "ch-so-hubersdorf-formats/hubersdorf.kml",
    "ch-so-hubersdorf-formats/hubersdorf_mif.mif",
    "ch-so-hubersdorf-formats/hubersdorf_wkt.csv",
    "ch-so-hubersdorf-formats/hubersdorf_lv03.sqlite",
    "ch-so-hubersdorf-formats/hubersdorf_lv03.dxf",
    "ch-so-hubersdorf-formats/itf",
    "ch-so-wasseramt/wasseramt_lv03.gpkg",
    "nl-delft-bgt",
    "osm-monaco/monaco-latest.osm.pbf",
  };

  g_test_init (&argc, &argv, NULL);
  g_test_add ("/identify/plan", Fixture, NULL, flat_folder_set_up, test_plan, flat_folder_tear_down);
  g_test_add ("/identify/file-gone", Fixture, NULL, flat_folder_set_up, test_file_gone, flat_folder_tear_down);
  g_test_add ("/identify/cancelled", Fixture, NULL, flat_folder_set_up, test_cancelled, flat_folder_tear_down);
  g_test_add ("/identify/cancelled-later", Fixture, NULL, flat_folder_set_up, test_cancelled_later, flat_folder_tear_down);
  g_test_add ("/identify/late", Fixture, NULL, flat_folder_set_up, test_late, flat_folder_tear_down);
  g_test_add ("/identify/sample-town", Fixture, NULL, flat_folder_set_up, test_sample_town, flat_folder_tear_down);
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *base = g_path_get_basename (formats[i]);
      g_autofree char *name = g_strdup_printf ("/identify/%d/%s", (int) i, base);

      g_test_add_data_func (name, formats[i], test_format);
    }
  return g_test_run ();
}
