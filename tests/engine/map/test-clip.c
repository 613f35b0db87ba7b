/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-clip.c - parts of maps: what is in them, what is left out, and what is refused.
 *
 * A made-up place in several formats, with a grid of houses, a road and a forest that reach far beyond the part; and a real
 * file of OpenStreetMap in URBARIUM_TEST_DATA.
 */
#include <math.h>
#include <string.h>

#include "flat-folder.h"
#include "map/ogr-private.h"

typedef FlatFolderFixture Fixture;

enum { N_ACROSS = 10, N_HOUSES = N_ACROSS * N_ACROSS };

/* The grid, in degrees. */
#define WEST  8.50
#define SOUTH 47.30
#define STEP  0.001
#define HOUSE 0.0004
/* Through the middle of houses: 3 whole ones and 2 halves across, 2 and 2 up. */
#define PART "8.5022,47.3042,8.5062,47.3072"

typedef struct
{
  const char *class_, *tag; /* of the file's own format, and of OpenStreetMap */
  gboolean    is_area;
  int         n;
  double      lon[5], lat[5];
} Object;

static Object
get_object (int i)
{
  double x = WEST + STEP * (i % N_ACROSS), y = SOUTH + STEP * (i / N_ACROSS);

  if (i == N_HOUSES)
    return (Object){ "road", "k=\"highway\" v=\"residential\"", FALSE, 2, { 8.3, 8.7 }, { 47.30575, 47.30575 } };
  if (i == N_HOUSES + 1)
    return (Object){ "other", "k=\"landuse\" v=\"forest\"", TRUE, 5, { 8.4, 8.6, 8.6, 8.4, 8.4 },
                     { 47.2, 47.2, 47.4, 47.4, 47.2 } };
  return (Object){ "building", "k=\"building\" v=\"yes\"", TRUE, 5, { x, x + HOUSE, x + HOUSE, x, x },
                   { y, y, y + HOUSE, y + HOUSE, y } };
}

static char *
write_osm (Fixture *self)
{
  g_autoptr(GString) nodes = g_string_new ("<?xml version=\"1.0\"?>\n<osm version=\"0.6\">\n");
  g_autoptr(GString) ways = g_string_new (NULL);
  char *path = g_build_filename (self->folder, "town.osm", NULL);

  for (int i = 0; i < N_HOUSES + 2; i++)
    {
      Object object = get_object (i);

      g_string_append_printf (ways, "<way id=\"%d\">", i + 1);
      for (int k = 0; k < object.n; k++)
        {
          char lon[G_ASCII_DTOSTR_BUF_SIZE], lat[G_ASCII_DTOSTR_BUF_SIZE];

          g_ascii_formatd (lon, sizeof lon, "%.7f", object.lon[k]);
          g_ascii_formatd (lat, sizeof lat, "%.7f", object.lat[k]);
          g_string_append_printf (nodes, "<node id=\"%d\" lat=\"%s\" lon=\"%s\"/>\n", 5 * i + k + 1, lat, lon);
          g_string_append_printf (ways, "<nd ref=\"%d\"/>", 5 * i + (object.is_area && k == 4 ? 0 : k) + 1);
        }
      g_string_append_printf (ways, "<tag %s/></way>\n", object.tag);
    }
  g_string_append_printf (nodes, "%s</osm>\n", ways->str);
  g_assert_true (g_file_set_contents (path, nodes->str, -1, NULL));
  return path;
}

static OGRGeometryH
make_geometry (const Object *object)
{
  OGRGeometryH line = OGR_G_CreateGeometry (object->is_area ? wkbLinearRing : wkbLineString), area;

  for (int k = 0; k < object->n; k++)
    OGR_G_AddPoint_2D (line, object->lon[k], object->lat[k]);
  if (!object->is_area)
    return line;
  area = OGR_G_CreateGeometry (wkbPolygon);
  OGR_G_AddGeometryDirectly (area, line);
  return area;
}

/* @type: of the objects of the layer, or wkbUnknown for all */
static void
add_layer (GDALDatasetH dataset, const char *name, OGRwkbGeometryType type)
{
  g_auto(UrbOgrSrs) srs = OSRNewSpatialReference (NULL);
  OGRFieldDefnH field = OGR_Fld_Create ("class", OFTString);
  OGRLayerH layer;

  g_assert_cmpint (OSRImportFromEPSG (srs, 4326), ==, OGRERR_NONE);
  OSRSetAxisMappingStrategy (srs, OAMS_TRADITIONAL_GIS_ORDER);
  layer = GDALDatasetCreateLayer (dataset, name, srs, type, NULL);
  g_assert_cmpint (OGR_L_CreateField (layer, field, TRUE), ==, OGRERR_NONE);
  OGR_Fld_Destroy (field);
  for (int i = 0; i < N_HOUSES + 2; i++)
    {
      Object object = get_object (i);
      g_auto(UrbOgrFeature) feature = OGR_F_Create (OGR_L_GetLayerDefn (layer));

      if (type != wkbUnknown && object.is_area != (type == wkbPolygon))
        continue;
      OGR_F_SetGeometryDirectly (feature, make_geometry (&object));
      OGR_F_SetFieldString (feature, 0, object.class_);
      g_assert_cmpint (OGR_L_CreateFeature (layer, feature), ==, OGRERR_NONE);
    }
}

/* Returns: (nullable): %NULL if this GDAL lacks the driver */
static char *
write_with_gdal (Fixture *self, const char *driver, const char *name)
{
  GDALDriverH found = GDALGetDriverByName (driver);
  char *path = g_build_filename (self->folder, name, NULL);
  GDALDatasetH dataset;

  if (found == NULL)
    {
      g_free (path);
      return NULL;
    }
  dataset = GDALCreate (found, path, 0, 0, 0, GDT_Unknown, NULL);
  if (g_str_equal (driver, "ESRI Shapefile"))
    {
      add_layer (dataset, "areas", wkbPolygon);
      add_layer (dataset, "lines", wkbLineString);
    }
  else
    add_layer (dataset, "town", wkbUnknown);
  GDALClose (dataset);
  return path;
}

static UrbMap *
open_map (const char *path, const char *clip)
{
  const UrbMapOptions options = { .clip = clip, .road_width_m = 6 };
  g_autoptr(GError) error = NULL;
  UrbMap *map = urb_map_open ((const char *const[]){ path, NULL }, &options, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (urb_map_get_choices (map)->clip, ==, clip);
  return map;
}

static gboolean
has_note (UrbMap *map, const char *note)
{
  return g_ptr_array_find_with_equal_func (urb_map_get_warnings (map), note, g_str_equal, NULL);
}

static UrbClass
get_class_at (UrbMap *map, double x, double y)
{
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));
  UrbClass class_ = URB_CLASS_IGNORE;

  urb_map_query (map, (UrbBox){ x, y, x, y }, found);
  for (guint i = 0; i < found->len; i++)
    if (urb_map_polygon_contains (map, g_array_index (found, gint64, i), x, y))
      class_ = urb_map_get_polygon (map, g_array_index (found, gint64, i))->class_;
  return class_;
}

/* Within a part, the map is the same as if all of it was read. */
static void
check_same_inside (UrbMap *part, UrbMap *whole)
{
  UrbBox box = urb_map_get_extent (part);
  g_autoptr(GRand) random = g_rand_new_with_seed (1);

  g_assert_cmpstr (urb_map_get_crs_wkt (part), ==, urb_map_get_crs_wkt (whole));
  for (int i = 0; i < 5000; i++)
    {
      double x = g_rand_double_range (random, box.min_x, box.max_x), y = g_rand_double_range (random, box.min_y, box.max_y);

      if (get_class_at (part, x, y) != get_class_at (whole, x, y))
        g_error ("another class at %.3f %.3f", x, y);
    }
}

static gint64
count_objects (UrbMap *map)
{
  gint64 n = 0;

  for (guint i = 0; i < urb_map_get_layers (map)->len; i++)
    n += ((UrbMapLayer *) g_ptr_array_index (urb_map_get_layers (map), i))->n_features;
  return n;
}

/* Where GDAL leaves out objects by itself, and where it cannot, the same is left. */
static void
test_formats (Fixture *self, gconstpointer data)
{
  static const struct { const char *driver, *name; } formats[]
    = { { "GPKG", "town.gpkg" }, { "FlatGeobuf", "town.fgb" }, { "GeoJSON", "town.geojson" }, { "ESRI Shapefile", "shapes" },
        { "SQLite", "town.sqlite" }, { "Parquet", "town.parquet" } };
  g_autofree char *osm = write_osm (self);
  g_autoptr(UrbMap) part = open_map (osm, PART);
  g_autoptr(UrbMap) whole = open_map (osm, NULL);
  UrbBox box = urb_map_get_extent (part);
  double width = box.max_x - box.min_x, height = box.max_y - box.min_y;

  g_assert_cmpint (urb_map_get_epsg (part), ==, 2056);
  /* 5 x 4 houses, the road, and the forest; 80 houses lie elsewhere. */
  g_assert_cmpint (urb_map_get_n_polygons (part), ==, 22);
  g_assert_cmpint (count_objects (part), ==, 22);
  g_assert_true (has_note (part, "80 objects outside of the chosen part were left out."));
  /* The forest is as large as the part, which has 302 x 334 m and is turned by 0.78 degrees: (8.5 - 7.44) sin 47.3. */
  g_assert_cmpfloat_with_epsilon (width, 302 + 0.0136 * 334, 1);
  g_assert_cmpfloat_with_epsilon (height, 334 + 0.0136 * 302, 1);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (part, URB_CLASS_OTHER), width * height, 1e-3);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (part, URB_CLASS_ROAD), 6 * width, 1);
  check_same_inside (part, whole);
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *path = write_with_gdal (self, formats[i].driver, formats[i].name);
      g_autoptr(UrbMap) other = path != NULL ? open_map (path, PART) : NULL;

      if (other == NULL)
        {
          g_test_message ("this GDAL has no driver %s", formats[i].driver);
          continue;
        }
      g_assert_cmpint (urb_map_get_n_polygons (other), ==, 22);
      g_assert_cmpint (count_objects (other), ==, 22);
      g_assert_true (has_note (other, "80 objects outside of the chosen part were left out."));
      for (int class_ = 0; class_ < URB_N_CLASSES; class_++)
        g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (other, class_),
                                        urb_map_get_class_area_m2 (part, class_), 1e-2);
      g_assert_cmpint (GDALDeleteDataset (GDALGetDriverByName (formats[i].driver), path), ==, CE_None); /* some are folders */
    }
}

/* INTERLIS 1, where the outlines are in another table: a forest, a road through it along whose middle the part ends, and a
 * house elsewhere. */
static void
test_transfer (Fixture *self, gconstpointer data)
{
  static const char text[]
    = "SCNT\n\ttest\n////\nMTID INTERLIS1\nMODL DM01AVSO24\nTOPI Bodenbedeckung\nTABL BoFlaeche_Geometrie\n"
      "OBJE 1\nSTPT 611000.000 232000.000\nLIPT 611100.000 232000.000\nLIPT 611100.000 232100.000\n"
      "LIPT 611000.000 232100.000\nLIPT 611000.000 232000.000\nELIN\n"
      "OBJE 2\nSTPT 611040.000 232000.000\nLIPT 611040.000 232100.000\nELIN\n"
      "OBJE 3\nSTPT 611046.000 232000.000\nLIPT 611046.000 232100.000\nELIN\n"
      "OBJE 4\nSTPT 611900.000 232000.000\nLIPT 611910.000 232000.000\nLIPT 611910.000 232010.000\nLIPT 611900.000 232000.000\n"
      "ELIN\n"
      "ETAB\nTABL BoFlaeche\nOBJE 1 1 611020.000 232050.000 0 23\nOBJE 2 1 611043.000 232050.000 0 1\n"
      "OBJE 3 1 611070.000 232050.000 0 23\nOBJE 4 1 611908.000 232002.000 0 0\nETAB\nETOP\nEMOD\nENDE\n";
  g_autofree char *path = g_build_filename (self->folder, "town.itf", NULL), *clip = NULL;
  g_autoptr(UrbMap) whole = NULL, part = NULL;

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  whole = open_map (path, NULL);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (whole, URB_CLASS_BUILDING), 50, 1e-6);
  clip = urb_map_dup_clip (whole, (UrbBox){ 611010, 232010, 611043, 232090 });
  part = open_map (path, clip);
  check_same_inside (part, whole);
  g_assert_cmpint (urb_map_get_n_polygons (part), ==, 2);
  g_assert_true (has_note (part, "2 objects outside of the chosen part were left out."));
  /* The part is turned a little, and its sides are rounded outward: at most by 0.5 m. */
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (part, URB_CLASS_ROAD), 3 * 80, 60);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (part, URB_CLASS_OTHER), 30 * 80, 120);
  g_assert_cmpfloat (urb_map_get_class_area_m2 (part, URB_CLASS_BUILDING), ==, 0);
}

static void
check_refused (const char *path, const char *clip, UrbMapError code, const char *text)
{
  const UrbMapOptions options = { .clip = clip };
  g_autoptr(GError) error = NULL;
  UrbMap *map = urb_map_open ((const char *const[]){ path, NULL }, &options, NULL, NULL, NULL, &error);

  g_assert_null (map);
  g_assert_error (error, URB_MAP_ERROR, (int) code);
  if (strstr (error->message, text) == NULL)
    g_error ("'%s' is not in: %s", text, error->message);
}

static void
test_refused (Fixture *self, gconstpointer data)
{
  static const char *const bad[] = { "", "1,2,3", "1,2,3,4,5", "1,2,3,x", "1,2,nan,4", "3,2,1,4", "1,4,3,2", "1,2,1,4", "1,2,,4" };
  g_autofree char *osm = write_osm (self);
  g_autofree char *gpkg = write_with_gdal (self, "GPKG", "town.gpkg");
  UrbBox box;

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_assert_false (urb_map_clip_parse (bad[i], &box));
      check_refused (osm, bad[i], URB_MAP_ERROR_CRS, "is not a part of a map");
    }
  g_assert_true (urb_map_clip_parse (" -1.5, 2,3e0 ,4", &box));
  g_assert_cmpfloat (box.min_x, ==, -1.5);
  g_assert_cmpfloat (box.max_y, ==, 4);
  check_refused (osm, "2600000,1200000,2601000,1201000", URB_MAP_ERROR_CRS, "must be degrees");
  check_refused (osm, "9.1,47.1,9.2,47.2", URB_MAP_ERROR_EMPTY, "has no object in the part 9.1,47.1,9.2,47.2. Its objects lie within 8.");
  check_refused (gpkg, "9.1,47.1,9.2,47.2", URB_MAP_ERROR_EMPTY, "within 8.2");
  check_refused (gpkg, "9.1,47.1,9.2,47.2", URB_MAP_ERROR_EMPTY, "Choose another part with --clip.");
}

/* A map without coordinate system has its own units: a bow tie, a hole across the edge, and a part that only a box touches. */
static void
test_local (Fixture *self, gconstpointer data)
{
  static const char text[] =
    "WKT,class\n"
    "\"POLYGON ((0 0,20 20,20 0,0 20,0 0))\",road\n"                                   /* cut to its left half: 100 */
    "\"POLYGON ((0 30,30 30,30 60,0 60,0 30),(5 40,20 40,20 50,5 50,5 40))\",other\n"  /* 10 x 30 less 5 x 10 */
    "\"MULTIPOLYGON (((2 80,4 80,4 82,2 82,2 80)),((500 80,504 80,504 82,500 80)))\",building\n" /* 4 */
    "\"POLYGON ((200 -200,200 90,199 90,199 -199,-50 -199,-50 -200,200 -200))\",building\n"
    "\"POLYGON ((300 300,310 300,310 310,300 300))\",building\n";
  g_autofree char *path = g_build_filename (self->folder, "plan.csv", NULL);
  g_autoptr(UrbMap) map = NULL;

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  map = open_map (path, "-10,-10,10,90");
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_ROAD), 100, 1e-6);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_OTHER), 250, 1e-6);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING), 4, 1e-6);
  g_assert_cmpint (count_objects (map), ==, 3);
  g_assert_true (has_note (map, "2 objects outside of the chosen part were left out."));
}

/* Closed lines of a drawing: a courtyard that the edge cuts, and one house elsewhere. */
static void
test_drawing (Fixture *self, gconstpointer data)
{
  static const double squares[][3] = { { 0, 0, 40 }, { 10, 10, 20 }, { 900, 900, 10 } }; /* x, y, size */
  g_autoptr(GString) text = g_string_new ("0\nSECTION\n2\nENTITIES\n");
  g_autofree char *path = g_build_filename (self->folder, "plan.dxf", NULL);
  const UrbMapOverride override = { "entities", "", URB_CLASS_BUILDING };
  const UrbMapOptions options = { .clip = "-5,-5,20,100", .profile = "generic", .overrides = &override, .n_overrides = 1 };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbMap) map = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (squares); i++)
    {
      int x = (int) squares[i][0], y = (int) squares[i][1], size = (int) squares[i][2];

      g_string_append_printf (text, "0\nLWPOLYLINE\n8\nhouses\n90\n4\n70\n1\n10\n%d\n20\n%d\n10\n%d\n20\n%d\n10\n%d\n20\n%d\n10\n%d\n20\n%d\n",
                              x, y, x + size, y, x + size, y + size, x, y + size);
    }
  g_string_append (text, "0\nENDSEC\n0\nEOF\n");
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  map = urb_map_open ((const char *const[]){ path, NULL }, &options, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  /* 20 x 40 less 10 x 20, and the courtyard again, as an area of its own. */
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING), 800, 1e-6);
  g_assert_cmpfloat_with_epsilon (urb_map_get_extent (map).max_x, 20, 1e-9);
}

static void
test_real (Fixture *self, gconstpointer data)
{
  const char *folder = g_getenv ("URBARIUM_TEST_DATA");
  g_autofree char *path = g_build_filename (folder != NULL ? folder : "/", "osm-monaco/monaco-latest.osm.pbf", NULL);
  g_autoptr(UrbMap) part = NULL;
  g_autoptr(UrbMap) whole = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("the real maps are missing");
      return;
    }
  part = open_map (path, "7.418,43.73,7.423,43.735");
  whole = open_map (path, NULL);
  check_same_inside (part, whole);
  g_assert_cmpint (count_objects (part), <, count_objects (whole) / 3);
  g_assert_cmpuint (urb_map_get_n_bytes (part), <, urb_map_get_n_bytes (whole) / 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  GDALAllRegister ();
  g_test_add ("/map/clip/formats", Fixture, NULL, flat_folder_set_up, test_formats, flat_folder_tear_down);
  g_test_add ("/map/clip/transfer", Fixture, NULL, flat_folder_set_up, test_transfer, flat_folder_tear_down);
  g_test_add ("/map/clip/refused", Fixture, NULL, flat_folder_set_up, test_refused, flat_folder_tear_down);
  g_test_add ("/map/clip/local", Fixture, NULL, flat_folder_set_up, test_local, flat_folder_tear_down);
  g_test_add ("/map/clip/drawing", Fixture, NULL, flat_folder_set_up, test_drawing, flat_folder_tear_down);
  g_test_add ("/map/clip/real", Fixture, NULL, flat_folder_set_up, test_real, flat_folder_tear_down);
  return g_test_run ();
}
