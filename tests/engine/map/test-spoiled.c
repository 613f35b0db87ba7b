/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-spoiled.c - a map with one damaged object is the map without that object, and says so.
 *
 * The same houses are written in twelve formats, and each house is damaged in turn.  House i is
 * 10 + i meters wide, so that the sum of the areas tells which one is missing.
 */
#include <gdal.h>
#include <gdal_utils.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>

#include "flat-folder.h"
#include "map/map.h"

#define N_HOUSES 6
#define NONE -1

typedef struct
{
  double x[4], y[4]; /* corners */
} House;

/* In EPSG:2056. */
static House
get_house (int i)
{
  double x = 2600000 + 40 * i, y = 1200000, w = 10 + i;

  return (House){ { x, x + w, x + w, x }, { y, y, y + 10, y + 10 } };
}

/* 1e-6 degrees are about 0.1 m. */
static House
get_house_in_degrees (int i)
{
  double lon = 7.4386 + 5e-4 * i, lat = 46.9511, w = 1.3e-5 * (10 + i);

  return (House){ { lon, lon + w, lon + w, lon }, { lat, lat, lat + 9e-5, lat + 9e-5 } };
}

/* The corners, the first one again at the end. */
static char *
join (const House *house, const char *between_xy, const char *between_points)
{
  GString *text = g_string_new (NULL);

  for (int k = 0; k <= 4; k++)
    {
      char x[G_ASCII_DTOSTR_BUF_SIZE], y[G_ASCII_DTOSTR_BUF_SIZE];
      g_ascii_formatd (x, sizeof x, "%.6f", house->x[k % 4]);
      g_ascii_formatd (y, sizeof y, "%.6f", house->y[k % 4]);
      g_string_append_printf (text, "%s%s%s%s", k > 0 ? between_points : "", x, between_xy, y);
    }
  return g_string_free (text, FALSE);
}

static char *
save (const char *folder, const char *name, const char *text)
{
  char *path = g_build_filename (folder, name, NULL);
  g_autoptr(GError) error = NULL;

  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
  return path;
}

/* -------- Text formats: written with the damage; all return the file -------- */

static char *
write_geojson (const char *folder, int damaged)
{
  g_autoptr(GString) text = g_string_new (
    "{\"type\":\"FeatureCollection\",\"crs\":{\"type\":\"name\",\"properties\":{\"name\":"
    "\"urn:ogc:def:crs:EPSG::2056\"}},\"features\":[");

  for (int i = 0; i < N_HOUSES; i++)
    {
      House house = get_house (i);
      g_autofree char *ring = join (&house, ",", "],[");
      g_string_append_printf (text, "%s{\"type\":\"Feature\",\"properties\":{\"class\":\"building\"},"
                                    "\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[%s]]]}}",
                              i > 0 ? "," : "", i == damaged ? "\"a\",\"b\"" : ring);
    }
  g_string_append (text, "]}");
  return save (folder, "town.geojson", text->str);
}

/* As in the Dutch map, each house has the place of its number, too. */
static char *
write_gml (const char *folder, int damaged)
{
  g_autoptr(GString) text = g_string_new (
    "<?xml version=\"1.0\"?>\n<t:Town xmlns:t=\"http://town\" xmlns:gml=\"http://www.opengis.net/gml\">\n");

  for (int i = 0; i < N_HOUSES; i++)
    {
      House house = get_house (i);
      g_autofree char *ring = join (&house, " ", " ");
      g_autofree char *point = g_strndup (ring, strcspn (strchr (ring, ' ') + 1, " ")
                                                  + (gsize) (strchr (ring, ' ') + 1 - ring));
      g_string_append_printf (
        text,
        "<gml:featureMember><t:building gml:id=\"b.%d\"><t:footprint><gml:Polygon "
        "srsName=\"urn:ogc:def:crs:EPSG::2056\"><gml:exterior><gml:LinearRing><gml:posList>%s"
        "</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></t:footprint><t:number><gml:Point "
        "srsName=\"urn:ogc:def:crs:EPSG::2056\"><gml:pos>%s</gml:pos></gml:Point></t:number></t:building>"
        "</gml:featureMember>\n",
        i, i == damaged ? "12 34 nonsense" : ring, point);
    }
  g_string_append (text, "</t:Town>\n");
  return save (folder, "town.gml", text->str);
}

static char *
write_kml (const char *folder, int damaged)
{
  g_autoptr(GString) text = g_string_new ("<?xml version=\"1.0\"?>\n<kml xmlns=\"http://www.opengis.net/"
                                          "kml/2.2\"><Document><Folder><name>building</name>\n");

  for (int i = 0; i < N_HOUSES; i++)
    {
      House house = get_house_in_degrees (i);
      g_autofree char *ring = join (&house, ",", " ");
      g_string_append_printf (text, "<Placemark><Polygon><outerBoundaryIs><LinearRing><coordinates>%s"
                                    "</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>\n",
                              i == damaged ? "nonsense" : ring);
    }
  g_string_append (text, "</Folder></Document></kml>\n");
  return save (folder, "town.kml", text->str);
}

static char *
write_csv (const char *folder, int damaged)
{
  g_autoptr(GString) text = g_string_new ("WKT,class\n");

  for (int i = 0; i < N_HOUSES; i++)
    {
      House house = get_house (i);
      g_autofree char *ring = join (&house, " ", ",");
      g_string_append_printf (text, "\"POLYGON((%s))\",building\n", i == damaged ? "x y" : ring);
    }
  return save (folder, "town.csv", text->str);
}

static char *
write_osm (const char *folder, int damaged)
{
  g_autoptr(GString) nodes = g_string_new (NULL), ways = g_string_new (NULL);
  g_autofree char *text = NULL;

  for (int i = 0; i < N_HOUSES; i++)
    {
      House house = get_house_in_degrees (i);
      g_string_append_printf (ways, "<way id=\"%d\">", i + 1);
      for (int k = 0; k < 4; k++)
        {
          char lon[G_ASCII_DTOSTR_BUF_SIZE], lat[G_ASCII_DTOSTR_BUF_SIZE];
          g_ascii_formatd (lon, sizeof lon, "%.7f", house.x[k]);
          g_ascii_formatd (lat, sizeof lat, "%.7f", house.y[k] + (i == damaged && k == 2 ? 100 : 0));
          g_string_append_printf (nodes, "<node id=\"%d\" lat=\"%s\" lon=\"%s\"/>\n", 4 * i + k + 1, lat,
                                  lon);
          g_string_append_printf (ways, "<nd ref=\"%d\"/>", 4 * i + k + 1);
        }
      g_string_append_printf (ways, "<nd ref=\"%d\"/><tag k=\"building\" v=\"yes\"/></way>\n", 4 * i + 1);
    }
  text = g_strconcat ("<?xml version=\"1.0\"?>\n<osm version=\"0.6\">\n", nodes->str, ways->str, "</osm>\n",
                      NULL);
  return save (folder, "town.osm", text);
}

static char *
write_mif (const char *folder, int damaged)
{
  g_autoptr(GString) text = g_string_new (
    "Version 300\nCharset \"Neutral\"\nDelimiter \",\"\nCoordSys NonEarth Units \"m\" Bounds (0, 0) "
    "(3000000, 3000000)\nColumns 1\n  class Char(20)\nData\n\n");
  g_autoptr(GString) table = g_string_new (NULL);

  for (int i = 0; i < N_HOUSES; i++)
    {
      House house = get_house (i);
      g_autofree char *ring = join (&house, " ", "\n");
      g_string_append_printf (text, "Region 1\n  5\n%s\n", i == damaged ? "x x\nx x\nx x\nx x\nx x" : ring);
      g_string_append (table, "\"building\"\n");
    }
  g_free (save (folder, "town.mid", table->str));
  return save (folder, "town.mif", text->str);
}

static char *
write_dxf (const char *folder, int damaged)
{
  g_autoptr(GString) text = g_string_new ("0\nSECTION\n2\nENTITIES\n");

  for (int i = 0; i < N_HOUSES; i++)
    {
      House house = get_house (i);
      g_string_append (text, "0\nLWPOLYLINE\n8\nbuilding\n90\n4\n70\n1\n");
      for (int k = 0; k < 4; k++)
        g_string_append_printf (text, "10\n%.0f\n20\n%s%.0f\n", house.x[k],
                                i == damaged ? "x" : "", house.y[k]);
    }
  g_string_append (text, "0\nENDSEC\n0\nEOF\n");
  return save (folder, "town.dxf", text->str);
}

/* Blocks, of which each house has the lower and the upper side. */
static char *
write_city_gml (const char *folder, int damaged)
{
  g_autoptr(GString) text = g_string_new (
    "<?xml version=\"1.0\"?>\n<core:CityModel xmlns:core=\"http://www.opengis.net/citygml/2.0\" "
    "xmlns:bldg=\"http://www.opengis.net/citygml/building/2.0\" xmlns:gml=\"http://www.opengis.net/gml\">"
    "<gml:boundedBy><gml:Envelope srsName=\"EPSG:2056\"/></gml:boundedBy>\n");

  for (int i = 0; i < N_HOUSES; i++)
    {
      House house = get_house (i);

      g_string_append (text, "<core:cityObjectMember><bldg:Building><bldg:lod1Solid><gml:Solid><gml:exterior>");
      for (int upper = 0; upper < 2; upper++)
        {
          g_autofree char *ring = join (&house, " ", upper ? " 9 " : " 0 ");
          g_string_append_printf (text, "<gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>%s %s</gml:posList>"
                                        "</gml:LinearRing></gml:exterior></gml:Polygon>",
                                  i == damaged ? "12 34 nonsense" : ring, upper ? "9" : "0");
        }
      g_string_append (text, "</gml:exterior></gml:Solid></bldg:lod1Solid></bldg:Building></core:cityObjectMember>\n");
    }
  g_string_append (text, "</core:CityModel>\n");
  return save (folder, "town.gml", text->str);
}

/* The same.  House i has the vertices from 8 i: lower and upper ones by turns. */
static char *
write_city_json (const char *folder, int damaged)
{
  g_autoptr(GString) objects = g_string_new (NULL), vertices = g_string_new (NULL);
  g_autofree char *text = NULL;

  for (int i = 0; i < N_HOUSES; i++)
    {
      House house = get_house (i);
      int v = 8 * i;

      g_string_append_printf (objects, "%s\"%d\":{\"type\":\"Building\",\"geometry\":[{\"type\":\"Solid\",\"lod\":1,"
                                       "\"boundaries\":[[[[%d,%d,%d,%d]],[[%d,%d,%d,%d]]]]}]}",
                              i > 0 ? "," : "", i, v, v + 2, v + 4, v + 6, v + 1, v + 3, v + 5, v + 7);
      for (int k = 0; k < 8; k++)
        g_string_append_printf (vertices, "%s[%d,%d,%s]", v + k > 0 ? "," : "", (int) house.x[k / 2],
                                (int) house.y[k / 2], i == damaged ? "\"high\"" : k % 2 ? "9" : "0");
    }
  text = g_strdup_printf ("{\"type\":\"CityJSON\",\"version\":\"2.0\",\"transform\":{\"scale\":[1,1,1],\"translate\":[0,0,0]},"
                          "\"metadata\":{\"referenceSystem\":\"EPSG:2056\"},\"CityObjects\":{%s},\"vertices\":[%s]}",
                          objects->str, vertices->str);
  return save (folder, "town.city.json", text);
}

/* -------- Binary formats: written whole by GDAL, then damaged -------- */

static char *
convert (const char *folder, const char *name, const char *driver)
{
  g_autofree char *source = write_geojson (folder, NONE);
  char *path = g_build_filename (folder, name, NULL);
  GDALDatasetH in = GDALOpenEx (source, GDAL_OF_VECTOR, NULL, NULL, NULL), out;
  GDALVectorTranslateOptions *options
    = GDALVectorTranslateOptionsNew ((char *[]){ "-f", (char *) driver, NULL }, NULL);
  int is_wrong = FALSE;

  g_assert_nonnull (in);
  out = GDALVectorTranslate (path, NULL, 1, &in, options, &is_wrong);
  g_assert_true (out != NULL && !is_wrong);
  GDALClose (out);
  GDALClose (in);
  GDALVectorTranslateOptionsFree (options);
  g_assert_cmpint (g_unlink (source), ==, 0);
  return path;
}

static void
damage_row (const char *path, const char *column, int damaged)
{
  sqlite3 *db;
  g_autofree char *sql = g_strdup_printf ("UPDATE town SET %s = x'0102' WHERE rowid = %d", column, damaged + 1);

  if (damaged == NONE)
    return;
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  /* The triggers of the spatial index want to look at the shape. */
  g_assert_cmpint (sqlite3_exec (db, "DROP TRIGGER IF EXISTS rtree_town_geom_update1;"
                                     "DROP TRIGGER IF EXISTS rtree_town_geom_update2;"
                                     "DROP TRIGGER IF EXISTS rtree_town_geom_update3;"
                                     "DROP TRIGGER IF EXISTS rtree_town_geom_update4;",
                                 NULL, NULL, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_changes (db), ==, 1);
  sqlite3_close (db);
}

static char *
write_gpkg (const char *folder, int damaged)
{
  char *path = convert (folder, "town.gpkg", "GPKG");

  damage_row (path, "geom", damaged);
  return path;
}

static char *
write_sqlite (const char *folder, int damaged)
{
  char *path = convert (folder, "town.sqlite", "SQLite");

  damage_row (path, "GEOMETRY", damaged);
  return path;
}

/* Each record of a house has the same size: 8 bytes of header, then its content, of which the number
 * of parts is at 36. */
static char *
write_shp (const char *folder, int damaged)
{
  enum { FILE_HEADER = 100, RECORD_HEADER = 8, N_PARTS_AT = 36 };
  char *path = convert (folder, "town.shp", "ESRI Shapefile");
  g_autofree char *bytes = NULL;
  gsize n, record;
  g_autoptr(GError) error = NULL;

  if (damaged == NONE)
    return path;
  g_file_get_contents (path, &bytes, &n, &error);
  g_assert_no_error (error);
  record = (n - FILE_HEADER) / N_HOUSES;
  memset (bytes + FILE_HEADER + damaged * record + RECORD_HEADER + N_PARTS_AT, 0x7f, 4);
  g_file_set_contents (path, bytes, (gssize) n, &error);
  g_assert_no_error (error);
  return path;
}

/* -------- The test -------- */

typedef struct
{
  const char *name;
  char *(*write) (const char *folder, int damaged);
} Format;

static double
get_area (UrbMap *map)
{
  return urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING);
}

static UrbMap *
open_spoiled (const Format *format, int damaged)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("urbarium-spoiled-XXXXXX", &error);
  g_autofree char *path = format->write (folder, damaged);
  UrbMap *map = urb_map_open ((const char *const[]){ path, NULL }, NULL, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  flat_folder_remove (g_steal_pointer (&folder));
  return map;
}

/* Damage that GDAL does not tell of looks like an object without a shape, or one of which only the
 * point is left. */
static gboolean
tells_of_one (UrbMap *map)
{
  GPtrArray *layers = urb_map_get_layers (map), *warnings = urb_map_get_warnings (map);
  gint64 n_lost = 0;

  for (guint i = 0; i < layers->len; i++)
    {
      const UrbMapLayer *layer = g_ptr_array_index (layers, i);
      n_lost += layer->n_unreadable + layer->n_dropped + layer->n_points_ignored;
    }
  for (guint i = 0; i < warnings->len; i++)
    {
      const char *text = g_ptr_array_index (warnings, i);
      g_assert_null (strstr (text, "GML_"));
      if (n_lost == 1 && (strstr (text, "left out") != NULL || strstr (text, "dropped") != NULL))
        return TRUE;
    }
  return FALSE;
}

static void
test_format (gconstpointer data)
{
  const Format *format = data;
  g_autoptr(UrbMap) whole = open_spoiled (format, NONE);
  double per_m_of_width = get_area (whole) / (10 * N_HOUSES + N_HOUSES * (N_HOUSES - 1) / 2.0);

  g_assert_cmpint (urb_map_get_n_polygons (whole), ==, N_HOUSES);
  g_assert_false (tells_of_one (whole));
  for (int i = 0; i < N_HOUSES; i++)
    {
      g_autoptr(UrbMap) map = open_spoiled (format, i);

      g_test_message ("house %d: %" G_GINT64_FORMAT " polygons", i, urb_map_get_n_polygons (map));
      g_assert_cmpint (urb_map_get_n_polygons (map), ==, N_HOUSES - 1);
      g_assert_cmpfloat_with_epsilon (get_area (map), get_area (whole) - per_m_of_width * (10 + i), 4);
      g_assert_true (tells_of_one (map));
    }
}

/* Where GDAL was built without the format, the file's first bytes are enough to tell so. */
static void
test_parquet (void)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("urbarium-parquet-XXXXXX", &error), *path = NULL;
  gboolean can_read = GDALGetDriverByName ("Parquet") != NULL;
  g_autoptr(UrbMap) map = NULL;

  g_assert_no_error (error);
  if (can_read)
    path = convert (folder, "town.parquet", "Parquet");
  else
    path = save (folder, "town.parquet", "PAR1\x15\x04PAR1");
  map = urb_map_open ((const char *const[]){ path, NULL }, NULL, NULL, NULL, NULL, &error);
  flat_folder_remove (g_steal_pointer (&folder));
  if (can_read)
    {
      g_assert_no_error (error);
      g_assert_cmpint (urb_map_get_n_polygons (map), ==, N_HOUSES);
      return;
    }
  g_assert_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN);
  g_assert_nonnull (strstr (error->message, "town.parquet"));
  g_assert_nonnull (strstr (error->message, "has the format Parquet, which the GDAL "));
  g_assert_nonnull (strstr (error->message, "libgdal-arrow-parquet"));
}

int
main (int argc, char **argv)
{
  static const Format formats[]
    = { { "city-gml", write_city_gml }, { "city-json", write_city_json },
        { "csv", write_csv }, { "dxf", write_dxf },   { "geojson", write_geojson },
        { "gml", write_gml }, { "gpkg", write_gpkg }, { "kml", write_kml },
        { "mif", write_mif }, { "osm", write_osm },   { "shp", write_shp },
        { "sqlite", write_sqlite } };

  g_test_init (&argc, &argv, NULL);
  GDALAllRegister ();
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *name = g_strconcat ("/map/spoiled/", formats[i].name, NULL);
      g_test_add_data_func (name, &formats[i], test_format);
    }
  g_test_add_func ("/map/parquet", test_parquet);
  return g_test_run ();
}
