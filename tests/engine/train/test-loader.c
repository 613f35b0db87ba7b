/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-loader.c - which tiles a step gets, and what becomes of one that is damaged.
 */
#include <string.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "dataset/dataset-writer.h"
#include "train/loader.h"

enum { SIZE_PX = 8, N_BYTES = SIZE_PX * SIZE_PX, N_TILES = 600, BATCH = 4, SEED = 7 };

typedef struct
{
  char *folder, *path;
} Fixture;

/* Each tile by its number in base 3, one digit in eight pixels. */
static void
draw (int number, guint8 levels[N_BYTES])
{
  static const guint8 shades[3] = { 0, 128, 255 }; /* all that grey tiles have */

  for (int i = 0; i < N_BYTES; i++)
    {
      int digit = number;

      for (int k = 0; k < i / 8; k++)
        digit /= 3;
      levels[i] = shades[digit % 3];
    }
}

static void
set_up (Fixture *self, gconstpointer unused)
{
  g_autoptr(GError) error = NULL;
  UrbDatasetInfo info = { .encoding = URB_ENCODING_GREY, .resolution_px = SIZE_PX, .area_size_m = 250 };
  g_autoptr(UrbDatasetWriter) writer = NULL;

  self->folder = g_dir_make_tmp ("urbarium-XXXXXX", NULL);
  self->path = g_build_filename (self->folder, "areas.gpkg", NULL);
  writer = urb_dataset_writer_new (self->path, &info, NULL, &error);
  g_assert_no_error (error);
  for (int i = 0; i < N_TILES; i++)
    {
      UrbArea area = { .center_x = 1000.0 * i, .share = { 0.5, 0.25, 0.25 }, .variance = 0.5,
                       .coverage = 1, .split = URB_SPLIT_TRAIN };
      guint8 levels[N_BYTES];

      draw (i, levels);
      urb_dataset_writer_add_levels (writer, &area, NULL, levels, &error);
      g_assert_no_error (error);
    }
  urb_dataset_writer_finish (writer, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *self, gconstpointer unused)
{
  g_assert_cmpint (g_unlink (self->path), ==, 0);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->path);
  g_free (self->folder);
}

static UrbLoader *
open_loader (Fixture *self)
{
  const UrbShard shard = URB_SHARD_ALL (BATCH);
  g_autoptr(GError) error = NULL;
  UrbDataset *dataset = urb_dataset_open (self->path, &error);
  UrbLoader *loader = urb_loader_new (dataset, SEED, &shard, SIZE_PX, 1, &error);

  g_assert_no_error (error);
  return loader;
}

/* The tile that image number @image of the run is. */
static int
find_tile (gint64 image)
{
  return (int) urb_loader_permute (SEED, (guint64) image / N_TILES, (guint64) image % N_TILES, N_TILES);
}

static void
check_step (UrbLoader *loader, gint64 step)
{
  g_autoptr(GError) error = NULL;
  const guint8 *tiles = urb_loader_get (loader, step, &error);

  g_assert_no_error (error);
  for (int i = 0; i < BATCH; i++)
    {
      guint8 levels[N_BYTES];

      draw (find_tile (step * BATCH + i), levels);
      g_assert_cmpmem (tiles + i * N_BYTES, N_BYTES, levels, N_BYTES);
    }
}

/* Through three epochs, and from the middle as after a resume. */
static void
test_order (Fixture *self, gconstpointer unused)
{
  const gint64 n_steps = 3 * N_TILES / BATCH;
  UrbLoader *loader = open_loader (self);

  for (gint64 step = 0; step < n_steps; step++)
    check_step (loader, step);
  urb_loader_free (loader);
  loader = open_loader (self);
  check_step (loader, 70);
  check_step (loader, 71);
  check_step (loader, 3);
  urb_loader_free (loader);
}

static void
damage_tile (Fixture *self, int tile)
{
  g_autofree char *sql = g_strdup_printf ("UPDATE area_tiles SET tile = x'00' WHERE fid = (SELECT fid "
                                          "FROM area_tiles ORDER BY fid LIMIT 1 OFFSET %d)", tile);
  sqlite3 *db = NULL;

  g_assert_cmpint (sqlite3_open (self->path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_changes (db), ==, 1);
  sqlite3_close (db);
}

/* In the first step. */
static void
test_damaged (Fixture *self, gconstpointer unused)
{
  UrbLoader *loader;
  g_autoptr(GError) error = NULL;

  damage_tile (self, find_tile (1));
  loader = open_loader (self);
  g_assert_null (urb_loader_get (loader, 0, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, self->path));
  g_clear_error (&error);
  check_step (loader, 1);
  urb_loader_free (loader);
}

/* One that the epoch would have come to last is found while a few steps are asked for. */
static void
test_damaged_later (Fixture *self, gconstpointer unused)
{
  UrbLoader *loader;
  g_autoptr(GError) error = NULL;
  gint64 until = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

  damage_tile (self, find_tile (N_TILES - 1));
  loader = open_loader (self);
  check_step (loader, 0);
  check_step (loader, 1);
  for (gint64 step = 2; error == NULL && g_get_monotonic_time () < until; step = step % 9 + 1)
    urb_loader_get (loader, step, &error);
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED);
  g_clear_error (&error);
  g_assert_null (urb_loader_get (loader, 20, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED);
  urb_loader_free (loader);
}

/* Every place once, and hardly any where it was. */
static void
test_permutation (void)
{
  static const guint64 sizes[] = { 1, 2, 3, 7, 64, 65, 1000 };

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      guint64 n = sizes[s];
      g_autofree guint *seen = g_new0 (guint, n);
      guint64 moved = 0;

      for (guint64 i = 0; i < n; i++)
        {
          guint64 place = urb_loader_permute (5, 2, i, n);

          g_assert_cmpuint (place, <, n);
          seen[place]++;
          moved += place != i;
        }
      for (guint64 i = 0; i < n; i++)
        g_assert_cmpuint (seen[i], ==, 1);
      if (n >= 64)
        g_assert_cmpuint (moved, >, n / 2);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/loader/order", Fixture, NULL, set_up, test_order, tear_down);
  g_test_add ("/loader/damaged", Fixture, NULL, set_up, test_damaged, tear_down);
  g_test_add ("/loader/damaged-later", Fixture, NULL, set_up, test_damaged_later, tear_down);
  g_test_add_func ("/loader/permutation", test_permutation);
  return g_test_run ();
}
