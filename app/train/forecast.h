/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forecast.h - the requirements of a run with given settings: its parameters and memory, which the
 * engine plans exactly, and its speed, from a measurement or an earlier run with the same settings.
 */
#pragma once

#include "app/runs/run-library.h"
#include "app/train/engine-query.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_FORECAST (urbarium_forecast_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumForecast, urbarium_forecast, URBARIUM, FORECAST, GObject)

/* Source of the speed. */
typedef enum
{
  URBARIUM_SPEED_UNKNOWN,
  URBARIUM_SPEED_MEASURED,  /* on this machine */
  URBARIUM_SPEED_DISTURBED, /* on this machine, while another run trained */
  URBARIUM_SPEED_EARLIER    /* of an earlier run */
} UrbariumSpeedSource;

/* Signal "changed": the result of any getter. */
UrbariumForecast *urbarium_forecast_new (void);

/* The library to search for earlier runs. */
void urbarium_forecast_set_library (UrbariumForecast *self, UrbariumRunLibrary *library);

/* The hosts file of the ranks, before the options are set. @file: (nullable): all ranks are on this machine */
void urbarium_forecast_set_hosts   (UrbariumForecast *self, const char *file);
/* The hosts file may say something else: forgets everything until the options are set again. */
void urbarium_forecast_hosts_written (UrbariumForecast *self);
/* Queries the engine after a short delay, if a relevant option has changed. @options: copied */
void urbarium_forecast_set_options (UrbariumForecast *self, const UrbTrainOptions *options);

/* (nullable): unknown yet, or the settings are rejected */
const UrbariumPlan *urbarium_forecast_get_plan  (UrbariumForecast *self);
/* Whether the plan's memory is a GPU's. */
gboolean            urbarium_forecast_is_on_gpu (UrbariumForecast *self);
/* Bytes that the options leave to each rank; G_MAXINT64: any number. */
gint64              urbarium_forecast_get_rank_bytes (UrbariumForecast *self);
/* (nullable): why the engine rejects the settings */
const char         *urbarium_forecast_get_error (UrbariumForecast *self);
/* @run_name: (out) (optional) (nullable) (transfer none): name of the earlier run
 * Returns: images per second; 0: unknown */
double              urbarium_forecast_get_speed (UrbariumForecast *self,
                                                 UrbariumSpeedSource *source,
                                                 const char **run_name);

/* Takes the speed of @options from elsewhere: they were tried out. @images_per_s: above 0 */
void     urbarium_forecast_add_speed      (UrbariumForecast *self, const UrbTrainOptions *options, double images_per_s);
/* Measures the speed of some steps on random tiles.  Setting other options cancels it. */
void     urbarium_forecast_measure        (UrbariumForecast *self);
void     urbarium_forecast_cancel_measure (UrbariumForecast *self);
gboolean urbarium_forecast_get_measuring  (UrbariumForecast *self);
/* (nullable): why the last measurement failed */
const char *urbarium_forecast_get_measure_error (UrbariumForecast *self);

G_END_DECLS
