/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint-list.h - the checkpoints of a run, newest first.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run-library.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CHECKPOINT_LIST (urbarium_checkpoint_list_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCheckpointList, urbarium_checkpoint_list, URBARIUM, CHECKPOINT_LIST,
                      AdwBin)

/* @library: (nullable): where a branch of the run goes */
void urbarium_checkpoint_list_set_run (UrbariumCheckpointList *self, UrbariumRun *run, UrbariumRunLibrary *library);

G_END_DECLS
