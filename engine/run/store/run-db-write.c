/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-db-write.c - see run-db.h: adds records and rewinds them.
 *
 * Sequence numbers must not be reused after a rewind, or a reader would miss the rows that replaced
 * the old ones.  The rewind is an event with a higher number, in the same transaction as the
 * deletions.
 */
#include "run/store/run-db-private.h"

#include <math.h>

static const char *const statement_sql[] = {
  [URB_RUN_DB_INSERT_SESSION] = "INSERT INTO session VALUES (?,?,?,?,?,?,?)",
  [URB_RUN_DB_INSERT_STEP] = "INSERT INTO step VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
  [URB_RUN_DB_INSERT_SAMPLE] = "INSERT INTO sample VALUES (?,?,?,?)",
  [URB_RUN_DB_INSERT_CHECKPOINT] = "INSERT OR IGNORE INTO checkpoint VALUES (?,?,?,?,?,1)",
  [URB_RUN_DB_DROP_CHECKPOINT] = "UPDATE checkpoint SET kept = 0 WHERE step = ?",
  [URB_RUN_DB_INSERT_EVENT] = "INSERT INTO event VALUES (?,?,?,?,?,?)",
  [URB_RUN_DB_INSERT_DETAIL] = "INSERT INTO detail VALUES (?,?)",
  [URB_RUN_DB_INSERT_WORKER] = "INSERT INTO worker VALUES (?,?,?,?,?,?)",
  [URB_RUN_DB_INSERT_GPU] = "INSERT INTO gpu VALUES (?,?,?,?,?,?,?,?,?,?)",
};

static gboolean
begin (UrbRunDb *self, GError **error)
{
  if (!self->dirty && !urb_run_db_exec (self, "BEGIN IMMEDIATE", error))
    return FALSE;
  self->dirty = TRUE;
  return TRUE;
}

/* Opens the transaction if necessary. */
static sqlite3_stmt *
begin_statement (UrbRunDb *self, UrbRunDbStatement id, GError **error)
{
  return begin (self, error) ? urb_run_db_get_statement (self, id, statement_sql[id], error) : NULL;
}

static gboolean
end_statement (UrbRunDb *self, sqlite3_stmt *statement, GError **error)
{
  gboolean good = sqlite3_step (statement) == SQLITE_DONE || urb_run_db_fail (self, error);
  sqlite3_reset (statement);
  return good;
}

/* Binds the first columns of every record. */
static sqlite3_stmt *
begin_record (UrbRunDb *self, UrbRunDbStatement id, GError **error)
{
  sqlite3_stmt *statement = begin_statement (self, id, error);
  if (statement == NULL)
    return NULL;
  sqlite3_bind_int64 (statement, 1, self->last_seq + 1);
  sqlite3_bind_double (statement, 2, (double) g_get_real_time () / G_USEC_PER_SEC);
  return statement;
}

static gboolean
end_record (UrbRunDb *self, sqlite3_stmt *statement, GError **error)
{
  gboolean good = end_statement (self, statement, error);
  if (good && sqlite3_changes (self->db) > 0)
    self->last_seq++;
  return good;
}

static void
bind_text (sqlite3_stmt *statement, int index, const char *text)
{
  char *valid = g_utf8_make_valid (text, -1);
  sqlite3_bind_text (statement, index, valid, -1, g_free);
}

/* Unknown and non-finite values stay NULL: JSON has no word for them. */
static void
bind_number (sqlite3_stmt *statement, int index, double value)
{
  if (isfinite (value))
    sqlite3_bind_double (statement, index, value);
}

static void
bind_bytes (sqlite3_stmt *statement, int index, gint64 n_bytes)
{
  if (n_bytes >= 0)
    sqlite3_bind_int64 (statement, index, n_bytes);
}

gboolean
urb_run_db_add_session (UrbRunDb *self, const char *config, gint64 from_step, gint64 n_steps,
                        GError **error)
{
  sqlite3_stmt *statement = begin_record (self, URB_RUN_DB_INSERT_SESSION, error);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 3, getpid ());
  bind_text (statement, 4, URBARIUM_VERSION);
  sqlite3_bind_int64 (statement, 5, from_step);
  sqlite3_bind_int64 (statement, 6, n_steps);
  bind_text (statement, 7, config);
  return end_record (self, statement, error);
}

gboolean
urb_run_db_add_step (UrbRunDb *self, const UrbStepMetrics *metrics, GError **error)
{
  sqlite3_stmt *statement = begin_record (self, URB_RUN_DB_INSERT_STEP, error);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 3, metrics->step);
  sqlite3_bind_int64 (statement, 4, metrics->images);
  sqlite3_bind_double (statement, 5, isfinite (metrics->seconds) ? metrics->seconds : 0);
  for (int i = 0; i < URB_N_METRICS; i++)
    bind_number (statement, 6 + i, metrics->values[i]);
  return end_record (self, statement, error);
}

gboolean
urb_run_db_add_sample (UrbRunDb *self, gint64 step, const char *file, GError **error)
{
  sqlite3_stmt *statement = begin_record (self, URB_RUN_DB_INSERT_SAMPLE, error);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 3, step);
  bind_text (statement, 4, file);
  return end_record (self, statement, error);
}

gboolean
urb_run_db_add_checkpoint (UrbRunDb *self, gint64 step, const char *file, gint64 n_bytes,
                           GError **error)
{
  sqlite3_stmt *statement = begin_record (self, URB_RUN_DB_INSERT_CHECKPOINT, error);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 3, step);
  bind_text (statement, 4, file);
  sqlite3_bind_int64 (statement, 5, n_bytes);
  return end_record (self, statement, error);
}

gboolean
urb_run_db_drop_checkpoint (UrbRunDb *self, gint64 step, GError **error)
{
  sqlite3_stmt *statement = begin_statement (self, URB_RUN_DB_DROP_CHECKPOINT, error);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, step);
  return end_statement (self, statement, error);
}

gboolean
urb_run_db_add_event (UrbRunDb *self, const char *level, const char *code, gint64 step,
                      const char *text, GError **error)
{
  sqlite3_stmt *statement = begin_record (self, URB_RUN_DB_INSERT_EVENT, error);
  if (statement == NULL)
    return FALSE;
  bind_text (statement, 3, level);
  bind_text (statement, 4, code);
  sqlite3_bind_int64 (statement, 5, step);
  bind_text (statement, 6, text);
  return end_record (self, statement, error);
}

gboolean
urb_run_db_add_details (UrbRunDb *self, const char *json, GError **error)
{
  sqlite3_stmt *statement = begin_statement (self, URB_RUN_DB_INSERT_DETAIL, error);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, self->last_seq);
  bind_text (statement, 2, json);
  return end_statement (self, statement, error);
}

gboolean
urb_run_db_add_worker (UrbRunDb *self, int rank, gint64 pid, const char *state, const char *text,
                       GError **error)
{
  sqlite3_stmt *statement = begin_record (self, URB_RUN_DB_INSERT_WORKER, error);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int (statement, 3, rank);
  sqlite3_bind_int64 (statement, 4, pid);
  bind_text (statement, 5, state);
  bind_text (statement, 6, text);
  return end_record (self, statement, error);
}

gboolean
urb_run_db_add_gpu (UrbRunDb *self, const UrbGpu *gpu, GError **error)
{
  sqlite3_stmt *statement = begin_record (self, URB_RUN_DB_INSERT_GPU, error);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int (statement, 3, gpu->index);
  bind_text (statement, 4, gpu->pci);
  bind_text (statement, 5, gpu->name);
  bind_bytes (statement, 6, gpu->load.memory_used_bytes);
  bind_bytes (statement, 7, gpu->load.memory_bytes);
  bind_number (statement, 8, gpu->load.utilization_percent);
  bind_number (statement, 9, gpu->load.power_w);
  bind_number (statement, 10, gpu->load.temperature_c);
  return end_record (self, statement, error);
}

gboolean
urb_run_db_rewind (UrbRunDb *self, gint64 step, char **text, GError **error)
{
  g_autofree char *count
    = g_strdup_printf ("SELECT count(*) FROM step WHERE step > %" G_GINT64_FORMAT, step);
  static const char *const tables[] = { "step", "sample", "checkpoint" };
  gint64 n_steps = urb_run_db_query_int (self, count, 0);
  int n_changes;
  *text = NULL;
  if (!begin (self, error))
    return FALSE;
  n_changes = sqlite3_total_changes (self->db);
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      g_autofree char *sql
        = g_strdup_printf ("DELETE FROM %s WHERE step > %" G_GINT64_FORMAT, tables[i], step);
      if (!urb_run_db_exec (self, sql, error))
        return FALSE;
    }
  if (sqlite3_total_changes (self->db) == n_changes)
    return TRUE; /* nobody has seen the deleted records */
  *text = g_strdup_printf ("%" G_GINT64_FORMAT " steps after step %" G_GINT64_FORMAT
                           " will be done again",
                           n_steps, MAX (step, 0));
  return urb_run_db_add_event (self, "warning", "rewound", step, *text, error);
}

gboolean
urb_run_db_commit (UrbRunDb *self, GError **error)
{
  if (!self->dirty)
    return TRUE;
  if (!urb_run_db_exec (self, "COMMIT", error))
    return FALSE;
  self->dirty = FALSE;
  return TRUE;
}

/* Syncs the write-ahead log.  A checkpoint of it would do, too, but not while a reader of older
 * records, or another checkpoint, blocks it. */
static gboolean
sync_log (UrbRunDb *self, GError **error)
{
  sqlite3_file *log = NULL;
  if (sqlite3_file_control (self->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) != SQLITE_OK
      || log == NULL || log->pMethods == NULL)
    return urb_run_db_fail (self, error);
  if (log->pMethods->xSync (log, SQLITE_SYNC_NORMAL) == SQLITE_OK)
    return TRUE;
  g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_DATABASE,
               "The run database '%s' cannot be written to the disk", self->path);
  return FALSE;
}

gboolean
urb_run_db_sync (UrbRunDb *self, GError **error)
{
  int n_frames = -1, n_moved = -1, result;
  if (!urb_run_db_commit (self, error))
    return FALSE;
  result = sqlite3_wal_checkpoint_v2 (self->db, NULL, SQLITE_CHECKPOINT_PASSIVE, &n_frames,
                                      &n_moved);
  if (result != SQLITE_OK && result != SQLITE_BUSY)
    return urb_run_db_fail (self, error);
  return (result == SQLITE_OK && n_moved == n_frames) || sync_log (self, error);
}

gboolean
urb_run_db_is_dirty (UrbRunDb *self)
{
  return self->dirty;
}
