/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made-up-tiles.c - see made-up-tiles.h.
 */
#include "made-up-tiles.h"

#include <sqlite3.h>

static guint8
rgb_to_class (const guint8 *level)
{
  int best = 0;

  for (int c = 1; c < 3; c++)
    if (level[c] > level[best])
      best = c;
  return level[best] == 0 ? URB_CLASS_CODE_NONE : best;
}

/* Rounds to fifteenths; if the sum would exceed 15, "other" is reduced first, then road. */
static void
rgb_to_coverage (const guint8 *level, guint8 *codes, gsize n)
{
  int building = (level[0] + 8) / 17;
  int road = MIN ((level[1] + 8) / 17, 15 - building);
  int other = MIN ((level[2] + 8) / 17, 15 - building - road);

  codes[0] = building;
  codes[n] = road;
  codes[2 * n] = 15 - building - road - other;
}

void
made_up_codes (const guint8 *levels, UrbEncoding encoding, gboolean soft, int size_px,
               guint8 *codes)
{
  gsize n = (gsize) size_px * size_px;

  for (gsize i = 0; i < n; i++)
    if (soft && encoding == URB_ENCODING_RGB)
      rgb_to_coverage (levels + 3 * i, codes + i, n);
    else if (soft)
      codes[i] = (14 * levels[i] + 127) / 255;
    else if (encoding == URB_ENCODING_RGB)
      codes[i] = rgb_to_class (levels + 3 * i);
    else
      codes[i] = levels[i] < 64 ? 1 : levels[i] < 192 ? 2 : 0;
}

gboolean
made_up_tile_add (UrbDatasetWriter *writer, const UrbDatasetInfo *info, const UrbArea *area,
                  const char *source, const guint8 *levels, GError **error)
{
  g_autoptr(UrbTileCodec) codec = urb_tile_codec_new (info->encoding, info->soft,
                                                      info->resolution_px);
  g_autofree guint8 *codes = g_malloc (urb_tile_codec_get_n_codes (codec));
  g_autofree guint8 *blob = g_malloc (urb_tile_codec_get_max_blob (codec));

  made_up_codes (levels, info->encoding, info->soft, info->resolution_px, codes);
  return urb_dataset_writer_add (writer, area, source, blob,
                                 urb_tile_codec_pack (codec, codes, blob), error);
}

gboolean
made_up_tiles_are_intact (const char *path)
{
  g_autoptr(UrbDataset) dataset = urb_dataset_open (path, NULL);
  const UrbDatasetInfo *info = dataset != NULL ? urb_dataset_get_info (dataset) : NULL;
  g_autofree guint8 *levels = NULL;
  gboolean intact = dataset != NULL;

  if (intact)
    levels = g_malloc ((gsize) info->resolution_px * info->resolution_px * 3);
  for (gint64 i = 0; intact && i < info->n_areas; i++)
    intact = urb_dataset_read_tile (dataset, i, info->resolution_px, levels, NULL);
  return intact && urb_dataset_verify (dataset, NULL, NULL);
}

void
made_up_tiles_sign (const char *path)
{
  g_autoptr(GChecksum) hash = g_checksum_new (G_CHECKSUM_SHA256);
  sqlite3_stmt *tiles = NULL;
  sqlite3 *db = NULL;
  char *sql;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  sqlite3_prepare_v2 (db, "SELECT tile FROM area_tiles ORDER BY fid", -1, &tiles, NULL);
  while (sqlite3_step (tiles) == SQLITE_ROW)
    g_checksum_update (hash, sqlite3_column_blob (tiles, 0), sqlite3_column_bytes (tiles, 0));
  sqlite3_finalize (tiles);
  sql = sqlite3_mprintf ("UPDATE urbarium_dataset SET value = %Q WHERE key = 'tiles_sha256'",
                         g_checksum_get_string (hash));
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_free (sql);
  sqlite3_close (db);
}
