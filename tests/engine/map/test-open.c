/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-open.c - small maps written here, compared with hand calculations.
 */
#include <string.h>

#include "flat-folder.h"
#include "map/map.h"

typedef FlatFolderFixture Fixture;

static char *
write_file (Fixture *self, const char *name, const char *text)
{
  char *path = g_build_filename (self->folder, name, NULL);
  g_autoptr(GError) error = NULL;

  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
  return path;
}

/* @features: "properties|type|coordinates" each */
static char *
write_geojson (Fixture *self, const char *name, const char *crs, const char *const *features)
{
  g_autoptr(GString) text = g_string_new ("{\"type\":\"FeatureCollection\",");

  if (crs != NULL)
    g_string_append_printf (text, "\"crs\":{\"type\":\"name\",\"properties\":{\"name\":"
                                  "\"urn:ogc:def:crs:EPSG::%s\"}},", crs);
  g_string_append (text, "\"features\":[");
  for (; *features != NULL; features++)
    {
      g_auto(GStrv) parts = g_strsplit (*features, "|", 3);
      g_string_append_printf (text, "{\"type\":\"Feature\",\"properties\":{%s},\"geometry\":{\"type\":"
                                    "\"%s\",\"coordinates\":%s}}%s",
                              parts[0], parts[1], parts[2], features[1] != NULL ? "," : "");
    }
  g_string_append (text, "]}");
  return write_file (self, name, text->str);
}

static UrbMap *
open_map (const char *path, const UrbMapOptions *options)
{
  g_autoptr(GError) error = NULL;
  UrbMap *map = urb_map_open ((const char *const[]){ path, NULL }, options, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  return map;
}

static UrbMapLayer *
layer (UrbMap *map, guint index)
{
  g_assert_cmpint (index, <, urb_map_get_layers (map)->len);
  return g_ptr_array_index (urb_map_get_layers (map), index);
}

#define BUILDING "\"class\":\"building\""
#define ROAD "\"class\":\"road\""
#define OTHER "\"class\":\"other\""

/* Holes, several parts, heights, a bow tie, and objects without an area. */
static void
test_shapes (Fixture *self, gconstpointer data)
{
  static const char *const features[] = {
    OTHER "|Polygon|[[[0,0],[100,0],[100,100],[0,100],[0,0]],[[10,10],[20,10],[20,20],[10,20],[10,10]]]",
    BUILDING "|MultiPolygon|[[[[10,10,5],[20,10,5],[20,20,5],[10,20,5],[10,10,5]]],"
             "[[[30,30,1],[40,30,1],[40,40,1],[30,30,1]]]]",
    ROAD "|Polygon|[[[50,50],[60,60],[60,50],[50,60],[50,50]]]",          /* a bow tie: 2 x 25 */
    BUILDING "|Polygon|[[[70,70],[71,70],[72,70],[70,70]]]",              /* flat */
    BUILDING "|Polygon|[[[70,70],[70,70],[70,70],[70,70]]]",              /* a point */
    BUILDING "|Point|[5,5]",
    BUILDING "|LineString|[[0,0],[5,5]]",
    BUILDING "|Polygon|[[[1e300,0],[1e300,1],[0,1],[1e300,0]]]",
    BUILDING "|Polygon|[]",
    NULL
  };
  g_autofree char *path = write_geojson (self, "shapes.geojson", "2056", features);
  g_autoptr(UrbMap) map = open_map (path, NULL);
  UrbMapLayer *one = layer (map, 0);

  g_assert_cmpstr (urb_map_get_profile (map), ==, "urbarium");
  g_assert_cmpint (urb_map_get_epsg (map), ==, 2056);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_OTHER), 9900, 1e-6);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING), 150, 1e-6);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_ROAD), 50, 1e-6);
  g_assert_cmpint (one->n_features, ==, 9);
  g_assert_cmpint (one->n_points_ignored, ==, 1);
  g_assert_cmpint (one->n_lines, ==, 1);
  g_assert_cmpint (one->n_repaired, ==, 1);
  g_assert_cmpint (one->n_dropped, ==, 4);
}

/* A street of 100 m, 8 m wide, with round ends, by attribute and by option. */
static void
test_lines (Fixture *self, gconstpointer data)
{
  static const char *const features[] = { ROAD ",\"width\":8|LineString|[[0,0],[100,0]]",
                                          ROAD "|LineString|[[0,500],[100,500]]", NULL };
  g_autofree char *path = write_geojson (self, "lines.geojson", "2056", features);
  UrbMapOptions options = { .road_width_m = 10 };
  g_autoptr(UrbMap) map = open_map (path, NULL);
  g_autoptr(UrbMap) wide = open_map (path, &options);

  g_assert_cmpint (urb_map_get_n_polygons (map), ==, 2);
  /* A polygon of 16 corners has 0.974 of the circle's area. */
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_ROAD),
                                  100 * 8 + 0.974 * 3.14159 * 16 + 100 * 6 + 0.974 * 3.14159 * 9, 1);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (wide, URB_CLASS_ROAD),
                                  2 * (100 * 10 + 0.974 * 3.14159 * 25), 1);
}

/* 0.001 degrees at the equator in its UTM zone, and near Bern. */
static void
test_degrees (Fixture *self, gconstpointer data)
{
  static const char *const equator[]
    = { BUILDING "|Polygon|[[[3,0],[3.001,0],[3.001,0.001],[3,0.001],[3,0]]]", NULL };
  static const char *const bern[]
    = { BUILDING "|Polygon|[[[7.4386,46.951],[7.4396,46.951],[7.4396,46.952],[7.4386,46.952],[7.4386,46.951]]]",
        NULL };
  g_autofree char *a = write_geojson (self, "equator.geojson", NULL, equator);
  g_autofree char *b = write_geojson (self, "bern.geojson", NULL, bern);
  g_autoptr(UrbMap) map_a = open_map (a, NULL);
  g_autoptr(UrbMap) map_b = open_map (b, NULL);

  g_assert_cmpint (urb_map_get_epsg (map_a), ==, 32631);
  g_assert_cmpfloat_with_epsilon (urb_map_get_extent (map_a).min_x, 500000, 1);
  /* 111.32 m x 110.57 m, times 0.9996 twice. */
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map_a, URB_CLASS_BUILDING), 12299, 15);
  g_assert_cmpint (urb_map_get_epsg (map_b), ==, 2056);
  g_assert_cmpfloat_with_epsilon (urb_map_get_extent (map_b).min_x, 2600000, 100);
  g_assert_cmpfloat_with_epsilon (urb_map_get_extent (map_b).min_y, 1200000, 100);
}

/* Neither Web Mercator's units nor feet are meters. */
static void
test_other_units (Fixture *self, gconstpointer data)
{
  static const char *const mercator[]
    = { BUILDING "|Polygon|[[[828000,5933000],[828100,5933000],[828100,5933100],[828000,5933100],[828000,5933000]]]",
        NULL };
  static const char *const feet[]
    = { BUILDING "|Polygon|[[[980000,200000],[980100,200000],[980100,200100],[980000,200100],[980000,200000]]]",
        NULL };
  g_autofree char *a = write_geojson (self, "mercator.geojson", "3857", mercator);
  g_autofree char *b = write_geojson (self, "feet.geojson", "2263", feet); /* New York, US feet */
  g_autoptr(UrbMap) map_a = open_map (a, NULL);
  g_autoptr(UrbMap) map_b = open_map (b, NULL);

  g_assert_cmpint (urb_map_get_epsg (map_a), ==, 2056);
  /* (100 m x cos 46.9)^2 */
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map_a, URB_CLASS_BUILDING), 4675, 40);
  g_assert_cmpint (urb_map_get_epsg (map_b), ==, 32618);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map_b, URB_CLASS_BUILDING), 929, 2);
}

static const char csv[] = "WKT,class\n"
                          "\"POLYGON((5 5,25 5,25 25,5 25,5 5))\",building\n"
                          "\"POLYGON((105 5,125 5,125 25,105 25,105 5))\",road\n"
                          "\"POLYGON((205 105,225 105,225 125,205 125,205 105))\",other\n";

static void
test_no_crs (Fixture *self, gconstpointer data)
{
  g_autofree char *path = write_file (self, "plan.csv", csv);
  UrbMapOptions options = { .crs = "EPSG:25832" };
  g_autoptr(UrbMap) map = open_map (path, NULL);
  g_autoptr(UrbMap) stated = open_map (path, &options);

  /* Meters at an unknown place: usable, with a warning. */
  g_assert_cmpint (urb_map_get_epsg (map), ==, 0);
  g_assert_cmpint (urb_map_get_warnings (map)->len, ==, 1);
  g_assert_cmpfloat (urb_map_get_class_area_m2 (map, URB_CLASS_ROAD), ==, 400);
  g_assert_cmpint (urb_map_get_epsg (stated), ==, 25832);
  g_assert_cmpint (urb_map_get_warnings (stated)->len, ==, 0);
}

/* GeoJSON without a CRS implies degrees; these coordinates are not degrees. */
static void
test_wrong_crs (Fixture *self, gconstpointer data)
{
  static const char *const features[]
    = { "\"art\":\"Gebaeude\"|Polygon|[[[2600000,1200000],[2600010,1200000],[2600010,1200010],[2600000,1200000]]]",
        NULL };
  g_autofree char *path = write_geojson (self, "bodenbedeckung.geojson", NULL, features);
  g_autoptr(UrbMap) map = open_map (path, NULL);

  g_assert_cmpint (urb_map_get_epsg (map), ==, 2056);
  g_assert_cmpfloat (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING), ==, 50);
  g_assert_nonnull (strstr (g_ptr_array_index (urb_map_get_warnings (map), 0), "does not fit"));
}

static void
check_refused (const char *path, UrbMapOptions options, int code, const char *text)
{
  g_autoptr(GError) error = NULL;

  g_assert_null (urb_map_open ((const char *const[]){ path, NULL }, &options, NULL, NULL, NULL, &error));
  g_assert_error (error, URB_MAP_ERROR, code);
  g_assert_nonnull (strstr (error->message, text));
}

static void
test_refused (Fixture *self, gconstpointer data)
{
  g_autofree char *path = write_file (self, "plan.csv", csv);

  check_refused (path, (UrbMapOptions){ .crs = "EPSG:banana" }, URB_MAP_ERROR_CRS, "banana");
  check_refused (path, (UrbMapOptions){ .profile = "banana" }, URB_MAP_ERROR_PROFILE, "banana");
  check_refused ("no-such-file.gpkg", (UrbMapOptions){ 0 }, URB_MAP_ERROR_OPEN, "no-such-file.gpkg");
  check_refused (self->folder, (UrbMapOptions){ .profile = "nl-bgt" }, URB_MAP_ERROR_EMPTY, "nl-bgt");
}

/* A drawing: a street around a block is a ring road, not a filled square. */
static void
test_drawing (Fixture *self, gconstpointer data)
{
  static const struct { const char *layer; double low, high; } squares[]
    = { { "strasse", 0, 100 }, { "uebrige", 10, 90 }, { "gebaeude", 20, 40 }, { "gebaeude", 20, 40 } };
  g_autoptr(GString) text = g_string_new ("0\nSECTION\n2\nENTITIES\n");
  g_autofree char *path = NULL;
  g_autoptr(UrbMap) map = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (squares); i++)
    {
      double a = 600000 + squares[i].low, b = 600000 + squares[i].high;
      double c = 200000 + squares[i].low, d = 200000 + squares[i].high;
      g_string_append_printf (text, "0\nLWPOLYLINE\n8\n%s\n90\n4\n70\n1\n10\n%.1f\n20\n%.1f\n10\n%.1f\n"
                                    "20\n%.1f\n10\n%.1f\n20\n%.1f\n10\n%.1f\n20\n%.1f\n",
                              squares[i].layer, a, c, b, c, b, d, a, d);
    }
  g_string_append (text, "0\nENDSEC\n0\nEOF\n");
  path = write_file (self, "plan.dxf", text->str);
  map = open_map (path, NULL);
  g_assert_cmpfloat (urb_map_get_class_area_m2 (map, URB_CLASS_ROAD), ==, 10000 - 6400);
  g_assert_cmpfloat (urb_map_get_class_area_m2 (map, URB_CLASS_OTHER), ==, 6400 - 400);
  g_assert_cmpfloat (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING), ==, 400);
  g_assert_cmpint (layer (map, 0)->n_superseded, ==, 1);
}

/* Expired and underground objects of the Dutch map are left out. */
static void
test_superseded (Fixture *self, gconstpointer data)
{
#define SQUARE(x) "|Polygon|[[[" x ",450000],[" x ".9,450000],[" x ".9,450010],[" x ",450010],[" x ",450000]]]"
  static const char *const features[] = {
    "\"eindRegistratie\":null,\"relatieveHoogteligging\":0" SQUARE ("85000"),
    "\"eindRegistratie\":\"\",\"relatieveHoogteligging\":1" SQUARE ("85010"),
    "\"eindRegistratie\":\"2020-01-01\",\"relatieveHoogteligging\":0" SQUARE ("85020"),
    "\"eindRegistratie\":null,\"relatieveHoogteligging\":-1" SQUARE ("85030"), NULL
  };
  g_autofree char *path = write_geojson (self, "bgt_pand.geojson", "28992", features);
  g_autoptr(UrbMap) map = open_map (path, NULL);

  g_assert_cmpstr (urb_map_get_profile (map), ==, "nl-bgt");
  g_assert_cmpint (urb_map_get_n_polygons (map), ==, 2);
  g_assert_cmpint (layer (map, 0)->n_superseded, ==, 2);
}

/* The files of a folder form one map, each layer with its own CRS. */
static void
test_folder (Fixture *self, gconstpointer data)
{
  static const char *const lv95[]
    = { "\"a\":1|Polygon|[[[2600000,1200000],[2600010,1200000],[2600010,1200010],[2600000,1200000]]]", NULL };
  static const char *const lv03[]
    = { "\"a\":1|Polygon|[[[600020,200000],[600030,200000],[600030,200010],[600020,200000]]]", NULL };
  g_autofree char *a = write_geojson (self, "building.geojson", "2056", lv95);
  g_autofree char *b = write_geojson (self, "road.geojson", "21781", lv03);
  g_autofree char *c = write_file (self, "notes.txt", "not a map");
  g_autofree char *d = write_file (self, "broken.gpkg", "not a map either");
  g_autoptr(UrbMap) map = open_map (self->folder, NULL);
  UrbBox extent = urb_map_get_extent (map);

  g_assert_cmpstr (urb_map_get_profile (map), ==, "urbarium");
  g_assert_cmpint (urb_map_get_epsg (map), ==, 2056);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING), 50, 0.01);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_ROAD), 50, 0.01);
  g_assert_cmpfloat_with_epsilon (extent.max_x, 2600030, 2);
  g_assert_cmpint (urb_map_get_warnings (map)->len, ==, 1);
  g_assert_nonnull (strstr (g_ptr_array_index (urb_map_get_warnings (map), 0), "broken.gpkg"));
}

static const UrbMapValue *
find_value (UrbMap *map, guint index, const char *text)
{
  GPtrArray *values = layer (map, index)->values;

  for (guint i = 0; i < values->len; i++)
    {
      const UrbMapValue *value = g_ptr_array_index (values, i);
      if (g_str_equal (value->value, text))
        return value;
    }
  g_assert_not_reached ();
}

/* Roads as OpenStreetMap has them beside a survey of houses; both files state the neighboring zone. */
static void
test_layer_options (Fixture *self, gconstpointer data)
{
  static const char *const houses[]
    = { "\"art\":\"Gebaeude\"|Polygon|[[[400000,5200000],[400010,5200000],[400010,5200010],[400000,5200010],[400000,5200000]]]", NULL };
  static const char *const roads[]
    = { "\"highway\":\"steps\"|LineString|[[400000,5200020],[400100,5200020]]",
        "\"highway\":\"service\"|LineString|[[400000,5200030],[400100,5200030]]", NULL };
  g_autofree char *a = write_geojson (self, "bodenbedeckung.geojson", "25833", houses);
  g_autofree char *b = write_geojson (self, "lines.geojson", "25833", roads);
  UrbMapLayerOptions layers[] = { { "lines", "osm", "EPSG:25832" }, { "bodenbedeckung", "", "EPSG:25832" } };
  UrbMapOptions options = { .profile = "swiss-dm01", .layers = layers, .n_layers = 2 };
  g_autoptr(UrbMap) map = open_map (self->folder, &options);
  g_autoptr(UrbMap) plain = open_map (self->folder, &(UrbMapOptions){ .profile = "swiss-dm01" });
  g_autofree char *own = NULL;
  g_autoptr(UrbMap) of_file = NULL;

  g_assert_cmpint (urb_map_get_epsg (plain), ==, 25833);
  g_assert_cmpint (urb_map_get_epsg (map), ==, 25832);
  g_assert_cmpint (urb_map_get_n_polygons (plain), ==, 1);
  g_assert_cmpint (urb_map_get_n_polygons (map), ==, 2);
  g_assert_cmpstr (urb_map_get_profile (map), ==, "swiss-dm01");
  g_assert_cmpint (find_value (map, 0, "Gebaeude")->class_, ==, URB_CLASS_BUILDING);
  g_assert_cmpint (find_value (map, 1, "service")->class_, ==, URB_CLASS_ROAD);
  g_assert_cmpint (find_value (map, 1, "steps")->class_, ==, URB_CLASS_IGNORE);
  own = write_file (self, "steps.profile", "[profile]\nname=steps\n[rule all]\nlayers=*\nclass=road\nwidth=3\n");
  layers[0].profile = own;
  of_file = open_map (self->folder, &options);
  g_assert_cmpint (urb_map_get_n_polygons (of_file), ==, 3);
  g_assert_cmpint (find_value (of_file, 0, "Gebaeude")->class_, ==, URB_CLASS_BUILDING);
  layers[0].profile = "no-such-profile";
  check_refused (self->folder, options, URB_MAP_ERROR_PROFILE, "no-such-profile");
  layers[0].profile = "osm";
  layers[1].crs = "EPSG:banana";
  check_refused (self->folder, options, URB_MAP_ERROR_CRS, "banana");
}

/* The published names of each country, in a file with one object. */
typedef struct
{
  const char *file, *properties;
  gboolean    is_line;
  const char *profile;
  UrbClass    class_;
} Published;

/* A point in the country of a profile, and the coordinate system that its maps get. */
static const struct
{
  const char *profile;
  double lon, lat;
  int epsg;
} countries[] = {
  { "swiss-dm01", 7.5, 47.2, 2056 },   { "fr-cadastre", 5, 46, 32631 }, { "de-alkis", 11, 49, 32632 },
  { "nl-bgt", 4.4, 52, 32631 },        { "osm", 11, 49, 32632 },        { "urbarium", 11, 49, 32632 },
  { "generic", 11, 49, 32632 },
};

static void
test_published_names (Fixture *self, gconstpointer data)
{
  static const Published cases[] = {
    { "LCSF", "\"Art\":\"Strasse_Weg\"", FALSE, "swiss-dm01", URB_CLASS_ROAD },
    { "lcsf", "\"art\":\"Acker_Wiese_Weide\"", FALSE, "swiss-dm01", URB_CLASS_OTHER },
    { "bodenbedeckung", "\"art_code\":0", FALSE, "swiss-dm01", URB_CLASS_BUILDING },
    { "cadastre-01004-batiments", "\"type\":\"01\"", FALSE, "fr-cadastre", URB_CLASS_BUILDING },
    { "cadastre-01004-parcelles", "\"numero\":\"12\"", FALSE, "fr-cadastre", URB_CLASS_OTHER },
    { "TRONCON_DE_ROUTE", "\"LARGEUR\":5.5", TRUE, "fr-cadastre", URB_CLASS_ROAD },
    { "AX_Gebaeude", "\"gml_id\":\"DE1\"", FALSE, "de-alkis", URB_CLASS_BUILDING },
    { "AX_Strassenverkehr", "\"gml_id\":\"DE1\"", FALSE, "de-alkis", URB_CLASS_ROAD },
    { "gebaeudeBauwerk", "\"gfkzshh\":\"31001_1000\"", FALSE, "de-alkis", URB_CLASS_BUILDING },
    { "nutzung", "\"nutzart\":\"Straßenverkehr\"", FALSE, "de-alkis", URB_CLASS_ROAD },
    { "nutzung", "\"nutzart\":\"Wald\"", FALSE, "de-alkis", URB_CLASS_OTHER },
    { "gis_osm_roads_free_1", "\"fclass\":\"residential\"", TRUE, "osm", URB_CLASS_ROAD },
    { "gis_osm_buildings_a_free_1", "\"fclass\":\"building\"", FALSE, "osm", URB_CLASS_BUILDING },
    { "bgt_wegdeel", "\"bgt_functie\":\"rijbaan\"", FALSE, "nl-bgt", URB_CLASS_ROAD },
    { "plan", "\"class\":\"road\"", FALSE, "urbarium", URB_CLASS_ROAD },
    { "city_buildings_2020", "\"id\":1", FALSE, "generic", URB_CLASS_BUILDING },
    { "streets", "\"name\":\"High Street\"", TRUE, "generic", URB_CLASS_ROAD },
    { "map", "\"kind\":\"residential house\"", FALSE, "generic", URB_CLASS_BUILDING },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const Published *one = &cases[i];
      gsize c = 0;
      while (!g_str_equal (countries[c].profile, one->profile))
        c++;
      double x = countries[c].lon, y = countries[c].lat;
      g_autofree char *name = g_strconcat (one->file, ".geojson", NULL);
      g_autofree char *line = g_strdup_printf ("LineString|[[%g,%g],[%g,%g]]", x, y, x + 0.001, y);
      g_autofree char *area = g_strdup_printf ("Polygon|[[[%g,%g],[%g,%g],[%g,%g],[%g,%g]]]", x, y, x + 0.001,
                                               y, x + 0.001, y + 0.001, x, y);
      g_autofree char *feature = g_strconcat (one->properties, "|", one->is_line ? line : area, NULL);
      g_autofree char *path = write_geojson (self, name, NULL, (const char *const[]){ feature, NULL });
      g_autoptr(UrbMap) map = NULL;

      g_test_message ("%s %s", one->file, one->properties);
      map = open_map (path, NULL);
      g_assert_cmpstr (urb_map_get_profile (map), ==, one->profile);
      g_assert_cmpint (urb_map_get_polygon (map, 0)->class_, ==, one->class_);
      g_assert_cmpint (urb_map_get_epsg (map), ==, countries[c].epsg);
    }
}

static void
assert_value (UrbMap *map, guint index, const char *text, UrbClass class_, UrbClass of_profile,
              gboolean by_hand)
{
  const UrbMapValue *value = find_value (map, index, text);

  g_assert_cmpint (value->class_, ==, class_);
  g_assert_cmpint (value->profile_class, ==, of_profile);
  g_assert_cmpint (value->by_hand, ==, by_hand);
}

static void
assert_areas (UrbMap *map, double building, double road, double other)
{
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING), building,
                                  0.01);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_ROAD), road, 0.01);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_OTHER), other, 0.01);
}

/* Strips of 1, 2, 3 and 4 m2: all four classes by value, one unknown, one without value. */
static char *
write_values (Fixture *self)
{
#define CORNER(x, s) "|Polygon|[[[" #x ",0],[" #x "." #s ",0],[" #x "." #s ",10],[" #x ",10],[" #x ",0]]]"
  static const char *const features[] = {
    BUILDING CORNER (10, 1), ROAD CORNER (20, 2), "\"class\":\"jungle\"" CORNER (30, 3),
    "\"class\":null" CORNER (40, 4), NULL
  };

  return write_geojson (self, "plan.geojson", "2056", features);
}

static void
test_overrides (Fixture *self, gconstpointer data)
{
  static const UrbMapOverride overrides[] = {
    { "plan", "building", URB_CLASS_ROAD }, /* the last one wins */
    { "plan", "building", URB_CLASS_IGNORE }, { "plan", "jungle", URB_CLASS_BUILDING },
    { "plan", "(none)", URB_CLASS_ROAD }, { "other plan", "road", URB_CLASS_BUILDING },
    { "plan", "no such value", URB_CLASS_BUILDING }
  };
  UrbMapOptions options = { .overrides = overrides, .n_overrides = G_N_ELEMENTS (overrides) };
  g_autofree char *path = write_values (self);
  g_autoptr(UrbMap) plain = open_map (path, NULL), map = NULL;

  assert_areas (plain, 1, 2, 3);
  assert_value (plain, 0, "jungle", URB_CLASS_OTHER, URB_CLASS_OTHER, FALSE);
  g_assert_cmpint (urb_map_get_warnings (plain)->len, ==, 1); /* unknown value */
  map = open_map (path, &options);
  assert_areas (map, 3, 6, 0);
  assert_value (map, 0, "building", URB_CLASS_IGNORE, URB_CLASS_BUILDING, TRUE);
  assert_value (map, 0, "road", URB_CLASS_ROAD, URB_CLASS_ROAD, FALSE);
  assert_value (map, 0, "jungle", URB_CLASS_BUILDING, URB_CLASS_OTHER, TRUE);
  assert_value (map, 0, "(none)", URB_CLASS_ROAD, URB_CLASS_IGNORE, TRUE);
  g_assert_false (find_value (map, 0, "jungle")->known);
  g_assert_cmpint (urb_map_get_warnings (map)->len, ==, 0);
  g_assert_cmpint (find_value (map, 0, "building")->n_features, ==, 1);
  g_assert_cmpfloat (find_value (map, 0, "building")->area_m2, ==, 0);
}

/* An override of a whole layer, except for values with their own. */
static void
test_override_layer (Fixture *self, gconstpointer data)
{
  static const UrbMapOverride overrides[] = {
    { "plan", "road", URB_CLASS_OTHER }, { "plan", "", URB_CLASS_BUILDING },
  };
  UrbMapOptions options = { .overrides = overrides, .n_overrides = 2 };
  g_autofree char *path = write_values (self);
  g_autoptr(UrbMap) map = open_map (path, &options);

  assert_areas (map, 8, 0, 2);
  assert_value (map, 0, "jungle", URB_CLASS_BUILDING, URB_CLASS_OTHER, TRUE);
}

/* Overrides for layers that the profile skips, by a rule or for lack of one; and the
 * reverse: a layer of one class left out. */
static void
test_override_unread (Fixture *self, gconstpointer data)
{
  static const char *const features[] = {
    "\"id\":1|Polygon|[[[2600000,1200000],[2600001,1200000],[2600001,1200001],[2600000,1200001],"
    "[2600000,1200000]]]", NULL
  };
  static const char *const names[] = { "parcels", "nonsense", "buildings" };
  static const char *const profiles[] = { "generic", "de-alkis", "generic" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      gboolean is_read = i == 2;
      UrbMapOverride override = { names[i], "", URB_CLASS_BUILDING };
      UrbMapOptions options = { .profile = profiles[i], .overrides = &override,
                                .n_overrides = 1 };
      g_autofree char *name = g_strconcat (names[i], ".geojson", NULL);
      g_autofree char *path = write_geojson (self, name, "2056", features);
      g_autofree char *beside_name = g_strconcat ("gebaeude_", names[i], ".geojson", NULL);
      g_autofree char *beside = write_geojson (self, beside_name, "2056", features);
      const char *const paths[] = { path, beside, NULL };
      g_autoptr(UrbMap) map = NULL, without = NULL;
      g_autoptr(GError) error = NULL;

      map = urb_map_open (paths, &options, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      assert_value (map, 0, "", URB_CLASS_BUILDING, is_read ? URB_CLASS_BUILDING : URB_CLASS_IGNORE,
                    TRUE);
      g_assert_cmpint (find_value (map, 0, "")->n_features, ==, 1);
      g_assert_cmpfloat_with_epsilon (find_value (map, 0, "")->area_m2, 1, 1e-3);
      override.class_ = URB_CLASS_IGNORE;
      without = urb_map_open (paths, &options, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      assert_value (without, 0, "", URB_CLASS_IGNORE,
                    is_read ? URB_CLASS_BUILDING : URB_CLASS_IGNORE, TRUE);
      g_assert_cmpint (find_value (without, 0, "")->n_features, ==, 1);
      g_assert_cmpfloat (find_value (without, 0, "")->area_m2, ==, 0);
    }
}

/* A line overridden to be a road needs a width, at least from the options. */
static void
test_override_line (Fixture *self, gconstpointer data)
{
  static const char *const features[] = {
    "\"class\":\"hedge\"|LineString|[[0,0],[10,0]]", BUILDING CORNER (10, 1), NULL
  };
  UrbMapOverride override = { "plan", NULL, URB_CLASS_ROAD };
  UrbMapOptions options = { .road_width_m = 3, .overrides = &override, .n_overrides = 1 };
  g_autofree char *path = write_geojson (self, "plan.geojson", "2056", features);
  g_autoptr(UrbMap) plain = open_map (path, NULL), wide = NULL, usual = NULL;

  assert_areas (plain, 1, 0, 0);
  override.value = ((UrbMapValue *) g_ptr_array_index (layer (plain, 0)->values, 0))->value;
  wide = open_map (path, &options);
  g_assert_cmpfloat (urb_map_get_class_area_m2 (wide, URB_CLASS_ROAD), >, 30);
  g_assert_cmpfloat (urb_map_get_class_area_m2 (wide, URB_CLASS_ROAD), <, 40);
  /* A street is 6 m wide, unless the file says otherwise. */
  options.road_width_m = 0;
  usual = open_map (path, &options);
  g_assert_cmpfloat (urb_map_get_class_area_m2 (usual, URB_CLASS_ROAD), >, 60);
  g_assert_cmpfloat (urb_map_get_class_area_m2 (usual, URB_CLASS_ROAD), <, 90);
}

/* A road through a forest, whose edges end @gap_m before the outline of the forest. */
static UrbMap *
open_forest (Fixture *self, double gap_m)
{
  static const char format[]
    = "SCNT\n\ttest\n////\nMTID INTERLIS1\nMODL DM01AVSO24\nTOPI Bodenbedeckung\nTABL BoFlaeche_Geometrie\n"
      "OBJE 1\nSTPT 611000.000 232000.000\nLIPT 611100.000 232000.000\nLIPT 611100.000 232100.000\n"
      "LIPT 611000.000 232100.000\nLIPT 611000.000 232000.000\nELIN\n"
      "OBJE 2\nSTPT 611040.000 232000.000\nLIPT 611040.000 %.3f\nELIN\n"
      "OBJE 3\nSTPT 611046.000 232000.000\nLIPT 611046.000 %.3f\nELIN\n"
      "ETAB\nTABL BoFlaeche\nOBJE 1 1 611020.000 232050.000 0 23\nOBJE 2 1 611043.000 232050.000 0 1\n"
      "OBJE 3 1 611070.000 232050.000 0 23\nETAB\nETOP\nEMOD\nENDE\n";
  g_autofree char *text = g_strdup_printf (format, 232100 - gap_m, 232100 - gap_m);
  g_autofree char *path = write_file (self, "forest.itf", text);
  g_autoptr(GError) error = NULL;
  UrbMap *map = urb_map_open ((const char *const[]){ path, NULL }, NULL, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  return map;
}

static gboolean
has_warning (UrbMap *map, const char *part)
{
  GPtrArray *warnings = urb_map_get_warnings (map);
  gboolean has = FALSE;

  for (guint i = 0; i < warnings->len; i++)
    has |= strstr (g_ptr_array_index (warnings, i), part) != NULL;
  return has;
}

/* Ends a few centimeters apart are joined, and that is told. */
static void
test_loose_ends (Fixture *self, gconstpointer data)
{
  static const double gaps_m[] = { 0, 0.02, 0.06, 0.09, 0.2 };

  for (gsize i = 0; i < G_N_ELEMENTS (gaps_m); i++)
    {
      g_autoptr(UrbMap) map = open_forest (self, gaps_m[i]);
      g_autofree char *said = g_strdup_printf ("2 loose ends of lines were joined to the nearest line, up to %.0f cm away",
                                               100 * gaps_m[i]);

      g_assert_cmpint (has_warning (map, said), ==, gaps_m[i] > 0 && gaps_m[i] < 0.1);
      g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_ROAD), gaps_m[i] < 0.1 ? 600 : 0, 0.01);
    }
}

/* The Swiss survey as INTERLIS 2, as the cantons publish it, read without its model. */
static void
test_interlis_2 (Fixture *self, gconstpointer data)
{
#define FACE(tid, art, x0, x1)                                                                                          \
  "<DM01AVCH24LV95D.Bodenbedeckung.BoFlaeche TID=\"" tid "\"><Geometrie><SURFACE><BOUNDARY><POLYLINE>"                    \
  "<COORD><C1>" x0 "</C1><C2>1200000</C2></COORD><COORD><C1>" x1 "</C1><C2>1200000</C2></COORD>"                       \
  "<COORD><C1>" x1 "</C1><C2>1200010</C2></COORD><COORD><C1>" x0 "</C1><C2>1200010</C2></COORD>"                       \
  "<COORD><C1>" x0 "</C1><C2>1200000</C2></COORD></POLYLINE></BOUNDARY></SURFACE></Geometrie>"                         \
  "<Qualitaet>AV93</Qualitaet><Art>" art "</Art></DM01AVCH24LV95D.Bodenbedeckung.BoFlaeche>\n"
  g_autofree char *path
    = write_file (self, "town.xtf",
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<TRANSFER xmlns=\"http://www.interlis.ch/INTERLIS2.3\">\n"
                  "<HEADERSECTION SENDER=\"made up\" VERSION=\"2.3\"><MODELS><MODEL NAME=\"DM01AVCH24LV95D\" "
                  "VERSION=\"2016\" URI=\"http://town\"/></MODELS></HEADERSECTION>\n<DATASECTION>\n"
                  "<DM01AVCH24LV95D.Bodenbedeckung BID=\"b1\">\n"
                  FACE ("1", "Gebaeude", "2600000", "2600010")
                  FACE ("2", "befestigt.Strasse_Weg", "2600010", "2600030")
                  FACE ("3", "humusiert.Gartenanlage.Gartenanlage", "2600030", "2600070")
                  "</DM01AVCH24LV95D.Bodenbedeckung>\n</DATASECTION></TRANSFER>\n");
#undef FACE
  g_autoptr(UrbMap) map = open_map (path, NULL);

  g_assert_cmpstr (urb_map_get_profile (map), ==, "swiss-dm01");
  g_assert_cmpint (urb_map_get_epsg (map), ==, 2056);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING), 100, 1e-6);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_ROAD), 200, 1e-6);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_OTHER), 400, 1e-6);
}

/* The same by the model DMAV, which is INTERLIS 2.4, with an object that is only planned; and cut, or endlessly deep, at
 * its end. */
static void
test_interlis_24 (Fixture *self, gconstpointer data)
{
#define AT(x, y) "<geom:coord><geom:c1>" x "</geom:c1><geom:c2>" y "</geom:c2></geom:coord>"
#define FACE(tid, kind, status, x0, x1)                                                                              \
  "<BB:Bodenbedeckung ili:tid=\"" tid "\"><BB:Geometrie><geom:surface><geom:exterior><geom:polyline>"                 \
  AT (x0, "1200000") AT (x1, "1200000") AT (x1, "1200010") AT (x0, "1200010") AT (x0, "1200000")                     \
  "</geom:polyline></geom:exterior></geom:surface></BB:Geometrie><BB:Bodenbedeckungsart>" kind                       \
  "</BB:Bodenbedeckungsart><BB:Objektstatus>" status "</BB:Objektstatus><BB:Objektname><BB:Objektname><BB:Name>A &amp; B" \
  "</BB:Name></BB:Objektname></BB:Objektname><BB:Entstehung ili:ref=\"n1\"/></BB:Bodenbedeckung>\n"
#define TOWN                                                                                                         \
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ili:transfer xmlns:ili=\"http://www.interlis.ch/xtf/2.4/INTERLIS\" "    \
  "xmlns:geom=\"http://www.interlis.ch/geometry/1.0\" xmlns:BB=\"http://www.interlis.ch/xtf/2.4/DMAV_Bodenbedeckung_V1_1\">\n" \
  "<ili:headersection><ili:models><ili:model>DMAV_Bodenbedeckung_V1_1</ili:model></ili:models><ili:sender>made up</ili:sender>" \
  "</ili:headersection>\n<ili:datasection>\n<BB:Bodenbedeckung ili:bid=\"b1\">\n"                                   \
  FACE ("1", "Gebaeude", "real", "2600000", "2600010") FACE ("2", "Strasse_Weg", "real", "2600010", "2600030")       \
  FACE ("3", "Gartenanlage", "real", "2600030", "2600070") FACE ("4", "Gebaeude", "projektiert", "2600040", "2600050")
  g_autofree char *deep = g_strnfill (4 * 200000, ' ');
  const char *const ends[] = { "</BB:Bodenbedeckung>\n</ili:datasection>\n</ili:transfer>\n", "<BB:Bodenbedeckung ili:ti", deep };

  for (int i = 0; i < 200000; i++)
    memcpy (deep + 4 * i, "<ab>", 4);
  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      g_autofree char *text = g_strconcat (TOWN, ends[i], NULL), *path = write_file (self, "town.xtf", text);
      g_autoptr(UrbMap) map = open_map (path, NULL);

      g_assert_cmpstr (urb_map_get_profile (map), ==, "swiss-dm01");
      g_assert_cmpint (urb_map_get_epsg (map), ==, 2056);
      g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING), 100, 1e-6);
      g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_ROAD), 200, 1e-6);
      g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_OTHER), 400, 1e-6);
      g_assert_cmpint (layer (map, 0)->n_superseded, ==, 1);
      g_assert_cmpint (has_warning (map, "could not be read to its end"), ==, i > 0);
      g_assert_false (has_warning (map, "coordinate system"));
      g_assert_true (has_warning (map, "1 object was left out: expired, planned, hidden, or a duplicate."));
    }
#undef TOWN
#undef FACE
#undef AT
}

/* A town of a house and a road in INTERLIS 2.4, with the mark of UTF-8, namespaces that the baskets declare, and text that
 * is quoted as a whole. */
static void
test_interlis_24_forms (Fixture *self, gconstpointer data)
{
#define AT(x, y) "<g:coord><g:c1>" x "</g:c1><g:c2>" y "</g:c2></g:coord>"
#define FACE(kind, x0, x1)                                                                                           \
  "<BB:Bodenbedeckung><BB:Geometrie><g:surface><g:exterior><g:polyline>" AT (x0, "1200000") AT (x1, "1200000")       \
  AT (x1, "1200010") AT (x0, "1200010") AT (x0, "1200000") "</g:polyline></g:exterior></g:surface></BB:Geometrie>"   \
  "<BB:Bodenbedeckungsart><![CDATA[" kind "]]></BB:Bodenbedeckungsart></BB:Bodenbedeckung>\n"
  g_autofree char *path
    = write_file (self, "town.xtf",
                  "\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<ili:transfer xmlns:ili=\"http://www.interlis.ch/xtf/2.4/INTERLIS\"><ili:datasection>\n"
                  "<BB:Bodenbedeckung ili:bid=\"b1\" xmlns:BB=\"http://www.interlis.ch/xtf/2.4/DMAV_Bodenbedeckung_V1_1\" "
                  "xmlns:g=\"http://www.interlis.ch/geometry/1.0\">\n"
                  FACE ("Gebaeude", "2600000", "2600010") FACE ("Strasse_Weg", "2600010", "2600030")
                  "</BB:Bodenbedeckung></ili:datasection></ili:transfer>\n");
#undef FACE
#undef AT
  g_autoptr(UrbMap) map = open_map (path, NULL);

  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING), 100, 1e-6);
  g_assert_cmpfloat_with_epsilon (urb_map_get_class_area_m2 (map, URB_CLASS_ROAD), 200, 1e-6);
  g_assert_cmpint (urb_map_get_epsg (map), ==, 2056);
  g_assert_cmpint (urb_map_get_warnings (map)->len, ==, 0);
}

/* A basket whose long name is repeated for each of many small objects is refused before it fills the memory. */
static void
test_interlis_24_growth (Fixture *self, gconstpointer data)
{
  static const int lengths[] = { 900, 1000000 };

  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      g_autofree char *topic = g_strnfill ((gsize) lengths[i], 'b');
      g_autoptr(GString) text = g_string_new ("<ili:transfer xmlns:ili=\"http://www.interlis.ch/xtf/2.4/INTERLIS\">"
                                              "<ili:datasection>");
      g_autofree char *path = NULL;
      g_autoptr(GError) error = NULL;
      g_autoptr(UrbMap) map = NULL;

      g_string_append_printf (text, "<%s>", topic);
      for (int n = 0; n < 100000; n++)
        g_string_append (text, "<a/>");
      g_string_append_printf (text, "</%s></ili:datasection></ili:transfer>", topic);
      path = write_file (self, "town.xtf", text->str);
      map = urb_map_open ((const char *const[]){ path, NULL }, NULL, NULL, NULL, NULL, &error);
      g_assert_null (map);
      g_test_message ("%s", error->message);
      g_assert_cmpint (strstr (error->message, "does not fit into memory") != NULL, ==, i == 0);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/map/open/shapes", Fixture, NULL, flat_folder_set_up, test_shapes, flat_folder_tear_down);
  g_test_add ("/map/open/lines", Fixture, NULL, flat_folder_set_up, test_lines, flat_folder_tear_down);
  g_test_add ("/map/open/degrees", Fixture, NULL, flat_folder_set_up, test_degrees, flat_folder_tear_down);
  g_test_add ("/map/open/other-units", Fixture, NULL, flat_folder_set_up, test_other_units, flat_folder_tear_down);
  g_test_add ("/map/open/no-crs", Fixture, NULL, flat_folder_set_up, test_no_crs, flat_folder_tear_down);
  g_test_add ("/map/open/wrong-crs", Fixture, NULL, flat_folder_set_up, test_wrong_crs, flat_folder_tear_down);
  g_test_add ("/map/open/refused", Fixture, NULL, flat_folder_set_up, test_refused, flat_folder_tear_down);
  g_test_add ("/map/open/drawing", Fixture, NULL, flat_folder_set_up, test_drawing, flat_folder_tear_down);
  g_test_add ("/map/open/superseded", Fixture, NULL, flat_folder_set_up, test_superseded, flat_folder_tear_down);
  g_test_add ("/map/open/folder", Fixture, NULL, flat_folder_set_up, test_folder, flat_folder_tear_down);
  g_test_add ("/map/open/layer-options", Fixture, NULL, flat_folder_set_up, test_layer_options, flat_folder_tear_down);
  g_test_add ("/map/open/interlis-2", Fixture, NULL, flat_folder_set_up, test_interlis_2, flat_folder_tear_down);
  g_test_add ("/map/open/interlis-24", Fixture, NULL, flat_folder_set_up, test_interlis_24, flat_folder_tear_down);
  g_test_add ("/map/open/interlis-24/forms", Fixture, NULL, flat_folder_set_up, test_interlis_24_forms,
              flat_folder_tear_down);
  g_test_add ("/map/open/interlis-24/growth", Fixture, NULL, flat_folder_set_up, test_interlis_24_growth,
              flat_folder_tear_down);
  g_test_add ("/map/open/published-names", Fixture, NULL, flat_folder_set_up, test_published_names, flat_folder_tear_down);
  g_test_add ("/map/open/overrides", Fixture, NULL, flat_folder_set_up, test_overrides, flat_folder_tear_down);
  g_test_add ("/map/open/override-layer", Fixture, NULL, flat_folder_set_up, test_override_layer, flat_folder_tear_down);
  g_test_add ("/map/open/override-unread", Fixture, NULL, flat_folder_set_up, test_override_unread, flat_folder_tear_down);
  g_test_add ("/map/open/loose-ends", Fixture, NULL, flat_folder_set_up, test_loose_ends, flat_folder_tear_down);
  g_test_add ("/map/open/override-line", Fixture, NULL, flat_folder_set_up, test_override_line, flat_folder_tear_down);
  return g_test_run ();
}
