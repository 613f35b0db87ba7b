/* SPDX-License-Identifier: Apache-2.0 */
/*
 * provenance-read.c - see provenance.h: reads the facts of a file that this program may have written.
 *
 * The file is untrusted: it is read as text or by SQLite, never by GDAL, and no more of it than facts can take.
 */
#include "city/provenance.h"

#include <json-glib/json-glib.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/json-read.h"
#include "base/permission.h"
#include "base/show-text.h"
#include "city/class-map.h"

/* Facts are in the beginning of a text, and few. */
enum { MAX_HEAD = 256 * 1024, MAX_FACTS = 64, MAX_TEXT = 10000 };

/* @text: (nullable) */
static void
add_read (UrbProvenance *self, const char *name, const char *text)
{
  UrbFact fact;

  if (text == NULL || self->facts->len >= MAX_FACTS || *name == '\0' || strlen (text) > MAX_TEXT
      || name[strspn (name, G_CSET_a_2_z "_")] != '\0')
    return;
  fact = (UrbFact){ g_intern_string (name), urb_show_text (text) };
  g_array_append_val (self->facts, fact);
}

/* Returns: (transfer full): its first bytes as a text */
static char *
read_head (const char *path, GError **error)
{
  g_autofree char *head = g_malloc0 (MAX_HEAD + 1);
  g_autoptr(GFile) file = g_file_new_for_path (path);
  g_autoptr(GFileInputStream) stream = g_file_read (file, NULL, error);
  gsize n;

  if (stream == NULL || !g_input_stream_read_all (G_INPUT_STREAM (stream), head, MAX_HEAD, &n, NULL, error))
    return NULL;
  return g_steal_pointer (&head);
}

/* The line after the first @begin, or what follows it on its line. (transfer full) (nullable) */
static char *
dup_after (const char *head, const char *begin, const char *end)
{
  const char *from = strstr (head, begin), *to = from != NULL ? strstr (from + strlen (begin), end) : NULL;

  return to != NULL ? g_strndup (from + strlen (begin), (gsize) (to - from - strlen (begin))) : NULL;
}

/* ------------------------------------------------------------------------ */
/* Formats                                                                   */

static void
read_geojson (UrbProvenance *self, const char *head)
{
  g_autofree char *line = dup_after (head, "\n\"provenance\":", ",\n");
  g_autoptr(JsonObject) object = line != NULL ? urb_json_read_object (line, strlen (line), NULL) : NULL;
  g_autoptr(GList) names = NULL;

  if (object == NULL)
    return;
  names = json_object_get_members (object);
  for (GList *name = names; name != NULL; name = name->next)
    add_read (self, name->data, json_object_get_string_member_with_default (object, name->data, ""));
}

/* What g_markup_escape_text() wrote. */
static char *
unescape (const char *text)
{
  static const char *const entities[][2] = { { "&lt;", "<" }, { "&gt;", ">" }, { "&quot;", "\"" }, { "&apos;", "'" },
                                             { "&#39;", "'" }, { "&amp;", "&" } };
  GString *plain = g_string_new (text);

  for (gsize i = 0; i < G_N_ELEMENTS (entities); i++)
    g_string_replace (plain, entities[i][0], entities[i][1], 0);
  return g_string_free (plain, FALSE);
}

/* "name: text".  Returns: whether it is */
static gboolean
add_pair (UrbProvenance *self, const char *pair)
{
  const char *colon = strstr (pair, ": ");
  g_autofree char *name = colon != NULL ? g_strndup (pair, (gsize) (colon - pair)) : NULL;

  if (name == NULL || name[strspn (name, G_CSET_a_2_z "_")] != '\0')
    return FALSE;
  add_read (self, name, colon + 2);
  return TRUE;
}

static void
read_svg (UrbProvenance *self, const char *head)
{
  g_autofree char *metadata = dup_after (head, "<metadata>\n", "</metadata>");
  g_auto(GStrv) lines = g_strsplit (metadata != NULL ? metadata : "", "\n", -1);

  for (char **line = lines; *line != NULL; line++)
    {
      g_autofree char *plain = unescape (*line);

      add_pair (self, plain);
    }
}

static void
read_dxf (UrbProvenance *self, const char *head)
{
  g_auto(GStrv) lines = g_strsplit (head, "\n", -1);
  guint n = g_strv_length (lines);

  for (guint i = 0; i + 6 < n; i++)
    if (strcmp (lines[i], "$CUSTOMPROPERTYTAG") == 0 && strcmp (lines[i + 4], "$CUSTOMPROPERTY") == 0)
      add_read (self, lines[i + 2], lines[i + 6]);
}

/* The facts in one line, of which each may contain "; ". */
static void
read_cityjson (UrbProvenance *self, const char *head)
{
  g_autofree char *title = dup_after (head, ",\"title\":", "},\n\"CityObjects\"");
  g_autofree char *whole = title != NULL ? g_strdup_printf ("{\"title\":%s}", title) : NULL;
  g_autoptr(JsonObject) object = whole != NULL ? urb_json_read_object (whole, strlen (whole), NULL) : NULL;
  const char *line = urb_json_get_string (object, "title", NULL);
  g_auto(GStrv) parts = NULL;

  if (line == NULL)
    return;
  parts = g_strsplit (line, "; ", -1);
  for (char **part = parts; *part != NULL; part++)
    if (!add_pair (self, *part) && self->facts->len > 0)
      {
        UrbFact *last = &g_array_index (self->facts, UrbFact, self->facts->len - 1);
        char *longer = g_strconcat (last->text, "; ", *part, NULL);

        g_free (last->text);
        last->text = longer;
      }
}

static gboolean
read_gpkg (UrbProvenance *self, const char *path, GError **error)
{
  static const char sql[] = "SELECT name, value FROM provenance WHERE (SELECT type FROM sqlite_schema WHERE name = 'provenance') = 'table'"
                            " ORDER BY fid LIMIT 64";
  sqlite3 *db = NULL;
  sqlite3_stmt *row = NULL;
  gboolean good = sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK;

  if (good)
    {
      sqlite3_limit (db, SQLITE_LIMIT_LENGTH, MAX_HEAD);
      sqlite3_db_config (db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
      sqlite3_db_config (db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
      good = sqlite3_exec (db, "PRAGMA cell_size_check = ON; PRAGMA query_only = ON", NULL, NULL, NULL) == SQLITE_OK;
    }
  if (!good)
    g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_IMAGE, "Could not open '%s': %s", path,
                 db != NULL ? sqlite3_errmsg (db) : "out of memory");
  else if (sqlite3_prepare_v2 (db, sql, -1, &row, NULL) == SQLITE_OK)
    while (sqlite3_step (row) == SQLITE_ROW)
      if (sqlite3_column_text (row, 0) != NULL && sqlite3_column_text (row, 1) != NULL)
        add_read (self, (const char *) sqlite3_column_text (row, 0), (const char *) sqlite3_column_text (row, 1));
  sqlite3_finalize (row);
  sqlite3_close (db);
  return good;
}

/* ------------------------------------------------------------------------ */

static const struct
{
  const char *ending;
  void      (*read) (UrbProvenance *self, const char *head);
} formats[] = {
  { ".city.json", read_cityjson }, { ".geojson", read_geojson }, { ".svg", read_svg }, { ".dxf", read_dxf }, { ".gpkg", NULL },
};

UrbProvenance *
urb_provenance_read (const char *path, GError **error)
{
  g_autoptr(UrbProvenance) self = urb_provenance_new_empty ();
  g_autofree char *head = NULL, *forbidden = urb_permission_dup_read_problem (path);

  if (forbidden != NULL)
    {
      g_set_error_literal (error, URB_CITY_ERROR, URB_CITY_ERROR_IMAGE, forbidden);
      return NULL;
    }
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    {
      g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_IMAGE, "The file '%s' does not exist", path);
      return NULL;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (g_str_has_suffix (path, formats[i].ending))
      {
        if (formats[i].read == NULL)
          return read_gpkg (self, path, error) ? g_steal_pointer (&self) : NULL;
        head = read_head (path, error);
        if (head == NULL)
          return NULL;
        formats[i].read (self, head);
        return g_steal_pointer (&self);
      }
  g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
               "'%s' does not say what it comes from: only .gpkg, .geojson, .svg, .dxf and .city.json do", path);
  return NULL;
}
