/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-city-writer.c - GeoJSON and SVG files, written atomically.
 */
#include <errno.h>
#include <json-glib/json-glib.h>
#include <string.h>
#include <sys/stat.h>

#include "city-fixture.h"
#include "city/city-writer.h"
#include "city/generate.h"
#include "flat-folder.h"

/* A street, and a house on either side of it. */
static UrbCityVectors *
make_vectors (guint32 seed)
{
  g_autoptr(UrbClassMap) map = fixture_blank (32, 1);

  fixture_paint_rectangle (map, 16, 16, 64, 5, 0.1 * seed, URB_CLASS_ROAD);
  fixture_paint_rectangle (map, 12, 6, 9, 7, 0.1 * seed, URB_CLASS_BUILDING);
  fixture_paint_rectangle (map, 20, 26, 8, 7, 0.1 * seed, URB_CLASS_BUILDING);
  return fixture_vectors (map, 1);
}

static void
write_cities (const char *path, int n, const UrbCityLayout *layout)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbCityWriter) writer = urb_city_writer_new (path, layout, &error);

  g_assert_no_error (error);
  for (int i = 0; i < n; i++)
    {
      g_autoptr(UrbCityVectors) vectors = make_vectors ((guint32) i);

      g_assert_true (urb_city_writer_add (writer, vectors, i + 1, 18446744073709551615u, &error));
    }
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_true (urb_city_writer_finish (writer, &error));
  g_assert_no_error (error);
}

static double
coordinate (JsonArray *ring, guint vertex, guint axis)
{
  return json_array_get_double_element (json_array_get_array_element (ring, vertex), axis);
}

static double
polygon_area (JsonArray *rings)
{
  double sum = 0;

  for (guint k = 0; k < json_array_get_length (rings); k++)
    {
      JsonArray *ring = json_array_get_array_element (rings, k);
      guint n = json_array_get_length (ring);

      g_assert_cmpuint (n, >=, 4);
      for (guint axis = 0; axis < 2; axis++)
        g_assert_cmpfloat (coordinate (ring, 0, axis), ==, coordinate (ring, n - 1, axis));
      for (guint i = 0; i + 1 < n; i++)
        sum += coordinate (ring, i, 0) * coordinate (ring, i + 1, 1)
               - coordinate (ring, i + 1, 0) * coordinate (ring, i, 1);
    }
  return sum / 2;
}

static void
test_geojson (void)
{
  g_autofree char *folder = city_make_folder ();
  g_autofree char *path = g_build_filename (folder, "cities.geojson", NULL);
  g_autoptr(JsonParser) parser = json_parser_new ();
  g_autoptr(GError) error = NULL;
  UrbCityLayout layout;
  JsonObject *root;
  JsonArray *features;
  double total = 0;
  gint64 last = 0;
  guint n_lines = 0;

  urb_city_layout_init (&layout, 3, 32, 32);
  write_cities (path, 3, &layout);
  json_parser_load_from_file (parser, path, &error);
  g_assert_no_error (error);
  root = json_node_get_object (json_parser_get_root (parser));
  g_assert_cmpstr (json_object_get_string_member (root, "type"), ==, "FeatureCollection");
  /* Local meters, or they would be taken as degrees. */
  root = json_object_get_object_member (root, "crs");
  root = json_object_get_object_member (root, "properties");
  g_assert_true (g_str_has_prefix (json_object_get_string_member (root, "name"), "LOCAL_CS["));
  root = json_node_get_object (json_parser_get_root (parser));
  features = json_object_get_array_member (root, "features");
  g_assert_cmpuint (json_array_get_length (features), ==, 3 * (2 + 1 + 2 + 1));
  for (guint i = 0; i < json_array_get_length (features); i++)
    {
      JsonObject *feature = json_array_get_object_element (features, i);
      JsonObject *properties = json_object_get_object_member (feature, "properties");
      JsonObject *geometry = json_object_get_object_member (feature, "geometry");
      JsonArray *coordinates = json_object_get_array_member (geometry, "coordinates");
      double area;

      if (g_str_equal (json_object_get_string_member (properties, "class"), "centerline"))
        {
          g_assert_cmpstr (json_object_get_string_member (geometry, "type"), ==, "LineString");
          g_assert_cmpuint (json_array_get_length (coordinates), >=, 2);
          g_assert_cmpfloat_with_epsilon (json_object_get_double_member (properties, "width_m"), 5,
                                          1.5);
          n_lines++;
          continue;
        }
      area = polygon_area (coordinates);
      g_assert_cmpfloat_with_epsilon (area, json_object_get_double_member (properties, "area_m2"),
                                      0.01);
      total += area;
      last = json_object_get_int_member (properties, "city");
    }
  g_assert_cmpfloat_with_epsilon (total, 3 * 32 * 32, 0.1);
  g_assert_cmpint (last, ==, 3);
  g_assert_cmpuint (n_lines, ==, 3);
  city_remove_folder (g_steal_pointer (&folder));
}

static void
test_place (void)
{
  g_autofree char *folder = city_make_folder ();
  g_autofree char *path = g_build_filename (folder, "c.geojson", NULL);
  g_autofree char *text = NULL;
  UrbCityLayout layout;

  urb_city_layout_init (&layout, 1, 32, 32);
  layout.place.x = 611000;
  layout.place.y = 224000;
  layout.place.epsg = 21781;
  write_cities (path, 1, &layout);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "urn:ogc:def:crs:EPSG::21781"));
  g_assert_nonnull (strstr (text, "[611032.0000,224032.0000]")); /* the upper right corner */
  g_assert_nonnull (strstr (text, "[611000.0000,224000.0000]"));
  g_assert_nonnull (strstr (text, "\"seed\":18446744073709551615"));
  city_remove_folder (g_steal_pointer (&folder));
}

/* A quarter turn about the lower left corner: what was to the right of it is above it. */
static void
test_turned (void)
{
  g_autofree char *folder = city_make_folder ();
  static const char *const names[] = { "c.geojson", "c.svg", "c.city.json", "c.dxf" };
  g_auto(GStrv) texts = g_new0 (char *, G_N_ELEMENTS (names) + 1);
  UrbCityLayout layout;

  urb_city_layout_init (&layout, 2, 32, 32); /* two in a row: 67 m x 32 m */
  layout.place = (UrbPlace) { .x = 611000, .y = 224000, .epsg = 21781, .angle_deg = 90 };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      write_cities (path, 2, &layout);
      g_assert_true (g_file_get_contents (path, &texts[i], NULL, NULL));
    }
  g_assert_nonnull (strstr (texts[0], "[611000.0000,224000.0000]"));
  g_assert_nonnull (strstr (texts[0], "[610968.0000,224067.0000]"));
  g_assert_nonnull (strstr (texts[1], "viewBox=\"0 0 32.00 67.00"));
  g_assert_nonnull (strstr (texts[2], "[610968.000,224000.000,0.0,611000.000,224067.000,0.0]"));
  g_assert_nonnull (strstr (texts[2], "[-32000,67000,0]"));
  g_assert_nonnull (strstr (texts[3], "$EXTMAX\n10\n611000.0000\n20\n224067.0000\n"));
  city_remove_folder (g_steal_pointer (&folder));
}

/* Proposals for one site lie at the same place. */
static void
test_stacked (void)
{
  g_autofree char *folder = city_make_folder ();
  g_autofree char *path = g_build_filename (folder, "c.geojson", NULL);
  g_autofree char *text = NULL, *first = NULL;
  UrbCityLayout layout;

  urb_city_layout_init (&layout, 2, 32, 32);
  layout.place.x = 611000;
  layout.place.y = 224000;
  layout.is_stacked = TRUE;
  write_cities (path, 2, &layout);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (const char *at = text; (at = strstr (at, "[6110")) != NULL; at++)
    {
      double x = g_ascii_strtod (at + 1, NULL), y = g_ascii_strtod (strchr (at, ',') + 1, NULL);

      g_assert_cmpfloat (x, <=, 611032);
      g_assert_cmpfloat (y, >=, 224000);
      g_assert_cmpfloat (y, <=, 224032);
    }
  g_assert_nonnull (strstr (text, "[611032.0000,224032.0000]"));
  g_assert_nonnull (strstr (text, "\"city\":2"));
  city_remove_folder (g_steal_pointer (&folder));
}

static void
test_svg (void)
{
  g_autofree char *folder = city_make_folder ();
  g_autofree char *path = g_build_filename (folder, "c.svg", NULL);
  g_autofree char *text = NULL;
  UrbCityLayout layout;

  urb_city_layout_init (&layout, 2, 32, 32);
  write_cities (path, 2, &layout);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "width=\"67.00mm\" height=\"32.00mm\" viewBox=\"0 0 67.00 32.00")); /* 1 : 1000 */
  g_assert_nonnull (strstr (text, "id=\"city-2\""));
  g_assert_nonnull (strstr (text, "<g class=\"centerline\" visibility=\"hidden\""));
  g_assert_true (g_str_has_suffix (text, "</svg>\n"));
  city_remove_folder (g_steal_pointer (&folder));
}

/* An abandoned write leaves the old file and nothing else. */
static void
test_abandon (void)
{
  static const char *const names[] = { "c.geojson", "c.svg", "c.gpkg", "c.dxf", "c.city.json" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *folder = city_make_folder ();
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      g_autofree char *text = NULL;
      g_autoptr(UrbCityWriter) writer = NULL;
      g_autoptr(UrbCityVectors) vectors = make_vectors (1);
      UrbCityLayout layout;

      if (g_str_has_suffix (path, ".gpkg") && !urb_city_writer_has_gpkg ())
        {
          city_remove_folder (g_steal_pointer (&folder));
          continue;
        }
      urb_city_layout_init (&layout, 2, 32, 32);
      g_assert_true (g_file_set_contents (path, "old", -1, NULL));
      writer = urb_city_writer_new (path, &layout, NULL);
      g_assert_true (urb_city_writer_add (writer, vectors, 1, 1, NULL));
      g_clear_pointer (&writer, urb_city_writer_free);
      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      g_assert_cmpstr (text, ==, "old");
      g_assert_cmpint (flat_folder_count (folder), ==, 1);
      city_remove_folder (g_steal_pointer (&folder));
    }
}

static void
test_refusals (void)
{
  static const char *const paths[] = { "/nowhere/at/all/c.geojson", "/nowhere/at/all/c.svg" };
  g_autoptr(GError) error = NULL;
  UrbCityLayout layout;

  urb_city_layout_init (&layout, 2, 32, 32);
  g_assert_null (urb_city_writer_new ("c.docx", &layout, &error));
  g_assert_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS);
  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_clear_error (&error);
      g_assert_null (urb_city_writer_new (paths[i], &layout, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
    }
  if (!urb_city_writer_has_gpkg ())
    {
      g_clear_error (&error);
      g_assert_null (urb_city_writer_new ("c.gpkg", &layout, &error));
      g_assert_error (error, URB_CITY_ERROR, URB_CITY_ERROR_UNAVAILABLE);
    }
}

static void
test_outputs (void)
{
  g_autoptr(GError) error = NULL;

  g_assert_cmpint (urb_outputs_parse ("png", &error), ==, URB_OUTPUT_PNG);
  g_assert_cmpint (urb_outputs_parse ("gpkg, geojson,svg,dxf,city.json", &error), ==,
                   URB_OUTPUT_GPKG | URB_OUTPUT_GEOJSON | URB_OUTPUT_SVG | URB_OUTPUT_DXF | URB_OUTPUT_CITYJSON);
  g_assert_no_error (error);
  g_assert_cmpint (urb_outputs_parse ("png,dwg", &error), ==, 0);
  g_assert_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/city-writer/geojson", test_geojson);
  g_test_add_func ("/city-writer/place", test_place);
  g_test_add_func ("/city-writer/turned", test_turned);
  g_test_add_func ("/city-writer/stacked", test_stacked);
  g_test_add_func ("/city-writer/svg", test_svg);
  g_test_add_func ("/city-writer/abandon", test_abandon);
  g_test_add_func ("/city-writer/refusals", test_refusals);
  g_test_add_func ("/city-writer/outputs", test_outputs);
  return g_test_run ();
}
