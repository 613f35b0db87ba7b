/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-gpkg.c - GDAL reads our GeoPackage and DXF, and GEOS validates the polygons.
 */
#include <gdal.h>
#include <math.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <string.h>
#include <sys/resource.h>
#include <signal.h>

#include "city-fixture.h"
#include "city/city-writer.h"

static UrbCityVectors *
make_town (int degrees)
{
  g_autoptr(UrbClassMap) map = fixture_blank (128, 1);
  double angle = degrees * G_PI / 180;

  fixture_paint_rectangle (map, 64, 64, 400, 8, angle, URB_CLASS_ROAD);
  fixture_paint_rectangle (map, 64, 64, 8, 400, angle + 0.2, URB_CLASS_ROAD);
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++)
      fixture_paint_rectangle (map, 17 + 32 * i, 15 + 32 * k, 15, 10, angle + i * 0.3,
                               URB_CLASS_BUILDING);
  return fixture_vectors (map, 1);
}

static void
write_towns (const char *path, int n, UrbPlace place)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbCityWriter) writer = NULL;
  UrbCityLayout layout;

  urb_city_layout_init (&layout, n, 128, 128);
  layout.place = place;
  writer = urb_city_writer_new (path, &layout, &error);
  g_assert_no_error (error);
  for (int i = 0; i < n; i++)
    {
      g_autoptr(UrbCityVectors) vectors = make_town (11 * i);

      g_assert_true (urb_city_writer_add (writer, vectors, i + 1, 7, &error));
    }
  g_assert_true (urb_city_writer_finish (writer, &error));
  g_assert_no_error (error);
}

/* Sums the areas of a layer and asserts that each polygon is valid. */
static double
check_layer (OGRLayerH layer)
{
  OGRFeatureH feature;
  double total = 0;

  OGR_L_ResetReading (layer);
  while ((feature = OGR_L_GetNextFeature (layer)) != NULL)
    {
      OGRGeometryH geometry = OGR_F_GetGeometryRef (feature);
      double area = OGR_G_Area (geometry);
      int city = OGR_F_GetFieldAsInteger (feature, OGR_F_GetFieldIndex (feature, "city"));

      g_assert_true (OGR_G_IsValid (geometry));
      g_assert_cmpfloat_with_epsilon (
        area, OGR_F_GetFieldAsDouble (feature, OGR_F_GetFieldIndex (feature, "area_m2")), 1e-6);
      g_assert_cmpstr (OGR_F_GetFieldAsString (feature, OGR_F_GetFieldIndex (feature, "seed")), ==,
                       "7");
      g_assert_true (city >= 1 && city <= 5);
      total += area;
      OGR_F_Destroy (feature);
    }
  return total;
}

/* Lines with widths, of streets. */
static void
check_centerlines (OGRLayerH layer)
{
  OGRFeatureH feature;

  g_assert_nonnull (layer);
  g_assert_cmpint (OGR_L_GetFeatureCount (layer, TRUE), >, 0);
  while ((feature = OGR_L_GetNextFeature (layer)) != NULL)
    {
      double width_m = OGR_F_GetFieldAsDouble (feature, OGR_F_GetFieldIndex (feature, "width_m"));

      g_assert_cmpint (OGR_G_GetGeometryType (OGR_F_GetGeometryRef (feature)), ==, wkbLineString);
      g_assert_cmpfloat (OGR_G_Length (OGR_F_GetGeometryRef (feature)), >, 0);
      g_assert_true (width_m > 1 && width_m < 40);
      OGR_F_Destroy (feature);
    }
}

static void
test_open (void)
{
  static const char *const names[] = { "building", "road", "other" };
  g_autofree char *folder = city_make_folder ();
  g_autofree char *path = g_build_filename (folder, "cities.gpkg", NULL);
  GDALDatasetH dataset;
  OGREnvelope extent;
  double total = 0;

  write_towns (path, 5, (UrbPlace) { 0 });
  dataset = GDALOpenEx (path, GDAL_OF_VECTOR | GDAL_OF_READONLY, NULL, NULL, NULL);
  g_assert_nonnull (dataset);
  g_assert_cmpint (GDALDatasetGetLayerCount (dataset), ==, 5); /* one with styles */
  for (int i = 0; i < 3; i++)
    {
      OGRLayerH layer = GDALDatasetGetLayerByName (dataset, names[i]);
      OGRSpatialReferenceH reference;

      g_assert_nonnull (layer);
      g_assert_cmpint (OGR_L_GetFeatureCount (layer, TRUE), >, 0);
      reference = OGR_L_GetSpatialRef (layer);
      g_assert_true (reference != NULL && OSRIsLocal (reference)); /* no position on Earth */
      g_assert_cmpfloat (OSRGetLinearUnits (reference, NULL), ==, 1);
      total += check_layer (layer);
    }
  g_assert_cmpfloat_with_epsilon (total, 5 * 128 * 128, 1e-3);
  check_centerlines (GDALDatasetGetLayerByName (dataset, "centerline"));
  /* three columns, two rows, 13 m between them */
  OGR_L_GetExtent (GDALDatasetGetLayerByName (dataset, "other"), &extent, TRUE);
  g_assert_cmpfloat_with_epsilon (extent.MaxX - extent.MinX, 3 * 128 + 2 * 13, 1e-6);
  g_assert_cmpfloat_with_epsilon (extent.MaxY - extent.MinY, 2 * 128 + 13, 1e-6);
  GDALClose (dataset);
  city_remove_folder (g_steal_pointer (&folder));
}

/* Polygons with all kinds of neighbors, written and read back. */
static void
test_clutter (void)
{
  g_autofree char *folder = city_make_folder ();
  g_autofree char *path = g_build_filename (folder, "cities.gpkg", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbCityWriter) writer = NULL;
  GDALDatasetH dataset;
  UrbCityLayout layout;
  gint64 n = 0;

  urb_city_layout_init (&layout, 60, 560, 560);
  writer = urb_city_writer_new (path, &layout, &error);
  for (guint32 seed = 0; seed < 60; seed++)
    {
      g_autoptr(UrbClassMap) map = fixture_clutter (seed, seed % 3 == 0);
      g_autoptr(UrbCityVectors) vectors
        = fixture_vectors (map, map->pixel_m * (seed % 4 == 0 ? 4 : 1));

      g_assert_true (urb_city_writer_add (writer, vectors, 1, 7, &error));
    }
  g_assert_true (urb_city_writer_finish (writer, &error));
  dataset = GDALOpenEx (path, GDAL_OF_VECTOR | GDAL_OF_READONLY, NULL, NULL, NULL);
  g_assert_nonnull (dataset);
  for (int i = 0; i < 3; i++)
    {
      check_layer (GDALDatasetGetLayer (dataset, i));
      n += OGR_L_GetFeatureCount (GDALDatasetGetLayer (dataset, i), TRUE);
    }
  g_assert_cmpint (n, >, 600);
  GDALClose (dataset);
  city_remove_folder (g_steal_pointer (&folder));
}

static void
test_epsg (void)
{
  g_autofree char *folder = city_make_folder ();
  g_autofree char *path = g_build_filename (folder, "cities.gpkg", NULL);
  GDALDatasetH dataset;
  OGRSpatialReferenceH reference;

  write_towns (path, 1, (UrbPlace) { .epsg = 2056 });
  dataset = GDALOpenEx (path, GDAL_OF_VECTOR | GDAL_OF_READONLY, NULL, NULL, NULL);
  g_assert_nonnull (dataset);
  reference = OGR_L_GetSpatialRef (GDALDatasetGetLayer (dataset, 0));
  g_assert_cmpstr (OSRGetAuthorityCode (reference, NULL), ==, "2056");
  GDALClose (dataset);
  city_remove_folder (g_steal_pointer (&folder));
}

/* A system of a map that has no code: formats that can name it do. */
static void
test_without_code (void)
{
  static const char *const names[] = { "cities.gpkg", "cities.geojson" };
  static const char wkt[]
    = "PROJCS[\"Town grid\",GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.257223563]],"
      "PRIMEM[\"Greenwich\",0],UNIT[\"degree\",0.0174532925199433]],PROJECTION[\"Transverse_Mercator\"],"
      "PARAMETER[\"latitude_of_origin\",47.2],PARAMETER[\"central_meridian\",7.5],PARAMETER[\"scale_factor\",1],"
      "PARAMETER[\"false_easting\",5000],PARAMETER[\"false_northing\",9000],UNIT[\"metre\",1]]";
  g_autofree char *folder = city_make_folder ();
  OGRSpatialReferenceH expected = OSRNewSpatialReference (wkt);

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      GDALDatasetH dataset;
      OGREnvelope extent;

      write_towns (path, 1, (UrbPlace) { .x = 5000, .y = 9000, .crs_wkt = wkt, .angle_deg = 45 });
      dataset = GDALOpenEx (path, GDAL_OF_VECTOR | GDAL_OF_READONLY, NULL, NULL, NULL);
      g_assert_nonnull (dataset);
      g_assert_true (OSRIsSame (OGR_L_GetSpatialRef (GDALDatasetGetLayer (dataset, 0)), expected));
      OGR_L_GetExtent (GDALDatasetGetLayer (dataset, 0), &extent, TRUE);
      g_assert_cmpfloat (extent.MinX, >, 5000 - 128 * G_SQRT2 / 2 - 1e-3);
      g_assert_cmpfloat (extent.MinX, <, 5000 - 30); /* turned */
      g_assert_cmpfloat (extent.MinY, >, 9000 - 1e-3);
      GDALClose (dataset);
    }
  OSRDestroySpatialReference (expected);
  city_remove_folder (g_steal_pointer (&folder));
}

/* The area of a closed line. */
static double
line_area (OGRGeometryH line)
{
  int n = OGR_G_GetPointCount (line);
  double sum = 0;

  g_assert_cmpint (n, >=, 4);
  g_assert_cmpfloat (OGR_G_GetX (line, 0), ==, OGR_G_GetX (line, n - 1));
  g_assert_cmpfloat (OGR_G_GetY (line, 0), ==, OGR_G_GetY (line, n - 1));
  for (int i = 0; i + 1 < n; i++)
    sum += OGR_G_GetX (line, i) * OGR_G_GetY (line, i + 1)
           - OGR_G_GetX (line, i + 1) * OGR_G_GetY (line, i);
  return sum / 2; /* holes have the opposite orientation */
}

/* Hatches and closed lines on three layers each cover the five towns; center lines are open. */
static void
test_dxf (void)
{
  g_autofree char *folder = city_make_folder ();
  g_autofree char *path = g_build_filename (folder, "cities.dxf", NULL);
  static const char *const names[] = { "BUILDING", "ROAD", "OTHER", "CENTERLINE",
                                       "BUILDING-FILL", "ROAD-FILL", "OTHER-FILL" };
  int n_of[G_N_ELEMENTS (names)] = { 0 };
  GDALDatasetH dataset;
  OGRFeatureH feature;
  OGRLayerH layer;
  double lines = 0, hatches = 0;

  write_towns (path, 5, (UrbPlace) { 0 });
  dataset = GDALOpenEx (path, GDAL_OF_VECTOR | GDAL_OF_READONLY, NULL, NULL, NULL);
  g_assert_nonnull (dataset);
  g_assert_cmpstr (GDALGetDriverShortName (GDALGetDatasetDriver (dataset)), ==, "DXF");
  layer = GDALDatasetGetLayer (dataset, 0);
  while ((feature = OGR_L_GetNextFeature (layer)) != NULL)
    {
      OGRGeometryH geometry = OGR_F_GetGeometryRef (feature);
      const char *name
        = OGR_F_GetFieldAsString (feature, OGR_F_GetFieldIndex (feature, "Layer"));
      gsize k = 0;

      while (k < G_N_ELEMENTS (names) && strcmp (name, names[k]) != 0)
        k++;
      g_assert_cmpuint (k, <, G_N_ELEMENTS (names));
      n_of[k]++;
      g_assert_cmpint (wkbFlatten (OGR_G_GetGeometryType (geometry)), ==, k < 4 ? wkbLineString : wkbPolygon);
      if (k < 3)
        lines += line_area (geometry);
      else if (k > 3)
        hatches += OGR_G_Area (geometry);
      OGR_F_Destroy (feature);
    }
  GDALClose (dataset);
  g_assert_cmpfloat_with_epsilon (lines, 5 * 128 * 128, 0.1);
  g_assert_cmpfloat_with_epsilon (hatches, 5 * 128 * 128, 0.1);
  for (gsize k = 0; k < G_N_ELEMENTS (names); k++)
    g_assert_cmpint (n_of[k], >, 0);
  city_remove_folder (g_steal_pointer (&folder));
}

/* A disk limited to 200 kB: an error, and no files left behind. */
static void
test_full_disk (void)
{
  g_autofree char *folder = city_make_folder ();
  g_autofree char *path = g_build_filename (folder, "cities.gpkg", NULL);
  const struct rlimit little = { 200000, RLIM_INFINITY };
  struct rlimit before;
  g_autoptr(UrbCityVectors) vectors = make_town (20);
  g_autoptr(UrbCityWriter) writer = NULL;
  g_autoptr(GError) error = NULL;
  gboolean done;
  UrbCityLayout layout;

  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &before);
  urb_city_layout_init (&layout, 2000, 128, 128);
  setrlimit (RLIMIT_FSIZE, &little);
  writer = urb_city_writer_new (path, &layout, &error);
  done = writer != NULL;
  for (int i = 0; i < 2000 && done; i++)
    done = urb_city_writer_add (writer, vectors, i, 1, &error);
  done = done && urb_city_writer_finish (writer, &error);
  g_clear_pointer (&writer, urb_city_writer_free);
  setrlimit (RLIMIT_FSIZE, &before);
  g_assert_false (done);
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  {
    g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);

    g_assert_null (g_dir_read_name (dir));
  }
  city_remove_folder (g_steal_pointer (&folder));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  GDALAllRegister ();
  g_test_add_func ("/gpkg/open", test_open);
  g_test_add_func ("/gpkg/clutter", test_clutter);
  g_test_add_func ("/gpkg/epsg", test_epsg);
  g_test_add_func ("/gpkg/without-code", test_without_code);
  g_test_add_func ("/gpkg/dxf", test_dxf);
  g_test_add_func ("/gpkg/full-disk", test_full_disk);
  return g_test_run ();
}
