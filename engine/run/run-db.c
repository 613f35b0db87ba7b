/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-db.c - see run-db.h.
 *
 * What is hard: sequence numbers must not come back after a rewind, or a
 * reader would miss what replaced the old rows.  The rewind is an event with a
 * higher number, in the same transaction as the deletions.
 */
#include "run/run-db.h"

#include <math.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

enum { APPLICATION_ID = 0x55726252 /* "UrbR" */, FORMAT = 1 };

typedef enum
{
  INSERT_SESSION,
  INSERT_STEP,
  INSERT_SAMPLE,
  INSERT_CHECKPOINT,
  DROP_CHECKPOINT,
  INSERT_EVENT,
  INSERT_DETAIL,
  INSERT_WORKER,
  REPLAY,
  REPLAY_WITHOUT_DETAILS,
  READ,
  N_STATEMENTS
} StatementId;

struct _UrbRunDb
{
  char         *path; /* owned */
  sqlite3      *db;   /* owned */
  sqlite3_stmt *statements[N_STATEMENTS]; /* owned, nullable; prepared at first use */
  gint64        last_seq;
  gboolean      dirty; /* a transaction is open */
  gboolean      has_details; /* the table is there */
};

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

/* What some events have besides; runs of old have no such table. */
static const char detail_schema[] =
  "CREATE TABLE IF NOT EXISTS detail (seq INTEGER PRIMARY KEY, text TEXT NOT NULL)";

#define LAST_SEQ                                                                                   \
  "SELECT max((SELECT ifnull(max(seq),0) FROM session), (SELECT ifnull(max(seq),0) FROM step),"    \
  " (SELECT ifnull(max(seq),0) FROM sample), (SELECT ifnull(max(seq),0) FROM checkpoint),"         \
  " (SELECT ifnull(max(seq),0) FROM event), (SELECT ifnull(max(seq),0) FROM worker))"

/* Each branch is a range of a primary key, so that a page of records costs a
 * page, however long the history is. */
#define PART_OF(table, columns)                                                                    \
  "SELECT * FROM (SELECT seq, " columns " FROM " #table " WHERE seq > ?1 ORDER BY seq LIMIT ?2)"
/* Each part has as many columns as the widest. */
#define NULLS_9 ",NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL"

#define PAGE_OF(table, columns)                                                                    \
  "SELECT * FROM (SELECT seq, json_object('type','" #table "','seq',seq,'time',time," columns     \
  ") FROM " #table " WHERE seq > ?1 ORDER BY seq LIMIT ?2)"

#define EVENT_COLUMNS "'level',level,'code',code,'step',step,'text',text"
#define EVENT_OBJECT(more) "json_object('type','event','seq',seq,'time',time," EVENT_COLUMNS more ")"
/* As PAGE_OF; what is no JSON is left out. */
#define PAGE_OF_EVENTS_WITH_DETAILS                                                                \
  "SELECT * FROM (SELECT seq, iif(json_valid(detail), "                                            \
  EVENT_OBJECT (",'details',json(detail)") ", " EVENT_OBJECT ("") ") FROM (SELECT *, "             \
  "(SELECT detail.text FROM detail WHERE detail.seq = event.seq) AS detail FROM event "            \
  "WHERE seq > ?1 ORDER BY seq LIMIT ?2))"

#define REPLAY_SQL(page_of_events)                                                                 \
  PAGE_OF (session, "'pid',pid,'engine',engine,'from_step',from_step,'n_steps',n_steps,"           \
                    "'config',config") " UNION ALL "                                               \
  PAGE_OF (step, "'step',step,'images',images,'seconds',seconds,'loss_d',loss_d,'loss_g',loss_g,"  \
                 "'logit_real',logit_real,'logit_fake',logit_fake,'r1',r1,'r2',r2,"                \
                 "'grad_norm_d',grad_norm_d,'grad_norm_g',grad_norm_g,'lr_d',lr_d,'lr_g',lr_g")    \
  " UNION ALL "                                                                                    \
  PAGE_OF (sample, "'step',step,'file',file") " UNION ALL "                                        \
  PAGE_OF (checkpoint, "'step',step,'file',file,'bytes',bytes,"                                    \
                       "'kept',json(iif(kept,'true','false'))") " UNION ALL "                      \
  page_of_events " UNION ALL "                                                                     \
  PAGE_OF (worker, "'rank',rank,'pid',pid,'state',state,'text',text")                              \
  " ORDER BY 1 LIMIT ?2"

static const char *const statement_sql[N_STATEMENTS] = {
  [INSERT_SESSION] = "INSERT INTO session VALUES (?,?,?,?,?,?,?)",
  [INSERT_STEP] = "INSERT INTO step VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
  [INSERT_SAMPLE] = "INSERT INTO sample VALUES (?,?,?,?)",
  [INSERT_CHECKPOINT] = "INSERT OR IGNORE INTO checkpoint VALUES (?,?,?,?,?,1)",
  [DROP_CHECKPOINT] = "UPDATE checkpoint SET kept = 0 WHERE step = ?",
  [INSERT_EVENT] = "INSERT INTO event VALUES (?,?,?,?,?,?)",
  [INSERT_DETAIL] = "INSERT INTO detail VALUES (?,?)",
  [INSERT_WORKER] = "INSERT INTO worker VALUES (?,?,?,?,?,?)",
  [REPLAY] = REPLAY_SQL (PAGE_OF_EVENTS_WITH_DETAILS),
  [REPLAY_WITHOUT_DETAILS] = REPLAY_SQL (PAGE_OF (event, EVENT_COLUMNS)),
  /* Numbers are those of UrbRunRecordType; what follows is read by read_record(). */
  [READ] =
    PART_OF (session, "0, time, from_step, NULL,NULL,NULL" NULLS_9) " UNION ALL "
    PART_OF (step, "1, time, step, images, seconds, loss_d, loss_g, logit_real, logit_fake, r1, r2,"
                   " grad_norm_d, grad_norm_g, lr_d, lr_g") " UNION ALL "
    PART_OF (sample, "2, time, step, file, NULL, NULL" NULLS_9) " UNION ALL "
    PART_OF (checkpoint, "3, time, step, file, bytes, kept" NULLS_9) " UNION ALL "
    PART_OF (event, "4, time, step, level, code, text" NULLS_9) " UNION ALL "
    PART_OF (worker, "5, time, 0, state, text, rank, pid,"
                     "NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL")
    " ORDER BY 1 LIMIT ?2",
};

static gboolean
fail (UrbRunDb *self, GError **error)
{
  if (self->db != NULL && sqlite3_errcode (self->db) == SQLITE_FULL)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_DATABASE,
                   "The run database '%s' cannot grow: the disk is full. Make room, and go on with "
                   "'resume'", self->path);
      return FALSE;
    }
  g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_DATABASE,
               "The run database '%s' cannot be used: %s", self->path,
               self->db != NULL ? sqlite3_errmsg (self->db) : "out of memory");
  return FALSE;
}

static gboolean
exec (UrbRunDb *self, const char *sql, GError **error)
{
  return sqlite3_exec (self->db, sql, NULL, NULL, NULL) == SQLITE_OK || fail (self, error);
}

static gint64
query_int (UrbRunDb *self, const char *sql, gint64 otherwise)
{
  sqlite3_stmt *statement = NULL;
  gint64 value = otherwise;
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
is_run_database (UrbRunDb *self)
{
  return query_int (self, "PRAGMA application_id", -1) == APPLICATION_ID
         && query_int (self, "PRAGMA user_version", -1) == FORMAT;
}

static gboolean
check_format (UrbRunDb *self, GError **error)
{
  gint64 id = query_int (self, "PRAGMA application_id", -1);
  gint64 format = query_int (self, "PRAGMA user_version", -1);
  if (id == APPLICATION_ID && format == FORMAT)
    return TRUE;
  if (id == -1 || format == -1)
    return fail (self, error);
  g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_DATABASE,
               id == APPLICATION_ID ? "'%s' was written by another version of Urbarium"
                                    : "'%s' is not a run database",
               self->path);
  return FALSE;
}

static gboolean
make_schema (UrbRunDb *self, GError **error)
{
  g_autofree char *identity
    = g_strdup_printf ("PRAGMA application_id=%d; PRAGMA user_version=%d", APPLICATION_ID, FORMAT);
  return exec (self, "BEGIN IMMEDIATE", error) && exec (self, schema, error)
         && exec (self, detail_schema, error) && exec (self, identity, error) && exec (self, "COMMIT", error);
}

/* NORMAL: a commit survives the death of the process; urb_run_db_sync() also a power cut. */
static gboolean
prepare_for_writing (UrbRunDb *self, GError **error)
{
  if (!exec (self, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL", error))
    return FALSE;
  if (query_int (self, "SELECT count(*) FROM sqlite_schema", -1) == 0)
    return make_schema (self, error);
  return !is_run_database (self) || exec (self, detail_schema, error);
}

static UrbRunDb *
open_with (const char *path, int flags, GError **error)
{
  g_autoptr(UrbRunDb) self = g_new0 (UrbRunDb, 1);
  self->path = g_strdup (path);
  gboolean is_new = (flags & SQLITE_OPEN_CREATE) != 0 && !g_file_test (path, G_FILE_TEST_EXISTS);
  if (sqlite3_open_v2 (path, &self->db, flags | SQLITE_OPEN_NOFOLLOW, NULL) != SQLITE_OK)
    {
      fail (self, error);
      return NULL;
    }
  if (is_new)
    g_chmod (path, 0600); /* SQLite gives its files beside it the same mode */
  sqlite3_busy_timeout (self->db, 10000);
  /* The file may be hostile: no functions or tricks out of its schema. */
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_limit (self->db, SQLITE_LIMIT_LENGTH, 1 << 24);
  /* Else the file says how much of it is kept in memory. */
  exec (self, "PRAGMA cache_size = -2000", NULL);
  if (((flags & SQLITE_OPEN_READWRITE) != 0 && !prepare_for_writing (self, error))
      || !check_format (self, error))
    return NULL;
  self->has_details
    = query_int (self, "SELECT count(*) FROM sqlite_schema WHERE name = 'detail'", 0) > 0;
  self->last_seq = query_int (self, LAST_SEQ, -1);
  if (self->last_seq < 0)
    {
      fail (self, error);
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

void
urb_run_db_free (UrbRunDb *self)
{
  if (self == NULL)
    return;
  if (self->dirty)
    urb_run_db_commit (self, NULL);
  for (int i = 0; i < N_STATEMENTS; i++)
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
  return query_int (self, "SELECT max(step) FROM step", -1);
}

/* ------------------------------------------------------------------------ */
/* Writing                                                                   */

/* Returns: (transfer none) (nullable): reset, without bindings */
static sqlite3_stmt *
get_statement (UrbRunDb *self, StatementId id, GError **error)
{
  if (self->statements[id] == NULL
      && sqlite3_prepare_v3 (self->db, statement_sql[id], -1, SQLITE_PREPARE_PERSISTENT,
                             &self->statements[id], NULL) != SQLITE_OK)
    {
      fail (self, error);
      return NULL;
    }
  sqlite3_reset (self->statements[id]);
  sqlite3_clear_bindings (self->statements[id]);
  return self->statements[id];
}

static gboolean
begin (UrbRunDb *self, GError **error)
{
  if (!self->dirty && !exec (self, "BEGIN IMMEDIATE", error))
    return FALSE;
  self->dirty = TRUE;
  return TRUE;
}

/* Opens the transaction if need be. */
static sqlite3_stmt *
begin_statement (UrbRunDb *self, StatementId id, GError **error)
{
  return begin (self, error) ? get_statement (self, id, error) : NULL;
}

static gboolean
end_statement (UrbRunDb *self, sqlite3_stmt *statement, GError **error)
{
  gboolean good = sqlite3_step (statement) == SQLITE_DONE || fail (self, error);
  sqlite3_reset (statement);
  return good;
}

/* Binds what every record begins with. */
static sqlite3_stmt *
begin_record (UrbRunDb *self, StatementId id, GError **error)
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

gboolean
urb_run_db_add_session (UrbRunDb *self, const char *config, gint64 from_step, gint64 n_steps,
                        GError **error)
{
  sqlite3_stmt *statement = begin_record (self, INSERT_SESSION, error);
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
  sqlite3_stmt *statement = begin_record (self, INSERT_STEP, error);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 3, metrics->step);
  sqlite3_bind_int64 (statement, 4, metrics->images);
  sqlite3_bind_double (statement, 5, isfinite (metrics->seconds) ? metrics->seconds : 0);
  /* What is not finite stays NULL: JSON has no word for it. */
  for (int i = 0; i < URB_N_METRICS; i++)
    if (isfinite (metrics->values[i]))
      sqlite3_bind_double (statement, 6 + i, metrics->values[i]);
  return end_record (self, statement, error);
}

gboolean
urb_run_db_add_sample (UrbRunDb *self, gint64 step, const char *file, GError **error)
{
  sqlite3_stmt *statement = begin_record (self, INSERT_SAMPLE, error);
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
  sqlite3_stmt *statement = begin_record (self, INSERT_CHECKPOINT, error);
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
  sqlite3_stmt *statement = begin_statement (self, DROP_CHECKPOINT, error);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, step);
  return end_statement (self, statement, error);
}

gboolean
urb_run_db_add_event (UrbRunDb *self, const char *level, const char *code, gint64 step,
                      const char *text, GError **error)
{
  sqlite3_stmt *statement = begin_record (self, INSERT_EVENT, error);
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
  sqlite3_stmt *statement = begin_statement (self, INSERT_DETAIL, error);
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
  sqlite3_stmt *statement = begin_record (self, INSERT_WORKER, error);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int (statement, 3, rank);
  sqlite3_bind_int64 (statement, 4, pid);
  bind_text (statement, 5, state);
  bind_text (statement, 6, text);
  return end_record (self, statement, error);
}

gboolean
urb_run_db_rewind (UrbRunDb *self, gint64 step, GError **error)
{
  g_autofree char *count
    = g_strdup_printf ("SELECT count(*) FROM step WHERE step > %" G_GINT64_FORMAT, step);
  g_autofree char *text = NULL;
  static const char *const tables[] = { "step", "sample", "checkpoint" };
  gint64 n_steps = query_int (self, count, 0);
  int n_changes;
  if (!begin (self, error))
    return FALSE;
  n_changes = sqlite3_total_changes (self->db);
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      g_autofree char *sql
        = g_strdup_printf ("DELETE FROM %s WHERE step > %" G_GINT64_FORMAT, tables[i], step);
      if (!exec (self, sql, error))
        return FALSE;
    }
  if (sqlite3_total_changes (self->db) == n_changes)
    return TRUE; /* nobody has seen anything that is gone now */
  text = g_strdup_printf ("%" G_GINT64_FORMAT " steps after step %" G_GINT64_FORMAT
                          " will be done again",
                          n_steps, MAX (step, 0));
  return urb_run_db_add_event (self, "info", "rewound", step, text, error);
}

gboolean
urb_run_db_commit (UrbRunDb *self, GError **error)
{
  if (!self->dirty)
    return TRUE;
  if (!exec (self, "COMMIT", error))
    return FALSE;
  self->dirty = FALSE;
  return TRUE;
}

/* Of the write-ahead log.  A checkpoint does it, too, but not while a reader that looks at older
 * records, or another checkpoint, keeps it from moving anything. */
static gboolean
sync_log (UrbRunDb *self, GError **error)
{
  sqlite3_file *log = NULL;
  if (sqlite3_file_control (self->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) != SQLITE_OK
      || log == NULL || log->pMethods == NULL)
    return fail (self, error);
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
    return fail (self, error);
  return (result == SQLITE_OK && n_moved == n_frames) || sync_log (self, error);
}

gboolean
urb_run_db_is_dirty (UrbRunDb *self)
{
  return self->dirty;
}

/* ------------------------------------------------------------------------ */
/* Reading                                                                   */

/* Returns: whether there is a first row; %FALSE with @error set, or not */
static gboolean
read_row (UrbRunDb *self, const char *sql, void (*read) (sqlite3_stmt *, UrbRunDbSummary *),
          UrbRunDbSummary *summary, GError **error)
{
  sqlite3_stmt *statement = NULL;
  int result = sqlite3_prepare_v2 (self->db, sql, -1, &statement, NULL);
  if (result == SQLITE_OK)
    result = sqlite3_step (statement);
  if (result == SQLITE_ROW)
    read (statement, summary);
  else if (result != SQLITE_DONE)
    fail (self, error);
  sqlite3_finalize (statement);
  return result == SQLITE_ROW || result == SQLITE_DONE;
}

static void
read_last_step (sqlite3_stmt *row, UrbRunDbSummary *summary)
{
  summary->step = sqlite3_column_int64 (row, 0);
  summary->images = sqlite3_column_int64 (row, 1);
}

static void
read_last_time (sqlite3_stmt *row, UrbRunDbSummary *summary)
{
  summary->time = sqlite3_column_double (row, 0);
}

static void
read_last_state (sqlite3_stmt *row, UrbRunDbSummary *summary)
{
  const char *name = (const char *) sqlite3_column_text (row, 0);
  summary->has_state = name != NULL && urb_run_state_from_name (name, &summary->state);
}

gboolean
urb_run_db_summarize (UrbRunDb *self, UrbRunDbSummary *summary, GError **error)
{
  *summary = (UrbRunDbSummary){ 0 };
  return read_row (self, "SELECT step, images FROM step ORDER BY step DESC LIMIT 1",
                   read_last_step, summary, error)
         && read_row (self, "SELECT time FROM event ORDER BY seq DESC LIMIT 1", read_last_time,
                      summary, error)
         && read_row (self,
                      "SELECT text FROM event WHERE code = 'state' ORDER BY seq DESC LIMIT 1",
                      read_last_state, summary, error);
}

int
urb_run_db_replay (UrbRunDb *self, gint64 since, int limit, UrbRunDbFunc func, gpointer user_data,
                   GError **error)
{
  sqlite3_stmt *statement
    = get_statement (self, self->has_details ? REPLAY : REPLAY_WITHOUT_DETAILS, error);
  int result, n = 0;
  if (statement == NULL)
    return -1;
  sqlite3_bind_int64 (statement, 1, since);
  sqlite3_bind_int (statement, 2, limit);
  while ((result = sqlite3_step (statement)) == SQLITE_ROW)
    {
      const char *json = (const char *) sqlite3_column_text (statement, 1);
      if (json == NULL)
        continue;
      func (sqlite3_column_int64 (statement, 0), json, user_data);
      n++;
    }
  if (result != SQLITE_DONE)
    fail (self, error);
  sqlite3_reset (statement);
  return result == SQLITE_DONE ? n : -1;
}

static void
read_metrics (sqlite3_stmt *row, UrbRunRecord *record)
{
  UrbStepMetrics *metrics = &record->metrics;
  metrics->step = record->step;
  metrics->images = sqlite3_column_int64 (row, 4);
  metrics->seconds = sqlite3_column_double (row, 5);
  for (int i = 0; i < URB_N_METRICS; i++)
    metrics->values[i] = sqlite3_column_type (row, 6 + i) == SQLITE_NULL
                           ? NAN
                           : sqlite3_column_double (row, 6 + i);
}

static void
read_texts (sqlite3_stmt *row, UrbRunRecord *record, int n)
{
  for (int i = 0; i < n; i++)
    {
      record->texts[i] = (const char *) sqlite3_column_text (row, 4 + i);
      if (record->texts[i] == NULL)
        record->texts[i] = "";
    }
}

static void
read_record (sqlite3_stmt *row, UrbRunRecord *record)
{
  *record = (UrbRunRecord){
    .type = (UrbRunRecordType) sqlite3_column_int (row, 1),
    .seq = sqlite3_column_int64 (row, 0),
    .time = sqlite3_column_double (row, 2),
    .step = sqlite3_column_int64 (row, 3),
  };
  switch (record->type)
    {
    case URB_RUN_RECORD_STEP:
      read_metrics (row, record);
      break;
    case URB_RUN_RECORD_SAMPLE:
      read_texts (row, record, 1);
      break;
    case URB_RUN_RECORD_CHECKPOINT:
      read_texts (row, record, 1);
      record->n_bytes = sqlite3_column_int64 (row, 5);
      record->kept = sqlite3_column_int (row, 6) != 0;
      break;
    case URB_RUN_RECORD_EVENT:
      read_texts (row, record, 3);
      break;
    case URB_RUN_RECORD_WORKER:
      read_texts (row, record, 2);
      record->rank = sqlite3_column_int64 (row, 6);
      record->pid = sqlite3_column_int64 (row, 7);
      break;
    case URB_RUN_RECORD_SESSION:
      break;
    }
}

int
urb_run_db_read (UrbRunDb *self, gint64 since, int limit, UrbRunRecordFunc func,
                 gpointer user_data, GError **error)
{
  sqlite3_stmt *statement = get_statement (self, READ, error);
  int result, n = 0;
  if (statement == NULL)
    return -1;
  sqlite3_bind_int64 (statement, 1, since);
  sqlite3_bind_int (statement, 2, limit);
  while ((result = sqlite3_step (statement)) == SQLITE_ROW)
    {
      UrbRunRecord record;
      read_record (statement, &record);
      func (&record, user_data);
      n++;
    }
  if (result != SQLITE_DONE)
    fail (self, error);
  sqlite3_reset (statement);
  return result == SQLITE_DONE ? n : -1;
}
