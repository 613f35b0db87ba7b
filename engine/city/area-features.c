/* SPDX-License-Identifier: Apache-2.0 */
/*
 * area-features.c - see area-features.h.
 */
#include "city/area-features.h"

#include <math.h>

static const double max_deviations = 5; /* else a single odd area decides a polynomial kernel */

/* Returns: NaN if the tile has no value */
static double
get_mean (const UrbMeasurements *self, UrbMeasure measure, guint tile)
{
  const GArray *values = self->values[measure], *ends = self->ends[measure];
  guint begin = tile > 0 ? g_array_index (ends, guint, tile - 1) : 0;
  guint end = g_array_index (ends, guint, tile);
  double sum = 0;

  for (guint i = begin; i < end; i++)
    sum += g_array_index (values, double, i);
  return end > begin ? sum / (end - begin) : NAN;
}

/* Of the tiles' means.  Returns: FALSE if they do not vary */
static gboolean
get_scale (const UrbMeasurements *self, UrbMeasure measure, double *mean, double *deviation)
{
  double sum = 0, sum2 = 0;
  guint n = 0;

  for (guint tile = 0; tile < self->n_tiles; tile++)
    {
      double value = get_mean (self, measure, tile);

      if (isnan (value))
        continue;
      sum += value;
      sum2 += value * value;
      n++;
    }
  *mean = n > 0 ? sum / n : 0;
  *deviation = n > 0 ? sqrt (MAX (sum2 / n - *mean * *mean, 0)) : 0;
  return *deviation > 1e-9;
}

double *
urb_area_features_new (const UrbMeasurements *self, const UrbMeasurements *reference,
                       guint max_tiles, guint *n_dims)
{
  guint n_tiles = (guint) MIN (self->n_tiles, max_tiles), dim = 0;
  double mean[URB_N_MEASURES], deviation[URB_N_MEASURES];
  UrbMeasure used[URB_N_MEASURES];
  double *features;

  for (int m = 0; m < URB_N_MEASURES; m++)
    if (get_scale (reference, (UrbMeasure) m, &mean[dim], &deviation[dim]))
      used[dim++] = (UrbMeasure) m;
  *n_dims = dim;
  features = g_new (double, (gsize) n_tiles * dim + 1);
  for (guint tile = 0; tile < n_tiles; tile++)
    for (guint i = 0; i < dim; i++)
      {
        double deviations = (get_mean (self, used[i], tile) - mean[i]) / deviation[i];

        features[tile * dim + i]
          = isnan (deviations) ? 0 : CLAMP (deviations, -max_deviations, max_deviations);
      }
  return features;
}
