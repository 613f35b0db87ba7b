/* SPDX-License-Identifier: Apache-2.0 */
/*
 * distribution.h - generated against real, for one measure: two outlines with
 * their medians, and behind them the band in which real areas differ among
 * themselves.
 */
#pragma once

#include "app/plot/chart-widget.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_DISTRIBUTION (urbarium_distribution_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumDistribution, urbarium_distribution, URBARIUM, DISTRIBUTION,
                      UrbariumChartWidget)

/* Properties: title, unit (string, translated), log-x (boolean).
 * An image for assistive technologies, described by its medians and the verdict. */
GtkWidget *urbarium_distribution_new (void);

/* All copied; sorted or not; NaN is left out.  Forgets band and verdict: each real value counts as
 * an area of its own for the band. */
void urbarium_distribution_set_values  (UrbariumDistribution *self, const double *real,
                                        gsize n_real, const double *generated,
                                        gsize n_generated);
/* @ends: (@n_areas): where the values of each real area end among those of set_values(), as in
 * UrbMeasurements.  The real areas are split at random into halves, 200 times with a fixed seed, as
 * for the noise of docs/evaluation.md; in each bin the band covers nine in ten of the halves'
 * shares. */
void urbarium_distribution_set_band    (UrbariumDistribution *self, const guint *ends,
                                        guint n_areas);
/* @rho: as in docs/evaluation.md, 1 is the limit of chance; NaN: none.  @text: (nullable):
 * translated, in words. */
void urbarium_distribution_set_verdict (UrbariumDistribution *self, double rho, const char *text);

G_END_DECLS
