/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy-comparison.h - the speed and memory of each strategy with given settings, as the engine forecasts
 * them, and which one it recommends.
 */
#pragma once

#include "app/train/engine-query.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_STRATEGY_COMPARISON (urbarium_strategy_comparison_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumStrategyComparison, urbarium_strategy_comparison, URBARIUM,
                      STRATEGY_COMPARISON, GObject)

/* Signal "changed": the result of any getter. */
UrbariumStrategyComparison *urbarium_strategy_comparison_new (void);

/* Asks the engine after a short delay, if something other than strategy and ranks has changed; it uses
 * what it has measured before, and estimates.  Cancels a measurement of other settings.
 * @options: copied */
void urbarium_strategy_comparison_set_options (UrbariumStrategyComparison *self,
                                               const UrbTrainOptions *options);

/* (nullable): unknown, or it does not fit */
const UrbariumStrategyForecast *
urbarium_strategy_comparison_get (UrbariumStrategyComparison *self, UrbStrategy strategy);
/* The recommended strategy; one process until the engine has answered. */
UrbStrategy urbarium_strategy_comparison_get_best (UrbariumStrategyComparison *self);

/* Measures what the operations take on this machine, for some seconds, and forecasts again. */
void     urbarium_strategy_comparison_measure      (UrbariumStrategyComparison *self);
void     urbarium_strategy_comparison_cancel       (UrbariumStrategyComparison *self);
gboolean urbarium_strategy_comparison_is_measuring (UrbariumStrategyComparison *self);
/* (nullable): why the last measurement failed */
const char *urbarium_strategy_comparison_get_error (UrbariumStrategyComparison *self);

G_END_DECLS
