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
 * For assistive technologies, an image described by the medians. */

/**
 * urbarium_distribution_set_values:
 * @real, @generated: (element-type double): in any order, without NaN
 * @ends: (nullable) (element-type guint): end index of the values of each real area in @real, for
 *   the band: see urbarium_bins_new()
 * @rho: as in docs/evaluation.md, 1 is the limit of chance; NaN: none
 *
 * Keeps references to the arrays, which must not change.
 */
void urbarium_distribution_set_values (UrbariumDistribution *self, GArray *real, GArray *generated,
                                       GArray *ends, double rho);

G_END_DECLS
