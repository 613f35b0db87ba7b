/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forecast.h - how fast a run will be, from its planned programs and from what their operations cost.
 */
#pragma once

#include "train/costs.h"
#include "train/preflight.h"

G_BEGIN_DECLS

/* Machines that are not this one: see urb_machine_parse(). */
typedef struct
{
  int    n_hosts, n_per_host; /* ranks, each with a device of its own */
  gboolean has_gpus;          /* FALSE: the devices are processors */
  double flops;               /* of a rank, FLOP/s as reached; 0: as fast as a rank is here */
  double link, link_latency;  /* between hosts, for each: bytes/s; seconds */
  double inner, inner_latency; /* between the ranks of a host */
} UrbMachine;

/* "hosts=64,gpus=8,tflops=200,link=400,latency=5,inner=300": counts; teraFLOP/s; Gbit/s and µs between
 * hosts; GB/s within one.  "processes=8" instead of "gpus=8": that train on processors.  What is left out has the
 * value of urb_machine_init(). */
gboolean urb_machine_parse (const char *text, UrbMachine *out, GError **error);
/* One rank with a GPU, as fast as here, 100 Gbit/s and 10 µs, 100 GB/s and 5 µs. */
void     urb_machine_init  (UrbMachine *self);
/* Its assumptions in one line. (transfer full) */
char    *urb_machine_dup_text (const UrbMachine *self);

typedef struct
{
  double step_s, images_per_second;
  double bubble, exchange, overlap; /* see urb_simulated_get_bubble() … */
  double estimated;           /* the share of the computing time that is estimated, 0 to 1 */
  gboolean guesses_exchanges; /* some kind of exchange was not measured */
  UrbSimulated simulated;     /* owned; of each rank */
} UrbForecast;

void     urb_forecast_clear (UrbForecast *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbForecast, urb_forecast_clear)

/**
 * urb_forecast_make:
 * @preflight: of @options
 * @costs: of as many local ranks
 * @machine: (nullable): ranks on other machines; %NULL: all of them are here
 * @out: (out caller-allocates)
 *
 * Simulates a step of all ranks.  Asynchronous ranks each have their own step, at the same time.
 * Returns: FALSE with %URB_STEP_ERROR_LAYOUT if the ranks would wait for each other for ever
 */
gboolean urb_forecast_make (const UrbPreflight *preflight, const UrbTrainOptions *options,
                            UrbCosts *costs, const UrbMachine *machine, UrbForecast *out,
                            GError **error);

/* Whether everything in it was measured on this machine. */
gboolean urb_forecast_is_measured (const UrbForecast *self);

/* What limits the speed, as a sentence without its full stop. (static) */
const char *urb_forecast_get_bottleneck (const UrbForecast *self);

G_END_DECLS
