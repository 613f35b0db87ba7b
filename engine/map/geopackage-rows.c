/* SPDX-License-Identifier: Apache-2.0 */
/*
 * geopackage-rows.c - reads the rows of a GeoPackage table through SQLite.
 *
 * GDAL opens the file and describes its layers; SQLite then returns the rows several
 * times faster than GDAL builds features.  This is a shortcut for the common case
 * only: for anything else (a view, a date, an unusual header, a damaged page) the
 * caller falls back to GDAL.
 *
 * Layout of a shape: OGC 12-128r18, 2.1.3.
 */
#include <sqlite3.h>
#include <string.h>

#include "map/ogr-private.h"

/* "GP", version, flags, four bytes for the coordinate system, then the envelope. */
#define HEADER_BYTES    8
#define FLAG_LITTLE     0x01
#define FLAG_EXTENDED   0x20
#define ENVELOPE(flags) ((flags) >> 1 & 7)

typedef struct
{
  int      field;  /* of the layer */
  gboolean is_int; /* else text */
} Column;

struct _UrbGeopackageRows
{
  sqlite3      *db;     /* owned */
  sqlite3_stmt *select; /* owned; the shape, then the columns */
  Column       *columns; /* (n_columns); owned */
  int           n_columns;
  const char  **texts;  /* (n_fields); owned; the strings belong to SQLite */
};

void
urb_geopackage_rows_free (UrbGeopackageRows *self)
{
  if (self == NULL)
    return;
  sqlite3_finalize (self->select);
  sqlite3_close (self->db);
  g_free (self->columns);
  g_free (self->texts);
  g_free (self);
}

/* Qualified and quoted, so that SQLite can only read it as a column of the table. */
static void
append_column (GString *sql, const char *name)
{
  char *quoted = sqlite3_mprintf ("t.\"%w\"", name);

  g_string_append_printf (sql, "%s%s", sql->len > 0 ? ", " : "", quoted);
  sqlite3_free (quoted);
}

/* FALSE: GDAL formats some field in its own way. */
static gboolean
list_columns (UrbGeopackageRows *self, OGRFeatureDefnH defn, const gboolean *wanted, GString *sql)
{
  int n_fields = OGR_FD_GetFieldCount (defn);

  self->columns = g_new0 (Column, n_fields + 1);
  self->texts = g_new0 (const char *, n_fields + 1);
  for (int i = 0; i < n_fields; i++)
    {
      OGRFieldDefnH field = OGR_FD_GetFieldDefn (defn, i);
      OGRFieldType type = OGR_Fld_GetType (field);
      if (!wanted[i])
        continue;
      if (type != OFTString && type != OFTInteger && type != OFTInteger64)
        return FALSE;
      self->columns[self->n_columns++] = (Column){ .field = i, .is_int = type != OFTString };
      append_column (sql, OGR_Fld_GetNameRef (field));
    }
  return TRUE;
}

UrbGeopackageRows *
urb_geopackage_rows_open (const UrbSource *source, OGRLayerH layer, const gboolean *wanted)
{
  g_autoptr(UrbGeopackageRows) self = NULL;
  g_autoptr(GString) columns = g_string_new (NULL);
  sqlite3_stmt *table_query = NULL;
  gboolean is_table;
  const char *table = OGR_L_GetName (layer), *geometry = OGR_L_GetGeometryColumn (layer);
  char *sql;
  int rc;

  if (!g_str_equal (source->driver, "GPKG") || *geometry == '\0' ||
      !g_file_test (source->path, G_FILE_TEST_IS_REGULAR))
    return NULL;
  self = g_new0 (UrbGeopackageRows, 1);
  append_column (columns, geometry);
  if (!list_columns (self, OGR_L_GetLayerDefn (layer), wanted, columns) ||
      sqlite3_open_v2 (source->path, &self->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
                       NULL) != SQLITE_OK)
    return NULL;
  /* The file may be hostile, and would otherwise choose the size of the cache. */
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_exec (self->db, "PRAGMA cache_size = -8000", NULL, NULL, NULL);
  /* Every page is read once: mapped, it is not copied.  A file that shrinks meanwhile ends the process that
   * reads maps, as any damage may. */
  sqlite3_exec (self->db, "PRAGMA mmap_size = 2147418112", NULL, NULL, NULL);
  is_table
    = sqlite3_prepare_v2 (self->db, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
                                    " AND sql NOT LIKE 'CREATE VIRTUAL%'",
                          -1, &table_query, NULL) == SQLITE_OK
      && sqlite3_bind_text (table_query, 1, table, -1, SQLITE_STATIC) == SQLITE_OK
      && sqlite3_step (table_query) == SQLITE_ROW;
  sqlite3_finalize (table_query);
  if (!is_table)
    return NULL;
  sql = sqlite3_mprintf ("SELECT %s FROM \"%w\" AS t NOT INDEXED", columns->str, table);
  rc = sqlite3_prepare_v2 (self->db, sql, -1, &self->select, NULL);
  sqlite3_free (sql);
  return rc == SQLITE_OK ? g_steal_pointer (&self) : NULL;
}

/* FALSE: a stored value has another type than its column. */
static gboolean
read_texts (UrbGeopackageRows *self)
{
  for (int i = 0; i < self->n_columns; i++)
    {
      const Column *column = &self->columns[i];
      int type = sqlite3_column_type (self->select, i + 1);
      if (type != SQLITE_NULL && type != (column->is_int ? SQLITE_INTEGER : SQLITE_TEXT))
        return FALSE;
      self->texts[column->field]
        = type == SQLITE_NULL ? NULL : (const char *) sqlite3_column_text (self->select, i + 1);
    }
  return TRUE;
}

/* Skips the header of the shape; FALSE: let GDAL read it. */
static gboolean
read_shape (UrbGeopackageRows *self, const guint8 **wkb, gsize *n_bytes)
{
  static const gsize envelope_bytes[8] = { 0, 32, 48, 48, 64 };
  const guint8 *blob;
  gsize n, header;

  *wkb = NULL;
  *n_bytes = 0;
  if (sqlite3_column_type (self->select, 0) == SQLITE_NULL)
    return TRUE;
  if (sqlite3_column_type (self->select, 0) != SQLITE_BLOB)
    return FALSE;
  blob = sqlite3_column_blob (self->select, 0);
  n = (gsize) sqlite3_column_bytes (self->select, 0);
  if (n < HEADER_BYTES || blob[0] != 'G' || blob[1] != 'P' || blob[2] != 0 ||
      (blob[3] & FLAG_EXTENDED) != 0 || (blob[3] & FLAG_LITTLE) == 0 || ENVELOPE (blob[3]) > 4)
    return FALSE;
  header = HEADER_BYTES + envelope_bytes[ENVELOPE (blob[3])];
  if (n <= header)
    return FALSE;
  *wkb = blob + header;
  *n_bytes = n - header;
  return TRUE;
}

UrbRowsState
urb_geopackage_rows_next (UrbGeopackageRows *self, UrbRow *row, const guint8 **wkb, gsize *n_bytes)
{
  int rc = sqlite3_step (self->select);

  if (rc == SQLITE_DONE)
    return URB_ROWS_END;
  *row = (UrbRow){ .texts = self->texts };
  return rc == SQLITE_ROW && read_texts (self) && read_shape (self, wkb, n_bytes) ? URB_ROWS_ONE
                                                                                   : URB_ROWS_ODD;
}
