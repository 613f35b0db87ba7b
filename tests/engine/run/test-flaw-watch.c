/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-flaw-watch.c - when a run reports that something goes wrong.  The values are those of real runs
 * (docs/reliability.md).
 */
#include <math.h>
#include <string.h>

#include "run/supervisor/flaw-watch.h"

enum { STREETS = 1 << URB_FLAW_STREETS, TONES = 1 << URB_FLAW_HALF_TONES };

/* The flaws of `tiny` after 1,500, 3,000 … steps: streets in pieces at first, then none. */
static void
test_healthy (void)
{
  const guint flaws[] = { STREETS, STREETS, 0, 0, STREETS, 0, 0, 0 };
  UrbFlawWatch watch = { 0 };
  guint over;

  for (gsize i = 0; i < G_N_ELEMENTS (flaws); i++)
    {
      g_assert_cmpuint (urb_flaw_watch_update (&watch, flaws[i], ((gint64) i + 1) * 24000, &over), ==, 0);
      g_assert_cmpuint (over, ==, 0);
    }
}

static void
test_begins_and_ends (void)
{
  UrbFlawWatch watch = { 0 };
  guint over;

  g_assert_cmpuint (urb_flaw_watch_update (&watch, 0, 16000, &over), ==, 0);
  g_assert_cmpuint (urb_flaw_watch_update (&watch, TONES, 32000, &over), ==, 0);
  g_assert_cmpuint (urb_flaw_watch_update (&watch, TONES, 48000, &over), ==, TONES);
  g_assert_cmpuint (urb_flaw_watch_update (&watch, TONES, 64000, &over), ==, 0); /* said already */
  g_assert_cmpuint (urb_flaw_watch_update (&watch, STREETS, 80000, &over), ==, 0);
  g_assert_cmpuint (over, ==, TONES);
}

/* Never without the flaw: only when the run should have learned better. */
static void
test_never_learns (void)
{
  UrbFlawWatch watch = { 0 };
  guint over;

  for (gint64 images = 16000; images < 100000; images += 16000)
    g_assert_cmpuint (urb_flaw_watch_update (&watch, STREETS, images, &over), ==, 0);
  g_assert_cmpuint (urb_flaw_watch_update (&watch, STREETS, 100000, &over), ==, STREETS);
}

/* Returns: the step of the first report; -1: none */
static gint64
find_explosion (const double (*steps)[3], gsize n, UrbExplosion *explosion)
{
  gint64 found = -1;

  for (gsize i = 0; i < n; i++)
    {
      UrbStepMetrics metrics = { .step = (gint64) i + 1 };

      metrics.values[URB_METRIC_LOGIT_REAL] = steps[i][0];
      metrics.values[URB_METRIC_LOGIT_FAKE] = steps[i][1];
      metrics.values[URB_METRIC_GRAD_NORM_D] = steps[i][2];
      if (urb_explosion_update (explosion, &metrics) != URB_EXPLOSION_BEGUN)
        continue;
      g_assert_cmpint (found, ==, -1); /* once */
      found = metrics.step;
    }
  return found;
}

static void
test_explosions (void)
{
  /* --recipe dcgan --lr-g 1 --lr-d 1 */
  static const double dcgan[][3] = {
    { -0.000821, 0.00125, 0.204 }, { 3.18e+08, 1.13e+08, 6.92e+07 }, { 1.64e+10, 4.09e+10, 8.15e+09 },
    { -1.76e+11, -1.84e+11, 2.21e+10 }, { 1.15e+12, 1.58e+12, 8.87e+10 },
    { -2.74e+10, -2.64e+10, 7.54e+09 }, { 4.33e+11, 6.71e+11, 3.6e+10 }, { -1.42e+10, -5.2e+10, 2.52e+09 },
  };
  /* Single spikes, and the largest values of healthy runs of both recipes. */
  static const double healthy[][3] = {
    { 13.08, -11.18, 26.35 }, { 5, -4, 1e5 }, { 5, -4, 30 }, { 2000, -4, 30 }, { 0.5, -3.94, 70.9 },
    { 5, -4, 30 }, { 13, -11, 26 }, { 5, -4, 1e5 }, { 5, -4, 30 }, { 5, -4, 30 },
  };
  UrbExplosion explosion = { 0 };

  g_assert_cmpint (find_explosion (dcgan, G_N_ELEMENTS (dcgan), &explosion), ==, 6);
  g_assert_cmpint (explosion.first_step, ==, 2);
  explosion = (UrbExplosion) { 0 };
  g_assert_cmpint (find_explosion (healthy, G_N_ELEMENTS (healthy), &explosion), ==, -1);
}

/* Weights that are huge, and then not any more: with batch norm, logits may not show it. */
static void
test_weights (void)
{
  static const struct { double size; UrbExplosionNews news; } measured[] = {
    { 0.3, URB_EXPLOSION_UNCHANGED }, { 2, URB_EXPLOSION_UNCHANGED }, { 4, URB_EXPLOSION_BEGUN },
    { 8e15, URB_EXPLOSION_UNCHANGED }, { 0.2, URB_EXPLOSION_OVER }, { 0.2, URB_EXPLOSION_UNCHANGED },
  };
  UrbExplosion explosion = { 0 };
  UrbStepMetrics huge = { .step = 400, .values[URB_METRIC_LOGIT_REAL] = 1e9 };

  for (gsize i = 0; i < G_N_ELEMENTS (measured); i++)
    {
      UrbStepMetrics fine = { .step = 50 * ((gint64) i + 1) };

      g_assert_cmpint (urb_explosion_update_weights (&explosion, 50 * ((gint64) i + 1), measured[i].size), ==,
                       measured[i].news);
      if (measured[i].news == URB_EXPLOSION_BEGUN)
        {
          g_autofree char *text = urb_explosion_dup_text (&explosion);

          g_assert_cmpstr (text, ==, "The training explodes: weights have grown to 4, far beyond what a healthy run has");
          g_assert_cmpint (explosion.first_step, ==, 101);
        }
      /* Steps alone do not end it. */
      g_assert_cmpint (urb_explosion_update (&explosion, &fine), ==, URB_EXPLOSION_UNCHANGED);
    }
  for (int i = 0; i < 4; i++)
    g_assert_cmpint (urb_explosion_update (&explosion, &huge), ==, URB_EXPLOSION_UNCHANGED);
  g_assert_cmpint (urb_explosion_update (&explosion, &huge), ==, URB_EXPLOSION_BEGUN);
  g_assert_true (urb_explosion_is_huge (&huge));
}

/* Half the rates; gamma only where it can help. */
static void
test_remedies (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autofree char *weak = NULL, *strong = NULL, *none = NULL, *lost = NULL;

  urb_train_options_init (&options);
  g_free (options.recipe);
  options.recipe = g_strdup ("r3");
  options.lr_g = 0.002;
  options.lr_d = 0.5;
  options.gamma = 10;
  weak = urb_flaw_dup_remedy (&options, 40);
  g_assert_nonnull (strstr (weak, "“resume --from-good” goes back to the checkpoint of step 40"));
  g_assert_nonnull (strstr (weak, "--lr-g 0.001 --lr-d 0.25"));
  g_assert_nonnull (strstr (weak, "; a larger --gamma may help, too (it is 10)"));
  options.gamma = 1e30;
  strong = urb_flaw_dup_remedy (&options, 40);
  g_assert_null (strstr (strong, "larger"));
  g_assert_nonnull (strstr (strong, "with a smaller --gamma (it is 1e+30"));
  g_free (options.recipe);
  options.recipe = g_strdup ("dcgan");
  options.gamma = 0;
  none = urb_flaw_dup_remedy (&options, 40);
  g_assert_null (strstr (none, "gamma"));
  lost = urb_flaw_dup_remedy (&options, -1);
  g_assert_nonnull (strstr (lost, "begin again with half the learning rates"));
}

static void
test_texts (void)
{
  for (int f = 0; f < URB_N_FLAWS; f++)
    {
      g_assert_nonnull (strstr (urb_flaw_get_text ((UrbFlaw) f), "If that persists"));
      g_assert_nonnull (urb_flaw_get_over_text ((UrbFlaw) f));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/flaw-watch/healthy", test_healthy);
  g_test_add_func ("/flaw-watch/begins-and-ends", test_begins_and_ends);
  g_test_add_func ("/flaw-watch/never-learns", test_never_learns);
  g_test_add_func ("/flaw-watch/explosions", test_explosions);
  g_test_add_func ("/flaw-watch/weights", test_weights);
  g_test_add_func ("/flaw-watch/remedies", test_remedies);
  g_test_add_func ("/flaw-watch/texts", test_texts);
  return g_test_run ();
}
