/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy.h - the table of parallel training strategies.
 */
#pragma once

#include "train/trainer.h"

G_BEGIN_DECLS

typedef struct
{
  const char *title, *text; /* translated when shown */
} UrbariumStrategy;

/* By UrbStrategy. */
extern const UrbariumStrategy urbarium_strategies[URB_N_STRATEGIES];

/* @reported: (nullable): names of the strategies that the engine supports; NULL: it does not report
 * them, and supports only one process */
gboolean urbarium_strategy_is_available (guint index, const char *const *reported);

/* Whether the batch of @options can be shared, by its microbatches, among @n_ranks of @strategy.
 * Returns: (nullable) (transfer full): a sentence that says what is wrong */
char *urbarium_strategy_check_batch (UrbStrategy strategy, int n_ranks, const UrbTrainOptions *options);

/* Returns: (transfer full): "Hogwild, 2 processes" */
char *urbarium_strategy_dup_summary (UrbStrategy strategy, int n_ranks);

G_END_DECLS
