/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set-distance.h - compares two sets of points: how alike they are, and what each lacks of the other.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Points as rows of numbers. */
typedef struct
{
  const double *x; /* (n_points, n_dims), borrowed */
  guint         n_points, n_dims;
} UrbPointSet;

typedef struct
{
  double value; /* 0 on average if both sets are drawn from one distribution; may be below 0 */
  double error; /* standard error, by the jackknife */
} UrbKid;

/**
 * urb_kid:
 *
 * The unbiased estimate of the squared maximum mean discrepancy with the polynomial kernel
 * (x y / n_dims + 1)^3: the kernel inception distance (Binkowski et al. 2018, arXiv 1801.01401,
 * eq. 4) on other features.  The error leaves out one point at a time (Efron and Stein 1981).  Time
 * is quadratic in the number of points.
 *
 * Returns: NaN with fewer than 3 points in a set
 */
UrbKid urb_kid (const UrbPointSet *a, const UrbPointSet *b);

/**
 * urb_coverage:
 * @of: points that may be covered
 * @by: the set that covers
 *
 * The share of @of that is at most as far from some point of @by as the third-nearest point of
 * @by is.  Precision is the share of generated points covered by real ones, recall the share of
 * real points covered by generated ones (Kynkäänniemi et al. 2019, arXiv 1904.06991, eq. 1 and 2).
 * They are comparable if both sets have the same size.  Time is quadratic in the number of points.
 *
 * Returns: NaN if @of is empty or @by has fewer than 4 points
 */
double urb_coverage (const UrbPointSet *of, const UrbPointSet *by);

G_END_DECLS
