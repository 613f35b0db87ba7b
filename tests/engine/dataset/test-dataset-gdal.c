/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-dataset-gdal.c - GDAL, and hence QGIS, reads a dataset as an ordinary
 * GeoPackage without warnings.
 */
#include <cpl_conv.h>
#include <cpl_error.h>
#include <gdal.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <string.h>

#include "dataset-fixture.h"
#include "dataset/curate.h"
#include "made-up-tiles.h"
#include "map-fixture.h"

static int n_complaints;

static void
complain_cb (CPLErr class_, CPLErrorNum code, const char *text)
{
  if (class_ < CE_Warning)
    return;
  n_complaints++;
  g_printerr ("# GDAL: %s\n", text);
}

static GDALDatasetH
open_quietly (const char *path)
{
  GDALDatasetH dataset
    = GDALOpenEx (path, GDAL_OF_VECTOR | GDAL_OF_VERBOSE_ERROR, NULL, NULL, NULL);

  g_assert_nonnull (dataset);
  return dataset;
}

static void
assert_feature (OGRFeatureH feature, const UrbArea *area)
{
  OGRGeometryH geometry = OGR_F_GetGeometryRef (feature), center;
  OGREnvelope box;

  g_assert_cmpint (wkbFlatten (OGR_G_GetGeometryType (geometry)), ==, wkbPolygon);
  g_assert_cmpfloat_with_epsilon (OGR_G_Area (geometry), 250 * 250, 1e-3);
  OGR_G_GetEnvelope (geometry, &box);
  g_assert_cmpfloat_with_epsilon ((box.MinX + box.MaxX) / 2, area->center_x, 1e-6);
  center = OGR_G_CreateGeometry (wkbPoint);
  OGR_G_Centroid (geometry, center);
  g_assert_cmpfloat_with_epsilon (OGR_G_GetX (center, 0), area->center_x, 1e-6);
  g_assert_cmpfloat_with_epsilon (OGR_G_GetY (center, 0), area->center_y, 1e-6);
  OGR_G_DestroyGeometry (center);
  g_assert_cmpstr (OGR_F_GetFieldAsString (feature, OGR_F_GetFieldIndex (feature, "split")), ==,
                   area->split == URB_SPLIT_TEST ? "test" : "train");
  g_assert_cmpfloat (OGR_F_GetFieldAsDouble (feature, OGR_F_GetFieldIndex (feature, "variance")),
                     ==, area->variance);
  g_assert_cmpfloat (OGR_F_GetFieldAsDouble (feature, OGR_F_GetFieldIndex (feature, "angle_deg")),
                     ==, area->angle_deg);
}

static void
test_areas (void)
{
  g_autofree char *folder = fixture_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.gpkg", NULL);
  GDALDatasetH dataset;
  OGRLayerH layer;
  OGREnvelope extent;

  fixture_write (path, URB_ENCODING_RGB, FALSE, 16);
  n_complaints = 0;
  dataset = open_quietly (path);
  layer = GDALDatasetGetLayerByName (dataset, "areas");
  g_assert_nonnull (layer);
  g_assert_cmpint (OGR_L_GetFeatureCount (layer, TRUE), ==, FIXTURE_N_AREAS);
  g_assert_cmpint (OGR_L_GetExtent (layer, &extent, FALSE), ==, OGRERR_NONE);
  g_assert_cmpfloat_with_epsilon (extent.MinX, 2600000 - 125, 1e-6);
  for (int i = 0; i < FIXTURE_N_AREAS; i++)
    {
      OGRFeatureH feature = OGR_L_GetFeature (layer, i + 1);
      UrbArea area = fixture_area (i, 250);

      g_assert_nonnull (feature);
      assert_feature (feature, &area);
      OGR_F_Destroy (feature);
    }
  layer = GDALDatasetGetLayerByName (dataset, "area_tiles");
  g_assert_nonnull (layer);
  g_assert_cmpint (OGR_L_GetFeatureCount (layer, TRUE), ==, FIXTURE_N_AREAS);
  g_assert_nonnull (GDALDatasetGetLayerByName (dataset, "urbarium_dataset"));
  GDALClose (dataset);
  g_assert_cmpint (n_complaints, ==, 0);
  fixture_remove_folder (folder);
}

/* The coordinate system is preserved with and without an EPSG code. */
static void
check_crs (int epsg, const char *wkt, const char *expected_name)
{
  g_autofree char *folder = fixture_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.gpkg", NULL);
  UrbDatasetInfo info = { .resolution_px = 16, .area_size_m = 250, .epsg = epsg,
                          .crs_name = (char *) expected_name };
  g_autoptr(UrbDatasetWriter) writer = urb_dataset_writer_new (path, &info, wkt, NULL);
  UrbArea area = fixture_area (0, 250);
  guint8 levels[16 * 16 * 3] = { 0 };
  OGRSpatialReferenceH srs;
  GDALDatasetH dataset;

  g_assert_true (made_up_tile_add (writer, &info, &area, NULL, levels, NULL));
  g_assert_true (urb_dataset_writer_finish (writer, NULL));
  n_complaints = 0;
  dataset = open_quietly (path);
  srs = OGR_L_GetSpatialRef (GDALDatasetGetLayerByName (dataset, "areas"));
  if (wkt == NULL) /* GDAL 3.10 names the undefined system, 3.6 has none */
    g_assert_true (srs == NULL || strstr (OSRGetName (srs), "ndefined") != NULL);
  else
    g_assert_cmpstr (OSRGetName (srs), ==, expected_name);
  GDALClose (dataset);
  g_assert_cmpint (n_complaints, ==, 0);
  fixture_remove_folder (folder);
}

static void
test_crs (void)
{
  OGRSpatialReferenceH lv95 = OSRNewSpatialReference (NULL);
  const char *own = "PROJCS[\"Village grid\",GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\","
                    "SPHEROID[\"WGS 84\",6378137,298.257223563]],PRIMEM[\"Greenwich\",0],"
                    "UNIT[\"degree\",0.0174532925199433]],"
                    "PROJECTION[\"Transverse_Mercator\"],PARAMETER["
                    "\"latitude_of_origin\",47],PARAMETER[\"central_meridian\",7],PARAMETER["
                    "\"scale_factor\",1],PARAMETER[\"false_easting\",0],PARAMETER["
                    "\"false_northing\",0],UNIT[\"metre\",1]]";
  char *wkt = NULL;

  g_assert_cmpint (OSRImportFromEPSG (lv95, 2056), ==, OGRERR_NONE);
  g_assert_cmpint (OSRExportToWkt (lv95, &wkt), ==, OGRERR_NONE);
  check_crs (2056, wkt, "CH1903+ / LV95");
  check_crs (0, own, "Village grid");
  check_crs (0, NULL, NULL);
  CPLFree (wkt);
  OSRDestroySpatialReference (lv95);
}

/* An entire curation of a town without GDAL. */
static void
test_curated (void)
{
  static const char *const sources[] = { "town.gpkg", NULL };
  g_autoptr(UrbMap) map = map_fixture_town (2600000, 1200000, 1200, 900);
  g_autofree char *folder = fixture_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.gpkg", NULL);
  g_autoptr(UrbCuration) curation = NULL;
  UrbCurateOptions options;
  g_autoptr(GError) error = NULL;
  GDALDatasetH dataset;

  urb_curate_options_init (&options);
  options.resolution_px = 32;
  options.n_rotations = 2;
  curation = urb_curation_new (map, &options, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (urb_curation_write (curation, map, sources, path, NULL, NULL, NULL, &error));
  g_assert_no_error (error);
  n_complaints = 0;
  dataset = open_quietly (path);
  g_assert_cmpint (OGR_L_GetFeatureCount (GDALDatasetGetLayerByName (dataset, "areas"), TRUE), ==,
                   curation->areas->len);
  g_assert_nonnull (strstr (GDALGetMetadataItem (dataset, "GPKG_METADATA_ITEM_1", NULL),
                            "town.gpkg"));
  GDALClose (dataset);
  g_assert_cmpint (n_complaints, ==, 0);
  fixture_remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  GDALAllRegister ();
  CPLPushErrorHandler (complain_cb);
  g_test_add_func ("/dataset/gdal/areas", test_areas);
  g_test_add_func ("/dataset/gdal/crs", test_crs);
  g_test_add_func ("/dataset/gdal/curated", test_curated);
  return g_test_run ();
}
