/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-class-map.c - classification, cleanup, components, images.
 */
#include <cairo.h>
#include <string.h>

#include "city-fixture.h"
#include "city/components.h"
#include "city/plan-drawing.h"

static void
test_rule (void)
{
  static const struct { guint8 levels[3]; UrbClass class_; } cases[] = {
    { { 200, 30, 25 }, URB_CLASS_BUILDING }, { { 30, 200, 25 }, URB_CLASS_ROAD },
    { { 30, 25, 200 }, URB_CLASS_OTHER },    { { 128, 127, 0 }, URB_CLASS_BUILDING },
    { { 100, 100, 55 }, URB_CLASS_BUILDING }, { { 55, 100, 100 }, URB_CLASS_ROAD },
    { { 100, 55, 100 }, URB_CLASS_BUILDING }, { { 0, 0, 0 }, URB_CLASS_OTHER },
    { { 85, 85, 85 }, URB_CLASS_OTHER },
  };
  static const struct { guint8 level; UrbClass class_; } greys[] = {
    { 0, URB_CLASS_ROAD }, { 63, URB_CLASS_ROAD }, { 64, URB_CLASS_OTHER },
    { 128, URB_CLASS_OTHER }, { 191, URB_CLASS_OTHER }, { 192, URB_CLASS_BUILDING },
    { 255, URB_CLASS_BUILDING },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (urb_class_from_levels (cases[i].levels, 3), ==, cases[i].class_);
  for (gsize i = 0; i < G_N_ELEMENTS (greys); i++)
    g_assert_cmpint (urb_class_from_levels (&greys[i].level, 1), ==, greys[i].class_);
}

/* A building with a level of 70 % in a pixel extends beyond the pixel's center, but not to its
 * border. */
static void
test_zoom (void)
{
  const guint8 levels[3 * 3] = { 255, 0, 0, 178, 0, 77, 0, 0, 255 }; /* (1, 3, 3) */
  g_autoptr(UrbSoftMap) soft = urb_soft_map_new_from_levels (levels, 3, 1, 3, 30, 10);
  g_autoptr(UrbClassMap) map = urb_class_map_new_from_soft (soft);
  int width = 0;

  g_assert_cmpint (map->width_px, ==, 30);
  g_assert_cmpint (map->height_px, ==, 10);
  g_assert_cmpfloat (map->pixel_m, ==, 1.0);
  g_assert_cmpfloat (soft->detail_m, ==, 10.0);
  while (map->classes[width] == URB_CLASS_BUILDING)
    width++;
  g_assert_cmpint (width, >=, 17);
  g_assert_cmpint (width, <=, 19);
  for (int i = width; i < 30; i++)
    g_assert_cmpint (map->classes[i], ==, URB_CLASS_OTHER);
}

static void
test_components (void)
{
  g_autoptr(UrbClassMap) map = fixture_map ("B..B/.BB./.B../R..B", 1);
  g_autofree gint32 *labels = g_new (gint32, 16);
  g_autoptr(GArray) four = urb_components_label (map->classes, 4, 4, URB_CONNECT_4, labels);
  g_autoptr(GArray) eight = NULL;
  const UrbComponent *middle;

  /* B, ., B, ., BB|B, ..|., ., R, B: the open land falls into five */
  g_assert_cmpint (labels[5], ==, labels[9]);
  g_assert_cmpint (labels[0], !=, labels[5]);
  middle = &g_array_index (four, UrbComponent, labels[5]);
  g_assert_cmpint (middle->n_pixels, ==, 3);
  g_assert_false (middle->touches_border);
  g_assert_cmpint (middle->min_col, ==, 1);
  g_assert_cmpint (middle->max_col, ==, 2);
  g_assert_cmpint (middle->max_row, ==, 2);

  eight = urb_components_label (map->classes, 4, 4, URB_CONNECT_8, labels);
  g_assert_cmpint (labels[0], ==, labels[5]);
  g_assert_cmpint (labels[3], ==, labels[6]);
  g_assert_cmpuint (eight->len, <, four->len);
}

/* One image pixel per pixel, in the colors of a plan. */
static gboolean
write_png (const char *path, const UrbClassMap *map, GError **error)
{
  g_autoptr(UrbCairoSurface) surface
    = cairo_image_surface_create (CAIRO_FORMAT_RGB24, map->width_px, map->height_px);
  gsize stride = (gsize) cairo_image_surface_get_stride (surface);
  guchar *data = cairo_image_surface_get_data (surface);

  for (int row = 0; data != NULL && row < map->height_px; row++)
    for (int col = 0; col < map->width_px; col++)
      {
        UrbColor color
          = urb_class_get_color (map->classes[(gint64) row * map->width_px + col]);

        ((guint32 *) (gpointer) (data + (gsize) row * stride))[col]
          = 0xff000000u | (guint32) color.r << 16 | (guint32) color.g << 8 | color.b;
      }
  cairo_surface_mark_dirty (surface);
  return urb_plan_write_png (surface, path, error);
}

static void
test_png (void)
{
  g_autofree char *folder = city_make_folder ();
  g_autofree char *path = g_build_filename (folder, "map.png", NULL);
  g_autoptr(UrbClassMap) map = fixture_map ("BR./BBR/.RR/...", 1);
  g_autoptr(UrbClassMap) back = NULL;
  g_autoptr(GError) error = NULL;

  g_assert_true (write_png (path, map, &error));
  g_assert_no_error (error);
  back = urb_class_map_load_png (path, 30, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (back->width_px, ==, 3);
  g_assert_cmpint (back->height_px, ==, 4);
  g_assert_cmpfloat (back->pixel_m, ==, 10.0);
  g_assert_cmpmem (back->classes, 12, map->classes, 12);
  city_remove_folder (g_steal_pointer (&folder));
}

static void
test_bad_png (void)
{
  static const guint8 huge[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I', 'H',
                                 'D', 'R', 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 8, 2 };
  static const guint8 cut[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I', 'H',
                                'D', 'R', 0, 0, 0, 9, 0, 0, 0, 9, 8, 2 };
  const struct { const void *data; gssize size;
  } files[] = {
    { huge, sizeof huge },
    { cut, sizeof cut },
    { "no picture at all, but long enough", 34 },
    { "", 0 },
  };
  g_autofree char *folder = city_make_folder ();
  g_autofree char *path = g_build_filename (folder, "bad.png", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autoptr(GError) error = NULL;

      g_assert_true (g_file_set_contents (path, files[i].data, files[i].size, NULL));
      g_assert_null (urb_class_map_load_png (path, 250, NULL, &error));
      g_assert_error (error, URB_CITY_ERROR, URB_CITY_ERROR_IMAGE);
    }
  city_remove_folder (g_steal_pointer (&folder));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/class-map/rule", test_rule);
  g_test_add_func ("/class-map/zoom", test_zoom);
  g_test_add_func ("/class-map/components", test_components);
  g_test_add_func ("/class-map/png", test_png);
  g_test_add_func ("/class-map/bad-png", test_bad_png);
  return g_test_run ();
}
