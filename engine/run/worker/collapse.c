/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collapse.c - see collapse.h.  The limits are reasoned in docs/reliability.md.
 */
#include "run/worker/collapse.h"

#include <math.h>

#define LOW 0.15  /* of real tiles' */
#define HIGH 0.3  /* so that it does not come and go */

enum
{
  N_LOW = 2,           /* walls in a row */
  LEARNT_BY = 50000    /* images: later, samples that never were different are a collapse, too */
};

UrbCollapseNews
urb_collapse_look (UrbCollapse *self, double diversity, gint64 images)
{
  if (isnan (diversity))
    return URB_COLLAPSE_NOTHING_NEW;
  self->n_low = diversity < LOW ? self->n_low + 1 : 0;
  if (diversity > HIGH)
    {
      gboolean over = self->collapsed;

      self->has_learnt = TRUE;
      self->collapsed = FALSE;
      return over ? URB_COLLAPSE_OVER : URB_COLLAPSE_NOTHING_NEW;
    }
  if (self->collapsed || self->n_low < N_LOW || (!self->has_learnt && images < LEARNT_BY))
    return URB_COLLAPSE_NOTHING_NEW;
  self->collapsed = TRUE;
  return URB_COLLAPSE_BEGUN;
}

char *
urb_collapse_dup_text (UrbCollapseNews news, double diversity)
{
  if (news == URB_COLLAPSE_OVER)
    return g_strdup_printf ("The samples differ from each other again, %.2f times as much as real areas do",
                            diversity);
  return g_strdup_printf ("The samples have become too much alike: they differ from each other %.2f times as "
                          "much as real areas do. If that stays so, go on from an earlier checkpoint "
                          "(resume --from-step) with a lower learning rate or a larger --gamma",
                          diversity);
}
