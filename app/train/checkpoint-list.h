/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint-list.h - the checkpoints of a run, newest first.
 */
#pragma once

#include <adwaita.h>

#include "app/runs/run.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CHECKPOINT_LIST (urbarium_checkpoint_list_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCheckpointList, urbarium_checkpoint_list, URBARIUM, CHECKPOINT_LIST,
                      AdwBin)

void urbarium_checkpoint_list_set_run (UrbariumCheckpointList *self, UrbariumRun *run);

G_END_DECLS
