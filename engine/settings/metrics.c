/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.c - see metrics.h.
 */
#include "settings/metrics.h"

const char *const urb_step_metric_names[URB_N_METRICS] = {
  [URB_METRIC_LOSS_D] = "loss_d",
  [URB_METRIC_LOSS_G] = "loss_g",
  [URB_METRIC_LOGIT_REAL] = "logit_real",
  [URB_METRIC_LOGIT_FAKE] = "logit_fake",
  [URB_METRIC_R1] = "r1",
  [URB_METRIC_R2] = "r2",
  [URB_METRIC_GRAD_NORM_D] = "grad_norm_d",
  [URB_METRIC_GRAD_NORM_G] = "grad_norm_g",
  [URB_METRIC_LR_D] = "lr_d",
  [URB_METRIC_LR_G] = "lr_g",
};
