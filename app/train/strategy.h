/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy.h - the ways to spread training over devices: one table.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* How a strategy is drawn: see strategy-diagram.c. */
typedef enum
{
  URBARIUM_STRATEGY_SINGLE,
  URBARIUM_STRATEGY_SHARED,
  URBARIUM_STRATEGY_SCATTER,
  URBARIUM_STRATEGY_RING,
  URBARIUM_STRATEGY_PIPELINE,
  URBARIUM_STRATEGY_TENSOR,
  URBARIUM_STRATEGY_ZERO,
  URBARIUM_STRATEGY_FSDP
} UrbariumStrategyKind;

typedef struct
{
  const char          *name;  /* as the engine writes it */
  const char          *title; /* translated when shown */
  const char          *text;  /* translated when shown */
  UrbariumStrategyKind kind;
} UrbariumStrategy;

const UrbariumStrategy *urbarium_strategy_list (guint *n);

/* @reported: (nullable): what the engine can run; NULL: an engine that says nothing of it,
 * which runs in one process */
gboolean urbarium_strategy_is_available (const UrbariumStrategy *strategy,
                                         const char *const *reported);

G_END_DECLS
