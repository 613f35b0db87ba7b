/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy.h - the table of parallel training strategies.
 */
#pragma once

#include "train/trainer.h"

G_BEGIN_DECLS

/* The diagram of a strategy: see strategy-diagram.c. */
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

/* The first URB_N_STRATEGIES entries are the engine's, indexed by UrbStrategy; later entries are
 * planned strategies. */
const UrbariumStrategy *urbarium_strategy_list (guint *n);

/* @reported: (nullable): names of the strategies that the engine supports; NULL: it does not report
 * them, and supports only one process */
gboolean urbarium_strategy_is_available (guint index, const char *const *reported);

/* Returns: (transfer full): "Hogwild, 2 processes" */
char *urbarium_strategy_dup_summary (UrbStrategy strategy, int n_ranks);

G_END_DECLS
