/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file-difference.c - see file-difference.h.
 */
#include "city/file-difference.h"

#include <sqlite3.h>
#include <string.h>

#include "base/show-text.h"
#include "city/class-map.h"

/* Bytes of a line that are shown, and of them before the first that differs. */
enum { MAX_SHOWN = 100, MAX_BEFORE = 40 };

typedef struct
{
  gint64 n_parts, n_different;
  char  *first; /* owned, nullable */
} Difference;

/* @from: where the excerpt begins */
static char *
show (const char *text, gsize n, gsize from)
{
  gsize start = MIN (from, n);
  g_autofree char *part = g_strndup (text + start, MIN (n - start, MAX_SHOWN)), *shown = urb_show_text (part);

  return g_strconcat (start > 0 ? "…" : "", shown, n - start > MAX_SHOWN ? "…" : "", NULL);
}

/* Where excerpts of two texts begin, so that they show how they differ. */
static gsize
find_start (const char *a, gsize n_a, const char *b, gsize n_b)
{
  gsize i = 0;

  while (i < n_a && i < n_b && a[i] == b[i])
    i++;
  return i > MAX_BEFORE ? i - MAX_BEFORE : 0;
}

/* ------------------------------------------------------------------------ */
/* Texts                                                                     */

/* A text, and the line in it that is next. */
typedef struct
{
  const char *at, *end;
  const char *line;
  gsize       n;
} Lines;

static gboolean
next_line (Lines *self)
{
  const char *newline;

  if (self->at >= self->end)
    return FALSE;
  newline = memchr (self->at, '\n', (gsize) (self->end - self->at));
  self->line = self->at;
  self->n = (gsize) ((newline != NULL ? newline : self->end) - self->at);
  self->at = newline != NULL ? newline + 1 : self->end;
  return TRUE;
}

static void
compare_lines (Lines *a, Lines *b, Difference *difference)
{
  for (;;)
    {
      gboolean has_a = next_line (a), has_b = next_line (b);

      if (!has_a && !has_b)
        return;
      difference->n_parts++;
      if (has_a && has_b && a->n == b->n && memcmp (a->line, b->line, a->n) == 0)
        continue;
      difference->n_different++;
      if (difference->first == NULL)
        {
          gsize start = has_a && has_b ? find_start (a->line, a->n, b->line, b->n) : 0;
          g_autofree char *in_a = has_a ? show (a->line, a->n, start) : g_strdup ("(the end)");
          g_autofree char *in_b = has_b ? show (b->line, b->n, start) : g_strdup ("(the end)");

          difference->first = g_strdup_printf ("line %" G_GINT64_FORMAT "\n  in the file: %s\n  made again:  %s",
                                               difference->n_parts, in_a, in_b);
        }
    }
}

static gboolean
compare_texts (const char *path, const char *again, Difference *difference, GError **error)
{
  g_autoptr(GMappedFile) a = g_mapped_file_new (path, FALSE, error);
  g_autoptr(GMappedFile) b = a != NULL ? g_mapped_file_new (again, FALSE, error) : NULL;
  Lines lines[2];

  if (b == NULL)
    return FALSE;
  lines[0] = (Lines){ .at = g_mapped_file_get_contents (a), .end = g_mapped_file_get_contents (a) + g_mapped_file_get_length (a) };
  lines[1] = (Lines){ .at = g_mapped_file_get_contents (b), .end = g_mapped_file_get_contents (b) + g_mapped_file_get_length (b) };
  compare_lines (&lines[0], &lines[1], difference);
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* GeoPackages                                                               */

static const char *const tables[] = { "provenance", "building", "road", "other", "centerline" };

static sqlite3 *
open_gpkg (const char *path, GError **error)
{
  sqlite3 *db = NULL;

  if (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK)
    {
      sqlite3_db_config (db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
      sqlite3_db_config (db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
      if (sqlite3_exec (db, "PRAGMA cell_size_check = ON; PRAGMA query_only = ON", NULL, NULL, NULL) == SQLITE_OK)
        return db;
    }
  g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_IMAGE, "Could not open '%s': %s", path,
               db != NULL ? sqlite3_errmsg (db) : "out of memory");
  sqlite3_close (db);
  return NULL;
}

/* Plain tables only: a view or virtual table could run forever. (nullable) */
static sqlite3_stmt *
read_table (sqlite3 *db, const char *table)
{
  g_autofree char *sql = g_strdup_printf ("SELECT * FROM \"%s\" WHERE (SELECT sql FROM sqlite_schema WHERE name = '%s')"
                                          " LIKE 'CREATE TABLE%%' ORDER BY fid", table, table);
  sqlite3_stmt *rows = NULL;

  return sqlite3_prepare_v2 (db, sql, -1, &rows, NULL) == SQLITE_OK ? rows : NULL;
}

static gboolean
is_same_row (sqlite3_stmt *a, sqlite3_stmt *b)
{
  int n = sqlite3_column_count (a);

  if (sqlite3_column_count (b) != n)
    return FALSE;
  for (int i = 0; i < n; i++)
    {
      int type = sqlite3_column_type (a, i);
      const void *value_a, *value_b;
      int n_a, n_b;

      if (type != sqlite3_column_type (b, i))
        return FALSE;
      if (type == SQLITE_NULL)
        continue;
      value_a = sqlite3_column_blob (a, i);
      n_a = sqlite3_column_bytes (a, i);
      value_b = sqlite3_column_blob (b, i);
      n_b = sqlite3_column_bytes (b, i);
      if (n_a != n_b || (n_a > 0 && memcmp (value_a, value_b, (gsize) n_a) != 0))
        return FALSE;
    }
  return TRUE;
}

static void
compare_table (sqlite3 *db_a, sqlite3 *db_b, const char *table, Difference *difference)
{
  sqlite3_stmt *a = read_table (db_a, table), *b = read_table (db_b, table);
  gboolean has_a = TRUE, has_b = TRUE;

  for (gint64 row = 1; has_a || has_b; row++)
    {
      has_a = has_a && a != NULL && sqlite3_step (a) == SQLITE_ROW;
      has_b = has_b && b != NULL && sqlite3_step (b) == SQLITE_ROW;
      if (!has_a && !has_b)
        break;
      difference->n_parts++;
      if (has_a && has_b && is_same_row (a, b))
        continue;
      difference->n_different++;
      if (difference->first == NULL)
        difference->first = g_strdup_printf ("row %" G_GINT64_FORMAT " of the table %s%s", row, table,
                                             !has_a ? ", which the file lacks" : !has_b ? ", which is only in the file" : "");
    }
  sqlite3_finalize (a);
  sqlite3_finalize (b);
}

static gboolean
compare_gpkgs (const char *path, const char *again, Difference *difference, GError **error)
{
  sqlite3 *a = open_gpkg (path, error), *b = a != NULL ? open_gpkg (again, error) : NULL;

  for (gsize i = 0; b != NULL && i < G_N_ELEMENTS (tables); i++)
    compare_table (a, b, tables[i], difference);
  sqlite3_close (a);
  sqlite3_close (b);
  return b != NULL;
}

/* ------------------------------------------------------------------------ */

gboolean
urb_find_difference (const char *path, const char *again, gint64 *n_parts, gint64 *n_different, char **first, GError **error)
{
  Difference difference = { 0 };

  if (!(g_str_has_suffix (path, ".gpkg") ? compare_gpkgs : compare_texts) (path, again, &difference, error))
    return FALSE;
  *n_parts = difference.n_parts;
  *n_different = difference.n_different;
  *first = difference.first;
  return TRUE;
}
