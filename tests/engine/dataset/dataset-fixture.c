/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataset-fixture.c - small datasets with random tiles, for several tests.
 */
#include "dataset-fixture.h"

#include <glib/gstdio.h>

#include "made-up-tiles.h"

char *
fixture_make_folder (void)
{
  g_autoptr(GError) error = NULL;
  char *folder = g_dir_make_tmp ("urbarium-test-XXXXXX", &error);

  g_assert_no_error (error);
  return folder;
}

void
fixture_remove_folder (const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_unlink (path);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
random_pixel (GRand *rand, UrbEncoding encoding, gboolean soft, guint8 *level)
{
  static const guint8 sharp_grey[] = { 0, 128, 255 };

  if (encoding == URB_ENCODING_GREY)
    {
      level[0] = soft ? (255 * g_rand_int_range (rand, 0, 15) + 7) / 14
                      : sharp_grey[g_rand_int_range (rand, 0, 3)];
      return;
    }
  level[0] = level[1] = level[2] = 0;
  if (soft)
    for (int i = 0; i < 15; i++)
      level[g_rand_int_range (rand, 0, 3)] += 17;
  else if (!g_rand_int_range (rand, 0, 20))
    return; /* not covered */
  else
    level[g_rand_int_range (rand, 0, 3)] = 255;
}

void
fixture_levels (GRand *rand, UrbEncoding encoding, gboolean soft, int size_px, guint8 *levels)
{
  const int patch = 5;
  int n_channels = urb_encoding_get_n_channels (encoding);
  guint8 *above, *left;

  for (int y = 0; y < size_px; y++)
    for (int x = 0; x < size_px; x++)
      {
        guint8 *level = levels + ((gsize) y * size_px + x) * n_channels;

        above = level - (gsize) size_px * n_channels;
        left = level - n_channels;
        if (x % patch == 0 && y % patch == 0)
          random_pixel (rand, encoding, soft, level);
        else
          for (int c = 0; c < n_channels; c++)
            level[c] = x % patch != 0 ? left[c] : above[c];
      }
}

UrbArea
fixture_area (int i, double size_m)
{
  UrbArea area = {
    .center_x = 2600000 + 1.5 * size_m * i,
    .center_y = 1200000.125,
    .angle_deg = 7.5 * i,
    .variance = 1.0 / (2 + i),
    .share = { 0.125, 0.25, 0.625 },
    .coverage = 0.9921875,
    .split = i % 3 == 2 ? URB_SPLIT_TEST : URB_SPLIT_TRAIN,
  };

  return area;
}

void
fixture_write (const char *path, UrbEncoding encoding, gboolean soft, int size_px)
{
  UrbDatasetInfo info = {
    .encoding = encoding,
    .soft = soft,
    .resolution_px = size_px,
    .area_size_m = 250,
    .recipe_json = (char *) "{\"stride_m\": 125, \"note\": \"it's a test\"}",
    .crs_name = (char *) "CH1903+ / LV95",
    .epsg = 2056,
  };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbDatasetWriter) writer = urb_dataset_writer_new (path, &info, NULL, &error);
  g_autofree guint8 *levels = g_malloc ((gsize) size_px * size_px * 3);

  g_assert_no_error (error);
  for (int i = 0; i < FIXTURE_N_AREAS; i++)
    {
      g_autoptr(GRand) rand = g_rand_new_with_seed (i);
      UrbArea area = fixture_area (i, 250);

      fixture_levels (rand, encoding, soft, size_px, levels);
      made_up_tile_add (writer, &info, &area, "test.gpkg", levels, &error);
      g_assert_no_error (error);
    }
  urb_dataset_writer_finish (writer, &error);
  g_assert_no_error (error);
}
