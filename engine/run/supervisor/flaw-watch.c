/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flaw-watch.c - see flaw-watch.h.  docs/reliability.md explains the limits.
 */
#include "run/supervisor/flaw-watch.h"

#include <math.h>

enum
{
  N_IN_A_ROW = 2,
  LEARNT_BY = 100000, /* images: after these, a flaw that was always there counts, too */
  N_HUGE = 5,         /* more huge steps than others */
};

/* Healthy runs of both recipes stay below 30 and 100. */
#define HUGE_LOGIT 1e3
#define HUGE_GRADIENT 1e4

guint
urb_flaw_watch_update (UrbFlawWatch *self, guint flaws, gint64 images, guint *over)
{
  guint begun = 0;

  *over = self->active & ~flaws;
  self->active &= flaws;
  self->learnt |= ~flaws;
  for (int f = 0; f < URB_N_FLAWS; f++)
    {
      guint bit = 1u << f;

      self->n_seen[f] = (flaws & bit) != 0 ? self->n_seen[f] + 1 : 0;
      if (self->n_seen[f] >= N_IN_A_ROW && (self->active & bit) == 0
          && ((self->learnt & bit) != 0 || images >= LEARNT_BY))
        begun |= bit;
    }
  self->active |= begun;
  return begun;
}

const char *
urb_flaw_get_text (UrbFlaw flaw)
{
  static const char *const texts[URB_N_FLAWS] = {
    [URB_FLAW_HALF_TONES] = "Large parts of the cities are half-tones, neither building nor road nor ground. If "
                            "that persists, continue from the best checkpoint (resume --from-best) with lower "
                            "learning rates, or curate with more areas",
    [URB_FLAW_BLOBS] = "Buildings are ragged blobs, far from rectangles. If that persists, train longer, with "
                       "the refiner (without --no-refine), or curate with more areas",
    [URB_FLAW_STREETS] = "The streets of the cities lie in pieces. If that persists, train longer, with the "
                         "refiner (without --no-refine), or curate with --soft so that narrow streets are kept",
  };

  return texts[flaw];
}

const char *
urb_flaw_get_over_text (UrbFlaw flaw)
{
  static const char *const texts[URB_N_FLAWS] = {
    [URB_FLAW_HALF_TONES] = "The cities have no more half-tones than real areas have",
    [URB_FLAW_BLOBS] = "Buildings are as close to rectangles as those of healthy runs again",
    [URB_FLAW_STREETS] = "The streets of the cities hang together again",
  };

  return texts[flaw];
}

static const char *
find_huge (const UrbStepMetrics *metrics, double *value)
{
  static const struct
  {
    UrbStepMetric metric;
    double        limit;
    const char   *name;
  } rows[] = {
    { URB_METRIC_LOGIT_REAL, HUGE_LOGIT, "the discriminator's logits" },
    { URB_METRIC_LOGIT_FAKE, HUGE_LOGIT, "the discriminator's logits" },
    { URB_METRIC_GRAD_NORM_D, HUGE_GRADIENT, "the discriminator's gradients" },
    { URB_METRIC_GRAD_NORM_G, HUGE_GRADIENT, "the generator's gradients" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      *value = fabs (metrics->values[rows[i].metric]);
      if (*value > rows[i].limit) /* what is not finite ends the worker */
        return rows[i].name;
    }
  return NULL;
}

char *
urb_explosion_update (UrbExplosion *self, const UrbStepMetrics *metrics)
{
  double value;
  const char *what = find_huge (metrics, &value);

  if (self->n_huge == 0 && what != NULL)
    self->first_step = metrics->step;
  self->n_huge = CLAMP (self->n_huge + (what != NULL ? 1 : -1), 0, N_HUGE);
  if (self->n_huge == 0)
    self->exploded = FALSE;
  if (self->exploded || self->n_huge < N_HUGE)
    return NULL;
  self->exploded = TRUE;
  return g_strdup_printf ("The training explodes: %s have grown to %.1g, hundreds of times what a healthy run has. "
                          "It will not recover: begin again, or continue from an earlier checkpoint "
                          "(resume --from-step), with lower learning rates (--lr-g, --lr-d)", what, value);
}
