/* SPDX-License-Identifier: Apache-2.0 */
/* bins.h - real and generated values in common bins, with a band of random variation. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  URBARIUM_BINS_EVEN,
  URBARIUM_BINS_LOG /* even in the logarithm; values of 0 and less go to the first bin */
} UrbariumBinning;

typedef struct
{
  UrbariumBinning binning;
  guint           n;
  double          min, max;
  double         *real, *generated; /* (n) owned: share of each group's values; sum 1 or 0 */
  double         *low, *high; /* (n) owned: 5th and 95th percentile of halves of the real areas */
  double          real_median, generated_median; /* NaN without values */
} UrbariumBins;

/**
 * urbarium_bins_new:
 * @real: (n_real); NaN and infinite values are ignored
 * @ends: (nullable) (n_areas): end index of the values of each real area in @real
 *
 * The bin width is that of Freedman and Diaconis (1981), 2 IQR / n^(1/3), of the real values; for
 * integers, bins are centered on integers.  Values far outside of the 1st to 99th percentile are
 * counted in the outermost bins.
 *
 * The band is the noise of docs/evaluation.md per bin: the real areas are split at random into two
 * halves, 200 times with a fixed seed; 90 % of the halves' shares lie within the band.  Values of
 * one area stay together, since buildings in one area are similar.  Without @ends, each value is
 * an area of its own.
 */
UrbariumBins *urbarium_bins_new  (const double *real, gsize n_real, const double *generated,
                                  gsize n_generated, const guint *ends, guint n_areas,
                                  UrbariumBinning binning);
void          urbarium_bins_free (UrbariumBins *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumBins, urbarium_bins_free)

G_END_DECLS
