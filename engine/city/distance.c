/* SPDX-License-Identifier: Apache-2.0 */
/*
 * distance.c - distances between distributions, and their noise level.
 */
#include "city/distance.h"

#include <math.h>

#include "base/compare.h"
#include "kernels/uk-random.h"

enum { N_SPLITS = 200 };
static const guint32 shuffle_stream = 0x43495459; /* not used in training */

static double
value_at (const GArray *values, guint index)
{
  return g_array_index (values, double, index);
}

double
urb_wasserstein (const GArray *a, const GArray *b)
{
  double zero = 0, area = 0, before = 0;
  g_autoptr(GArray) nothing = g_array_new (FALSE, FALSE, sizeof (double));
  guint i = 0, k = 0;

  g_array_append_val (nothing, zero);
  if (a->len == 0)
    a = nothing;
  if (b->len == 0)
    b = nothing;
  while (i < a->len || k < b->len)
    {
      gboolean from_a = k == b->len || (i < a->len && value_at (a, i) <= value_at (b, k));
      double value = from_a ? value_at (a, i) : value_at (b, k);

      if (i + k > 0)
        area += fabs ((double) i / a->len - (double) k / b->len) * (value - before);
      before = value;
      i += from_a;
      k += !from_a;
    }
  return area;
}

double
urb_quantile (const GArray *values, double q)
{
  double place;
  guint low;

  if (values->len == 0)
    return NAN;
  place = q * (values->len - 1);
  low = MIN ((guint) place, values->len - 1);
  if (low + 1 >= values->len)
    return value_at (values, low);
  return value_at (values, low) +
         (place - low) * (value_at (values, low + 1) - value_at (values, low));
}

guint *
urb_shuffle (guint n, guint64 seed, guint64 round)
{
  guint *order = g_new (guint, MAX (n, 1));
  const uint64_t rng[2] = { seed, round };

  for (guint i = 0; i < n; i++)
    order[i] = i;
  for (guint i = n; i > 1; i--)
    {
      uint32_t words[4];
      guint other, swap = order[i - 1];

      uk_philox (rng, shuffle_stream, i, words);
      other = (guint) (uk_uniform (words[0]) * i);
      order[i - 1] = order[other];
      order[other] = swap;
    }
  return order;
}

UrbNoise
urb_measurements_get_noise (const UrbMeasurements *self, UrbMeasure measure, guint64 seed)
{
  g_autoptr(GArray) distances = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr(GArray) differences = g_array_new (FALSE, FALSE, sizeof (double));
  guint half = (guint) (self->n_tiles / 2);

  for (int round = 0; round < N_SPLITS && half > 0; round++)
    {
      g_autofree guint *order = urb_shuffle ((guint) self->n_tiles, seed, (guint64) round);
      g_autoptr(GArray) a = urb_measurements_pool (self, measure, order, half);
      g_autoptr(GArray) b = urb_measurements_pool (self, measure, order + half, half);
      double distance = urb_wasserstein (a, b);
      double difference = fabs (urb_quantile (a, 0.5) - urb_quantile (b, 0.5));

      g_array_append_val (distances, distance);
      if (!isnan (difference))
        g_array_append_val (differences, difference);
    }
  g_array_sort (distances, urb_compare_doubles);
  g_array_sort (differences, urb_compare_doubles);
  return (UrbNoise) { urb_quantile (distances, 0.5), urb_quantile (distances, 0.95),
                      urb_quantile (differences, 0.95) };
}
