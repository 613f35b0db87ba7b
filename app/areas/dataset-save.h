/* SPDX-License-Identifier: Apache-2.0 */
/* dataset-save.h - saves the chosen areas as a dataset: the file chooser, the job, and a toast. */
#pragma once

#include "app/areas/curation.h"
#include "app/base/file-chooser.h"

G_BEGIN_DECLS

/**
 * urbarium_dataset_save:
 * @sources: (array zero-terminated=1): the files of the map
 * @path: an existing file is replaced
 *
 * Writes in a thread.  Later decisions have no effect on the file.  urbarium_job_finish() gives the
 * path.
 *
 * Returns: (transfer full): the running job
 */
UrbariumJob *urbarium_dataset_save (UrbariumCuration *curation, const char *const *sources,
                                    const char *path, GAsyncReadyCallback callback,
                                    gpointer user_data);

/* @where: a widget in the parent window.  Proposes a name after the map's, in the user's documents
 * folder.  (transfer full) */
GtkFileChooser *urbarium_dataset_dialog_new (GtkWidget *where, UrbariumMapDocument *document);

/**
 * urbarium_dataset_dup_path:
 * @path: as typed
 *
 * Returns: (transfer full): the path with a suffix of datasets, added if missing
 */
char *urbarium_dataset_dup_path (const char *path);

/* Shows a toast with a button that leads to the page "Train". */
void urbarium_dataset_toast_saved (GtkWidget *where, const char *path);

G_END_DECLS
