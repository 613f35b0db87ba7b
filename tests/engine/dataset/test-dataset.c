/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-dataset.c - tiles are read back bit for bit and averaged correctly, and files
 * are written atomically.
 */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dataset-fixture.h"
#include "dataset/places.h"
#include "dataset/tile-codec.h"
#include "made-up-tiles.h"

typedef struct
{
  UrbEncoding encoding;
  gboolean    soft;
  int         size_px;
} Kind;

static void
assert_area_equal (const UrbArea *a, const UrbArea *b)
{
  g_assert_cmpfloat (a->center_x, ==, b->center_x);
  g_assert_cmpfloat (a->center_y, ==, b->center_y);
  g_assert_cmpfloat (a->angle_deg, ==, b->angle_deg);
  g_assert_cmpfloat (a->variance, ==, b->variance);
  g_assert_cmpfloat (a->coverage, ==, b->coverage);
  g_assert_cmpint (a->split, ==, b->split);
  for (int c = 0; c < 3; c++)
    g_assert_cmpfloat (a->share[c], ==, b->share[c]);
}

static gboolean
is_sharp_rgb (const Kind *kind)
{
  return kind->encoding == URB_ENCODING_RGB && !kind->soft;
}

/* Each bit matches its level, and the rest of the last byte is 0. */
static void
assert_bits_equal (const guint8 *bits, const guint8 *levels, gsize n)
{
  for (gsize i = 0; i < (n + 7) / 8 * 8; i++)
    g_assert_cmpint (bits[i / 8] >> i % 8 & 1 ? 255 : 0, ==, i < n ? levels[i] : 0);
}

static void
assert_tiles_equal (UrbDataset *dataset, const Kind *kind)
{
  gsize n = (gsize) kind->size_px * kind->size_px * urb_encoding_get_n_channels (kind->encoding);
  g_autofree guint8 *expected = g_malloc (n), *levels = g_malloc (n), *bits = g_malloc ((n + 7) / 8);
  g_autoptr(GError) error = NULL;

  g_assert_cmpint (urb_dataset_is_binary (dataset, kind->size_px), ==, is_sharp_rgb (kind));
  g_assert_false (urb_dataset_is_binary (dataset, kind->size_px / 2));

  for (int i = 0; i < FIXTURE_N_AREAS; i++)
    {
      g_autoptr(GRand) rand = g_rand_new_with_seed (i);
      UrbArea area = fixture_area (i, 250);

      fixture_levels (rand, kind->encoding, kind->soft, kind->size_px, expected);
      urb_dataset_read_tile (dataset, i, kind->size_px, levels, &error);
      g_assert_no_error (error);
      g_assert_cmpmem (levels, n, expected, n);
      if (is_sharp_rgb (kind))
        {
          g_assert_true (urb_dataset_read_tile_bits (dataset, i, bits, &error));
          assert_bits_equal (bits, expected, n);
        }
      assert_area_equal (urb_dataset_get_area (dataset, i), &area);
    }
}

static void
test_round_trip (gconstpointer data)
{
  const Kind *kind = data;
  g_autofree char *folder = fixture_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.gpkg", NULL);
  g_autoptr(UrbDataset) dataset = NULL;
  g_autoptr(GError) error = NULL;
  const UrbDatasetInfo *info;

  fixture_write (path, kind->encoding, kind->soft, kind->size_px);
  dataset = urb_dataset_open (path, &error);
  g_assert_no_error (error);
  info = urb_dataset_get_info (dataset);
  g_assert_cmpint (info->encoding, ==, kind->encoding);
  g_assert_cmpint (info->soft, ==, kind->soft);
  g_assert_cmpint (info->resolution_px, ==, kind->size_px);
  g_assert_cmpfloat (info->area_size_m, ==, 250);
  g_assert_cmpint (info->n_areas, ==, FIXTURE_N_AREAS);
  g_assert_cmpint (info->n_split[URB_SPLIT_TRAIN], ==, 8);
  g_assert_cmpint (info->n_split[URB_SPLIT_TEST], ==, 4);
  g_assert_cmpint (info->epsg, ==, 2056);
  g_assert_cmpstr (info->crs_name, ==, "CH1903+ / LV95");
  g_assert_cmpstr (info->recipe_json, ==, "{\"stride_m\": 125, \"note\": \"it's a test\"}");
  g_assert_cmpint (strlen (info->id), ==, 64);
  assert_tiles_equal (dataset, kind);
  g_assert_true (made_up_tiles_are_intact (path));
  fixture_remove_folder (folder);
}

static void
test_split (void)
{
  g_autofree char *folder = fixture_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.gpkg", NULL);
  g_autoptr(UrbDataset) dataset = NULL;
  const gint64 test[] = { 2, 5, 8, 11 }, train[] = { 0, 1, 3, 4, 6, 7, 9, 10 };
  const gint64 *found;
  gint64 n;

  fixture_write (path, URB_ENCODING_RGB, FALSE, 16);
  dataset = urb_dataset_open (path, NULL);
  found = urb_dataset_get_split (dataset, URB_SPLIT_TEST, &n);
  g_assert_cmpmem (found, n * sizeof *found, test, sizeof test);
  found = urb_dataset_get_split (dataset, URB_SPLIT_TRAIN, &n);
  g_assert_cmpmem (found, n * sizeof *found, train, sizeof train);
  /* Centers are 1.5 edges apart: 0 and 1 are of one place, 2 is alone, 3 and 4 are of another. */
  g_assert_cmpuint (urb_dataset_count_places (dataset, URB_SPLIT_TRAIN), ==, 4);
  g_assert_cmpuint (urb_dataset_count_places (dataset, URB_SPLIT_TEST), ==, 4);
  fixture_remove_folder (folder);
}

/* The same content has the same id in another file; a different pixel or number changes it. */
static char *
dup_id (const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbDataset) dataset = urb_dataset_open (path, &error);

  g_assert_no_error (error);
  return g_strdup (urb_dataset_get_info (dataset)->id);
}

static void
write_one (const char *path, guint8 last_pixel, double angle_deg)
{
  guint8 levels[16 * 16];
  UrbDatasetInfo info = { .encoding = URB_ENCODING_GREY, .resolution_px = 16, .area_size_m = 100 };
  UrbArea area = fixture_area (0, 100);
  g_autoptr(UrbDatasetWriter) writer = urb_dataset_writer_new (path, &info, NULL, NULL);

  memset (levels, 128, sizeof levels);
  levels[255] = last_pixel;
  area.angle_deg = angle_deg;
  g_assert_true (made_up_tile_add (writer, &info, &area, NULL, levels, NULL));
  g_assert_true (urb_dataset_writer_finish (writer, NULL));
}

static void
test_id (void)
{
  g_autofree char *folder = fixture_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.gpkg", NULL);
  g_autofree char *one = NULL, *same = NULL, *pixel = NULL, *angle = NULL;

  write_one (path, 0, 0.0);
  one = dup_id (path);
  write_one (path, 0, -0.0);
  same = dup_id (path);
  write_one (path, 255, 0.0);
  pixel = dup_id (path);
  write_one (path, 0, 1e-9);
  angle = dup_id (path);
  g_assert_cmpstr (one, ==, same);
  g_assert_cmpstr (one, !=, pixel);
  g_assert_cmpstr (one, !=, angle);
  g_assert_cmpstr (pixel, !=, angle);
  fixture_remove_folder (folder);
}

/* By hand: 2 x 2 blocks of a tile whose left half is building, with one road
 * pixel in the first block. */
static void
test_averaging (void)
{
  g_autofree char *folder = fixture_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.gpkg", NULL);
  UrbDatasetInfo info = { .encoding = URB_ENCODING_RGB, .resolution_px = 16, .area_size_m = 100 };
  UrbArea area = fixture_area (0, 100);
  g_autoptr(UrbDatasetWriter) writer = urb_dataset_writer_new (path, &info, NULL, NULL);
  g_autoptr(UrbDataset) dataset = NULL;
  g_autoptr(GError) error = NULL;
  guint8 levels[16 * 16 * 3] = { 0 }, small[8 * 8 * 3], tiny[1 * 1 * 3];

  for (int i = 0; i < 256; i++)
    levels[3 * i + (i % 16 < 8 ? 0 : 2)] = 255;
  levels[0] = 0;
  levels[1] = 255;
  g_assert_true (made_up_tile_add (writer, &info, &area, NULL, levels, NULL));
  g_assert_true (urb_dataset_writer_finish (writer, NULL));
  dataset = urb_dataset_open (path, &error);
  g_assert_no_error (error);

  g_assert_true (urb_dataset_read_tile (dataset, 0, 8, small, &error));
  g_assert_cmpint (small[0], ==, 191); /* three quarters of 255, rounded */
  g_assert_cmpint (small[1], ==, 64);
  g_assert_cmpint (small[2], ==, 0);
  g_assert_cmpint (small[3], ==, 255);
  g_assert_cmpint (small[3 * 4 + 2], ==, 255);
  g_assert_true (urb_dataset_read_tile (dataset, 0, 1, tiny, &error));
  g_assert_cmpint (tiny[0], ==, 127); /* 127 of 256 pixels, times 255/256 */
  g_assert_cmpint (tiny[1], ==, 1);
  g_assert_cmpint (tiny[2], ==, 128); /* 127.5 */

  g_assert_false (urb_dataset_read_tile (dataset, 0, 12, small, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPTIONS);
  g_clear_error (&error);
  g_assert_false (urb_dataset_read_tile (dataset, 0, 32, small, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPTIONS);
  fixture_remove_folder (folder);
}

/* For all kinds: the average of the full tile, rounded once. */
static void
test_averaging_kinds (gconstpointer data)
{
  const Kind *kind = data;
  int n_channels = urb_encoding_get_n_channels (kind->encoding), size = kind->size_px;
  g_autoptr(UrbTileCodec) codec = urb_tile_codec_new (kind->encoding, kind->soft, size);
  g_autoptr(GRand) rand = g_rand_new_with_seed (5);
  g_autofree guint8 *codes = g_malloc (urb_tile_codec_get_n_codes (codec));
  g_autofree guint8 *full = g_malloc (size * size * 3), *small = g_malloc (size * size * 3);

  fixture_levels (rand, kind->encoding, kind->soft, size, full);
  made_up_codes (full, kind->encoding, kind->soft, size, codes);
  for (int factor = 2; factor <= URB_TILE_MAX_FACTOR && size % factor == 0; factor *= 2)
    {
      int n_small = size / factor, n = factor * factor;

      urb_tile_codec_codes_to_levels (codec, codes, factor, small);
      for (int i = 0; i < n_small * n_small * n_channels; i++)
        {
          int c = i % n_channels, x = i / n_channels % n_small, y = i / n_channels / n_small;
          int sum = 0;

          for (int k = 0; k < n; k++)
            sum += full[((y * factor + k / factor) * size + x * factor + k % factor) * n_channels
                        + c];
          g_assert_cmpint (small[i], ==, (sum + n / 2) / n);
        }
    }
}

static int
count_files (const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  int n_files = 0;

  while (g_dir_read_name (dir) != NULL)
    n_files++;
  return n_files;
}

/* An unfinished dataset leaves no files, and keeps the existing one. */
static void
test_atomic (void)
{
  g_autofree char *folder = fixture_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.gpkg", NULL);
  g_autofree char *before = NULL, *after = NULL;
  UrbDatasetInfo info = { .resolution_px = 16, .area_size_m = 100 };
  UrbDatasetWriter *writer;
  guint8 levels[16 * 16 * 3] = { 0 };
  UrbArea area = fixture_area (0, 100);

  write_one (path, 0, 0);
  before = dup_id (path);
  writer = urb_dataset_writer_new (path, &info, NULL, NULL);
  g_assert_true (made_up_tile_add (writer, &info, &area, NULL, levels, NULL));
  urb_dataset_writer_free (writer);
  after = dup_id (path);
  g_assert_cmpstr (before, ==, after);
  g_assert_cmpint (count_files (folder), ==, 1);
  fixture_remove_folder (folder);
}

/* A process that dies while it writes; the next one writes another dataset in the same folder. */
static void
test_stale_parts (void)
{
  g_autofree char *folder = fixture_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.gpkg", NULL);
  g_autofree char *other = g_build_filename (folder, "b.gpkg", NULL);
  pid_t pid = fork ();
  int status;

  if (pid == 0)
    {
      UrbDatasetInfo info = { .resolution_px = 16, .area_size_m = 100 };

      _exit (urb_dataset_writer_new (path, &info, NULL, NULL) != NULL ? 7 : 1);
    }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_cmpint (WEXITSTATUS (status), ==, 7);
  g_assert_cmpint (count_files (folder), ==, 1);
  write_one (other, 0, 0);
  g_assert_cmpint (count_files (folder), ==, 1);
  fixture_remove_folder (folder);
}

static void
test_writer_refuses (void)
{
  g_autofree char *folder = fixture_make_folder ();
  g_autofree char *path = g_build_filename (folder, "no", "such", "folder.gpkg", NULL);
  UrbDatasetInfo info = { .resolution_px = 16, .area_size_m = 100 };
  g_autoptr(GError) error = NULL;

  g_assert_null (urb_dataset_writer_new (path, &info, NULL, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_WRITE);
  g_clear_error (&error);
  info.resolution_px = 100000;
  g_assert_null (urb_dataset_writer_new (path, &info, NULL, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPTIONS);
  fixture_remove_folder (folder);
}

static void
check_noise_as_bits (UrbTileCodec *codec, const guint8 *codes, const guint8 *blob, gsize n_bytes)
{
  gsize n = 3 * urb_tile_codec_get_n_codes (codec);
  g_autofree guint8 *levels = g_malloc (n), *bits = g_malloc ((n + 7) / 8);
  g_autoptr(GError) error = NULL;

  urb_tile_codec_codes_to_levels (codec, codes, 1, levels);
  g_assert_true (urb_tile_codec_unpack_bits (codec, blob, n_bytes, bits, &error));
  g_assert_no_error (error);
  assert_bits_equal (bits, levels, n);
  g_assert_false (urb_tile_codec_unpack_bits (codec, blob, n_bytes - 1, bits, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED);
}

/* Noise cannot be deflated, but is read back correctly. */
static void
test_codec_noise (gconstpointer data)
{
  const Kind *kind = data;
  g_autoptr(UrbTileCodec) codec = urb_tile_codec_new (kind->encoding, kind->soft, kind->size_px);
  g_autoptr(GRand) rand = g_rand_new_with_seed (3);
  gsize n = urb_tile_codec_get_n_codes (codec);
  g_autofree guint8 *codes = g_malloc (n), *again = g_malloc (n);
  g_autofree guint8 *blob = g_malloc (urb_tile_codec_get_max_blob (codec));
  g_autoptr(GError) error = NULL;
  gsize n_bytes;

  for (gsize i = 0; i < n; i++) /* at most 5 each, as three may sum to 15 */
    codes[i] = g_rand_int_range (rand, 0, kind->soft ? 6 : 4);
  n_bytes = urb_tile_codec_pack (codec, codes, blob);
  g_assert_cmpuint (n_bytes, <=, urb_tile_codec_get_max_blob (codec));
  g_assert_true (urb_tile_codec_unpack (codec, blob, n_bytes, again, &error));
  g_assert_no_error (error);
  g_assert_cmpmem (codes, n, again, n);
  g_assert_false (urb_tile_codec_unpack (codec, blob, n_bytes - 1, again, NULL));
  if (is_sharp_rgb (kind))
    check_noise_as_bits (codec, codes, blob, n_bytes);
}

/* Codes out of range, packed by another program. */
static void
test_codec_range (void)
{
  g_autoptr(UrbTileCodec) rgb = urb_tile_codec_new (URB_ENCODING_RGB, TRUE, 8);
  g_autoptr(UrbTileCodec) grey = urb_tile_codec_new (URB_ENCODING_GREY, TRUE, 8);
  guint8 codes[3 * 64], blob[3 * 64];
  gsize n_bytes;

  memset (codes, 5, sizeof codes);
  n_bytes = urb_tile_codec_pack (rgb, codes, blob);
  g_assert_true (urb_tile_codec_unpack (rgb, blob, n_bytes, codes, NULL));
  codes[63] = 6; /* 6 + 5 + 5 fifteenths */
  n_bytes = urb_tile_codec_pack (rgb, codes, blob);
  g_assert_false (urb_tile_codec_unpack (rgb, blob, n_bytes, codes, NULL));
  memset (codes, 14, 64);
  n_bytes = urb_tile_codec_pack (grey, codes, blob);
  g_assert_true (urb_tile_codec_unpack (grey, blob, n_bytes, codes, NULL));
  codes[7] = 15;
  n_bytes = urb_tile_codec_pack (grey, codes, blob);
  g_assert_false (urb_tile_codec_unpack (grey, blob, n_bytes, codes, NULL));
}

int
main (int argc, char **argv)
{
  static const Kind kinds[] = {
    { URB_ENCODING_RGB, FALSE, 32 }, { URB_ENCODING_RGB, TRUE, 32 },
    { URB_ENCODING_GREY, FALSE, 32 }, { URB_ENCODING_GREY, TRUE, 32 },
    { URB_ENCODING_RGB, FALSE, 37 }, { URB_ENCODING_GREY, TRUE, 37 },
    { URB_ENCODING_RGB, FALSE, 256 },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *kind = g_strdup_printf (
        "%s-%s-%d", kinds[i].encoding == URB_ENCODING_GREY ? "grey" : "rgb",
        kinds[i].soft ? "soft" : "sharp", kinds[i].size_px);
      g_autofree char *round = g_strconcat ("/dataset/round-trip/", kind, NULL);
      g_autofree char *averaging = g_strconcat ("/codec/averaging/", kind, NULL);
      g_autofree char *noise = g_strconcat ("/codec/noise/", kind, NULL);

      g_test_add_data_func (round, &kinds[i], test_round_trip);
      g_test_add_data_func (noise, &kinds[i], test_codec_noise);
      g_test_add_data_func (averaging, &kinds[i], test_averaging_kinds);
    }
  g_test_add_func ("/dataset/split", test_split);
  g_test_add_func ("/dataset/id", test_id);
  g_test_add_func ("/dataset/averaging", test_averaging);
  g_test_add_func ("/dataset/atomic", test_atomic);
  g_test_add_func ("/dataset/stale-parts", test_stale_parts);
  g_test_add_func ("/dataset/writer-refuses", test_writer_refuses);
  g_test_add_func ("/codec/range", test_codec_range);
  return g_test_run ();
}
