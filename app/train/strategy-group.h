/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy-group.h - the settings group with the parallel strategies: each with a diagram, or why
 * it is unavailable; the selected one with its forecast and its own settings.
 */
#pragma once

#include <adwaita.h>

#include "app/train/forecast.h"
#include "app/train/strategy-comparison.h"
#include "settings/preset.h"
#include "settings/run-config.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_STRATEGY_GROUP (urbarium_strategy_group_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumStrategyGroup, urbarium_strategy_group, URBARIUM, STRATEGY_GROUP,
                      AdwPreferencesGroup)

/* Signal "changed": another strategy was selected, or one of its settings changed. */

/* Sets the available strategies, and the cores or the GPU they run on.  Before, the strategy of
 * set_config() stays selected; afterwards, only if it is available.
 * @gpu: (nullable): NULL: the CPU */
void  urbarium_strategy_group_set_devices  (UrbariumStrategyGroup *self,
                                            const UrbariumDevices *devices,
                                            const UrbariumGpu *gpu);
/* The forecast to show with the selected strategy. */
void  urbarium_strategy_group_set_forecast (UrbariumStrategyGroup *self,
                                            UrbariumForecast *forecast);
/* The forecasts of all strategies; a button measures them. */
void  urbarium_strategy_group_set_comparison (UrbariumStrategyGroup *self,
                                              UrbariumStrategyComparison *comparison);
/* Hides the batch norm setting for networks without batch norm. */
void  urbarium_strategy_group_set_networks (UrbariumStrategyGroup *self, const UrbPreset *preset,
                                            const char *recipe);
void  urbarium_strategy_group_set_config   (UrbariumStrategyGroup *self, const UrbRunConfig *config);
/* Writes the selection and its settings into @config, which is valid. */
void  urbarium_strategy_group_apply        (UrbariumStrategyGroup *self, UrbRunConfig *config);
/* The selected one. */
UrbStrategy urbarium_strategy_group_get_strategy (UrbariumStrategyGroup *self);
/* The settings of all strategies, also those that the selected one does not know. (transfer none) */
const UrbRunConfig *urbarium_strategy_group_get_config (UrbariumStrategyGroup *self);
/* GPUs were ticked, @n_before of them before: selects as many ranks, and DDP where a strategy has none for them.
 * @n_gpus: 0: the CPU */
void  urbarium_strategy_group_spread       (UrbariumStrategyGroup *self, guint n_gpus, guint n_before);
/* Ranks that the hosts of a run may have together; 0: it stays on this machine. */
void  urbarium_strategy_group_set_n_slots  (UrbariumStrategyGroup *self, int n_slots);
/* Takes the hosts of @config, otherwise as get_config() was.  If they may have more or fewer ranks than before,
 * selects as many. */
void  urbarium_strategy_group_set_hosts    (UrbariumStrategyGroup *self, const UrbRunConfig *config,
                                            int n_slots);
/* @options: with the batch
 * Returns: (nullable) (transfer full): a sentence that says what is wrong */
char *urbarium_strategy_group_check        (UrbariumStrategyGroup *self,
                                            const UrbTrainOptions *options);

G_END_DECLS
