/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-forecast.h - what `plan` says of speed: the forecast of a run, the strategy to use, and how a run
 * would scale on other machines.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "train/recommend.h"

G_BEGIN_DECLS

/* Speed and shares of time of all ranks, and the memory and shares of each that differs. */
void urb_cli_forecast_print      (const UrbForecast *self, const UrbPreflight *preflight);
/* Adds the object "forecast". */
void urb_cli_forecast_build_json (JsonBuilder *json, const UrbForecast *self,
                                  const UrbPreflight *preflight);

/* `plan --recommend`.  Returns: an exit code */
int  urb_cli_plan_recommend (const UrbTrainOptions *options, const UrbKeeping *keeping,
                             const UrbLimits *limits, UrbCalibrate calibrate, gboolean json);

/* `plan --simulate @machine`.  Returns: an exit code */
int  urb_cli_plan_simulate  (const UrbTrainOptions *options, const char *machine, gboolean json);

G_END_DECLS
