/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-geopackage.c - tables read without GDAL, compared with GDAL.
 *
 * In an archive, the same file is read through GDAL: both must give the same map,
 * object by object, whatever the table contains.
 */
#include <cpl_vsi.h>
#include <glib/gstdio.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "map/map-private.h"
#include "map/ogr-private.h"

typedef struct
{
  char *folder, *gpkg, *zip; /* owned */
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  urb_register_drivers ();
  self->folder = g_dir_make_tmp ("urbarium-gpkg-XXXXXX", &error);
  g_assert_no_error (error);
  self->gpkg = g_build_filename (self->folder, "town.gpkg", NULL);
  self->zip = g_build_filename (self->folder, "town.zip", NULL);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_remove (self->gpkg);
  g_remove (self->zip);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->folder);
  g_free (self->gpkg);
  g_free (self->zip);
}

typedef struct
{
  const char *class_, *wkt; /* (nullable) */
} Object;

static const Object objects[] = {
  { "other", "POLYGON ((0 0, 100 0, 100 100, 0 100, 0 0), (10 10, 20 10, 20 20, 10 20, 10 10))" },
  { "building", "MULTIPOLYGON (((10 10, 20 10, 20 20, 10 20, 10 10)), ((30 30, 40 30, 40 40, 30 30)))" },
  { "building", "POLYGON Z ((50 10 400, 60 10 401, 60 20 402, 50 10 400))" },
  { "building", "POLYGON ZM ((70 10 4 1, 80 10 4 2, 80 20 4 3, 70 10 4 1))" },
  { "building", "MULTIPOLYGON M (((70 30 1, 80 30 2, 80 40 3, 70 30 1)))" },
  { "road", "POLYGON ((50 50, 60 60, 60 50, 50 60, 50 50))" },           /* a bow tie */
  { "building", "POLYGON ((70 70, 71 70, 72 70, 70 70))" },              /* flat */
  { "building", "POLYGON ((5 5, 6 5, 6 6, 5 5), (0 0, 1 1, 0 0))" },     /* an empty hole */
  { "building", "POLYGON EMPTY" },
  { "building", "MULTIPOLYGON EMPTY" },
  { "building", NULL },
  { "building", "POINT (5 5)" },
  { "building", "LINESTRING (0 0, 5 5)" },
  { "road", "LINESTRING (0 90, 50 95)" },
  { "building", "CURVEPOLYGON (CIRCULARSTRING (80 80, 84 84, 88 80, 84 76, 80 80))" },
  { "building", "GEOMETRYCOLLECTION (POINT (1 1), POLYGON ((90 0, 93 0, 93 3, 90 0)))" },
  { "building", "POLYGON ((1e300 0, 1e300 1, 0 1, 1e300 0))" },
  { "building", "POLYGON ((60 10, 60 20, 50 10, 60 10))" },              /* one from above, rotated */
  { NULL, "POLYGON ((90 90, 95 90, 95 95, 90 90))" },
  { "  ", "POLYGON ((90 80, 95 80, 95 85, 90 80))" },
  { "Häuschen", "POLYGON ((90 70, 95 70, 95 75, 90 70))" },
};

/* @field: type of the column "class"; @sql: (nullable): run on the finished file */
static void
write_town (Fixture *self, OGRFieldType type, const char *sql)
{
  GDALDatasetH dataset = GDALCreate (GDALGetDriverByName ("GPKG"), self->gpkg, 0, 0, 0,
                                     GDT_Unknown, NULL);
  g_auto(UrbOgrSrs) srs = OSRNewSpatialReference (NULL);
  OGRLayerH layer;
  OGRFieldDefnH field = OGR_Fld_Create ("class", type), more = OGR_Fld_Create ("note", OFTReal);
  sqlite3 *db = NULL;

  g_assert_cmpint (OSRImportFromEPSG (srs, 2056), ==, OGRERR_NONE);
  layer = GDALDatasetCreateLayer (dataset, "town", srs, wkbUnknown, NULL);
  g_assert_cmpint (OGR_L_CreateField (layer, more, TRUE), ==, OGRERR_NONE);
  g_assert_cmpint (OGR_L_CreateField (layer, field, TRUE), ==, OGRERR_NONE);
  OGR_Fld_Destroy (field);
  OGR_Fld_Destroy (more);
  for (gsize i = 0; i < G_N_ELEMENTS (objects); i++)
    {
      g_auto(UrbOgrFeature) feature = OGR_F_Create (OGR_L_GetLayerDefn (layer));
      char *wkt = (char *) objects[i].wkt;
      OGRGeometryH geometry = NULL;
      if (wkt != NULL)
        g_assert_cmpint (OGR_G_CreateFromWkt (&wkt, NULL, &geometry), ==, OGRERR_NONE);
      OGR_F_SetGeometryDirectly (feature, geometry);
      if (objects[i].class_ != NULL && type == OFTString)
        OGR_F_SetFieldString (feature, 1, objects[i].class_);
      else if (type != OFTString)
        OGR_F_SetFieldInteger (feature, 1, (int) i - 5);
      g_assert_cmpint (OGR_L_CreateFeature (layer, feature), ==, OGRERR_NONE);
    }
  GDALClose (dataset);
  if (sql == NULL)
    return;
  g_assert_cmpint (sqlite3_open (self->gpkg, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_close (db), ==, SQLITE_OK);
}

/* @from: a file in the fixture's folder; @to: one that GDAL writes */
static void
copy_into (const Fixture *self, const char *from, const char *to)
{
  g_autofree char *path = g_build_filename (self->folder, from, NULL);
  g_autofree char *bytes = NULL;
  gsize n;
  VSILFILE *file;

  g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
  file = VSIFOpenL (to, "wb");
  g_assert_nonnull (file);
  g_assert_cmpuint (VSIFWriteL (bytes, 1, n, file), ==, n);
  g_assert_cmpint (VSIFCloseL (file), ==, 0);
}

static UrbMap *
open_map (const char *path, GError **error)
{
  const UrbMapOptions options = { .road_width_m = 6 };

  return urb_map_open ((const char *const[]){ path, NULL }, &options, NULL, NULL, NULL, error);
}

static void
assert_same_layer (const UrbMapLayer *a, const UrbMapLayer *b)
{
  g_assert_cmpstr (a->name, ==, b->name);
  g_assert_cmpstr (a->attribute, ==, b->attribute);
  g_assert_cmpint (a->n_features, ==, b->n_features);
  g_assert_cmpint (a->n_points_ignored, ==, b->n_points_ignored);
  g_assert_cmpint (a->n_lines, ==, b->n_lines);
  g_assert_cmpint (a->n_repaired, ==, b->n_repaired);
  g_assert_cmpint (a->n_dropped, ==, b->n_dropped);
  g_assert_cmpint (a->n_superseded, ==, b->n_superseded);
  g_assert_cmpuint (a->values->len, ==, b->values->len);
  for (guint i = 0; i < a->values->len; i++)
    {
      const UrbMapValue *p = g_ptr_array_index (a->values, i), *q = g_ptr_array_index (b->values, i);
      g_assert_cmpstr (p->value, ==, q->value);
      g_assert_cmpint (p->class_, ==, q->class_);
      g_assert_cmpint (p->n_features, ==, q->n_features);
      g_assert_cmpfloat (p->area_m2, ==, q->area_m2);
    }
}

static void
assert_same (UrbMap *a, UrbMap *b)
{
  g_assert_cmpint (a->n_vertices, ==, b->n_vertices);
  g_assert_cmpuint (a->n_rings, ==, b->n_rings);
  g_assert_cmpint (a->n_polygons, ==, b->n_polygons);
  g_assert_cmpmem (a->xy, a->n_vertices * 2 * sizeof (double), b->xy,
                   b->n_vertices * 2 * sizeof (double));
  g_assert_cmpmem (a->ring_starts, (a->n_rings + 1) * sizeof (guint64), b->ring_starts,
                   (b->n_rings + 1) * sizeof (guint64));
  for (gint64 i = 0; i < a->n_polygons; i++)
    {
      g_assert_cmpuint (a->polygons[i].first_ring, ==, b->polygons[i].first_ring);
      g_assert_cmpuint (a->polygons[i].n_rings, ==, b->polygons[i].n_rings);
      g_assert_cmpuint (a->polygons[i].class_, ==, b->polygons[i].class_);
    }
  g_assert_cmpuint (a->warnings->len, ==, b->warnings->len);
  g_assert_cmpuint (a->layers->len, ==, b->layers->len);
  for (guint i = 0; i < a->layers->len; i++)
    assert_same_layer (g_ptr_array_index (a->layers, i), g_ptr_array_index (b->layers, i));
}

/* Whether and how many rows are read without GDAL. */
static int
count_rows (const char *path)
{
  g_autoptr(GPtrArray) profiles = g_ptr_array_new ();
  g_autoptr(UrbSource) source = urb_source_open (path, profiles, NULL);
  g_autoptr(UrbGeopackageRows) rows = urb_geopackage_rows_open (
    source, GDALDatasetGetLayer (source->dataset, 0), (const gboolean[]){ FALSE, TRUE });
  const guint8 *wkb;
  gsize n_bytes;
  UrbRow row;
  int n = 0;

  while (rows != NULL && urb_geopackage_rows_next (rows, &row, &wkb, &n_bytes) == URB_ROWS_ONE)
    {
      if (objects[n].wkt == NULL)
        g_assert_null (wkb);
      n++;
    }
  return n;
}

typedef struct
{
  const char  *name;
  OGRFieldType type;
  const char  *sql; /* (nullable) */
  int          n_rows; /* before GDAL must take over */
  gboolean     is_damaged; /* one object */
} Case;

#define N ((int) G_N_ELEMENTS (objects))

static const Case cases[] = {
  { "texts", OFTString, NULL, N },
  { "numbers", OFTInteger, NULL, N },
  { "large-numbers", OFTInteger64, "UPDATE town SET class = 5000000000 WHERE fid = 2", N },
  { "times", OFTDateTime, NULL, 0 },
  { "other-type", OFTString, "UPDATE town SET class = x'6162' WHERE fid = 7", 6 },
  { "no-header", OFTString, "UPDATE town SET geom = x'00112233445566778899' WHERE fid = 4", 3, TRUE },
  { "only-header", OFTString, "UPDATE town SET geom = substr (geom, 1, 40) WHERE fid = 4", 3, TRUE },
  { "cut-off", OFTString, "UPDATE town SET geom = substr (geom, 1, 90) WHERE fid = 1", N, TRUE },
  { "no-blob", OFTString, "UPDATE town SET geom = 'POINT (1 1)' WHERE fid = 3", 2, TRUE },
};

static void
test_like_gdal (Fixture *self, gconstpointer data)
{
  const Case *one = data;
  const char *const triggers = "DROP TRIGGER IF EXISTS rtree_town_geom_update1;"
                               "DROP TRIGGER IF EXISTS rtree_town_geom_update2;"
                               "DROP TRIGGER IF EXISTS rtree_town_geom_update3;"
                               "DROP TRIGGER IF EXISTS rtree_town_geom_update4;"
                               "DROP TRIGGER IF EXISTS rtree_town_geom_update5;"
                               "DROP TRIGGER IF EXISTS rtree_town_geom_update6;"
                               "DROP TRIGGER IF EXISTS rtree_town_geom_update7;"
                               "DROP TRIGGER IF EXISTS trigger_insert_feature_count_town;";
  g_autofree char *sql = one->sql != NULL ? g_strconcat (triggers, one->sql, NULL) : NULL;
  g_autofree char *archive = g_strdup_printf ("/vsizip/%s/town.gpkg", self->zip);
  g_autoptr(UrbMap) plain = NULL, archived = NULL;
  g_autoptr(GError) error = NULL, archived_error = NULL;

  write_town (self, one->type, sql);
  copy_into (self, "town.gpkg", archive);
  g_assert_cmpint (count_rows (self->gpkg), ==, one->n_rows);
  plain = open_map (self->gpkg, &error);
  archived = open_map (self->zip, &archived_error);
  if (one->is_damaged)
    {
      g_assert_no_error (error);
      g_assert_cmpint (((UrbMapLayer *) g_ptr_array_index (plain->layers, 0))->n_unreadable, ==, 1);
    }
  g_assert_no_error (error);
  assert_same (plain, archived);
  g_assert_cmpint (plain->n_polygons, >, 8);
}

static void
pack (const Fixture *self, const char *how, const char *archive)
{
  g_autoptr(GError) error = NULL;
  int status;

  g_spawn_sync (self->folder, (char *[]){ "tar", (char *) how, (char *) archive, "town.gpkg", NULL }, NULL,
                G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, &status, &error);
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, 0);
}

/* In two streams, as parallel compressors write it, and with bytes behind, which bzip2 ignores. */
static void
pack_twice (const Fixture *self, const char *name)
{
  g_autofree char *command = g_strdup_printf ("{ head -c 1000 town.gpkg | bzip2; tail -c +1001 town.gpkg | bzip2; "
                                              "echo and more; } >%s", name);
  g_autoptr(GError) error = NULL;
  int status;

  g_spawn_sync (self->folder, (char *[]){ "sh", "-c", command, NULL }, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL,
                &status, &error);
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, 0);
}

/* Damaged anywhere, it is refused with a message that names it. */
static void
assert_damage_is_told (const char *path, gsize n_kept)
{
  g_autofree char *bytes = NULL, *base = g_path_get_basename (path);
  g_autoptr(GError) error = NULL;
  gsize n;

  g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
  g_assert_true (g_file_set_contents (path, bytes, (gssize) MIN (n, n_kept), NULL));
  g_assert_null (open_map (path, &error));
  g_assert_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN);
  g_assert_nonnull (strstr (error->message, base));
}

/* Beside a good file in a folder and in an archive, each damaged one is told; the good one is read. */
static void
test_damaged_beside (Fixture *self, gconstpointer data)
{
  static const char *const names[] = { "north.gpkg.bz2", "south.tar.bz2" };
  g_autofree char *good = g_strdup_printf ("/vsizip/%s/town.gpkg", self->zip);

  write_town (self, OFTString, NULL);
  copy_into (self, "town.gpkg", good);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *bad = g_build_filename (self->folder, names[i], NULL);
      g_autofree char *packed = g_strdup_printf ("/vsizip/%s/%s", self->zip, names[i]);

      g_assert_true (g_file_set_contents (bad, "BZh9 and no more", -1, NULL));
      copy_into (self, names[i], packed);
    }
  for (int in_zip = 0; in_zip < 2; in_zip++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(UrbMap) map = open_map (in_zip ? self->zip : self->folder, &error);
      g_autofree char *said = NULL;

      g_assert_no_error (error);
      g_ptr_array_add (map->warnings, NULL);
      said = g_strjoinv ("\n", (char **) map->warnings->pdata);
      for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
        {
          g_autofree char *name = g_build_filename (in_zip ? self->zip : self->folder, names[i], NULL);

          if (strstr (said, name) == NULL)
            g_error ("“%s” does not name “%s”", said, name);
        }
      g_assert_nonnull (strstr (said, "north.gpkg.bz2' cannot be unpacked"));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *bad = g_build_filename (self->folder, names[i], NULL);

      g_remove (bad);
    }
}

/* Compressed, in an archive, and in an archive in an archive: the same map. */
static void
test_archives (Fixture *self, gconstpointer data)
{
  static const char *const names[] = { "town.tar", "town.tar.gz", "town.tgz", "town.gpkg.gz", "nested.zip",
                                       "town.tar.bz2", "town.tbz2", "town.gpkg.bz2", "packed.zip" };
  g_autofree char *compressed = g_strdup_printf ("/vsigzip/%s/town.gpkg.gz", self->folder);
  g_autofree char *nested = g_strdup_printf ("/vsizip/%s/nested.zip/inner/town.tar.gz", self->folder);
  g_autofree char *packed_nested = g_strdup_printf ("/vsizip/%s/packed.zip/inner/town.tar.bz2", self->folder);
  g_autofree char *packed = g_build_filename (self->folder, "town.tar.xz", NULL);
  g_autoptr(UrbMap) plain = NULL;
  g_autoptr(GError) error = NULL;

  write_town (self, OFTString, NULL);
  pack (self, "cf", "town.tar");
  pack (self, "czf", "town.tar.gz");
  pack (self, "czf", "town.tgz");
  pack (self, "cjf", "town.tar.bz2");
  pack (self, "cjf", "town.tbz2");
  pack_twice (self, "town.gpkg.bz2");
  copy_into (self, "town.tar.bz2", packed_nested);
  copy_into (self, "town.gpkg", compressed);
  copy_into (self, "town.tar.gz", nested);
  plain = open_map (self->gpkg, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (self->folder, names[i], NULL);
      g_autoptr(UrbMap) archived = open_map (path, &error);

      g_assert_no_error (error);
      assert_same (plain, archived);
      g_assert_null (strstr (((UrbMapLayer *) archived->layers->pdata[0])->source, "/vsi"));
      g_assert_true (g_str_has_prefix (((UrbMapLayer *) archived->layers->pdata[0])->source, self->folder));
      if (g_str_has_suffix (path, "bz2"))
        assert_damage_is_told (path, 4000);
      g_remove (path);
    }
  g_assert_true (g_file_set_contents (packed, "", 0, NULL));
  g_assert_null (open_map (packed, &error));
  g_assert_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN);
  g_assert_nonnull (strstr (error->message, "unpack it"));
  g_remove (packed);
}

/* The areas agree with hand calculations. */
static void
test_by_hand (Fixture *self, gconstpointer data)
{
  g_autoptr(UrbMap) map = NULL;
  g_autoptr(GError) error = NULL;

  write_town (self, OFTString, NULL);
  map = open_map (self->gpkg, &error);
  g_assert_no_error (error);
  /* 100 and 50; triangles 50, 50, 50, 0.5 and 4.5; the circle has 72 chords. */
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING),
                                  100 + 50 + 3 * 50 + 0.5 + 4.5 + 36 * 16 * sin (G_PI / 36), 0.01);
  g_assert_cmpint (((UrbMapLayer *) g_ptr_array_index (map->layers, 0))->n_repaired, ==, 1);
  g_assert_cmpint (((UrbMapLayer *) g_ptr_array_index (map->layers, 0))->n_superseded, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/map/geopackage/by-hand", Fixture, NULL, set_up, test_by_hand, tear_down);
  g_test_add ("/map/geopackage/damaged-beside", Fixture, NULL, set_up, test_damaged_beside, tear_down);
  g_test_add ("/map/geopackage/archives", Fixture, NULL, set_up, test_archives, tear_down);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/map/geopackage/", cases[i].name, NULL);
      g_test_add (path, Fixture, &cases[i], set_up, test_like_gdal, tear_down);
    }
  return g_test_run ();
}
