/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataset-group.h - the settings group with the training dataset and its figures.
 */
#pragma once

#include <adwaita.h>

#include "dataset/dataset.h"
#include "run/store/run.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_DATASET_GROUP (urbarium_dataset_group_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumDatasetGroup, urbarium_dataset_group, URBARIUM, DATASET_GROUP,
                      AdwPreferencesGroup)

/* Signal "changed": another dataset was set, or its figures have been read. */

/* @path: (nullable).  Reads its figures in a thread. */
void        urbarium_dataset_group_set_path (UrbariumDatasetGroup *self, const char *path);
/* Reads the file again, since it may have gone or come back.  Also done when the group is mapped. */
void        urbarium_dataset_group_refresh (UrbariumDatasetGroup *self);
const char *urbarium_dataset_group_get_path (UrbariumDatasetGroup *self);
/* (nullable): not read yet, or not readable */
const UrbDatasetInfo *urbarium_dataset_group_get_info (UrbariumDatasetGroup *self);
/* (nullable) (transfer full): a sentence that says why it cannot be used */
char       *urbarium_dataset_group_check (UrbariumDatasetGroup *self);
/* Handles a dropped file. */
gboolean    urbarium_dataset_group_drop (UrbariumDatasetGroup *self, const GValue *file_list);

G_END_DECLS
