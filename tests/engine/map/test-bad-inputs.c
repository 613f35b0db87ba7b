/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-bad-inputs.c - every broken or unusual file is read or gives a clear error.
 *
 * All files in the folder of bad inputs are tested, including those added later; the
 * table has the expected results of the known ones.
 */
#include <string.h>

#include <cpl_error.h>

#include "map/map.h"

enum
{
  FINE = -1,   /* a map, with or without warnings */
  WARNED = -2, /* a map, and at least one warning that contains the text */
};

typedef struct
{
  const char *file;
  int         expected; /* FINE, WARNED, or an UrbMapError */
  const char *text;     /* (nullable) part of the warning or error */
} Case;

static const Case cases[] = {
  { "derived/class_attribute_missing.gpkg", WARNED, "is a building" },
  { "derived/class_attribute_null.gpkg", WARNED, "(none)" },
  { "derived/duplicated_features.gpkg", WARNED, "300 objects were left out" },
  { "derived/empty_collection.geojson", URB_MAP_ERROR_EMPTY, NULL },
  { "derived/empty_directory_placeholder", URB_MAP_ERROR_OPEN, "no map in the folder" },
  { "derived/empty_layer.gpkg", URB_MAP_ERROR_EMPTY, NULL },
  { "derived/far_outlier_coordinates.geojson", WARNED, "dropped" },
  { "derived/no_crs.gpkg", WARNED, "LV03" },
  { "derived/no_geometry_table.gpkg", URB_MAP_ERROR_EMPTY, "contains no shapes" },
  { "derived/null_and_empty_geometries.geojson", URB_MAP_ERROR_EMPTY, "no usable shape" },
  { "derived/only_buildings.gpkg", WARNED, "is a road" },
  { "derived/only_other.gpkg", WARNED, "is a building" },
  { "derived/points_only.gpkg", URB_MAP_ERROR_EMPTY, "objects are points. Choose" },
  { "derived/polygonz.gpkg", FINE, NULL },
  { "derived/random_bytes.gpkg", URB_MAP_ERROR_OPEN, NULL },
  { "derived/random_bytes.shp", URB_MAP_ERROR_OPEN, NULL },
  { "derived/self_intersecting_and_degenerate.geojson", WARNED, "repaired" },
  { "derived/shp_dbf_mismatch", URB_MAP_ERROR_READ, "do not belong together" },
  { "derived/shp_no_dbf", FINE, NULL },
  { "derived/shp_no_prj", WARNED, "no coordinate system" },
  { "derived/shp_no_shx", URB_MAP_ERROR_OPEN, "SHAPE_RESTORE_SHX" },
  { "derived/shp_no_shx/gebaeude.dbf", URB_MAP_ERROR_OPEN, "ogrinfo --config SHAPE_RESTORE" },
  { "derived/shp_only_dbf", URB_MAP_ERROR_OPEN, ".shp" },
  { "derived/shp_truncated", WARNED, "196 of 391 objects of the layer 'gebaeude' could not be read" },
  { "derived/shp_wrong_prj", WARNED, "LV03" },
  { "derived/text_named.gpkg", URB_MAP_ERROR_OPEN, NULL },
  { "derived/text_named.shp", URB_MAP_ERROR_OPEN, NULL },
  { "derived/truncated.itf", URB_MAP_ERROR_EMPTY, "ENDE" },
  { "derived/truncated.osm.pbf", URB_MAP_ERROR_READ, "damaged" },
  { "derived/truncated_60pct.gpkg", URB_MAP_ERROR_OPEN, "damaged" },
  { "derived/truncated_half.geojson", URB_MAP_ERROR_OPEN, "damaged" },
  { "derived/truncated_header.gpkg", URB_MAP_ERROR_OPEN, NULL },
  { "derived/truncated_shp.zip", URB_MAP_ERROR_OPEN, "zip" },
  { "derived/umlaut ö and space.gpkg", FINE, NULL },
  { "derived/unknown_class_values.gpkg", WARNED, "xyz_Gebaeude" },
  { "derived/wgs84_degrees.gpkg", FINE, NULL },
  { "derived/zero_bytes.geojson", URB_MAP_ERROR_OPEN, "0 bytes" },
  { "derived/zero_bytes.gpkg", URB_MAP_ERROR_OPEN, "0 bytes" },
  { "pyogrio/curve.gpkg", URB_MAP_ERROR_EMPTY, "its only object is a line. Choose" },
  { "pyogrio/curvepolygon.gpkg", FINE, NULL },
  { "pyogrio/line_zm.gpkg", URB_MAP_ERROR_EMPTY, "its only object is a line. Choose" },
  { "pyogrio/multisurface.gpkg", FINE, NULL },
  { "pyogrio/test_gpkg_nulls.gpkg", URB_MAP_ERROR_EMPTY, "all 4 objects are points" },
};

static gboolean
has_warning (UrbMap *map, const char *text)
{
  GPtrArray *warnings = urb_map_get_warnings (map);

  for (guint i = 0; i < warnings->len; i++)
    if (strstr (g_ptr_array_index (warnings, i), text) != NULL)
      return TRUE;
  return FALSE;
}

static const Case *
find_case (const char *relative)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    if (g_str_equal (cases[i].file, relative))
      return &cases[i];
  return NULL;
}

static void
check_map (UrbMap *map, const Case *expected)
{
  UrbBox extent = urb_map_get_extent (map);
  double sum = 0;

  for (int class_ = 0; class_ < URB_N_CLASSES; class_++)
    sum += urb_map_get_class_area_m2 (map, class_);
  g_assert_cmpint (urb_map_get_n_polygons (map), >, 0);
  g_assert_cmpfloat (sum, >, 0);
  g_assert_cmpfloat (extent.max_x - extent.min_x, >, 0);
  g_assert_cmpfloat (extent.max_x - extent.min_x, <, 1e7);
  if (expected != NULL)
    g_assert_cmpint (expected->expected, <, 0);
  if (expected != NULL && expected->expected == WARNED)
    g_assert_true (has_warning (map, expected->text));
}

static void
check_error (const GError *error, const char *path, const Case *expected)
{
  g_autofree char *stem = g_strndup (path, strlen (path) - strlen ("dbf"));

  g_assert_true (error->domain == URB_MAP_ERROR);
  g_assert_nonnull (strstr (error->message, g_str_has_suffix (path, ".dbf") ? stem : path));
  g_assert_null (strstr (error->message, ".. "));
  g_assert_cmpint (strlen (error->message), >, strlen (path) + 20);
  if (expected == NULL)
    return;
  g_assert_cmpint (error->code, ==, expected->expected);
  if (expected->text != NULL)
    g_assert_nonnull (strstr (error->message, expected->text));
}

static void CPL_STDCALL
count_message (CPLErr kind, CPLErrorNum number, const char *message)
{
  (*(int *) CPLGetErrorHandlerUserData ())++;
}

static void
test_one (gconstpointer data)
{
  const char *relative = data;
  g_autofree char *path = g_build_filename (g_getenv ("URBARIUM_TEST_DATA"), "bad-inputs", relative, NULL);
  const Case *expected = find_case (relative);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbMap) map
    = urb_map_open ((const char *const[]){ path, NULL }, NULL, NULL, NULL, NULL, &error);

  g_assert_true ((map == NULL) == (error != NULL));
  if (error != NULL)
    g_test_message ("%s", error->message);
  if (map != NULL)
    check_map (map, expected);
  else
    check_error (error, path, expected);
}

/* All files together: each is read or gives a reason, also where it opens and then fails, and GDAL
 * prints nothing and keeps its error handler. */
static void
test_folder (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("URBARIUM_TEST_DATA"), "bad-inputs", "derived", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbMap) map = NULL;
  int n_messages = 0;

  CPLPushErrorHandlerEx (count_message, &n_messages);
  map = urb_map_open ((const char *const[]){ path, NULL }, NULL, NULL, NULL, NULL, &error);
  g_assert_cmpint (n_messages, ==, 0);
  g_assert_true (CPLGetErrorHandlerUserData () == &n_messages);
  CPLPopErrorHandler ();
  g_assert_no_error (error);
  check_map (map, NULL);
  g_assert_true (has_warning (map, "do not belong together"));
  g_assert_true (has_warning (map, "could not be read to its end"));
}

static void
add_folder (const char *folder, GPtrArray *names)
{
  g_autofree char *path = g_build_filename (g_getenv ("URBARIUM_TEST_DATA"), "bad-inputs", folder, NULL);
  g_autoptr(GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      char *relative = g_build_filename (folder, name, NULL);
      g_autofree char *test = g_strdup_printf ("/map/bad-inputs/%s", relative);
      g_ptr_array_add (names, relative);
      g_test_add_data_func (test, relative, test_one);
    }
}

static void
test_absent (void)
{
  g_test_skip ("the bad inputs are missing");
}

int
main (int argc, char **argv)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  g_test_init (&argc, &argv, NULL);
  if (g_getenv ("URBARIUM_TEST_DATA") != NULL)
    {
      add_folder ("derived", names);
      add_folder ("pyogrio", names);
      add_folder ("derived/shp_no_shx", names);
    }
  if (names->len == 0)
    g_test_add_func ("/map/bad-inputs", test_absent);
  else
    g_test_add_func ("/map/bad-inputs/all-of-a-folder", test_folder);
  return g_test_run ();
}
