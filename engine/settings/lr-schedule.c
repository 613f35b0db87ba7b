/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lr-schedule.c - see lr-schedule.h.
 */
#include "settings/lr-schedule.h"

#include <math.h>

const char *const urb_lr_schedule_names[] = { "constant", "linear", "cosine", "step", "one-cycle", NULL };

/* Of one-cycle: where its peak is, and its share at the start, both as in PyTorch's OneCycleLR. */
#define PEAK 0.3
#define CYCLE_START (1 / 25.0)

double
urb_cosine (double start, double end, double t)
{
  return end + (start - end) * 0.5 * (1 + cos (G_PI * MIN (t, 1)));
}

double
urb_lr_schedule_get_share (UrbLrSchedule self, double t, double final, int n_drops)
{
  t = MIN (t, 1);
  switch (self)
    {
    case URB_LR_SCHEDULE_CONSTANT:
      return 1;
    case URB_LR_SCHEDULE_LINEAR:
      return 1 + (final - 1) * t;
    case URB_LR_SCHEDULE_COSINE:
      return urb_cosine (1, final, t);
    case URB_LR_SCHEDULE_STEP:
      return pow (final, MIN (floor (t * (n_drops + 1)), n_drops) / n_drops);
    case URB_LR_SCHEDULE_ONE_CYCLE: /* Smith & Topin 2017, 1708.07120 */
      return t < PEAK ? urb_cosine (CYCLE_START, 1, t / PEAK) : urb_cosine (1, final, (t - PEAK) / (1 - PEAK));
    case URB_LR_SCHEDULE_OF_RECIPE:
      break;
    }
  g_return_val_if_reached (1);
}
