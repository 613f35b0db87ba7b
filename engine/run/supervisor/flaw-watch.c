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
/* Root mean square; healthy networks have 0.2 after 40,000 steps. */
#define HUGE_WEIGHTS 3.0
#define LARGE_GAMMA 2000.0

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

static const struct
{
  const char *code, *text, *over_text;
} flaws[URB_N_FLAWS] = {
  [URB_FLAW_HALF_TONES] = { "half-tones",
                            "Large parts of the cities are half-tones, neither building nor road nor ground. If "
                            "that persists, continue from the best checkpoint (resume --from-best) with lower "
                            "learning rates, or curate with more areas",
                            "The cities have no more half-tones than real areas have" },
  [URB_FLAW_BLOBS] = { "ragged-buildings",
                       "Buildings are ragged blobs, far from rectangles. If that persists, train longer, with "
                       "the refiner (without --no-refine), or curate with more areas",
                       "Buildings are about as rectangular as in healthy runs again" },
  [URB_FLAW_STREETS] = { "broken-streets",
                         "The streets of the cities lie in pieces. If that persists, train longer, with the "
                         "refiner (without --no-refine), or curate with --soft so that narrow streets are kept",
                         "Streets are connected again" },
};

const char *
urb_flaw_get_code (UrbFlaw flaw)
{
  return flaws[flaw].code;
}

const char *
urb_flaw_get_text (UrbFlaw flaw)
{
  return flaws[flaw].text;
}

const char *
urb_flaw_get_over_text (UrbFlaw flaw)
{
  return flaws[flaw].over_text;
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

gboolean
urb_explosion_is_huge (const UrbStepMetrics *metrics)
{
  double value;

  return find_huge (metrics, &value) != NULL;
}

static UrbExplosionNews
conclude (UrbExplosion *self)
{
  gboolean was = self->exploded;

  if (self->has_weights || self->n_huge >= N_HUGE)
    self->exploded = TRUE;
  else if (self->n_huge == 0)
    self->exploded = FALSE;
  if (self->exploded == was)
    return URB_EXPLOSION_UNCHANGED;
  return was ? URB_EXPLOSION_OVER : URB_EXPLOSION_BEGUN;
}

UrbExplosionNews
urb_explosion_update (UrbExplosion *self, const UrbStepMetrics *metrics)
{
  double value;
  const char *what = find_huge (metrics, &value);

  if (self->n_huge == 0 && what != NULL && !self->exploded)
    self->first_step = metrics->step;
  if (what != NULL && !self->exploded)
    {
      self->what = what;
      self->value = value;
    }
  self->n_huge = CLAMP (self->n_huge + (what != NULL ? 1 : -1), 0, N_HUGE);
  return conclude (self);
}

UrbExplosionNews
urb_explosion_update_weights (UrbExplosion *self, gint64 step, double size)
{
  self->has_weights = size > HUGE_WEIGHTS;
  if (!self->has_weights)
    self->sound_step = step;
  else if (!self->exploded)
    {
      if (self->n_huge == 0)
        self->first_step = self->sound_step + 1;
      self->what = "weights";
      self->value = size;
    }
  return conclude (self);
}

char *
urb_explosion_dup_text (const UrbExplosion *self)
{
  return g_strdup_printf ("The training explodes: %s have grown to %.1g, far beyond what a healthy run has",
                          self->what, self->value);
}

/* Gradient penalties that are too weak let a run collapse or explode, and so do those that are absurdly
 * strong. */
static char *
dup_gamma_hint (const UrbTrainOptions *options)
{
  if (g_strcmp0 (options->recipe, "r3") != 0)
    return g_strdup ("");
  if (options->gamma > LARGE_GAMMA)
    return g_strdup_printf (", and with a smaller --gamma (it is %.3g, and presets have 10 to 160)", options->gamma);
  return g_strdup_printf ("; a larger --gamma may help, too (it is %.3g)", options->gamma);
}

char *
urb_flaw_dup_remedy (const UrbTrainOptions *options, gint64 good_step)
{
  g_autofree char *gamma = dup_gamma_hint (options);
  g_autofree char *rates = g_strdup_printf ("--lr-g %.3g --lr-d %.3g", options->lr_g / 2, options->lr_d / 2);

  if (good_step < 0)
    return g_strdup_printf ("No good checkpoint is left: begin again with half the learning rates (%s)%s", rates,
                            gamma);
  return g_strdup_printf ("“resume --from-good” goes back to the checkpoint of step %" G_GINT64_FORMAT
                          ", which is kept, with half the learning rates (%s)%s", good_step, rates,
                          gamma);
}
