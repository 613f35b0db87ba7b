/* SPDX-License-Identifier: Apache-2.0 */
/*
 * small-dataset.c - see small-dataset.h.
 */
#include "small-dataset.h"

#include <string.h>

#include "base/atomic-file.h"
#include "made-up-tiles.h"

static const char preset_text[] =
  "[preset]\nimage-size=16\nlatent=8\nbatch=4\nsteps=100\nlr=0.001\ngamma=5\n"
  "[generator]\n1=dense 16 4 bias lrelu\n2=tconv 16 bias lrelu\n3=tconv image bias head\n"
  "[discriminator]\n1=conv4 16 bias lrelu\n2=conv4 16 bias lrelu\n3=logit bias\n";

void
small_dataset_write_areas (const char *path, int n)
{
  g_autoptr(GError) error = NULL;
  UrbDatasetInfo info = { .encoding = URB_ENCODING_RGB, .resolution_px = 16, .area_size_m = 250 };
  g_autoptr(UrbDatasetWriter) writer = urb_dataset_writer_new (path, &info, NULL, &error);
  guint8 levels[16 * 16 * 3];

  g_assert_no_error (error);
  for (int i = 0; i < n; i++)
    {
      UrbArea area = { .center_x = 1000.0 * i, .share = { 0.5, 0.25, 0.25 }, .variance = 0.5,
                       .coverage = 1, .split = i % 5 == 4 ? URB_SPLIT_TEST : URB_SPLIT_TRAIN };

      memset (levels, 0, sizeof levels);
      for (int p = 0; p < 16 * 16; p++)
        levels[3 * p + (p / (i + 2)) % 3] = 255;
      made_up_tile_add (writer, &info, &area, NULL, levels, &error);
      g_assert_no_error (error);
    }
  urb_dataset_writer_finish (writer, &error);
  g_assert_no_error (error);
}

void
small_dataset_write (const char *folder)
{
  g_autofree char *preset = g_build_filename (folder, "mini.preset", NULL);
  g_autofree char *dataset = g_build_filename (folder, "areas.gpkg", NULL);

  g_assert_true (urb_atomic_file_set_contents (preset, preset_text, strlen (preset_text), NULL));
  small_dataset_write_areas (dataset, 40);
}
