/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-fixture.h - a temporary folder for runs, and real runs in it.
 */
#pragma once

#include "app/runs/run-library.h"

G_BEGIN_DECLS

/* Creates a folder with a dataset of a sample town, once per program; the engine is
 * $URBARIUM_ENGINE. */
void        run_fixture_init    (void);
void        run_fixture_init_empty (void); /* without a dataset, which needs no engine */
void        run_fixture_clear   (void); /* deletes everything */
const char *run_fixture_base    (void);
const char *run_fixture_dataset (void);

/* Runs the engine until it exits; arguments are separated by single spaces. Fails the test if the
 * engine fails. */
void run_fixture_engine (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* A new path in the base folder. (transfer full) */
char *run_fixture_path (const char *name);

/* Starts a detached run and waits for its supervisor; @options: more options. (transfer full) */
char *run_fixture_start (const char *name, int n_steps, const char *options);

/* Properties of a run. */
gint64   run_int64 (UrbariumRun *run, const char *property);
double   run_double (UrbariumRun *run, const char *property);
gboolean run_bool  (UrbariumRun *run, const char *property);

/* Iterate the main loop until the run has that state, supervisor, step or name. */
void run_until_state (UrbariumRun *run, UrbRunState state);
void run_until_live  (UrbariumRun *run, gboolean live);
void run_until_step  (UrbariumRun *run, gint64 step);
void run_until_loaded (UrbariumRun *run);
void run_until_name  (UrbariumRun *run, const char *name);
/* TestCondition: a run without supervisor has read all of run.db */
gboolean run_is_caught_up (gpointer run);
/* Drops the last reference, and waits until threads have released theirs. */
void run_until_gone  (gpointer object);

/* Starts measuring how long the main loop is busy between two polls. */
void   run_fixture_watch_loop     (void);
/* Wall-clock time, and CPU time of this thread. */
void   run_fixture_get_longest_ms (double *wall_ms, double *cpu_ms);

/* Checks that the run equals run.db, record by record. */
void run_assert_equals_db (UrbariumRun *run);

G_END_DECLS
