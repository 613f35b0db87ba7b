/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-site.c - what stays of an area: from files, as a target, put into tiles, and measured.
 */
#include <cairo.h>
#include <string.h>

#include "city-fixture.h"
#include "city/plan-drawing.h"
#include "city/site.h"

static void
give (UrbSite *site, int row, int col, UrbClass class_, float share)
{
  site->shares[class_][row * site->size_px + col] = share;
}

static void
test_compose (void)
{
  g_autoptr(UrbSite) site = urb_site_new (2, 10);
  guint8 levels[] = { 10, 20, 225, 10, 20, 225, 100, 100, 55, 0, 0, 255 };
  const guint8 after[] = { 255, 0, 0, 5, 138, 113, 100, 100, 55, 128, 128, 0 };
  guint8 grey[] = { 200, 200, 200, 200 };

  give (site, 0, 0, URB_CLASS_BUILDING, 1);
  give (site, 0, 1, URB_CLASS_ROAD, 0.5f);
  give (site, 1, 1, URB_CLASS_BUILDING, 0.5f);
  give (site, 1, 1, URB_CLASS_ROAD, 0.5f);
  urb_site_compose (site, 3, levels);
  g_assert_cmpmem (levels, sizeof levels, after, sizeof after);
  urb_site_compose (site, 1, grey);
  g_assert_cmpint (grey[0], ==, 255);
  g_assert_cmpint (grey[1], ==, 100);
  g_assert_cmpint (grey[2], ==, 200);
  g_assert_cmpfloat_with_epsilon (urb_site_get_given_share (site), 2.5 / 4, 1e-6);
}

/* A street of one coarse pixel, a house, and open ground; the sides of the street are no street. */
static void
test_target (void)
{
  g_autoptr(UrbSite) site = urb_site_new (16, 80);
  guint8 weights[8 * 8], levels[8 * 8 * 3];

  for (int row = 0; row < 16; row++)
    for (int col = 0; col < 2; col++)
      give (site, row, col, URB_CLASS_ROAD, 1);
  give (site, 4, 14, URB_CLASS_BUILDING, 1);
  give (site, 4, 15, URB_CLASS_OTHER, 1);
  urb_site_get_target (site, 8, 3, weights, levels);
  g_assert_cmpint (weights[0], ==, 255);
  g_assert_cmpint (levels[1], ==, 255);
  for (int col = 1; col <= 2; col++)
    {
      g_assert_cmpint (weights[3 * 8 + col], >, 0);
      g_assert_cmpint (weights[3 * 8 + col], <, 128);
      g_assert_cmpint (levels[(3 * 8 + col) * 3 + 1], ==, 0);
    }
  g_assert_cmpint (weights[3 * 8 + 3], ==, 0);
  g_assert_cmpint (weights[2 * 8 + 7], >, 0);
  g_assert_cmpint (weights[2 * 8 + 7], <, 128); /* a half of it is given */
  g_assert_cmpint (levels[(2 * 8 + 7) * 3], ==, 128);
  g_assert_cmpint (levels[(2 * 8 + 7) * 3 + 2], ==, 128);
}

static void
test_margin (void)
{
  g_autoptr(UrbSite) site = urb_site_new (9, 9);

  give (site, 4, 4, URB_CLASS_BUILDING, 1);
  give (site, 4, 5, URB_CLASS_ROAD, 1);
  give (site, 3, 4, URB_CLASS_ROAD, 0.25f);
  urb_site_add_margin (site, 2);
  g_assert_cmpfloat (site->shares[URB_CLASS_OTHER][4 * 9 + 2], ==, 1);
  g_assert_cmpfloat (site->shares[URB_CLASS_OTHER][4 * 9 + 1], ==, 0);
  g_assert_cmpfloat (site->shares[URB_CLASS_OTHER][4 * 9 + 5], ==, 0);
  g_assert_cmpfloat (site->shares[URB_CLASS_OTHER][3 * 9 + 4], ==, 0.75f);
  g_assert_cmpfloat (site->shares[URB_CLASS_OTHER][2 * 9 + 2], ==, 0); /* round corners */
}

static void
test_reports (void)
{
  g_autoptr(UrbSite) site = urb_site_new (5, 5);
  g_autoptr(UrbClassMap) map = fixture_map ("...../.R.R./.R.R./.B..R/.....", 1);
  double by_class[URB_N_CLASSES];

  g_assert_cmpfloat (urb_site_get_met (site, map, NULL), ==, 1);
  give (site, 1, 1, URB_CLASS_ROAD, 1);
  give (site, 2, 1, URB_CLASS_ROAD, 0.6f);
  give (site, 3, 1, URB_CLASS_ROAD, 1);
  give (site, 0, 0, URB_CLASS_BUILDING, 0.4f); /* not mostly given */
  give (site, 4, 4, URB_CLASS_OTHER, 1);
  g_assert_cmpfloat (urb_site_get_met (site, map, by_class), ==, 0.75);
  g_assert_cmpfloat_with_epsilon (by_class[URB_CLASS_ROAD], 2.0 / 3, 1e-9);
  g_assert_cmpfloat (by_class[URB_CLASS_OTHER], ==, 1);
  g_assert_cmpfloat (by_class[URB_CLASS_BUILDING], ==, 1);
  /* The other street reaches the edge; without its last pixel it does not. */
  g_assert_cmpfloat (urb_site_get_connected (site, map), ==, 1);
  map->classes[3 * 5 + 4] = URB_CLASS_OTHER;
  g_assert_cmpfloat (urb_site_get_connected (site, map), ==, 0);
  map->classes[1 * 5 + 2] = URB_CLASS_ROAD;
  g_assert_cmpfloat (urb_site_get_connected (site, map), ==, 1);
}

/* ------------------------------------------------------------------------ */
/* Files                                                                     */

/* A house in the upper left quarter, a street along the lower edge; @fill: open land elsewhere. */
static char *
write_image (const char *folder, int width, int height, gboolean empty, gboolean fill)
{
  char *path = g_build_filename (folder, "site.PNG", NULL);
  g_autoptr(UrbCairoSurface) surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width,
                                                                   height);
  g_autoptr(UrbCairo) cairo = cairo_create (surface);

  if (fill)
    {
      urb_color_set_source (cairo, urb_class_get_color (URB_CLASS_OTHER), 1);
      cairo_paint (cairo);
    }
  if (!empty)
    {
      cairo_set_antialias (cairo, CAIRO_ANTIALIAS_NONE);
      urb_color_set_source (cairo, urb_class_get_color (URB_CLASS_BUILDING), 1);
      cairo_rectangle (cairo, 10, 10, 20, 20);
      cairo_fill (cairo);
      urb_color_set_source (cairo, urb_class_get_color (URB_CLASS_ROAD), 1);
      cairo_rectangle (cairo, 0, height - 10, width, 10);
      cairo_fill (cairo);
    }
  g_assert_cmpint (cairo_surface_write_to_png (surface, path), ==, CAIRO_STATUS_SUCCESS);
  return path;
}

/* Of the picture above, 100 pixels on 50. */
static void
check_site (const UrbSite *site)
{
  g_assert_cmpfloat (site->shares[URB_CLASS_BUILDING][7 * 50 + 7], ==, 1);
  g_assert_cmpfloat (site->shares[URB_CLASS_BUILDING][42 * 50 + 7], ==, 0);
  g_assert_cmpfloat (site->shares[URB_CLASS_ROAD][49 * 50 + 37], ==, 1);
  g_assert_cmpfloat (site->shares[URB_CLASS_ROAD][44 * 50 + 37], ==, 0);
  g_assert_cmpfloat (urb_site_get_given (site, 25 * 50 + 37), ==, 0);
  g_assert_cmpfloat (site->shares[URB_CLASS_OTHER][4 * 50 + 7], ==, 1); /* the margin */
  g_assert_cmpfloat (site->shares[URB_CLASS_OTHER][3 * 50 + 7], ==, 0);
}

static void
assert_refused (const char *path, UrbCityError code, const char *said)
{
  g_autoptr(GError) error = NULL;

  g_assert_null (urb_site_load (path, &(UrbPlace) { 0 }, 50, 100, &error));
  g_assert_error (error, URB_CITY_ERROR, (int) code);
  if (strstr (error->message, said) == NULL || strstr (error->message, path) == NULL)
    g_error ("%s", error->message);
}

static void
test_image (void)
{
  char *folder = city_make_folder ();
  g_autoptr(GError) error = NULL;
  g_autofree char *path = write_image (folder, 100, 100, FALSE, FALSE);
  g_autoptr(UrbSite) site = urb_site_load (path, &(UrbPlace) { 0 }, 50, 100, &error);

  g_assert_no_error (error);
  check_site (site);
  g_free (write_image (folder, 100, 100, TRUE, FALSE));
  assert_refused (path, URB_CITY_ERROR_OPTIONS, "shows nothing");
  g_free (write_image (folder, 100, 100, FALSE, TRUE));
  assert_refused (path, URB_CITY_ERROR_OPTIONS, "nothing is free");
  g_free (write_image (folder, 100, 80, FALSE, FALSE));
  assert_refused (path, URB_CITY_ERROR_IMAGE, "not square");
  city_remove_folder (folder);
}

/* The same in meters, at @x, @y. */
static void
write_vectors (const char *path, double x, double y)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text = g_strdup_printf (
    "{\"type\":\"FeatureCollection\",\"crs\":null,\"features\":["
    "{\"type\":\"Feature\",\"properties\":{\"class\":\"building\"},\"geometry\":{\"type\":\"Polygon\","
    "\"coordinates\":[[[%f,%f],[%f,%f],[%f,%f],[%f,%f],[%f,%f]]]}},"
    "{\"type\":\"Feature\",\"properties\":{\"class\":\"road\"},\"geometry\":{\"type\":\"Polygon\","
    "\"coordinates\":[[[%f,%f],[%f,%f],[%f,%f],[%f,%f],[%f,%f]]]}}]}",
    x + 10, y + 70, x + 30, y + 70, x + 30, y + 90, x + 10, y + 90, x + 10, y + 70,
    x, y, x + 100, y, x + 100, y + 10, x, y + 10, x, y);

  g_assert_true (g_file_set_contents (path, text, -1, &error));
}

static void
test_vectors (void)
{
  static const UrbPlace local = { 0 }, far_away = { 2611000, 1224000, 2056 };
  static const UrbPlace elsewhere = { 2612000, 1224000, 2056 };
  char *folder = city_make_folder ();
  g_autofree char *path = g_build_filename (folder, "site.geojson", NULL);
  g_autoptr(GError) error = NULL;

  for (int turn = 0; turn < 2; turn++)
    {
      const UrbPlace *place = turn ? &far_away : &local;
      g_autoptr(UrbSite) site = NULL;

      write_vectors (path, place->x, place->y);
      site = urb_site_load (path, place, 50, 100, &error);
      if (g_error_matches (error, URB_MAP_ERROR, URB_MAP_ERROR_UNAVAILABLE))
        {
          g_test_skip ("built without GDAL");
          city_remove_folder (folder);
          return;
        }
      g_assert_no_error (error);
      check_site (site);
    }
  g_assert_null (urb_site_load (path, &elsewhere, 50, 100, &error));
  g_assert_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS);
  g_assert_nonnull (strstr (error->message, "--place"));
  city_remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/site/compose", test_compose);
  g_test_add_func ("/site/target", test_target);
  g_test_add_func ("/site/margin", test_margin);
  g_test_add_func ("/site/reports", test_reports);
  g_test_add_func ("/site/image", test_image);
  g_test_add_func ("/site/vectors", test_vectors);
  return g_test_run ();
}
