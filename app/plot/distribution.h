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

typedef struct
{
  const char *title, *unit;     /* translated; unit: (nullable) */
  gboolean    log_x;
  GArray     *real, *generated; /* (element-type double): finite, in any order */
  GArray     *ends;             /* (nullable) (element-type guint): end index of the values of each
                                 * real area in real, for the band: see urbarium_bins_new() */
  double      rho;              /* as in docs/evaluation.md, 1 is the limit of chance; NaN: none */
} UrbariumDistributionData;

/* Copies the texts and keeps references to the arrays, which must not change.  For assistive
 * technologies it is an image described by the medians. */
void urbarium_distribution_set (UrbariumDistribution *self, const UrbariumDistributionData *data);

G_END_DECLS
