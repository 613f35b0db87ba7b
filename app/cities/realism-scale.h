/* SPDX-License-Identifier: Apache-2.0 */
/*
 * realism-scale.h - the distance from real areas on one axis: of training areas, of generated
 * areas, and of the untrained network's.
 */
#pragma once

#include "app/plot/chart-widget.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_REALISM_SCALE (urbarium_realism_scale_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRealismScale, urbarium_realism_scale, URBARIUM, REALISM_SCALE,
                      UrbariumChartWidget)

/* In multiples of chance; NaN is not shown. */
void urbarium_realism_scale_set (UrbariumRealismScale *self, double generated, double untrained,
                                 double train);

G_END_DECLS
