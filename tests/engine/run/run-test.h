/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-test.h - a temporary folder, and in it the path of a run to be made.
 */
#pragma once

#include "run/store/folder.h"

G_BEGIN_DECLS

typedef struct
{
  char         *base;   /* owned; a temporary folder, empty */
  char         *run;    /* owned; base/run, not there yet */
  UrbRunFolder *folder; /* owned, nullable; for the test's use */
} RunTest;

typedef void (*RunTestFunc) (RunTest *t, gconstpointer data);

/* Adds a test that gets a RunTest, removed with all its files afterwards. */
void run_test_add (const char *path, RunTestFunc func);
void run_test_add_with (const char *path, RunTestFunc func, gconstpointer data);

/* Fails unless all children end within ten seconds; of a reaper of orphans (PR_SET_CHILD_SUBREAPER),
 * that is whatever they left. */
void run_test_assert_no_process (void);

/* Deletes @path and all in it. */
void run_test_delete (const char *path);

G_END_DECLS
