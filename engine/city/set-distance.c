/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set-distance.c - see set-distance.h.
 */
#include "city/set-distance.h"

#include <math.h>
#include <stdlib.h>

#include "base/compare.h"

enum { N_NEIGHBORS = 3 };

static const double *
get_point (const UrbPointSet *set, guint i)
{
  return set->x + (gsize) i * set->n_dims;
}

/* ------------------------------------------------------------------------ */
/* Kernel distance                                                           */

static double
get_kernel (const double *x, const double *y, guint n_dims)
{
  double dot = 0;

  for (guint i = 0; i < n_dims; i++)
    dot += x[i] * y[i];
  dot = dot / n_dims + 1;
  return dot * dot * dot;
}

/* The kernels of each point of @a with all of @b, without itself if both are the same set.
 * @sums: (out): (a->n_points).  Returns: their sum */
static double
sum_kernels (const UrbPointSet *a, const UrbPointSet *b, double *sums)
{
  double total = 0;

  for (guint i = 0; i < a->n_points; i++)
    {
      sums[i] = 0;
      for (guint k = 0; k < b->n_points; k++)
        if (a != b || i != k)
          sums[i] += get_kernel (get_point (a, i), get_point (b, k), a->n_dims);
      total += sums[i];
    }
  return total;
}

/* The jackknife's part of the variance from leaving out points of a set of @n.
 * @own, @across: sums of each point's kernels with its own set and with the other, of @n_other
 * @total, @total_across: their totals.  The other set's own kernels do not change. */
static double
get_variance (const double *own, double total, const double *across, double total_across, guint n,
              guint n_other)
{
  g_autofree double *without = g_new (double, n);
  double mean = 0, sum = 0;

  for (guint i = 0; i < n; i++)
    {
      without[i] = (total - 2 * own[i]) / ((n - 1.0) * (n - 2.0))
                   - 2 * (total_across - across[i]) / ((n - 1.0) * n_other);
      mean += without[i] / n;
    }
  for (guint i = 0; i < n; i++)
    sum += (without[i] - mean) * (without[i] - mean);
  return sum * (n - 1.0) / n;
}

UrbKid
urb_kid (const UrbPointSet *a, const UrbPointSet *b)
{
  double m = a->n_points, n = b->n_points, aa, bb, ab;
  g_autofree double *a_own = g_new (double, a->n_points + 1);
  g_autofree double *b_own = g_new (double, b->n_points + 1);
  g_autofree double *a_across = g_new (double, a->n_points + 1);
  g_autofree double *b_across = g_new (double, b->n_points + 1);

  g_return_val_if_fail (a != b && a->n_dims == b->n_dims, ((UrbKid) { NAN, NAN }));
  if (a->n_points < 3 || b->n_points < 3)
    return (UrbKid) { NAN, NAN };
  aa = sum_kernels (a, a, a_own);
  bb = sum_kernels (b, b, b_own);
  ab = sum_kernels (a, b, a_across);
  sum_kernels (b, a, b_across);
  return (UrbKid) {
    aa / (m * (m - 1)) + bb / (n * (n - 1)) - 2 * ab / (m * n),
    sqrt (get_variance (a_own, aa, a_across, ab, a->n_points, b->n_points)
          + get_variance (b_own, bb, b_across, ab, b->n_points, a->n_points)),
  };
}

/* ------------------------------------------------------------------------ */
/* Coverage                                                                  */

static double
get_distance2 (const double *x, const double *y, guint n_dims)
{
  double sum = 0;

  for (guint i = 0; i < n_dims; i++)
    sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

/* Squared, of each point.  Returns: (transfer full) */
static double *
get_radii2 (const UrbPointSet *set)
{
  double *radii2 = g_new (double, set->n_points);
  g_autofree double *distances2 = g_new (double, set->n_points);

  for (guint i = 0; i < set->n_points; i++)
    {
      for (guint k = 0; k < set->n_points; k++)
        distances2[k] = get_distance2 (get_point (set, i), get_point (set, k), set->n_dims);
      qsort (distances2, set->n_points, sizeof *distances2, urb_compare_doubles);
      radii2[i] = distances2[N_NEIGHBORS]; /* the first is the point itself */
    }
  return radii2;
}

double
urb_coverage (const UrbPointSet *of, const UrbPointSet *by)
{
  g_autofree double *radii2 = by->n_points > N_NEIGHBORS ? get_radii2 (by) : NULL;
  guint n_covered = 0;

  g_return_val_if_fail (of->n_dims == by->n_dims, NAN);
  if (radii2 == NULL || of->n_points == 0)
    return NAN;
  for (guint i = 0; i < of->n_points; i++)
    for (guint k = 0; k < by->n_points; k++)
      if (get_distance2 (get_point (of, i), get_point (by, k), of->n_dims) <= radii2[k])
        {
          n_covered++;
          break;
        }
  return (double) n_covered / of->n_points;
}
