/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataset-save.h - writing the areas that are shown as chosen into a dataset, in a thread.
 */
#pragma once

#include "app/areas/curation.h"

G_BEGIN_DECLS

/**
 * urbarium_dataset_save:
 * @sources: (array zero-terminated=1): the files of the map
 * @path: replaced if it is there
 *
 * What is decided later does not reach the file.  Finish with urbarium_dataset_save_finish().
 *
 * Returns: (transfer full): the running job
 */
UrbariumJob *urbarium_dataset_save (UrbariumCuration *curation, const char *const *sources,
                                    const char *path, GAsyncReadyCallback callback,
                                    gpointer user_data);

/* Returns: (transfer full): the path; or %NULL with the error */
char *urbarium_dataset_save_finish (UrbariumJob *job, GAsyncResult *result, GError **error);

G_END_DECLS
