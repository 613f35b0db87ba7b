/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copying.c - see copying.h.
 */
#include "city/copying.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/compare.h"
#include "city/distance.h"

static const double MARGIN = 2;           /* times the share of the nearest held-out area */
static const double MIN_ODDS = 2;         /* times the share of held-out areas that repeat */
static const double SHARED = 0.5;

const char *const urb_copying_alone_text
  = N_ ("A city counts as a copy if it repeats at least 10 %: real areas of different places repeat less of each other.");

gboolean
urb_copying_is_shared (const UrbNearest *real)
{
  return real->share >= SHARED;
}

gboolean
urb_copying_repeats (const UrbCopying *self, const UrbNearest *train, const UrbNearest *test)
{
  return train->share >= self->limit && train->share > MARGIN * test->share;
}

/* The share that one of @n reaches by chance.  @shares: (element-type double): by chance */
static double
extrapolate (GArray *shares, gint64 n)
{
  double median, q95;

  if (shares->len == 0)
    return 0;
  g_array_sort (shares, urb_compare_doubles);
  median = urb_quantile (shares, 0.5);
  q95 = urb_quantile (shares, 0.95);
  /* An exponential tail rises by (q95 - median) for each factor 0.5 / 0.05 = 10 in probability. */
  return median + (q95 - median) * log10 (MAX (0.5 * (double) n, 1));
}

void
urb_copying_judge (UrbCopying *self, const UrbNearest *train, const UrbNearest *test, gint64 n,
                   const UrbNearest *real, gint64 n_real)
{
  g_autoptr(GArray) of_real = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr(GArray) of_generated = g_array_new (FALSE, FALSE, sizeof (double));
  gint64 n_real_repeats = 0;

  *self = (UrbCopying) { 0 };
  for (gint64 i = 0; i < n; i++)
    g_array_append_val (of_generated, test[i].share);
  for (gint64 i = 0; i < n_real; i++)
    if (urb_copying_is_shared (&real[i]))
      self->n_shared++;
    else
      g_array_append_val (of_real, real[i].share);
  self->limit = MAX (URB_COPYING_MIN_LIMIT, MAX (extrapolate (of_real, n), extrapolate (of_generated, n)));
  for (gint64 i = 0; i < n; i++)
    self->n_repeats += urb_copying_repeats (self, &train[i], &test[i]);
  for (guint i = 0; i < of_real->len; i++)
    n_real_repeats += g_array_index (of_real, double, i) >= self->limit;
  self->share_repeats = (double) self->n_repeats / (double) MAX (n, 1);
  self->share_real = (double) n_real_repeats / MAX (of_real->len, 1);
  /* With one expected, six or more happen in 0.06 % of all cases (Poisson). */
  self->copies = self->n_repeats >= URB_COPYING_MIN_REPEATS
                 && self->share_repeats > MIN_ODDS * self->share_real;
}
