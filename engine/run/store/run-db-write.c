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
  [URB_RUN_DB_DROP_SAMPLE] = "DELETE FROM sample WHERE step = ?",
  [URB_RUN_DB_DROP_CHECKPOINT] = "UPDATE checkpoint SET kept = 0 WHERE step = ?",
  [URB_RUN_DB_INSERT_EVENT] = "INSERT INTO event VALUES (?,?,?,?,?,?)",
  [URB_RUN_DB_INSERT_DETAIL] = "INSERT INTO detail VALUES (?,?)",
  [URB_RUN_DB_INSERT_WORKER] = "INSERT INTO worker VALUES (?,?,?,?,?,?)",
  [URB_RUN_DB_INSERT_GPU] = "INSERT INTO gpu VALUES (?,?,?,?,?,?,?,?,?,?)",
  [URB_RUN_DB_INSERT_ENERGY] = "INSERT INTO energy VALUES (?,?,?,?)",
  [URB_RUN_DB_INSERT_SCORE] = "INSERT INTO score VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
};

static gboolean
begin (UrbRunDb *self, GError **error)
{
  if (!self->dirty && !urb_run_db_exec (self, "BEGIN IMMEDIATE", error))
    return FALSE;
  self->dirty = TRUE;
  return TRUE;
}

/* A column of a row.  Unknown and non-finite numbers stay NULL: JSON has no word for them. */
typedef struct
{
  int         type; /* SQLite's */
  gint64      integer;
  double      number;
  const char *text; /* borrowed */
} Value;

#define INTEGER(x) ((Value){ .type = SQLITE_INTEGER, .integer = (x) })
#define BYTES(x)   ((Value){ .type = (x) >= 0 ? SQLITE_INTEGER : SQLITE_NULL, .integer = (x) })
#define NUMBER(x)  ((Value){ .type = isfinite (x) ? SQLITE_FLOAT : SQLITE_NULL, .number = (x) })
#define TEXT(x)    ((Value){ .type = SQLITE_TEXT, .text = (x) })

/* Executes a statement with these values from parameter @first on; opens the transaction if
 * necessary. */
static gboolean
execute (UrbRunDb *self, UrbRunDbStatement id, int first, const Value *values, gsize n,
         GError **error)
{
  sqlite3_stmt *statement
    = begin (self, error) ? urb_run_db_get_statement (self, id, statement_sql[id], error) : NULL;
  gboolean good;
  if (statement == NULL)
    return FALSE;
  if (first > 1) /* the first columns of every record */
    {
      sqlite3_bind_int64 (statement, 1, self->last_seq + 1);
      sqlite3_bind_double (statement, 2, (double) g_get_real_time () / G_USEC_PER_SEC);
    }
  for (int i = 0; i < (int) n; i++)
    if (values[i].type == SQLITE_INTEGER)
      sqlite3_bind_int64 (statement, first + i, values[i].integer);
    else if (values[i].type == SQLITE_FLOAT)
      sqlite3_bind_double (statement, first + i, values[i].number);
    else if (values[i].type == SQLITE_TEXT)
      sqlite3_bind_text (statement, first + i, g_utf8_make_valid (values[i].text, -1), -1, g_free);
  good = sqlite3_step (statement) == SQLITE_DONE || urb_run_db_fail (self, error);
  sqlite3_reset (statement);
  return good;
}

static gboolean
add_record (UrbRunDb *self, UrbRunDbStatement id, const Value *values, gsize n, GError **error)
{
  if (!execute (self, id, 3, values, n, error))
    return FALSE;
  if (sqlite3_changes (self->db) > 0)
    self->last_seq++;
  return TRUE;
}

gboolean
urb_run_db_add_session (UrbRunDb *self, const char *config, gint64 from_step, gint64 n_steps,
                        GError **error)
{
  const Value row[] = { INTEGER (getpid ()), TEXT (URBARIUM_VERSION), INTEGER (from_step),
                        INTEGER (n_steps), TEXT (config) };
  return add_record (self, URB_RUN_DB_INSERT_SESSION, row, G_N_ELEMENTS (row), error);
}

char *
urb_run_db_dup_config (UrbRunDb *self)
{
  sqlite3_stmt *statement = NULL;
  char *config = NULL;
  if (sqlite3_prepare_v2 (self->db, "SELECT config FROM session ORDER BY seq DESC LIMIT 1", -1, &statement,
                          NULL) == SQLITE_OK
      && sqlite3_step (statement) == SQLITE_ROW)
    config = g_strdup ((const char *) sqlite3_column_text (statement, 0));
  sqlite3_finalize (statement);
  return config;
}

gboolean
urb_run_db_add_step (UrbRunDb *self, const UrbStepMetrics *metrics, GError **error)
{
  Value row[3 + URB_N_METRICS] = { INTEGER (metrics->step), INTEGER (metrics->images),
                                   NUMBER (isfinite (metrics->seconds) ? metrics->seconds : 0) };
  for (int i = 0; i < URB_N_METRICS; i++)
    row[3 + i] = NUMBER (metrics->values[i]);
  return add_record (self, URB_RUN_DB_INSERT_STEP, row, G_N_ELEMENTS (row), error);
}

int
urb_run_db_get_metrics (UrbRunDb *self, gint64 step, UrbStepMetrics *metrics, int n)
{
  sqlite3_stmt *statement = NULL;
  int found = 0;
  if (sqlite3_prepare_v2 (self->db, "SELECT step, images, seconds, loss_d, loss_g, logit_real, logit_fake, r1, r2,"
                                    " grad_norm_d, grad_norm_g, lr_d, lr_g FROM step WHERE step <= ?"
                                    " ORDER BY step DESC LIMIT ?", -1, &statement, NULL) != SQLITE_OK)
    return 0;
  sqlite3_bind_int64 (statement, 1, step);
  sqlite3_bind_int (statement, 2, n);
  for (; found < n && sqlite3_step (statement) == SQLITE_ROW; found++)
    {
      metrics[found] = (UrbStepMetrics) { .step = sqlite3_column_int64 (statement, 0),
                                          .images = sqlite3_column_int64 (statement, 1),
                                          .seconds = sqlite3_column_double (statement, 2) };
      for (int i = 0; i < URB_N_METRICS; i++)
        metrics[found].values[i] = sqlite3_column_type (statement, 3 + i) == SQLITE_NULL
                                     ? NAN : sqlite3_column_double (statement, 3 + i);
    }
  sqlite3_finalize (statement);
  return found;
}

gboolean
urb_run_db_add_sample (UrbRunDb *self, gint64 step, const char *file, GError **error)
{
  const Value row[] = { INTEGER (step), TEXT (file) };
  return add_record (self, URB_RUN_DB_INSERT_SAMPLE, row, G_N_ELEMENTS (row), error);
}

gboolean
urb_run_db_drop_sample (UrbRunDb *self, gint64 step, GError **error)
{
  return execute (self, URB_RUN_DB_DROP_SAMPLE, 1, &INTEGER (step), 1, error);
}

gboolean
urb_run_db_add_checkpoint (UrbRunDb *self, gint64 step, const char *file, gint64 n_bytes,
                           GError **error)
{
  const Value row[] = { INTEGER (step), TEXT (file), INTEGER (n_bytes) };
  return add_record (self, URB_RUN_DB_INSERT_CHECKPOINT, row, G_N_ELEMENTS (row), error);
}

gboolean
urb_run_db_drop_checkpoint (UrbRunDb *self, gint64 step, GError **error)
{
  return execute (self, URB_RUN_DB_DROP_CHECKPOINT, 1, &INTEGER (step), 1, error);
}

gboolean
urb_run_db_add_event (UrbRunDb *self, const char *level, const char *code, gint64 step,
                      const char *text, GError **error)
{
  const Value row[] = { TEXT (level), TEXT (code), INTEGER (step), TEXT (text) };
  return add_record (self, URB_RUN_DB_INSERT_EVENT, row, G_N_ELEMENTS (row), error);
}

gboolean
urb_run_db_add_details (UrbRunDb *self, const char *json, GError **error)
{
  const Value row[] = { INTEGER (self->last_seq), TEXT (json) };
  return execute (self, URB_RUN_DB_INSERT_DETAIL, 1, row, G_N_ELEMENTS (row), error);
}

gboolean
urb_run_db_add_worker (UrbRunDb *self, int rank, gint64 pid, const char *state, const char *text,
                       GError **error)
{
  const Value row[] = { INTEGER (rank), INTEGER (pid), TEXT (state), TEXT (text) };
  return add_record (self, URB_RUN_DB_INSERT_WORKER, row, G_N_ELEMENTS (row), error);
}

gboolean
urb_run_db_add_gpu (UrbRunDb *self, const UrbGpu *gpu, GError **error)
{
  const UrbGpuLoad *load = &gpu->load;
  const Value row[] = { INTEGER (gpu->index), TEXT (gpu->pci), TEXT (gpu->name),
                        BYTES (load->memory_used_bytes), BYTES (load->memory_bytes),
                        NUMBER (load->utilization_percent), NUMBER (load->power_w),
                        NUMBER (load->temperature_c) };
  return add_record (self, URB_RUN_DB_INSERT_GPU, row, G_N_ELEMENTS (row), error);
}

gboolean
urb_run_db_add_energy (UrbRunDb *self, double joules, double seconds, GError **error)
{
  const Value row[] = { NUMBER (joules), NUMBER (seconds) };
  return add_record (self, URB_RUN_DB_INSERT_ENERGY, row, G_N_ELEMENTS (row), error);
}

gboolean
urb_run_db_add_score (UrbRunDb *self, const UrbScores *scores, GError **error)
{
  Value row[3 + URB_N_SCORES] = { INTEGER (scores->step), NUMBER (scores->seconds) };
  for (int i = 0; i < URB_N_SCORES; i++)
    row[2 + i] = NUMBER (scores->values[i]);
  row[2 + URB_N_SCORES] = INTEGER (scores->flaws);
  return add_record (self, URB_RUN_DB_INSERT_SCORE, row, G_N_ELEMENTS (row), error);
}

gboolean
urb_run_db_rewind (UrbRunDb *self, gint64 step, char **text, GError **error)
{
  g_autofree char *count
    = g_strdup_printf ("SELECT count(*) FROM step WHERE step > %" G_GINT64_FORMAT, step);
  static const char *const tables[] = { "step", "sample", "checkpoint", "score" };
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
