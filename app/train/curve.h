/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curve.h - a series of a run as it is drawn: with the run's name in its title, or over images or time.
 */
#pragma once

#include "app/plot/series.h"

G_BEGIN_DECLS

/* @places: (nullable): for each step, as x, where its points are drawn, as y; NULL: at the step.  Steps that it lacks
 *   are drawn at the one before them.
 * Returns: (transfer full): a copy of @source that follows its changes */
UrbariumSeries *urbarium_curve_new   (UrbariumSeries *source, const char *title, UrbariumSeries *places);
/* Where a step is drawn. */
double          urbarium_curve_place (UrbariumSeries *places, double step);

G_END_DECLS
