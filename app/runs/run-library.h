/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-library.h - all runs the window knows: those in the user's folder of runs,
 * and those that were opened from elsewhere.  A GListModel of UrbariumRun, the
 * newest first.  Watches the folder: a run that a terminal starts appears.
 */
#pragma once

#include "app/runs/run.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_RUN_LIBRARY (urbarium_run_library_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRunLibrary, urbarium_run_library, URBARIUM, RUN_LIBRARY, GObject)

/**
 * UrbariumRunLibrary:
 *
 * Properties: folder (string), extra-folders (strv, writable: runs elsewhere; bind it to the
 * settings), loading (boolean: the first scan is under way), with notify.
 */

/* @folder: (nullable): NULL: "urbarium/runs" in the user's data folder.  Scans in a thread. */
UrbariumRunLibrary *urbarium_run_library_new (const char *folder);

const char *urbarium_run_library_get_folder (UrbariumRunLibrary *self);

/* A run elsewhere; kept in the settings.  Returns: (transfer none): or NULL with an error */
UrbariumRun *urbarium_run_library_add (UrbariumRunLibrary *self, const char *folder, GError **error);
UrbariumRun *urbarium_run_library_find (UrbariumRunLibrary *self, const char *folder);

/* Returns: (transfer full) (element-type UrbariumRun): the runs that a new one waits for: first
 * those that train, then those that wait themselves, the newest last */
GPtrArray   *urbarium_run_library_dup_queue (UrbariumRunLibrary *self);

/**
 * urbarium_run_library_start_async:
 * @config: what to train; copied
 * @after: (nullable) (element-type UrbariumRun): begins when all of them have ended
 *
 * Makes a folder from the name, starts `urbarium-engine train --detach`, and adds the run.
 */
void         urbarium_run_library_start_async  (UrbariumRunLibrary *self, const UrbRunConfig *config,
                                                GPtrArray *after, GCancellable *cancellable,
                                                GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full) */
UrbariumRun *urbarium_run_library_start_finish (UrbariumRunLibrary *self, GAsyncResult *result,
                                                GError **error);

/* Moves the folder to the wastebasket (or deletes it where there is none); of a folder with other
 * files, only what is the run's.  The run must have ended. */
void     urbarium_run_library_delete_async  (UrbariumRunLibrary *self, UrbariumRun *run,
                                             GCancellable *cancellable,
                                             GAsyncReadyCallback callback, gpointer user_data);
gboolean urbarium_run_library_delete_finish (UrbariumRunLibrary *self, GAsyncResult *result,
                                             GError **error);

G_END_DECLS
