/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comparison.c - see comparison.h.
 *
 * Two halves of the held-out areas come from the same places and differ less than two places do.
 * Training areas come from other places: what they differ by, no generator can be blamed for.
 */
#include "city/comparison.h"

#include <math.h>

const char *const urb_group_names[URB_N_GROUPS] = { "real", "generated", "untrained", "train" };
const char *const urb_verdict_names[] = { "none", "alike", "close", "similar", "far" };

/* A measure beyond this rules out that the generated areas are "close". */
static const double max_rho = 3;

UrbComparison *
urb_comparison_new (int size_px)
{
  UrbComparison *self = g_new0 (UrbComparison, 1);

  self->size_px = size_px;
  for (int g = 0; g < URB_N_GROUPS; g++)
    self->measured[g] = urb_measurements_new ();
  return self;
}

void
urb_comparison_free (UrbComparison *self)
{
  if (self == NULL)
    return;
  for (int g = 0; g < URB_N_GROUPS; g++)
    urb_measurements_free (self->measured[g]);
  g_free (self);
}

static void
compare_measure (UrbComparison *self, UrbMeasure measure, guint64 seed)
{
  UrbMeasureResult *result = &self->results[measure];
  const UrbMeasurements *held_out = self->measured[URB_GROUP_REAL];
  g_autoptr(GArray) real = urb_measurements_pool (held_out, measure, NULL, 0);
  double real_median, generated_median;

  result->noise = urb_measurements_get_noise (held_out, measure, seed);
  for (int g = 0; g < URB_N_GROUPS; g++)
    {
      g_autoptr(GArray) values = urb_measurements_pool (self->measured[g], measure, NULL, 0);

      result->median[g] = urb_quantile (values, 0.5);
      result->distance[g] = urb_wasserstein (values, real);
    }
  result->limit = MAX (result->noise.q95, self->measured[URB_GROUP_TRAIN]->n_tiles > 0
                                            ? result->distance[URB_GROUP_TRAIN] : 0);
  for (int g = 0; g < URB_N_GROUPS; g++)
    result->rho[g] = result->noise.q95 <= 1e-12 ? NAN
                     : result->distance[g]
                         / (g == URB_GROUP_TRAIN ? result->noise.q95 : result->limit);
  real_median = urb_measure_to_display (measure, result->median[URB_GROUP_REAL]);
  generated_median = urb_measure_to_display (measure, result->median[URB_GROUP_GENERATED]);
  result->half_off = generated_median != real_median
                     && !(fabs (generated_median - real_median) < 0.5 * fabs (real_median));
}

/* The geometric mean of the measures' rho. */
static double
get_score (const UrbComparison *self, UrbGroup group)
{
  double sum = 0;
  int n = 0;

  for (int m = 0; m < URB_N_MEASURES; m++)
    if (!isnan (self->results[m].rho[group]))
      {
        /* A floor, so that a single very small rho does not dominate the mean. */
        sum += log (MAX (self->results[m].rho[group], 0.05));
        n++;
      }
  return group == URB_GROUP_REAL || n == 0 ? NAN : exp (sum / n);
}

static void
find_worst (UrbComparison *self)
{
  gboolean named[URB_N_MEASURES] = { FALSE };

  for (self->n_worst = 0; self->n_worst < URB_VERDICT_N_WORST; self->n_worst++)
    {
      int worst = -1;

      for (int m = 0; m < URB_N_MEASURES; m++)
        if (!named[m] && self->results[m].rho[URB_GROUP_GENERATED] > 1
            && (worst < 0 || self->results[m].rho[URB_GROUP_GENERATED]
                               > self->results[worst].rho[URB_GROUP_GENERATED]))
          worst = m;
      if (worst < 0)
        return;
      named[worst] = TRUE;
      self->worst[self->n_worst] = (UrbMeasure) worst;
    }
}

static UrbVerdict
judge (const UrbComparison *self)
{
  double score = self->score[URB_GROUP_GENERATED];
  UrbVerdict verdict = score <= 1   ? URB_VERDICT_ALIKE
                       : score <= 2 ? URB_VERDICT_CLOSE
                       : score <= 5 ? URB_VERDICT_SIMILAR
                                    : URB_VERDICT_FAR;

  if (self->measured[URB_GROUP_REAL]->n_tiles < URB_VERDICT_MIN_AREAS || isnan (score))
    return URB_VERDICT_NONE;
  for (int m = 0; m < URB_N_MEASURES; m++)
    if (self->results[m].half_off || self->results[m].rho[URB_GROUP_GENERATED] > max_rho)
      verdict = MAX (verdict, URB_VERDICT_SIMILAR);
  return verdict;
}

void
urb_comparison_run (UrbComparison *self, guint64 seed)
{
  for (int m = 0; m < URB_N_MEASURES; m++)
    compare_measure (self, (UrbMeasure) m, seed);
  for (int g = 0; g < URB_N_GROUPS; g++)
    self->score[g] = get_score (self, (UrbGroup) g);
  find_worst (self);
  self->verdict = judge (self);
}
