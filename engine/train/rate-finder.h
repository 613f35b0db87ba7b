/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate-finder.h - finds a learning rate for each network.
 *
 * The range test (Smith 2017, 1506.01186), for one network at a time: after some usual training its rate rises
 * from step to step, by the same factor, while the other network stands still and all steps have one batch, so
 * that the loss is a function of this network alone.
 */
#pragma once

#include <gio/gio.h>

#include "settings/run-config.h"

G_BEGIN_DECLS

typedef enum { URB_RATES_G, URB_RATES_D, URB_RATES_N_NETS } UrbRatesNet;

typedef struct
{
  double rate, loss;
} UrbRatePoint;

/* What a range test says. */
typedef struct
{
  GArray *points;   /* of UrbRatePoint, owned: in the order of the rates; the loss is smoothed */
  double  steepest; /* the rate at which the loss falls fastest per factor of the rate; NaN: it never falls */
  double  lowest;   /* at which it is lowest */
  double  proposed; /* a tenth of the lowest, at most the steepest: two digits; NaN if that is */
  double  explodes; /* from which on it rises far above that, or is not finite; NaN: it does not */
  gboolean is_open; /* the lowest one is the last: it may fall on beyond the range */
} UrbRateCurve;

void urb_rate_curve_init  (UrbRateCurve *self);
void urb_rate_curve_clear (UrbRateCurve *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbRateCurve, urb_rate_curve_clear)

/* Adds the next step.  @loss: as measured
 * Returns: FALSE if the loss has exploded, and the test is over */
gboolean urb_rate_curve_add    (UrbRateCurve *self, double rate, double loss);
/* Finds the rates, once all points are there. */
void     urb_rate_curve_finish (UrbRateCurve *self);

/**
 * urb_rates_find:
 * @options: of one process, with a dataset
 * @n_usual: steps of usual training before each test
 * @n_steps: of each test, from a thousandth of the rate of @options to its thousandfold, but at most 1
 * @curves: (out caller-allocates): initialized
 */
gboolean urb_rates_find (const UrbTrainOptions *options, int n_usual, int n_steps, GCancellable *cancellable,
                         UrbRateCurve curves[URB_RATES_N_NETS], GError **error);

G_END_DECLS
