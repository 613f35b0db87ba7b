/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failure.c - see failure.h.
 */
#include "run/store/failure.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "run/store/json-line.h"
#include "run/store/run-db-private.h"

/* The engine's messages are English, also those of the system. */
static gboolean
says_full (const char *text)
{
  return strstr (text, URB_RUN_DB_FULL) != NULL || strstr (text, "No space left on device") != NULL;
}

/* Takes @error. */
static GError *
classify (GError *error)
{
  if (error != NULL && says_full (error->message))
    {
      error->domain = G_FILE_ERROR;
      error->code = G_FILE_ERROR_NOSPC;
    }
  return error;
}

/* @details: (nullable): events of older engines have none */
static GError *
parse_event (const char *text, const char *details)
{
  g_autoptr(JsonObject) object
    = details != NULL ? urb_json_parse_line (details, strlen (details), NULL) : NULL;
  GError *error = urb_json_get_error (object, "error");

  return error != NULL ? error : g_error_new_literal (URB_RUN_ERROR, URB_RUN_ERROR_WORKER, text);
}

static GError *
find_in_db (UrbRunDb *db)
{
  static const char sql[]
    = "SELECT text, (SELECT detail.text FROM detail WHERE detail.seq = event.seq) FROM event"
      " WHERE code = 'failed' AND seq > (SELECT ifnull(max(seq),0) FROM session) ORDER BY seq DESC LIMIT 1";
  sqlite3_stmt *row = NULL;
  GError *error = NULL;

  if (sqlite3_prepare_v2 (db->db, sql, -1, &row, NULL) == SQLITE_OK && sqlite3_step (row) == SQLITE_ROW
      && sqlite3_column_text (row, 0) != NULL)
    error = parse_event ((const char *) sqlite3_column_text (row, 0), (const char *) sqlite3_column_text (row, 1));
  sqlite3_finalize (row);
  return error;
}

/* (transfer full) (nullable) */
static char *
read_end_of_log (const char *folder)
{
  enum { MAX_BYTES = 64 * 1024 };
  g_autofree char *path = g_build_filename (folder, "log", NULL);
  g_autofree char *bytes = g_malloc0 (MAX_BYTES + 1);
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  gint64 end = fd >= 0 ? (gint64) lseek (fd, 0, SEEK_END) : 0;
  gboolean any = fd >= 0 && pread (fd, bytes, MAX_BYTES, MAX (end - MAX_BYTES, 0)) > 0;

  if (fd >= 0)
    close (fd);
  return any ? g_utf8_make_valid (bytes, -1) : NULL;
}

/* The last error after the last sign of training.  Only a database that could not be written lacks it. */
static GError *
find_in_log (const char *folder)
{
  g_autoptr(GRegex) line = g_regex_new ("^[0-9]+-[0-9]+-[0-9]+ [0-9:]+ (info|error): (.*)$", G_REGEX_MULTILINE, 0,
                                        NULL);
  g_autoptr(GMatchInfo) match = NULL;
  g_autofree char *log = read_end_of_log (folder);
  g_autofree char *found = NULL;

  g_assert (line != NULL);
  if (log == NULL)
    return NULL;
  for (g_regex_match (line, log, 0, &match); g_match_info_matches (match); g_match_info_next (match, NULL))
    {
      g_autofree char *level = g_match_info_fetch (match, 1), *text = g_match_info_fetch (match, 2);
      UrbRunState state;

      if (g_str_equal (level, "error"))
        {
          g_free (found);
          found = g_steal_pointer (&text);
        }
      else if (urb_run_state_from_name (text, &state) && state <= URB_RUN_RUNNING)
        g_clear_pointer (&found, g_free);
    }
  return found != NULL ? g_error_new_literal (URB_RUN_ERROR, URB_RUN_ERROR_DATABASE, found) : NULL;
}

GError *
urb_run_find_failure (UrbRunDb *db, const char *folder)
{
  GError *error = db != NULL ? find_in_db (db) : NULL;

  return classify (error != NULL ? error : find_in_log (folder));
}
