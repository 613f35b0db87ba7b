/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-db-private.h - what the files of run-db share: an open database.
 */
#pragma once

#include <sqlite3.h>

#include "run/store/run-db.h"

G_BEGIN_DECLS

typedef enum
{
  URB_RUN_DB_INSERT_SESSION,
  URB_RUN_DB_INSERT_STEP,
  URB_RUN_DB_INSERT_SAMPLE,
  URB_RUN_DB_INSERT_CHECKPOINT,
  URB_RUN_DB_DROP_SAMPLE,
  URB_RUN_DB_DROP_CHECKPOINT,
  URB_RUN_DB_INSERT_EVENT,
  URB_RUN_DB_INSERT_DETAIL,
  URB_RUN_DB_INSERT_WORKER,
  URB_RUN_DB_INSERT_GPU,
  URB_RUN_DB_INSERT_ENERGY,
  URB_RUN_DB_INSERT_SCORE,
  URB_RUN_DB_REPLAY,
  URB_RUN_DB_READ,
  URB_RUN_DB_N_STATEMENTS
} UrbRunDbStatement;

struct _UrbRunDb
{
  char         *path; /* owned */
  sqlite3      *db;   /* owned */
  sqlite3_stmt *statements[URB_RUN_DB_N_STATEMENTS]; /* owned, nullable; prepared at first use */
  gint64        last_seq;
  gboolean      dirty; /* a transaction is open */
  int           n_looks; /* of the progress handler, in the current statement */
};

/* Sets @error to SQLite's last message.   Returns: %FALSE */
gboolean urb_run_db_fail (UrbRunDb *self, GError **error);
gboolean urb_run_db_exec (UrbRunDb *self, const char *sql, GError **error);
/* The integer in the first row of @sql; @otherwise without a row. */
gint64 urb_run_db_query_int (UrbRunDb *self, const char *sql, gint64 otherwise);

/* @sql: always the same for the same @id.
 * Returns: (transfer none) (nullable): reset, without bindings */
sqlite3_stmt *urb_run_db_get_statement (UrbRunDb *self, UrbRunDbStatement id, const char *sql,
                                        GError **error);

G_END_DECLS
