/* SPDX-License-Identifier: Apache-2.0 */
/* Reference: the engine's rasterizer with 5 x 5 samples per pixel. */
#include <math.h>

#include "app/canvas/tile-painter.h"
#include "made-up-map.h"
#include "test-town.h"

enum { SIZE = URBARIUM_TILE_PX, FINE = 5, ALL = (1 << URB_N_CLASSES) - 1, NOTHING = 3, MIXED = 4 };

static guint32
pixel_of (UrbColor color)
{
  return 0xff000000u | (guint32) color.r << 16 | (guint32) color.g << 8 | color.b;
}

static guint32 *
paint (UrbMap *map, UrbariumTileKey key, guint classes, gboolean *uniform)
{
  g_autoptr(UrbariumTilePainter) painter = urbarium_tile_painter_new ();
  UrbariumTileSpec spec = { map, urbarium_palette_get (FALSE, FALSE), classes, 1 };
  g_autoptr(GBytes) bytes = NULL;
  guint32 *pixels = g_new (guint32, SIZE * SIZE);
  int cancelled = 0;
  UrbColor color;

  g_assert_true (urbarium_tile_painter_paint (painter, &spec, &key, &cancelled, &color, &bytes));
  for (int i = 0; i < SIZE * SIZE; i++)
    {
      const guint8 *rgb = bytes != NULL ? g_bytes_get_data (bytes, NULL) : NULL;

      pixels[i] = pixel_of (rgb == NULL ? color : (UrbColor) { rgb[3 * i], rgb[3 * i + 1],
                                                               rgb[3 * i + 2] });
    }
  if (uniform != NULL)
    *uniform = bytes == NULL;
  return pixels;
}

/* The class of each pixel that is entirely of one class. */
static guint8 *
true_classes (UrbMap *map, UrbariumTileKey key)
{
  g_autoptr(UrbRaster) raster = urb_raster_new ();
  g_autofree guint8 *codes = g_malloc (SIZE * FINE * SIZE * FINE);
  guint8 *classes = g_malloc (SIZE * SIZE);
  UrbBox box = urbarium_tile_get_box (&key);
  UrbFrame frame = { box.min_x, box.max_y, 1, 0, urbarium_tile_get_pixel_m (key.level) / FINE,
                     SIZE * FINE, SIZE * FINE };

  urb_raster_paint (raster, map, &frame);
  made_up_map_get_classes (raster, &frame, codes);
  for (int row = 0; row < SIZE; row++)
    for (int col = 0; col < SIZE; col++)
      {
        guint8 *class_ = &classes[row * SIZE + col];

        *class_ = codes[row * FINE * SIZE * FINE + col * FINE];
        for (int i = 0; i < FINE * FINE; i++)
          if (codes[(row * FINE + i / FINE) * SIZE * FINE + col * FINE + i % FINE] != *class_)
            *class_ = MIXED;
      }
  return classes;
}

static int
distance (guint32 a, guint32 b)
{
  int most = 0;

  for (int k = 0; k < 24; k += 8)
    most = MAX (most, ABS ((int) (a >> k & 0xff) - (int) (b >> k & 0xff)));
  return most;
}

/* Outlines are drawn on the pixels next to other classes. */
static gboolean
is_inner (const guint8 *classes, int row, int col)
{
  for (int y = MAX (row - 1, 0); y <= MIN (row + 1, SIZE - 1); y++)
    for (int x = MAX (col - 1, 0); x <= MIN (col + 1, SIZE - 1); x++)
      if (classes[y * SIZE + x] != classes[row * SIZE + col])
        return FALSE;
  return TRUE;
}

static void
assert_tile_is_true (UrbMap *map, UrbariumTileKey key, gboolean with_lines)
{
  const UrbariumPalette *palette = urbarium_palette_get (FALSE, FALSE);
  g_autofree guint32 *pixels = paint (map, key, ALL, NULL);
  g_autofree guint8 *classes = true_classes (map, key);
  int n_checked = 0, n_wrong = 0;

  for (int row = 0; row < SIZE; row++)
    for (int col = 0; col < SIZE; col++)
      {
        guint8 class_ = classes[row * SIZE + col];
        UrbColor color = class_ == NOTHING ? palette->paper : palette->fills[class_ % MIXED];

        if (class_ == MIXED || (with_lines && !is_inner (classes, row, col)))
          continue;
        n_checked++;
        /* A sliver between the samples may tint it. */
        n_wrong += distance (pixels[row * SIZE + col], pixel_of (color)) > 40;
      }
  g_test_message ("level %d: %d of %d pixels are wrong", key.level, n_wrong, n_checked);
  g_assert_cmpint (n_checked, >, SIZE);
  g_assert_cmpint (n_wrong, <=, n_checked / 2000);
}

static void
test_classes (void)
{
  g_autoptr(UrbMap) map = test_town_new (60, 1000, -5000);

  for (int level = -3 * 64; level <= 4 * 64; level += 40)
    {
      double size = URBARIUM_TILE_STEP_PX * urbarium_tile_get_pixel_m (level);
      UrbariumTileKey key = { 1, level, (int) (2500 / size), (int) (1500 / size) };

      assert_tile_is_true (map, key, level < 64);
    }
}

static void
test_real_map (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("URBARIUM_TEST_DATA"), "ch-so-wasseramt",
                                            "wasseramt_lv03.gpkg", NULL);
  const char *paths[] = { path, NULL };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbMap) map = NULL;
  UrbBox extent;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("URBARIUM_TEST_DATA has no real maps");
      return;
    }
  map = urb_map_open (paths, NULL, NULL, NULL, NULL, &error);
  if (g_error_matches (error, URB_MAP_ERROR, URB_MAP_ERROR_UNAVAILABLE))
    {
      g_test_skip (error->message);
      return;
    }
  g_assert_no_error (error);
  extent = urb_map_get_extent (map);
  for (int level = -2 * 64; level <= 4 * 64; level += 50)
    {
      double step = URBARIUM_TILE_STEP_PX * urbarium_tile_get_pixel_m (level);
      UrbariumTileKey key = { 1, level, (int) ((extent.min_x + extent.max_x) / 2 / step),
                              (int) floor (-(extent.min_y + extent.max_y) / 2 / step) };

      assert_tile_is_true (map, key, level < 64);
    }
}

/* Two squares that meet within pixels, of one class or of two: the background does not shine
 * through. */
static void
test_no_seam (gconstpointer other_class)
{
  const double xy[] = { 0.5, -400, 100.5, -400, 100.5, -20, 0.5, -20,
                        100.5, -400, 300, -400, 300, -20, 100.5, -20 };
  const guint32 sizes[] = { 4, 4 }, rings[] = { 1, 1 };
  const guint8 classes[] = { URB_CLASS_OTHER, GPOINTER_TO_INT (other_class) };
  g_autoptr(UrbMap) map = made_up_map_new (xy, sizes, rings, classes, 2, 2056);
  const UrbariumPalette *palette = urbarium_palette_get (FALSE, FALSE);
  guint32 left = pixel_of (palette->fills[classes[0]]);
  guint32 right = pixel_of (palette->fills[classes[1]]);
  UrbariumTileKey key = { 1, 64, 0, 0 }; /* two meters per pixel: no outlines */
  g_autofree guint32 *pixels = paint (map, key, ALL, NULL);

  for (int col = 1; col < 140; col++)
    for (int k = 0; k < 24; k += 8)
      {
        int v = pixels[100 * SIZE + col] >> k & 0xff;
        int a = left >> k & 0xff, b = right >> k & 0xff;

        g_assert_cmpint (v, >=, MIN (a, b));
        g_assert_cmpint (v, <=, MAX (a, b)); /* the background is lighter than both */
      }
}

static void
test_hidden_classes (void)
{
  g_autoptr(UrbMap) map = test_town_new (60, 0, -6000);
  const UrbariumPalette *palette = urbarium_palette_get (FALSE, FALSE);
  /* Few polygons and many: with Cairo, and where the rasterizer would be used. */
  for (int level = 64; level <= 3 * 64; level += 2 * 64)
    {
      UrbariumTileKey key = { 1, level, 0, 0 };
      double pixel_m = urbarium_tile_get_pixel_m (level);
      int col = (int) (30 / pixel_m) + 1, row = col; /* in a house */
      g_autofree guint32 *shown = paint (map, key, ALL, NULL);
      g_autofree guint32 *hidden = paint (map, key, ALL & ~(1 << URB_CLASS_BUILDING), NULL);
      g_autofree guint32 *only = paint (map, key, 1 << URB_CLASS_BUILDING, NULL);

      g_assert_cmphex (shown[row * SIZE + col], ==,
                       pixel_of (palette->fills[URB_CLASS_BUILDING]));
      g_assert_cmphex (hidden[row * SIZE + col], ==, pixel_of (palette->fills[URB_CLASS_OTHER]));
      g_assert_cmphex (only[0], ==, pixel_of (palette->paper));
    }
}

static void
test_uniform (void)
{
  g_autoptr(UrbMap) map = test_town_new (10, 0, 0);
  gboolean uniform;
  UrbariumTileKey nowhere = { 1, 0, 100, 100 }, ground = { 1, -7 * 64, 5, -6 };

  g_free (paint (map, nowhere, ALL, &uniform));
  g_assert_true (uniform);
  g_free (paint (map, ground, ALL, &uniform)); /* a few meters within one garden */
  g_assert_true (uniform);
}

/* A polygon beyond Cairo's coordinate range, seen from very close. */
static void
test_huge_polygon (void)
{
  const double xy[] = { -3e6, -3e6, 3e6, -3e6, 3e6, 3e6, -3e6, 3e6 };
  const guint32 size = 4, rings = 1;
  const guint8 class_ = URB_CLASS_ROAD;
  g_autoptr(UrbMap) map = made_up_map_new (xy, &size, &rings, &class_, 1, 2056);
  UrbariumTileKey inside = { 1, -7 * 64, 5, 5 };
  UrbariumTileKey at_edge = { 1, -7 * 64, (int) (3e6 / URBARIUM_TILE_STEP_PX * 128), 0 };
  g_autofree guint32 *pixels = paint (map, inside, ALL, NULL);
  g_autofree guint32 *edge = paint (map, at_edge, ALL, NULL);
  UrbBox box = urbarium_tile_get_box (&at_edge);
  int col = (int) ((3e6 - box.min_x) / urbarium_tile_get_pixel_m (-7 * 64));
  guint32 road = pixel_of (urbarium_palette_get (FALSE, FALSE)->fills[URB_CLASS_ROAD]);

  g_assert_cmphex (pixels[1000], ==, road);
  g_assert_cmpint (col, >, 4);
  g_assert_cmphex (edge[100 * SIZE + col - 4], ==, road);
  g_assert_cmphex (edge[100 * SIZE + col + 4], ==, 0xffffffff);
}

static void
test_cancelled (void)
{
  g_autoptr(UrbMap) map = test_town_new (60, 0, -6000);
  g_autoptr(UrbariumTilePainter) painter = urbarium_tile_painter_new ();
  UrbariumTileSpec spec = { map, urbarium_palette_get (FALSE, FALSE), ALL, 1 };
  UrbariumTileKey key = { 1, 64, 0, 0 };
  g_autoptr(GBytes) bytes = NULL;
  int cancelled = 1;
  UrbColor color;

  g_assert_false (urbarium_tile_painter_paint (painter, &spec, &key, &cancelled, &color, &bytes));
  g_assert_null (bytes);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/canvas/tile-painter/classes", test_classes);
  g_test_add_func ("/app/canvas/tile-painter/real-map", test_real_map);
  g_test_add_data_func ("/app/canvas/tile-painter/no-seam/one-class",
                        GINT_TO_POINTER (URB_CLASS_OTHER), test_no_seam);
  g_test_add_data_func ("/app/canvas/tile-painter/no-seam/two-classes",
                        GINT_TO_POINTER (URB_CLASS_ROAD), test_no_seam);
  g_test_add_func ("/app/canvas/tile-painter/hidden-classes", test_hidden_classes);
  g_test_add_func ("/app/canvas/tile-painter/uniform", test_uniform);
  g_test_add_func ("/app/canvas/tile-painter/huge-polygon", test_huge_polygon);
  g_test_add_func ("/app/canvas/tile-painter/cancelled", test_cancelled);
  return g_test_run ();
}
