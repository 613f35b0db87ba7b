/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-loader.c - the tiles of each step, and damaged tiles.
 */
#include <string.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "made-up-tiles.h"
#include "train/loader.h"
#include "train/spoil.h"

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
  UrbDataset *dataset = urb_dataset_open_unverified (self->path, &error);
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

/* ------------------------------------------------------------------------ */
/* Crops                                                                     */

/* Tiles of 4 pixels with crops of 2, which are 4 pixels of the tile at 8. */
static const UrbTileFormat cropped = { 4, 3, FALSE, SIZE_PX, 2 };

enum { TILE = 4 * 4 * 3, SPOILT = 2 * 2 * 3, CROP = 4 * 4 * 3, IMAGE = TILE + SPOILT + CROP };

/* What a loader gives for one image. */
typedef struct
{
  guint8 tile[TILE], spoilt[SPOILT], crop[CROP];
} Image;

/* The shard's @index-th image in @loaded. */
static Image
get_image (const UrbShard *shard, const guint8 *loaded, gint64 index)
{
  gint64 n = shard->batch / shard->n_ranks / shard->n_microbatches, i = index % n;
  const guint8 *part = loaded + index / n * n * IMAGE;
  Image image;

  memcpy (image.tile, part + i * TILE, TILE);
  memcpy (image.spoilt, part + n * TILE + i * SPOILT, SPOILT);
  memcpy (image.crop, part + n * (TILE + SPOILT) + i * CROP, CROP);
  return image;
}

/* Whether the crop is the part of the area's tile at full resolution that begins at @row, @col. */
static gboolean
is_part (const Fixture *self, const Image *image, int number, int row, int col)
{
  guint8 levels[3 * N_PIXELS];

  draw (self->format, number, levels);
  for (int y = 0; y < 4; y++)
    if (memcmp (image->crop + y * 4 * 3, levels + ((row + y) * SIZE_PX + col) * 3, 4 * 3) != 0)
      return FALSE;
  return TRUE;
}

/* Each rank and microbatch gets the images that the whole batch has in these places, and each
 * crop is a part of its tile, at a corner of one of the tile's own pixels. */
static void
test_crops (Fixture *self, gconstpointer format)
{
  const UrbShard whole = URB_SHARD_ALL (BATCH), second = { BATCH, 2, 2, 1, 1 };
  g_autoptr(UrbLoader) all = urb_loader_new (urb_dataset_open (self->path, NULL), SEED, &whole,
                                             &cropped, NULL);
  g_autoptr(UrbLoader) half = urb_loader_new (urb_dataset_open (self->path, NULL), SEED, &second,
                                              &cropped, NULL);
  gboolean seen[3 * 3] = { FALSE };
  int n_seen = 0;

  g_assert_cmpint (urb_tile_format_get_bytes (&cropped), ==, IMAGE);
  for (gint64 step = 0; step < 40; step++)
    {
      const guint8 *of_all = urb_loader_get (all, step, NULL);
      const guint8 *of_half = urb_loader_get (half, step, NULL);

      for (gint64 i = 0; i < BATCH; i++)
        {
          Image image = get_image (&whole, of_all, i);
          int n_parts = 0;

          for (int place = 0; place < 3 * 3; place++)
            if (is_part (self, &image, find_tile (step * BATCH + i), place / 3 * 2, place % 3 * 2))
              {
                seen[place] = TRUE;
                n_parts++;
              }
          g_assert_cmpint (n_parts, >, 0);
        }
      for (gint64 i = 0; i < urb_shard_get_n (&second); i++)
        {
          Image a = get_image (&second, of_half, i);
          Image b = get_image (&whole, of_all, urb_shard_get_place (&second, i));

          g_assert_cmpmem (&a, sizeof a, &b, sizeof b);
        }
    }
  for (int place = 0; place < 3 * 3; place++)
    n_seen += seen[place];
  g_assert_cmpint (n_seen, ==, 3 * 3);
}

/* Spoiling depends on its numbers only, keeps shares, and is on average a small change that
 * fades what is not open land. */
static void
test_spoil (void)
{
  enum { EDGE = 24, N = EDGE * EDGE * 3, N_SPOILT = 200 };
  guint8 real[N], a[N], b[N];
  double change = 0, built = 0, built_before = 0;

  for (int i = 0; i < EDGE * EDGE; i++)
    for (int c = 0; c < 3; c++)
      real[3 * i + c] = (i / EDGE % 8 < 3 ? i % EDGE < 12 ? 0 : 1 : 2) == c ? 255 : 0;
  for (int image = 0; image < N_SPOILT; image++)
    {
      memcpy (a, real, N);
      memcpy (b, real, N);
      urb_spoil (a, EDGE, 3, SEED, (guint64) image);
      urb_spoil (b, EDGE, 3, SEED, (guint64) image);
      g_assert_cmpmem (a, N, b, N);
      urb_spoil (b, EDGE, 3, SEED, (guint64) image + 1);
      g_assert_cmpint (memcmp (a, b, N), !=, 0);
      for (int i = 0; i < N; i += 3)
        {
          g_assert_cmpint (ABS (a[i] + a[i + 1] + a[i + 2] - 255), <=, 2);
          change += ABS (a[i] - real[i]) / 255.0;
          built += (a[i] + a[i + 1]) / 255.0;
          built_before += (real[i] + real[i + 1]) / 255.0;
        }
    }
  change /= N_SPOILT * EDGE * EDGE;
  g_assert_cmpfloat (change, >, 0.02);
  g_assert_cmpfloat (change, <, 0.2);
  g_assert_cmpfloat (built / built_before, >, 0.6);
  g_assert_cmpfloat (built / built_before, <, 0.95);
}

/* Grey open land stays what it is, apart from a little noise. */
static void
test_spoil_grey (void)
{
  enum { EDGE = 24, N = EDGE * EDGE };
  guint8 levels[N];

  for (int image = 0; image < 50; image++)
    {
      double sum = 0;

      memset (levels, 128, N);
      urb_spoil (levels, EDGE, 1, SEED, (guint64) image);
      for (int i = 0; i < N; i++)
        sum += levels[i];
      g_assert_cmpfloat_with_epsilon (sum / N, 128, 3);
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
  g_test_add ("/loader/crops", Fixture, &sharp, set_up, test_crops, tear_down);
  g_test_add_func ("/loader/spoil", test_spoil);
  g_test_add_func ("/loader/spoil-grey", test_spoil_grey);
  return g_test_run ();
}
