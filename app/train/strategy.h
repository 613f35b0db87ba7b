/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy.h - the table of parallel training strategies.
 */
#pragma once

#include "train/trainer.h"

G_BEGIN_DECLS

/* Those with a row in the window: a mesh is for the terminal. */
#define URBARIUM_N_STRATEGIES URB_STRATEGY_MESH

typedef struct
{
  const char *title, *text; /* translated when shown */
} UrbariumStrategy;

/* By UrbStrategy. */
extern const UrbariumStrategy urbarium_strategies[URBARIUM_N_STRATEGIES];

/* @reported: (nullable): names of the strategies that the engine supports; NULL: it does not report
 * them, and supports only one process */
gboolean urbarium_strategy_is_available (guint index, const char *const *reported);

/* Returns: (transfer full): "Hogwild, 2 processes" */
char *urbarium_strategy_dup_summary (UrbStrategy strategy, int n_ranks);

G_END_DECLS
