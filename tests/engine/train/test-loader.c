/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-loader.c - the tiles of each step, and damaged tiles.
 */
#include <string.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "made-up-tiles.h"
#include "train/loader.h"

enum { SIZE_PX = 8, N_PIXELS = SIZE_PX * SIZE_PX, N_TILES = 600, BATCH = 4, SEED = 7 };

/* Grey tiles are transferred as bytes, sharp tiles of three channels as bits. */
static const UrbTileFormat grey = { SIZE_PX, 1, FALSE }, sharp = { SIZE_PX, 3, TRUE };

typedef struct
{
  const UrbTileFormat *format;
  char *folder, *path;
} Fixture;

/* Each tile shows its number in base 3, one digit in eight pixels. */
static void
draw (const UrbTileFormat *format, int number, guint8 levels[3 * N_PIXELS])
{
  static const guint8 shades[3] = { 0, 128, 255 }; /* all that grey tiles have */

  memset (levels, 0, 3 * N_PIXELS);
  for (int i = 0; i < N_PIXELS; i++)
    {
      int digit = number;

      for (int k = 0; k < i / 8; k++)
        digit /= 3;
      if (format->n_channels == 1)
        levels[i] = shades[digit % 3];
      else
        levels[3 * i + digit % 3] = 255;
    }
}

/* As a loader returns it. */
static void
draw_loaded (const UrbTileFormat *format, int number, guint8 *tile)
{
  guint8 levels[3 * N_PIXELS];
  gint64 n_bytes = urb_tile_format_get_bytes (format);

  draw (format, number, levels);
  for (gint64 i = 0; i < n_bytes; i++)
    {
      tile[i] = format->bits ? 0 : levels[i];
      for (int bit = 0; bit < 8 && format->bits; bit++)
        tile[i] |= (guint8) ((levels[8 * i + bit] & 1) << bit);
    }
}

static void
set_up (Fixture *self, gconstpointer format)
{
  g_autoptr(GError) error = NULL;
  UrbDatasetInfo info = { .resolution_px = SIZE_PX, .area_size_m = 250 };
  g_autoptr(UrbDatasetWriter) writer = NULL;

  self->format = format;
  info.encoding = self->format->n_channels == 1 ? URB_ENCODING_GREY : URB_ENCODING_RGB;
  self->folder = g_dir_make_tmp ("urbarium-XXXXXX", NULL);
  self->path = g_build_filename (self->folder, "areas.gpkg", NULL);
  writer = urb_dataset_writer_new (self->path, &info, NULL, &error);
  g_assert_no_error (error);
  for (int i = 0; i < N_TILES; i++)
    {
      UrbArea area = { .center_x = 1000.0 * i, .share = { 0.5, 0.25, 0.25 }, .variance = 0.5,
                       .coverage = 1, .split = URB_SPLIT_TRAIN };
      guint8 levels[3 * N_PIXELS];

      draw (self->format, i, levels);
      made_up_tile_add (writer, &info, &area, NULL, levels, &error);
      g_assert_no_error (error);
    }
  urb_dataset_writer_finish (writer, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *self, gconstpointer format)
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
  UrbTileFormat format = urb_tile_format_choose (dataset, SIZE_PX, self->format->n_channels);
  UrbLoader *loader = urb_loader_new (dataset, SEED, &shard, &format, &error);

  g_assert_no_error (error);
  g_assert_cmpint (format.bits, ==, self->format->bits);
  return loader;
}

/* The tile of image number @image of the run. */
static int
find_tile (gint64 image)
{
  return (int) urb_loader_permute (SEED, (guint64) image / N_TILES, (guint64) image % N_TILES, N_TILES);
}

static void
check_step (Fixture *self, UrbLoader *loader, gint64 step)
{
  g_autoptr(GError) error = NULL;
  const guint8 *tiles = urb_loader_get (loader, step, &error);
  gsize n_bytes = (gsize) urb_tile_format_get_bytes (self->format);

  g_assert_no_error (error);
  for (int i = 0; i < BATCH; i++)
    {
      guint8 expected[3 * N_PIXELS];

      draw_loaded (self->format, find_tile (step * BATCH + i), expected);
      g_assert_cmpmem (tiles + (gsize) i * n_bytes, n_bytes, expected, n_bytes);
    }
}

/* Through three epochs, and from the middle as after a resume. */
static void
test_order (Fixture *self, gconstpointer format)
{
  const gint64 n_steps = 3 * N_TILES / BATCH;
  UrbLoader *loader = open_loader (self);

  for (gint64 step = 0; step < n_steps; step++)
    check_step (self, loader, step);
  urb_loader_free (loader);
  loader = open_loader (self);
  check_step (self, loader, 70);
  check_step (self, loader, 71);
  check_step (self, loader, 3);
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
test_damaged (Fixture *self, gconstpointer format)
{
  UrbLoader *loader;
  g_autoptr(GError) error = NULL;

  damage_tile (self, find_tile (1));
  loader = open_loader (self);
  g_assert_null (urb_loader_get (loader, 0, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, self->path));
  g_clear_error (&error);
  check_step (self, loader, 1);
  urb_loader_free (loader);
}

/* A damaged tile at the end of the epoch is found during the first few steps. */
static void
test_damaged_later (Fixture *self, gconstpointer format)
{
  UrbLoader *loader;
  g_autoptr(GError) error = NULL;
  gint64 until = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

  damage_tile (self, find_tile (N_TILES - 1));
  loader = open_loader (self);
  check_step (self, loader, 0);
  check_step (self, loader, 1);
  for (gint64 step = 2; error == NULL && g_get_monotonic_time () < until; step = step % 9 + 1)
    urb_loader_get (loader, step, &error);
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED);
  g_clear_error (&error);
  g_assert_null (urb_loader_get (loader, 20, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED);
  urb_loader_free (loader);
}

static void
test_formats (void)
{
  const UrbTileFormat odd = { 5, 3, TRUE };
  const gint64 most = (1 << 30) / (N_PIXELS * 3 / 8);

  g_assert_cmpint (urb_tile_format_get_bytes (&grey), ==, N_PIXELS);
  g_assert_cmpint (urb_tile_format_get_bytes (&sharp), ==, N_PIXELS * 3 / 8);
  g_assert_cmpint (urb_tile_format_get_bytes (&odd), ==, 10); /* of 75 bits */
  /* Memory: two batches, and the dataset if it is not too large. */
  g_assert_cmpint (urb_loader_count_bytes (N_TILES, BATCH, &sharp), ==,
                   (2 * BATCH + N_TILES) * N_PIXELS * 3 / 8);
  g_assert_cmpint (urb_loader_count_bytes (most, 0, &sharp), ==, most * (N_PIXELS * 3 / 8));
  g_assert_cmpint (urb_loader_count_bytes (most + 1, 0, &sharp), ==, 0);
}

/* A benchmark's random tiles are the same as bits and as bytes. */
static void
test_random (void)
{
  const UrbTileFormat bytes = { SIZE_PX, 3, FALSE };
  const UrbShard shard = URB_SHARD_ALL (BATCH);
  g_autoptr(UrbLoader) of_bits = urb_loader_new (NULL, SEED, &shard, &sharp, NULL);
  g_autoptr(UrbLoader) of_bytes = urb_loader_new (NULL, SEED, &shard, &bytes, NULL);
  UrbTileFormat chosen = urb_tile_format_choose (NULL, SIZE_PX, 3);
  int n_set = 0;

  g_assert_true (chosen.bits);
  chosen = urb_tile_format_choose (NULL, SIZE_PX, 1);
  g_assert_false (chosen.bits);
  for (gint64 step = 0; step < 9; step++)
    {
      const guint8 *x = urb_loader_get (of_bits, step, NULL);
      const guint8 *y = urb_loader_get (of_bytes, step, NULL);

      for (int i = 0; i < BATCH * N_PIXELS * 3; i++)
        {
          g_assert_cmpint (x[i / 8] >> i % 8 & 1 ? 255 : 0, ==, y[i]);
          n_set += y[i] == 255;
        }
    }
  g_assert_cmpint (n_set, >, 0);
  g_assert_cmpint (n_set, <, 9 * BATCH * N_PIXELS * 3);
}

/* A permutation: every place once, and hardly any unchanged. */
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
  g_test_add ("/loader/order", Fixture, &grey, set_up, test_order, tear_down);
  g_test_add ("/loader/order-of-bits", Fixture, &sharp, set_up, test_order, tear_down);
  g_test_add ("/loader/damaged", Fixture, &grey, set_up, test_damaged, tear_down);
  g_test_add ("/loader/damaged-bits", Fixture, &sharp, set_up, test_damaged, tear_down);
  g_test_add ("/loader/damaged-later", Fixture, &grey, set_up, test_damaged_later, tear_down);
  g_test_add_func ("/loader/formats", test_formats);
  g_test_add_func ("/loader/random", test_random);
  g_test_add_func ("/loader/permutation", test_permutation);
  return g_test_run ();
}
