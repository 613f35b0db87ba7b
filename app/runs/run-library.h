/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-library.h - all known runs: those in the user's runs folder, and those opened from elsewhere.
 * A GListModel of UrbariumRun, newest first.  Watches the folder, so runs started in a terminal
 * appear too.
 */
#pragma once

#include "app/runs/run.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_RUN_LIBRARY (urbarium_run_library_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunLibrary, urbarium_run_library, URBARIUM, RUN_LIBRARY, GObject)

/* Properties: extra-folders (strv, writable: runs elsewhere), chosen-folder (string, writable: of runs;
 * empty: "urbarium/runs" in the user's data folder); bind both to the settings; places (strv: the folder of runs, then those of runs elsewhere), loading (boolean: the
 * first scan is not finished), with notify.
 */

/* @folder: (nullable): NULL: "urbarium/runs" in the user's data folder.  Scans it in a thread. */
UrbariumRunLibrary *urbarium_run_library_new (const char *folder);

const char *urbarium_run_library_get_folder (UrbariumRunLibrary *self);

/* Adds a run elsewhere to "extra-folders".  Returns: (transfer none): NULL with an error */
UrbariumRun *urbarium_run_library_add (UrbariumRunLibrary *self, const char *folder, GError **error);
UrbariumRun *urbarium_run_library_find (UrbariumRunLibrary *self, const char *folder);

/* Returns: (transfer full) (element-type UrbariumRun): the runs that a new run waits for: active
 * ones first, then queued ones, as they will begin */
GPtrArray   *urbarium_run_library_dup_queue (UrbariumRunLibrary *self);
/* Lets a run that waits change places with the one before or behind it.  The outcome shows in its properties, or in its
 * signal "failed". */
void         urbarium_run_library_move (UrbariumRunLibrary *self, UrbariumRun *run, UrbQueueMove move);

/**
 * urbarium_run_library_start_async:
 * @config: the settings; copied
 * @after: (nullable) (element-type UrbariumRun): runs to wait for
 *
 * Creates a folder named after the run, starts `urbarium-engine train --detach`, and adds the run.
 */
void         urbarium_run_library_start_async  (UrbariumRunLibrary *self, const UrbRunConfig *config,
                                                GPtrArray *after, GCancellable *cancellable,
                                                GAsyncReadyCallback callback, gpointer user_data);
/**
 * urbarium_run_library_start_many_async:
 * @configs: (array length=n): the settings; copied
 * @n_at_once: how many train at a time, at least 1
 *
 * The first @n_at_once wait for urbarium_run_library_dup_queue(), each other for the one that is @n_at_once
 * before it.
 */
void         urbarium_run_library_start_many_async (UrbariumRunLibrary *self, const UrbRunConfig *configs,
                                                    guint n, guint n_at_once, GCancellable *cancellable,
                                                    GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full) (element-type UrbariumRun): the runs; NULL with an error if one could not be
 *   started: those before it stay */
GPtrArray   *urbarium_run_library_start_many_finish (UrbariumRunLibrary *self, GAsyncResult *result,
                                                     GError **error);
/* @name, with a number if a run has it already: the lists show only names. (transfer full) */
char        *urbarium_run_library_dup_free_name (UrbariumRunLibrary *self, const char *name);
/* A new run with the settings of @run, from its checkpoint of @step to @n_steps in total; @run stays as it is.  It
 * waits for urbarium_run_library_dup_queue(). */
void         urbarium_run_library_branch_async (UrbariumRunLibrary *self, UrbariumRun *run, gint64 step,
                                                gint64 n_steps, GCancellable *cancellable,
                                                GAsyncReadyCallback callback, gpointer user_data);
/* Of either.  Returns: (transfer full) */
UrbariumRun *urbarium_run_library_start_finish (UrbariumRunLibrary *self, GAsyncResult *result,
                                                GError **error);

/* Counts the runs in urbarium_run_library_get_folder() that a restart of the computer has interrupted and that can go
 * on here. */
void         urbarium_run_library_count_interrupted_async   (UrbariumRunLibrary *self, GAsyncReadyCallback callback,
                                                             gpointer user_data);
int          urbarium_run_library_count_interrupted_finish  (UrbariumRunLibrary *self, GAsyncResult *result);
/* Goes on with them, and queues those again that waited. */
void         urbarium_run_library_resume_interrupted_async  (UrbariumRunLibrary *self, GAsyncReadyCallback callback,
                                                             gpointer user_data);
/* @n: (out): how many go on, also if another one cannot
 * Returns: %FALSE with the error of one that cannot go on */
gboolean     urbarium_run_library_resume_interrupted_finish (UrbariumRunLibrary *self, GAsyncResult *result, int *n,
                                                             GError **error);

/* Moves the folder to the trash, or deletes it if there is none; in a folder with other files, only
 * the run's own files.  The run must have ended. */
void     urbarium_run_library_delete_async  (UrbariumRunLibrary *self, UrbariumRun *run,
                                             GCancellable *cancellable,
                                             GAsyncReadyCallback callback, gpointer user_data);
gboolean urbarium_run_library_delete_finish (UrbariumRunLibrary *self, GAsyncResult *result,
                                             GError **error);

G_END_DECLS
