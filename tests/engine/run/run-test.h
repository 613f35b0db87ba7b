/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-test.h - a temporary folder, with the path of a run that the test may
 * create.
 */
#pragma once

#include "run/store/folder.h"

G_BEGIN_DECLS

typedef struct
{
  char         *base;   /* owned; a temporary folder, empty */
  char         *run;    /* owned; base/run, does not exist yet */
  UrbRunFolder *folder; /* owned, nullable; for use by the test */
} RunTest;

typedef void (*RunTestFunc) (RunTest *t, gconstpointer data);

/* Adds a test with a RunTest, whose files are deleted afterwards. */
void run_test_add (const char *path, RunTestFunc func);
void run_test_add_with (const char *path, RunTestFunc func, gconstpointer data);

/* Fails unless all children end within ten seconds; with PR_SET_CHILD_SUBREAPER also their
 * orphans. */
void run_test_assert_no_process (void);

/* Deletes @path and all in it. */
void run_test_delete (const char *path);
/* As g_test_run(), with an empty data folder of the user, which is deleted afterwards. */
int run_test_run_with_own_data (void);

G_END_DECLS
