/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rose.h - an orientation rose: the length of walls by direction.
 *
 * The area of a sector, not its radius, represents its share.  For assistive technologies it is an
 * image described by its main direction.
 */
#pragma once

#include "app/plot/chart-widget.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_ROSE (urbarium_rose_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRose, urbarium_rose, URBARIUM, ROSE,
                      UrbariumChartWidget)

/* @weights: (@n), copied: of n equal sectors of [0°, 90°), counterclockwise from east; drawn in all
 * quadrants, as shares of their sum.  @compare: (nullable) (@n): an outline to compare with, as
 * shares of its own sum. */
void urbarium_rose_set_weights (UrbariumRose *self, const double *weights, const double *compare,
                                guint n);

G_END_DECLS
