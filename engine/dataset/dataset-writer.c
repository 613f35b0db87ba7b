/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataset-writer.c - writes a dataset file, area by area.
 *
 * The database is written without a journal under a temporary name.  It becomes
 * visible only when complete, synced and renamed, and is deleted on any failure.
 */
#include "dataset/dataset-writer.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>
#include <unistd.h>

#include "base/durable.h"
#include "base/permission.h"
#include "base/temporary.h"
#include "dataset/dataset-private.h"
#include "dataset/tile-codec.h"

struct _UrbDatasetWriter
{
  char          *path;       /* owned */
  char          *path_part;  /* owned; the temporary name, NULL once renamed */
  sqlite3       *db;         /* owned */
  sqlite3_stmt  *add_area;   /* owned */
  sqlite3_stmt  *add_tile;   /* owned */
  UrbDatasetInfo info;       /* strings are not kept */
  int            srs_id;
  gint64         n_areas;
  UrbBox         box;
  GChecksum     *tiles_hash; /* owned */
};

static gboolean
fail (UrbDatasetWriter *self, GError **error)
{
  g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_WRITE,
               N_ ("Could not write the dataset '%s': %s"), self->path,
               self->db != NULL ? sqlite3_errmsg (self->db) : "out of memory");
  return FALSE;
}

static gboolean
fail_errno (UrbDatasetWriter *self, int code, GError **error)
{
  g_autofree char *forbidden = code == EACCES ? urb_permission_dup_create_problem (self->path) : NULL;

  g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_WRITE,
               N_ ("Could not write the dataset '%s': %s"), self->path,
               forbidden != NULL ? forbidden : g_strerror (code));
  return FALSE;
}

static gboolean
open_database (UrbDatasetWriter *self, const char *crs_wkt, GError **error)
{
  const char *pragmas = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                        "PRAGMA locking_mode = EXCLUSIVE;";

  /* O_EXCL: never a file that another process created and could still read and write. */
  int fd = g_open (self->path_part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);

  if (fd < 0)
    return fail_errno (self, errno, error);
  close (fd);
  if (sqlite3_open_v2 (self->path_part, &self->db,
                       SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX, NULL)
        != SQLITE_OK
      || sqlite3_exec (self->db, pragmas, NULL, NULL, NULL) != SQLITE_OK
      || sqlite3_exec (self->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
    return fail (self, error);
  if (!urb_geopackage_create (self->db, &self->info, crs_wkt, &self->srs_id, error))
    {
      g_prefix_error (error, "Could not write the dataset '%s': ", self->path);
      return FALSE;
    }
  if (sqlite3_prepare_v2 (self->db,
                          "INSERT INTO areas (fid, geom, split, variance, center_x, center_y,"
                          " angle_deg, share_building, share_road, share_other, coverage, source)"
                          " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                          -1, &self->add_area, NULL)
        != SQLITE_OK
      || sqlite3_prepare_v2 (self->db, "INSERT INTO area_tiles (fid, tile) VALUES (?, ?)", -1,
                             &self->add_tile, NULL)
           != SQLITE_OK)
    return fail (self, error);
  return TRUE;
}

/* @sql: (transfer full): from sqlite3_mprintf() */
static gboolean
run (UrbDatasetWriter *self, char *sql, GError **error)
{
  int rc = sqlite3_exec (self->db, sql, NULL, NULL, NULL);

  sqlite3_free (sql);
  return rc == SQLITE_OK || fail (self, error);
}

static gboolean
put_key (UrbDatasetWriter *self, const char *key, const char *value, GError **error)
{
  return run (self, sqlite3_mprintf ("INSERT INTO urbarium_dataset (key, value) VALUES (%Q, %Q)",
                                     key, value),
              error);
}

static gboolean
put_info (UrbDatasetWriter *self, GError **error)
{
  const UrbDatasetInfo *info = &self->info;
  g_autofree char *resolution = g_strdup_printf ("%d", info->resolution_px);
  g_autofree char *epsg = g_strdup_printf ("%d", info->epsg);
  char size[G_ASCII_DTOSTR_BUF_SIZE];

  return put_key (self, "format", URB_DATASET_FORMAT, error)
         && put_key (self, "generator", "Urbarium " URBARIUM_VERSION, error)
         && put_key (self, "encoding", urb_encoding_get_name (info->encoding), error)
         && put_key (self, "soft", info->soft ? "1" : "0", error)
         && put_key (self, "resolution_px", resolution, error)
         && put_key (self, "area_size_m", g_ascii_dtostr (size, sizeof size, info->area_size_m),
                     error)
         && put_key (self, "crs_name", info->crs_name != NULL ? info->crs_name : "", error)
         && put_key (self, "epsg", epsg, error);
}

UrbDatasetWriter *
urb_dataset_writer_new (const char *path, const UrbDatasetInfo *info, const char *crs_wkt,
                        GError **error)
{
  g_autoptr(UrbDatasetWriter) self = NULL;

  g_return_val_if_fail (path != NULL && info != NULL, NULL);

  if (info->resolution_px < URB_TILE_MIN_PX || info->resolution_px > URB_TILE_MAX_PX
      || !(info->area_size_m > 0 && info->area_size_m <= URB_DATASET_MAX_AREA_SIZE_M))
    {
      g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPTIONS,
                   "Areas of %g m and %d pixels are not possible; choose at most %g m, and %d to "
                   "%d pixels",
                   info->area_size_m, info->resolution_px, URB_DATASET_MAX_AREA_SIZE_M,
                   URB_TILE_MIN_PX, URB_TILE_MAX_PX);
      return NULL;
    }
  self = g_new0 (UrbDatasetWriter, 1);
  self->path = g_strdup (path);
  urb_temporary_sweep_beside (path);
  self->path_part = urb_temporary_dup_path (path, "");
  self->info = *info;
  self->tiles_hash = g_checksum_new (G_CHECKSUM_SHA256);
  self->box = URB_BOX_EMPTY;
  if (!open_database (self, crs_wkt, error) || !put_info (self, error))
    return NULL;
  self->info.recipe_json = self->info.crs_name = self->info.id = NULL;
  return g_steal_pointer (&self);
}

static void
bind_area (UrbDatasetWriter *self, const UrbArea *area, const char *source, const guint8 *geometry)
{
  sqlite3_stmt *s = self->add_area;
  int k = 1;

  sqlite3_bind_int64 (s, k++, self->n_areas + 1);
  sqlite3_bind_blob (s, k++, geometry, URB_GEOPACKAGE_SQUARE_BYTES, SQLITE_STATIC);
  sqlite3_bind_text (s, k++, urb_split_get_name (area->split), -1, SQLITE_STATIC);
  sqlite3_bind_double (s, k++, area->variance);
  sqlite3_bind_double (s, k++, area->center_x);
  sqlite3_bind_double (s, k++, area->center_y);
  sqlite3_bind_double (s, k++, area->angle_deg);
  for (int c = 0; c < 3; c++)
    sqlite3_bind_double (s, k++, area->share[c]);
  sqlite3_bind_double (s, k++, area->coverage);
  sqlite3_bind_text (s, k++, source, -1, SQLITE_STATIC);
}

static gboolean
step_and_reset (UrbDatasetWriter *self, sqlite3_stmt *statement, GError **error)
{
  gboolean done = sqlite3_step (statement) == SQLITE_DONE;

  if (!done)
    fail (self, error);
  sqlite3_reset (statement);
  return done;
}

gboolean
urb_dataset_writer_add (UrbDatasetWriter *self, const UrbArea *area, const char *source,
                        const guint8 *blob, gsize n_bytes, GError **error)
{
  guint8 geometry[URB_GEOPACKAGE_SQUARE_BYTES];
  UrbBox box;

  g_return_val_if_fail (area->split < URB_N_SPLITS && n_bytes > 0, FALSE);

  if (self->n_areas >= URB_DATASET_MAX_AREAS)
    {
      g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPTIONS,
                   "A dataset holds at most %" G_GINT64_FORMAT " areas", URB_DATASET_MAX_AREAS);
      return FALSE;
    }
  urb_geopackage_square (area, self->info.area_size_m, self->srs_id, geometry, &box);
  bind_area (self, area, source, geometry);
  if (!step_and_reset (self, self->add_area, error))
    return FALSE;
  sqlite3_bind_int64 (self->add_tile, 1, self->n_areas + 1);
  sqlite3_bind_blob64 (self->add_tile, 2, blob, n_bytes, SQLITE_STATIC);
  if (!step_and_reset (self, self->add_tile, error))
    return FALSE;

  g_checksum_update (self->tiles_hash, blob, n_bytes);
  urb_box_add (&self->box, box);
  self->n_areas++;
  return TRUE;
}

gboolean
urb_dataset_writer_finish (UrbDatasetWriter *self, GError **error)
{
  const UrbBox *box = &self->box;
  int code;

  g_return_val_if_fail (self->db != NULL, FALSE);

  if (!put_key (self, "tiles_sha256", g_checksum_get_string (self->tiles_hash), error))
    return FALSE;
  if (self->n_areas > 0
      && !run (self, sqlite3_mprintf ("UPDATE gpkg_contents SET min_x = %!.17g, min_y = %!.17g,"
                                      " max_x = %!.17g, max_y = %!.17g WHERE table_name = 'areas'",
                                      box->min_x, box->min_y, box->max_x, box->max_y),
               error))
    return FALSE;
  if (sqlite3_exec (self->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
    return fail (self, error);
  g_clear_pointer (&self->add_area, sqlite3_finalize);
  g_clear_pointer (&self->add_tile, sqlite3_finalize);
  if (sqlite3_close (self->db) != SQLITE_OK)
    return fail (self, error);
  self->db = NULL;
  code = urb_durable_sync_file (self->path_part);
  if (code == 0 && g_rename (self->path_part, self->path) != 0)
    code = errno;
  if (code != 0)
    return fail_errno (self, code, error);
  g_clear_pointer (&self->path_part, g_free);
  code = urb_durable_sync_parent (self->path);
  return code == 0 || fail_errno (self, code, error);
}

void
urb_dataset_writer_free (UrbDatasetWriter *self)
{
  if (self == NULL)
    return;
  sqlite3_finalize (self->add_area);
  sqlite3_finalize (self->add_tile);
  sqlite3_close (self->db);
  if (self->path_part != NULL)
    g_unlink (self->path_part);
  g_clear_pointer (&self->tiles_hash, g_checksum_free);
  g_free (self->path_part);
  g_free (self->path);
  g_free (self);
}
