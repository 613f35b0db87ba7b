/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-raster-gdal.c - the rasterizer against GDALRasterizeGeometries(), class by
 * class in paint order, on random polygons and on a real map.
 */
#include "dataset/raster.h"

#include <gdal.h>
#include <gdal_alg.h>
#include <ogr_api.h>

#include "made-up-map.h"
#include "map-fixture.h"

/* Up to 0.1 % may differ: pixel centers that lie on an edge. */
#define MAX_SHARE_DIFFERENT 1e-5

static OGRGeometryH
polygon_to_ogr (UrbMap *map, gint64 index)
{
  const UrbMapPolygon *polygon = urb_map_get_polygon (map, index);
  OGRGeometryH geometry = OGR_G_CreateGeometry (wkbPolygon);

  for (guint32 r = 0; r < polygon->n_rings; r++)
    {
      gint64 n;
      const double *xy = urb_map_get_ring (map, polygon->first_ring + r, &n);
      OGRGeometryH ring = OGR_G_CreateGeometry (wkbLinearRing);

      for (gint64 i = 0; i <= n; i++)
        OGR_G_AddPoint_2D (ring, xy[2 * (i % n)], xy[2 * (i % n) + 1]);
      OGR_G_AddGeometryDirectly (geometry, ring);
    }
  return geometry;
}

static void
rasterize_with_gdal (UrbMap *map, const UrbFrame *f, guint8 *codes)
{
  double transform[6] = { f->x, f->pixel_m * f->cos_a, f->pixel_m * f->sin_a,
                          f->y, f->pixel_m * f->sin_a, -f->pixel_m * f->cos_a };
  GDALDatasetH dataset = GDALCreate (GDALGetDriverByName ("MEM"), "", f->width, f->height, 1,
                                     GDT_Byte, NULL);
  GDALRasterBandH band = GDALGetRasterBand (dataset, 1);
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));
  int band_number = 1;

  GDALSetGeoTransform (dataset, transform);
  GDALFillRaster (band, URB_N_CLASSES, 0);
  urb_map_query (map, urb_frame_get_box (f), found);
  for (guint i = 0; i < found->len; i++)
    {
      gint64 index = g_array_index (found, gint64, i);
      OGRGeometryH geometry = polygon_to_ogr (map, index);
      double value = urb_map_get_polygon (map, index)->class_;

      g_assert_cmpint (GDALRasterizeGeometries (dataset, 1, &band_number, 1, &geometry, NULL, NULL,
                                                &value, NULL, NULL, NULL), ==, CE_None);
      OGR_G_DestroyGeometry (geometry);
    }
  g_assert_cmpint (GDALRasterIO (band, GF_Read, 0, 0, f->width, f->height, codes, f->width,
                                 f->height, GDT_Byte, 0, 0), ==, CE_None);
  GDALClose (dataset);
}

static void
compare (UrbMap *map, const UrbFrame *frame, gint64 *n_pixels, gint64 *n_different)
{
  g_autoptr(UrbRaster) raster = urb_raster_new ();
  gsize n = (gsize) frame->width * frame->height;
  g_autofree guint8 *ours = g_malloc (n), *theirs = g_malloc (n);

  urb_raster_paint (raster, map, frame);
  made_up_map_get_classes (raster, frame, ours);
  rasterize_with_gdal (map, frame, theirs);
  for (gsize i = 0; i < n; i++)
    *n_different += ours[i] != theirs[i];
  *n_pixels += n;
}

static void
test_random (void)
{
  gint64 n_pixels = 0, n_different = 0;

  for (int i = 0; i < 6; i++)
    {
      g_autoptr(UrbMap) map = map_fixture_random (i, 120, 2600000, 1200000, 300);
      UrbFrame frame = urb_frame_around (2600150, 1200150, 15 * i, 250, 256);

      compare (map, &frame, &n_pixels, &n_different);
    }
  g_test_message ("%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " pixels differ", n_different,
                  n_pixels);
  g_assert_cmpint (n_different, <=, n_pixels * MAX_SHARE_DIFFERENT);
}

static void
test_real (void)
{
  g_autoptr(UrbMap) map = map_fixture_open_real ("ch-so-wasseramt/wasseramt_lv03.gpkg");
  g_autoptr(GRand) rand = g_rand_new_with_seed (1);
  gint64 n_pixels = 0, n_different = 0;
  UrbBox extent;

  if (map == NULL)
    return;
  extent = urb_map_get_extent (map);
  for (int i = 0; i < 12; i++)
    {
      UrbFrame frame = urb_frame_around (g_rand_double_range (rand, extent.min_x, extent.max_x),
                                         g_rand_double_range (rand, extent.min_y, extent.max_y),
                                         i % 3 * 30, 250, 256);

      compare (map, &frame, &n_pixels, &n_different);
    }
  g_test_message ("%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " pixels differ", n_different,
                  n_pixels);
  g_assert_cmpint (n_different, <=, n_pixels * MAX_SHARE_DIFFERENT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  GDALAllRegister ();
  g_test_add_func ("/raster/gdal/random", test_random);
  g_test_add_func ("/raster/gdal/real", test_real);
  return g_test_run ();
}
