/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-open-ground.c - which ground without an object counts as "other".
 */
#include "dataset/open-ground.h"

#include <math.h>

#include "made-up-map.h"
#include "map-fixture.h"

enum { EDGE_PX = 128 }; /* of the frames here */

/* @codes: (out): (EDGE_PX, EDGE_PX) */
static void
paint (UrbMap *map, const UrbFrame *frame, guint8 *codes)
{
  g_autoptr(UrbOpenGround) ground = urb_open_ground_new ();
  g_autoptr(UrbRaster) raster = urb_raster_new ();

  urb_open_ground_lay (ground, map, frame, raster);
  urb_raster_paint (raster, map, frame);
  made_up_map_get_classes (raster, frame, codes);
}

/* Two houses of 20 m with @gap_m between them, west and east of (0, 0). */
static UrbMap *
two_houses_new (double gap_m)
{
  double a = gap_m / 2, b = a + 20;
  const double xy[] = { -b, -10, -a, -10, -a, 10, -b, 10, a, -10, b, -10, b, 10, a, 10 };
  static const guint32 rings[] = { 4, 4 }, rings_per_polygon[] = { 1, 1 };
  static const guint8 classes[] = { URB_CLASS_BUILDING, URB_CLASS_BUILDING };

  return made_up_map_new (xy, rings, rings_per_polygon, classes, 2, 2056);
}

/* The class at each meter east of the middle. */
static void
read_line (double gap_m, int line[EDGE_PX])
{
  g_autoptr(UrbMap) map = two_houses_new (gap_m);
  UrbFrame frame = { 0, 0.5, 1, 0, 1, EDGE_PX, EDGE_PX };
  g_autofree guint8 *codes = g_malloc (EDGE_PX * EDGE_PX);

  paint (map, &frame, codes);
  for (int x = 0; x < EDGE_PX; x++)
    line[x] = codes[x];
}

static void
test_gaps (void)
{
  int line[EDGE_PX];

  read_line (140, line); /* a garden */
  for (int x = 0; x < EDGE_PX; x++)
    if (x < 70)
      g_assert_cmpint (line[x], ==, URB_CLASS_OTHER);
    else if (x < 90)
      g_assert_cmpint (line[x], ==, URB_CLASS_BUILDING);
    else if (x < 110)
      g_assert_cmpint (line[x], ==, URB_CLASS_OTHER);
    else if (x >= 120)
      g_assert_cmpint (line[x], ==, URB_N_CLASSES); /* beyond them, nobody knows */
  read_line (180, line);
  for (int x = 0; x < EDGE_PX; x++)
    if (x < 60)
      g_assert_cmpint (line[x], ==, URB_N_CLASSES);
    else if (x >= 70 && x < 90)
      g_assert_cmpint (line[x], ==, URB_CLASS_OTHER);
}

/* Frames that overlap have the same ground, turned and far from the origin, and it is most of what is beside
 * the objects. */
static void
test_crop (void)
{
  g_autoptr(UrbMap) map = map_fixture_random (6, 60, 2600000, 1200000, 900);
  UrbFrame whole = urb_frame_around (2600400, 1200400, 22.5, 1024, EDGE_PX), part;
  g_autofree guint8 *all = g_malloc (EDGE_PX * EDGE_PX), *some = g_malloc (EDGE_PX * EDGE_PX);
  int n_classes[URB_N_CLASSES + 1] = { 0 };

  part = urb_frame_crop (&whole, 37, 61, 50, 40);
  paint (map, &whole, all);
  paint (map, &part, some);
  for (int row = 0; row < 40; row++)
    g_assert_cmpmem (some + row * 50, 50, all + (61 + row) * EDGE_PX + 37, 50);
  for (int i = 0; i < EDGE_PX * EDGE_PX; i++)
    n_classes[all[i]]++;
  for (int c = 0; c <= URB_N_CLASSES; c++)
    g_assert_cmpint (n_classes[c], >, EDGE_PX * EDGE_PX / 40);
}

/* A street of 2 m between two rows of cell centers, all within 25 m of it is its ground. */
static void
test_narrow (void)
{
  static const double xy[] = { -500, 9, 500, 9, 500, 11, -500, 11 };
  static const guint32 n_vertices = 4, n_rings = 1;
  static const guint8 class_ = URB_CLASS_ROAD;
  g_autoptr(UrbMap) map = made_up_map_new (xy, &n_vertices, &n_rings, &class_, 1, 2056);
  UrbFrame frame = { -60, 70, 1, 0, 1, EDGE_PX, EDGE_PX };
  g_autofree guint8 *codes = g_malloc (EDGE_PX * EDGE_PX);

  paint (map, &frame, codes);
  for (int row = 0; row < EDGE_PX; row++)
    {
      double y = 70 - row - 0.5;

      for (int col = 0; col < EDGE_PX; col++)
        if (fabs (y - 10) < 1)
          g_assert_cmpint (codes[row * EDGE_PX + col], ==, URB_CLASS_ROAD);
        else if (fabs (y - 10) < 25)
          g_assert_cmpint (codes[row * EDGE_PX + col], ==, URB_CLASS_OTHER);
        else if (fabs (y - 10) > 31)
          g_assert_cmpint (codes[row * EDGE_PX + col], ==, URB_N_CLASSES);
    }
}

/* Where a pixel is larger than a cell, gaps are still closed. */
static void
test_large_pixels (void)
{
  static const double pixels_m[] = { 6, 20, 45, 120, 300 };
  g_autofree guint8 *codes = g_malloc (EDGE_PX * EDGE_PX);
  g_autoptr(UrbMap) map = map_fixture_random (8, 4000, 0, 0, 6000);

  for (gsize i = 0; i < G_N_ELEMENTS (pixels_m); i++)
    {
      UrbFrame frame = { 1000, 5000, 1, 0, pixels_m[i], EDGE_PX, EDGE_PX };
      int n_inside = 0, n_open = 0;

      paint (map, &frame, codes);
      for (int row = 0; row < EDGE_PX; row++)
        for (int col = 0; col < EDGE_PX; col++)
          if (col * pixels_m[i] < 4000 && row * pixels_m[i] < 4000)
            {
              n_inside++;
              n_open += codes[row * EDGE_PX + col] == URB_N_CLASSES;
            }
      g_assert_cmpint (n_open * 20, <, n_inside);
    }
}

/* Against the definition, cell by cell. */
static void
test_definition (void)
{
  enum { CLOSE = 15, BACK = 10, MARGIN = CLOSE + BACK, WIDE = EDGE_PX + 2 * MARGIN, FINE = 4 };
  g_autoptr(UrbMap) map = map_fixture_random (3, 12, 0, 0, 600);
  g_autoptr(UrbRaster) raster = urb_raster_new ();
  UrbFrame frame = { 0, 640, 1, 0, 5, EDGE_PX, EDGE_PX };
  UrbFrame wide = { -MARGIN * 5, 640 + MARGIN * 5, 1, 0, 5.0 / FINE, FINE * WIDE, FINE * WIDE };
  g_autofree guint8 *codes = g_malloc (EDGE_PX * EDGE_PX), *samples = g_malloc (FINE * WIDE * FINE * WIDE);
  g_autofree gboolean *objects = g_new0 (gboolean, WIDE * WIDE);
  g_autofree gboolean *near = g_new0 (gboolean, WIDE * WIDE);
  int n_open = 0;

  paint (map, &frame, codes);
  urb_raster_paint (raster, map, &wide);
  made_up_map_get_classes (raster, &wide, samples);
  for (int i = 0; i < FINE * WIDE * FINE * WIDE; i++)
    objects[i / (FINE * WIDE) / FINE * WIDE + i % (FINE * WIDE) / FINE] |= samples[i] != URB_N_CLASSES;
  for (int y = CLOSE; y < WIDE - CLOSE; y++)
    for (int x = CLOSE; x < WIDE - CLOSE; x++)
      for (int v = -CLOSE; v <= CLOSE; v++)
        for (int u = -CLOSE; u <= CLOSE; u++)
          near[y * WIDE + x] |= objects[(y + v) * WIDE + x + u];
  for (int y = 0; y < EDGE_PX; y++)
    for (int x = 0; x < EDGE_PX; x++)
      {
        gboolean is_ground = TRUE;

        for (int v = -BACK; v <= BACK; v++)
          for (int u = -BACK; u <= BACK; u++)
            is_ground &= near[(y + MARGIN + v) * WIDE + x + MARGIN + u];
        n_open += !is_ground;
        g_assert_cmpint (codes[y * EDGE_PX + x] != URB_N_CLASSES, ==, is_ground);
      }
  g_assert_cmpint (n_open, >, EDGE_PX * EDGE_PX / 10);
  g_assert_cmpint (n_open, <, EDGE_PX * EDGE_PX * 9 / 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/open-ground/gaps", test_gaps);
  g_test_add_func ("/open-ground/crop", test_crop);
  g_test_add_func ("/open-ground/narrow", test_narrow);
  g_test_add_func ("/open-ground/large-pixels", test_large_pixels);
  g_test_add_func ("/open-ground/definition", test_definition);
  return g_test_run ();
}
