/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.h - what a training step reports.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  URB_METRIC_LOSS_D,
  URB_METRIC_LOSS_G,
  URB_METRIC_LOGIT_REAL,  /* mean logit of the discriminator on reals, in its step */
  URB_METRIC_LOGIT_FAKE,
  URB_METRIC_R1,          /* mean squared norm of the input gradient; 0 without penalty */
  URB_METRIC_R2,
  URB_METRIC_GRAD_NORM_D,
  URB_METRIC_GRAD_NORM_G,
  URB_METRIC_LR_D,
  URB_METRIC_LR_G,
  URB_N_METRICS
} UrbStepMetric;

/* Names in the database and the plots: "loss_d", … */
extern const char *const urb_step_metric_names[URB_N_METRICS];

typedef struct
{
  gint64 step;    /* steps done, including this one */
  gint64 images;  /* real images seen so far */
  double seconds; /* duration; under `streams` divided by the ranks, so that the sum is wall time */
  double values[URB_N_METRICS]; /* NaN: of a scaled gradient that overflowed */
  /* Not recorded: */
  double   loss_scale_d, loss_scale_g; /* from the next step on */
  gboolean overflow_d, overflow_g;     /* so that the network has skipped an update */
} UrbStepMetrics;

G_END_DECLS
