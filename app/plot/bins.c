/* SPDX-License-Identifier: Apache-2.0 */
#include "app/plot/bins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"

#define MIN_BINS 8
#define MAX_BINS 40
#define OUTLIERS 0.01
#define MAX_STRETCH 1.5 /* the axis includes outliers if they extend it by no more than this */
#define N_SPLITS 200    /* as in docs/evaluation.md */
#define SPLIT_SEED 1
#define BAND 0.05       /* share of the halves below the band and above it */

/* Returns: (transfer full): the finite values, ascending */
static GArray *
sorted (const double *values, gsize n)
{
  GArray *array = g_array_new (FALSE, FALSE, sizeof (double));

  for (gsize i = 0; i < n; i++)
    if (isfinite (values[i]))
      g_array_append_val (array, values[i]);
  g_array_sort (array, urb_compare_doubles);
  return array;
}

/* Interpolates; NaN without values. */
static double
quantile (GArray *values, double share)
{
  double at = share * (MAX (values->len, 1) - 1), low;
  guint i = (guint) at;

  if (values->len == 0)
    return NAN;
  low = g_array_index (values, double, i);
  if (i + 1 >= values->len)
    return low;
  return low + (at - i) * (g_array_index (values, double, i + 1) - low);
}

static gboolean
are_whole (GArray *values)
{
  for (guint i = 0; i < values->len; i++)
    if (g_array_index (values, double, i) != floor (g_array_index (values, double, i)))
      return FALSE;
  return TRUE;
}

static double
to_even (const UrbariumBins *self, double value)
{
  return self->binning == URBARIUM_BINS_LOG ? log (value) : value;
}

/* The bin in which @value is counted. */
static guint
find_bin (const UrbariumBins *self, double value)
{
  double from, to, at;

  if (!(value > self->min))
    return 0;
  if (value >= self->max)
    return self->n - 1;
  from = to_even (self, self->min);
  to = to_even (self, self->max);
  at = (to_even (self, value) - from) / (to - from) * self->n;
  return MIN ((guint) at, self->n - 1);
}

static void
find_range (UrbariumBins *self, GArray *group, double *least, double *greatest)
{
  double min = quantile (group, 0), max = quantile (group, 1);
  double low = quantile (group, OUTLIERS), high = quantile (group, 1 - OUTLIERS);

  if (group->len == 0)
    return;
  if (self->binning == URBARIUM_BINS_LOG)
    min = MAX (min, low > 0 ? low / 2 : G_MINDOUBLE);
  if (max - min > MAX_STRETCH * (high - low) && high > low)
    {
      min = MAX (min, low);
      max = high;
    }
  *least = MIN (*least, min);
  *greatest = MAX (*greatest, max);
}

static void
choose_bins (UrbariumBins *self, GArray *real, GArray *generated)
{
  GArray *leading = real->len > 0 ? real : generated;
  double q25 = quantile (leading, 0.25), q75 = quantile (leading, 0.75), width, range;

  self->min = INFINITY;
  self->max = -INFINITY;
  find_range (self, real, &self->min, &self->max);
  find_range (self, generated, &self->min, &self->max);
  if (self->binning == URBARIUM_BINS_EVEN && are_whole (real) && are_whole (generated))
    {
      double step = MAX (1, ceil ((self->max - self->min + 1) / MAX_BINS));
      self->min = floor (self->min) - 0.5;
      self->n = (guint) MAX (1, ceil ((self->max + 0.5 - self->min) / step));
      self->max = self->min + self->n * step;
      return;
    }
  if (!(self->max > self->min))
    {
      double half = self->min != 0 ? fabs (self->min) / 2 : 0.5;
      self->min -= half;
      self->max += half;
    }
  range = to_even (self, self->max) - to_even (self, self->min);
  width = 2 * (to_even (self, q75) - to_even (self, q25)) / cbrt (leading->len);
  self->n = width > 0 && isfinite (width)
              ? (guint) CLAMP (ceil (range / width), MIN_BINS, MAX_BINS) : MIN_BINS;
}

static double *
get_shares (const UrbariumBins *self, GArray *values)
{
  double *shares = g_new0 (double, self->n);

  for (guint i = 0; i < values->len; i++)
    shares[find_bin (self, g_array_index (values, double, i))] += 1.0 / values->len;
  return shares;
}

static void
count_area (const guint *bins, gsize first, gsize last, double *counts, double *n_values)
{
  for (gsize i = first; i < last; i++)
    if (bins[i] != G_MAXUINT)
      {
        counts[bins[i]]++;
        ++*n_values;
      }
}

static void
find_band (UrbariumBins *self, const double *real, gsize n_real, const guint *ends, guint n_areas)
{
  g_autofree guint *bins = g_new (guint, MAX (n_real, 1)); /* of each value; G_MAXUINT: none */
  g_autofree guint *order = g_new (guint, MAX (n_areas, 1));
  /* (n, 2 × N_SPLITS) */
  g_autofree double *shares = g_new0 (double, (gsize) self->n * 2 * N_SPLITS);
  g_autofree double *counts = g_new (double, 2 * (gsize) self->n);
  g_autoptr(GRand) rand = g_rand_new_with_seed (SPLIT_SEED);

  for (gsize i = 0; i < n_real; i++)
    bins[i] = isfinite (real[i]) ? find_bin (self, real[i]) : G_MAXUINT;
  for (guint i = 0; i < n_areas; i++)
    order[i] = i;
  for (guint split = 0; split < N_SPLITS && n_areas > 1; split++)
    {
      double n_values[2] = { 0, 0 };
      memset (counts, 0, 2 * self->n * sizeof *counts);
      for (guint i = 0; i < n_areas; i++)
        {
          guint other = (guint) g_rand_int_range (rand, (gint32) i, (gint32) n_areas);
          guint area = order[other], half = i < n_areas / 2 ? 0 : 1;
          order[other] = order[i];
          order[i] = area;
          count_area (bins, ends == NULL ? area : area == 0 ? 0 : ends[area - 1],
                      ends == NULL ? area + 1 : ends[area], counts + half * self->n,
                      &n_values[half]);
        }
      for (guint half = 0; half < 2; half++)
        for (guint bin = 0; bin < self->n; bin++)
          shares[(gsize) bin * 2 * N_SPLITS + 2 * split + half]
            = n_values[half] > 0 ? counts[half * self->n + bin] / n_values[half] : 0;
    }
  for (guint bin = 0; bin < self->n; bin++)
    {
      double *all = shares + (gsize) bin * 2 * N_SPLITS;
      qsort (all, 2 * N_SPLITS, sizeof *all, urb_compare_doubles);
      self->low[bin] = all[(guint) (BAND * 2 * N_SPLITS)];
      self->high[bin] = all[(guint) ((1 - BAND) * 2 * N_SPLITS) - 1];
    }
}

UrbariumBins *
urbarium_bins_new (const double *real, gsize n_real, const double *generated, gsize n_generated,
                   const guint *ends, guint n_areas, UrbariumBinning binning)
{
  UrbariumBins *self = g_new0 (UrbariumBins, 1);
  g_autoptr(GArray) real_sorted = sorted (real, n_real);
  g_autoptr(GArray) generated_sorted = sorted (generated, n_generated);

  self->binning = binning;
  self->real_median = quantile (real_sorted, 0.5);
  self->generated_median = quantile (generated_sorted, 0.5);
  if (real_sorted->len + generated_sorted->len > 0)
    choose_bins (self, real_sorted, generated_sorted);
  self->real = get_shares (self, real_sorted);
  self->generated = get_shares (self, generated_sorted);
  self->low = g_new0 (double, MAX (self->n, 1));
  self->high = g_new0 (double, MAX (self->n, 1));
  if (real_sorted->len > 0)
    find_band (self, real, n_real, ends, ends == NULL ? (guint) n_real : n_areas);
  return self;
}

void
urbarium_bins_free (UrbariumBins *self)
{
  g_free (self->real);
  g_free (self->generated);
  g_free (self->low);
  g_free (self->high);
  g_free (self);
}
