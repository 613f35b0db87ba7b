/* SPDX-License-Identifier: Apache-2.0 */
#include "stand-in.h"

#include "app-test.h"
#include "flat-folder.h"
#include "made-up-tiles.h"

enum { SIZE_PX = 64, SIZE_M = 256, N_BYTES = SIZE_PX * SIZE_PX * 3, MAX_CITIES = 80 };

static char *folder, *dataset; /* owned */

static void
fill (guint8 *levels, int kind)
{
  int edge = 12 + 14 * kind;
  for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
    {
      int col = i % SIZE_PX, row = i / SIZE_PX;
      gboolean hall = col >= 8 && col < 8 + edge && row >= 8 && row < 8 + edge;
      gboolean building = kind < STAND_IN_AREAS ? hall : col % 7 < 3 && row % 9 < 4;
      gboolean road = kind > 0 && col >= 56 && col < 60;
      levels[3 * i] = building ? 255 : 0;
      levels[3 * i + 1] = road ? 255 : 0;
      levels[3 * i + 2] = building || road ? 0 : 255;
    }
}

static void
write_dataset (void)
{
  const UrbDatasetInfo info = { .encoding = URB_ENCODING_RGB, .resolution_px = SIZE_PX,
                                .area_size_m = SIZE_M, .recipe_json = (char *) "{}" };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbDatasetWriter) writer = urb_dataset_writer_new (dataset, &info, NULL, &error);
  g_autofree guint8 *levels = g_malloc (N_BYTES);
  g_assert_no_error (error);
  for (int i = 0; i < STAND_IN_AREAS; i++)
    {
      const UrbArea area = { .center_x = 300.0 * i, .share = { 0.25, 0.25, 0.5 }, .coverage = 1,
                             .split = URB_SPLIT_TRAIN };
      fill (levels, i);
      made_up_tile_add (writer, &info, &area, NULL, levels, &error);
      g_assert_no_error (error);
    }
  urb_dataset_writer_finish (writer, &error);
  g_assert_no_error (error);
}

void
stand_in_set_up (void)
{
  g_autofree char *cities = NULL;
  g_autofree guint8 *levels = g_malloc (N_BYTES * MAX_CITIES);
  g_autoptr(GError) error = NULL;
  folder = g_dir_make_tmp ("urbarium-stand-in-XXXXXX", &error);
  g_assert_no_error (error);
  g_setenv ("STAND_IN", folder, TRUE);
  dataset = g_build_filename (folder, "areas.gpkg", NULL);
  cities = g_build_filename (folder, "cities", NULL);
  for (int i = 0; i < MAX_CITIES; i++)
    fill (levels + i * N_BYTES, 1);
  g_file_set_contents (cities, (const char *) levels, N_BYTES * MAX_CITIES, &error);
  g_assert_no_error (error);
  write_dataset ();
}

void
stand_in_tear_down (void)
{
  flat_folder_remove (g_steal_pointer (&folder));
  g_clear_pointer (&dataset, g_free);
}

const char *
stand_in_folder (void)
{
  return folder;
}

const char *
stand_in_dataset (void)
{
  return dataset;
}

UrbariumTile *
stand_in_tile (int kind)
{
  guint8 *levels = g_malloc (N_BYTES);
  g_autoptr(GBytes) bytes = g_bytes_new_take (levels, N_BYTES);
  fill (levels, kind);
  return urbarium_tile_new (bytes, SIZE_PX, SIZE_PX, 3, SIZE_M);
}

UrbariumCity *
stand_in_city (gint64 index, int kind)
{
  UrbariumCity *city = urbarium_city_new (7, index, 0.5);
  g_autoptr(UrbariumTile) tile = stand_in_tile (kind);
  urbarium_city_set_tile (city, tile);
  return city;
}

static gboolean
is_open (gpointer data)
{
  gpointer *both = data;
  const UrbariumCityModel *model = urbarium_city_source_get_model (both[0]);
  return model != NULL && g_str_equal (model->checkpoint, both[1]);
}

void
stand_in_open (UrbariumCitySource *source, const char *name)
{
  gpointer both[] = { source, (gpointer) name };
  urbarium_city_source_open (source, name);
  test_until (is_open, both);
}
