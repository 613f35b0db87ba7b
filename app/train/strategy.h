/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy.h - the ways to spread training over processors and devices: one table.
 */
#pragma once

#include "train/trainer.h"

G_BEGIN_DECLS

/* How a strategy is drawn: see strategy-diagram.c. */
typedef enum
{
  URBARIUM_STRATEGY_SINGLE,
  URBARIUM_STRATEGY_SHARED,
  URBARIUM_STRATEGY_THREADS,
  URBARIUM_STRATEGY_SCATTER,
  URBARIUM_STRATEGY_RING,
  URBARIUM_STRATEGY_PIPELINE,
  URBARIUM_STRATEGY_TENSOR,
  URBARIUM_STRATEGY_ZERO,
  URBARIUM_STRATEGY_FSDP
} UrbariumStrategyKind;

typedef struct
{
  const char          *title; /* translated when shown */
  const char          *text;  /* translated when shown */
  UrbariumStrategyKind kind;
} UrbariumStrategy;

/* The first URB_N_STRATEGIES are those that the engine knows, at the index of their
 * UrbStrategy; those behind them are still to come. */
const UrbariumStrategy *urbarium_strategy_list (guint *n);

/* @reported: (nullable): names of what the engine can run; NULL: an engine that says nothing of it,
 * which runs in one process */
gboolean urbarium_strategy_is_available (guint index, const char *const *reported);

/* Returns: (transfer full): "Hogwild, 2 processes" */
char *urbarium_strategy_dup_summary (UrbStrategy strategy, int n_ranks);

G_END_DECLS
