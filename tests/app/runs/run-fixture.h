/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-fixture.h - a temporary folder for runs, and real runs in it.
 */
#pragma once

#include "app/runs/run-library.h"

G_BEGIN_DECLS

/* Makes a folder with a dataset, once per program, out of a sample town; the engine is
 * $URBARIUM_ENGINE. */
void        run_fixture_init    (void);
void        run_fixture_init_empty (void); /* without a dataset, and so without an engine */
void        run_fixture_clear   (void); /* deletes everything */
const char *run_fixture_base    (void);
const char *run_fixture_dataset (void);

/* Runs the engine to its end; @arguments are separated by single spaces.  Fails the test unless
 * it ends well. */
void run_fixture_engine (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* A path in the base that is not there yet. (transfer full) */
char *run_fixture_path (const char *name);

/* A new detached run, up when this returns; @options: more of them. (transfer full) */
char *run_fixture_start (const char *name, int n_steps, const char *options);

/* Of a run object. */
gint64   run_int64 (UrbariumRun *run, const char *property);
double   run_double (UrbariumRun *run, const char *property);
gboolean run_bool  (UrbariumRun *run, const char *property);

/* Iterates until the run has a state, and a supervisor or none. */
void run_until_state (UrbariumRun *run, UrbRunState state);
void run_until_live  (UrbariumRun *run, gboolean live);
void run_until_step  (UrbariumRun *run, gint64 step);
void run_until_loaded (UrbariumRun *run);
void run_until_name  (UrbariumRun *run, const char *name);
/* TestCondition: the run, without a supervisor, has read all of run.db */
gboolean run_is_caught_up (gpointer run);
/* Drops the last reference, and waits for what threads still do. */
void run_until_gone  (gpointer object);

/* Measures from here on how long the main loop is busy before it looks for events again. */
void   run_fixture_watch_loop     (void);
/* By the clock on the wall, and by what this thread itself did. */
void   run_fixture_get_longest_ms (double *wall_ms, double *cpu_ms);

/* What the run shows agrees with run.db, record by record. */
void run_assert_equals_db (UrbariumRun *run);

G_END_DECLS
