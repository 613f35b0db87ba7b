/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy-rows.h - the rows of a strategy's own settings, under the row that chooses it.
 */
#pragma once

#include <adwaita.h>

#include "train/trainer.h"

G_BEGIN_DECLS

/* How many processes, threads or copies. @strategy: not URB_STRATEGY_SINGLE
 * @n_ranks: what the row's spin button shows and sets */
GtkWidget *urbarium_strategy_rows_new_ranks  (UrbStrategy strategy, GtkAdjustment *n_ranks);
/* What they cost where they compute. @ranks_row: of urbarium_strategy_rows_new_ranks() */
void       urbarium_strategy_rows_set_on_gpu (GtkWidget *ranks_row, UrbStrategy strategy,
                                              gboolean on_gpu);
/* Whether the learning rates are lowered, or whether batch statistics are common, as the strategy
 * is asynchronous or synchronous.
 * @toggle: (out) (transfer none): the row's switch */
GtkWidget *urbarium_strategy_rows_new_switch (UrbStrategy strategy, GtkSwitch **toggle);

G_END_DECLS
