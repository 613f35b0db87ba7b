/* SPDX-License-Identifier: Apache-2.0 */
/*
 * distribution.h - compares the distributions of one measure for generated and real areas: two
 * outlines with their medians, over the band of variation among real areas.
 */
#pragma once

#include "app/plot/chart-widget.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_DISTRIBUTION (urbarium_distribution_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumDistribution, urbarium_distribution, URBARIUM, DISTRIBUTION,
                      UrbariumChartWidget)

/* Properties: title, unit (string, translated), log-x (boolean).
 * For assistive technologies, an image described by the medians and the verdict. */
GtkWidget *urbarium_distribution_new (void);

/* Copies the values, in any order, without NaN.  Resets the verdict and the band, for which each
 * real value then counts as an area of its own. */
void urbarium_distribution_set_values  (UrbariumDistribution *self, const double *real,
                                        gsize n_real, const double *generated,
                                        gsize n_generated);
/* @ends: (@n_areas): end index of each real area's values in those of set_values(), as in
 * UrbMeasurements.  See urbarium_bins_new() for the band. */
void urbarium_distribution_set_band    (UrbariumDistribution *self, const guint *ends,
                                        guint n_areas);
/* @rho: as in docs/evaluation.md, 1 is the limit of chance; NaN: none.
 * @text: (nullable): translated */
void urbarium_distribution_set_verdict (UrbariumDistribution *self, double rho, const char *text);

G_END_DECLS
