/* SPDX-License-Identifier: Apache-2.0 */
/*
 * averaging.c - see averaging.h.  Both decays depend on the step and the settings alone, so that they are
 * the same after every resume and on every rank.
 */
#include "settings/averaging.h"

#include <math.h>

const char *const urb_averaging_names[] = { "ema", "equal", NULL };

double
urb_averaging_get_ema_beta (double seen, double batch, double half_life, double ramp)
{
  if (ramp > 0)
    half_life = MIN (half_life, ramp * seen);
  return half_life > 0 ? pow (0.5, batch / half_life) : 0;
}

double
urb_averaging_get_equal_beta (gint64 step, gint64 first)
{
  return step < first ? 0 : (double) (step - first) / (double) (step - first + 1);
}
