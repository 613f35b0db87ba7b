/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bins.h - two groups of values in one set of bins, and how much chance moves them.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  URBARIUM_BINS_EVEN,
  URBARIUM_BINS_LOG /* even in the logarithm; values of 0 and less fall into the first */
} UrbariumBinning;

typedef struct
{
  UrbariumBinning binning;
  guint           n;
  double          min, max;
  double         *real, *generated; /* (n) owned: shares of each group's values; sum 1 or 0 */
  /* (n) owned: from the 5th to the 95th percentile of what halves of the real areas have. */
  double         *low, *high;
  double          real_median, generated_median; /* NaN of no values */
} UrbariumBins;

/**
 * urbarium_bins_new:
 * @real: (n_real); NaN and infinite values are left out
 * @ends: (nullable) (n_areas): where the values of each real area end in @real
 *
 * The width of a bin is Freedman and Diaconis' (1981), 2 IQR / n^(1/3), of the real values; whole
 * numbers get bins around whole numbers.  What lies far outside of the 1st to 99th percentile is
 * counted in the outermost bins.
 *
 * The band is the noise of docs/evaluation.md bin by bin: the real areas are split at random into
 * two halves, 200 times with a fixed seed; nine in ten of the halves' shares lie between the
 * bounds.
 * Values of one area stay together, since buildings of one place are alike.  Without @ends each
 * value is an area.
 */
UrbariumBins *urbarium_bins_new  (const double *real, gsize n_real, const double *generated,
                                  gsize n_generated, const guint *ends, guint n_areas,
                                  UrbariumBinning binning);
void          urbarium_bins_free (UrbariumBins *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumBins, urbarium_bins_free)

/* Which bin @value is counted in. */
guint         urbarium_bins_find (const UrbariumBins *self, double value);

G_END_DECLS
