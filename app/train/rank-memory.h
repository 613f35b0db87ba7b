/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank-memory.h - a bar for each rank: how much memory it needs, and for what.
 */
#pragma once

#include <adwaita.h>

#include "app/train/engine-query.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_RANK_MEMORY (urbarium_rank_memory_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRankMemory, urbarium_rank_memory, URBARIUM, RANK_MEMORY, AdwBin)

GtkWidget *urbarium_rank_memory_new      (void);
/* @plan: (nullable): NULL: not known, and nothing is shown */
void       urbarium_rank_memory_set_plan (UrbariumRankMemory *self, const UrbariumPlan *plan);

G_END_DECLS
