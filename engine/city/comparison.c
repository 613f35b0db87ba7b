/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comparison.c - see comparison.h.
 *
 * Two halves of the held-out areas come from the same places and differ less than two places do.
 * Training areas come from other places: what they differ by, no generator can be blamed for.
 */
#include "city/comparison.h"

#include <math.h>

#include "city/area-features.h"

const char *const urb_group_names[URB_N_GROUPS] = { "real", "generated", "untrained", "train" };
const char *const urb_verdict_names[] = { "none", "alike", "close", "similar", "far" };

enum
{
  MIN_SET = 10,  /* fewer areas are not compared as a set */
  MAX_SET = 2000 /* the comparison takes time quadratic in the areas */
};

/* A measure beyond these rules out that the generated areas are "similar", "close", or "alike". */
static const double max_similar_rho = 10, max_rho = 3, max_alike_rho = 1.5;

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

/* Small counts jump: of two halves of the real areas, one may well have two dead ends and the other
 * one.  So the medians must differ by more than those of such halves, too. */
static gboolean
is_half_off (UrbMeasure measure, const UrbMeasureResult *result)
{
  double real = result->median[URB_GROUP_REAL], generated = result->median[URB_GROUP_GENERATED];
  double shown = urb_measure_to_display (measure, real);

  if (isnan (real))
    return FALSE; /* nothing to compare with */
  return isnan (generated)
         || (fabs (generated - real) > result->noise.medians_q95
             && fabs (urb_measure_to_display (measure, generated) - shown) >= 0.5 * fabs (shown));
}

static void
compare_measure (UrbComparison *self, UrbMeasure measure, guint64 seed)
{
  UrbMeasureResult *result = &self->results[measure];
  const UrbMeasurements *held_out = self->measured[URB_GROUP_REAL];
  g_autoptr(GArray) real = urb_measurements_pool (held_out, measure, NULL, 0);

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
    result->rho[g] = result->noise.q95 <= 1e-12 || self->measured[g]->n_tiles == 0 ? NAN
                     : result->distance[g]
                         / (g == URB_GROUP_TRAIN ? result->noise.q95 : result->limit);
  result->half_off = is_half_off (measure, result);
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
rank_measures (UrbComparison *self)
{
  self->n_ranked = self->n_worst = 0;
  for (int m = 0; m < URB_N_MEASURES; m++)
    {
      double rho = self->results[m].rho[URB_GROUP_GENERATED];
      guint place = self->n_ranked;

      if (isnan (rho))
        continue;
      for (; place > 0 && self->results[self->ranking[place - 1]].rho[URB_GROUP_GENERATED] < rho;
           place--)
        self->ranking[place] = self->ranking[place - 1];
      self->ranking[place] = (UrbMeasure) m;
      self->n_ranked++;
      self->n_worst += rho > 1;
    }
  self->n_worst = MIN (self->n_worst, URB_VERDICT_N_WORST);
  for (guint i = 0; i < self->n_ranked; i++)
    self->results[self->ranking[i]].rank = (int) i + 1;
}

/* The nearest neighbors depend on how many there are, so equal numbers are compared. */
static void
compare_sets (UrbComparison *self, UrbGroup group)
{
  const UrbMeasurements *real = self->measured[URB_GROUP_REAL], *other = self->measured[group];
  guint n_real = (guint) MIN (real->n_tiles, MAX_SET), n_other = (guint) MIN (other->n_tiles, MAX_SET);
  guint n_dims, n = MIN (n_real, n_other);
  g_autofree double *x = urb_area_features_new (real, real, n_real, &n_dims);
  g_autofree double *y = urb_area_features_new (other, real, n_other, &n_dims);
  const UrbPointSet all_real = { x, n_real, n_dims }, all_other = { y, n_other, n_dims };
  const UrbPointSet some_real = { x, n, n_dims }, some_other = { y, n, n_dims };
  gboolean enough = n >= MIN_SET && n_dims > 0;

  self->sets[group] = (UrbSetResult) {
    enough ? urb_kid (&all_other, &all_real) : (UrbKid) { NAN, NAN },
    enough ? urb_coverage (&some_other, &some_real) : NAN,
    enough ? urb_coverage (&some_real, &some_other) : NAN,
  };
}

static UrbVerdict
judge (const UrbComparison *self)
{
  double score = self->score[URB_GROUP_GENERATED];
  UrbVerdict verdict = score <= 1   ? URB_VERDICT_ALIKE
                       : score <= 2 ? URB_VERDICT_CLOSE
                       : score <= 5 ? URB_VERDICT_SIMILAR
                                    : URB_VERDICT_FAR;

  if (self->measured[URB_GROUP_REAL]->n_tiles < URB_VERDICT_MIN_AREAS
      || self->n_places < URB_VERDICT_MIN_PLACES || isnan (score))
    return URB_VERDICT_NONE;
  for (int m = 0; m < URB_N_MEASURES; m++)
    {
      double rho = self->results[m].rho[URB_GROUP_GENERATED];

      if (rho > max_similar_rho)
        verdict = URB_VERDICT_FAR;
      else if (self->results[m].half_off || rho > max_rho)
        verdict = MAX (verdict, URB_VERDICT_SIMILAR);
      else if (rho > max_alike_rho)
        verdict = MAX (verdict, URB_VERDICT_CLOSE);
    }
  return verdict;
}

gboolean
urb_comparison_has (const UrbComparison *self, UrbMeasure measure)
{
  guint n = 0;

  for (int g = 0; g < URB_N_GROUPS; g++)
    n += self->measured[g]->values[measure]->len;
  return n > 0;
}

void
urb_comparison_run (UrbComparison *self, guint64 seed)
{
  for (int m = 0; m < URB_N_MEASURES; m++)
    compare_measure (self, (UrbMeasure) m, seed);
  for (int g = 0; g < URB_N_GROUPS; g++)
    {
      self->score[g] = get_score (self, (UrbGroup) g);
      compare_sets (self, (UrbGroup) g);
    }
  rank_measures (self);
  self->verdict = judge (self);
}
