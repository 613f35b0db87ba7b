/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-raster.c - the rasterizer against the definition: a pixel is inside if a
 * ray from its center crosses the rings an odd number of times.
 */
#include "dataset/raster.h"

#include <math.h>

#include "made-up-map.h"
#include "map-fixture.h"

static gboolean
point_in_polygon (UrbMap *map, const UrbMapPolygon *polygon, double x, double y)
{
  gboolean inside = FALSE;

  for (guint32 r = 0; r < polygon->n_rings; r++)
    {
      gint64 n;
      const double *xy = urb_map_get_ring (map, polygon->first_ring + r, &n);

      for (gint64 i = 0, j = n - 1; i < n; j = i++)
        if ((xy[2 * i + 1] > y) != (xy[2 * j + 1] > y)
            && x < (xy[2 * j] - xy[2 * i]) * (y - xy[2 * i + 1]) / (xy[2 * j + 1] - xy[2 * i + 1])
                     + xy[2 * i])
          inside = !inside;
    }
  return inside;
}

static int
class_at (UrbMap *map, double x, double y)
{
  int best = URB_N_CLASSES;

  for (gint64 i = 0; i < urb_map_get_n_polygons (map); i++)
    {
      const UrbMapPolygon *polygon = urb_map_get_polygon (map, i);

      if (polygon->class_ < best && point_in_polygon (map, polygon, x, y))
        best = polygon->class_;
    }
  return best;
}

/* Widths that are and are not multiples of a word, all angles, and frames partly outside the map. */
static void
test_definition (void)
{
  static const struct { int width, height; double angle_deg, x, y; } cases[] = {
    { 64, 64, 0, 100, 300 }, { 65, 33, 0, -20, 320 }, { 63, 128, 30, 150, 150 },
    { 128, 64, 90, 200, 100 }, { 200, 100, -17.5, 0, 200 }, { 1, 1, 45, 150, 150 },
    { 130, 7, 180, 250, 50 },
  };
  g_autoptr(UrbMap) map = map_fixture_random (5, 60, 0, 0, 300);
  g_autoptr(UrbRaster) raster = urb_raster_new ();
  guint8 codes[200 * 100];
  int seen[4] = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      double angle = cases[i].angle_deg * G_PI / 180;
      UrbFrame frame = { cases[i].x, cases[i].y, cos (angle), sin (angle), 1.3, cases[i].width,
                         cases[i].height };
      int n_different = 0;

      urb_raster_paint (raster, map, &frame);
      made_up_map_get_classes (raster, &frame, codes);
      for (int row = 0; row < frame.height; row++)
        for (int col = 0; col < frame.width; col++)
          {
            int code = codes[row * frame.width + col];
            double x, y;

            urb_frame_to_map (&frame, col + 0.5, row + 0.5, &x, &y);
            seen[code]++;
            n_different += code != class_at (map, x, y);
          }
      g_assert_cmpint (n_different, ==, 0);
    }
  for (int code = 0; code < 4; code++)
    g_assert_cmpint (seen[code], >, 100);
}

/* A tile equals the crop of a larger frame at the same position. */
static void
test_crop (void)
{
  g_autoptr(UrbMap) map = map_fixture_random (6, 200, 2600000, 1200000, 500);
  g_autoptr(UrbRaster) raster = urb_raster_new ();
  UrbFrame whole = urb_frame_around (2600250, 1200250, 22.5, 400, 400), part;
  g_autofree guint8 *all = g_malloc (400 * 400), *some = g_malloc (100 * 90);

  part = urb_frame_crop (&whole, 37, 211, 100, 90);
  urb_raster_paint (raster, map, &whole);
  made_up_map_get_classes (raster, &whole, all);
  urb_raster_paint (raster, map, &part);
  made_up_map_get_classes (raster, &part, some);
  for (int row = 0; row < 90; row++)
    g_assert_cmpmem (some + row * 100, 100, all + (211 + row) * 400 + 37, 100);
}

/* The frame of an area is centered, and its first row is the upper edge. */
static void
test_frame (void)
{
  UrbFrame frame = urb_frame_around (1000, 2000, 90, 250, 256);
  double x, y;

  urb_frame_to_map (&frame, 128, 128, &x, &y);
  g_assert_cmpfloat_with_epsilon (x, 1000, 1e-9);
  g_assert_cmpfloat_with_epsilon (y, 2000, 1e-9);
  /* A quarter turn counter-clockwise: rows run north, the top edge is west. */
  urb_frame_to_map (&frame, 256, 0, &x, &y);
  g_assert_cmpfloat_with_epsilon (x, 875, 1e-9);
  g_assert_cmpfloat_with_epsilon (y, 2125, 1e-9);
}

static void
test_ground (void)
{
  static const UrbBox ground[] = { { 0, 0, 40, 16 }, { 40, 0, 64, 16 }, { 0, 16, 64, 32 } };
  g_autoptr(UrbMap) map = map_fixture_town (10, 0, 30, 30);
  g_autoptr(UrbRaster) raster = urb_raster_new ();
  UrbFrame frame = { 0, 64, 1, 0, 1, 64, 64 };
  guint8 codes[64 * 64];
  int n_other = 0, n_none = 0;

  urb_raster_set_ground (raster, ground, G_N_ELEMENTS (ground));
  urb_raster_paint (raster, map, &frame);
  made_up_map_get_classes (raster, &frame, codes);
  for (int i = 0; i < 64 * 64; i++)
    {
      n_none += codes[i] == 3;
      n_other += codes[i] == URB_CLASS_OTHER;
    }
  g_assert_cmpint (n_none, ==, 64 * 32);
  g_assert_cmpint (n_other, >, 32 * 20);
  g_assert_cmpint (codes[40 * 64 + 12], ==, URB_CLASS_ROAD); /* on top of the ground */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/raster/definition", test_definition);
  g_test_add_func ("/raster/crop", test_crop);
  g_test_add_func ("/raster/frame", test_frame);
  g_test_add_func ("/raster/ground", test_ground);
  return g_test_run ();
}
