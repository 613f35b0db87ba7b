/* SPDX-License-Identifier: Apache-2.0 */
/*
 * averaging.h - how the generator's averaged weights follow its weights.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  URB_AVERAGING_EMA,  /* exponentially: newer weights count more */
  URB_AVERAGING_EQUAL /* all steps from one on count the same */
} UrbAveraging;

/* By value, NULL-terminated: "ema", "equal". */
extern const char *const urb_averaging_names[];

/**
 * urb_averaging_get_ema_beta:
 * @seen: images of all steps up to and with this one
 * @batch: images of this step
 * @half_life: images; 0: the average is the weights
 * @ramp: the half-life is at most this share of @seen; 0: no ramp
 *
 * The ramp of StyleGAN2-ADA (ema_rampup).
 *
 * Returns: the decay of the average in this step: average = decay · average + (1 - decay) · weights
 */
double urb_averaging_get_ema_beta (double seen, double batch, double half_life, double ramp);

/**
 * urb_averaging_get_equal_beta:
 * @step: steps done before this one
 * @first: the first step that counts; before it, the average is the weights
 *
 * Steps are numbered from 0.  A single-precision average gives the weights of each step their share
 * to within a percent up to some hundred thousand steps.
 *
 * Returns: as urb_averaging_get_ema_beta()
 */
double urb_averaging_get_equal_beta (gint64 step, gint64 first);

G_END_DECLS
