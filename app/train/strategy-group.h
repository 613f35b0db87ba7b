/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy-group.h - the settings' group with the ways to spread training over
 * devices: each with its diagram, its forecast, or why it cannot be chosen.
 */
#pragma once

#include <adwaita.h>

#include "app/train/forecast.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_STRATEGY_GROUP (urbarium_strategy_group_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumStrategyGroup, urbarium_strategy_group, URBARIUM, STRATEGY_GROUP,
                      AdwPreferencesGroup)

/* @reported: (nullable): names that the engine can run */
void urbarium_strategy_group_set_available (UrbariumStrategyGroup *self,
                                            const char *const *reported);
void urbarium_strategy_group_set_forecast  (UrbariumStrategyGroup *self,
                                            UrbariumForecast *forecast);

G_END_DECLS
