/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-spoiled-real.c - copies of real maps with damaged objects are these maps without them.
 *
 * What is expected is what GDAL reads of the undamaged file, less the damaged objects.  Needs the folder of real maps in
 * URBARIUM_TEST_DATA; skipped without it.
 */
#include <gdal.h>
#include <glib/gstdio.h>
#include <ogr_srs_api.h>
#include <sqlite3.h>
#include <string.h>

#include "flat-folder.h"
#include "map/map.h"

/* The objects of a text file are damaged at the @place of their shape, which each has once; those of a table by a
 * statement for one row. */
typedef struct
{
  const char *file, *layer;
  const char *place, *damaged;  /* (nullable) */
  const char *statement;        /* (nullable) */
  int         epsg;             /* in meters, for GDAL's areas */
} Original;

enum { N_DAMAGED = 3 };

typedef struct
{
  gint64 fid; /* of its row */
  double area_m2;
} Object;

static char *
find_original (const Original *original)
{
  const char *folder = g_getenv ("URBARIUM_TEST_DATA");
  char *path = folder != NULL ? g_build_filename (folder, original->file, NULL) : NULL;

  if (path == NULL || !g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_clear_pointer (&path, g_free);
      g_test_skip ("the real maps are missing");
    }
  return path;
}

/* -------- As GDAL reads it -------- */

/* Returns: (element-type Object): in their order */
static GArray *
read_objects (const Original *original, const char *path)
{
  GArray *objects = g_array_new (FALSE, FALSE, sizeof (Object));
  GDALDatasetH dataset = GDALOpenEx (path, GDAL_OF_VECTOR, NULL, NULL, NULL);
  OGRSpatialReferenceH srs = OSRNewSpatialReference (NULL);
  OGRLayerH layer;
  OGRFeatureH feature;

  g_assert_nonnull (dataset);
  g_assert_cmpint (OSRImportFromEPSG (srs, original->epsg), ==, OGRERR_NONE);
  layer = GDALDatasetGetLayerByName (dataset, original->layer);
  g_assert_nonnull (layer);
  while ((feature = OGR_L_GetNextFeature (layer)) != NULL)
    {
      OGRGeometryH shape = OGR_F_GetGeometryRef (feature);
      Object object = { .fid = OGR_F_GetFID (feature) };
      g_assert_true (OGR_L_GetSpatialRef (layer) == NULL || OGR_G_TransformTo (shape, srs) == OGRERR_NONE);
      object.area_m2 = OGR_G_Area (shape);
      g_array_append_val (objects, object);
      OGR_F_Destroy (feature);
    }
  OSRDestroySpatialReference (srs);
  GDALClose (dataset);
  return objects;
}

/* -------- Damage -------- */

/* Of the objects @first, and those @step further. */
static void
damage_text (const Original *original, const char *path, guint first, guint step)
{
  g_autofree char *text = NULL;
  g_auto(GStrv) parts = NULL;
  g_autoptr(GString) damaged = g_string_new (NULL);
  g_autoptr(GError) error = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  parts = g_strsplit (text, original->place, -1);
  g_string_append (damaged, parts[0]);
  for (guint i = 0; parts[i + 1] != NULL; i++)
    {
      g_string_append (damaged, i >= first && (i - first) % step == 0 ? original->damaged : original->place);
      g_string_append (damaged, parts[i + 1]);
    }
  g_file_set_contents (path, damaged->str, (gssize) damaged->len, &error);
  g_assert_no_error (error);
}

static void
damage_rows (const Original *original, const char *path, const GArray *objects, guint first, guint step)
{
  static const char *const triggers[] = { "insert", "update1", "update2", "update3", "update4", "delete" };
  g_autoptr(GString) statement = g_string_new (original->statement);
  sqlite3 *db;

  for (guint i = first; i < objects->len; i += step)
    g_string_append_printf (statement, "%s%" G_GINT64_FORMAT, i > first ? "," : " WHERE rowid IN (",
                            g_array_index (objects, Object, i).fid);
  g_string_append_c (statement, ')');
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  for (gsize i = 0; i < G_N_ELEMENTS (triggers); i++) /* of the spatial index, which look at the shape */
    {
      g_autofree char *drop = g_strdup_printf ("DROP TRIGGER IF EXISTS rtree_%s_geom_%s", original->layer, triggers[i]);
      g_assert_cmpint (sqlite3_exec (db, drop, NULL, NULL, NULL), ==, SQLITE_OK);
    }
  g_assert_cmpint (sqlite3_exec (db, statement->str, NULL, NULL, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_changes (db), ==, (int) ((objects->len - first + step - 1) / step));
  sqlite3_close (db);
}

/* -------- The test -------- */

static UrbMap *
open_map (const char *path)
{
  g_autoptr(GError) error = NULL;
  UrbMap *map = urb_map_open ((const char *const[]){ path, NULL }, NULL, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  return map;
}

static double
get_area (UrbMap *map)
{
  double sum = 0;

  for (int class_ = 0; class_ < URB_N_CLASSES; class_++)
    sum += urb_map_get_class_area_m2 (map, class_);
  return sum;
}

/* Objects of which nothing was read. */
static gint64
count_lost (UrbMap *map)
{
  GPtrArray *layers = urb_map_get_layers (map);
  gint64 n = 0;

  for (guint i = 0; i < layers->len; i++)
    {
      const UrbMapLayer *layer = g_ptr_array_index (layers, i);
      n += layer->n_unreadable + layer->n_dropped + layer->n_points_ignored;
    }
  return n;
}

static void
check (const Original *original, const char *source, UrbMap *whole, const GArray *objects, guint first, guint step)
{
  g_autoptr(GError) error = NULL;
  char *folder = g_dir_make_tmp ("urbarium-spoiled-XXXXXX", &error);
  g_autofree char *name = g_path_get_basename (source), *path = g_build_filename (folder, name, NULL);
  g_autofree char *bytes = NULL;
  g_autoptr(UrbMap) map = NULL;
  double lost_m2 = 0;
  gsize n_bytes;
  gint64 n = 0;

  g_file_get_contents (source, &bytes, &n_bytes, &error);
  g_assert_no_error (error);
  g_file_set_contents (path, bytes, (gssize) n_bytes, &error);
  g_assert_no_error (error);
  if (original->place != NULL)
    damage_text (original, path, first, step);
  else
    damage_rows (original, path, objects, first, step);
  for (guint i = first; i < objects->len; i += step, n++)
    lost_m2 += g_array_index (objects, Object, i).area_m2;
  map = open_map (path);
  flat_folder_remove (folder);
  g_test_message ("from %u by %u: %" G_GINT64_FORMAT " polygons", first, step, urb_map_get_n_polygons (map));
  g_assert_cmpint (urb_map_get_n_polygons (map), ==, urb_map_get_n_polygons (whole) - n);
  g_assert_cmpint (count_lost (map), ==, n);
  g_assert_cmpfloat_with_epsilon (get_area (whole) - get_area (map), lost_m2, 0.002 * lost_m2 + 0.5);
  g_assert_cmpuint (urb_map_get_warnings (map)->len, >, urb_map_get_warnings (whole)->len);
}

static void
test_original (gconstpointer data)
{
  const Original *original = data;
  g_autofree char *path = find_original (original);
  g_autoptr(GArray) objects = NULL;
  g_autoptr(UrbMap) whole = NULL;
  double sum_m2 = 0;

  if (path == NULL)
    return;
  objects = read_objects (original, path);
  whole = open_map (path);
  g_assert_cmpint (urb_map_get_n_polygons (whole), ==, objects->len);
  for (guint i = 0; i < objects->len; i++)
    sum_m2 += g_array_index (objects, Object, i).area_m2;
  g_assert_cmpfloat_with_epsilon (get_area (whole), sum_m2, 0.001 * sum_m2);
  for (guint i = 1; i <= N_DAMAGED; i++) /* one in turn */
    check (original, path, whole, objects, i * objects->len / (N_DAMAGED + 1), objects->len);
  check (original, path, whole, objects, 5, 10);
}

int
main (int argc, char **argv)
{
#define HUBERSDORF "ch-so-hubersdorf-formats/hubersdorf"
  static const Original originals[] = {
    { HUBERSDORF "_wgs84.geojson", "bodenbedeckung", "\"coordinates\": [ [ [ ", "\"coordinates\": [ [ [ \"x\", ", NULL, 2056 },
    { HUBERSDORF "_lv03.gml", "bodenbedeckung", "<gml:exterior><gml:LinearRing><gml:posList>",
      "<gml:exterior><gml:LinearRing><gml:posList>nonsense ", NULL, 21781 },
    { HUBERSDORF "_wkt.csv", "hubersdorf_wkt", "\"POLYGON ((", "\"POLYGON ((x y,", NULL, 21781 },
    { HUBERSDORF "_lv03.sqlite", "bodenbedeckung", NULL, NULL, "UPDATE bodenbedeckung SET geom = x'0102'", 21781 },
    { HUBERSDORF "_lv95.gpkg", "bodenbedeckung", NULL, NULL, "UPDATE bodenbedeckung SET geom = x'0102'", 2056 },
    { "nl-delft-bgt/bgt_pand.sqlite", "buildingpart", NULL, NULL, "UPDATE buildingpart SET GEOMETRY = x'0102'", 28992 },
  };

  g_test_init (&argc, &argv, NULL);
  GDALAllRegister ();
  for (gsize i = 0; i < G_N_ELEMENTS (originals); i++)
    {
      g_autofree char *base = g_path_get_basename (originals[i].file);
      g_autofree char *name = g_strconcat ("/map/spoiled-real/", base, NULL);
      g_test_add_data_func (name, &originals[i], test_original);
    }
  return g_test_run ();
}
