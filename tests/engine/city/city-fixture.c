/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-fixture.c - small class maps for several tests.
 */
#include "city-fixture.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

UrbClassMap *
fixture_map (const char *rows, double pixel_m)
{
  g_auto(GStrv) lines = g_strsplit (rows, "/", -1);
  int width = (int) strlen (lines[0]), height = (int) g_strv_length (lines);
  UrbClassMap *map = urb_class_map_new (width, height, pixel_m);

  for (int row = 0; row < height; row++)
    for (int col = 0; col < width; col++)
      map->classes[row * width + col] = lines[row][col] == 'B'   ? URB_CLASS_BUILDING
                                        : lines[row][col] == 'R' ? URB_CLASS_ROAD
                                                                 : URB_CLASS_OTHER;
  return map;
}

UrbClassMap *
fixture_blank (int size_px, double pixel_m)
{
  return urb_class_map_new (size_px, size_px, pixel_m);
}

UrbClassMap *
fixture_noise (int size_px, int n_classes, guint32 seed)
{
  UrbClassMap *map = fixture_blank (size_px, 1);
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);

  for (int i = 0; i < size_px * size_px; i++)
    map->classes[i] = (guint8) g_rand_int_range (rand, 0, n_classes);
  return map;
}

void
fixture_paint_rectangle (UrbClassMap *map, double x, double y, double length, double width,
                         double angle, UrbClass class_)
{
  double c = cos (angle), s = sin (angle);

  for (int row = 0; row < map->height_px; row++)
    for (int col = 0; col < map->width_px; col++)
      {
        double dx = col + 0.5 - x, dy = row + 0.5 - y;

        if (fabs (c * dx + s * dy) <= length / 2 && fabs (c * dy - s * dx) <= width / 2)
          map->classes[row * map->width_px + col] = class_;
      }
}

UrbClassMap *
fixture_town (int n, guint32 seed)
{
  UrbClassMap *map = fixture_blank (64, 2);
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);

  fixture_paint_rectangle (map, 32, g_rand_int_range (rand, 10, 54), 100, 4, 0, URB_CLASS_ROAD);
  for (int i = 0; i < n; i++)
    fixture_paint_rectangle (map, g_rand_int_range (rand, 4, 60), g_rand_int_range (rand, 4, 60),
                             g_rand_int_range (rand, 5, 9), 4, g_rand_double (rand),
                             URB_CLASS_BUILDING);
  return map;
}

UrbClassMap *
fixture_clutter (guint32 seed, gboolean specks)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  int width = g_rand_int_range (rand, 1, 140), height = g_rand_int_range (rand, 1, 140);
  UrbClassMap *map = urb_class_map_new (width, height, g_rand_double_range (rand, 0.1, 4));
  int n = g_rand_int_range (rand, 0, 60);

  for (int i = 0; i < n; i++)
    {
      double x = g_rand_double_range (rand, -5, width + 5);
      double y = g_rand_double_range (rand, -5, height + 5);
      double length = g_rand_double_range (rand, 0.5, i % 5 == 0 ? 150 : 30);
      double breadth = g_rand_double_range (rand, 0.5, 12);

      fixture_paint_rectangle (map, x, y, length, breadth, g_rand_double_range (rand, 0, G_PI),
                               (UrbClass) g_rand_int_range (rand, 0, URB_N_CLASSES));
    }
  for (int i = 0; specks && i < width * height / 20; i++)
    map->classes[g_rand_int_range (rand, 0, width * height)]
      = (guint8) g_rand_int_range (rand, 0, URB_N_CLASSES);
  return map;
}

UrbCityVectors *
fixture_vectors (const UrbClassMap *map, double detail_m)
{
  g_autoptr(UrbSoftMap) soft = urb_soft_map_new_from_classes (map);
  UrbVectorizeOptions options;

  urb_vectorize_options_init (&options, detail_m);
  return urb_vectorize (soft, &options);
}

char *
city_make_folder (void)
{
  g_autoptr(GError) error = NULL;
  char *folder = g_dir_make_tmp ("urbarium-city-XXXXXX", &error);

  g_assert_no_error (error);
  return folder;
}

void
city_remove_folder (char *folder)
{
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_unlink (path);
    }
  g_rmdir (folder);
  g_free (folder);
}
