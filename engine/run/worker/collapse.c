/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collapse.c - see collapse.h.  docs/reliability.md explains the limits.
 */
#include "run/worker/collapse.h"

#include <math.h>

#define LOW 0.15  /* relative to real tiles */
#define HIGH 0.3  /* hysteresis */

enum
{
  N_LOW = 2,           /* sample grids in a row */
  LEARNT_BY = 50000    /* images: after these, samples that never differed count as a collapse,
                        * too */
};

UrbCollapseNews
urb_collapse_update (UrbCollapse *self, double diversity, gint64 step, gint64 images)
{
  if (isnan (diversity))
    return URB_COLLAPSE_UNCHANGED;
  self->n_low = diversity < LOW ? self->n_low + 1 : 0;
  if (self->n_low == 0)
    self->diverse_step = step;
  if (diversity > HIGH)
    {
      gboolean over = self->collapsed;

      self->has_learnt = TRUE;
      self->collapsed = FALSE;
      return over ? URB_COLLAPSE_OVER : URB_COLLAPSE_UNCHANGED;
    }
  if (self->collapsed || self->n_low < N_LOW || (!self->has_learnt && images < LEARNT_BY))
    return URB_COLLAPSE_UNCHANGED;
  self->collapsed = TRUE;
  return URB_COLLAPSE_BEGUN;
}

char *
urb_collapse_dup_text (UrbCollapseNews news, double diversity)
{
  if (news == URB_COLLAPSE_OVER)
    return g_strdup_printf ("The samples differ from each other again, %.2f times as much as real areas do",
                            diversity);
  return g_strdup_printf ("The samples have become too similar: they differ from each other %.2f "
                          "times as much as real areas do", diversity);
}
