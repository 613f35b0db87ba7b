/* SPDX-License-Identifier: Apache-2.0 */
/* dataset-save.h - writes the chosen areas into a dataset, in a thread. */
#pragma once

#include "app/areas/curation.h"

G_BEGIN_DECLS

/**
 * urbarium_dataset_save:
 * @sources: (array zero-terminated=1): the files of the map
 * @path: an existing file is replaced
 *
 * Later decisions have no effect on the file.  Finish with urbarium_dataset_save_finish().
 *
 * Returns: (transfer full): the running job
 */
UrbariumJob *urbarium_dataset_save (UrbariumCuration *curation, const char *const *sources,
                                    const char *path, GAsyncReadyCallback callback,
                                    gpointer user_data);

/* Returns: (transfer full): the path; %NULL with @error if it failed */
char *urbarium_dataset_save_finish (UrbariumJob *job, GAsyncResult *result, GError **error);

G_END_DECLS
