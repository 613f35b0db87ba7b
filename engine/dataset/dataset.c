/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataset.c - reads a dataset file.
 *
 * Areas are read when the file is opened, tiles on demand.  The id rests on the stored checksum of the
 * tiles, so it means something only once the tiles were compared with it.  Nothing in the file can
 * be trusted: tables may be views or lack columns, numbers may be text or
 * non-finite, a blob may be a gigabyte.
 */
#include "dataset/dataset.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "base/permission.h"
#include "dataset/dataset-private.h"
#include "dataset/tile-codec.h"

#define MAX_RECIPE_BYTES (16 * 1024 * 1024)
/* SQLite's limit for one value: larger than any tile or recipe. */
#define MAX_VALUE_BYTES (64 * 1024 * 1024)

struct _UrbDataset
{
  char          *path;      /* owned */
  sqlite3       *db;        /* owned */
  sqlite3_stmt  *get_tile;  /* owned */
  UrbDatasetInfo info;      /* strings owned */
  char          *tiles_sha256; /* owned */
  gboolean       is_verified; /* the tiles have this checksum */
  GArray        *areas;     /* of UrbArea; owned */
  GArray        *fids;      /* of gint64, the row of each area; owned */
  GArray        *split[URB_N_SPLITS]; /* of gint64; owned */
  UrbTileCodec  *codec;     /* owned */
  guint8        *codes;     /* owned; workspace */
};

G_DEFINE_QUARK (urb-dataset-error-quark, urb_dataset_error)

int
urb_encoding_get_n_channels (UrbEncoding encoding)
{
  return encoding == URB_ENCODING_GREY ? 1 : 3;
}

const char *
urb_encoding_get_name (UrbEncoding encoding)
{
  return encoding == URB_ENCODING_GREY ? "grey" : "rgb";
}

static const char *const split_names[URB_N_SPLITS] = { "train", "test", "validation" };

const char *
urb_split_get_name (UrbSplit split)
{
  return split_names[split];
}

/* @name: (nullable) */
static gboolean
parse_split (const char *name, UrbSplit *split)
{
  for (int s = 0; s < URB_N_SPLITS; s++)
    if (g_strcmp0 (name, split_names[s]) == 0)
      {
        *split = (UrbSplit) s;
        return TRUE;
      }
  return FALSE;
}

static gboolean G_GNUC_PRINTF (3, 4)
fail_damaged (UrbDataset *self, GError **error, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED,
               N_ ("The dataset '%s' is damaged: %s. Recreate it with 'curate'"), self->path, what);
  return FALSE;
}

static gboolean
fail_sqlite (UrbDataset *self, GError **error)
{
  return fail_damaged (self, error, "%s", sqlite3_errmsg (self->db));
}

static sqlite3_stmt *
prepare (UrbDataset *self, const char *sql, GError **error)
{
  sqlite3_stmt *statement = NULL;

  if (sqlite3_prepare_v2 (self->db, sql, -1, &statement, NULL) != SQLITE_OK)
    fail_sqlite (self, error);
  return statement;
}

static gboolean
fail_other_file (UrbDataset *self, GError **error)
{
  g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPEN,
               N_ ("'%s' is not an Urbarium dataset. Create one from a map with 'curate'"), self->path);
  return FALSE;
}

static gboolean
open_database (UrbDataset *self, GError **error)
{
  g_autofree char *forbidden = urb_permission_dup_read_problem (self->path);
  int rc;

  if (forbidden != NULL)
    {
      g_set_error_literal (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPEN, forbidden);
      return FALSE;
    }
  if (!g_file_test (self->path, G_FILE_TEST_IS_REGULAR))
    {
      g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPEN,
                   N_ ("The dataset file '%s' does not exist. Check the path, or create a dataset from a map with "
                       "'curate'"), self->path);
      return FALSE;
    }
  rc = sqlite3_open_v2 (self->path, &self->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
  if (rc == SQLITE_OK)
    {
      sqlite3_limit (self->db, SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES);
      sqlite3_limit (self->db, SQLITE_LIMIT_ATTACHED, 0);
      sqlite3_db_config (self->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
      sqlite3_db_config (self->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
      sqlite3_busy_timeout (self->db, 2000);
      rc = sqlite3_exec (self->db, "PRAGMA cell_size_check = ON; PRAGMA query_only = ON;"
                         /* Overrides the cache size stored in the file. */
                         "PRAGMA cache_size = -8000", NULL, NULL, NULL);
    }
  if (rc == SQLITE_NOTADB)
    return fail_other_file (self, error);
  if (rc != SQLITE_OK)
    {
      g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPEN,
                   N_ ("Could not open the dataset '%s': %s"), self->path,
                   self->db != NULL ? sqlite3_errmsg (self->db) : "out of memory");
      return FALSE;
    }
  return TRUE;
}

/* Accepts plain tables only: a view or virtual table could run forever. */
static gboolean
check_tables (UrbDataset *self, GError **error)
{
  g_autoptr(UrbSqliteStmt) statement
    = prepare (self,
               "SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
               " AND sql LIKE 'CREATE TABLE%' AND name IN"
               " ('areas', 'area_tiles', 'urbarium_dataset', 'gpkg_metadata')",
               NULL);

  if (statement != NULL && sqlite3_step (statement) == SQLITE_ROW
      && sqlite3_column_int64 (statement, 0) == 4)
    return TRUE;
  return fail_other_file (self, error);
}

/* Returns: (transfer full) (nullable): NULL also for values of 10,000 characters or more */
static char *
dup_key (UrbDataset *self, const char *key)
{
  g_autoptr(UrbSqliteStmt) statement = prepare (
    self, "SELECT value FROM urbarium_dataset WHERE key = ? AND length (value) < 10000", NULL);

  if (statement == NULL)
    return NULL;
  sqlite3_bind_text (statement, 1, key, -1, SQLITE_STATIC);
  if (sqlite3_step (statement) != SQLITE_ROW)
    return NULL;
  return g_strdup ((const char *) sqlite3_column_text (statement, 0));
}

static gboolean
read_int_key (UrbDataset *self, const char *key, gint64 min, gint64 max, int *value, GError **error)
{
  g_autofree char *text = dup_key (self, key);
  gint64 number;

  if (text == NULL || !g_ascii_string_to_signed (text, 10, min, max, &number, NULL))
    return fail_damaged (self, error, "its '%s' is missing or not a number from %" G_GINT64_FORMAT
                         " to %" G_GINT64_FORMAT, key, min, max);
  *value = number;
  return TRUE;
}

static gboolean
read_area_size (UrbDataset *self, GError **error)
{
  g_autofree char *text = dup_key (self, "area_size_m");
  char *end = NULL;
  double size = text != NULL ? g_ascii_strtod (text, &end) : 0;

  if (text == NULL || *end != '\0' || !(size > 0 && size <= URB_DATASET_MAX_AREA_SIZE_M))
    return fail_damaged (self, error, "its area size is missing or out of range");
  self->info.area_size_m = size;
  return TRUE;
}

static gboolean
read_recipe (UrbDataset *self, GError **error)
{
  g_autoptr(UrbSqliteStmt) statement
    = prepare (self, "SELECT metadata FROM gpkg_metadata WHERE id = 1 AND length (metadata) < ?",
               error);

  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, MAX_RECIPE_BYTES);
  if (sqlite3_step (statement) != SQLITE_ROW)
    return fail_damaged (self, error, N_ ("its recipe is missing"));
  self->info.recipe_json = g_strdup ((const char *) sqlite3_column_text (statement, 0));
  if (self->info.recipe_json == NULL || !g_utf8_validate (self->info.recipe_json, -1, NULL))
    return fail_damaged (self, error, "its recipe is not text");
  return TRUE;
}

/* Whether it may be a checksum: a placeholder of zeros is none. */
static gboolean
is_checksum (const char *text)
{
  enum { N_DIGITS = 64 };

  return text != NULL && strlen (text) == N_DIGITS && strspn (text, "0123456789abcdef") == N_DIGITS
         && strspn (text, "0") < N_DIGITS;
}

static gboolean
read_info (UrbDataset *self, GError **error)
{
  g_autofree char *format = dup_key (self, "format"), *encoding = dup_key (self, "encoding");

  if (g_strcmp0 (format, URB_DATASET_FORMAT) != 0)
    {
      g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPEN,
                   N_ ("The dataset '%s' has format '%s'; this version of Urbarium reads format '%s'. "
                       "Recreate it with 'curate'"),
                   self->path, format != NULL ? format : "unknown", URB_DATASET_FORMAT);
      return FALSE;
    }
  self->info.encoding = g_strcmp0 (encoding, "grey") == 0 ? URB_ENCODING_GREY : URB_ENCODING_RGB;
  if (g_strcmp0 (encoding, urb_encoding_get_name (self->info.encoding)) != 0)
    return fail_damaged (self, error, "its encoding is missing or unknown");
  if (!read_int_key (self, "soft", 0, 1, &self->info.soft, error)
      || !read_int_key (self, "resolution_px", URB_TILE_MIN_PX, URB_TILE_MAX_PX,
                        &self->info.resolution_px, error)
      || !read_int_key (self, "epsg", 0, G_MAXINT, &self->info.epsg, error)
      || !read_area_size (self, error) || !read_recipe (self, error))
    return FALSE;
  self->info.crs_name = dup_key (self, "crs_name");
  self->tiles_sha256 = dup_key (self, "tiles_sha256");
  if (self->info.crs_name == NULL || !g_utf8_validate (self->info.crs_name, -1, NULL))
    return fail_damaged (self, error, "the name of its coordinate system is missing");
  if (!is_checksum (self->tiles_sha256))
    return fail_damaged (self, error, "the checksum of its tiles is missing");
  return TRUE;
}

/* A finite number within [min, max], stored as a number. */
static gboolean
get_number (sqlite3_stmt *row, int column, double min, double max, double *value)
{
  int type = sqlite3_column_type (row, column);

  *value = sqlite3_column_double (row, column);
  return (type == SQLITE_FLOAT || type == SQLITE_INTEGER) && *value >= min && *value <= max;
}

static gboolean
parse_area (sqlite3_stmt *row, UrbArea *area)
{
  const double far_away = 1e9; /* meters: beyond any projected CRS of the Earth */
  const double near_one = 1 + 1e-6;
  double sum;

  if (!parse_split ((const char *) sqlite3_column_text (row, 1), &area->split))
    return FALSE;
  if (!get_number (row, 2, 0, near_one, &area->variance)
      || !get_number (row, 3, -far_away, far_away, &area->center_x)
      || !get_number (row, 4, -far_away, far_away, &area->center_y)
      || !get_number (row, 5, -360, 360, &area->angle_deg)
      || !get_number (row, 6, 0, near_one, &area->share[0])
      || !get_number (row, 7, 0, near_one, &area->share[1])
      || !get_number (row, 8, 0, near_one, &area->share[2])
      || !get_number (row, 9, 0, near_one, &area->coverage))
    return FALSE;
  sum = area->share[0] + area->share[1] + area->share[2];
  return fabs (sum - 1) < 1e-3;
}

static gboolean
read_areas (UrbDataset *self, GError **error)
{
  g_autoptr(UrbSqliteStmt) statement
    = prepare (self,
               "SELECT fid, split, variance, center_x, center_y, angle_deg, share_building,"
               " share_road, share_other, coverage FROM areas ORDER BY fid",
               error);
  int rc;

  if (statement == NULL)
    return FALSE;
  while ((rc = sqlite3_step (statement)) == SQLITE_ROW)
    {
      gint64 fid = sqlite3_column_int64 (statement, 0), index = self->areas->len;
      UrbArea area = { 0 };

      if (index >= URB_DATASET_MAX_AREAS)
        return fail_damaged (self, error, "it has too many areas");
      if (!parse_area (statement, &area))
        return fail_damaged (self, error, N_ ("area %lld has invalid values"), (long long) fid);
      g_array_append_val (self->areas, area);
      g_array_append_val (self->fids, fid);
      g_array_append_val (self->split[area.split], index);
    }
  if (rc != SQLITE_DONE)
    return fail_sqlite (self, error);
  if (self->areas->len == 0)
    {
      g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_EMPTY,
                   N_ ("The dataset '%s' has no areas"), self->path);
      return FALSE;
    }
  self->info.n_areas = self->areas->len;
  for (int s = 0; s < URB_N_SPLITS; s++)
    self->info.n_split[s] = self->split[s]->len;
  return TRUE;
}

static void
hash_numbers (GChecksum *hash, const double *number, int n)
{
  for (int i = 0; i < n; i++)
    {
      double value = number[i] + 0.0; /* turns -0 into 0, as SQLite does */
      guint64 bits;

      memcpy (&bits, &value, 8);
      bits = GUINT64_TO_LE (bits);
      g_checksum_update (hash, (const guint8 *) &bits, 8);
    }
}

/* Hashes everything but the tiles, for which their stored checksum stands in.  The id
 * is computed, not stored, so removing areas in a GIS changes it. */
static char *
compute_id (UrbDataset *self)
{
  g_autoptr(GChecksum) hash = g_checksum_new (G_CHECKSUM_SHA256);
  const UrbDatasetInfo *info = &self->info;
  const double head[] = { info->encoding, info->soft, info->resolution_px, info->area_size_m,
                          info->epsg };

  hash_numbers (hash, head, G_N_ELEMENTS (head));
  for (gint64 i = 0; i < info->n_areas; i++)
    {
      const UrbArea *a = &g_array_index (self->areas, UrbArea, i);
      const double numbers[] = { g_array_index (self->fids, gint64, i), a->split, a->variance,
                                 a->center_x, a->center_y, a->angle_deg, a->share[0], a->share[1],
                                 a->share[2], a->coverage };

      hash_numbers (hash, numbers, G_N_ELEMENTS (numbers));
    }
  g_checksum_update (hash, (const guint8 *) self->tiles_sha256, -1);
  return g_strdup (g_checksum_get_string (hash));
}

UrbDataset *
urb_dataset_open_unverified (const char *path, GError **error)
{
  g_autoptr(UrbDataset) self = NULL;

  g_return_val_if_fail (path != NULL, NULL);

  self = g_new0 (UrbDataset, 1);
  self->path = g_strdup (path);
  self->areas = g_array_new (FALSE, FALSE, sizeof (UrbArea));
  self->fids = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (int s = 0; s < URB_N_SPLITS; s++)
    self->split[s] = g_array_new (FALSE, FALSE, sizeof (gint64));
  if (!open_database (self, error) || !check_tables (self, error) || !read_info (self, error)
      || !read_areas (self, error))
    return NULL;
  self->get_tile = prepare (self, "SELECT tile FROM area_tiles WHERE fid = ?", error);
  if (self->get_tile == NULL)
    return NULL;
  self->info.id = compute_id (self);
  self->codec = urb_tile_codec_new (self->info.encoding, self->info.soft,
                                    self->info.resolution_px);
  self->codes = g_malloc (urb_tile_codec_get_n_codes (self->codec));
  return g_steal_pointer (&self);
}

UrbDataset *
urb_dataset_open (const char *path, GError **error)
{
  g_autoptr(UrbDataset) self = urb_dataset_open_unverified (path, error);
  GStatBuf info;

  if (self == NULL)
    return NULL;
  if (g_stat (path, &info) == 0 && info.st_size <= URB_DATASET_SMALL_BYTES
      && !urb_dataset_verify (self, NULL, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
urb_dataset_free (UrbDataset *self)
{
  if (self == NULL)
    return;
  sqlite3_finalize (self->get_tile);
  sqlite3_close (self->db);
  for (int s = 0; s < URB_N_SPLITS; s++)
    g_array_unref (self->split[s]);
  g_array_unref (self->areas);
  g_array_unref (self->fids);
  urb_tile_codec_free (self->codec);
  g_free (self->codes);
  g_free (self->tiles_sha256);
  g_free (self->info.recipe_json);
  g_free (self->info.crs_name);
  g_free (self->info.id);
  g_free (self->path);
  g_free (self);
}

const UrbDatasetInfo *
urb_dataset_get_info (UrbDataset *self)
{
  return &self->info;
}

const UrbArea *
urb_dataset_get_area (UrbDataset *self, gint64 index)
{
  g_return_val_if_fail (index >= 0 && index < self->info.n_areas, NULL);

  return &g_array_index (self->areas, UrbArea, index);
}

const gint64 *
urb_dataset_get_split (UrbDataset *self, UrbSplit split, gint64 *n)
{
  g_return_val_if_fail (split < URB_N_SPLITS, NULL);

  *n = self->split[split]->len;
  return (const gint64 *) self->split[split]->data;
}

typedef gboolean (*UnpackFunc) (UrbTileCodec *codec, const guint8 *blob, gsize n_bytes, guint8 *out,
                                GError **error);

static gboolean
unpack_tile (UrbDataset *self, gint64 index, UnpackFunc unpack, guint8 *out, GError **error)
{
  gint64 fid = g_array_index (self->fids, gint64, index);
  sqlite3_stmt *row = self->get_tile;
  g_autoptr(GError) reason = NULL;
  gboolean done = FALSE;

  sqlite3_bind_int64 (row, 1, fid);
  if (sqlite3_step (row) != SQLITE_ROW || sqlite3_column_type (row, 0) != SQLITE_BLOB)
    fail_damaged (self, error, N_ ("the tile of area %lld is missing"), (long long) fid);
  else if (!unpack (self->codec, sqlite3_column_blob (row, 0), sqlite3_column_bytes (row, 0), out,
                    &reason))
    fail_damaged (self, error, N_ ("the tile of area %lld cannot be unpacked"), (long long) fid);
  else
    done = TRUE;
  sqlite3_reset (row);
  return done;
}

gboolean
urb_dataset_verify (UrbDataset *self, GCancellable *cancellable, GError **error)
{
  g_autoptr(UrbSqliteStmt) row = prepare (self, "SELECT tile FROM area_tiles ORDER BY fid", error);
  g_autoptr(GChecksum) hash = g_checksum_new (G_CHECKSUM_SHA256);
  int rc;

  if (row == NULL)
    return FALSE;
  while ((rc = sqlite3_step (row)) == SQLITE_ROW)
    {
      const guint8 *tile = sqlite3_column_blob (row, 0);

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (tile != NULL)
        g_checksum_update (hash, tile, sqlite3_column_bytes (row, 0));
    }
  if (rc != SQLITE_DONE)
    return fail_sqlite (self, error);
  if (strcmp (g_checksum_get_string (hash), self->tiles_sha256) != 0)
    return fail_damaged (self, error, N_ ("its tiles are not those that were written: they have another "
                                          "checksum"));
  self->is_verified = TRUE;
  return TRUE;
}

gboolean
urb_dataset_is_verified (UrbDataset *self)
{
  return self->is_verified;
}

gboolean
urb_dataset_has_size (UrbDataset *self, int size_px)
{
  int factor = 1;

  g_return_val_if_fail (size_px > 0, FALSE);

  while (factor < URB_TILE_MAX_FACTOR && self->info.resolution_px > factor * size_px)
    factor *= 2;
  return factor * size_px == self->info.resolution_px;
}

gboolean
urb_dataset_read_tile (UrbDataset *self, gint64 index, int size_px, guint8 *levels, GError **error)
{
  g_return_val_if_fail (index >= 0 && index < self->info.n_areas, FALSE);

  if (!urb_dataset_has_size (self, size_px))
    {
      g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPTIONS,
                   N_ ("The dataset '%s' has tiles of %d pixels, which cannot be reduced to %d. "
                       "Choose a preset of another size, or curate with '--resolution %d'"),
                   self->path, self->info.resolution_px, size_px, size_px);
      return FALSE;
    }
  if (!unpack_tile (self, index, urb_tile_codec_unpack, self->codes, error))
    return FALSE;
  urb_tile_codec_codes_to_levels (self->codec, self->codes, self->info.resolution_px / size_px,
                                  levels);
  return TRUE;
}

gboolean
urb_dataset_is_binary (UrbDataset *self, int size_px)
{
  return self->info.encoding == URB_ENCODING_RGB && !self->info.soft
         && self->info.resolution_px == size_px;
}

gboolean
urb_dataset_read_tile_bits (UrbDataset *self, gint64 index, guint8 *bits, GError **error)
{
  g_return_val_if_fail (index >= 0 && index < self->info.n_areas, FALSE);
  g_return_val_if_fail (urb_dataset_is_binary (self, self->info.resolution_px), FALSE);

  return unpack_tile (self, index, urb_tile_codec_unpack_bits, bits, error);
}
