/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forecast.h - what a run with certain settings would need: its parameters and
 * memory, which the engine plans exactly, and its time, which is only known
 * from a measurement or from an earlier run with the same settings.
 */
#pragma once

#include "app/runs/run-library.h"
#include "app/train/engine-query.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_FORECAST (urbarium_forecast_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumForecast, urbarium_forecast, URBARIUM, FORECAST, GObject)

/* Where the speed comes from. */
typedef enum
{
  URBARIUM_SPEED_UNKNOWN,
  URBARIUM_SPEED_MEASURED,  /* just now, on this machine */
  URBARIUM_SPEED_DISTURBED, /* the same, while another run went on */
  URBARIUM_SPEED_EARLIER    /* by an earlier run */
} UrbariumSpeedSource;

/* Signal "changed": any of what the getters tell. */
UrbariumForecast *urbarium_forecast_new (void);

/* Looks for earlier runs there. */
void urbarium_forecast_set_library (UrbariumForecast *self, UrbariumRunLibrary *library);

/* Asks the engine, a moment later, unless nothing that matters has changed. @options: copied */
void urbarium_forecast_set_options (UrbariumForecast *self, const UrbTrainOptions *options);

/* (nullable): not known yet, or refused */
const UrbariumPlan *urbarium_forecast_get_plan  (UrbariumForecast *self);
/* Whether the plan's memory is a GPU's. */
gboolean            urbarium_forecast_is_on_gpu (UrbariumForecast *self);
/* (nullable): why the engine refuses these settings */
const char         *urbarium_forecast_get_error (UrbariumForecast *self);
/* @run_name: (out) (optional) (nullable) (transfer none): of the earlier run
 * Returns: images per second; 0: unknown */
double              urbarium_forecast_get_speed (UrbariumForecast *self,
                                                 UrbariumSpeedSource *source,
                                                 const char **run_name);

/* Trains some steps on random tiles to see how fast they are; set_options() with others ends it. */
void     urbarium_forecast_measure        (UrbariumForecast *self);
void     urbarium_forecast_cancel_measure (UrbariumForecast *self);
gboolean urbarium_forecast_get_measuring  (UrbariumForecast *self);
/* (nullable): why the last measurement failed */
const char *urbarium_forecast_get_measure_error (UrbariumForecast *self);

G_END_DECLS
