/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataset-group.h - the settings' group with the dataset to learn from, and its figures.
 */
#pragma once

#include <adwaita.h>

#include "dataset/dataset.h"
#include "run/store/run.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_DATASET_GROUP (urbarium_dataset_group_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumDatasetGroup, urbarium_dataset_group, URBARIUM, DATASET_GROUP,
                      AdwPreferencesGroup)

/* Signal "changed": another dataset, or its figures are known now. */

/* @path: (nullable).  Reads its figures in a thread. */
void        urbarium_dataset_group_set_path (UrbariumDatasetGroup *self, const char *path);
/* The file may have gone, or come back; done by itself when the group is mapped. */
void        urbarium_dataset_group_look_again (UrbariumDatasetGroup *self);
const char *urbarium_dataset_group_get_path (UrbariumDatasetGroup *self);
/* (nullable): until it has been read, or if it cannot be */
const UrbDatasetInfo *urbarium_dataset_group_get_info (UrbariumDatasetGroup *self);
/* (nullable) (transfer full): why it cannot be used, as a sentence */
char       *urbarium_dataset_group_check (UrbariumDatasetGroup *self);
/* Asks for a file. */
void        urbarium_dataset_group_choose (UrbariumDatasetGroup *self);
/* Takes a file that was dropped. */
gboolean    urbarium_dataset_group_drop (UrbariumDatasetGroup *self, const GValue *file_list);

G_END_DECLS
