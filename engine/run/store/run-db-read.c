/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-db-read.c - see run-db.h: reads records, as JSON or as structs, and a summary.
 */
#include "run/store/run-db-private.h"

#include <math.h>
#include <string.h>

#include "base/compare.h"
#include "run/store/json-line.h"

/* Each branch is a range of a primary key, so that reading a page takes the same time however long
 * the history is. */
#define PART_OF(table, columns)                                                                    \
  "SELECT * FROM (SELECT seq, " columns " FROM " #table " WHERE seq > ?1 ORDER BY seq LIMIT ?2)"
/* All parts have the same number of columns. */
#define NULLS_9 ",NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL"

#define PAGE_OF(table, columns)                                                                    \
  "SELECT * FROM (SELECT seq, json_object('type','" #table "','seq',seq,'time',time," columns     \
  ") FROM " #table " WHERE seq > ?1 ORDER BY seq LIMIT ?2)"

#define EVENT_OBJECT(more)                                                                         \
  "json_object('type','event','seq',seq,'time',time,'level',level,'code',code,'step',step,"        \
  "'text',text" more ")"
/* As PAGE_OF; details that are not valid JSON are left out. */
#define PAGE_OF_EVENTS                                                                             \
  "SELECT * FROM (SELECT seq, iif(json_valid(detail), "                                            \
  EVENT_OBJECT (",'details',json(detail)") ", " EVENT_OBJECT ("") ") FROM (SELECT *, "             \
  "(SELECT detail.text FROM detail WHERE detail.seq = event.seq) AS detail FROM event "            \
  "WHERE seq > ?1 ORDER BY seq LIMIT ?2))"

static const char replay_sql[] =
  PAGE_OF (session, "'pid',pid,'engine',engine,'from_step',from_step,'n_steps',n_steps,"
                    "'config',config") " UNION ALL "
  PAGE_OF (step, "'step',step,'images',images,'seconds',seconds,'loss_d',loss_d,'loss_g',loss_g,"
                 "'logit_real',logit_real,'logit_fake',logit_fake,'r1',r1,'r2',r2,"
                 "'grad_norm_d',grad_norm_d,'grad_norm_g',grad_norm_g,'lr_d',lr_d,'lr_g',lr_g")
  " UNION ALL "
  PAGE_OF (sample, "'step',step,'file',file") " UNION ALL "
  PAGE_OF (checkpoint, "'step',step,'file',file,'bytes',bytes,"
                       "'kept',json(iif(kept,'true','false'))") " UNION ALL "
  PAGE_OF_EVENTS " UNION ALL "
  PAGE_OF (worker, "'rank',rank,'pid',pid,'state',state,'text',text") " UNION ALL "
  PAGE_OF (gpu, "'device',device,'pci',pci,'name',name,'memory_used_bytes',memory_used_bytes,"
                "'memory_bytes',memory_bytes,'utilization_percent',utilization_percent,"
                "'power_w',power_w,'temperature_c',temperature_c") " UNION ALL "
  PAGE_OF (score, "'step',step,'seconds',seconds,'score',score,'pixels',pixels,'connectivity',connectivity,"
                  "'half_tones',half_tones,'rectangularity',rectangularity,'hall_walls',hall_walls,"
                  "'blocks',blocks,'precision',precision,'recall',recall,'flaws',flaws") " UNION ALL "
  PAGE_OF (energy, "'joules',joules,'seconds',seconds")
  " ORDER BY 1 LIMIT ?2";

/* The numbers are those of UrbRunRecordType; read_record() reads the columns after them. */
static const char read_sql[] =
  PART_OF (session, "0, time, from_step, NULL,NULL,NULL" NULLS_9) " UNION ALL "
  PART_OF (step, "1, time, step, images, seconds, loss_d, loss_g, logit_real, logit_fake, r1, r2,"
                 " grad_norm_d, grad_norm_g, lr_d, lr_g") " UNION ALL "
  PART_OF (sample, "2, time, step, file, NULL, NULL" NULLS_9) " UNION ALL "
  PART_OF (checkpoint, "3, time, step, file, bytes, kept" NULLS_9) " UNION ALL "
  PART_OF (event, "4, time, step, level, code, text, (SELECT detail.text FROM detail WHERE detail.seq = event.seq),"
                  "NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL") " UNION ALL "
  PART_OF (worker, "5, time, 0, state, text, rank, pid,"
                   "NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL") " UNION ALL "
  PART_OF (gpu, "6, time, 0, name, pci, device, memory_used_bytes, memory_bytes,"
                " utilization_percent, power_w, temperature_c, NULL,NULL,NULL,NULL") " UNION ALL "
  PART_OF (score, "7, time, step, seconds, flaws, score, pixels, connectivity, half_tones, rectangularity,"
                  " hall_walls, blocks, precision, recall, NULL") " UNION ALL "
  PART_OF (energy, "8, time, 0, joules, seconds, NULL" NULLS_9)
  " ORDER BY 1 LIMIT ?2";

static double
read_number (sqlite3_stmt *row, int column)
{
  return sqlite3_column_type (row, column) == SQLITE_NULL ? NAN
                                                          : sqlite3_column_double (row, column);
}

gboolean
urb_run_db_summarize (UrbRunDb *self, UrbRunDbSummary *summary, GError **error)
{
  /* One row, with NULL for what there is not. */
  static const char sql[] =
    "SELECT step, images, (SELECT time FROM event ORDER BY seq DESC LIMIT 1),"
    " (SELECT text FROM event WHERE code = 'state' ORDER BY seq DESC LIMIT 1),"
    " (SELECT min(score) FROM score),"
    /* Images per step between the first and the last of these steps, over seconds per step. */
    " (SELECT (max(images) - min(images)) * 1.0 / (count(*) - 1) * count(*) / sum(seconds)"
    "   FROM (SELECT images, seconds FROM step ORDER BY step DESC LIMIT 128))"
    " FROM (SELECT 1) LEFT JOIN (SELECT step, images FROM step ORDER BY step DESC LIMIT 1)";
  sqlite3_stmt *row = NULL;
  gboolean good = sqlite3_prepare_v2 (self->db, sql, -1, &row, NULL) == SQLITE_OK
                  && sqlite3_step (row) == SQLITE_ROW;
  *summary = (UrbRunDbSummary){ .score = NAN };
  if (good)
    {
      summary->step = sqlite3_column_int64 (row, 0);
      summary->images = sqlite3_column_int64 (row, 1);
      summary->time = sqlite3_column_double (row, 2);
      summary->has_state = urb_run_state_from_name ((const char *) sqlite3_column_text (row, 3),
                                                    &summary->state);
      summary->score = read_number (row, 4);
      summary->images_per_s = sqlite3_column_double (row, 5);
    }
  else
    urb_run_db_fail (self, error);
  sqlite3_finalize (row);
  return good;
}

gboolean
urb_run_db_find_work (UrbRunDb *self, UrbRunState *state, double *since)
{
  static const char sql[] = "SELECT text, time FROM event WHERE code = 'state' AND text NOT IN ('stopping', 'stopped')"
                            " ORDER BY seq DESC LIMIT 1";
  sqlite3_stmt *row = NULL;
  gboolean found = sqlite3_prepare_v2 (self->db, sql, -1, &row, NULL) == SQLITE_OK && sqlite3_step (row) == SQLITE_ROW
                   && urb_run_state_from_name ((const char *) sqlite3_column_text (row, 0), state);
  if (found)
    *since = sqlite3_column_double (row, 1);
  sqlite3_finalize (row);
  return found;
}

char *
urb_run_db_dup_details (UrbRunDb *self, const char *code)
{
  static const char sql[] = "SELECT detail.text FROM event JOIN detail ON detail.seq = event.seq WHERE code = ?1"
                            " ORDER BY event.seq DESC LIMIT 1";
  sqlite3_stmt *row = NULL;
  char *details = NULL;
  if (sqlite3_prepare_v2 (self->db, sql, -1, &row, NULL) == SQLITE_OK
      && sqlite3_bind_text (row, 1, code, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step (row) == SQLITE_ROW)
    details = g_strdup ((const char *) sqlite3_column_text (row, 0));
  sqlite3_finalize (row);
  return details;
}

static gboolean
has_step (GArray *steps, gint64 step)
{
  return g_array_binary_search (steps, &step, urb_compare_int64s, NULL);
}

gboolean
urb_run_db_summarize_scores (UrbRunDb *self, GArray *steps, UrbScoreSummary *summary, GError **error)
{
  sqlite3_stmt *row = NULL;
  int result = sqlite3_prepare_v2 (self->db, "SELECT step, score FROM score ORDER BY step", -1, &row, NULL);
  *summary = (UrbScoreSummary){ .last_step = -1, .best_step = -1 };
  if (result == SQLITE_OK)
    while ((result = sqlite3_step (row)) == SQLITE_ROW)
      {
        double score = read_number (row, 1);
        summary->last_step = sqlite3_column_int64 (row, 0);
        summary->n_since_best++;
        if (isnan (score) || !has_step (steps, summary->last_step)
            || (summary->best_step >= 0 && score >= summary->best))
          continue;
        summary->best_step = summary->last_step;
        summary->best = score;
        summary->n_since_best = 0;
      }
  if (result != SQLITE_DONE)
    urb_run_db_fail (self, error);
  sqlite3_finalize (row);
  return result == SQLITE_DONE;
}

/* Rows after @since, @limit at most. */
static sqlite3_stmt *
begin_page (UrbRunDb *self, UrbRunDbStatement id, const char *sql, gint64 since, int limit,
            GError **error)
{
  sqlite3_stmt *statement = urb_run_db_get_statement (self, id, sql, error);
  if (statement == NULL)
    return NULL;
  sqlite3_bind_int64 (statement, 1, since);
  sqlite3_bind_int (statement, 2, limit);
  return statement;
}

/* @result: of the last step.  Returns: @n, or -1 with @error set */
static int
end_page (UrbRunDb *self, sqlite3_stmt *statement, int result, int n, GError **error)
{
  if (result != SQLITE_DONE)
    urb_run_db_fail (self, error);
  sqlite3_reset (statement);
  return result == SQLITE_DONE ? n : -1;
}

int
urb_run_db_replay (UrbRunDb *self, gint64 since, int limit, UrbRunDbFunc func, gpointer user_data,
                   GError **error)
{
  sqlite3_stmt *statement
    = begin_page (self, URB_RUN_DB_REPLAY, replay_sql, since, limit, error);
  int result, n = 0;
  if (statement == NULL)
    return -1;
  while ((result = sqlite3_step (statement)) == SQLITE_ROW)
    {
      const char *json = (const char *) sqlite3_column_text (statement, 1);
      if (json == NULL)
        continue;
      func (sqlite3_column_int64 (statement, 0), json, user_data);
      n++;
    }
  return end_page (self, statement, result, n, error);
}

static gint64
read_bytes (sqlite3_stmt *row, int column)
{
  return sqlite3_column_type (row, column) == SQLITE_NULL ? -1 : sqlite3_column_int64 (row, column);
}

static void
read_metrics (sqlite3_stmt *row, UrbRunRecord *record)
{
  UrbStepMetrics *metrics = &record->metrics;
  metrics->step = record->step;
  metrics->images = sqlite3_column_int64 (row, 4);
  metrics->seconds = sqlite3_column_double (row, 5);
  for (int i = 0; i < URB_N_METRICS; i++)
    metrics->values[i] = read_number (row, 6 + i);
}

static void
read_gpu (sqlite3_stmt *row, UrbRunRecord *record)
{
  record->device = sqlite3_column_int64 (row, 6);
  record->load = (UrbGpuLoad){
    .memory_used_bytes = read_bytes (row, 7),
    .memory_bytes = read_bytes (row, 8),
    .utilization_percent = read_number (row, 9),
    .power_w = read_number (row, 10),
    .temperature_c = read_number (row, 11),
  };
}

static void
read_scores (sqlite3_stmt *row, UrbRunRecord *record)
{
  UrbScores *scores = &record->scores;
  scores->step = record->step;
  scores->seconds = sqlite3_column_double (row, 4);
  scores->flaws = (guint) sqlite3_column_int (row, 5);
  for (int i = 0; i < URB_N_SCORES; i++)
    scores->values[i] = read_number (row, 6 + i);
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

void
urb_run_record_read_details (UrbRunRecord *self, JsonObject *details)
{
  const char *code = self->texts[1];
  if (g_str_equal (code, "queued"))
    self->texts[3] = urb_json_get_string (details, "run", NULL);
  else if (g_str_equal (code, "device"))
    self->texts[3] = urb_json_get_string (details, "device", NULL);
  else if (g_str_equal (code, "interrupted"))
    self->texts[3] = urb_json_get_string (details, "signal", NULL);
  if (!g_str_equal (code, "score"))
    return;
  self->scores.step = urb_json_get_int (details, "step", self->step);
  self->scores.values[URB_SCORE_PLANS] = urb_json_get_double (details, "score", NAN);
  self->is_best = urb_json_get_bool (details, "best", FALSE);
}

/* @details: (out) (nullable) (transfer full): what the record borrows from */
static void
read_event (sqlite3_stmt *row, UrbRunRecord *record, JsonObject **details)
{
  const char *json = (const char *) sqlite3_column_text (row, 7);
  read_texts (row, record, 3);
  *details = json != NULL ? urb_json_parse_line (json, strlen (json), NULL) : NULL;
  urb_run_record_read_details (record, *details);
}

static void
read_record (sqlite3_stmt *row, UrbRunRecord *record, JsonObject **details)
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
      read_event (row, record, details);
      break;
    case URB_RUN_RECORD_WORKER:
      read_texts (row, record, 2);
      record->rank = sqlite3_column_int64 (row, 6);
      record->pid = sqlite3_column_int64 (row, 7);
      break;
    case URB_RUN_RECORD_GPU:
      read_texts (row, record, 2);
      read_gpu (row, record);
      break;
    case URB_RUN_RECORD_SCORE:
      read_scores (row, record);
      break;
    case URB_RUN_RECORD_ENERGY:
      record->joules = sqlite3_column_double (row, 4);
      record->seconds = sqlite3_column_double (row, 5);
      break;
    case URB_RUN_RECORD_SESSION:
    case URB_RUN_RECORD_OTHER:
      break;
    }
}

int
urb_run_db_read (UrbRunDb *self, gint64 since, int limit, UrbRunRecordFunc func,
                 gpointer user_data, GError **error)
{
  sqlite3_stmt *statement = begin_page (self, URB_RUN_DB_READ, read_sql, since, limit, error);
  int result, n = 0;
  if (statement == NULL)
    return -1;
  while ((result = sqlite3_step (statement)) == SQLITE_ROW)
    {
      g_autoptr(JsonObject) details = NULL;
      UrbRunRecord record;
      read_record (statement, &record, &details);
      func (&record, user_data);
      n++;
    }
  return end_page (self, statement, result, n, error);
}
