/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-db.c - see run-db.h: creates and opens the database of a run.
 */
#include "run/store/run-db-private.h"

#include <glib/gstdio.h>

enum { APPLICATION_ID = 0x55726252 /* "UrbR" */, FORMAT = 1 };

static const char schema[] =
  "CREATE TABLE session (seq INTEGER PRIMARY KEY, time REAL NOT NULL, pid INTEGER NOT NULL,"
  " engine TEXT NOT NULL, from_step INTEGER NOT NULL, n_steps INTEGER NOT NULL, config TEXT NOT "
  "NULL);"
  "CREATE TABLE step (seq INTEGER PRIMARY KEY, time REAL NOT NULL, step INTEGER NOT NULL UNIQUE,"
  " images INTEGER NOT NULL, seconds REAL NOT NULL, loss_d REAL, loss_g REAL, logit_real REAL,"
  " logit_fake REAL, r1 REAL, r2 REAL, grad_norm_d REAL, grad_norm_g REAL, lr_d REAL, lr_g REAL);"
  "CREATE TABLE sample (seq INTEGER PRIMARY KEY, time REAL NOT NULL, step INTEGER NOT NULL,"
  " file TEXT NOT NULL);"
  "CREATE TABLE checkpoint (seq INTEGER PRIMARY KEY, time REAL NOT NULL, step INTEGER NOT NULL "
  "UNIQUE,"
  " file TEXT NOT NULL, bytes INTEGER NOT NULL, kept INTEGER NOT NULL);"
  "CREATE TABLE event (seq INTEGER PRIMARY KEY, time REAL NOT NULL, level TEXT NOT NULL,"
  " code TEXT NOT NULL, step INTEGER NOT NULL, text TEXT NOT NULL);"
  "CREATE TABLE worker (seq INTEGER PRIMARY KEY, time REAL NOT NULL, rank INTEGER NOT NULL,"
  " pid INTEGER NOT NULL, state TEXT NOT NULL, text TEXT NOT NULL);";

/* Missing in old runs: a writer adds them, a reader uses empty temporary ones. */
static const struct { const char *name, *columns; } later_tables[] = {
  { "detail", "seq INTEGER PRIMARY KEY, text TEXT NOT NULL" }, /* additional data of some events */
  { "gpu", "seq INTEGER PRIMARY KEY, time REAL NOT NULL, device INTEGER NOT NULL, pci TEXT NOT NULL,"
           " name TEXT NOT NULL, memory_used_bytes INTEGER, memory_bytes INTEGER,"
           " utilization_percent REAL, power_w REAL, temperature_c REAL" },
  { "score", "seq INTEGER PRIMARY KEY, time REAL NOT NULL, step INTEGER NOT NULL, seconds REAL NOT NULL,"
             " score REAL, pixels REAL, connectivity REAL, half_tones REAL, rectangularity REAL,"
             " hall_walls REAL, blocks REAL, precision REAL, recall REAL, flaws INTEGER NOT NULL" },
  { "energy", "seq INTEGER PRIMARY KEY, time REAL NOT NULL, joules REAL NOT NULL, seconds REAL NOT NULL" },
};

#define LAST_SEQ                                                                                   \
  "SELECT max((SELECT ifnull(max(seq),0) FROM session), (SELECT ifnull(max(seq),0) FROM step),"    \
  " (SELECT ifnull(max(seq),0) FROM sample), (SELECT ifnull(max(seq),0) FROM checkpoint),"         \
  " (SELECT ifnull(max(seq),0) FROM event), (SELECT ifnull(max(seq),0) FROM worker),"              \
  " (SELECT ifnull(max(seq),0) FROM gpu), (SELECT ifnull(max(seq),0) FROM score),"                \
  " (SELECT ifnull(max(seq),0) FROM energy))"

gboolean
urb_run_db_fail (UrbRunDb *self, GError **error)
{
  if (self->db != NULL && sqlite3_errcode (self->db) == SQLITE_FULL)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_DATABASE,
                   "The run database '%s' cannot grow: " URB_RUN_DB_FULL ". Free some space, then use "
                   "'resume'", self->path);
      return FALSE;
    }
  g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_DATABASE,
               "The run database '%s' cannot be used: %s", self->path,
               self->db != NULL ? sqlite3_errmsg (self->db) : "out of memory");
  return FALSE;
}

/* A statement on a history of ten million steps takes a tenth of this. */
enum { OPERATIONS_PER_LOOK = 1000000, MAX_LOOKS = 10000 };

static int
progress_cb (void *data)
{
  UrbRunDb *self = data;
  return ++self->n_looks > MAX_LOOKS;
}

gboolean
urb_run_db_exec (UrbRunDb *self, const char *sql, GError **error)
{
  self->n_looks = 0;
  return sqlite3_exec (self->db, sql, NULL, NULL, NULL) == SQLITE_OK
         || urb_run_db_fail (self, error);
}

sqlite3_stmt *
urb_run_db_get_statement (UrbRunDb *self, UrbRunDbStatement id, const char *sql, GError **error)
{
  if (self->statements[id] == NULL
      && sqlite3_prepare_v3 (self->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
                             &self->statements[id], NULL) != SQLITE_OK)
    {
      urb_run_db_fail (self, error);
      return NULL;
    }
  self->n_looks = 0;
  sqlite3_reset (self->statements[id]);
  sqlite3_clear_bindings (self->statements[id]);
  return self->statements[id];
}

gint64
urb_run_db_query_int (UrbRunDb *self, const char *sql, gint64 otherwise)
{
  sqlite3_stmt *statement = NULL;
  gint64 value = otherwise;
  self->n_looks = 0;
  if (sqlite3_prepare_v2 (self->db, sql, -1, &statement, NULL) == SQLITE_OK
      && sqlite3_step (statement) == SQLITE_ROW
      && sqlite3_column_type (statement, 0) == SQLITE_INTEGER)
    value = sqlite3_column_int64 (statement, 0);
  sqlite3_finalize (statement);
  return value;
}

/* ------------------------------------------------------------------------ */
/* Open and close                                                            */

static gboolean
check_format (UrbRunDb *self, GError **error)
{
  gint64 id = urb_run_db_query_int (self, "PRAGMA application_id", -1);
  gint64 format = urb_run_db_query_int (self, "PRAGMA user_version", -1);
  if (id == APPLICATION_ID && format == FORMAT)
    return TRUE;
  if (id == -1 || format == -1)
    return urb_run_db_fail (self, error);
  g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_DATABASE,
               id == APPLICATION_ID ? "'%s' was written by another version of Urbarium"
                                    : "'%s' is not a run database",
               self->path);
  return FALSE;
}

/* A view may be endless, and a trigger does whatever its author wants. */
static gboolean
check_schema (UrbRunDb *self, GError **error)
{
  gint64 n_odd = urb_run_db_query_int (self, "SELECT count(*) FROM main.sqlite_schema WHERE type IN ('view', 'trigger')"
                                             " OR (type = 'table' AND sql NOT LIKE 'CREATE TABLE%')", -1);
  if (n_odd == 0)
    return TRUE;
  if (n_odd < 0)
    return urb_run_db_fail (self, error);
  g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_DATABASE,
               "The run database '%s' has views or triggers, which Urbarium never writes. Delete it: 'resume' "
               "makes it again from the checkpoints", self->path);
  return FALSE;
}

/* @kind: "TABLE" in the file, "TEMP TABLE" in memory */
static gboolean
add_later_tables (UrbRunDb *self, const char *kind, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (later_tables); i++)
    {
      const char *name = later_tables[i].name;
      g_autofree char *look
        = g_strdup_printf ("SELECT count(*) FROM main.sqlite_schema WHERE name = '%s'", name);
      g_autofree char *sql
        = g_strdup_printf ("CREATE %s %s (%s)", kind, name, later_tables[i].columns);
      if (urb_run_db_query_int (self, look, 1) == 0 && !urb_run_db_exec (self, sql, error))
        return FALSE;
    }
  return TRUE;
}

/* With NORMAL a commit survives the end of the process; urb_run_db_sync() also survives a power
 * cut. */
static gboolean
prepare_for_writing (UrbRunDb *self, GError **error)
{
  g_autofree char *identity
    = g_strdup_printf ("PRAGMA application_id=%d; PRAGMA user_version=%d", APPLICATION_ID, FORMAT);
  if (!urb_run_db_exec (self, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL", error))
    return FALSE;
  if (urb_run_db_query_int (self, "SELECT count(*) FROM sqlite_schema", -1) == 0)
    return urb_run_db_exec (self, "BEGIN IMMEDIATE", error) && urb_run_db_exec (self, schema, error)
           && add_later_tables (self, "TABLE", error) && urb_run_db_exec (self, identity, error)
           && urb_run_db_exec (self, "COMMIT", error);
  return !check_format (self, NULL) || add_later_tables (self, "TABLE", error);
}

static UrbRunDb *
open_with (const char *path, int flags, GError **error)
{
  g_autoptr(UrbRunDb) self = g_new0 (UrbRunDb, 1);
  self->path = g_strdup (path);
  gboolean is_new = (flags & SQLITE_OPEN_CREATE) != 0 && !g_file_test (path, G_FILE_TEST_EXISTS);
  if (sqlite3_open_v2 (path, &self->db, flags | SQLITE_OPEN_NOFOLLOW, NULL) != SQLITE_OK)
    {
      urb_run_db_fail (self, error);
      return NULL;
    }
  if (is_new)
    g_chmod (path, 0600); /* SQLite gives its other files the same mode */
  sqlite3_busy_timeout (self->db, 10000);
  /* The file may be hostile: no functions or triggers from its schema. */
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_limit (self->db, SQLITE_LIMIT_LENGTH, 1 << 24);
  sqlite3_progress_handler (self->db, OPERATIONS_PER_LOOK, progress_cb, self);
  if (!check_schema (self, error))
    return NULL;
  /* Otherwise the file determines the size of the cache. */
  urb_run_db_exec (self, "PRAGMA cache_size = -2000", NULL);
  if (((flags & SQLITE_OPEN_READWRITE) != 0 && !prepare_for_writing (self, error))
      || !check_format (self, error) || !add_later_tables (self, "TEMP TABLE", error))
    return NULL;
  self->last_seq = urb_run_db_query_int (self, LAST_SEQ, -1);
  if (self->last_seq < 0)
    {
      urb_run_db_fail (self, error);
      return NULL;
    }
  return g_steal_pointer (&self);
}

UrbRunDb *
urb_run_db_open (const char *path, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);
  return open_with (path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
}

UrbRunDb *
urb_run_db_open_reader (const char *path, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);
  return open_with (path, SQLITE_OPEN_READONLY, error);
}

gboolean
urb_run_db_copy (UrbRunDb *self, const char *path, GError **error)
{
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW;
  sqlite3 *copy = NULL;
  sqlite3_backup *backup = NULL;
  int code = sqlite3_open_v2 (path, &copy, flags, NULL);

  if (code == SQLITE_OK)
    {
      g_chmod (path, 0600);
      backup = sqlite3_backup_init (copy, "main", self->db, "main");
      code = backup != NULL ? sqlite3_backup_step (backup, -1) : sqlite3_errcode (copy);
      sqlite3_backup_finish (backup);
    }
  if (code != SQLITE_DONE)
    g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_DATABASE, "Cannot copy '%s' to '%s': %s", self->path, path,
                 sqlite3_errstr (code));
  sqlite3_close (copy);
  return code == SQLITE_DONE;
}

void
urb_run_db_free (UrbRunDb *self)
{
  if (self == NULL)
    return;
  if (self->dirty)
    urb_run_db_commit (self, NULL);
  for (int i = 0; i < URB_RUN_DB_N_STATEMENTS; i++)
    sqlite3_finalize (self->statements[i]);
  sqlite3_close (self->db);
  g_free (self->path);
  g_free (self);
}

gint64
urb_run_db_get_last_seq (UrbRunDb *self)
{
  return self->last_seq;
}

gint64
urb_run_db_get_last_step (UrbRunDb *self)
{
  return urb_run_db_query_int (self, "SELECT max(step) FROM step", -1);
}
