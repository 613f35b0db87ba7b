/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy-group.h - the settings' group with the ways to spread training over
 * devices: each with its diagram, or why it cannot be chosen; the chosen one with
 * its forecast and its own settings.
 */
#pragma once

#include <adwaita.h>

#include "app/train/forecast.h"
#include "settings/preset.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_STRATEGY_GROUP (urbarium_strategy_group_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumStrategyGroup, urbarium_strategy_group, URBARIUM, STRATEGY_GROUP,
                      AdwPreferencesGroup)

/* Signal "changed": another choice, or another of its settings. */

/* What the engine can run, on how many cores, or on the GPU that is ticked.  Until it is known, what
 * set_options() chose stays chosen; then only if it can be run.
 * @gpu: (nullable): the processor */
void  urbarium_strategy_group_set_devices  (UrbariumStrategyGroup *self,
                                            const UrbariumDevices *devices,
                                            const UrbariumGpu *gpu);
/* Shown with the strategy that is chosen. */
void  urbarium_strategy_group_set_forecast (UrbariumStrategyGroup *self,
                                            UrbariumForecast *forecast);
/* Without batch norm in them there is nothing to choose about it. */
void  urbarium_strategy_group_set_networks (UrbariumStrategyGroup *self, const UrbPreset *preset,
                                            const char *recipe);
void  urbarium_strategy_group_set_options  (UrbariumStrategyGroup *self,
                                            const UrbTrainOptions *options);
/* Writes what is chosen into @options, whose other members are as by default. */
void  urbarium_strategy_group_apply        (UrbariumStrategyGroup *self, UrbTrainOptions *options);
/* @options: with the batch that is to be trained
 * Returns: (nullable) (transfer full): what is wrong, as a sentence */
char *urbarium_strategy_group_check        (UrbariumStrategyGroup *self,
                                            const UrbTrainOptions *options);

G_END_DECLS
