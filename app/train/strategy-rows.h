/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy-rows.h - the rows of a strategy's own settings, below the row that selects it.
 */
#pragma once

#include <adwaita.h>

#include "app/train/setting-rows.h"
#include "train/trainer.h"

G_BEGIN_DECLS

/* The number of processes, threads, copies or stages. @strategy: not URB_STRATEGY_SINGLE
 * @n_ranks: the adjustment of the row's spin button */
GtkWidget *urbarium_strategy_rows_new_ranks  (UrbStrategy strategy, GtkAdjustment *n_ranks);
/* Adapts the subtitle to the device. @ranks_row: from urbarium_strategy_rows_new_ranks() */
void       urbarium_strategy_rows_set_on_gpu (GtkWidget *ranks_row, UrbStrategy strategy,
                                              gboolean on_gpu);
/* The axes of a mesh, in the order of UrbMesh. */
enum { URBARIUM_N_AXES = 3 };
/* The number of ranks along an axis of a mesh.  @ranks: the adjustment of the row's spin button */
GtkWidget *urbarium_strategy_rows_new_axis   (int axis, GtkAdjustment *ranks);
/* With an UrbariumRankMemory as child. */
GtkWidget *urbarium_strategy_rows_new_memory (void);
/* For an asynchronous strategy: whether to lower the learning rates; for one that shares the batch:
 * whether to synchronize batch statistics.  Not for pipelines.
 * @toggle: (out) (transfer none): the row's switch */
GtkWidget *urbarium_strategy_rows_new_switch (UrbStrategy strategy, GtkSwitch **toggle);
/* Whether @setting belongs to @strategy, has none of the rows above, and is for runs that the window starts. */
gboolean   urbarium_strategy_rows_is_more    (const UrbSetting *setting, UrbStrategy strategy);
/* A row that opens to the rest of the strategy's settings.  It is empty until filled. */
GtkWidget *urbarium_strategy_rows_new_more   (UrbStrategy strategy);
/* Once, when it is first shown: most strategies never are. */
void       urbarium_strategy_rows_fill_more  (GtkWidget *more, UrbStrategy strategy, UrbariumSettingRows *rows);

G_END_DECLS
