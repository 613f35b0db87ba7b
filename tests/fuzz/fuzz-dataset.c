/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz-dataset.c - an untrusted dataset: an SQLite file with arbitrary contents.
 */
#include <string.h>

#include <glib/gstdio.h>

#include "fuzz.h"
#include "made-up-tiles.h"

enum { SIZE_PX = 8, N_AREAS = 3 };

static void
add_dataset (GPtrArray *inputs, UrbEncoding encoding)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "areas.gpkg", NULL);
  g_autoptr(GError) error = NULL;
  UrbDatasetInfo info = { .encoding = encoding, .resolution_px = SIZE_PX, .area_size_m = 250 };
  UrbDatasetWriter *writer = urb_dataset_writer_new (path, &info, NULL, &error);
  guint8 levels[SIZE_PX * SIZE_PX * 3] = { 0 };
  g_assert_no_error (error);
  for (int i = 0; i < N_AREAS; i++)
    {
      UrbArea area = { .center_x = 1000.0 * i, .share = { 0.5, 0.25, 0.25 }, .variance = 0.5,
                       .coverage = 1, .split = i == 0 ? URB_SPLIT_TEST : URB_SPLIT_TRAIN };
      memset (levels, 85 * i, sizeof levels);
      made_up_tile_add (writer, &info, &area, "a map", levels, &error);
      g_assert_no_error (error);
    }
  urb_dataset_writer_finish (writer, &error);
  g_assert_no_error (error);
  urb_dataset_writer_free (writer);
  fuzz_add_database (inputs, path);
  g_rmdir (folder);
}

void
fuzz_add_seeds (GPtrArray *inputs)
{
  add_dataset (inputs, URB_ENCODING_RGB);
  add_dataset (inputs, URB_ENCODING_GREY);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbDataset) dataset = urb_dataset_open_unverified (fuzz_write_file (data, size), &error);
  const UrbDatasetInfo *info;
  g_autofree guint8 *levels = NULL;
  if (dataset == NULL)
    {
      g_assert_nonnull (error);
      return 0;
    }
  info = urb_dataset_get_info (dataset);
  levels = g_malloc ((gsize) info->resolution_px * (gsize) info->resolution_px * 3);
  for (gint64 i = 0; i < info->n_areas; i++)
    {
      const UrbArea *area = urb_dataset_get_area (dataset, i);
      g_assert_true (area->split == URB_SPLIT_TRAIN || area->split == URB_SPLIT_TEST);
      urb_dataset_read_tile (dataset, i, info->resolution_px, levels, NULL);
      if (urb_dataset_is_binary (dataset, info->resolution_px))
        urb_dataset_read_tile_bits (dataset, i, levels, NULL);
    }
  return 0;
}
